# Every form of weights and sizes that a profile may have, and each of them beside others.
[profile]
version = 1
ios = 600
duration_ns = 6000000000
end_sector = 65536
phases = 2
[arrival]
windows = 300 300
reads = 200 200
reads.2 = 0:1 2:10203 3:Z
reads.4.1 = 1 0 3
reads.16 = 1:1
        2:003
size_class.1 = 4096 50 50
class2_split.4 = 0:1111z 2:00a
class2_split.16.3 = 1 0 100
split_levels = 4
split.0 = 2:a0000000000Z 8:0123
split.0.64 = 999 0 1
split.1 = 3:1
        4:02
gap.2 = 20:5 3 0 1 28>12Z
gap.3 = 20>5301 1000 30:2
entry_gap.1 = 24>93 0 1 28:62
gap_histogram = 20:1
        2 3 25>1
[addresses]
new_blocks = 100 50
distances = 0:300 5:1 1 0 1 20>123 40:2
[stream 1]
op = read
ios = 400
phases = 200 200
sizes = 512:10 4K:290 8192:50 1M:50
next = 1:70 30
reuse.1 = 0>9z 5:1
run_distance = 0:1 16>1
zones = 0>1111111111111111111111111111111111111111111111111111111111111111
[stream 2]
op = write
ios = 200
phases = 100 100
sizes = 4096:190 2M:10
next = 1>21
zones = 63:1
