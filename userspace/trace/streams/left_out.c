// SPDX-License-Identifier: MIT
#include "trace/streams/left_out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"

#define COMM_BYTES_MAX 15 /* the kernel cuts names to this length */

#define LISTED_MAX 8u

enum party {
	PARTY_TASK = 0,
	PARTY_CGROUP,
	PARTY_FILE,
	PARTY_COUNT
};

static const char *const words[PARTY_COUNT] = {"task=", "cgroup=", "file="};

enum answer {
	NOT_ASKED = 0,
	IS_NOT,
	IS
};

struct left_out {
	const char *const *parties;
	unsigned int count;
	bool *found; /* by index in `parties`: some IO is of it */
	bool asks[PARTY_COUNT];
	uint8_t *answers[PARTY_COUNT]; /* enum answer by table id */
	uint32_t known[PARTY_COUNT];
	uint64_t *ios; /* by device id; what is beyond the table is counted at 0 */
};

static int party_of(const char *text, const char **name)
{
	for (int party = 0; party < PARTY_COUNT; party++) {
		size_t length = strlen(words[party]);

		*name = text + length;
		if (!strncmp(text, words[party], length) && text[length])
			return party;
	}
	return -EINVAL;
}

int left_out__create(const char *const *parties, unsigned int count, struct left_out **left,
		     const char **wrong)
{
	struct left_out *l;
	const char *name;

	*left = NULL;
	if (!count)
		return 0;
	l = calloc(1, sizeof(*l));
	if (l) {
		l->ios = calloc(TRACE_DEVICES_MAX + 1, sizeof(*l->ios));
		l->found = calloc(count, sizeof(*l->found));
	}
	if (!l || !l->ios || !l->found) {
		left_out__free(l);
		return -ENOMEM;
	}
	l->parties = parties;
	l->count = count;
	for (unsigned int i = 0; i < count; i++) {
		int party = party_of(parties[i], &name);

		if (party < 0) {
			*wrong = parties[i];
			left_out__free(l);
			return -EINVAL;
		}
		l->asks[party] = true;
	}
	*left = l;
	return 0;
}

void left_out__free(struct left_out *l)
{
	if (!l)
		return;
	for (int party = 0; party < PARTY_COUNT; party++)
		free(l->answers[party]);
	free(l->ios);
	free(l->found);
	free(l);
}

/* NULL: the id is in no table. */
static const char *name_of(enum party party, const struct trace_reader *reader, uint32_t id)
{
	const struct trace_task *task;
	const struct trace_cgroup *cgroup;
	const struct trace_file *file;

	switch (party) {
	case PARTY_TASK:
		task = trace_reader__task(reader, id);
		return task ? task->comm : NULL;
	case PARTY_CGROUP:
		cgroup = trace_reader__cgroup(reader, id);
		return cgroup ? cgroup->path : NULL;
	default:
		file = trace_reader__file(reader, id);
		return file ? file->path : NULL;
	}
}

static bool is_same(enum party party, const char *a, const char *b)
{
	return party == PARTY_TASK ? !strncmp(a, b, COMM_BYTES_MAX) : !strcmp(a, b);
}

static bool is_named(struct left_out *l, enum party party, const struct trace_reader *reader,
		     uint32_t id)
{
	const char *name = name_of(party, reader, id), *asked;
	bool is = false;

	for (unsigned int i = 0; i < l->count && name; i++) {
		if (party_of(l->parties[i], &asked) != (int)party || !is_same(party, name, asked))
			continue;
		l->found[i] = true;
		is = true;
	}
	return is;
}

static uint32_t highest(enum party party)
{
	return party == PARTY_TASK     ? TRACE_TASKS_MAX
	       : party == PARTY_CGROUP ? TRACE_CGROUPS_MAX
				       : TRACE_FILES_MAX;
}

static int make_room(struct left_out *l, enum party party, uint32_t id)
{
	uint32_t larger = l->known[party] ? 2 * l->known[party] : 1024;
	uint8_t *answers;

	if (id < l->known[party])
		return 0;
	larger = larger > id ? larger : id + 1;
	answers = realloc(l->answers[party], larger);
	if (!answers)
		return -ENOMEM;
	memset(answers + l->known[party], NOT_ASKED, larger - l->known[party]);
	l->answers[party] = answers;
	l->known[party] = larger;
	return 0;
}

