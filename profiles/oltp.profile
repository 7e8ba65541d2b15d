# An OLTP database: random 8 KiB, 75 % reads, 50 clients of 20 IOs a second, Zipf 0.9
# over 4 GiB. Source: the 8 KiB 75/25 mix of vendors' OLTP figures; locality by assumption.
# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;
# docs/profile-format.md explains the keys.
[profile]
version = 1
ios = 59864
# 60.00 s
duration_ns = 59999355755
device_bytes = 0
# addresses lie in 4.0 GiB
first_sector = 176
end_sector = 8388400
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
gap_ks = 0.0047 0.0054
idc_ratio.10ms = 1.0338 1.0607
idc_ratio.1s = 1.0055 1.0262
peak_10ms_ratio = 0.9600 0.8800
mrc_mae = 0.0002 0.0003
sequential_delta_pp = -0.0067 -0.0067
footprint_ratio = 1.0003 1.0006
busy_reads_delta_pp = 3.6646 3.9844
bytes_idc_ratio = 1.0055 1.0262

[arrival]
# IOs in each of 240 windows of 250 ms
windows = 263 232 260 265 211 244 272 249 252 214 259 227 240 268 267 233 267 249 237 239 247
        237 249 280 283 274 263 262 254 245 238 257 237 260 219 256 235 260 250 263 240 261 249
        246 258 246 278 263 265 229 245 243 260 218 282 234 257 260 230 231 255 253 290 232 246
        271 261 243 259 225 264 250 241 263 246 248 268 226 273 229 274 243 244 268 244 227 273
        269 256 256 243 252 239 279 234 260 260 234 257 234 248 243 243 237 238 265 220 273 246
        229 232 244 248 237 249 253 268 246 247 228 233 259 272 246 233 248 246 246 222 243 229
        249 258 247 237 255 252 236 249 246 237 259 254 263 249 256 202 254 249 261 235 274 252
        224 259 237 288 259 274 244 251 252 263 244 214 249 255 230 271 269 239 231 277 243 246
        257 281 250 226 259 245 246 247 217 248 259 281 261 247 246 274 240 257 269 223 250 257
        259 232 261 277 286 237 276 254 232 239 222 281 201 242 263 252 245 252 247 224 255 266
        231 220 252 234 254 233 249 253 237 286 236 251 239 236 261 241 242 244 246 256 255
# Reads in each window.
reads = 206 174 198 186 158 182 209 198 191 162 194 162 173 200 209 165 203 197 174 182 184 178
        198 203 222 196 208 193 191 190 175 201 174 187 167 198 177 198 185 193 176 195 177 165
        192 185 196 182 217 172 186 182 201 163 217 175 194 194 171 186 188 197 214 180 179 204
        204 186 192 178 196 191 179 207 185 196 209 178 198 175 207 185 192 205 188 170 207 199
        187 191 178 199 174 205 176 201 190 177 187 172 186 185 185 181 176 199 155 206 184 173
        168 181 183 182 185 194 200 187 190 164 180 194 195 194 182 183 192 196 167 184 171 190
        188 193 178 196 193 180 198 196 171 200 202 200 177 183 162 204 191 196 175 202 174 163
        204 184 214 192 199 187 188 185 207 183 167 186 184 180 207 202 187 162 211 180 196 182
        207 180 168 195 174 180 186 171 189 198 226 190 173 181 202 184 185 201 173 185 200 181
        176 203 206 218 167 208 188 167 184 169 215 155 174 189 192 184 188 179 157 193 199 185
        166 202 174 186 175 183 196 183 209 178 183 175 169 195 165 174 179 175 200 184
split_levels = 3
# Most IOs in one interval after each split.
peak_cap = 159 85 51
# Busiest moments: window.bin, share of each half around it, of its reads.
pinned_bursts = 2.7:wxE.vAB 6.4:xyA.wyB 24.7:vyB.uzD 107.1:xzz.wAy 152.3:zAA.yzB 162.6:yvF.wxD
        166.3:wxF.vyC 169.3:wwE.wuA
