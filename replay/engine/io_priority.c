// SPDX-License-Identifier: MIT
#include "replay/engine/io_priority.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/ioprio.h"

#define IOPRIO_WHO_THREAD 1 /* glibc has no name for it */
#define LEVEL_MASK	  7

/* Tries it: kernels differ in the capability that they want, and one in a container may be void. */
static bool try_realtime(void)
{
	long before = syscall(SYS_ioprio_get, IOPRIO_WHO_THREAD, 0);

	if (before < 0 ||
	    syscall(SYS_ioprio_set, IOPRIO_WHO_THREAD, 0, ioprio_make(IO_CLASS_REALTIME, 4)))
		return false;
	syscall(SYS_ioprio_set, IOPRIO_WHO_THREAD, 0, before);
	return true;
}

uint16_t io_priority__of_class(struct io_priority *p, uint16_t ioprio)
{
	unsigned int class = ioprio_class(ioprio), level = ioprio & LEVEL_MASK;

	if (class > IO_CLASS_IDLE)
		return ioprio_effective(0);
	if (class != IO_CLASS_REALTIME)
		return ioprio_make(class, level);
	if (!p->asked)
		p->may_be_realtime = try_realtime();
	p->asked = true;
	if (p->may_be_realtime)
		return ioprio_make(class, level);
	p->lowered++;
	return ioprio_make(IO_CLASS_BEST_EFFORT, level);
}
