# An OLTP database: random 8 KiB, 75 % reads, 50 clients of 20 IOs a second, Zipf 0.9
# over 4 GiB. Source: the 8 KiB 75/25 mix of vendors' OLTP figures; locality by assumption.
[profile]
version = 1
ios = 60000
duration = 60s
end = 4GiB

[stream 1]
op = read
ios = 75
size = 8K
place = zipf 0.9

[stream 2]
op = write
ios = 25
size = 8K
place = zipf 0.9
