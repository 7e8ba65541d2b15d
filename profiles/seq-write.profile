# Sequential 1 MiB writes. Source: the six-job suite (with --mode asap).
# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
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
# The generated IOs against the trace, before any edit: median of the seeds, worst seed.
# A ratio is profile / trace; the others are differences (_pp: in percentage points).
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
split_levels = 6
# Most IOs in one interval after each split.
peak_cap = 32 16 8 4 2 1
# Busiest moments: window.bin, share of each half around it.
pinned_bursts = 0.0:vuvvvv 1.0:vuvvvv 2.0:vuvvvv 3.0:vuvvvv 4.0:vuvvvv 5.0:vuvvvv 6.0:vuvvvv
        7.0:vuvvvv
# Splits from all in one half to even. neighbour: per mille to the busier side.
# windows of 160 ms and halves, by IOs
split.0 = 64:00000000000U
split.0.32 = 0 0 0 0 0 0 0 0 0 0 0 120
neighbour.0 = 500 500 500
split.1.8 = 0 0 0 0 0 0 0 0 0 0 0 504
split.1.16 = 0 0 0 0 0 0 0 0 0 0 0 248
neighbour.1 = 500 500 500
split.2.2 = 0 0 0 0 0 0 0 0 0 0 0 999
split.2.4 = 0 0 0 0 0 0 0 0 0 0 0 999
neighbour.2 = 500 500 500
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
# Gaps before a bin by its IOs.
entry_gap.1 = 22:1999
# Per mille of a bin from its first IO to its last, as gap.N.
gap_histogram = 22:1999
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.22 = 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196
        196 196 196 196 196 196 196 196 196 196 196 196 196

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 49152 49152 32768 49430 49194 32420 48940 48744 33308 49680 49176 32868 50008 49000
        32976 48408 49136 32624 47776 49456 32816 48936 48088 32408
# LRU stack distances of blocks; 0: new
distances = 0:9999

[stream 1]
# 100.00 % of the IOs
op = write
submitter = other
pattern = sequential
ios = 4096
phases = 192 192 128 192 192 128 192 192 128 192 192 128 192 192 128 192 192 128 192 192 128 192
        192 128
sizes = 1M:4096
next = 1:1999
reuse.32 = 0:1999
run_recency = 1999
aligned = 0 0 0 0 0 0 0 0 0 0 0 1
run_distance = 0:1
zones = 0:1