static int is_party(struct left_out *l, enum party party, const struct trace_reader *reader,
		    uint32_t id)
{
	uint8_t *answer;
	int err;

	if (!l->asks[party] || !id || id > highest(party))
		return 0;
	err = make_room(l, party, id);
	if (err)
		return err;
	answer = &l->answers[party][id];
	if (*answer == NOT_ASKED)
		*answer = is_named(l, party, reader, id) ? IS : IS_NOT;
	return *answer == IS;
}

int left_out__has(struct left_out *l, const struct trace_reader *reader, const struct io_row *row)
{
	uint32_t ids[PARTY_COUNT];
	int is = 0;

	if (!l)
		return 0;
	ids[PARTY_TASK] = row->task;
	ids[PARTY_CGROUP] = row->cgroup;
	ids[PARTY_FILE] = row->file;
	/* All are asked: each of several parties of an IO is found. */
	for (int party = 0; party < PARTY_COUNT; party++) {
		int one = is_party(l, party, reader, ids[party]);

		if (one < 0)
			return one;
		is |= one;
	}
	if (is)
		l->ios[row->device <= TRACE_DEVICES_MAX ? row->device : 0]++;
	return is;
}

uint64_t left_out__ios(const struct left_out *l, uint32_t device)
{
	return l->ios[device <= TRACE_DEVICES_MAX ? device : 0];
}

/* True when an IO of a lower id has the name, too. */
static bool is_listed(const struct left_out *l, enum party party, const struct trace_reader *reader,
		      uint32_t id, const char *name)
{
	while (id--) {
		const char *other = l->answers[party][id] ? name_of(party, reader, id) : NULL;

		if (other && !strcmp(other, name))
			return true;
	}
	return false;
}

/* "task=dd, task=cp, ...": the parties of a kind that have IOs. */
static void list(const struct left_out *l, enum party party, const struct trace_reader *reader,
		 char *text, size_t bytes)
{
	unsigned int listed = 0;
	size_t used = 0;

	snprintf(text, bytes, "none");
	for (uint32_t id = 0; id < l->known[party] && used < bytes; id++) {
		const char *name = l->answers[party][id] ? name_of(party, reader, id) : NULL;

		if (!name || is_listed(l, party, reader, id, name))
			continue;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s%s",
					 listed ? LEFT_OUT_SEPARATOR : "",
					 listed == LISTED_MAX ? "..." : words[party],
					 listed == LISTED_MAX ? "" : name);
		if (listed++ == LISTED_MAX)
			break;
	}
}

const char *left_out__not_found(const struct left_out *l, const struct trace_reader *reader,
				char *there, size_t bytes)
{
	const char *name;

	for (unsigned int i = 0; l && i < l->count; i++) {
		int party = party_of(l->parties[i], &name);

		if (l->found[i] || party < 0)
			continue;
		list(l, party, reader, there, bytes);
		return l->parties[i];
	}
	return NULL;
}

void left_out__restart(struct left_out *l)
{
	if (l)
		memset(l->ios, 0, (TRACE_DEVICES_MAX + 1) * sizeof(*l->ios));
}

char *left_out_text(const char *const *parties, unsigned int count, char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0; i < count && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s",
					 i ? LEFT_OUT_SEPARATOR : "", parties[i]);
	return text;
}

unsigned int left_out_split(char *text, const char **parties, unsigned int max)
{
	const size_t length = strlen(LEFT_OUT_SEPARATOR);
	unsigned int count = 0;
	const char *name;

	if (*text && max)
		parties[count++] = text;
	/* A path may hold the separator: a party begins with its word. */
	while (count && count < max && (text = strstr(text, LEFT_OUT_SEPARATOR))) {
		if (party_of(text + length, &name) >= 0) {
			*text = '\0';
			parties[count++] = text + length;
		}
		text += length;
	}
	return count;
}
