# Random 4 KiB reads over 1 GiB. Source: the six-job suite; --mode asap with
# --iodepth 1 and --iodepth 32 are two of the six.
[profile]
version = 1
ios = 40000
duration = 20s
end = 1GiB

[stream 1]
op = read
size = 4K
