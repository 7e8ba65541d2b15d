// SPDX-License-Identifier: MIT
#include "collector/probes/wait_numbers.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "trace/rows.h"

#define NO_FILE	 WAIT_NUMBER_NO_FILE
#define ANY_TASK (WAIT_NUMBER_NO_FILE | WAIT_NUMBER_ANY_TASK)

_Static_assert(WAIT_CALL_READ == 1 && (int)WAIT_CALL_WRITE == (int)WAIT_NUMBER_LAST_COUNTED,
	       "the kernel counts the first kinds of calls");

static const struct {
	uint16_t number;
	uint8_t entry;
} followed[] = {
	{SYS_read, WAIT_CALL_READ},
	{SYS_pread64, WAIT_CALL_READ},
	{SYS_readv, WAIT_CALL_READ},
	{SYS_preadv, WAIT_CALL_READ},
	{SYS_preadv2, WAIT_CALL_READ},
	{SYS_write, WAIT_CALL_WRITE},
	{SYS_pwrite64, WAIT_CALL_WRITE},
	{SYS_writev, WAIT_CALL_WRITE},
	{SYS_pwritev, WAIT_CALL_WRITE},
	{SYS_pwritev2, WAIT_CALL_WRITE},
	{SYS_fsync, WAIT_CALL_FSYNC},
	{SYS_fdatasync, WAIT_CALL_FDATASYNC},
	{SYS_sync_file_range, WAIT_CALL_SYNC},
	{SYS_syncfs, WAIT_CALL_SYNC},
	{SYS_sync, WAIT_CALL_SYNC | NO_FILE},
	{SYS_msync, WAIT_CALL_SYNC | NO_FILE},
	{SYS_sendfile, WAIT_CALL_SPLICE | WAIT_NUMBER_SECOND},
	{SYS_splice, WAIT_CALL_SPLICE},
	{SYS_copy_file_range, WAIT_CALL_SPLICE},
	{SYS_ftruncate, WAIT_CALL_TRUNCATE},
	{SYS_fallocate, WAIT_CALL_TRUNCATE},
	{SYS_truncate, WAIT_CALL_TRUNCATE | NO_FILE},
	{SYS_readahead, WAIT_CALL_ADVICE},
	{SYS_fadvise64, WAIT_CALL_ADVICE},
	{SYS_madvise, WAIT_CALL_ADVICE | NO_FILE},
	{SYS_openat, WAIT_CALL_OPEN | NO_FILE},
#ifdef SYS_openat2
	{SYS_openat2, WAIT_CALL_OPEN | NO_FILE},
#endif
	{SYS_close, WAIT_CALL_CLOSE | NO_FILE},
	{SYS_unlinkat, WAIT_CALL_NAME | NO_FILE},
	{SYS_renameat2, WAIT_CALL_NAME | NO_FILE},
	{SYS_mkdirat, WAIT_CALL_NAME | NO_FILE},
	{SYS_linkat, WAIT_CALL_NAME | NO_FILE},
	{SYS_symlinkat, WAIT_CALL_NAME | NO_FILE},
	{SYS_mknodat, WAIT_CALL_NAME | NO_FILE},
	{SYS_statx, WAIT_CALL_NAME | NO_FILE},
	{SYS_newfstatat, WAIT_CALL_NAME | NO_FILE},
	{SYS_getdents64, WAIT_CALL_NAME | NO_FILE},
	{SYS_io_submit, WAIT_CALL_AIO_SUBMIT | ANY_TASK},
	{SYS_io_getevents, WAIT_CALL_AIO_WAIT | ANY_TASK},
#ifdef SYS_io_pgetevents
	{SYS_io_pgetevents, WAIT_CALL_AIO_WAIT | ANY_TASK},
#endif
	{SYS_io_uring_enter, WAIT_CALL_IO_URING | ANY_TASK},
	{SYS_execve, WAIT_CALL_EXEC | NO_FILE},
	{SYS_execveat, WAIT_CALL_EXEC | NO_FILE},
/* Not on arm64: */
#ifdef SYS_open
	{SYS_open, WAIT_CALL_OPEN | NO_FILE},
	{SYS_creat, WAIT_CALL_OPEN | NO_FILE},
	{SYS_unlink, WAIT_CALL_NAME | NO_FILE},
	{SYS_rename, WAIT_CALL_NAME | NO_FILE},
	{SYS_renameat, WAIT_CALL_NAME | NO_FILE},
	{SYS_mkdir, WAIT_CALL_NAME | NO_FILE},
	{SYS_rmdir, WAIT_CALL_NAME | NO_FILE},
	{SYS_link, WAIT_CALL_NAME | NO_FILE},
	{SYS_symlink, WAIT_CALL_NAME | NO_FILE},
	{SYS_stat, WAIT_CALL_NAME | NO_FILE},
	{SYS_lstat, WAIT_CALL_NAME | NO_FILE},
	{SYS_getdents, WAIT_CALL_NAME | NO_FILE},
#endif
};

void wait_numbers__fill(uint8_t numbers[WAIT_NUMBERS_MAX])
{
	for (size_t i = 0; i < sizeof(followed) / sizeof(followed[0]); i++)
		if (followed[i].number < WAIT_NUMBERS_MAX)
			numbers[followed[i].number] = followed[i].entry;
}
