// SPDX-License-Identifier: MIT
/*
 * Files that another user could place at the path of a trace: links, own files, FIFOs. As root, the
 * test becomes another user for a moment; else these cases are skipped.
 */
#include "unit/shared/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "trace/format.h"
#include "trace/file/trace_kind.h"

#define SOMEBODY 65534

static char folder[] = "/tmp/blkreel-output-XXXXXX";

static unsigned int folders_synced;
static int sync_errno; /* result of fsync(2) of folders; 0: that of the file system */

/* Replaces the C library's. */
int fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return (int)syscall(SYS_fsync, fd);
	folders_synced++;
	errno = sync_errno;
	return sync_errno ? -1 : (int)syscall(SYS_fsync, fd);
}

static int open_as(const char *path)
{
	int fd, err = output_file__open(path, &trace_kind, false, &fd);

	if (!err)
		close(fd);
	return err;
}

static void make_file(const char *path, const char *content, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
	CHECK(!fchmod(fd, mode));
	close(fd);
}

static bool holds(const char *path, const char *content)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)strlen(content) && !strcmp(text, content);
}

/* Removes what the name leads to now. */
static void remove_named(const char *path)
{
	struct stat st;

	CHECK(!stat(path, &st));
	output_file__remove(path, &trace_kind, &st);
}

static void a_new_file_is_only_for_its_owner(void)
{
	mode_t mask = umask(0);
	struct stat st;

	CHECK_EQ(open_as("new.reel"), 0);
	umask(mask);
	REQUIRE(!stat("new.reel", &st));
	CHECK_EQ(st.st_mode, S_IFREG | 0600);
	remove_named("new.reel");
	CHECK(stat("new.reel", &st));
}

static void an_earlier_trace_is_emptied_and_closed_to_others(void)
{
	struct stat st;
	int fd;

	make_file("old.reel", TRACE_MAGIC "and more", 0666);
	CHECK_EQ(output_file__check("old.reel", &trace_kind), 0);
	CHECK_EQ(output_file__open("old.reel", &trace_kind, true, &fd), -EEXIST);
	CHECK_EQ(open_as("./././old.reel"), 0);
	REQUIRE(!stat("old.reel", &st));
	CHECK_EQ(st.st_size, 0);
	CHECK_EQ(st.st_mode, S_IFREG | 0600);
}

/* Counts the files called NAME or as a file beside it. */
static int files_of(const char *name)
{
	struct dirent *entry;
	DIR *here = opendir(".");
	int count = 0;

	while (here && (entry = readdir(here)))
		count += !strncmp(entry->d_name, name, strlen(name));
	if (here)
		closedir(here);
	return count;
}

static void an_earlier_trace_stays_until_the_new_one_is_whole(void)
{
	struct output_file *file;
	int fd, busy;

	make_file("earlier.reel", TRACE_MAGIC "earlier", 0600);
	REQUIRE(!output_file__begin("earlier.reel", &trace_kind, &file, &fd));
	CHECK(write(fd, TRACE_MAGIC "later", sizeof(TRACE_MAGIC "later") - 1) > 0);
	close(fd);
	CHECK(holds("earlier.reel", TRACE_MAGIC "earlier"));
	CHECK_EQ(output_file__open("earlier.reel", &trace_kind, false, &busy), -EBUSY);
	CHECK_EQ(output_file__end(file, false), 0);
	CHECK(holds("earlier.reel", TRACE_MAGIC "earlier"));
	CHECK_EQ(files_of("earlier.reel"), 1);

	REQUIRE(!output_file__begin("earlier.reel", &trace_kind, &file, &fd));
	CHECK(write(fd, TRACE_MAGIC "later", sizeof(TRACE_MAGIC "later") - 1) > 0);
	close(fd);
	CHECK_EQ(output_file__end(file, true), 0);
	CHECK(holds("earlier.reel", TRACE_MAGIC "later"));
	CHECK_EQ(files_of("earlier.reel"), 1);

	/* Another file has the name by then. */
	REQUIRE(!output_file__begin("earlier.reel", &trace_kind, &file, &fd));
	close(fd);
	CHECK(!unlink("earlier.reel"));
	make_file("earlier.reel", "dear reader", 0600);
	CHECK_EQ(output_file__end(file, true), -EBUSY);
	CHECK(holds("earlier.reel", "dear reader"));
	CHECK_EQ(output_file__begin("earlier.reel", &trace_kind, &file, &fd), -EEXIST);
	CHECK(!unlink("earlier.reel"));

	REQUIRE(!output_file__begin("earlier.reel", &trace_kind, &file, &fd));
	close(fd);
	CHECK_EQ(output_file__end(file, false), 0);
	CHECK_EQ(files_of("earlier.reel"), 0);

	/* Until the end nothing has the name. */
	REQUIRE(!output_file__begin("earlier.reel", &trace_kind, &file, &fd));
	CHECK_EQ(files_of("earlier.reel"), 0);
	make_file("earlier.reel", "dear reader", 0600);
	close(fd);
	CHECK_EQ(output_file__end(file, true), -EBUSY);
	CHECK(holds("earlier.reel", "dear reader"));
	CHECK_EQ(files_of("earlier.reel"), 1);
	CHECK(!unlink("earlier.reel") && !mkdir("short", 0700));
	REQUIRE(!output_file__begin("short/x.reel", &trace_kind, &file, &fd));
	close(fd);
	CHECK(!rmdir("short"));
	CHECK_EQ(output_file__end(file, true), -ENOENT);
}

