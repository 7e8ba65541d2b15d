# Random 4 KiB reads over 1 GiB. Source: the six-job suite; --mode asap with
# --iodepth 1 and --iodepth 32 are two of the six.
# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
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
# The generated IOs against the trace, before any edit: median of the seeds, worst seed.
# A ratio is profile / trace; the others are differences (_pp: in percentage points).
seeds = 5
ios_ratio = 1.0000 1.0000
read_ios_delta_pp = 0.0000 0.0000
bytes_ratio = 1.0000 1.0000
size_tvd = 0.0000 0.0000
gap_ks = 0.0073 0.0076
idc_ratio.10ms = 1.0747 1.0848
idc_ratio.1s = 1.0005 1.0028
peak_10ms_ratio = 1.1143 1.2000
mrc_mae = 0.0009 0.0009
sequential_delta_pp = -0.0050 -0.0050
footprint_ratio = 1.0006 1.0006
busy_reads_delta_pp = 0.0000 0.0000
bytes_idc_ratio = 1.0005 1.0028

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
split_levels = 5
# Most IOs in one interval after each split.
peak_cap = 110 67 34 25 16
# Busiest moments: window.bin, share of each half around it.
pinned_bursts = 5.14:vvAIv 6.18:vwHFI 7.29:xCwJy 8.20:tCDBE 19.30:xyyFv 33.22:txAIv 208.28:CuCHv
        237.20:uxGFx
# Splits from all in one half to even. neighbour: per mille to the busier side.
# windows of 83.3 ms and halves, by IOs
split.0 = 32:000003211
split.0.64 = 0 0 0 0 13 103 153 96 42 38 0 20
split.0.128 = 0 0 0 0 1 25 66 71 35 16 13 5
neighbour.0 = 513 509 700
split.1 = 4:000011 64:0000000101
split.1.8 = 0 0 1 12 76 58 46 0 0 0 0 16
split.1.16 = 0 0 1 20 211 317 182 174 0 0 0 94
split.1.32 = 0 0 0 0 92 267 243 141 122 0 0 57
neighbour.1 = 491 528 416
split.2 = 2:500000000004 3:c000h 16:000cSQNB000v
split.2.4 = 30 0 0 90 206 246 0 0 0 0 0 75
split.2.8 = 3 0 13 66 329 254 211 0 0 0 0 122
neighbour.2 = 469 519 520
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.2 = 10:2 0 1 0 3 8 12 22 46 76 153 197 21
gap.3 = 7:1 9:1 3 4 11 11 25 52 81 172 289 476 569 296 8
gap.5 = 6:1 1 1 1 3 5 10 17 41 72 145 262 418 537 399 87 1
gap.9 = 5:1 8:1 3 3 7 15 29 61 120 209 344 506 480 208 13
# Gaps before a bin by its IOs.
entry_gap.1 = 17:1 3 12 25 71 88 1
entry_gap.2 = 16:1 3 20 51 164 205 97
entry_gap.3 = 14:2 2 5 32 99 305 649 724 178 3
entry_gap.5 = 13:1 1 4 16 60 151 418 704 554 87 5
entry_gap.9 = 15:4 6 30 71 180 260 124 18
# Per mille of a bin from its first IO to its last, as gap.N.
bin_span_permille = 356 549 711 809
gap_histogram = 5:1 1 1 1 1 3 4 9 14 34 63 119 218 355 484 449 214 31 1
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.5 = 832 832
gap_within.6 = 320 800
gap_within.7 = 32 880
gap_within.8 = 144 920
gap_within.9 = 12 1012
gap_within.10 = 6 1010
gap_within.11 = 29 993
gap_within.12 = 0 1020
gap_within.13 = 0 1009
gap_within.14 = 1 534 1018
gap_within.15 = 0 319 688 1023
gap_within.16 = 0 251 493 748 1023
gap_within.17 = 0 139 277 419 559 710 866 1023
gap_within.18 = 0 70 145 221 298 392 476 559 649 741 830 932 1023
gap_within.19 = 0 50 96 149 202 261 317 374 433 502 566 632 705 778 851 932 1023
gap_within.20 = 0 44 89 136 186 239 292 351 412 481 556 633 714 804 907 1023
gap_within.21 = 0 59 138 227 333 471 684 1023
gap_within.22 = 0 1019
gap_within.23 = 11 409

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 1686 1708 1702 1646 1659 1584 1556 1592 1536 1603 1548 1541 1563 1534 1506 1504
        1458 1428 1460 1509 1433 1445 1453 1538
# LRU stack distances of blocks; 0: new
distances = 0:9267 13:1 1 17:1 1 21:1 1 1 1 1 29:1 1 1 1 2 1 4 3 5 4 4 4 9 10 10 9 16 17 24 19
        39 29 26 34 62 60 51 42 81 63 51 30 10

[stream 1]
# 100.00 % of the IOs
op = read
submitter = other
pattern = random
ios = 40128
phases = 1692 1721 1737 1695 1712 1653 1628 1673 1616 1703 1656 1644 1701 1668 1637 1662 1602
        1607 1646 1713 1638 1667 1687 1770
sizes = 4K:40128
next = 1:1999
reuse.1 = 0:1853 4:1 1 1 1 1 2 4 8 15 26 43 45 2
run_recency = 64 65 123 247 505 995
aligned = 0 0 0 1003 496 252 122 62 32 16 8 8
run_distance = 0:2 2:1 1 1 2 4 7 17 28 55 104 174 241 229 113 18 0 1 1 3 4 9 16 30 58 102 175
        241 232 114 19
zones = 0>uvwvuvxwvwvtxxxtvvwvxuuvvuwxuvuwwuvuuuwuvvuuvwuvwwxuywwwtvxyvwtw
