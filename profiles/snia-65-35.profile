# Random, 65 % reads, sizes 512 B to 1 MiB alike often, over 8 GiB. Source: one row of
# the matrix of the SNIA Solid State Storage Performance Test Specification.
# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
[profile]
version = 1
ios = 29935
# 60.00 s
duration_ns = 59998568912
device_bytes = 0
# addresses lie in 8.0 GiB
first_sector = 288
end_sector = 16777216
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
gap_ks = 0.0043 0.0052
idc_ratio.10ms = 1.0452 1.0539
idc_ratio.1s = 1.0116 1.0200
peak_10ms_ratio = 1.0000 1.2000
mrc_mae = 0.0008 0.0013
sequential_delta_pp = -0.0334 -0.0334
footprint_ratio = 0.9974 0.9972
busy_reads_delta_pp = 0.8325 1.8017
bytes_idc_ratio = 1.1197 1.6639

[arrival]
# IOs in each of 240 windows of 250 ms
windows = 126 121 122 133 121 144 118 135 126 120 135 132 122 143 125 140 133 131 138 140 124
        117 130 118 142 149 125 112 122 146 126 112 120 130 125 105 116 130 149 114 114 119 105
        109 113 126 149 120 134 129 113 124 112 118 133 128 119 117 122 117 123 121 110 140 151
        126 136 145 133 110 111 143 111 116 117 113 131 121 132 123 128 107 135 137 122 143 131
        117 130 110 131 138 126 127 118 123 125 118 126 120 117 113 106 130 109 113 122 112 106
        144 121 99 113 118 128 119 119 122 127 109 117 120 123 124 125 123 126 132 130 112 130
        128 113 163 110 125 115 121 119 118 132 132 128 133 110 125 134 131 117 114 128 138 122
        150 137 136 118 144 129 146 117 111 133 141 112 118 120 134 124 119 125 106 137 128 135
        119 115 135 145 116 126 129 120 110 125 120 117 125 148 141 156 108 135 134 107 129 133
        129 107 117 129 105 118 116 123 125 105 124 142 118 106 131 124 127 131 125 114 135 138
        124 131 103 137 119 134 107 120 110 114 129 113 120 140 128 123 121 99 134 166 133
# Reads in each window.
reads = 87 61 83 88 85 91 76 88 89 83 84 85 79 105 83 102 88 89 84 96 81 77 82 79 90 92 86 67 83
        103 92 83 81 87 82 72 81 86 96 83 74 79 66 71 65 84 88 82 90 81 69 81 80 81 73 82 85 76
        86 70 72 88 72 93 89 78 85 95 83 70 71 87 75 79 75 75 74 79 88 90 82 74 77 89 83 97 86
        80 93 77 80 85 73 85 75 81 85 80 81 74 76 86 61 92 72 72 91 78 78 84 79 64 82 69 82 79
        72 77 75 69 77 70 83 79 84 81 84 92 84 81 79 93 74 106 75 84 73 73 76 75 88 92 77 85 74
        84 93 85 76 75 71 101 81 98 86 103 88 103 88 98 71 66 84 95 70 90 77 92 80 72 83 73 92
        96 85 72 71 91 93 69 79 80 75 70 77 86 80 75 102 89 103 75 80 95 70 84 89 81 71 82 83 75
        71 76 82 70 65 78 91 82 56 74 78 83 81 83 63 84 91 85 79 67 94 74 84 71 73 77 66 83 75
        76 96 75 76 72 56 84 108 90
# Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase.
# class_cap: largest share of a bin of 8, 16 ... 128 IOs, per mille.
size_class.1 = 524288 101 120 102 111 90 95 97 107 98 90 102 92 100 104 110 104 103 110 99 99
        106 100 92 103
class_cap.1 = 242 242 283 107 107
size_class.3 = 524288 50 54 57 45 59 60 64 62 47 56 40 55 48 58 62 55 43 60 42 46 60 58 42 54
class_cap.3 = 400 400 282 282 282
# Splits of IOs above one size and above both.
class1_split.16 = 0:8c00C05oe 1:1bc5E4Gs2
class1_split.64 = 0:09wuYzHs5 1:04mYVZOn
class1_split.256 = 0:000ani4 1:0019kj5
split_levels = 1
# Most IOs in one interval after each split.
peak_cap = 92
# Busiest moments: window.bin, share of each half around it, of its reads, above the sizes.
pinned_bursts = 25.1:z.B.804 46.1:x.z.90i 85.1:z.x.406 133.0:v.x.50c 151.1:A.B.9 155.0:C.D.606
        159.1:z.y.20d 238.0:y.v.705
