// SPDX-License-Identifier: MIT
#include "explain/figures/wait_cause.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *words;
} causes[CAUSE_COUNT] = {
	[CAUSE_PAGE_READ] = {"page_read", "a page from the device"},
	[CAUSE_READAHEAD_IN_FLIGHT] = {"readahead_in_flight", "readahead on its way"},
	[CAUSE_PAGE_LOCK] = {"page_lock", "a page that another task held"},
	[CAUSE_WRITEBACK_OF_PAGE] = {"writeback_of_page", "its dirty pages to be written"},
	[CAUSE_DIRTY_THROTTLE] = {"dirty_throttle", "the limit of dirty pages"},
	[CAUSE_JOURNAL] = {"journal", "the journal"},
	[CAUSE_CGROUP_LIMIT] = {"cgroup_limit", "the IO limit of its cgroup"},
	[CAUSE_WBT] = {"wbt", "writeback throttling (wbt)"},
	[CAUSE_TAG] = {"tag", "a free request (tag)"},
	[CAUSE_SCHEDULER] = {"scheduler", "the IO scheduler"},
	[CAUSE_DEVICE] = {"device", "the device"},
	[CAUSE_FLUSH] = {"flush", "a flush of the device's cache"},
	[CAUSE_RECLAIM] = {"reclaim", "memory to be freed"},
	[CAUSE_RUN_QUEUE] = {"run_queue", "a CPU (it could run)"},
	[CAUSE_CPU] = {"cpu", "running"},
	[CAUSE_OTHER] = {"other", "something else"},
};

const char *wait_cause_name(enum wait_cause cause)
{
	return cause < CAUSE_COUNT ? causes[cause].name : "other";
}

const char *wait_cause_words(enum wait_cause cause)
{
	return cause < CAUSE_COUNT ? causes[cause].words : "something else";
}

enum wait_cause wait_cause_largest(const uint64_t ns[CAUSE_COUNT])
{
	enum wait_cause most = CAUSE_OTHER;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (ns[cause] > ns[most])
			most = cause;
	return most;
}

/*
 * The first row with a function that is in the stack tells the cause: what a task waits for in the
 * name of another thing (to free memory, to get a request) stands before that thing. A name that
 * ends in * is the beginning of names.
 */
static const struct {
	const char *function;
	enum wait_cause cause;
} table[] = {
	{"try_to_free_pages", CAUSE_RECLAIM},
	{"try_to_free_mem_cgroup_pages", CAUSE_RECLAIM},
	{"mem_cgroup_handle_over_high", CAUSE_RECLAIM},
	{"__mem_cgroup_handle_over_high", CAUSE_RECLAIM},
	{"try_charge_memcg", CAUSE_RECLAIM},
	{"shrink_node", CAUSE_RECLAIM},
	{"shrink_lruvec", CAUSE_RECLAIM},
	{"reclaim_throttle", CAUSE_RECLAIM},
	{"wbt_wait", CAUSE_WBT},
	{"ioc_rqos_throttle", CAUSE_CGROUP_LIMIT},
	{"iocg_kick_delay", CAUSE_CGROUP_LIMIT},
	{"blkcg_iolatency_throttle", CAUSE_CGROUP_LIMIT},
	{"blkcg_maybe_throttle_current", CAUSE_CGROUP_LIMIT},
	{"blkcg_maybe_throttle_blkg", CAUSE_CGROUP_LIMIT},
	{"__blk_throtl_bio", CAUSE_CGROUP_LIMIT},
	{"rq_qos_wait", CAUSE_WBT},
	{"blk_mq_get_tag", CAUSE_TAG},
	{"__blk_mq_alloc_requests", CAUSE_TAG},
	{"balance_dirty_pages*", CAUSE_DIRTY_THROTTLE},
	{"blkdev_issue_flush", CAUSE_FLUSH},
	{"jbd2_*", CAUSE_JOURNAL},
	{"__jbd2_*", CAUSE_JOURNAL},
	{"wait_transaction_locked", CAUSE_JOURNAL},
	{"add_transaction_credits", CAUSE_JOURNAL},
	{"start_this_handle", CAUSE_JOURNAL},
	{"do_get_write_access", CAUSE_JOURNAL},
	{"ext4_fc_commit", CAUSE_JOURNAL},
	{"xlog_*", CAUSE_JOURNAL},
	{"xfs_log_force*", CAUSE_JOURNAL},
	{"btrfs_commit_transaction", CAUSE_JOURNAL},
	{"btrfs_wait_for_commit", CAUSE_JOURNAL},
	{"btrfs_sync_log", CAUSE_JOURNAL},
	{"wait_current_trans", CAUSE_JOURNAL},
	{"wait_for_commit", CAUSE_JOURNAL},
	{"folio_wait_writeback*", CAUSE_WRITEBACK_OF_PAGE},
	{"wait_on_page_writeback*", CAUSE_WRITEBACK_OF_PAGE},
	{"folio_wait_stable", CAUSE_WRITEBACK_OF_PAGE},
	{"wait_for_stable_page", CAUSE_WRITEBACK_OF_PAGE},
	{"__filemap_fdatawait_range", CAUSE_WRITEBACK_OF_PAGE},
	{"wb_wait_for_completion", CAUSE_WRITEBACK_OF_PAGE},
	{"btrfs_wait_ordered_range", CAUSE_WRITEBACK_OF_PAGE},
	{"__sync_dirty_buffer", CAUSE_WRITEBACK_OF_PAGE},
	{"write_dirty_buffer", CAUSE_WRITEBACK_OF_PAGE},
	{"sync_mapping_buffers", CAUSE_WRITEBACK_OF_PAGE},
	{"fsync_buffers_list", CAUSE_WRITEBACK_OF_PAGE},
	{"do_swap_page", CAUSE_OF_PAGE},
	{"__iomap_dio_rw", CAUSE_OF_IO},
	{"iomap_dio_rw", CAUSE_OF_IO},
	{"__blkdev_direct_IO*", CAUSE_OF_IO},
	{"blkdev_direct_IO*", CAUSE_OF_IO},
	{"dio_await_*", CAUSE_OF_IO},
	{"do_blockdev_direct_IO", CAUSE_OF_IO},
	{"__blockdev_direct_IO", CAUSE_OF_IO},
	{"read_events", CAUSE_OF_IO},
	{"do_io_getevents", CAUSE_OF_IO},
	{"io_cqring_wait", CAUSE_OF_IO},
	{"io_cqring_schedule_timeout", CAUSE_OF_IO},
	{"__do_sys_io_uring_enter", CAUSE_OF_IO},
	{"submit_bio_wait", CAUSE_OF_IO},
	{"xfs_buf_iowait", CAUSE_OF_IO},
	{"blk_execute_rq", CAUSE_OF_IO},
	{"filemap_update_page", CAUSE_OF_PAGE},
	{"filemap_get_pages", CAUSE_OF_PAGE},
	{"filemap_read", CAUSE_OF_PAGE},
	{"filemap_fault", CAUSE_OF_PAGE},
	{"generic_file_buffered_read", CAUSE_OF_PAGE},
	{"folio_wait_bit*", CAUSE_OF_PAGE},
	{"wait_on_page_bit*", CAUSE_OF_PAGE},
	{"__lock_page*", CAUSE_OF_PAGE},
	{"__folio_lock*", CAUSE_OF_PAGE},
	{"__wait_on_buffer", CAUSE_OF_PAGE},
	{"bit_wait_io", CAUSE_OF_PAGE},
};

