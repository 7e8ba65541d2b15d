# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
[profile]
version = 1
ios = 2000
# 200 ms
duration_ns = 199765418
# Unix time of the first IO
start_wall_ns = 1700000000000148483
device_bytes = 68719476736
# addresses lie in 63.9 GiB
first_sector = 2048
end_sector = 134089656
block_offset_sectors = 0
phases = 6
seed = 1

[error]
# The generated IOs against the trace, before any edit: median and worst of the seeds.
seeds = 5
ios_ratio = 1.0000 1.0000
read_ios_delta_pp = 0.0000 0.0000
bytes_ratio = 1.0000 1.0000
size_tvd = 0.0000 0.0000
gap_ks = 0.0245 0.0370
idc_ratio.10ms = 1.0000 1.1319
peak_10ms_ratio = 0.9906 0.9811
mrc_mae = 0.0001 0.0006
sequential_delta_pp = 0.0000 -0.0500
footprint_ratio = 0.9995 0.9969
busy_reads_delta_pp = 0.3001 0.5423
op_tvd = 0.0000 0.0000
read_mrc_mae = 0.0001 0.0009
write_mrc_mae = 0.0000 0.0008
read_footprint_ratio = 1.0000 0.9959
write_footprint_ratio = 1.0000 0.9992
run_ks = 0.1055 0.1150
zones_tvd = 0.1700 0.2065
dependent_delta_pp = 2.6000 2.6500
depth_ks = 0.0185 0.0240
think_shift = 0.1036 0.1123
latency_shift = 0.0285 0.0296

[arrival]
# IOs in each of 6 windows of 33.3 ms
windows = 336 335 325 330 337 337
# Reads in each window.
reads = 224 226 204 237 241 245
# Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase.
size_class.1 = 8192 117 112 100 113 113 118
size_class.2 = 16384 60 53 39 52 65 59
size_class.3 = 16384 29 33 32 22 27 22
sizes_check = 2430242143
# Splits of IOs above one size and above both.
split_levels = 4
# Most IOs in one interval after each split.
peak_cap = 171 89 47 28
# Splits from all in one half to even. neighbour: per mille to the busier side.
# windows of 33.3 ms and halves, by IOs
split.0 = 256:000000001212
neighbour.0 = 660 666 315 500 500 500 500 500 500
split.1 = 128:000000024231
neighbour.1 = 534 450 500 500 500 500 500 500 500
split.2 = 64:000000454704
split.3 = 32:0000017ek006
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.17 = 16:320 1233 351
# Gaps before a bin by its IOs.
entry_gap.17 = 16>9Xr
gap_histogram = 16:329 1292 378
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.16 = 540 587 625 685 721 765 803 833 870 925 978 1022
gap_within.17 = 0 31 66 94 131 170 208 242 270 300 326 362 400 432 457 480 522 547 584 613 641
        681 711 748 777 811 839 866 899 935 967 997 1023
gap_within.18 = 0 14 25 36 50 58 67 75 83 97 112 123 137 147

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 1288 1287 1191 1182 1271 1246
new_written_permille = 327 354 403 274 290 281
# LRU stack distances of blocks; 0: new
distances = 0:7465 50:13
reuse_check = 2697491690

[stream 1]
# 24.85 % of the IOs
op = write
flags = sync
submitter = writeback
pattern = random
ios = 497
phases = 93 82 95 79 77 71
sizes = 4K:121 8K:121 16K:134 32K:121
next = 1:52 3:239 5:102 104
reuse.1 = 0:121
reuse.2 = 0:120 13:1
reuse.4 = 0:133 13:1
reuse.8 = 0:121
read_after_write_permille = 0 0 0 0 1000 0
run_recency = 158 2 1 4 9 18
aligned = 0 0 0 233 125 56 51 13 6 5 6 2
run_distance = 0:303 2:17 24 47 53 16 13:1 3 3 11 29:1 3 13
zones = 0>g9a50927186e765568474d737a8441446i64b98dg9af7ed8a9528h78d7h76611

[stream 2]
# 23.40 % of the IOs
op = read
submitter = file
pattern = sequential
ios = 468
phases = 70 79 72 80 80 87
sizes = 4K:118 8K:124 16K:114 32K:112
next = 1:154 145 51 95 22
reuse.1 = 0:117 13:1
reuse.2 = 0:124
reuse.4 = 0:114
reuse.8 = 0:112
read_after_write_permille = 0 0 0 0 0 0
run_recency = 468