# Splits from all in one half to even. neighbour: per mille to the busier side.
# others: windows of 250 ms and halves, by IOs
split.o.0 = 16:00002422 32:0000jZXll00c
neighbour.o.0 = 543 598 480 120 464 500 500 500 500
# reads: windows of 250 ms and halves, by IOs
split.r.0 = 32:00001121 64:00003EZOmg07
neighbour.r.0 = 503 542 333 281 253 500 500 500 500
# Per mille: more reads in the half with more others.
read_write_correlation = 509
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.33 = 8:1 1 1 1 3 5 8 14 32 58 109 202 329 470 483 244 38 1
gap.65 = 7:1 1 1 1 1 3 3 10 17 35 68 138 240 382 493 425 166 17
# Gaps before a bin by its IOs.
entry_gap.33 = 17:1 1 4 15 48 97 94 25 1
entry_gap.65 = 17:1 1 5 11 36 71 51 17
# Per mille of a bin from its first IO to its last, as gap.N.
bin_span_permille = 0 0 0 0 0 964 970
gap_histogram = 7:1 1 1 1 1 3 4 9 15 33 62 120 216 349 479 461 215 31 1
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.7 = 800 848
gap_within.8 = 552 800
gap_within.9 = 164 892
gap_within.10 = 10 928
gap_within.11 = 12 1009
gap_within.12 = 6 1010
gap_within.13 = 90 1007
gap_within.14 = 12 1015
gap_within.15 = 3 1008
gap_within.16 = 1 531 1016
gap_within.17 = 0 503 1023
gap_within.18 = 0 241 492 754 1023
gap_within.19 = 0 140 282 428 575 728 873 1023
gap_within.20 = 0 70 142 224 301 385 476 557 646 739 825 928 1023
gap_within.21 = 0 50 97 151 202 262 317 378 439 504 566 630 704 777 855 936 1023
gap_within.22 = 0 43 90 138 188 237 291 348 410 477 552 633 715 804 906 1023
gap_within.23 = 0 62 141 222 327 464 671 1022
gap_within.24 = 0 950
gap_within.25 = 11 409

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 48032 52378 48234 46966 45000 40718 44704 45132 39264 35892 35908 36264 35680 36816
        34968 35600 33312 33984 30528 30032 29128 30152 26480 29600
new_written_permille = 343 326 359 287 383 393 408 354 345 392 273 347 319 390 358 362 308 355
        309 356 359 368 321 321
# LRU stack distances of blocks; 0: new
distances = 0:7626 25:1 0 1 30:1 0 1 1 1 1 1 2 1 1 1 1 2 1 1 2 1 6 1 1 9 2 5 8 12 14 5 22 16 20
        15 27 40 38 33 78 77 67 65 143 128 130 129 250 208 169 177 271 155 43

[stream 1]
# 65.23 % of the IOs
op = read
submitter = other
pattern = random
ios = 19526
phases = 831 895 840 843 780 783 825 793 838 799 790 748 815 808 829 917 797 825 813 830 773 778
        768 808
sizes = 512:2423 4K:2506 8K:2424 16K:2418 32K:2446 64K:2393 128K:2481 1M:2435
next = 1:1306 693
reuse.1 = 0:1572 11:2 3 1 9 21 38 54 85 120 94
reuse.2 = 0:1517 13:2 2 14 33 65 105 173 88
reuse.4 = 0:1529 10:2 0 10 0 6 15 31 39 99 191 79
reuse.8 = 0:1525 11:2 0 6 4 19 37 44 108 131 124
reuse.16 = 0:1571 7:1 14:10 16 16 60 98 127 100
reuse.32 = 0:1488 10:1 1 3 3 5 19 39 45 101 198 96
read_after_write_permille = 0 0 1000 205 409 331
block_end_permille = 130
run_recency = 62 42 135 259 477 1024
aligned = 125 62 31 145 197 224 237 235 251 119 64 309
run_distance = 0:724 6:1 2 1 3 9 11 34 63 103 168 249 20:1 1 5 1 8 8 22 25 62 95 155 250
zones = 0>zrDrpvryuwwvxyAqyAvyFtvxvsCCwtywyqqoqvqptrwswuzvwDqoyvuxqHxtywsx

[stream 2]
# 34.77 % of the IOs
op = write
submitter = other
pattern = random
ios = 10409
phases = 435 444 445 384 438 420 470 425 422 453 382 427 417 434 427 431 432 436 448 425 432 477
        436 469
sizes = 512:1315 4K:1367 8K:1279 16K:1275 32K:1352 64K:1262 128K:1282 1M:1277
next = 1:1300 699
reuse.1 = 0:1482 13:7 1 10 24 86 136 156 98
reuse.2 = 0:1031 10:4 0 1 3 2 13 34 32 52 128 64
reuse.4 = 0:996 14:5 8 23 51 66 80 80
reuse.8 = 0:1028 15:4 14 15 62 136 56
reuse.16 = 0:958 11:4 1 8 0 9 15 24 56 96 72
reuse.32 = 0:1542 9:3 0 1 3 0 3 18 28 44 112 174 71
read_after_write_permille = 0 0 1000 1000 777 631
block_end_permille = 120
run_recency = 66 67 123 243 508 992
aligned = 128 62 32 146 198 219 240 242 246 124 60 302
run_distance = 0:765 3:1 1 6:1 1 3 4 10 13 16 51 110 192 220 20:1 1 2 1 4 4 15 36 50 104 160 236
zones = 0>tyrtACpsxjumtqCpAoyyxxprysFqoGspEutuvCxqpsxEvxzKrEoEwrwivFwvvwyB
