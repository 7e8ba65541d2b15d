// SPDX-License-Identifier: MIT
/* A window gives elements back by time, against a search of everything that it holds. */
#include "base/reorder_window.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

struct element {
	uint64_t time_ns, turn, number;
	char more[9]; /* a size that is no power of two */
};

static void push(struct reorder_window *w, struct element element)
{
	struct element *place = reorder_window__push(w, element.time_ns, element.turn);

	*place = element;
}

static void sorts_within_its_capacity(void)
{
	static const uint64_t pushed_ns[] = {50, 10, 40, 10, 30, 20, 60, 55};
	static const uint64_t popped_ns[] = {10, 10, 20, 30, 40, 50, 55, 60};
	const struct element *element;
	struct reorder_window *w;
	uint64_t first_ns = 0;

	REQUIRE(!reorder_window__create(8, sizeof(*element), &w));
	CHECK(!reorder_window__first(w, &first_ns));
	for (unsigned int i = 0; i < 8; i++) {
		CHECK(!reorder_window__full(w));
		push(w, (struct element){.time_ns = pushed_ns[i], .number = i});
	}
	CHECK(reorder_window__full(w));
	for (unsigned int i = 0; i < 8; i++) {
		CHECK(reorder_window__first(w, &first_ns) != NULL);
		CHECK_EQ(first_ns, popped_ns[i]);
		element = reorder_window__pop(w);
		REQUIRE(element != NULL);
		CHECK_EQ(element->time_ns, popped_ns[i]);
		if (i < 2) /* equal times keep their order */
			CHECK_EQ(element->number, i ? 3 : 1);
	}
	CHECK(!reorder_window__pop(w));
	reorder_window__free(w);
}

static bool is_before(const struct element *a, const struct element *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->turn != b->turn ? a->turn < b->turn : a->number < b->number;
}

/* The next by its definition: the earliest of those held, then that with the lowest turn, then the first
 * that came. */
static unsigned int earliest(const struct element *held, unsigned int count)
{
	unsigned int first = 0;

	for (unsigned int i = 1; i < count; i++)
		if (is_before(&held[i], &held[first]))
			first = i;
	return first;
}

/* Elements that are up to `disorder` from their place, `equal` of them at one time. */
static void agrees_with_its_definition(uint64_t disorder, uint64_t equal)
{
	enum {
		CAPACITY = 300,
		ELEMENTS = 5003
	};
	static struct element held[CAPACITY];
	uint64_t pushed = 0, popped = 0, wrong = 0, first_ns = 0;
	const struct element *element, *first;
	struct reorder_window *w;
	unsigned int count = 0, at;

	random_state = disorder + equal;
	REQUIRE(!reorder_window__create(CAPACITY, sizeof(*element), &w));
	while (popped < ELEMENTS) {
		/* Full at times, nearly empty at others. */
		if (pushed < ELEMENTS && count < CAPACITY && (!count || next_random() % 64)) {
			held[count] = (struct element){
				.time_ns = (pushed + next_random() % (disorder + 1)) / equal,
				.turn = next_random() % 3,
				.number = pushed++};
			push(w, held[count++]);
			continue;
		}
		for (uint64_t n = 1 + next_random() % count; n; n--, popped++) {
			at = earliest(held, count);
			first = reorder_window__first(w, &first_ns);
			element = reorder_window__pop(w);
			wrong += first != element || element->number != held[at].number ||
				 first_ns != held[at].time_ns;
			held[at] = held[--count];
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK(!reorder_window__pop(w));
	reorder_window__free(w);
}

static void takes_any_disorder(void)
{
	static const uint64_t disorders[] = {0, 5, 63, 64, 65, 200, 100000};

	for (unsigned int i = 0; i < sizeof(disorders) / sizeof(disorders[0]); i++) {
		agrees_with_its_definition(disorders[i], 1);
		agrees_with_its_definition(disorders[i], 3);
		agrees_with_its_definition(disorders[i], 1000);
	}
}

static void holds_one_element(void)
{
	const struct element *element;
	struct reorder_window *w;

	REQUIRE(!reorder_window__create(1, sizeof(*element), &w));
	for (uint64_t i = 0; i < 1000; i++) {
		push(w, (struct element){.time_ns = 1000 - i, .number = i});
		CHECK(reorder_window__full(w));
		element = reorder_window__pop(w);
		REQUIRE(element != NULL);
		CHECK_EQ(element->number, i);
	}
	reorder_window__free(w);
}

static void a_reversed_order_is_sorted(void)
{
	enum {
		CAPACITY = 5000
	};
	const struct element *element;
	struct reorder_window *w;

	REQUIRE(!reorder_window__create(CAPACITY, sizeof(*element), &w));
	for (uint64_t i = CAPACITY; i; i--)
		push(w, (struct element){.time_ns = i, .number = i});
	for (uint64_t i = 1; i <= CAPACITY; i++) {
		element = reorder_window__pop(w);
		REQUIRE(element != NULL);
		CHECK_EQ(element->number, i);
	}
	reorder_window__free(w);
	reorder_window__free(NULL);
}

int main(void)
{
	RUN(sorts_within_its_capacity);
	RUN(takes_any_disorder);
	RUN(holds_one_element);
	RUN(a_reversed_order_is_sorted);
	return TEST_RESULT;
}
