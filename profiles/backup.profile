# A full backup: one stream of 1 MiB reads over 16 GiB at 400 MiB/s. Source: by definition.
# A workload for 'blkreel replay' and 'blkreel profile': counts and weights, no
# data, no names. docs/profile-format.md explains every key; all may be edited.
# Weights: 12:5 3 are of 12 and 13, 12>53 the same in digits, 64:53 row 64 in digits;
# a digit is 0-9, a-z for 10 to 35 or A-Z for 36 to 61.
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
gap_ks = 0.0024 0.0025
peak_10ms_ratio = 1.2500 1.2500
mrc_mae = 0.0001 0.0001
sequential_delta_pp = -0.0061 -0.0061
footprint_ratio = 0.9936 0.9901
busy_reads_delta_pp = 0.0000 0.0000

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
halvings = 2
# The most IOs in one interval, after each halving.
most = 35 18
# The busiest moments: window.leaf in it, then what each half around it has of the whole.
bursts = 0.0:vv 3.3:vv 7.2:vv 11.1:vv 15.0:vv 19.0:vv 22.3:vv 26.2:vv
# How the IOs of an interval fall into its halves: weights from all-in-one to even.
# 171 ms, halved; by IOs in it
split.0.32 = 0 0 0 0 0 0 0 0 56 0 0 416
split.0.64 = 0 0 0 0 0 0 0 0 0 56 0 176
lean.0 = 496 333 333
# Gaps by IOs in the smallest interval, by octave; 0 is 0 ns, o is 2^(o-1) ns up.
gap.17 = 22:1999
# Gaps before them, by IOs in the smallest interval.
enter.17 = 22:959
# From the first IO of an interval to the last, per mille of it; rows as in gap.N.
span_permille = 0 0 0 0 941
# All gaps alike.
gaps = 22:1999
# Within an octave, in 1024ths: equal shares of its gaps between two values.
within.22 = 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196
        196 196 196 196 196 196 196 196 196 196 196 196

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
sizes = 1M:16384
next = 1:1999
reuse.32 = 0:1999
ranks = 1999
aligned = 0 0 0 0 0 0 0 0 0 0 0 1
near = 0:1
zones = 0:1
