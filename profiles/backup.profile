# A full backup: one stream of 1 MiB reads over 16 GiB at 400 MiB/s. Source: by definition.
# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
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
# The generated IOs against the trace, before any edit: median of the seeds, worst seed.
# A ratio is profile / trace; the others are differences (_pp: in percentage points).
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
split_levels = 2
# Most IOs in one interval after each split.
peak_cap = 35 18
# Busiest moments: window.bin, share of each half around it.
pinned_bursts = 0.0:vv 3.3:vv 7.2:vv 11.1:vv 15.0:vv 19.0:vv 22.3:vv 26.2:vv
# Splits from all in one half to even. neighbour: per mille to the busier side.
# windows of 171 ms and halves, by IOs
split.0.32 = 0 0 0 0 0 0 0 0 56 0 0 416
split.0.64 = 0 0 0 0 0 0 0 0 0 56 0 176
neighbour.0 = 496 333 333
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.17 = 22:1999
# Gaps before a bin by its IOs.
entry_gap.17 = 22:959
# Per mille of a bin from its first IO to its last, as gap.N.
bin_span_permille = 0 0 0 0 941
gap_histogram = 22:1999
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.22 = 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196 196
        196 196 196 196 196 196 196 196 196 196 196 196 196

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 175162 174054 175616 175176 173576 172880 172416 173376 174080 175024 174416 171184
        174448 176096 173024 172064 177280 171712 175200 171520 171424 175168 173600 174304
# LRU stack distances of blocks; 0: new
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
run_recency = 1999
aligned = 0 0 0 0 0 0 0 0 0 0 0 1
run_distance = 0:1
zones = 0:1
