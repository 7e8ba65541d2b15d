# A timer that writes every five seconds and drifts, beside reads at any time.
[profile]
version = 1
ios = 6000
duration = 60s
end = 1GiB
phases = 4
[arrival]
windows = 1500 1500 1500 1500
reads = 300 300 300 300
read_write_correlation = 500
split_levels = 10
period = 5s
period_shift = 0 1 2 31
period_shape.o = 1 1 40 9 1 1 1 1
[stream 1]
op = write
ios = 4800
size = 16K
[stream 2]
op = read
ios = 1200
size = 4K