/* What leads from any wait to the scheduler. */
static const char *const leading[] = {
	"schedule",
	"io_schedule",
	"__schedule",
	"schedule_timeout",
	"io_schedule_timeout",
	"schedule_preempt_disabled",
	"schedule_hrtimeout*",
	"bit_wait*",
	"__wait_on_bit*",
	"out_of_line_wait*",
	"__wait_for_common",
	"wait_for_completion*",
	"__mutex_lock*",
	"__cond_resched",
	"preempt_schedule*",
	"do_nanosleep",
	"hrtimer_nanosleep",
};

/* Whether the function of `length` bytes is `name`, or begins with a name that ends in *. */
static bool is_called(const char *function, size_t length, const char *name)
{
	size_t bytes = strlen(name);

	if (name[bytes - 1] == '*')
		return length >= bytes - 1 && !memcmp(function, name, bytes - 1);
	return length == bytes && !memcmp(function, name, bytes);
}

static bool has_function(const char *functions, const char *name)
{
	while (*functions) {
		size_t length = strcspn(functions, " ");

		if (is_called(functions, length, name))
			return true;
		functions += length + (functions[length] == ' ');
	}
	return false;
}

enum wait_cause wait_cause_of_stack(const char *functions)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (has_function(functions, table[i].function))
			return table[i].cause;
	return CAUSE_OTHER;
}

static bool is_leading(const char *function, size_t length)
{
	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++)
		if (is_called(function, length, leading[i]))
			return true;
	return false;
}

void wait_cause_function(const char *functions, char *name, size_t bytes)
{
	size_t length = strcspn(functions, " ");

	while (*functions && is_leading(functions, length)) {
		functions += length + (functions[length] == ' ');
		length = strcspn(functions, " ");
	}
	snprintf(name, bytes, "%.*s", (int)length, functions);
}

bool wait_cause_is_in_file_call(const char *functions)
{
	static const char *const calls[] = {
		"ksys_read",	    "ksys_write",	   "ksys_pread64", "ksys_pwrite64",
		"vfs_readv",	    "vfs_writev",	   "do_readv",	   "do_writev",
		"do_preadv",	    "do_pwritev",	   "do_fsync",	   "ksys_sync_file_range",
		"vfs_fallocate",    "ksys_fallocate",	   "do_sendfile",  "do_splice*",
		"do_sys_ftruncate", "vfs_copy_file_range",
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (has_function(functions, calls[i]))
			return true;
	return false;
}

bool wait_cause_is_in_io_worker(const char *functions)
{
	return has_function(functions, "io_wq_worker") || has_function(functions, "io_wqe_worker");
}

bool wait_cause_is_in_io_request(const char *functions)
{
	return has_function(functions, "io_wq_submit_work");
}

const char *wait_cause_place(const char *functions)
{
	static const struct {
		const char *function, *place;
	} places[] = {
		{"exc_page_fault", "page_fault"},
		{"do_user_addr_fault", "page_fault"},
		{"handle_mm_fault", "page_fault"},
		{"do_page_fault", "page_fault"},
		{"do_execveat_common", "exec"},
		{"__x64_sys_execve", "exec"},
		{"do_exit", "exit"},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (has_function(functions, places[i].function))
			return places[i].place;
	return wait_cause_is_in_io_worker(functions) ? "io_worker" : "other";
}
