# A full backup: one stream of 1 MiB reads over 16 GiB at 400 MiB/s. Source: by definition.
# A workload for 'blkreel replay' and 'blkreel profile': counts and weights, no
# data, no names. docs/profile-format.md explains every key; all may be edited.
[profile]
version = 1
ios = 16384
# 40.96 s
duration_ns = 40957500000
device_bytes = 0
# addresses lie in 16.0 GiB
first_sector = 0
end_sector = 33554432
block_offset_sectors = 0
phases = 24
seed = 1

[error]
# How far what is generated was from the trace, before anything was edited: the
# median of the seeds and the worst. A ratio is profile / trace, the others are
# differences (_pp: in points).
seeds = 5
ios_ratio = 1.0000 1.0000
read_ios_delta_pp = 0.0000 0.0000
bytes_ratio = 1.0000 1.0000
size_tvd = 0.0000 0.0000
gap_ks = 0.5930 0.5938
peak_10ms_ratio = 1.5000 1.5000
mrc_mae = 0.0001 0.0001
sequential_delta_pp = -0.0061 -0.0061
footprint_ratio = 0.9950 0.9936

[arrival]
# IOs in each of 240 windows of 171 ms
windows = 69 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68 69 68 68
        68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69
        68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68
        69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68
        68 68 69 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68 69
        68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68 69 68 68 68 69 68 68
        68 69 68 68 68 69 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68
        68 68 69 68 68 68 69 68 68 68 69 68 68 68 69 68 68 69 68 68 68 69 68 68 68 69 68 68 68
        69 68 68 68 69 68 68 69
halvings = 6
# The most IOs in one interval, after each halving.
most = 35 18 9 5 3 2
# The busiest moments: window, leaf in it, IOs around after each halving.
burst.1 = 0 0 35 18 9 5 3 2
burst.2 = 1 11 34 17 9 5 3 2
burst.3 = 2 7 34 17 9 5 3 2
burst.4 = 3 3 34 17 9 5 3 2
burst.5 = 4 14 34 17 9 5 3 2
burst.6 = 5 10 34 17 9 5 3 2
burst.7 = 6 6 34 17 9 5 3 2
burst.8 = 7 2 34 17 9 5 3 2
# How the IOs of an interval fall into its halves: weights from all-in-one to even.
# intervals of 171 ms and half of that, by IOs in the interval
split.0.32 = 0 0 0 0 0 0 0 0 64 0 0 416
split.0.64 = 0 0 0 0 0 0 0 0 0 64 0 176
# intervals of 42.7 ms and half of that, by IOs in the interval
split.1.8 = 0 0 0 0 0 0 533 0 0 0 0 466
split.1.16 = 0 0 0 0 0 0 0 896 0 0 0 64
# intervals of 10.7 ms and half of that, by IOs in the interval
split.2.2 = 0 0 0 0 0 0 0 0 0 0 0 999
split.2.3 = 0 0 0 0 999
split.2.4 = 0 0 0 0 0 266 0 0 0 0 0 733
# Gaps by IOs in the smallest interval, octave:weight; 0 is 0 ns, o is 2^(o-1) ns up.
gap.2 = 22:1024
# Gaps before them, by IOs in the smallest interval.
enter.1 = 22:1999
enter.2 = 22:1023
# Within an octave: weights of its quarters.
step.22 = 999

[addresses]
# blocks of 4 KiB that are touched the first time, by phase
new_blocks = 175162 174054 175616 175176 173576 172880 172416 173376 174080 175024 174416 171184
        174448 176096 173024 172064 177280 171712 175200 171520 171424 175168 173600 174304
# how many other blocks were touched since, of all that are touched: 0 is new
distances = 0:9999

[stream 1]
# 100.00 % of the IOs
op = read
submitter = other
pattern = sequential
ios = 16384
phases = 683 683 682 683 683 682 683 682 683 683 682 683 683 682 683 682 683 683 682 683 683 682
        683 683
sizes = 1048576:16384
next = 1:1999
reuse.32 = 0:1999
ranks = 1999
align_sectors = 2048
zones = 0:1
