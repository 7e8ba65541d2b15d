// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "trace/rows.h"

static const char *const op_names[] = {
	[IO_OP_READ] = "read",
	[IO_OP_WRITE] = "write",
	[IO_OP_FLUSH] = "flush",
	[IO_OP_DISCARD] = "discard",
	[IO_OP_SECURE_ERASE] = "secure_erase",
	[IO_OP_WRITE_ZEROES] = "write_zeroes",
	[IO_OP_ZONE_OPEN] = "zone_open",
	[IO_OP_ZONE_CLOSE] = "zone_close",
	[IO_OP_ZONE_FINISH] = "zone_finish",
	[IO_OP_ZONE_APPEND] = "zone_append",
	[IO_OP_ZONE_RESET] = "zone_reset",
	[IO_OP_ZONE_RESET_ALL] = "zone_reset_all",
	[IO_OP_PASSTHROUGH] = "passthrough",
};

static const char *const tick_op_names[] = {
	[TICK_READ] = "read",
	[TICK_WRITE] = "write",
	[TICK_DISCARD] = "discard",
	[TICK_FLUSH] = "flush",
};

static const char *const origin_names[] = {
	[IO_ORIGIN_UNKNOWN] = "unknown",   [IO_ORIGIN_FILE] = "file",
	[IO_ORIGIN_BLOCKDEV] = "blockdev", [IO_ORIGIN_DIRECT] = "direct",
	[IO_ORIGIN_SWAP] = "swap",	   [IO_ORIGIN_NONE] = "none",
};

static const struct {
	const char *name, *meaning, *remedy;
} losses[] = {
	[LOSS_IO_RING] = {"io_ring", "IOs not recorded because a ring buffer was full",
			  "record with a larger --ring-size, or fewer devices (-d)"},
	[LOSS_IO_STATE] = {"io_state", "IOs not followed because too many were in flight at once",
			   "record fewer devices at a time (-d)"},
	[LOSS_CACHE_TABLE] = {"cache_table", "pages not attributed because the account was full",
			      "narrow the recording to one device (-d) or process (--pid)"},
	[LOSS_RECURSION] = {"recursion", "probe calls that the kernel skipped",
			    "stop other tracers; from Linux 7.0 on it happens when all CPUs are "
			    "busy: record fewer devices (-d), or leave a CPU free"},
	[LOSS_NAMES] =
		{"names", "file names not recorded because a ring buffer was full",
		 "the figures are right, only names are missing; a larger --ring-size helps"},
	[LOSS_OUTPUT] = {"output", "rows not written because the output could not take them",
			 "write to a file system with more free space (-o)"},
	[LOSS_IO_EVENT] = {"io_event", "IOs of which the kernel did not report every event",
			   "their rows are kept, with a time or the submitter missing"},
	[LOSS_FILE_DAMAGE] = {"file_damage", "rows lost because the file was damaged",
			      "copy the trace again from its source, if that is whole"},
	[LOSS_ACCESS_RING] = {"access_ring", "accesses not recorded because a ring buffer was full",
			      "record with a larger --ring-size, or fewer files (-d, --pid)"},
	[LOSS_WAITS] =
		{"waits",
		 "waits not recorded, or without their stack, because a ring buffer or a table was full",
		 "record with a larger --ring-size, or fewer tasks (-d, --pid)"},
};

static const char *const access_names[] = {
	[ACCESS_READ] = "read",
	[ACCESS_WRITE] = "write",
	[ACCESS_FAULT] = "fault",
	[ACCESS_SPLICE] = "splice",
	[ACCESS_DIRECT_READ] = "direct_read",
	[ACCESS_DIRECT_WRITE] = "direct_write",
	[ACCESS_SYNC] = "sync",
	[ACCESS_ADVICE] = "advice",
	[ACCESS_TRUNCATE] = "truncate",
	[ACCESS_INVALIDATE] = "invalidate",
};

static const char *const wait_what_names[] = {
	[WAIT_SLEEP] = "sleep",
	[WAIT_CALL] = "call",
	[WAIT_CALLS] = "calls",
	[WAIT_TASK] = "task",
};

static const char *const wait_call_names[] = {
	[WAIT_CALL_NONE] = "",
	[WAIT_CALL_READ] = "read",
	[WAIT_CALL_WRITE] = "write",
	[WAIT_CALL_FSYNC] = "fsync",
	[WAIT_CALL_FDATASYNC] = "fdatasync",
	[WAIT_CALL_SYNC] = "sync",
	[WAIT_CALL_SPLICE] = "splice",
	[WAIT_CALL_TRUNCATE] = "truncate",
	[WAIT_CALL_ADVICE] = "advice",
	[WAIT_CALL_OPEN] = "open",
	[WAIT_CALL_CLOSE] = "close",
	[WAIT_CALL_NAME] = "name",
	[WAIT_CALL_AIO_SUBMIT] = "aio_submit",
	[WAIT_CALL_AIO_WAIT] = "aio_wait",
	[WAIT_CALL_IO_URING] = "io_uring",
	[WAIT_CALL_EXEC] = "exec",
};

static const char *const file_kind_names[] = {
	[FILE_REGULAR] = "regular",
	[FILE_DIRECTORY] = "directory",
	[FILE_BLOCKDEV] = "blockdev",
	[FILE_OTHER] = "other",
};

struct flag_name {
	uint32_t flag;
	const char *name;
};

