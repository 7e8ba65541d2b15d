# Written by hand: the least that a profile needs, and one of each form of list.
[profile]
version = 1
ios = 1000
duration_ns = 1000000000
end_sector = 800
phases = 1
[arrival]
windows = 500
        500
split_levels = 3
split.0.2 = 3 4 5
gap.2 = 1:4 20:4
[stream 1]
op = read
ios = 3
pattern = sequential
sizes = 4096:1
reuse.1 = 0:5 4:9
zones = 4:6
next = 1:5 2:6
[stream 2]
op = write
flags = sync|fua
ios = 1
sizes = 4096:1 8192:1
