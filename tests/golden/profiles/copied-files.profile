# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
[profile]
version = 1
ios = 10281
# 2.58 s
duration_ns = 2575717423
device_bytes = 2147483648
# addresses lie in 1.0 GiB
first_sector = 0
end_sector = 2133944
block_offset_sectors = 0
phases = 24
seed = 1

[error]
# The generated IOs against the trace, before any edit: median of the seeds, worst seed.
# A ratio is profile / trace; the others are differences (_pp: in percentage points).
seeds = 2
ios_ratio = 1.0000 1.0000
read_ios_delta_pp = 0.0000 0.0000
bytes_ratio = 0.9999 0.9999
size_tvd = 0.0007 0.0007
gap_ks = 0.0100 0.0126
idc_ratio.10ms = 0.9930 0.9930
idc_ratio.1s = 1.0000 1.0000
peak_10ms_ratio = 0.9347 0.9347
mrc_mae = 0.0005 0.0116
sequential_delta_pp = -0.0292 -0.0292
footprint_ratio = 0.9673 0.9673
busy_reads_delta_pp = 0.0000 0.0000
bytes_idc_ratio = 5.7997 8.2688

[arrival]
# IOs in each of 80 windows of 32.2 ms
windows = 313 145 134 198 8 93 5 8 8 18 217 199 200 266 217 317 118 98 272 213 22 378 57 168 407
        258 54 227 15 2 2 23 266 3 2 177 2 20 260 7 9 130 121 11 181 16 193 7 7 7 66 162 97 83
        89 4 257 537 208 267 162 298 198 358 364 281 275 205 18 7 40 14 35 34 30 22 28 22 19 22
# Reads in each window.
reads = 313 145 134 198 8 93 5 8 8 18 217 199 200 266 217 317 118 98 272 213 22 378 57 168 407
        258 54 227 15 2 2 23 266 3 2 177 2 20 260 7 9 130 121 11 181 16 193 7 7 7 66 162 97 83
        89 4 257 537 208 267 162 298 198 358 364 281 275 197 0 0 0 0 0 0 0 0 0 0 0 0
# Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase.
size_class.1 = 8192 250 7 17 229 169 131 196 182 124 146 85 147 131 196 11 202 91 290 332 385 80
        0 0 0
size_class.2 = 32768 49 1 5 41 29 19 42 34 28 35 20 36 34 46 1 50 24 60 81 73 12 0 0 0
size_class.3 = 524288 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20 43 37 11
size_class.4 = 1048576 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 11 6 3
# How they split.
class2_split.2.2 = 16 0 0 0 0 0 0 0 16
class2_split.4.1 = 27 3 0 0 16 0 1 6 46
class2_split.4.2 = 22 0 0 0 23 0 2 2 18
class2_split.4.3 = 2
class2_split.16.0 = 4 1 0 0 7 0 0 0 18
class2_split.16.1 = 7 5 4 6 24 4 10 17 22
class2_split.16.2 = 7 5 7 0 12 1 7 2 4
class2_split.64.0 = 0 2 4 4 6 0 1 4 7
class2_split.64.1 = 2 5 4 17 24 15 13 10 10
class2_split.64.2 = 7 1 8 3 7 7 5 1 3
class2_split.256.0 = 0 0 1
class2_split.256.1 = 0 0 5 4 1 3 2 2
class2_split.256.2 = 0 0 0 1 0 1
split_levels = 4
# Most IOs in one interval after each split.
peak_cap = 347 272 150 83
# Busiest moments: window, bin, IOs around it after each split.
pinned_bursts = 15.4:UVvv.UVvv 19.0:ZYzz.ZYzz 24.1:sSEv.sSEv 38.5:NHRv.NHRv 46.1:ZWvz.ZWvz
        57.15:DAFw.DAFw 62.3:WPCL.WPCL 67.6:XIMF.ZINF