/* In the order of printing, which scripts may rely on. */
static const struct flag_name flag_names[] = {
	{IO_SYNC, "sync"},
	{IO_META, "meta"},
	{IO_PRIO, "prio"},
	{IO_FUA, "fua"},
	{IO_PREFLUSH, "preflush"},
	{IO_RAHEAD, "rahead"},
	{IO_BACKGROUND, "background"},
	{IO_NOWAIT, "nowait"},
	{IO_IDLE, "idle"},
	{IO_POLLED, "polled"},
	{IO_SWAP, "swap"},
	{IO_ATOMIC, "atomic"},
	{IO_HINT_SHORT, "hint_short"},
	{IO_HINT_MEDIUM, "hint_medium"},
	{IO_HINT_LONG, "hint_long"},
	{IO_HINT_EXTREME, "hint_extreme"},
	{IO_FLUSH_MACHINERY, "flush_machinery"},
	{IO_STARTED_BEFORE, "started_before"},
	{IO_REQUEUED, "requeued"},
	{IO_MERGES_CUT, "merges_cut"},
	{IO_EVENT_MISSED, "event_missed"},
};

static const struct flag_name access_flag_names[] = {
	{ACCESS_IO_URING, "io_uring"}, {ACCESS_KERNEL, "kernel"}, {ACCESS_DIRTIED, "dirtied"},
	{ACCESS_DATASYNC, "datasync"}, {ACCESS_WAITS, "waits"},	  {ACCESS_BOUNDED, "bounded"},
};

static const struct flag_name wait_flag_names[] = {
	{WAIT_IOWAIT, "iowait"},
	{WAIT_NO_WAKEUP, "no_wakeup"},
	{WAIT_CUT, "cut"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(COUNT(op_names) == IO_OP_COUNT, "each operation has a name");
_Static_assert(COUNT(origin_names) == IO_ORIGIN_COUNT, "each origin has a name");
_Static_assert(COUNT(access_names) == ACCESS_OP_COUNT, "each access has a name");
_Static_assert(COUNT(wait_what_names) == WAIT_WHAT_COUNT, "each of them has a name");
_Static_assert(COUNT(wait_call_names) == WAIT_CALL_COUNT, "each call has a name");
_Static_assert(COUNT(losses) == LOSS_CLASS_COUNT, "each class of loss has a name");

static const char *const row_names[ROW_KIND_COUNT] = {
	[ROW_IO] = "io",     [ROW_CACHE] = "cache",   [ROW_TICK] = "tick", [ROW_LOSS] = "loss",
	[ROW_HIST] = "hist", [ROW_ACCESS] = "access", [ROW_WAIT] = "wait",
};

static const char *name_of(const char *const *names, size_t count, unsigned int value)
{
	return value < count ? names[value] : "unknown";
}

const char *tick_op_name(enum tick_op op)
{
	return name_of(tick_op_names, COUNT(tick_op_names), op);
}

const char *io_op_name(enum io_op op)
{
	return name_of(op_names, COUNT(op_names), op);
}

int io_op_from_name(const char *name)
{
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		if (!strcmp(name, op_names[op]))
			return (int)op;
	return -EINVAL;
}

const char *io_origin_name(enum io_origin origin)
{
	return name_of(origin_names, COUNT(origin_names), origin);
}

static const char *const figure_names[HIST_FIGURE_COUNT] = {
	[HIST_TOTAL_NS] = "total_ns",
	[HIST_DEVICE_NS] = "device_ns",
	[HIST_BYTES] = "bytes",
};

const char *hist_figure_name(enum hist_figure figure)
{
	return figure < HIST_FIGURE_COUNT ? figure_names[figure] : "unknown";
}

const char *wait_what_name(enum wait_what what)
{
	return name_of(wait_what_names, COUNT(wait_what_names), what);
}

const char *wait_call_name(enum wait_call call)
{
	return name_of(wait_call_names, COUNT(wait_call_names), call);
}

const char *access_op_name(enum access_op op)
{
	return name_of(access_names, COUNT(access_names), op);
}

const char *loss_class_name(enum loss_class class)
{
	return (size_t) class < COUNT(losses) ? losses[class].name : "unknown";
}

const char *loss_class_meaning(enum loss_class class)
{
	return (size_t) class < COUNT(losses) ? losses[class].meaning : "unknown losses";
}

const char *loss_class_remedy(enum loss_class class)
{
	return (size_t) class < COUNT(losses) ? losses[class].remedy : "";
}

const char *file_kind_name(enum file_kind kind)
{
	return name_of(file_kind_names, COUNT(file_kind_names), kind);
}

const char *trace_row_name(enum row_kind kind)
{
	return name_of(row_names, COUNT(row_names), kind);
}

static const char *flags_text(const struct flag_name *names, size_t count, uint32_t flags,
			      char *text)
{
	char *at = text;

	*at = '\0';
	for (size_t i = 0; i < count; i++) {
		if (!(flags & names[i].flag))
			continue;
		if (at != text)
			*at++ = '|';
		at = stpcpy(at, names[i].name);
	}
	return text;
}

const char *io_flags_text(uint32_t flags, char *text)
{
	return flags_text(flag_names, COUNT(flag_names), flags, text);
}

const char *access_flags_text(uint32_t flags, char *text)
{
	return flags_text(access_flag_names, COUNT(access_flag_names), flags, text);
}

const char *wait_flags_text(uint32_t flags, char *text)
{
	return flags_text(wait_flag_names, COUNT(wait_flag_names), flags, text);
}