[stream 3]
# 23.05 % of the IOs
op = read
submitter = file
pattern = random
ios = 461
phases = 80 71 80 78 69 83
sizes = 4K:120 8K:120 16K:116 32K:105
next = 1:142 156 54 88 21
reuse.1 = 0:119 13:1
reuse.2 = 0:119 13:1
reuse.4 = 0:116
reuse.8 = 0:105
read_after_write_permille = 0 0 0 0 0 0
run_recency = 148 2 1 2 6 11
aligned = 0 0 0 218 127 55 22 19 10 6 2 2
run_distance = 0:289 2:26 38 34 45 4 14:3 1 6 30:3 10
zones = 0>9a954547376bb55777483c80894631576c629d9eb78d4he4c973abba94628503

[stream 4]
# 12.60 % of the IOs
op = read
flags = rahead
submitter = file
pattern = sequential
ios = 252
phases = 37 45 25 45 53 47
sizes = 4K:63 8K:70 16K:49 32K:70
next = 1:76 100 30 38 8
reuse.1 = 0:63
reuse.2 = 0:70
reuse.4 = 0>N
reuse.8 = 0:69 13:1
read_after_write_permille = 0 0 0 0 0 0
run_recency = 252

[stream 5]
# 9.80 % of the IOs
op = read
flags = rahead
submitter = file
pattern = random
ios = 196
phases = 37 31 27 34 39 28
sizes = 4K:42 8K:47 16K:66 32K:41
next = 1:61 67 21 31 16
reuse.1 = 0>G
reuse.2 = 0>K 13>1
reuse.4 = 0:66
reuse.8 = 0>F
read_after_write_permille = 0 0 0 0 0 0
run_recency = 60 0 0 1 5 6
aligned = 0 0 0 99 44 29 11 9 2 1 0 1
run_distance = 0:123 2:12 17 14 16 1 14:1 3 3 24:1 31:4
zones = 0>7222250233163330451227244142202117152214855634124310182434931251

[stream 6]
# 6.30 % of the IOs
op = write
flags = sync
submitter = writeback
pattern = sequential
ios = 126
phases = 19 27 26 14 19 21
sizes = 4K:28 8K:27 16K:27 32K:44
next = 1:11 3:66 5:27 22
reuse.1 = 0>s
reuse.2 = 0>r
reuse.4 = 0>r
reuse.8 = 0>I
run_recency = 126

[closed]
# The closed loop: for the modes dependent and depth of replay.
dependent_permille = 949
# IOs in flight at a submission, this one included.
depth = 1:1343 651 6
# Latencies in ns, by op and by bytes up to: equal shares between two values.
latency.read.4096 = 42174 46848 51456 57088 62208 68096 73216 78336 83456 87552 91648 97792
        102912 108032 112128 117248 122606
latency.read.16384 = 42103 48384 53504 58624 62720 68096 73216 78336 83456 88576 93696 99840
        104960 109056 113152 117248 120040
latency.read.65536 = 41659 49408 53504 57600 62720 69120 74240 79360 85504 93696 96768 100864
        105984 109056 114176 118272 122072
latency.write.4096 = 41736 45312 51456 56576 61184 66048 70144 75264 80384 86528 94720 98816
        101888 105984 110080 115200 121883
latency.write.16384 = 41441 44800 48896 54016 59136 63744 67072 73216 78336 84480 90624 95744
        100864 107008 111104 117248 119374
latency.write.65536 = 43116 46848 49920 57600 61696 65280 69120 75264 79360 86528 92672 96768
        103936 109056 112128 116224 123804

[tasks 1]
kernel = 1
tasks = 1
active = 1 1 1 1 1 1
streams = 1:115 101 87 60 44 24
# With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.
completions_awaited.1 = 0:28 372
completions_awaited.2 = 1>2 16>s
# ns to the next IO: from the completion awaited, from its submission, if none.
think_ns = 779 3440 4576 8896 13376 17024 18304 22400 27264 31616 34048 36608 38656 42752 44288
        51968 54016 59648 62720 64768 71168 77312 83456 87552 92672 99840 107008 126464 134144
        152576 171008 191488 254072
cycle_ns = 55841 75264 83456 87552 92672 101888 105984 107008 109056 112128 115200 118272 125440
        129536 130560 136192 138240 138240 140288 142336 146432 150528 160768 162816 173056
        185344 191488 201728 218112 238592 257024 272384 361975
