# Sequential 1 MiB reads. Source: the six-job suite (with --mode asap).
# A workload for 'blkreel replay' and 'blkreel profile': counts and weights, no
# data, no names. docs/profile-format.md explains every key; all may be edited.
# Weights: 12:5 3 are of 12 and 13, 12>53 the same in digits, 64:53 row 64 in digits;
# a digit is 0-9, a-z for 10 to 35 or A-Z for 36 to 61.
[profile]
version = 1
ios = 4096
# 10.24 s
duration_ns = 10237500000
device_bytes = 0
# addresses lie in 4.0 GiB
first_sector = 0
end_sector = 8388608
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
gap_ks = 0.0034 0.0039
peak_10ms_ratio = 1.5000 1.5000
mrc_mae = 0.0000 0.0001
sequential_delta_pp = -0.0244 -0.0244
footprint_ratio = 0.9984 0.9920
busy_reads_delta_pp = 0.0000 0.0000

[arrival]
# IOs in each of 64 windows of 160 ms
windows = 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64
        64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64
        64 64 64 64 64 64
halvings = 6
# The most IOs in one interval, after each halving.
most = 32 16 8 4 2 1
# The busiest moments: window.leaf in it, then what each half around it has of the whole.
bursts = 0.0:vuvvvv 1.0:vuvvvv 2.0:vuvvvv 3.0:vuvvvv 4.0:vuvvvv 5.0:vuvvvv 6.0:vuvvvv 7.0:vuvvvv
# How the IOs of an interval fall into its halves: weights from all-in-one to even.
# 160 ms, halved; by IOs in it
split.0 = 64:00000000000U
split.0.32 = 0 0 0 0 0 0 0 0 0 0 0 120
lean.0 = 500 500 500
split.1.8 = 0 0 0 0 0 0 0 0 0 0 0 504
split.1.16 = 0 0 0 0 0 0 0 0 0 0 0 248
lean.1 = 500 500 500
split.2.2 = 0 0 0 0 0 0 0 0 0 0 0 999
split.2.4 = 0 0 0 0 0 0 0 0 0 0 0 999
lean.2 = 500 500 500
# Gaps by IOs in the smallest interval, by octave; 0 is 0 ns, o is 2^(o-1) ns up.
# Gaps before them, by IOs in the smallest interval.
enter.1 = 22:1999
# From the first IO of an interval to the last, per mille of it; rows as in gap.N.
# All gaps alike.
gaps = 22:1999
# Within an octave, in 1024ths: equal shares of its gaps between two values.
within.22 = 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196
        196 196 196 196 196 196 196 196 196 196 196 196

[addresses]
# blocks of 4 KiB that are touched the first time, by phase
new_blocks = 49152 49152 32768 49430 49194 32420 48940 48744 33308 49680 49176 32868 50008 49000
        32976 48408 49136 32624 47776 49456 32816 48936 48088 32408
# how many other blocks were touched since, of all that are touched: 0 is new
distances = 0:9999

[stream 1]
# 100.00 % of the IOs
op = read
submitter = other
pattern = sequential
ios = 4096
phases = 192 192 128 192 192 128 192 192 128 192 192 128 192 192 128 192 192 128 192 192 128 192
        192 128
sizes = 1M:4096
next = 1:1999
reuse.32 = 0:1999
ranks = 1999
aligned = 0 0 0 0 0 0 0 0 0 0 0 1
near = 0:1
zones = 0:1
