# SPDX-License-Identifier: MIT
# A loop device whose file lies where nobody can look: meanwhile a replay onto any file without a disk of its own below
# it is refused, and so are those of other tests.
# bats file_tags=last,sanitized
load test_helper
load helpers/refusals

setup() {
	need_root
	write_refused_trace
}

teardown() {
	cd /
	remove_attached
	remove_holders
	clean_up
}

@test "mount: the file of a loop device on a file system that was unmounted lazily" {
	need_loop
	mkdir mnt
	mount -t tmpfs none mnt
	fill mnt/disk 2
	attach mnt/disk
	holding 'f = os.open(sys.argv[1], os.O_RDONLY)' mnt/disk
	umount -l mnt
	refused_data "$LOOP" "/proc/$HOLDER/fd/3" "holds the data of $LOOP"
}
