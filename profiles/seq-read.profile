# Sequential 1 MiB reads. Source: the six-job suite (with --mode asap).
[profile]
version = 1
ios = 4096
duration = 10.2375s
end = 4GiB
arrival = even

[stream 1]
op = read
size = 1M
place = sequential
