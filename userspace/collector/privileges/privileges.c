// SPDX-License-Identifier: MIT
#include "collector/privileges/privileges.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/log.h"

struct capabilities {
	uint64_t effective, permitted, inheritable;
};

static int get_capabilities(struct capabilities *c)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	c->effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	c->permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	c->inheritable = (uint64_t)data[1].inheritable << 32 | data[0].inheritable;
	return 0;
}

static int set_capabilities(const struct capabilities *c)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {
		{(uint32_t)c->effective, (uint32_t)c->permitted, (uint32_t)c->inheritable},
		{(uint32_t)(c->effective >> 32), (uint32_t)(c->permitted >> 32),
		 (uint32_t)(c->inheritable >> 32)},
	};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

uint64_t privileges__effective(void)
{
	struct capabilities c = {0};

	return get_capabilities(&c) ? 0 : c.effective;
}

bool privileges__can_record(void)
{
	uint64_t needed = PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON);
	uint64_t set = privileges__effective();

	return set & PRIVILEGE(CAP_SYS_ADMIN) || (set & needed) == needed;
}

int privileges__become_user(const struct privileges_plan *plan)
{
	if (!plan->change_user)
		return 0;
	/* Whether CAP_BPF is still needed is decided later. */
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -errno;
	if (plan->user[0] ? initgroups(plan->user, plan->gid) : setgroups(1, &plan->gid))
		return -errno;
	if (setresgid(plan->gid, plan->gid, plan->gid) ||
	    setresuid(plan->uid, plan->uid, plan->uid))
		return -errno;
	return 0;
}

/* Of this thread alone; the functions of the C library change all threads. */
static int set_thread_groups(const gid_t *groups, int count)
{
	return syscall(SYS_setgroups, (size_t)count, groups) ? -errno : 0;
}

int privileges__borrow_files(const struct privileges_plan *plan, struct borrowed_files *borrowed)
{
	int err;

	*borrowed = (struct borrowed_files){0};
	if (!plan->change_user)
		return 0;
	borrowed->group_count = getgroups(PRIVILEGES_GROUPS_MAX, borrowed->groups);
	if (borrowed->group_count < 0)
		return -errno;
	err = set_thread_groups(&plan->gid, 1);
	if (err)
		return err;
	borrowed->is_borrowed = true;
	borrowed->gid = (gid_t)setfsgid(plan->gid);
	borrowed->uid = (uid_t)setfsuid(plan->uid);
	if ((uid_t)setfsuid((uid_t)-1) == plan->uid && (gid_t)setfsgid((gid_t)-1) == plan->gid)
		return 0;
	privileges__return_files(borrowed);
	return -EPERM;
}

void privileges__return_files(const struct borrowed_files *borrowed)
{
	if (!borrowed->is_borrowed)
		return;
	setfsuid(borrowed->uid);
	setfsgid(borrowed->gid);
	if (set_thread_groups(borrowed->groups, borrowed->group_count))
		pr_warn("cannot return to the groups of this process");
}

/* The bounding set limits what execve(2) can grant; only CAP_SETPCAP may shrink it. */
static void empty_bounding_set(struct capabilities *c)
{
	c->effective |= c->permitted & PRIVILEGE(CAP_SETPCAP);
	if (!(c->effective & PRIVILEGE(CAP_SETPCAP)) || set_capabilities(c))
		return;
	for (unsigned long capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0))
			return;
}

static int keep_only(struct capabilities *c, uint64_t effective, uint64_t permitted)
{
	permitted &= c->permitted;
	*c = (struct capabilities){effective & permitted, permitted, 0};
	return set_capabilities(c);
}

int privileges__drop(uint64_t keep, int (*works)(void *context), void *context, uint64_t *kept)
{
	uint64_t bpf = PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_SYS_ADMIN);
	struct capabilities c;
	int err;

	err = get_capabilities(&c);
	if (err)
		return err;
	empty_bounding_set(&c);
	/* These two cannot fail on a kernel that has BPF. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* CAP_SYS_ADMIN replaces CAP_BPF only where CAP_BPF is missing. */
	if (c.permitted & PRIVILEGE(CAP_BPF))
		bpf = PRIVILEGE(CAP_BPF);
	err = keep_only(&c, keep, keep | bpf);
	if (!err && works(context) == -EPERM)
		err = keep_only(&c, keep | bpf, keep | bpf);
	else if (!err)
		err = keep_only(&c, keep, keep);
	*kept = c.effective;
	return err;
}

int privileges__give_up(const struct privileges_plan *plan, const char *path,
			int (*works)(void *context), void *context)
{
	uint64_t kept;
	int err;

	err = privileges__become_user(plan);
	if (!err)
		err = privileges__drop(plan->keep, works, context, &kept);
	if (err)
		return err;
	if (plan->keep_after)
		pr_info("keeping CAP_DAC_OVERRIDE: root cannot write into the directory of %s without it",
			path);
	if (kept & ~plan->keep)
		pr_info("keeping CAP_BPF: this kernel requires it to read the counts of the probes");
	return 0;
}

int privileges__give_up_rest(const struct privileges_plan *plan, int (*works)(void *context),
			     void *context)
{
	uint64_t kept;

	if (plan->keep == plan->keep_after)
		return 0;
	return privileges__drop(plan->keep_after, works, context, &kept);
}
