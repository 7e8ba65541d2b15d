# A mail server: half reads, half deliveries of 16 KiB on average with a journal.
# Source: the shape of Filebench's varmail; rate and spool by assumption.
# A workload for 'blkreel replay' and 'blkreel profile': counts and weights, no
# data, no names. docs/profile-format.md explains every key; all may be edited.
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
# How far what is generated was from the trace, before anything was edited: the
# median of the seeds and the worst. A ratio is profile / trace, the others are
# differences (_pp: in points).
seeds = 5
ios_ratio = 1.0000 1.0000
read_ios_delta_pp = 0.0000 0.0000
bytes_ratio = 1.0000 1.0000
size_tvd = 0.0000 0.0000
gap_ks = 0.2761 0.2821
idc_ratio.10ms = 1.0087 1.0502
idc_ratio.1s = 0.9407 0.8651
peak_10ms_ratio = 1.0833 1.0833
mrc_mae = 0.0006 0.0009
sequential_delta_pp = 0.0000 -0.0074
footprint_ratio = 0.9969 0.9949

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
halvings = 7
# The most IOs in one interval, after each halving.
most = 56 40 23 16 12 8 8
# The busiest moments: window, leaf in it, IOs around after each halving.
burst.1 = 25 2 37 24 16 14 11 7 4
burst.2 = 71 32 51 38 19 11 10 6 3
burst.3 = 85 58 41 25 18 10 10 6 5
burst.4 = 104 79 41 30 23 15 10 7 6
burst.5 = 127 10 31 22 16 11 10 6 4
burst.6 = 130 37 37 27 14 10 10 6 4
burst.7 = 131 38 39 24 18 14 10 6 4
burst.8 = 208 78 44 26 19 13 12 8 8
# How the IOs of an interval fall into its halves: weights from all-in-one to even.
# intervals of 284 ms and half of that, by IOs in the interval
split.0.16 = 0 0 0 12 51 68 38 29 0 0 0 7
split.0.32 = 0 0 0 5 60 91 77 43 32 0 0 13
split.0.64 = 0 0 0 0 6 30 28 25 9 3 0 6
# intervals of 71.1 ms and half of that, by IOs in the interval
split.1.2 = 42 0 0 0 0 0 0 0 0 0 0 11
split.1.3 = 31 0 0 0 55
split.1.4 = 111 0 0 112 198 167 0 0 0 0 0 84
split.1.8 = 20 0 38 135 316 218 171 0 0 0 0 102
split.1.16 = 0 0 7 33 160 139 81 55 0 0 0 27
split.1.32 = 0 0 0 0 0 2 0 2 1 0 0 1
# intervals of 17.8 ms and half of that, by IOs in the interval
split.2.2 = 827 0 0 0 0 0 0 0 0 0 0 172
split.2.3 = 463 0 0 0 536
split.2.4 = 236 0 0 122 261 181 0 0 0 0 0 200
split.2.8 = 14 0 15 44 127 79 51 0 0 0 0 64
split.2.16 = 0 0 0 0 0 0 0 0 0 0 0 1
# intervals of 4.44 ms and half of that, by IOs in the interval
split.3.2 = 873 0 0 0 0 0 0 0 0 0 0 126
split.3.3 = 402 0 0 0 494
split.3.4 = 222 0 0 69 157 62 0 0 0 0 0 193
split.3.8 = 1 0 0 1 2
# Gaps by IOs in the smallest interval, octave:weight; 0 is 0 ns, o is 2^(o-1) ns up.
gap.2 = 12:1 13:2 14:3 15:4 16:9 17:10 18:1787 19:33 20:67 21:83 22:1
gap.3 = 9:2 12:3 13:7 14:13 15:29 16:74 17:132 18:1094 19:184 20:261 21:200
gap.5 = 8:1 14:7 15:4 16:23 17:21 18:117 19:28 20:26 21:17
# Gaps before them, by IOs in the smallest interval.
enter.1 = 15:1 16:1 17:1 18:151 19:12 20:52 21:166 22:440 23:555 24:448 25:160 26:12
enter.2 = 16:1 17:2 18:37 19:15 20:54 21:231 22:460 23:566 24:440 25:181 26:12
enter.3 = 15:1 17:4 18:67 19:11 20:34 21:89 22:176 23:231 24:196 25:62 26:7
enter.5 = 18:9 20:2 21:9 22:10 23:13 24:11 25:3
# Within an octave: weights of its quarters.
step.8 = 1
step.9 = 0 2
step.12 = 0 1 0 3
step.13 = 2 7 2
step.14 = 7 4 6 8
step.15 = 16 6 12 8
step.16 = 20 35 31 30
step.17 = 44 46 43 50
step.18 = 23 20 947 9
step.19 = 93 75 82 78
step.20 = 173 156 153 141
step.21 = 267 247 243 243
step.22 = 269 253 251 225
step.23 = 308 270 228 193
step.24 = 385 264 200 150
step.25 = 346 176 94 52
step.26 = 36 7 6 1

