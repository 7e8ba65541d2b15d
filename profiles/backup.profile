# A full backup: one stream of 1 MiB reads over 16 GiB at 400 MiB/s. Source: by definition.
[profile]
version = 1
ios = 16384
duration = 40.9575s
end = 16GiB
arrival = even

[stream 1]
op = read
size = 1M
place = sequential