static int replace_one(const char *path, bool keep)
{
	struct output_file *file;
	int fd, err = output_file__begin(path, &trace_kind, &file, &fd);

	if (err)
		return err;
	CHECK(write(fd, TRACE_MAGIC "later", sizeof(TRACE_MAGIC "later") - 1) > 0);
	close(fd);
	return output_file__end(file, keep);
}

/* Without fsync(2) of the folder a crash can undo a rename. */
static void a_new_name_is_synced(void)
{
	CHECK(!mkdir("lasting", 0700));
	for (unsigned int times = 1; times <= 2; times++) { /* new, and replacing another */
		folders_synced = 0;
		CHECK_EQ(replace_one("lasting/x.reel", true), 0);
		CHECK_EQ(folders_synced, 1);
	}
	CHECK_EQ(replace_one("lasting/x.reel", false), 0);
	CHECK_EQ(folders_synced, 1);
	/* Not every file system can do that. */
	sync_errno = EINVAL;
	CHECK_EQ(replace_one("lasting/x.reel", true), 0);
	/* If fsync(2) fails otherwise, the trace exists nevertheless. */
	sync_errno = EIO;
	CHECK_EQ(replace_one("lasting/x.reel", true), -EIO);
	CHECK_EQ(replace_one("lasting/new.reel", true), -EIO);
	sync_errno = 0;
	CHECK(holds("lasting/new.reel", TRACE_MAGIC "later"));
	CHECK(holds("lasting/x.reel", TRACE_MAGIC "later"));
	folders_synced = 0;
	CHECK_EQ(folder_sync_of("lasting/x.reel"), 0);
	CHECK_EQ(folder_sync_of("x.reel"), 0);
	CHECK_EQ(folders_synced, 2);
	CHECK_EQ(folder_sync_of("nowhere/x.reel"), -ENOENT);
	if (geteuid())
		return;
	/* A user may write into the folder, but not list it. */
	CHECK(!chmod(folder, 0711) && !chown("lasting", SOMEBODY, SOMEBODY));
	CHECK(!chmod("lasting", 0300) && !seteuid(SOMEBODY));
	CHECK_EQ(folder_sync_of("lasting/x.reel"), 0);
	CHECK(!seteuid(0));
}

static void anything_else_stays_as_it_is(void)
{
	make_file("letter", "dear reader", 0644);
	CHECK_EQ(open_as("letter"), -EEXIST);
	CHECK(holds("letter", "dear reader"));
	CHECK(!mkfifo("fifo", 0600));
	CHECK_EQ(open_as("fifo"), -EEXIST);
	CHECK_EQ(open_as("/dev/null"), -EEXIST);
	CHECK_EQ(open_as("."), -EEXIST);
	CHECK_EQ(open_as("letter/"), -EISDIR);
	CHECK_EQ(open_as("letter/x"), -ENOTDIR);
	CHECK_EQ(open_as("nowhere/x"), -ENOENT);
	CHECK_EQ(output_file__check("nowhere/x", &trace_kind), -ENOENT);
	CHECK_EQ(output_file__check("not-there-yet", &trace_kind), 0);
	CHECK_EQ(open_as(""), -ENOENT);
	remove_named("fifo");
	CHECK(!access("fifo", F_OK));
}