# Splits from all in one half to even. neighbour: per mille to the busier side.
# others: windows of 250 ms and halves, by IOs
split.o.0 = 32:00006zCsf009 64:00004sxg7706
neighbour.o.0 = 487 473 589 461 367 499 500 270 333
split.o.1 = 8:0000011 16:0003zZVn000h 32:0000kZGmh00k
split.o.2 = 4:100136000001 8:001eZTF0000o 16:0006XZJx000j
# reads: windows of 250 ms and halves, by IOs
split.r.0 = 128:00001oXZF8e6
neighbour.r.0 = 512 431 740 543 468 500 500 500 500
split.r.1 = 64:00002yZylj09
split.r.2 = 16:000022210002 32:0000gZWvk00a 64:0000015101
# Per mille: more reads in the half with more others.
read_write_correlation = 479
# Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.
gap.9 = 15>104447a851
gap.17 = 5:1 1 1 1 1 1 2 4 7 15 28 58 105 198 328 482 474 254 40 1
gap.33 = 7:1 1 1 1 2 4 10 19 36 70 143 245 397 507 410 144 11
# Gaps before a bin by its IOs.
entry_gap.9 = 21>12
entry_gap.17 = 17:7 30 76 189 375 375 89 5
entry_gap.33 = 16:1 5 15 57 142 292 212 45 1
# Per mille of a bin from its first IO to its last, as gap.N.
bin_span_permille = 0 0 0 915 930 944
gap_histogram = 5:1 1 1 1 1 1 2 4 8 16 31 62 120 215 353 489 452 215 30 1
# Places in an octave, in 1024ths: equal shares between two values.
gap_within.5 = 576 576
gap_within.6 = 0 608
gap_within.7 = 176 944
gap_within.8 = 104 1008
gap_within.9 = 24 1020
gap_within.10 = 10 952
gap_within.11 = 28 978
gap_within.12 = 5 1022
gap_within.13 = 2 1019
gap_within.14 = 1 1023
gap_within.15 = 0 1023
gap_within.16 = 0 517 1023
gap_within.17 = 0 248 503 765 1023
gap_within.18 = 0 139 283 422 566 716 865 1023
gap_within.19 = 0 73 154 236 317 398 479 566 651 739 834 926 1023
gap_within.20 = 0 49 100 155 210 269 324 379 439 504 570 640 714 789 865 941 1023
gap_within.21 = 0 42 87 135 184 237 294 352 415 482 556 631 716 807 909 1023
gap_within.22 = 0 68 144 240 351 492 680 1023
gap_within.23 = 0 1008
gap_within.24 = 0 438

[addresses]
# new blocks of 4 KiB, by phase
new_blocks = 3740 3308 3300 3054 3030 2848 2886 2812 2736 2564 2486 2532 2380 2464 2326 2412
        2390 2432 2334 2280 2206 2166 2070 2204
new_written_permille = 248 252 240 237 269 232 249 229 246 248 265 263 247 233 255 255 249 268
        239 249 238 260 241 281
# LRU stack distances of blocks; 0: new
distances = 0:5258 5:24 9:22 0 21 0 21 19 18 19 41 39 39 34 68 65 59 52 97 85 75 65 114 90 87 74
        118 106 86 73 136 113 97 86 144 113 113 90 157 135 112 98 166 135 120 100 176 137 113 97
        159 122 102 82 117 68 37 7

[stream 1]
# 75.12 % of the IOs
op = read
submitter = other
pattern = random
ios = 44970
phases = 1864 1859 1963 1855 1857 1869 1922 1914 1931 1859 1830 1834 1867 1883 1886 1894 1889
        1868 1868 1890 1877 1840 1852 1799
sizes = 8K:44970
next = 1:1507 492
reuse.2 = 0:1052 2:1 7 15 31 49 63 72 76 88 95 101 104 106 94 45
repeat_permille = 0 2
read_after_write_permille = 347 266 253 244 248 238
run_recency = 60 61 127 243 496 1011
aligned = 0 0 0 0 1068 476 218 106 57 26 20 27
run_distance = 0:265 3:1 1 1 1 2 3 6 15 31 57 105 172 238 232 19:1 1 1 3 3 7 13 29 58 105 174
        244 233
zones = 0>vuwwvttyxxuxuuxssvwtvwwzvsyuxuwxvyvtxuxxyttxwyvrwvuvzvwtstuuwwwu

[stream 2]
# 24.88 % of the IOs
op = write
submitter = other
pattern = random
ios = 14894
phases = 598 627 631 620 678 591 613 594 623 633 612 618 581 575 598 652 609 641 629 632 628 637
        602 672
sizes = 8K:14894
next = 1:1485 514
reuse.2 = 0:1057 2:3 8 15 30 50 70 75 79 80 86 101 105 103 89 48
repeat_permille = 0 2
read_after_write_permille = 951 746 761 747 760 760
run_recency = 53 59 129 242 506 1010
aligned = 0 0 0 0 1054 473 235 112 57 24 20 24
run_distance = 0:264 4:1 1 1 3 3 8 13 32 64 106 177 236 234 19:1 1 1 2 3 7 14 27 59 110 175 233
        227
zones = 0>wwwAswztrqyvtysBvywzxrotwxvrwtuxtsrwuxxzzyuzwzsxvBvturvwwvutvxww
