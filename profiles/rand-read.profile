# Random 4 KiB reads over 1 GiB. Source: the six-job suite; --mode asap with
# --iodepth 1 and --iodepth 32 are two of the six.
# A workload for 'blkreel replay' and 'blkreel profile': counts and weights, no
# data, no names. docs/profile-format.md explains every key; all may be edited.
[profile]
version = 1
ios = 40128
# 20.00 s
duration_ns = 19999925034
device_bytes = 0
# addresses lie in 1.0 GiB
first_sector = 32
end_sector = 2097128
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
gap_ks = 0.0307 0.0362
idc_ratio.10ms = 1.0508 1.1104
idc_ratio.1s = 1.0002 1.0047
peak_10ms_ratio = 1.0286 1.1143
mrc_mae = 0.0007 0.0008
sequential_delta_pp = -0.0050 -0.0050
footprint_ratio = 1.0005 1.0009

[arrival]
# IOs in each of 240 windows of 83.3 ms
windows = 191 142 144 165 176 184 165 192 172 161 185 156 172 162 165 168 188 164 164 197 189
        165 182 171 171 176 175 163 169 176 174 163 163 180 145 170 185 175 166 174 171 148 155
        171 197 185 178 172 157 178 158 160 164 151 178 159 162 183 179 159 162 170 155 161 148
        145 162 163 178 184 158 177 162 172 174 163 159 156 166 186 155 150 162 175 156 175 163
        182 150 148 163 159 178 149 180 184 179 174 154 183 176 162 151 169 160 162 172 174 166
        164 155 152 168 161 174 152 154 189 173 166 168 164 172 161 181 180 168 159 177 171 172
        178 167 158 170 160 172 159 156 176 160 142 153 188 168 182 155 177 156 156 186 160 158
        143 162 168 163 162 159 201 155 153 153 185 177 153 136 168 167 155 167 183 140 168 142
        157 164 151 151 184 148 151 169 162 158 163 171 171 172 181 181 161 168 168 178 165 178
        152 193 169 145 178 171 162 149 155 164 184 164 166 174 167 184 174 153 157 174 156 164
        164 186 158 143 153 152 175 207 168 171 174 175 179 177 169 200 173 183 179 179 156
halvings = 5
# The most IOs in one interval, after each halving.
most = 110 67 34 25 16
# The busiest moments: window, leaf in it, IOs around after each halving.
burst.1 = 6 18 83 44 31 21 15
burst.2 = 7 29 104 64 34 25 14
burst.3 = 19 30 107 59 33 22 11
burst.4 = 33 22 85 46 28 20 10
burst.5 = 106 3 83 48 30 20 16
burst.6 = 114 14 89 53 31 20 11
burst.7 = 208 28 101 50 31 22 11
burst.8 = 237 20 89 47 33 22 12
# How the IOs of an interval fall into its halves: weights from all-in-one to even.
# intervals of 83.3 ms and half of that, by IOs in the interval
split.0.32 = 0 0 0 0 0 3 2 1 1
split.0.64 = 0 0 0 0 13 105 155 98 42 40 0 20
split.0.128 = 0 0 0 0 1 26 68 74 35 16 15 5
# intervals of 20.8 ms and half of that, by IOs in the interval
split.1.4 = 0 0 0 0 1 1
split.1.8 = 0 0 1 12 76 58 46 0 0 0 0 16
split.1.16 = 0 0 1 20 213 316 182 174 0 0 0 94
split.1.32 = 0 0 0 0 98 271 244 141 122 0 0 57
split.1.64 = 0 0 0 0 0 0 0 2 0 1
# intervals of 5.21 ms and half of that, by IOs in the interval
split.2.2 = 5 0 0 0 0 0 0 0 0 0 0 4
split.2.3 = 12 0 0 0 17
split.2.4 = 30 0 0 90 206 246 0 0 0 0 0 75
split.2.8 = 3 0 13 66 329 254 211 0 0 0 0 122
split.2.16 = 0 0 0 12 56 52 51 37 0 0 0 35
# Gaps by IOs in the smallest interval, octave:weight; 0 is 0 ns, o is 2^(o-1) ns up.
gap.2 = 10:2 12:1 14:3 15:8 16:12 17:22 18:46 19:76 20:153 21:197 22:21
gap.3 = 7:1 9:1 10:3 11:4 12:11 13:11 14:25 15:52 16:81 17:172 18:289 19:476 20:569 21:296 22:8
gap.5 = 6:1 7:1 8:1 9:1 10:3 11:5 12:10 13:17 14:41 15:72 16:145 17:262 18:418 19:537 20:399
        21:87 22:1
