# SPDX-License-Identifier: MIT
# Files for the loads of tests/helpers/cached_io.c.

# make_case_files CASES: for each line "NAME HOW..." that does not write a new file ("new" in NAME) a file
# NAME of 769 pages, the last not full, in MNT. Its pages are in the page cache as NAME begins: all
# (warm), one in two groups of seven (half), or none; a "sparse" one has a hole.
make_case_files() {
	local name _
	while read -r name _; do
		case $name in *new*) continue ;; esac
		head -c 3147000 /dev/urandom >"$MNT/$name"
		case $name in *sparse*) fallocate -p -o 1048576 -l 524288 "$MNT/$name" ;; esac
	done <<<"$1"
	remount
	python3 - "$MNT" <<-'END'
		import os, sys
		for name in os.listdir(sys.argv[1]):
		    if name.startswith(("warm", "half")):
		        fd = os.open(os.path.join(sys.argv[1], name), os.O_RDONLY)
		        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
		        for page in range(769):
		            if name.startswith("warm") or page // 7 % 2 == 0:
		                os.pread(fd, 4096, page * 4096)
	END
}

# mount_many_files: sets MNT, a file system with the folders a and b, each of 35,003 files of one byte.
mount_many_files() {
	mount_ext4 256M -b 1024 -N 80000
	python3 - "$MNT" <<-'PYTHON'
		import os, sys
		for folder in "ab":
		    os.mkdir(f"{sys.argv[1]}/{folder}")
		    for i in range(35003):
		        with open(f"{sys.argv[1]}/{folder}/{i}", "w") as file:
		            file.write("x")
	PYTHON
}

# read_all FOLDER: one byte of each of its files, by one process.
read_all() {
	python3 -c 'import os, sys
for entry in os.scandir(sys.argv[1]):
    with open(entry.path, "rb", buffering=0) as file:
        file.read(1)' "$1"
}
