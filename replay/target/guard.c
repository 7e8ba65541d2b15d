// SPDX-License-Identifier: MIT
#include "replay/target/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "replay/target/exports.h"
#include "replay/target/neighbours.h"
#include "replay/target/openers.h"

#define TICK_MS		50
#define SHORT_TICK_MS	2  /* while the lease is let go for a reader */
#define LOOK_TICKS	20 /* ticks from one look at the loop devices to the next */
#define LET_IN_TICKS	50
#define NEIGHBOURS_MAX	64
#define AFTERMATH_TICKS 100 /* after somebody opened the file: a look at each tick */

struct guard {
	const struct safety_view *view;
	const char *path;
	int fd, end, opens; /* opens: an inotify descriptor, or -1 */
	struct storage storage;
	struct storage_tree tree; /* of storage, as it was last looked at */
	bool mapped;		  /* it lies on the device mapper, md or the like */
	unsigned int neighbour_count;
	dev_t neighbours[NEIGHBOURS_MAX]; /* that were there before, and are held */
	uint64_t loops; /* a hash of the attached loop devices that were looked at */
	bool leases;	/* the file system has leases, and this process may take them */
	bool leased;
	unsigned int
		let_in; /* ticks that a reader gets to open the file, until the lease is taken again */
	_Atomic(volatile sig_atomic_t *) enough;
	atomic_bool taken;
	struct refusal why;
	pthread_t thread;
};

/* Before ------------------------------------------------------------------------------------ */

static bool has_writers(int fd)
{
	if (!fcntl(fd, F_SETLEASE, F_RDLCK)) {
		fcntl(fd, F_SETLEASE, F_UNLCK);
		return false;
	}
	return errno == EAGAIN || errno == EBUSY;
}

static bool real_has_writers(const struct safety_view *view, int fd)
{
	int real = storage__open_real(view, fd);
	bool found;

	if (real < 0)
		return false;
	found = has_writers(real);
	close(real);
	return found;
}

int guard__check_writers(const struct safety_view *view, const char *path, int fd,
			 const struct storage *storage, struct refusal *why)
{
	char other[NEIGHBOUR_PATH_MAX] = "it", folder[PATH_MAX];
	struct opener opener;

	if (openers__find(view, storage, false, &opener)) {
		if (opener.device)
			neighbours__path(view, opener.device, other, sizeof(other));
		return refuse(
			why, SAFETY_BUSY,
			"%s is in use: process %d (%s) has %s open for writing%s; end that or "
			"choose another target",
			path, (int)opener.pid, opener.name, other,
			opener.device ? ", which shares its data" : "");
	}
	if (exports__find(view, storage, folder))
		return refuse(why, SAFETY_BUSY,
			      "%s is in use: the kernel's NVMe target gives it to other machines; "
			      "end that (echo 0 >%s/enable) or choose another target",
			      path, folder);
	if (storage->block || (!has_writers(fd) && !real_has_writers(view, fd)))
		return 0;
	return refuse(why, SAFETY_BUSY,
		      "%s is in use: the kernel or a process that cannot be seen from here has it "
		      "open for writing; end that or choose another target",
		      path);
}

/* While ------------------------------------------------------------------------------------- */

static void take(struct guard *g)
{
	volatile sig_atomic_t *enough;

	atomic_store(&g->taken, true);
	enough = atomic_load(&g->enough);
	if (enough)
		*enough = true;
}

/* The signal of a lease that is broken would end the process; SIGURG is ignored, and the thread asks. */
static bool take_lease(struct guard *g)
{
	if (fcntl(g->fd, F_SETSIG, SIGURG) || fcntl(g->fd, F_SETLEASE, F_WRLCK))
		return false;
	g->leased = true;
	return true;
}

