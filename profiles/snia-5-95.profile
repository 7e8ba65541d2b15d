# Random, 5 % reads, sizes 512 B to 1 MiB alike often, over 8 GiB. Source: one row of
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
gap_ks = 0.0047 0.0058
idc_ratio.10ms = 1.0411 1.0598
idc_ratio.1s = 1.0156 1.0210
peak_10ms_ratio = 1.0667 1.1333
mrc_mae = 0.0009 0.0013
sequential_delta_pp = -0.0200 -0.0200
footprint_ratio = 0.9974 0.9944
busy_reads_delta_pp = -1.0821 -1.8249
bytes_idc_ratio = 1.2882 1.6251

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
reads = 6 5 7 10 4 9 9 6 5 7 6 6 9 13 8 6 6 9 6 12 9 3 6 8 6 8 5 2 1 8 4 5 6 4 3 3 6 1 13 6 8 7
        7 1 6 3 6 9 8 6 6 10 7 7 4 6 11 5 6 4 9 6 6 7 11 8 12 5 8 7 5 9 8 7 12 2 6 3 12 6 5 4 3
        8 2 3 7 7 8 6 5 11 5 8 2 5 7 8 6 4 9 8 2 8 3 5 8 6 4 7 6 6 9 4 5 3 7 4 7 8 13 5 6 5 5 7
        6 8 6 9 4 8 2 8 3 6 5 6 3 5 11 6 5 2 3 6 10 5 5 2 6 8 9 5 5 6 5 7 6 14 5 5 5 9 9 4 11 3
        6 6 5 4 11 6 4 6 3 11 8 4 2 8 8 3 7 7 7 7 7 8 7 8 4 6 8 5 8 4 4 4 9 5 6 9 7 3 6 13 6 6 7
        10 5 9 8 8 5 11 5 5 8 6 13 5 10 6 5 5 4 4 8 3 11 0 4 6 4 4 9 5
# Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase.
# class_cap: largest share of a bin of 8, 16 ... 128 IOs, per mille.
size_class.1 = 524288 7 9 5 8 4 12 7 14 5 6 6 6 12 3 3 9 8 7 3 8 8 9 5 3
class_cap.1 = 250 250 250 250 250
size_class.3 = 524288 144 165 154 148 145 143 154 155 140 140 136 141 136 159 169 150 138 163
        138 137 158 149 129 154
class_cap.3 = 255 255 255 228 228
# Splits of IOs above one size and above both.
class1_split.2 = 2:000000005
class1_split.4 = 1:s100l001Z 2:110040023
class1_split.16 = 0:9200d022c 1:3520m02hf
class1_split.64 = 0:01ciBAqc2 1:01guMSA7
class1_split.256 = 0:000dkm3 1:000cup6
split_levels = 1
# Most IOs in one interval after each split.
peak_cap = 92
# Busiest moments: window.bin, share of each half around it, of its reads, above the sizes.
pinned_bursts = 25.1:z.v.007 46.1:x..00c 85.1:z..004 133.0:v.v.008 151.1:A.R.006 155.0:C.P.006
        159.1:z.z.006 238.0:y.y.006
# Splits from all in one half to even. neighbour: per mille to the busier side.
# others: windows of 250 ms and halves, by IOs
split.o.0 = 64:00000vZOhe0a 128:000004bc7131
neighbour.o.0 = 480 542 333 500 500 500 500 500 500
# reads: windows of 250 ms and halves, by IOs
split.r.0 = 2:700000000002 3:2000e 4:500qGw00000t 8:0008ikh00006
neighbour.r.0 = 333 431 405 666 432 500 500 467 500
# Per mille: more reads in the half with more others.
read_write_correlation = 526
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
new_written_permille = 950 943 965 951 969 915 956 914 963 967 948 958 907 976 989 964 943 964
        966 940 942 948 957 970
# LRU stack distances of blocks; 0: new
distances = 0:7626 25:1 0 1 30:1 0 1 1 1 1 1 2 1 1 1 1 2 1 1 2 1 6 1 1 9 2 5 8 12 14 5 22 16 20
        15 27 40 38 33 78 77 67 65 143 128 130 129 250 208 169 177 271 155 43

[stream 1]
# 94.92 % of the IOs
op = write
submitter = other
pattern = random
ios = 28414
phases = 1198 1258 1229 1176 1157 1137 1216 1148 1207 1191 1112 1116 1162 1192 1201 1277 1166
        1199 1197 1197 1135 1182 1138 1223
sizes = 512:3542 4K:3674 8K:3528 16K:3481 32K:3617 64K:3449 128K:3578 1M:3545
next = 1:1899 100
reuse.1 = 0:1541 11:1 2 3 4 18 31 66 108 129 96
reuse.2 = 0:1516 10:2 0 1 3 2 17 40 59 86 179 95
reuse.4 = 0:1522 10:1 0 7 0 7 15 31 53 98 170 95
reuse.8 = 0:1536 11:1 0 4 3 10 32 39 97 159 118
reuse.16 = 0:1569 11:2 1 5 2 10 20 52 94 140 105
reuse.32 = 0:1506 9:1 1 1 3 2 5 19 37 46 106 191 82
read_after_write_permille = 0 0 0 0 57 54
block_end_permille = 127
run_recency = 60 54 127 245 523 989
aligned = 125 62 32 146 197 220 238 238 249 121 62 308
run_distance = 0:754 3:1 1 6:1 1 1 4 8 13 24 60 93 180 231 20:1 1 2 1 6 8 19 30 57 97 167 240
zones = 0>utwtuxrxvsuswvCqyvxyCvtwvtBytzxtBsrptxsprrwvwtyAuFouyuvrqGytxwvA

[stream 2]
# 5.08 % of the IOs
op = read
submitter = other
pattern = random
ios = 1521
phases = 68 81 56 51 61 66 79 70 53 61 60 59 70 50 55 71 63 62 64 58 70 73 66 54
sizes = 512:196 4K:199 8K:175 16K:212 32K:181 64K:206 128K:185 1M:167
next = 1:1426 95
reuse.1 = 0:279 13:2 8 0 14 8 4 36 16
reuse.2 = 0:136 16:2 4 24 16
reuse.4 = 0:165 16:6 4 12 12 8
reuse.8 = 0:191 15:9 2 0 24 16
reuse.16 = 0:201 7:1 14:8 12 0 9 16 12 16
reuse.32 = 0:256 15:2 2 2 14 28 32
read_after_write_permille = 0 0 1000 0 1000 973
block_end_permille = 122
run_recency = 27 53 39 96 243 316
aligned = 112 45 16 95 154 190 187 175 189 93 53 212
run_distance = 0:454 8:1 0 12 16 16 43 83 90 206 22:8 0 4 1 7 11 30 51 88 107
zones = 0>UpV16j7aiayfij8aongpqeg7s6Eho97p6alr7lnlkffnjFxrh6mj6aapFqavgk6e
