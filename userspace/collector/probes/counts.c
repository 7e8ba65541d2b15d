// SPDX-License-Identifier: MIT
#include "collector/probes/counts.h"

#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collector/kernel/capabilities.h"
#include "collector/probes/internal.h"
#include "collector/probes/pending_requests.h"
#include "collector/probes/probes.h"

int probes__each_account(struct probes *p,
			 int (*each)(const struct account_key *key, const struct account *account,
				     void *context),
			 void *context)
{
	int accounts = p->parts & PROBE_CACHE ? bpf_map__fd(p->skeleton->maps.accounts) : -1;
	struct account_key key, next;
	struct account account;
	bool first = true;
	int err = 0;

	if (accounts < 0)
		return 0;
	while (!err && !bpf_map_get_next_key(accounts, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(accounts, &key, &account))
			err = each(&key, &account, context);
	}
	return err;
}

static uint64_t program_misses(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	uint32_t bytes = sizeof(info);
	int fd = program ? bpf_program__fd(program) : -1;

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes) ? info.recursion_misses : 0;
}

/* Reads the skipped calls of a program and of its copies, up to the first one without any. Returns
 * how many were read. */
static unsigned int misses_of(const struct probes *p, const struct bpf_program *first,
			      uint64_t misses[PROBE_SUFFIXES + 1])
{
	const struct bpf_program *other;
	unsigned int count = 1;
	char name[64];

	misses[0] = program_misses(first);
	for (const char *const *suffix = probe_suffixes; misses[count - 1] && *suffix; suffix++) {
		snprintf(name, sizeof(name), "%s%s", bpf_program__name(first), *suffix);
		other = bpf_object__find_program_by_name(p->skeleton->obj, name);
		if (other && bpf_program__autoload(other))
			misses[count++] = program_misses(other);
	}
	return count;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void skipped_calls_add(struct skipped_calls *s, const uint64_t *misses, unsigned int count)
{
	uint64_t least = misses[0];

	for (unsigned int i = 1; i < count; i++)
		least = least_of(least, misses[i]);
	s->by_first += misses[0];
	s->by_all += least;
}

uint64_t skipped_calls_lost(const struct skipped_calls *s, uint64_t done_again)
{
	return least_of(s->by_all, s->by_first > done_again ? s->by_first - done_again : 0);
}

static uint64_t recursion_misses(const struct probes *p)
{
	struct skipped_calls skipped = {0};
	uint64_t misses[PROBE_SUFFIXES + 1];

	for (const struct probe_program *entry = probe_programs; entry->program; entry++) {
		const struct bpf_program *program =
			bpf_object__find_program_by_name(p->skeleton->obj, entry->program);

		if (program && !entry->again)
			skipped_calls_add(&skipped, misses, misses_of(p, program, misses));
	}
	return skipped_calls_lost(&skipped, p->skeleton->bss->done_again);
}

/* The kernel's numbers are read one after the other while they rise: their difference can be lower
 * than it was before. */
static uint64_t lost_calls(struct probes *p)
{
	uint64_t lost = recursion_misses(p);

	if (lost > p->lost_calls)
		p->lost_calls = lost;
	return p->lost_calls;
}

void probes__losses(struct probes *p, uint64_t losses[LOSS_CLASS_COUNT])
{
	const struct probe_losses *counted = &p->skeleton->bss->losses;
	const struct wait_losses *waits = &p->skeleton->bss->wait_losses;

	memset(losses, 0, LOSS_CLASS_COUNT * sizeof(*losses));
	losses[LOSS_IO_RING] = counted->io_ring;
	losses[LOSS_IO_STATE] = counted->io_state;
	losses[LOSS_CACHE_TABLE] = counted->cache_pages;
	losses[LOSS_NAMES] = counted->names;
	losses[LOSS_ACCESS_RING] = counted->access_ring;
	losses[LOSS_WAITS] = waits->ring + waits->table + waits->stacks;
	losses[LOSS_RECURSION] = lost_calls(p);
}

uint64_t probes__dropped(const struct probes *p)
{
	return __atomic_load_n(&p->skeleton->bss->losses.io_ring, __ATOMIC_ACQUIRE);
}

static int give_lost(const struct device_state *state,
		     int (*each)(uint32_t device, uint64_t count, void *context), void *context)
{
	return state->lost_numbers ? each(state->device, state->lost_numbers, context) : 0;
}

int probes__each_lost(const struct probes *p,
		      int (*each)(uint32_t device, uint64_t count, void *context), void *context)
{
	int known = bpf_map__fd(p->skeleton->maps.devices);
	int others = bpf_map__fd(p->skeleton->maps.other_devices);
	struct device_state state;
	uint32_t key, next;
	bool first = true;
	int err = 0;

	for (uint32_t i = 0; i < p->watched.entry_count && !err; i++)
		if (!bpf_map_lookup_elem(known, &i, &state))
			err = give_lost(&state, each, context);
	while (!err && !bpf_map_get_next_key(others, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(others, &key, &state))
			err = give_lost(&state, each, context);
	}
	return err;
}

int probes__each_request(struct probes *p, int (*each)(struct io_event *event, void *context),
			 void *context)
{
	return pending_requests__each(bpf_map__fd(p->skeleton->maps.request_slots),
				      p->watched.slot_count,
				      bpf_map__fd(p->skeleton->maps.other_requests), each, context);
}

struct bio_counts probes__bio_counts(const struct probes *p)
{
	return p->skeleton->bss->bio_counts;
}

uint64_t probes__bios_in_flight(struct probes *p)
{
	int bios = p->parts & PROBE_BIOS ? bpf_map__fd(p->skeleton->maps.bios) : -1;
	uint64_t key, next, count = 0;

	while (bios >= 0 && !bpf_map_get_next_key(bios, count ? &key : NULL, &next)) {
		key = next;
		count++;
	}
	return count;
}

uint64_t probes__unread_pages(const struct probes *p)
{
	int map = p->parts & PROBE_CACHE ? bpf_map__fd(p->skeleton->maps.unread_pages) : -1;
	struct unread_key key, next;
	uint64_t pages = 0;
	struct unread entry;
	bool first = true;

	while (map >= 0 && !bpf_map_get_next_key(map, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(map, &key, &entry))
			pages += (uint64_t)__builtin_popcountll(entry.bits);
	}
	return pages;
}

/* Those whose keys are in `keys`; their entries are in `entries`. */
static int each_wait_task(int keys, int entries,
			  int (*each)(const struct wait_task *task, void *context), void *context)
{
	uint32_t key, *before = NULL;
	struct wait_task task;
	int err = 0;

	while (!err && !bpf_map_get_next_key(keys, before, &key)) {
		before = &key;
		if (!bpf_map_lookup_elem(entries, &key, &task) && task.pid)
			err = each(&task, context);
	}
	return err;
}

int probes__each_wait_task(struct probes *p,
			   int (*each)(const struct wait_task *task, void *context), void *context)
{
	int places, taken, crowded, err;

	if (!(p->parts & PROBE_WAITS))
		return 0;
	places = bpf_map__fd(p->skeleton->maps.wait_places);
	taken = bpf_map__fd(p->skeleton->maps.wait_taken);
	crowded = bpf_map__fd(p->skeleton->maps.wait_crowded);
	err = each_wait_task(taken, places, each, context);
	return err ? err : each_wait_task(crowded, crowded, each, context);
}

int probes__each_wait_calls(struct probes *p,
			    int (*each)(const struct wait_calls_key *key,
					const struct wait_calls *calls, void *context),
			    void *context)
{
	int map = p->parts & PROBE_CALLS ? bpf_map__fd(p->skeleton->maps.wait_calls) : -1;
	struct wait_calls_key key, *before = NULL;
	struct wait_calls calls;
	int err = 0;

	while (map >= 0 && !err && !bpf_map_get_next_key(map, before, &key)) {
		before = &key;
		if (!bpf_map_lookup_elem(map, &key, &calls))
			err = each(&key, &calls, context);
	}
	return err;
}

/* An end that the kernel did not report is noted in the entry. */
static void free_place(struct probes *p, uint32_t pid)
{
	int places = bpf_map__fd(p->skeleton->maps.wait_places);
	uint32_t place = pid & (WAIT_PLACES_MAX - 1);
	struct wait_task task;

	if (bpf_map_lookup_elem(places, &place, &task) || task.pid != pid) {
		bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.wait_crowded), &pid);
		return;
	}
	if (!task.ended) {
		task.ended = 1;
		bpf_map_update_elem(places, &place, &task, BPF_ANY);
	}
	bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.wait_taken), &place);
}