[addresses]
# blocks of 4 KiB that are touched the first time, by phase
new_blocks = 1796 1744 1877 1818 1560 1832 1889 1843 1941 1621 1912 1758 1856 1783 1719 1998
        1769 1746 1985 1730 1726 1791 1860 1786
# how many other blocks were touched since, of all that are touched: 0 is new
distances = 0:9927 25:1 39:1 41:3 43:1 45:3 46:1 47:1 48:2 49:6 50:4 51:4 52:3 53:3 54:6 55:5
        56:5 57:6 58:7 59:7 60:3 61:2

[stream 1]
# 33.89 % of the IOs
op = read
submitter = other
pattern = random
ios = 4598
phases = 169 186 194 188 161 200 205 200 218 171 194 180 181 185 158 215 180 206 205 200 209 179
        225 189
sizes = 4096:1673 8192:605 12288:521 16384:383 20480:308 24576:242 28672:202 32768:148 36864:111
        40960:84 45056:80 49152:47 53248:47 57344:29 61440:26 65536:92
next = 1:990 2:974 3:34
reuse.1 = 0:1651 12:4 13:4 14:5 15:8 16:1
reuse.2 = 0:1117 11:1 13:2 14:3 15:2 16:1
reuse.4 = 0:1117 11:1 12:1 13:6 14:6 15:4
reuse.8 = 0:567 14:1 15:4
reuse.16 = 0:92
align_sectors = 32
zones = 0:24 1:33 2:27 3:37 4:32 5:29 6:40 7:34 8:26 9:37 10:29 11:31 12:31 13:37 14:23 15:32
        16:33 17:24 18:30 19:24 20:39 21:29 22:37 23:28 24:35 25:28 26:32 27:28 28:29 29:30
        30:26 31:36 32:37 33:34 34:27 35:30 36:30 37:37 38:33 39:32 40:30 41:35 42:39 43:26
        44:26 45:26 46:30 47:34 48:32 49:33 50:36 51:30 52:28 53:32 54:37 55:36 56:28 57:28
        58:29 59:35 60:35 61:27 62:30 63:29

[stream 2]
# 33.06 % of the IOs
op = write
submitter = other
pattern = random
ios = 4485
phases = 187 198 179 206 174 191 181 198 197 173 192 186 198 190 185 198 196 164 198 168 184 192
        189 161
sizes = 4096:1621 8192:641 12288:504 16384:357 20480:288 24576:257 28672:186 32768:156 36864:115
        40960:77 45056:72 49152:42 53248:45 57344:36 61440:16 65536:72
next = 1:35 2:27 3:1937
reuse.1 = 0:1599 12:2 13:2 14:8 15:8 16:2
reuse.2 = 0:1131 10:1 11:1 13:3 14:4 15:4 16:1
reuse.4 = 0:1075 7:1 13:3 14:5 15:4
reuse.8 = 0:551 12:2 13:1 14:2 15:3
reuse.16 = 0:70 13:1 14:1
align_sectors = 32
zones = 0:37 1:30 2:32 3:28 4:29 5:37 6:35 7:30 8:31 9:33 10:26 11:36 12:27 13:32 14:31 15:29
        16:33 17:36 18:31 19:32 20:32 21:32 22:31 23:30 24:34 25:28 26:25 27:33 28:27 29:35
        30:26 31:33 32:32 33:34 34:28 35:29 36:28 37:29 38:32 39:29 40:44 41:31 42:24 43:26
        44:28 45:30 46:32 47:34 48:33 49:35 50:36 51:34 52:31 53:32 54:38 55:28 56:30 57:30
        58:34 59:31 60:38 61:31 62:34 63:16

[stream 3]
# 33.05 % of the IOs
op = write
submitter = other
pattern = sequential
ios = 4483
phases = 185 198 179 206 174 191 181 198 197 173 192 186 198 190 185 198 196 164 198 168 184 192
        189 161
sizes = 8192:4483
next = 1:999 2:974 3:26
reuse.2 = 0:1999
ranks = 26 1947 26
