// SPDX-License-Identifier: MIT
#include "replay/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/disk_identity.h"
#include "base/output_file.h"
#include "base/units.h"
#include "replay/target/claims.h"
#include "replay/target/device_names.h"
#include "replay/target/file_data.h"
#include "replay/target/guard.h"
#include "replay/target/overlay.h"
#include "replay/target/storage.h"
#include "replay/target/target_path.h"
#include "trace/format.h"

struct target {
	struct target_info info;
	int fd;
	struct stat file;
	unsigned int hint; /* that was given; 0: none */
	uint64_t hint_before;
	struct disk_identity disk; /* of a block device, as it was examined */
	struct guard *guard;
	struct claims claims;
};

static int system_error(struct refusal *why, const char *path, const char *what, int err)
{
	why->rule = SAFETY_NO_RULE;
	snprintf(why->text, sizeof(why->text), "%s: %s: %s", path, what, strerror(-err));
	return err;
}

/* Examining ---------------------------------------------------------------------------------- */

static const struct output_kind new_target_kind = {.name = "target", .is_private = true};

/* The path can lead elsewhere by the next look: this file alone is the target. */
static int create_file(struct target *t, uint64_t size_bytes, struct refusal *why)
{
	const char *path = t->info.path;
	int fd, err = output_file__open(path, &new_target_kind, true, &fd);

	if (err == -EEXIST)
		return refuse(why, SAFETY_EXISTS,
			      "%s exists: leave --create-size out to use it as it is, or name a "
			      "file that does not exist",
			      path);
	if (err == -EXDEV)
		output_file__explain(path, &new_target_kind, err, why->text, sizeof(why->text));
	else if (err)
		system_error(why, path, "cannot create it", err);
	if (err)
		return err;
	t->info.created = true;
	if (fallocate(fd, 0, 0, (off_t)size_bytes))
		err = errno == EOPNOTSUPP && !ftruncate(fd, (off_t)size_bytes) ? 0 : -errno;
	if (fstat(fd, &t->file) && !err)
		err = -errno;
	close(fd);
	return err ? system_error(why, path, "cannot make it that large", err) : 0;
}

bool target__is_same_disk(const struct target *t)
{
	return !t->info.block_device || disk_identity__holds(&t->disk);
}

static bool is_same(const struct target *t, int fd)
{
	struct stat file;

	if (fstat(fd, &file) || (file.st_mode & S_IFMT) != (t->file.st_mode & S_IFMT))
		return false;
	if (t->info.block_device)
		return file.st_rdev == t->file.st_rdev && target__is_same_disk(t);
	return file.st_dev == t->file.st_dev && file.st_ino == t->file.st_ino;
}

static int changed(const struct target *t, struct refusal *why)
{
	return refuse(why, SAFETY_CHANGED, "%s changed while it was examined: try again",
		      t->info.path);
}

/* Virtual machines lock the images that they run on. */
static int check_locks(const char *path, int fd, struct refusal *why)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0; /* none, or a file system without locks */
	return refuse(why, SAFETY_BUSY,
		      "%s is in use: another program has locked it; end that (see 'lslocks') or "
		      "choose another target",
		      path);
}

static int examine_open_file(struct target *t, int fd, struct refusal *why)
{
	const struct safety_view *view = &safety_view_of_system;
	const char *path = t->info.path;
	struct storage storage;
	int err;

	if (!is_same(t, fd))
		return changed(t, why);
	err = storage__of_fd(view, fd, &storage);
	if (err)
		return system_error(why, path, "cannot look at it", err);
	err = safety__check_file(view, path, &storage, why);
	if (!err)
		err = check_locks(path, fd, why);
	return err ? err : guard__check_writers(view, path, fd, &storage, why);
}