void probes__forget_wait_task(struct probes *p, uint32_t pid)
{
	int calls = bpf_map__fd(p->skeleton->maps.wait_calls);

	free_place(p, pid);
	if (!(p->parts & PROBE_CALLS))
		return;
	for (uint32_t call = 0; call <= WAIT_NUMBER_CALL; call++) {
		struct wait_calls_key key = {.pid = pid, .call = call};

		bpf_map_delete_elem(calls, &key);
	}
}

uint64_t probes__computed_switches(const struct probes *p)
{
	return p->parts & PROBE_WAITS ? p->skeleton->bss->wait_losses.switches : 0;
}

unsigned int probes__wait_stack(const struct probes *p, uint32_t stack,
				uint64_t addresses[WAIT_STACK_DEPTH])
{
	int map = p->parts & PROBE_WAITS ? bpf_map__fd(p->skeleton->maps.wait_stacks) : -1;
	unsigned int count = 0;

	if (map < 0 || bpf_map_lookup_elem(map, &stack, addresses))
		return 0;
	while (count < WAIT_STACK_DEPTH && addresses[count])
		count++;
	return count;
}

int probes__forget_account(struct probes *p, const struct account_key *key)
{
	return bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.accounts), key) && errno != ENOENT
		       ? -errno
		       : 0;
}

int probes__take_account(struct probes *p, const struct account_key *key, struct account *account)
{
	int accounts = bpf_map__fd(p->skeleton->maps.accounts);

	/* Before 5.14 reading and deleting are two steps. */
	if (!bpf_map_lookup_and_delete_elem(accounts, key, account))
		return 0;
	return bpf_map_lookup_elem(accounts, key, account) ? -ENOENT
							   : probes__forget_account(p, key);
}
