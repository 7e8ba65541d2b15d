# A mail server: half reads, half deliveries of 16 KiB on average with a journal.
# Source: the shape of Filebench's varmail; rate and spool by assumption.
# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
[profile]
version = 1
ios = 13566
# 60.00 s
duration_ns = 59998483113
device_bytes = 0
# addresses lie in 8.0 GiB
first_sector = 1728
end_sector = 16848960
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
gap_ks = 0.0156 0.0175
idc_ratio.10ms = 0.9878 0.9837
idc_ratio.1s = 0.9098 0.7692
peak_10ms_ratio = 1.0833 1.1667
mrc_mae = 0.0005 0.0007
sequential_delta_pp = 0.0000 0.0000
footprint_ratio = 1.0031 1.0039
busy_reads_delta_pp = 0.9006 2.3903
bytes_idc_ratio = 2.2085 2.9929

[arrival]
# IOs in each of 211 windows of 284 ms
windows = 64 42 55 61 77 60 64 57 61 59 58 78 68 54 49 82 73 61 44 78 65 53 77 59 57 68 51 83 50
        57 72 65 48 78 71 76 84 54 45 64 76 53 74 59 64 52 94 61 60 68 43 72 68 54 57 69 70 51
        60 72 61 73 56 66 64 66 75 89 65 64 51 85 70 74 72 54 81 53 59 64 58 50 60 59 60 68 79
        83 54 64 85 57 53 72 62 66 65 70 54 56 72 67 63 47 58 65 65 65 48 74 72 69 64 59 61 70
        62 55 61 58 69 57 75 58 56 52 59 66 87 65 77 66 78 62 75 68 72 72 52 76 56 70 74 46 56
        70 70 72 61 53 62 67 43 58 65 54 68 54 63 54 65 55 61 91 80 84 50 61 63 70 69 71 66 58
        76 63 61 59 79 66 56 58 71 67 60 65 49 62 63 55 75 76 60 58 68 64 58 68 63 72 60 62 88
        59 69 60 59 61 60 64 79
# Reads in each window.
reads = 24 22 15 19 19 16 24 13 17 19 20 26 24 20 15 22 25 15 20 26 19 17 25 25 19 26 17 29 18
        23 30 15 10 24 19 20 26 20 9 18 24 13 22 29 16 16 32 21 24 20 21 24 26 24 19 33 22 17 14
        30 23 23 18 20 20 20 23 37 23 22 17 31 22 24 22 20 31 19 31 18 18 16 18 27 20 24 17 31
        22 20 23 29 21 26 20 16 17 26 18 20 20 21 13 19 16 27 25 21 16 30 22 13 22 17 15 22 20
        17 21 18 25 31 7 24 18 18 23 16 29 13 25 16 28 20 25 24 24 26 18 32 18 20 22 16 20 24 28
        18 19 13 34 33 17 20 23 22 20 20 17 20 19 21 23 27 20 28 22 25 23 30 29 21 28 18 22 29
        19 23 23 28 32 18 23 25 18 19 17 14 19 19 21 30 20 20 30 22 20 30 27 20 30 26 20 23 25
        30 19 19 22 22 29
# Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase.
# class_cap: largest share of a bin of 8, 16 ... 128 IOs, per mille.
size_class.1 = 16384 49 58 67 53 44 55 69 46 69 54 54 52 60 59 54 66 55 62 61 69 57 67 67 69
size_class.2 = 32768 26 20 23 16 18 19 28 18 22 17 24 26 24 19 13 22 18 25 21 23 19 26 20 29
size_class.3 = 8192 99 86 97 99 74 100 87 101 106 82 98 90 94 96 100 93 90 92 102 85 84 94 89 85
class_cap.3 = 400 400 400 400 400
size_class.4 = 16384 61 53 56 59 49 62 63 64 57 49 66 53 55 61 62 58 55 50 72 53 53 53 48 50
class_cap.4 = 375 375 375 375 375
# Splits of IOs above one size and above both.
class1_split.2 = 2:B0000000Z
class1_split.4 = 1:t100k003Z 2:D200Z01jL
class1_split.16 = 0:o310q01dZ 1:4784Z3qCq 2:002011
class1_split.64 = 0:135ac7se 1:008qGts8
class1_split.256 = 0:00103561 1:0002141
class2_split.2 = 2:L0000000Z
class2_split.4 = 1:y100l004Z 2:e100Z005g
class2_split.16 = 0:H110q01mZ 1:5671Z1eyi
class2_split.64 = 0:2186had62 1:049OBGsa
class2_split.256 = 1:0007c5
split_levels = 5
# Most IOs in one interval after each split.
peak_cap = 56 40 23 16 12
# Busiest moments: window.bin, share of each half around it, of its reads, above the sizes.
pinned_bursts = 15.1:DzFEL.xvF.f0hs 25.0:xEFRM.vs.e0i 71.8:BJvzT.BDp.d0ii 85.14:BBIyZ.CBr.o0g
        104.19:HJLEF.yF.e0jN 127.2:tHIGT.rQF.00i 130.9:tJwIZ.wGr.j0f 208.19:JAJGU.xv.k0he