static int examine_file(struct target *t, struct refusal *why)
{
	const char *path = t->info.path;
	int fd, err;

	/* O_NONBLOCK: does not wait for the holder of a lease. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return target_path__cannot_open(path, errno, why);
	err = examine_open_file(t, fd, why);
	close(fd);
	return err;
}

static int examine_device(struct target *t, bool zones, struct refusal *why)
{
	const struct safety_view *view = &safety_view_of_system;
	const char *path = t->info.path;
	struct storage storage;
	int err = safety__check_device(view, path, t->file.st_rdev, why);

	if (!err && !zones)
		err = safety__check_zoned(view, path, t->file.st_rdev, why);
	if (err)
		return err;
	storage__of_device(view, t->file.st_rdev, &storage);
	return guard__check_writers(view, path, -1, &storage, why);
}

static int look_at_path(struct target *t, bool writes, struct refusal *why)
{
	const char *path = t->info.path;
	int err;

	if (stat(path, &t->file)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return refuse(why, SAFETY_MISSING,
				      "%s does not exist: name a block device or an existing file, "
				      "or make a file with --create-size SIZE",
				      path);
		return system_error(why, path, "cannot look at it", -errno);
	}
	err = safety__check_kind(path, t->file.st_mode, why);
	return err || !writes ? err : target_path__check(path, &t->file, why);
}

static int examine(struct target *t, const struct target_options *options, struct refusal *why)
{
	int err = options->create_bytes ? create_file(t, options->create_bytes, why)
					: look_at_path(t, options->writes, why);

	if (err)
		return err;
	t->info.block_device = S_ISBLK(t->file.st_mode);
	t->info.device = t->info.block_device ? t->file.st_rdev : t->file.st_dev;
	if (t->info.block_device)
		disk_identity__take(&t->disk, major(t->info.device), minor(t->info.device));
	if (!options->writes)
		return 0;
	return t->info.block_device ? examine_device(t, options->zones, why) : examine_file(t, why);
}

/* libblkid does not know blkreel's own files, and a recording cannot be repeated. */
static int check_no_trace(const char *path, int fd, struct refusal *why)
{
	char magic[TRACE_MAGIC_BYTES];

	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	    memcmp(magic, TRACE_MAGIC, sizeof(magic)))
		return 0;
	return refuse(why, SAFETY_SIGNATURE,
		      "%s is a trace: remove it first or choose another target", path);
}

static int look_at_contents(struct target *t, const struct target_options *options,
			    struct refusal *why)
{
	int err = check_no_trace(options->path, t->fd, why);

	if (!err)
		err = safety__check_signatures(&safety_view_of_system, options->path, t->fd,
					       options->forced_signatures, options->forced_count,
					       t->info.contents, sizeof(t->info.contents), why);
	if (!err)
		err = claims__check_signatures(&safety_view_of_system, options->path, &t->claims,
					       options->forced_signatures, options->forced_count,
					       why);
	if (!err && !t->info.block_device && !t->info.created)
		t->info.holds_data = file_data__has(t->fd);
	return err;
}

/* libblkid reads without the alignment that O_DIRECT needs. A second descriptor would break the lease. */
static int check_contents(struct target *t, const struct target_options *options,
			  struct refusal *why)
{
	int flags = fcntl(t->fd, F_GETFL), err;

	if (flags < 0 || fcntl(t->fd, F_SETFL, flags & ~O_DIRECT))
		return system_error(why, options->path, "cannot read it", -errno);
	err = look_at_contents(t, options, why);
	if (fcntl(t->fd, F_SETFL, flags) && !err)
		err = system_error(why, options->path, "cannot open it", -errno);
	return err;
}

/* Opening ------------------------------------------------------------------------------------ */

static int open_target(struct target *t, const struct target_options *options, struct refusal *why)
{
	const char *path = t->info.path;
	bool writes = options->writes;
	int flags = O_CLOEXEC | (writes && !options->dry_run ? O_RDWR : O_RDONLY);

	if (writes && options->dry_run && access(path, W_OK))
		return target_path__cannot_open(path, errno, why);
	if (writes && t->info.block_device) {
		flags |= O_EXCL;
		t->info.exclusive = true;
	} else if (writes)
		flags |= O_NONBLOCK; /* does not wait for the holder of a lease */
	t->info.direct = !t->info.buffered;
	t->fd = open(path, flags | (t->info.direct ? O_DIRECT : 0));
	if (t->fd < 0 && errno == EINVAL && t->info.direct) {
		t->info.direct = false;
		t->fd = open(path, flags);
	}
	if (t->fd >= 0) {
		fcntl(t->fd, F_SETFL, (flags & ~O_NONBLOCK) | (t->info.direct ? O_DIRECT : 0));
		return is_same(t, t->fd) ? 0 : changed(t, why);
	}
	return target_path__cannot_open(path, errno, why);
}

/* From here on nobody begins to use the target without being noticed. */
static int hold(struct target *t, struct refusal *why)
{
	const struct safety_view *view = &safety_view_of_system;
	struct storage storage;
	int err = storage__of_fd(view, t->fd, &storage);

	/* Its real file is known only since it was opened for writing. */
	if (!err && overlay__has(t->fd)) {
		err = safety__check_file(view, t->info.path, &storage, why);
		if (err)
			return err;
	}
	if (!err)
		err = guard__start(view, t->info.path, t->fd, &storage, &t->guard);
	if (err)
		return system_error(why, t->info.path, "cannot be watched", err);
	if (claims__take(view, t->info.path, &storage, &t->claims, why))
		return -EPERM;
	return target__taken(t) ? refuse(why, SAFETY_BUSY, "%s", target__taken(t)) : 0;
}