static void look_for_writers(struct guard *g)
{
	struct opener opener;

	if (!openers__find(g->view, &g->storage, true, &opener))
		return;
	refuse(&g->why, SAFETY_BUSY, "%s was opened for writing by process %d (%s)", g->path,
	       (int)opener.pid, opener.name);
	take(g);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* The number of the disk tells a loop device from its last use (Linux 5.15). */
static uint64_t hash_loop(const struct safety_view *view, const char *name)
{
	static const char *const attributes[] = {"loop/backing_file", "loop/offset", "diskseq"};
	uint64_t hash = hash_text(0xcbf29ce484222325ull, name);
	char path[PATH_MAX], text[PATH_MAX];

	for (unsigned int i = 0; i < 3; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/block/%s/%s", view->sysfs_path, name,
			 attributes[i]);
		file = fopen(path, "re");
		if (!file && !i)
			return 0; /* not attached */
		if (file && fgets(text, sizeof(text), file))
			hash = hash_text(hash, text);
		if (file)
			fclose(file);
	}
	return hash;
}

static uint64_t hash_loops(const struct safety_view *view)
{
	char path[PATH_MAX];
	struct dirent *entry;
	uint64_t sum = 1;
	DIR *block;

	snprintf(path, sizeof(path), "%s/block", view->sysfs_path);
	block = opendir(path);
	if (!block)
		return 0;
	while ((entry = readdir(block)))
		if (!strncmp(entry->d_name, "loop", 4))
			sum += hash_loop(view, entry->d_name);
	closedir(block);
	return sum;
}

/* To open a loop device that others are about to detach would delay that: only new ones are. */
static void look_at_loops(struct guard *g)
{
	uint64_t loops = hash_loops(g->view);

	if (loops == g->loops)
		return;
	g->loops = loops;
	if (safety__check_loops(g->view, g->path, &g->storage, &g->why) == -EPERM)
		take(g);
}

static bool know_neighbour(void *context, const struct neighbour *n)
{
	struct guard *g = context;

	if (g->neighbour_count < NEIGHBOURS_MAX)
		g->neighbours[g->neighbour_count++] = n->device;
	return false;
}

static bool is_new_neighbour(void *context, const struct neighbour *n)
{
	struct guard *g = context;

	for (unsigned int i = 0; i < g->neighbour_count; i++)
		if (g->neighbours[i] == n->device)
			return false;
	refuse(&g->why, SAFETY_HOLDERS, "%s and %s, which was made meanwhile, both lie on %s",
	       g->path, n->path, n->where);
	return true;
}

/* The device mapper lets others make devices on the sectors of one that is held. */
static void look_at_neighbours(struct guard *g)
{
	if (!g->mapped)
		return;
	storage_tree__follow(g->view, &g->storage, &g->tree);
	if (neighbours__each(g->view, &g->tree, is_new_neighbour, g))
		take(g);
}

static void know_neighbours(struct guard *g)
{
	storage_tree__follow(g->view, &g->storage, &g->tree);
	g->mapped = storage_tree__is_mapped(&g->tree);
	if (g->mapped)
		neighbours__each(g->view, &g->tree, know_neighbour, g);
}

/* A reader is let in; the lease comes back when it has closed the file. */
static void look_at_lease(struct guard *g, unsigned int *aftermath)
{
	int lease = g->leased ? fcntl(g->fd, F_GETLEASE) : F_WRLCK;

	if (lease == F_RDLCK) {
		fcntl(g->fd, F_SETLEASE, F_UNLCK);
		g->leased = false;
		g->let_in = LET_IN_TICKS;
		*aftermath = AFTERMATH_TICKS;
	} else if (lease == F_UNLCK) {
		refuse(&g->why, SAFETY_BUSY, "%s: another program opens it for writing", g->path);
		take(g);
	}
	if (g->let_in)
		g->let_in--;
	if (!g->leased && !g->let_in)
		take_lease(g);
}