# Splits from all in one half to even. neighbour: per mille to the busier side.
# others: windows of 284 ms and halves, by IOs
split.o.0 = 16:000156300001 32:0004zZsA000h 64:000010010001
neighbour.o.0 = 538 459 445 532 497 496 428 483 531
split.o.1 = 4:10002 8:400fhb00000a 16:102cZPK1000p 32:000063450002
neighbour.o.1 = 407 496 485 542 483 510 481 476 535
split.o.2 = 2:q 4:F000Z200000m 8:b01pZP20000u 16:103dIyi1000g
split.o.3 = 2:Z 3:40001 4:Z001T100000G 8:f00iZx20000C 16:000134210002
split.o.4 = 2:Z00000000001 3:c000g 4:Z002C300000V 8:a014Qr20000L
# reads: windows of 284 ms and halves, by IOs
split.r.0 = 4:000001 8:0000672 16:0001EPDx000g 32:000000232
neighbour.r.0 = 481 504 459 549 511 538 295 495 396
split.r.1 = 3:10001 4:500cjl000007 8:104fZJL0000f 16:0000ad650006
neighbour.r.1 = 443 496 466 424 451 577 434 475 433
split.r.2 = 2:x0000000000h 3:j000Z 4:b00uZU00000C 8:003dKIy0000h
split.r.3 = 2:Z0000000000U 3:j000Z 4:e00kZw00000G 8:001224
split.r.4 = 2:Q0000000000Z 3:k000Z 4:c00aZa00000Q 8:000001
# Per mille: more reads in the half with more others.
read_write_correlation = 509 507
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.2 = 13:1 1 2 4 6 1119 13 42 97 122 123 4
gap.3 = 9:1 12:2 2 4 7 23 32 968 66 127 232 312 222 2
gap.5 = 8:1 1 12:1 5 9 17 42 70 934 111 169 264 283 94
gap.9 = 14:4 0 5 10 72 7 22 21 14 2
# By the octave of the previous gap, or above it.
gap_after.0 = 8:1 12:2 5 15 23 62 108 299 168 309 460 602 362 3
gap_after.19 = 13:3 2 5 11 21 1026 36 58 99 147 79 1
gap_after.22 = 12:1 1 3 7 11 13 855 21 59 123 99 58
gap_after.23 = 9:2 13:1 2 5 13 15 1068 46 65 132 156 93 3
gap_after.24 = 12:1 1 1 0 9 22 850 34 54 107 110 76
gap_after.25 = 14:2 1 9 4 361 7 17 40 50 28 1
# Gaps before a bin by its IOs.
entry_gap.1 = 18:37 3 8 22 115 329 516 183 16
entry_gap.2 = 16:1 0 11 0 13 31 156 485 600 223 14
entry_gap.3 = 18:37 6 28 102 225 536 460 202 16
entry_gap.5 = 15:1 18:18 6 12 32 117 183 197 59 3
entry_gap.9 = 18>110144511
# Per mille of a bin from its first IO to its last, as gap.N.
bin_span_permille = 111 393 559 725
gap_histogram = 8:1 1 12:1 2 4 6 17 27 672 48 92 169 262 329 263 98 7
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.8 = 184 184
gap_within.9 = 352 440
gap_within.12 = 276 985
gap_within.13 = 45 641
gap_within.14 = 99 1007
gap_within.15 = 5 1018
gap_within.16 = 2 1020
gap_within.17 = 1 996
gap_within.18 = 5 538 538 538 538 538 538 538 538 538 538 538 538 538 538 538 538 538 538 538
        538 538 1010