static int lock_file(struct target *t, struct refusal *why)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if ((!fcntl(t->fd, F_OFD_SETLK, &lock) || (errno != EAGAIN && errno != EACCES)) &&
	    (!flock(t->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK))
		return 0; /* or a file system without locks */
	return refuse(why, SAFETY_BUSY,
		      "%s is in use: another program has locked it; end that (see 'lslocks') or "
		      "choose another target",
		      t->info.path);
}

static int measure_device(struct target *t, bool writes, struct refusal *why)
{
	int read_only = 0, block_bytes = 0;
	struct device_names names;
	uint64_t size_bytes = 0;

	if (ioctl(t->fd, BLKGETSIZE64, &size_bytes) || ioctl(t->fd, BLKSSZGET, &block_bytes) ||
	    ioctl(t->fd, BLKROGET, &read_only))
		return system_error(why, t->info.path, "cannot measure it", -errno);
	if (writes && read_only)
		return refuse(why, SAFETY_READ_ONLY,
			      "%s is read-only: make it writable (blockdev --setrw %s) or replay "
			      "with --reads-only",
			      t->info.path, t->info.path);
	t->info.size_bytes = size_bytes;
	t->info.block_bytes = block_bytes > 0 ? (uint32_t)block_bytes : SECTOR_BYTES;
	if (safety__sysfs_number(&safety_view_of_system, t->info.device, "queue/nr_zones", 0))
		t->info.zone_bytes =
			SECTOR_BYTES * safety__sysfs_number(&safety_view_of_system, t->info.device,
							    "queue/chunk_sectors", 0);
	device_names__read(t->info.device, &names);
	strcpy(t->info.name, names.name);
	strcpy(t->info.model, names.model);
	strcpy(t->info.part_of, names.part_of);
	return 0;
}

static bool takes_direct_reads_of(struct target *t, size_t bytes)
{
	void *page =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t got;

	if (page == MAP_FAILED)
		return false;
	got = pread(t->fd, page, bytes, (off_t)bytes);
	munmap(page, PAGE_BYTES);
	return got >= 0;
}

static uint32_t direct_alignment(struct target *t)
{
#ifdef STATX_DIOALIGN
	struct statx extended;

	if (!statx(t->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &extended) &&
	    (extended.stx_mask & STATX_DIOALIGN) && extended.stx_dio_offset_align)
		return extended.stx_dio_offset_align;
#endif
	return takes_direct_reads_of(t, SECTOR_BYTES) ? SECTOR_BYTES : PAGE_BYTES;
}

static int measure_file(struct target *t, bool writes, struct refusal *why)
{
	t->info.size_bytes = (uint64_t)t->file.st_size;
	t->info.block_bytes = t->info.direct ? direct_alignment(t) : 1;
	return writes ? lock_file(t, why) : 0;
}

int target__open(const struct target_options *options, struct target **target, struct refusal *why)
{
	struct target *t = calloc(1, sizeof(*t));
	int err;

	*why = (struct refusal){0};
	if (!t)
		return system_error(why, options->path, "cannot open it", -ENOMEM);
	t->fd = t->disk.fd = -1;
	if (strlen(options->path) >= sizeof(t->info.path)) {
		free(t);
		return system_error(why, "the target", "cannot open it", -ENAMETOOLONG);
	}
	strcpy(t->info.path, options->path);
	t->info.writes = options->writes;
	t->info.buffered = options->buffered;
	err = examine(t, options, why);
	if (!err)
		err = open_target(t, options, why);
	if (!err)
		err = t->info.block_device ? measure_device(t, options->writes, why)
					   : measure_file(t, options->writes, why);
	if (!err && t->info.size_bytes < t->info.block_bytes)
		err = refuse(why, SAFETY_EMPTY,
			     "%s is %s: name a target with a size, or make a file with "
			     "--create-size SIZE",
			     t->info.path, t->info.size_bytes ? "smaller than one block" : "empty");
	if (!err && options->writes)
		err = hold(t, why);
	/* Last, while the target is held: nobody can put a signature on it after the check. */
	if (!err && options->writes)
		err = check_contents(t, options, why);
	/*
	 * The checks have read parts into the page cache. A direct write there would first have to
	 * drop them, which io_uring hands to a kernel thread: late, and out of order.
	 */
	if (!err && t->info.direct)
		posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
	t->info.polled =
		safety__sysfs_number(&safety_view_of_system, t->info.device, "queue/io_poll", 0);
	if (!err && t->info.direct) {
		atomic_units__read(t->fd, &t->info.atomic);
		io_limits__read(&safety_view_of_system, t->info.device, &t->info.limits);
	}
	if (err)
		target__abandon(t);
	else
		*target = t;
	return err;
}

