// SPDX-License-Identifier: MIT
#include "collector/rows/wait_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/log.h"
#include "collector/kernel/symbols.h"

/* A stack of the probes, and its id in the trace of this number. */
struct known_stack {
	int32_t key;
	uint32_t trace, id;
	char *functions;
	UT_hash_handle hh;
};

struct wait_stacks {
	struct probes *probes;
	struct kernel_symbols *symbols; /* NULL: hidden */
	struct known_stack *known;
	uint32_t trace, count;
};

int wait_stacks__create(struct probes *probes, struct wait_stacks **stacks)
{
	struct wait_stacks *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->probes = probes;
	err = kernel_symbols__load(&s->symbols);
	if (err == -ENOMEM) {
		free(s);
		return err;
	}
	if (err)
		pr_warn("the names of the kernel's functions are hidden (%s): waits are recorded without their causes",
			strerror(-err));
	*stacks = s;
	return 0;
}

void wait_stacks__free(struct wait_stacks *s)
{
	struct known_stack *stack, *next;

	if (!s)
		return;
	HASH_ITER (hh, s->known, stack, next) {
		HASH_DEL(s->known, stack);
		free(stack->functions);
		free(stack);
	}
	kernel_symbols__free(s->symbols);
	free(s);
}

void wait_stacks__begin_trace(struct wait_stacks *s)
{
	s->trace++;
	s->count = 0;
}

/* The way from the scheduler to the probe is the same in every stack. */
static bool is_of_probe(const char *name)
{
	return !strncmp(name, "bpf_", 4) || !strncmp(name, "__bpf_", 6) ||
	       !strncmp(name, "__traceiter_", 12) || !strcmp(name, "__schedule") ||
	       !strncmp(name, "perf_trace_", 11) || !strncmp(name, "trace_call_bpf", 14);
}

static char *describe(const struct wait_stacks *s, int32_t stack)
{
	uint64_t addresses[WAIT_STACK_DEPTH];
	unsigned int count = probes__wait_stack(s->probes, (uint32_t)stack, addresses);
	char text[TRACE_PATH_MAX] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < count && s->symbols; i++) {
		const char *name = kernel_symbols__name(s->symbols, addresses[i]);

		if (!name || (!used && is_of_probe(name)))
			continue;
		if (used + strlen(name) + 2 > sizeof(text))
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "",
					 name);
	}
	return strdup(text);
}

uint32_t wait_stacks__id(struct wait_stacks *s, int32_t key, struct trace_writer *writer)
{
	struct known_stack *known;
	struct trace_stack entry;

	if (key < 0)
		return 0;
	HASH_FIND_INT(s->known, &key, known);
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return 0;
		known->key = key;
		known->functions = describe(s, key);
		HASH_ADD_INT(s->known, key, known);
	}
	if (known->id && known->trace == s->trace)
		return known->id;
	known->trace = s->trace;
	known->id = 0;
	if (!known->functions || !*known->functions)
		return 0;
	entry = (struct trace_stack){.id = s->count + 1, .functions = known->functions};
	if (!trace_writer__add_stack(writer, &entry))
		known->id = ++s->count;
	return known->id;
}