static void a_link_instead_of_the_file_is_not_followed(void)
{
	make_file("target.reel", TRACE_MAGIC, 0600);
	CHECK(!symlink("target.reel", "link.reel"));
	CHECK(!symlink("nothing", "dangling.reel"));
	CHECK_EQ(open_as("link.reel"), -ELOOP);
	CHECK_EQ(open_as("dangling.reel"), -ELOOP);
	CHECK(access("nothing", F_OK));
	CHECK(holds("target.reel", TRACE_MAGIC));
	remove_named("link.reel");
	CHECK(!faccessat(AT_FDCWD, "link.reel", F_OK, AT_SYMLINK_NOFOLLOW));
	CHECK_EQ(open_as("/dev/stdout"), -ELOOP);
}

static void own_links_on_the_way_are_followed(void)
{
	char path[128];

	CHECK(!mkdir("real", 0700) && !mkdir("real/deep", 0700));
	CHECK(!symlink("real", "near") && !symlink("../near/deep/.//", "real/turn"));
	snprintf(path, sizeof(path), "%s/near", folder);
	CHECK(!symlink(path, "far"));
	CHECK_EQ(open_as("far/turn/x.reel"), 0);
	CHECK(!access("real/deep/x.reel", F_OK));
	CHECK(!symlink("ring", "ring"));
	CHECK_EQ(open_as("ring/x.reel"), -ELOOP);
}

static void a_file_with_two_names_is_not_emptied(void)
{
	make_file("first.reel", TRACE_MAGIC, 0600);
	CHECK(!link("first.reel", "second.reel"));
	CHECK_EQ(open_as("second.reel"), -EMLINK);
	CHECK(holds("first.reel", TRACE_MAGIC));
	CHECK_EQ(output_file__check("second.reel", &trace_kind), -EMLINK);
}

static void one_writer_at_a_time(void)
{
	int fd;

	REQUIRE(!output_file__open("busy.reel", &trace_kind, false, &fd));
	CHECK_EQ(open_as("busy.reel"), -EBUSY);
	close(fd);
	CHECK_EQ(open_as("busy.reel"), 0);
}

static void links_of_others_are_not_followed_where_others_write(void)
{
	if (geteuid())
		return;
	CHECK(!mkdir("open", 0700) && !chmod("open", 01777) && !mkdir("closed", 0755));
	CHECK(!symlink("../real", "open/theirs") && !symlink("../real", "closed/theirs"));
	CHECK(!lchown("open/theirs", SOMEBODY, SOMEBODY));
	CHECK(!lchown("closed/theirs", SOMEBODY, SOMEBODY));
	CHECK_EQ(open_as("open/theirs/x.reel"), -EXDEV);
	CHECK(access("real/x.reel", F_OK));
	CHECK(!symlink("../open/theirs", "closed/mine"));
	CHECK_EQ(open_as("closed/mine/x.reel"), -EXDEV);
	CHECK_EQ(open_as("closed/theirs/x.reel"), 0);
	/* The folder's owner could have renamed it there. */
	CHECK(!chown("closed", SOMEBODY, SOMEBODY));
	CHECK_EQ(open_as("closed/theirs/x.reel"), -EXDEV);
	remove_named("closed/theirs/x.reel");
	CHECK(!access("real/x.reel", F_OK));
}

static void files_of_others_are_not_written(void)
{
	if (geteuid())
		return;
	make_file("theirs.reel", "", 0666);
	CHECK(!chown("theirs.reel", SOMEBODY, SOMEBODY));
	CHECK_EQ(open_as("theirs.reel"), -EUSERS);
	remove_named("theirs.reel");
	CHECK(!access("theirs.reel", F_OK));
	CHECK(!chmod(folder, 0755));
	CHECK(!seteuid(SOMEBODY));
	CHECK_EQ(open_as("theirs.reel"), 0);
	CHECK_EQ(open_as("new-of-somebody.reel"), -EACCES);
	CHECK(!seteuid(0));
}

/* Until it is told to stop: "a/x" is now the file that was made, now that of somebody else. */
static void exchange_folders(int told)
{
	struct pollfd stop = {.fd = told, .events = POLLIN};

	do
		renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE);
	while (!poll(&stop, 1, 0));
}