void target__give_hint(struct target *t, unsigned int hint)
{
	uint64_t wanted = hint;

	if (t->hint || fcntl(t->fd, F_GET_RW_HINT, &t->hint_before) ||
	    fcntl(t->fd, F_SET_RW_HINT, &wanted))
		return;
	t->hint = hint;
}

unsigned int target__hint(const struct target *t)
{
	return t->hint;
}

static void release(struct target *t)
{
	/* The hint is the inode's and would stay. */
	if (t->hint)
		fcntl(t->fd, F_SET_RW_HINT, &t->hint_before);
	guard__end(t->guard);
	claims__release(&t->claims);
	if (t->fd >= 0)
		close(t->fd);
	disk_identity__release(&t->disk);
	free(t);
}

void target__free(struct target *t)
{
	if (!t)
		return;
	if (t->info.writes && !t->info.block_device && !t->info.holds_data && !target__taken(t))
		file_data__mark(t->fd);
	release(t);
}

void target__abandon(struct target *t)
{
	if (!t)
		return;
	if (t->info.created)
		output_file__remove(t->info.path, &new_target_kind, &t->file);
	release(t);
}

void target__watch(struct target *t, volatile sig_atomic_t *enough)
{
	if (t->guard)
		guard__tell(t->guard, enough);
}

const char *target__taken(const struct target *t)
{
	return t->guard ? guard__verdict(t->guard) : NULL;
}

/* Asking ------------------------------------------------------------------------------------- */

const struct target_info *target__info(const struct target *t)
{
	return &t->info;
}

int target__fd(const struct target *t)
{
	return t->fd;
}

bool target__is_at(const struct target *t, const char *path)
{
	struct stat file;

	if (!strcmp(path, t->info.path))
		return true;
	if (stat(path, &file))
		return false;
	if (t->info.block_device)
		return S_ISBLK(file.st_mode) && file.st_rdev == t->info.device;
	return file.st_dev == t->file.st_dev && file.st_ino == t->file.st_ino;
}

bool target__is_named(const struct target *t, const char *name)
{
	return target__is_at(t, name) || (t->info.name[0] && !strcmp(name, t->info.name));
}

/* Tries it on a nameless file beside the target. If none can be made, the target has to show it. */
static bool file_system_can(const struct target *t, int mode)
{
	char path[PATH_MAX];
	struct stat file;
	bool can;
	int fd;

	strcpy(path, t->info.path);
	fd = open(dirname(path), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return true;
	/* A link can lead to another file system. */
	can = fstat(fd, &file) || file.st_dev != t->file.st_dev ||
	      (!ftruncate(fd, (off_t)PAGE_BYTES) &&
	       (!fallocate(fd, mode | FALLOC_FL_KEEP_SIZE, 0, (off_t)PAGE_BYTES) ||
		errno != EOPNOTSUPP));
	close(fd);
	return can;
}

bool target__supports(const struct target *t, enum replay_op op, const char **reason)
{
	*reason = NULL;
	switch (op) {
	case REPLAY_READ:
	case REPLAY_WRITE:
	case REPLAY_FLUSH:
		return true;
	case REPLAY_DISCARD:
		if (t->info.block_device)
			*reason = safety__sysfs_number(&safety_view_of_system, t->info.device,
						       "queue/discard_max_bytes", 0)
					  ? NULL
					  : "the device cannot discard";
		else if (!file_system_can(t, FALLOC_FL_PUNCH_HOLE))
			*reason = "its file system cannot punch holes";
		break;
	case REPLAY_WRITE_ZEROES:
		if (t->info.block_device)
			*reason = safety__sysfs_number(&safety_view_of_system, t->info.device,
						       "queue/write_zeroes_max_bytes", 0)
					  ? NULL
					  : "the device has no such operation";
		else if (!file_system_can(t, FALLOC_FL_ZERO_RANGE))
			*reason = "its file system cannot zero ranges";
		break;
	case REPLAY_ZONE:
		*reason = t->info.zone_bytes ? NULL : "it has no zones";
		break;
	case REPLAY_SECURE_ERASE:
	case REPLAY_OTHER:
	case REPLAY_OP_COUNT:
		*reason = "this version cannot replay it";
		break;
	}
	return !*reason;
}
