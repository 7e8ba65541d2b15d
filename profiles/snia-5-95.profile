# Random, 5 % reads, sizes 512 B to 1 MiB alike often, over 8 GiB. Source: one row of
# the matrix of the SNIA Solid State Storage Performance Test Specification.
[profile]
version = 1
ios = 30000
duration = 60s
end = 8GiB

[stream 1]
op = read
ios = 5
sizes = 512:1 4K:1 8K:1 16K:1 32K:1 64K:1 128K:1 1M:1

[stream 2]
op = write
ios = 95
sizes = 512:1 4K:1 8K:1 16K:1 32K:1 64K:1 128K:1 1M:1