# Splits from all in one half to even. neighbour: per mille to the busier side.
# others: windows of 32.2 ms and halves, by IOs
split.o.0.4 = 0 0 0 0 1
split.o.0.8 = 1 0 0 1
split.o.0.16 = 0 0 1 1 3 0 2
split.o.0.32 = 0 0 0 0 2 0 1
neighbour.o.0 = 600 285 357 714 454 500 500 500 363
split.o.1.2 = 2
split.o.1.3 = 2
split.o.1.4 = 1 0 0 0 0 1
split.o.1.8 = 0 0 1 0 6 3
split.o.1.16 = 0 1 0 0 4 2 1 1
neighbour.o.1 = 500 285 571 500 666 500 666 764 428
split.o.2.2 = 3 0 0 0 0 0 0 0 0 0 0 1
split.o.2.3 = 7 0 0 0 1
split.o.2.4 = 6 0 0 1 0 3 0 0 0 0 0 4
split.o.2.8 = 5 0 0 2 6 1 1
split.o.2.16 = 1 0 0 1
split.o.3.2 = 9
split.o.3.3 = 22 0 0 0 2
split.o.3.4 = 10 0 0 0 2 1 0 0 0 0 0 1
split.o.3.8 = 5 0 2 4 0 1
split.o.3.16 = 1
# reads: windows of 32.2 ms and halves, by IOs
split.r.0.2 = 29 0 0 0 0 0 0 0 0 0 0 24
split.r.0.3 = 1 0 0 0 3
split.r.0.4 = 6 0 0 7 3 2 0 0 0 0 0 4
split.r.0.8 = 0 0 2 0 2 1 0 0 0 0 0 1
split.r.0.16 = 0 0 1 1 1 2
split.r.0.32 = 0 1 0 0 0 1
split.r.0.64 = 0 1 3 2 1 1
split.r.0.128 = 1 7 1 2 5 2 1
split.r.0.256 = 0 0 1 3 4 4 2 1 0 0 0 1
split.r.0.512 = 0 0 0 0 1
neighbour.r.0 = 578 480 535 588 644 560 473 546 727
split.r.1.8 = 7 0 3 4 4 2 1 0 0 0 0 2
split.r.1.16 = 2 1 1 1 2
split.r.1.32 = 5 3 2
split.r.1.64 = 0 10 1 5 5 2 1 0 0 0 0 1
split.r.1.128 = 1 2 1 1 10 5 8 5 1 1
split.r.1.256 = 0 1 0 0 0 1
neighbour.r.1 = 529 470 629 428 676 708 714 583 816
split.r.2.3 = 15 0 0 0 4
split.r.2.4 = 31 0 0 12 6 3 0 0 0 0 0 2
split.r.2.16 = 3 6 5 1 0 0 2
split.r.2.32 = 10 9 1 8 3 3 1
split.r.2.64 = 5 8 10 12 9 8 5 4 1
split.r.2.128 = 0 0 0 5 2 2 0 0 0 0 0 1
split.r.2.256 = 0 0 0 0 0 0 0 0 1
split.r.3.8 = 25 0 3 1 3 2 0 0 0 0 0 1
split.r.3.16 = 18 7 2 3 3 3 0 1
split.r.3.32 = 17 10 8 17 12 8 7 1 2
split.r.3.64 = 1 0 3 8 11 8 4 3 3 1 0 2
split.r.3.128 = 0 0 0 0 0 0 0 2 1 0 1
# Per mille: more reads in the half with more others.
read_write_correlation = 333 500
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.2 = 15:1 16:7 17:6 18:5 19:18 21:3
gap.3 = 13:1 14:3 15:10 16:38 17:26 18:17 19:41 20:4 21:4
gap.5 = 12:4 13:21 14:11 15:79 16:127 17:47 18:20 19:19 20:5 21:9
gap.9 = 12:2 13:9 14:8 15:308 16:388 17:71 18:12 19:16 20:2 21:10
gap.17 = 10:1 11:2 12:2 14:17 15:898 16:769 17:142 18:16 19:10 20:17 21:3
gap.33 = 13:1 14:18 15:1069 16:794 17:99 18:10 19:6 20:2
gap.65 = 14:13 15:893 16:190 17:11 18:1 19:1
# Gaps before a bin by its IOs.
entry_gap.1 = 15:1 17:1 18:2 19:1 20:3 21:21 22:37 23:48 24:29 25:8
entry_gap.2 = 18:1 19:5 20:4 21:4 22:15 23:5 24:5 25:1
entry_gap.3 = 15:2 16:5 18:2 19:3 20:1 21:9 22:21 23:13 24:7
entry_gap.5 = 15:5 16:2 17:1 18:2 19:5 20:3 21:5 22:21 23:9 24:7 25:2 26:1
entry_gap.9 = 15:3 16:11 17:4 18:1 19:2 20:3 21:12 22:21 23:11 24:3 25:2
entry_gap.17 = 15:16 16:17 17:6 18:1 19:3 20:4 21:15 22:15 23:5 24:2
entry_gap.33 = 15:30 16:35 17:14 18:1 19:5 20:6 21:9 22:13 23:3 24:1
entry_gap.65 = 15:9 16:3 17:1 21:1 22:1 23:1
gap_histogram = 10:1 11:1 12:2 13:6 14:20 15:993 16:721 17:116 18:21 19:28 20:11 21:20 22:28
        23:18 24:11 25:3 26:1
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.10 = 526 526
gap_within.11 = 55 904
gap_within.12 = 666 954
gap_within.13 = 30 1010
gap_within.14 = 0 1019
gap_within.15 = 2 98 138 167 193 221 255 280 312 339 364 397 432 465 501 534 562 592 623 650 678
        707 737 764 789 815 841 872 902 931 961 991 1023
