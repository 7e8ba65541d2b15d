// SPDX-License-Identifier: MIT
#include "trace/streams/left_out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"

#define COMM_BYTES_MAX 15 /* the kernel cuts names to this length */

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
	if (l)
		l->ios = calloc(TRACE_DEVICES_MAX + 1, sizeof(*l->ios));
	if (!l || !l->ios) {
		free(l);
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
	free(l);
}

static bool has_name(enum party party, const struct trace_reader *reader, uint32_t id,
		     const char *name)
{
	const struct trace_task *task;
	const struct trace_cgroup *cgroup;
	const struct trace_file *file;

	switch (party) {
	case PARTY_TASK:
		task = trace_reader__task(reader, id);
		return task && !strncmp(task->comm, name, COMM_BYTES_MAX);
	case PARTY_CGROUP:
		cgroup = trace_reader__cgroup(reader, id);
		return cgroup && !strcmp(cgroup->path, name);
	default:
		file = trace_reader__file(reader, id);
		return file && !strcmp(file->path, name);
	}
}

static bool is_named(const struct left_out *l, enum party party, const struct trace_reader *reader,
		     uint32_t id)
{
	for (unsigned int i = 0; i < l->count; i++) {
		const char *name;

		if (party_of(l->parties[i], &name) == (int)party &&
		    has_name(party, reader, id, name))
			return true;
	}
	return false;
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
	int is;

	if (!l)
		return 0;
	is = is_party(l, PARTY_TASK, reader, row->task);
	if (!is)
		is = is_party(l, PARTY_CGROUP, reader, row->cgroup);
	if (!is)
		is = is_party(l, PARTY_FILE, reader, row->file);
	if (is > 0)
		l->ios[row->device <= TRACE_DEVICES_MAX ? row->device : 0]++;
	return is;
}

uint64_t left_out__ios(const struct left_out *l, uint32_t device)
{
	return l->ios[device <= TRACE_DEVICES_MAX ? device : 0];
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
