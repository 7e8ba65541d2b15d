# A mail server: as many reads of messages as deliveries, each with a write to a journal of
# 128 MiB. Messages of 16 KiB on average. Source: the shape of Filebench's varmail; rate and
# spool by assumption.
[profile]
version = 1
ios = 13500
duration = 60s
end = 8320MiB

[addresses]
end = 8GiB

[addresses 2]
begin = 8GiB
end = 8320MiB

[stream 1]
op = read
ios = 1
sizes = 4K:354 8K:143 12K:111 16K:87 20K:67 24K:53 28K:41 32K:32 36K:25 40K:19 44K:15 48K:12
        52K:9 56K:7 60K:6 64K:19
space = 1

[stream 2]
op = write
ios = 1
next = 3:1
sizes = 4K:354 8K:143 12K:111 16K:87 20K:67 24K:53 28K:41 32K:32 36K:25 40K:19 44K:15 48K:12
        52K:9 56K:7 60K:6 64K:19
space = 1

[stream 3]
op = write
ios = 1
size = 8K
place = sequential
space = 2