gap_within.16 = 0 13 28 44 61 79 100 119 141 162 185 214 245 278 310 349 387 433 482 537 608 675
        780 889 1023
gap_within.17 = 1 95 215 415 1021
gap_within.18 = 2 1016
gap_within.19 = 1 1020
gap_within.20 = 21 1010
gap_within.21 = 3 1020
gap_within.22 = 28 1010
gap_within.23 = 4 986
gap_within.24 = 13 1017
gap_within.25 = 7 752
gap_within.26 = 8 8

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 2216 163 144 2187 1550 1317 1739 1732 951 1118 655 1141 1042 1487 73 1573 920 2714
        3014 2889 5229 11117 9010 6132
# LRU stack distances of blocks; 0: new
distances = 0:9998 64:1

[stream 1]
# 87.09 % of the IOs
op = read
flags = rahead
submitter = file
pattern = sequential
ios = 8954
phases = 727 96 34 830 624 548 579 629 189 227 138 223 206 302 17 313 324 957 964 860 167 0 0 0
sizes = 4096:4181 8192:1426 12288:837 16384:619 20480:357 24576:418 28672:189 32768:239
        36864:151 40960:171 45056:61 49152:123 53248:34 57344:32 61440:89 65536:27
next = 1:1857 2:129 4:8 5:1 6:4 9:1
reuse.1 = 0:1999
reuse.2 = 0:1999
reuse.4 = 0:1583
reuse.8 = 0:900
reuse.16 = 0:27
run_recency = 1841 149 8 1

[stream 2]
# 9.27 % of the IOs
op = read
flags = meta|prio
submitter = metadata
pattern = sequential
ios = 953
phases = 48 10 0 45 24 31 41 87 53 65 42 62 62 85 4 91 24 50 44 56 29 0 0 0
sizes = 4096:953
next = 1:593 2:349 4:4 6:1 9:5 11:1
reuse.1 = 0:953
run_recency = 353 513 61 22 4

[stream 3]
# 2.35 % of the IOs
op = write
submitter = writeback
pattern = sequential
ios = 242
phases = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 32 111 74 25
sizes = 4096:24 8192:9 12288:5 16384:8 20480:3 24576:2 28672:3 32768:3 40960:2 45056:1 53248:3
        65536:1 69632:1 77824:2 86016:2 94208:1 98304:4 102400:1 110592:1 114688:1 126976:1
        131072:1 151552:1 155648:1 159744:1 163840:1 176128:1 184320:2 188416:2 192512:1
        196608:1 208896:2 217088:1 221184:1 229376:1 241664:1 249856:1 258048:1 262144:1
        278528:1 282624:1 286720:1 290816:1 294912:2 299008:1 303104:3 307200:1 311296:1
        319488:2 327680:1 331776:1 335872:1 352256:1 376832:1 385024:1 393216:1 409600:1
        446464:1 458752:1 466944:1 483328:1 495616:3 507904:1 516096:1 520192:1 524288:1
        528384:2 532480:1 536576:2 557056:1 569344:1 573440:3 581632:1 589824:1 602112:1
        606208:1 610304:1 618496:2 630784:1 634880:2 647168:2 655360:2 659456:1 663552:1
        667648:1 688128:7 696320:1 712704:2 724992:2 729088:1 741376:1 774144:1 782336:2
        794624:1 798720:3 811008:1 819200:1 831488:1 835584:2 839680:1 851968:3 856064:2
        872448:2 876544:1 880640:1 892928:2 901120:2 917504:1 925696:3 929792:2 937984:2
        954368:1 962560:1 987136:1 991232:1 999424:1 1003520:1 1015808:1 1019904:2 1024000:1
        1028096:3 1040384:2 1056768:2 1073152:4 1077248:5 1097728:3 1101824:2 1110016:4
next = 3:221 5:20 8:1
reuse.1 = 0:24
reuse.2 = 0:14
reuse.4 = 0:16
reuse.8 = 0:9
reuse.16 = 0:15
reuse.32 = 0:164
run_recency = 166 76