gap_within.19 = 5 490 1022
gap_within.20 = 2 318 658 1020
gap_within.21 = 1 154 327 493 662 853 1023
gap_within.22 = 0 107 211 313 427 546 648 772 891 1023
gap_within.23 = 0 62 141 227 295 383 476 567 669 779 889 1021
gap_within.24 = 0 63 137 218 303 411 524 669 828 1023
gap_within.25 = 0 99 242 486 1022
gap_within.26 = 4 816

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 1796 1744 1877 1818 1560 1832 1889 1843 1941 1621 1912 1758 1856 1783 1719 1998
        1769 1746 1985 1730 1726 1791 1860 1786
new_written_permille = 631 614 576 628 610 618 553 627 579 600 609 613 593 597 652 579 611 551
        616 567 582 582 547 530
# LRU stack distances of blocks; 0: new
distances = 0:9927 25:1 39:1 0 3 0 1 0 3 1 1 2 6 4 4 3 3 6 5 5 6 7 7 3 2

[stream 1]
# 33.89 % of the IOs
op = read
submitter = other
pattern = random
ios = 4598
phases = 169 186 194 188 161 200 205 200 218 171 194 180 181 185 158 215 180 206 205 200 209 179
        225 189
sizes = 4K:1673 8K:605 12K:521 16K:383 20K:308 24K:242 28K:202 32K:148 36K:111 40K:84 44K:80
        48K:47 52K:47 56K:29 60K:26 64K:92
next = 1:990 974 34
reuse.1 = 0:1651 12:4 4 5 8 1
reuse.2 = 0:1117 11:1 0 2 3 2 1
reuse.4 = 0:1117 11:1 1 6 6 4
reuse.8 = 0:567 14:1 4
reuse.16 = 0:92
read_after_write_permille = 0 0 0 1000 511 500
run_recency = 65 63 133 241 527 971
aligned = 0 0 0 0 0 1005 502 245 128 51 31 37
run_distance = 0:746 5:1 7:1 3 6 8 19 28 56 110 157 237 21:1 1 1 5 9 12 33 59 105 178 225
zones = 0>oxrBwtEyqBtvvBnwxouoDtBszswstuqAByruuBxwuzDqqquywxAuswBAsstzzrut

[stream 2]
# 33.06 % of the IOs
op = write
submitter = other
pattern = random
ios = 4485
phases = 187 198 179 206 174 191 181 198 197 173 192 186 198 190 185 198 196 164 198 168 184 192
        189 161
sizes = 4K:1621 8K:641 12K:504 16K:357 20K:288 24K:257 28K:186 32K:156 36K:115 40K:77 44K:72
        48K:42 52K:45 56K:36 60K:16 64K:72
next = 1:35 27 1937
reuse.1 = 0:1599 12:2 2 8 8 2
reuse.2 = 0:1131 10:1 1 0 3 4 4 1
reuse.4 = 0:1075 7:1 13:3 5 4
reuse.8 = 0:551 12:2 1 2 3
reuse.16 = 0:70 13:1 1
read_after_write_permille = 0 0 0 667 653 667
run_recency = 21 68 153 255 507 995
aligned = 0 0 0 0 0 1000 517 234 117 67 30 34
run_distance = 0:757 3:1 6:1 1 1 1 5 18 27 61 107 170 226 21:1 1 4 4 6 14 33 59 90 174 240
zones = 0>BuwstBzuvxqArwvtxAvwwwvuyspxrzqxwyststwtIvoqsuwyxzAyvwCsuuyvCvyg

[stream 3]
# 33.05 % of the IOs
op = write
submitter = other
pattern = sequential
ios = 4483
phases = 185 198 179 206 174 191 181 198 197 173 192 186 198 190 185 198 196 164 198 168 184 192
        189 161
sizes = 8K:4483
next = 1:999 974 26
reuse.2 = 0:1999
run_recency = 26 1947 26