gap.9 = 5:1 8:1 9:3 10:3 11:7 12:15 13:29 14:61 15:120 16:209 17:344 18:506 19:480 20:208 21:13
# Gaps before them, by IOs in the smallest interval.
enter.1 = 17:1 18:3 19:12 20:25 21:71 22:88 23:1
enter.2 = 16:1 17:3 18:20 19:51 20:164 21:205 22:97
enter.3 = 14:2 15:2 16:5 17:32 18:99 19:305 20:649 21:724 22:178 23:3
enter.5 = 13:1 14:1 15:4 16:16 17:60 18:151 19:418 20:704 21:554 22:87 23:5
enter.9 = 15:4 16:6 17:30 18:71 19:180 20:260 21:124 22:18
# Within an octave: weights of its quarters.
step.5 = 0 0 0 1
step.6 = 0 1 2 1
step.7 = 3 0 1 3
step.8 = 3 2 4 1
step.9 = 12 3 6 6
step.10 = 17 12 12 12
step.11 = 14 34 19 16
step.12 = 47 40 52 41
step.13 = 75 67 77 71
step.14 = 169 157 179 170
step.15 = 270 240 236 253
step.16 = 256 264 242 237
step.17 = 262 262 247 228
step.18 = 286 250 237 226
step.19 = 306 266 232 195
step.20 = 356 271 214 158
step.21 = 468 278 157 96
step.22 = 409 142 52 22
step.23 = 10 3

[addresses]
# blocks of 4 KiB that are touched the first time, by phase
new_blocks = 1686 1708 1702 1646 1659 1584 1556 1592 1536 1603 1548 1541 1563 1534 1506 1504
        1458 1428 1460 1509 1433 1445 1453 1538
# how many other blocks were touched since, of all that are touched: 0 is new
distances = 0:9267 13:1 14:1 17:1 18:1 21:1 22:1 23:1 24:1 25:1 29:1 30:1 31:1 32:1 33:2 34:1
        35:4 36:3 37:5 38:4 39:4 40:4 41:9 42:10 43:10 44:9 45:16 46:17 47:24 48:19 49:39 50:29
        51:26 52:34 53:62 54:60 55:51 56:42 57:81 58:63 59:51 60:30 61:10

[stream 1]
# 100.00 % of the IOs
op = read
submitter = other
pattern = random
ios = 40128
phases = 1692 1721 1737 1695 1712 1653 1628 1673 1616 1703 1656 1644 1701 1668 1637 1662 1602
        1607 1646 1713 1638 1667 1687 1770
sizes = 4096:40128
next = 1:1999
reuse.1 = 0:1853 4:1 5:1 6:1 7:1 8:1 9:2 10:4 11:8 12:15 13:26 14:43 15:45 16:2
ranks = 1 0 0 1
align_sectors = 8
zones = 0:30 1:31 2:32 3:31 4:30 5:31 6:33 7:32 8:31 9:32 10:31 11:29 12:33 13:33 14:33 15:29
        16:31 17:31 18:32 19:31 20:33 21:30 22:30 23:31 24:31 25:30 26:32 27:33 28:30 29:31
        30:30 31:32 32:32 33:30 34:31 35:30 36:30 37:30 38:32 39:30 40:31 41:31 42:30 43:30
        44:31 45:32 46:30 47:31 48:32 49:32 50:33 51:30 52:34 53:32 54:32 55:32 56:29 57:31
        58:33 59:34 60:31 61:32 62:29 63:32