static void only_the_file_that_was_made_is_removed(void)
{
	int told[2], fd, status;
	unsigned int removed = 0;
	struct stat made;
	pid_t child;

	CHECK(!mkdir("a", 0700) && !mkdir("b", 0700));
	make_file("b/x", "of somebody else", 0600);
	REQUIRE(!pipe(told));
	child = fork();
	if (!child) {
		exchange_folders(told[0]);
		_exit(0);
	}
	for (unsigned int tries = 0; tries < 2000; tries++) {
		if (output_file__open("a/x", &trace_kind, true, &fd))
			continue; /* the other folder has the name */
		CHECK(!fstat(fd, &made));
		close(fd);
		output_file__remove("a/x", &trace_kind, &made);
		removed++;
		/* Whichever folder it is in, so that the next try can make it again. */
		output_file__remove("b/x", &trace_kind, &made);
		output_file__remove("a/x", &trace_kind, &made);
	}
	CHECK_EQ(write(told[1], "", 1), 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	close(told[0]);
	close(told[1]);
	CHECK(removed > 0);
	CHECK(holds("a/x", "of somebody else") || holds("b/x", "of somebody else"));
}

/* A process in a mount namespace of its own, in which another file system covers "covered". */
static pid_t start_covering(void)
{
	char ready = 'n';
	pid_t pid;
	int ends[2];

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		    !mount("none", "covered", "tmpfs", 0, NULL) && !chdir("covered"))
			ready = 'y';
		if (write(ends[1], &ready, 1) == 1)
			pause();
		_exit(0);
	}
	if (read(ends[0], &ready, 1) != 1 || ready != 'y') {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void links_of_proc_lead_to_the_folder_that_they_mean(void)
{
	char path[128], shown[128];
	pid_t pid;

	CHECK(!mkdir("covered", 0700));
	snprintf(path, sizeof(path), "/proc/self/cwd/covered/first");
	CHECK_EQ(open_as(path), 0);
	CHECK(!access("covered/first", F_OK));
	pid = start_covering();
	if (pid < 0) {
		printf("# skipped: needs root\n");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/cwd/second", (int)pid);
	CHECK_EQ(open_as(path), 0);
	CHECK(!access(path, F_OK));
	CHECK(access("covered/second", F_OK));
	snprintf(path, sizeof(path), "/proc/%d/root%s/covered/third", (int)pid, folder);
	CHECK_EQ(open_as(path), 0);
	snprintf(shown, sizeof(shown), "/proc/%d/cwd/third", (int)pid);
	CHECK(!access(shown, F_OK));
	CHECK(access("covered/third", F_OK));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void a_link_of_proc_in_place_of_the_file_is_not_followed(void)
{
	static const struct output_kind kind = {.name = "page", .follows = true};
	char path[64];
	int fd, held = open("held", O_RDWR | O_CREAT, 0600);

	REQUIRE(held >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
	CHECK_EQ(output_file__open(path, &kind, false, &fd), -ELOOP);
	close(held);
}

static void every_refusal_names_the_remedy(void)
{
	static const int errors[] = {-EEXIST, -ELOOP, -EXDEV, -EUSERS, -EMLINK, -EBUSY};
	char message[256];

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		output_file__explain("x.reel", &trace_kind, errors[i], message, sizeof(message));
		CHECK(!strncmp(message, "x.reel ", 7) && strstr(message, "name "));
	}
	output_file__explain("x.reel", &trace_kind, -ENOSPC, message, sizeof(message));
	CHECK_TEXT(message, "cannot write x.reel: No space left on device");
}

int main(void)
{
	char command[64];
	int err;

	if (!mkdtemp(folder) || chdir(folder))
		return EXIT_FAILURE;
	RUN(a_new_file_is_only_for_its_owner);
	RUN(an_earlier_trace_is_emptied_and_closed_to_others);
	RUN(an_earlier_trace_stays_until_the_new_one_is_whole);
	RUN(a_new_name_is_synced);
	RUN(anything_else_stays_as_it_is);
	RUN(a_link_instead_of_the_file_is_not_followed);
	RUN(own_links_on_the_way_are_followed);
	RUN(a_file_with_two_names_is_not_emptied);
	RUN(one_writer_at_a_time);
	RUN(links_of_others_are_not_followed_where_others_write);
	RUN(files_of_others_are_not_written);
	RUN(only_the_file_that_was_made_is_removed);
	RUN(links_of_proc_lead_to_the_folder_that_they_mean);
	RUN(a_link_of_proc_in_place_of_the_file_is_not_followed);
	RUN(every_refusal_names_the_remedy);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	err = system(command);
	return err ? EXIT_FAILURE : TEST_RESULT;
}
