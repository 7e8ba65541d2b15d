// SPDX-License-Identifier: MIT
#include "collector/recording/output_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "collector/recording/earlier_files.h"
#include "trace/file/trace_kind.h"

#define SUFFIX	  ".reel"
#define STAMP_MAX 32
/* Highest number of files named after the same second. */
#define SAME_NAME_MAX 1000

struct made_file {
	struct made_file *next;
	dev_t device;
	ino_t inode;
	char path[];
};

struct output_files {
	const char *name;
	int stem; /* length of the name without its suffix */
	unsigned int keep;
	const struct recording_head *head;
	struct trace_writer_options options;
	pthread_mutex_t lock;		 /* protects the list */
	struct made_file *oldest, **end; /* the stubs of earlier runs come first */
	unsigned int count;
	bool has_begun; /* a file was made in this run */
};

/* Checks that files can be created, before any rows are recorded. */
static int check_directory(const char *name, char message[COLLECTOR_MESSAGE_MAX])
{
	const char *slash = strrchr(name, '/');
	char directory[TRACE_PATH_MAX] = ".";
	struct stat st;

	if (slash)
		snprintf(directory, sizeof(directory), "%.*s",
			 slash == name ? 1 : (int)(slash - name), name);
	if (!stat(name, &st) && S_ISDIR(st.st_mode)) {
		snprintf(message, COLLECTOR_MESSAGE_MAX, "%s is a directory: name a file in it",
			 name);
		return -EISDIR;
	}
	if (!access(directory, W_OK | X_OK))
		return 0;
	snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot write into %s: %s", directory,
		 strerror(errno));
	return -errno;
}

static int remember(struct output_files *f, const char *path, const struct stat *st)
{
	struct made_file *file;

	if (!f->keep)
		return 0;
	file = malloc(sizeof(*file) + strlen(path) + 1);
	if (!file)
		return -ENOMEM;
	strcpy(file->path, path);
	file->device = st->st_dev;
	file->inode = st->st_ino;
	file->next = NULL;
	pthread_mutex_lock(&f->lock);
	*f->end = file;
	f->end = &file->next;
	f->count++;
	pthread_mutex_unlock(&f->lock);
	return 0;
}

static int remember_earlier(const char *path, void *context)
{
	struct stat st;

	return lstat(path, &st) ? -errno : remember(context, path, &st);
}

static int remember_stub(const char *path, void *context)
{
	return earlier_files__is_stub(path) ? remember_earlier(path, context) : 0;
}

static int remember_others(const char *path, void *context)
{
	return earlier_files__is_stub(path) ? 0 : remember_earlier(path, context);
}

/* A recorder that cannot run leaves a stub with each start: these go before any other file does. */
static int remember_all(struct output_files *f)
{
	int err = earlier_files__each(f->name, f->stem, remember_stub, f);

	return err ? err : earlier_files__each(f->name, f->stem, remember_others, f);
}

int output_files__create(const char *name, unsigned int keep, const struct recording_head *head,
			 const struct trace_writer_options *options, struct output_files **files,
			 char message[COLLECTOR_MESSAGE_MAX])
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);
	struct output_files *f;
	int err;

	err = check_directory(name, message);
	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->name = name;
	f->stem = (int)length;
	if (length > suffix && !strcmp(name + length - suffix, SUFFIX))
		f->stem = (int)(length - suffix);
	f->keep = keep;
	f->head = head;
	f->options = *options;
	f->options.must_be_new = true;
	f->end = &f->oldest;
	pthread_mutex_init(&f->lock, NULL);
	err = keep ? remember_all(f) : 0;
	if (err) {
		output_files__free(f);
		return err;
	}
	if (f->count)
		pr_info("%s of earlier runs, which --keep counts", COUNTED_TEXT(f->count, "file"));
	*files = f;
	return 0;
}

static void forget_oldest(struct output_files *f)
{
	struct made_file *file = f->oldest;

	f->oldest = file->next;
	if (!f->oldest)
		f->end = &f->oldest;
	f->count--;
	free(file);
}

void output_files__free(struct output_files *f)
{
	if (!f)
		return;
	while (f->oldest)
		forget_oldest(f);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

/* The first file of a second has no number. */
static int name_file(const struct output_files *f, uint64_t wall_ns, unsigned int number,
		     char path[TRACE_PATH_MAX])
{
	time_t seconds = (time_t)(wall_ns / NSEC_PER_SEC);
	char stamp[STAMP_MAX], count[16] = "";
	struct tm tm;
	int length;

	localtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (number > 1)
		snprintf(count, sizeof(count), "-%u", number);
	length = snprintf(path, TRACE_PATH_MAX, "%.*s-%s%s%s", f->stem, f->name, stamp, count,
			  SUFFIX);
	return length < TRACE_PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int create(struct output_files *f, const struct trace_host *host, uint64_t wall_ns,
		  char path[TRACE_PATH_MAX], struct trace_writer **writer)
{
	int err = -EEXIST;

	if (*path)
		err = trace_writer__create(path, host, &f->options, writer);
	for (unsigned int number = 1; err == -EEXIST && number <= SAME_NAME_MAX; number++) {
		err = name_file(f, wall_ns, number, path);
		if (!err)
			err = trace_writer__create(path, host, &f->options, writer);
	}
	return err;
}

int output_files__next(struct output_files *f, const struct trace_host *host, uint64_t wall_ns,
		       char path[TRACE_PATH_MAX], struct trace_writer **writer)
{
	struct stat made;
	int err;

	err = create(f, host, wall_ns, path, writer);
	if (err)
		return err;
	err = recording_head__add_tiers(f->head, *writer);
	if (!err)
		err = trace_writer__flush(*writer);
	if (!err)
		err = trace_writer__stat(*writer, &made);
	if (!err)
		err = remember(f, path, &made);
	/* A recorder that is killed again and again never closes a file. */
	if (!err && !f->has_begun)
		output_files__trim(f, 1);
	f->has_begun = true;
	if (err) {
		trace_writer__discard(*writer, path);
		*writer = NULL;
	}
	return err;
}

static bool is_still(const struct made_file *file)
{
	struct stat st;

	return !lstat(file->path, &st) && st.st_dev == file->device && st.st_ino == file->inode;
}

void output_files__remove(struct output_files *f, const char *path, const struct stat *made)
{
	output_file__remove(path, &trace_kind, made);
	pthread_mutex_lock(&f->lock);
	for (struct made_file **at = &f->oldest; *at; at = &(*at)->next) {
		struct made_file *file = *at;

		if (strcmp(file->path, path))
			continue;
		*at = file->next;
		if (!file->next)
			f->end = at;
		f->count--;
		free(file);
		break;
	}
	pthread_mutex_unlock(&f->lock);
}

void output_files__trim(struct output_files *f, unsigned int more)
{
	pthread_mutex_lock(&f->lock);
	while (f->keep && f->count > f->keep + more) {
		if (is_still(f->oldest)) {
			if (unlink(f->oldest->path))
				pr_warn("cannot remove %s: %s", f->oldest->path, strerror(errno));
			else
				pr_info("removed %s", f->oldest->path);
		}
		forget_oldest(f);
	}
	pthread_mutex_unlock(&f->lock);
}