open_gap_ns = 54333 57088 57088 57600 59136 59648 61696 63232 63232 67072 68096 72192 72192
        74240 75264 77312 82432 84480 84480 85504 88576 90624 93696 94720 95744 95744 99840
        114707

[tasks 2]
tasks = 1
active = 1 1 1 1 1 1
streams = 1:95 92 102 50 46 29
# With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.
completions_awaited.1 = 0:25 361
completions_awaited.2 = 1>2 16>p
# ns to the next IO: from the completion awaited, from its submission, if none.
think_ns = 224 8512 17024 25472 33024 50432 62208 78336 85504 109056 125440 146432 168960 209920
        240640 288768 333824 358400 411648 464896 536576 569344 618496 667648 724992 798720
        856064 905216 1011712 1122304 1220608 1466368 2353781
cycle_ns = 58695 82432 101888 117248 126464 132096 140288 150528 173056 193536 220160 230400
        261120 292864 321536 362496 403456 444416 489472 552960 593920 651264 700416 765952
        806912 864256 921600 995328 1073152 1187840 1318912 1564672 2484950
open_gap_ns = 50425 51456 52480 52992 55552 57088 59136 60160 63232 67072 71168 73216 78336
        78336 79360 79360 80384 81408 83456 85504 85504 86528 89600 96768 109622

[tasks 3]
tasks = 1
active = 1 1 1 1 1 1
streams = 1:103 96 83 48 39 22
# With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.
completions_awaited.1 = 0:13 363
completions_awaited.2 = 1>1 16>d
# ns to the next IO: from the completion awaited, from its submission, if none.
think_ns = 202 11840 25728 35072 45312 52480 61696 72192 81408 102912 119296 144384 164864
        193536 236544 259072 329728 399360 440320 493568 552960 602112 667648 716800 749568
        798720 872448 946176 987136 1138688 1351680 1597440 2016843
cycle_ns = 60890 85504 103936 117248 125440 132096 140288 146432 154624 185344 205824 226304
        244736 280576 309248 354304 428032 481280 528384 585728 634880 675840 765952 806912
        847872 880640 962560 1019904 1089536 1187840 1433600 1679360 2099138
open_gap_ns = 50635 52992 66048 68096 70144 73216 75264 77312 81408 86528 86528 99840 110622

[tasks 4]
tasks = 1
active = 1 1 1 1 1 1
streams = 1:99 82 98 47 34 29
# With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.
completions_awaited.1 = 0:27 332
completions_awaited.2 = 1>2 16>r
# ns to the next IO: from the completion awaited, from its submission, if none.
think_ns = 2922 9024 15552 25728 40192 49920 63232 86528 97792 123392 156672 173056 209920
        254976 305152 346112 382976 452608 501760 552960 585728 643072 667648 716800 757760
        815104 905216 962560 1056768 1105920 1286144 1531904 2222330
cycle_ns = 57887 86528 108032 118272 126464 136192 142336 162816 189440 209920 234496 268288
        301056 354304 382976 423936 468992 544768 569344 634880 675840 716800 757760 798720
        847872 921600 995328 1056768 1122304 1204224 1384448 1597440 2155774
open_gap_ns = 50927 51968 52480 54528 54528 55040 57088 58624 58624 60672 60672 60672 65280
        67072 69120 69120 70144 71168 75264 75264 78336 80384 89600 93696 95744 98816 115223

[tasks 5]
kernel = 1
tasks = 1
active = 1 1 1 1 1 1
streams = 1:85 97 91 47 33 22
# With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.
completions_awaited.1 = 0:19 333
completions_awaited.2 = 1>3 16>j
# ns to the next IO: from the completion awaited, from its submission, if none.
think_ns = 1206 5472 10560 13632 19328 22144 22912 24960 26496 29312 32640 37120 40192 44800
        46848 52480 52992 56064 60672 63232 70144 77312 81408 84480 97792 105984 120320 138240
        171008 199680 264192 305152 403540
cycle_ns = 67176 73216 79360 82432 90624 93696 98816 102912 105984 110080 112128 118272 119296
        121344 124416 126464 128512 130560 136192 142336 146432 146432 150528 156672 197632
        205824 216064 220160 240640 257024 333824 366592 452341
open_gap_ns = 52835 52992 52992 55040 56064 57088 59648 64256 66048 67072 67072 71168 72192
        74240 78336 87552 100864 103936 121992
