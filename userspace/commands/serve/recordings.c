// SPDX-License-Identifier: MIT
#include "commands/serve/recordings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "trace/file/reader.h"

struct recordings {
	int fd;
	char *folder;
	struct exemplars *exemplars;
	uint64_t start_ns;
	bool has_warned;
};

int recordings__create(const char *folder, struct exemplars *exemplars,
		       struct recordings **recordings)
{
	struct recordings *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return -ENOMEM;
	r->start_ns = clock_ns(CLOCK_REALTIME);
	r->exemplars = exemplars;
	r->folder = strdup(folder);
	r->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (!r->folder)
		err = -ENOMEM;
	else if (r->fd < 0 ||
		 inotify_add_watch(r->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) < 0)
		err = -errno;
	if (err) {
		recordings__free(r);
		return err;
	}
	*recordings = r;
	return 0;
}

void recordings__free(struct recordings *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->folder);
	free(r);
}

int recordings__fd(const struct recordings *r)
{
	return r->fd;
}

static void take_file(struct recordings *r, const char *name)
{
	struct trace_host host;
	char path[PATH_MAX];
	int err = -ENAMETOOLONG;

	if (snprintf(path, sizeof(path), "%s/%s", r->folder, name) < (int)sizeof(path))
		err = trace_reader__read_host(path, &host);
	if (!err) {
		exemplars__add(r->exemplars, name, &host, r->start_ns, clock_ns(CLOCK_REALTIME));
	} else if ((err == -EACCES || err == -EPERM) && !r->has_warned) {
		pr_warn("%s: %s: no exemplar names it", path, strerror(-err));
		r->has_warned = true;
	}
}

int recordings__take(struct recordings *r)
{
	_Alignas(struct inotify_event) char events[16384];
	ssize_t bytes;

	while ((bytes = read(r->fd, events, sizeof(events))) > 0) {
		const struct inotify_event *event;

		for (const char *at = events; at < events + bytes;
		     at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			if (event->len && !(event->mask & IN_ISDIR))
				take_file(r, event->name);
		}
	}
	return bytes < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}