/* A writer can come and go while a reader keeps the lease away. The replay itself closes nothing meanwhile. */
static void look_at_opens(struct guard *g, unsigned int *aftermath)
{
	char events[4096] __attribute__((aligned(8)));
	ssize_t got = read(g->opens, events, sizeof(events));

	for (ssize_t at = 0; at < got;) {
		const struct inotify_event *event = (const void *)(events + at);

		at += (ssize_t)(sizeof(*event) + event->len);
		*aftermath = AFTERMATH_TICKS;
		g->let_in = 0;
		if (!(event->mask & IN_CLOSE_WRITE))
			continue;
		refuse(&g->why, SAFETY_BUSY, "%s: another program had it open for writing",
		       g->path);
		take(g);
		return;
	}
}

/* False: the guard ends. */
static bool wait_for_next(struct guard *g, unsigned int *aftermath)
{
	struct pollfd fds[] = {{.fd = g->end, .events = POLLIN},
			       {.fd = g->opens, .events = POLLIN}};

	if (poll(fds, 2, g->leases && !g->leased && *aftermath ? SHORT_TICK_MS : TICK_MS) <= 0)
		return true;
	if (!fds[0].revents && fds[1].revents)
		look_at_opens(g, aftermath);
	return !fds[0].revents;
}

static void *watch(void *context)
{
	struct guard *g = context;
	unsigned int aftermath = 0;

	for (unsigned int tick = 0; !atomic_load(&g->taken); tick++) {
		bool look = aftermath || tick % LOOK_TICKS == 0;

		if (g->leases)
			look_at_lease(g, &aftermath);
		if (look && !atomic_load(&g->taken))
			look_at_loops(g);
		if (look && !atomic_load(&g->taken))
			look_at_neighbours(g);
		if (look && (g->leases || aftermath) && !g->leased && !atomic_load(&g->taken))
			look_for_writers(g);
		aftermath -= aftermath > 0;
		if (!wait_for_next(g, &aftermath))
			break;
	}
	return NULL;
}

/* The real file of one on overlayfs has openers of its own. */
static void watch_opens(struct guard *g)
{
	int real = storage__open_real(g->view, g->fd);
	char path[64];

	g->opens = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", g->fd);
	inotify_add_watch(g->opens, path, IN_OPEN | IN_CLOSE_WRITE);
	if (real < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", real);
	inotify_add_watch(g->opens, path, IN_OPEN | IN_CLOSE_WRITE);
	close(real);
}

static void close_all(struct guard *g)
{
	if (g->end >= 0)
		close(g->end);
	if (g->opens >= 0)
		close(g->opens);
}

int guard__start(const struct safety_view *view, const char *path, int fd,
		 const struct storage *storage, struct guard **guard)
{
	struct guard *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	g->view = view;
	g->path = path;
	g->fd = fd;
	g->storage = *storage;
	g->opens = -1;
	if (!storage->block) {
		watch_opens(g);
		g->leases = take_lease(g) || errno == EAGAIN;
	}
	know_neighbours(g);
	/* What began between the checks and here. */
	look_at_loops(g);
	if (g->leases && !g->leased && !atomic_load(&g->taken))
		look_for_writers(g);
	g->end = eventfd(0, EFD_CLOEXEC);
	err = g->end < 0 ? -errno : -pthread_create(&g->thread, NULL, watch, g);
	if (!err) {
		*guard = g;
		return 0;
	}
	close_all(g);
	free(g);
	return err;
}

void guard__end(struct guard *g)
{
	if (!g)
		return;
	eventfd_write(g->end, 1);
	pthread_join(g->thread, NULL);
	if (g->leased)
		fcntl(g->fd, F_SETLEASE, F_UNLCK);
	close_all(g);
	free(g);
}

void guard__tell(struct guard *g, volatile sig_atomic_t *enough)
{
	atomic_store(&g->enough, enough);
	if (enough && atomic_load(&g->taken))
		*enough = true;
}

const char *guard__verdict(struct guard *g)
{
	return atomic_load(&g->taken) ? g->why.text : NULL;
}