[stream 4]
# 0.41 % of the IOs
op = read
flags = rahead
submitter = file
pattern = random
ios = 42
phases = 5 0 0 2 3 2 2 2 1 2 1 1 2 3 0 3 1 3 5 3 1 0 0 0
sizes = 8192:8 12288:1 16384:5 20480:4 24576:4 28672:3 32768:4 36864:2 40960:5 53248:2 57344:2
        61440:1 65536:1
next = 1:40 2:2
reuse.2 = 0:9
reuse.4 = 0:16
reuse.8 = 0:16
reuse.16 = 0:1
run_recency = 38 4
aligned = 0 0 0 0 0 0 0 0 0 0 0 42
run_distance = 2:16 3:11 4:8 5:6 16:1
zones = 7:1 8:6 9:7 10:5 11:7 12:6 13:6 14:4

[stream 5]
# 0.20 % of the IOs
op = write
submitter = writeback
pattern = random
ios = 21
phases = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 12 6 2
sizes = 16384:1 20480:1 28672:1 32768:3 40960:3 53248:3 57344:1 65536:1 86016:1 106496:1
        110592:1 143360:1 155648:1 163840:1 851968:1
next = 3:21
reuse.4 = 0:3
reuse.8 = 0:10
reuse.16 = 0:4
reuse.32 = 0:4
run_recency = 20
aligned = 0 0 0 0 0 0 0 0 0 0 0 21
run_distance = 0:1 3:9 4:7 5:3 11:1
zones = 18:1 19:3 20:3 21:4 22:5 23:1 24:3 25:1

[stream 6]
# 0.18 % of the IOs
op = read
flags = rahead
submitter = metadata
pattern = random
ios = 19
phases = 2 0 0 2 1 1 2 1 1 0 0 1 1 0 0 1 1 2 2 1 0 0 0 0
sizes = 57344:1 122880:3 126976:14 131072:1
next = 2:18 9:1
reuse.8 = 0:1
reuse.16 = 0:17
reuse.32 = 0:1
run_recency = 1 0 1 16 1
aligned = 0 0 0 2 16 0 0 0 0 0 1
run_distance = 2:17 7:1 11:1
zones = 0:19

[stream 7]
# 0.13 % of the IOs
op = write
flags = sync|meta|idle
submitter = journal
pattern = sequential
ios = 13
phases = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 13
sizes = 8192:1 184320:1 524288:11
next = 7:11 12:2
reuse.2 = 0:1
reuse.32 = 0:12
run_recency = 13

[stream 8]
# 0.12 % of the IOs
op = write
flags = sync|meta|prio
submitter = metadata
pattern = random
ios = 12
phases = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 12
sizes = 4096:3 8192:3 16384:1 524288:5
next = 7:1 8:6 10:4
reuse.1 = 0:2 16:1
reuse.2 = 0:2 16:1
reuse.4 = 16:1
reuse.32 = 0:4 16:1
run_recency = 4 0 0 0 0 2
aligned = 0 0 0 4 5 0 0 0 0 0 0 3
run_distance = 0:2 5:1 11:1 13:1 16:1 29:1 31:1
zones = 0:2 2:1 7:1 14:1 18:1 62:1 63:1

[stream 9]
# 0.11 % of the IOs
op = read
flags = meta|prio
submitter = metadata
pattern = random
ios = 11
phases = 5 0 0 3 0 1 1 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0
sizes = 4096:11
next = 1:2 2:6 6:1 9:2
reuse.1 = 0:11
run_recency = 7 2 0 1
aligned = 0 0 0 6 3 1 0 1
run_distance = 0:1 3:3 4:1 5:1 6:1 11:1 19:1 21:1 30:1
zones = 0:2 2:9

[stream 10]
# 0.09 % of the IOs
op = write
flags = sync|meta|prio
submitter = metadata
pattern = sequential
ios = 9
phases = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9
sizes = 270336:1 442368:1 446464:1 520192:1 524288:5
next = 8:4 10:5
reuse.32 = 0:9
run_recency = 9

[stream 11]
# 0.03 % of the IOs
op = read
flags = meta|prio|rahead
submitter = metadata
pattern = random
ios = 3
phases = 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
sizes = 4096:2 12288:1
next = 9:1 11:2
reuse.1 = 0:2
reuse.2 = 0:1
run_recency = 1 1 1
aligned = 0 0 0 2 0 0 0 1
run_distance = 4:1 18:1 21:1
zones = 0:3

[stream 12]
# 0.02 % of the IOs
op = write
flags = sync|meta|fua|preflush|idle
submitter = journal
pattern = sequential
ios = 2
phases = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2
sizes = 4096:2
next = 7:1 8:1
reuse.1 = 0:2
run_recency = 2
