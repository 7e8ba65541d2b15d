# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
[profile]
version = 1
ios = 2000
# 200 ms
duration_ns = 199765418
device_bytes = 68719476736
# addresses lie in 63.9 GiB
first_sector = 2048
end_sector = 134089656
block_offset_sectors = 0
phases = 6
seed = 1

[error]
# The generated IOs against the trace, before any edit: median of the seeds, worst seed.
# A ratio is profile / trace; the others are differences (_pp: in percentage points).
seeds = 5
ios_ratio = 1.0000 1.0000
read_ios_delta_pp = 0.0000 0.0000
bytes_ratio = 1.0000 1.0000
size_tvd = 0.0000 0.0000
gap_ks = 0.0155 0.0230
idc_ratio.10ms = 1.1526 1.2958
peak_10ms_ratio = 0.9906 0.9906
mrc_mae = 0.0001 0.0003
sequential_delta_pp = 0.0000 -0.0500
footprint_ratio = 1.0017 1.0017

[arrival]
# IOs in each of 6 windows of 33.3 ms
windows = 336 335 325 330 337 337
split_levels = 2
# Most IOs in one interval after each split.
peak_cap = 171 89
# Busiest moments: window, bin, IOs around it after each split.
pinned_bursts = 0.1:vv 1.2:vw 2.2:uw 3.3:vv 4.1:ux 5.1:uv
# Splits from all in one half to even. neighbour: per mille to the busier side.
# windows of 33.3 ms and halves, by IOs
split.0.128 = 0 0 0 0 0 0 0 2 4 2 3 1
split.0.256 = 0 0 0 0 0 0 0 0 1 2 1 2
neighbour.0 = 647 666 333
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.65 = 16:328 17:1273 18:375
# Gaps before a bin by its IOs.
entry_gap.65 = 16:1 17:19 18:3
gap_histogram = 16:329 17:1292 18:378
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.16 = 540 587 625 685 721 765 803 833 870 925 978 1022
gap_within.17 = 0 31 66 94 131 170 208 242 270 300 326 362 400 432 457 480 522 547 584 613 641
        681 711 748 777 811 839 866 899 935 967 997 1023
gap_within.18 = 0 14 25 36 50 58 67 75 83 97 112 123 137 147

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 1288 1287 1191 1182 1271 1246
# LRU stack distances of blocks; 0: new
distances = 0:7465 50:13

[stream 1]
# 24.85 % of the IOs
op = write
flags = sync
submitter = writeback
pattern = random
ios = 497
phases = 93 82 95 79 77 71
sizes = 4096:121 8192:121 16384:134 32768:121
next = 1:52 3:239 5:102 6:104
reuse.1 = 0:121
reuse.2 = 0:120 13:1
reuse.4 = 0:133 13:1
reuse.8 = 0:121
run_recency = 158 2 1 4 9 18
aligned = 0 0 0 233 125 56 51 13 6 5 6 2
run_distance = 0:303 2:17 3:24 4:47 5:53 6:16 13:1 14:3 15:3 16:11 29:1 30:3 31:13
zones = 0:16 1:9 2:10 3:5 5:9 6:2 7:7 8:1 9:8 10:6 11:14 12:7 13:6 14:5 15:5 16:6 17:8 18:4 19:7
        20:4 21:13 22:7 23:3 24:7 25:10 26:8 27:4 28:4 29:1 30:4 31:4 32:6 33:18 34:6 35:4 36:11
        37:9 38:8 39:13 40:16 41:9 42:10 43:15 44:7 45:14 46:13 47:8 48:10 49:9 50:5 51:2 52:8
        53:17 54:7 55:8 56:13 57:7 58:17 59:7 60:6 61:6 62:1 63:1

[stream 2]
# 23.40 % of the IOs
op = read
submitter = file
pattern = sequential
ios = 468
phases = 70 79 72 80 80 87
sizes = 4096:118 8192:124 16384:114 32768:112
next = 1:154 2:145 3:51 4:95 5:22
reuse.1 = 0:117 13:1
reuse.2 = 0:124
reuse.4 = 0:114
reuse.8 = 0:112
run_recency = 468

[stream 3]
# 23.05 % of the IOs
op = read
submitter = file
pattern = random
ios = 461
phases = 80 71 80 78 69 83
sizes = 4096:120 8192:120 16384:116 32768:105
next = 1:142 2:156 3:54 4:88 5:21
reuse.1 = 0:119 13:1
reuse.2 = 0:119 13:1
reuse.4 = 0:116
reuse.8 = 0:105
run_recency = 148 2 1 2 6 11
aligned = 0 0 0 218 127 55 22 19 10 6 2 2
run_distance = 0:289 2:26 3:38 4:34 5:45 6:4 14:3 15:1 16:6 30:3 31:10
zones = 0:9 1:10 2:9 3:5 4:4 5:5 6:4 7:7 8:3 9:7 10:6 11:11 12:11 13:5 14:5 15:7 16:7 17:7 18:4
        19:8 20:3 21:12 22:8 24:8 25:9 26:4 27:6 28:3 29:1 30:5 31:7 32:6 33:12 34:6 35:2 36:9
        37:13 38:9 39:14 40:11 41:7 42:8 43:13 44:4 45:17 46:14 47:4 48:12 49:9 50:7 51:3 52:10
        53:11 54:11 55:10 56:9 57:4 58:6 59:2 60:8 61:5 63:3

[stream 4]
# 12.60 % of the IOs
op = read
flags = rahead
submitter = file
pattern = sequential
ios = 252
phases = 37 45 25 45 53 47
sizes = 4096:63 8192:70 16384:49 32768:70
next = 1:76 2:100 3:30 4:38 5:8
reuse.1 = 0:63
reuse.2 = 0:70
reuse.4 = 0:49
reuse.8 = 0:69 13:1
run_recency = 252

[stream 5]
# 9.80 % of the IOs
op = read
flags = rahead
submitter = file
pattern = random
ios = 196
phases = 37 31 27 34 39 28
sizes = 4096:42 8192:47 16384:66 32768:41
next = 1:61 2:67 3:21 4:31 5:16
reuse.1 = 0:42
reuse.2 = 0:46 13:1
reuse.4 = 0:66
reuse.8 = 0:41
run_recency = 60 0 0 1 5 6
aligned = 0 0 0 99 44 29 11 9 2 1 0 1
run_distance = 0:123 2:12 3:17 4:14 5:16 6:1 14:1 15:3 16:3 24:1 31:4
zones = 0:7 1:2 2:2 3:2 4:2 5:5 7:2 8:3 9:3 10:1 11:6 12:3 13:3 14:3 16:4 17:5 18:1 19:2 20:2
        21:7 22:2 23:4 24:4 25:1 26:4 27:2 28:2 30:2 31:1 32:1 33:7 34:1 35:5 36:2 37:2 38:1
        39:4 40:8 41:5 42:5 43:6 44:3 45:4 46:1 47:2 48:4 49:3 50:1 52:1 53:8 54:2 55:4 56:3
        57:4 58:9 59:3 60:1 61:2 62:5 63:1

[stream 6]
# 6.30 % of the IOs
op = write
flags = sync
submitter = writeback
pattern = sequential
ios = 126
phases = 19 27 26 14 19 21
sizes = 4096:28 8192:27 16384:27 32768:44
next = 1:11 3:66 5:27 6:22
reuse.1 = 0:28
reuse.2 = 0:27
reuse.4 = 0:27
reuse.8 = 0:44
run_recency = 126
