// SPDX-License-Identifier: MIT
/* Tables and wrapped text are aligned, narrow and without trailing blanks. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "unit/shared/test.h"

#include "render/table.h"

static char *text;
static size_t length;

static FILE *open_text(void)
{
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &length);
	if (!out)
		abort();
	return out;
}

static const char *printed(const struct table *t, unsigned int indent)
{
	FILE *out = open_text();

	CHECK_EQ(table__print(t, out, indent), 0);
	fclose(out);
	return text;
}

static void columns_are_aligned_to_their_sides(void)
{
	struct table *t = table__new("lrl");

	REQUIRE(t);
	table__cell(t, "name");
	table__cell(t, "IOs");
	table__cell(t, "what");
	table__cell(t, "a");
	table__cell(t, "%d", 12345);
	table__cell(t, "x");
	CHECK_TEXT(printed(t, 0), "name    IOs  what\na     12345  x\n");
	CHECK_TEXT(printed(t, 2), "  name    IOs  what\n  a     12345  x\n");
	table__free(t);
	table__free(NULL);
}

static void no_line_ends_in_blanks(void)
{
	struct table *t = table__new("lrl");

	REQUIRE(t);
	table__cell(t, "total");
	table__end_row(t);
	table__end_row(t); /* nothing begun: nothing to end */
	table__cell(t, "a");
	table__cell(t, "%s", "");
	table__cell(t, "long remark");
	table__cell(t, "b");
	table__cell(t, "7");
	CHECK_TEXT(printed(t, 1), " total\n a         long remark\n b      7\n");
	table__free(t);
}

static void multi_byte_names_take_their_columns(void)
{
	struct table *t = table__new("lr");

	REQUIRE(t);
	table__cell(t, "\xc3\xa4rger");
	table__cell(t, "1");
	table__cell(t, "anger");
	table__cell(t, "2");
	CHECK_TEXT(printed(t, 0), "\xc3\xa4rger  1\nanger  2\n");
	table__free(t);
}

static void control_bytes_do_not_reach_the_terminal(void)
{
	struct table *t = table__new("l");

	REQUIRE(t);
	table__cell(t, "%s", "a\x1b[31m\nb\x7f");
	CHECK_TEXT(printed(t, 0), "a?[31m?b?\n");
	table__free(t);
}

/* A terminal of 80 columns. */
static FILE *open_terminal(int *master)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 80};

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	if (*master < 0 || grantpt(*master) || unlockpt(*master) ||
	    ioctl(*master, TIOCSWINSZ, &size))
		abort();
	return fopen(ptsname(*master), "w");
}

/* A name of 200 columns, beside one of `beside` columns. */
static struct table *wide_table(const char *end, unsigned int beside)
{
	struct table *t = table__new("lrr");
	char name[201];

	if (!t)
		abort();
	memset(name, 'x', 200);
	strcpy(name + 200 - strlen(end), end);
	table__cell(t, "%s", name);
	table__cell(t, "%*d", (int)beside, 123);
	table__cell(t, "7");
	table__cell(t, "short");
	table__cell(t, "4");
	table__cell(t, "7");
	return t;
}

static void a_wide_column_is_cut_to_fit_a_terminal(void)
{
	struct table *t = wide_table("/end", 3);
	int master;
	FILE *terminal = open_terminal(&master);

	REQUIRE(terminal);
	table__fit(t, 0, 2, terminal);
	CHECK_EQ(strcspn(printed(t, 2), "\n"), TEXT_WIDTH);
	CHECK(!strncmp(text, "  ...xxx", 8));
	CHECK(strstr(text, "xxx/end  123  7\n  short"));
	table__free(t);
	/* 16 columns of the name stay, for which the columns move together. */
	t = wide_table("end", 60);
	table__fit(t, 0, 2, terminal);
	CHECK(strstr(printed(t, 2), "  xxxxxxx...xxxend "));
	CHECK_EQ(strcspn(text, "\n"), 2 + 16 + 1 + 60 + 1 + 1);
	table__free(t);
	fclose(terminal);
	close(master);
}

static void nothing_is_cut_without_a_terminal(void)
{
	struct table *t = wide_table("/end", 3);
	FILE *no_terminal = fopen("/dev/null", "w");

	REQUIRE(no_terminal);
	table__fit(t, 0, 2, no_terminal);
	fclose(no_terminal);
	CHECK_EQ(strcspn(printed(t, 2), "\n"), 2 + 200 + 2 + 3 + 2 + 1);
	table__free(t);
}

/* A path can have 4,095 bytes, to which every other row would be filled up. */
static void a_cell_is_bounded_without_a_terminal(void)
{
	char longest[1001] = "";
	FILE *no_terminal = fopen("/dev/null", "w");
	struct table *t;

	REQUIRE(no_terminal);
	memset(longest, 'x', sizeof(longest) - 1);
	t = wide_table("/end", 3);
	table__cell(t, "%s", longest);
	table__fit(t, 0, 2, no_terminal);
	fclose(no_terminal);
	CHECK_EQ(strcspn(printed(t, 2), "\n"), 2 + TABLE_WIDTH_MAX + 2 + 3 + 2 + 1);
	table__free(t);
}

static void sentences_are_wrapped_and_indented(void)
{
	FILE *out = open_text();
	size_t line = 0;

	text_wrapped(out, "  -> ",
		     "one two three four five six seven eight nine ten eleven twelve thirteen "
		     "fourteen fifteen\nsixteen\x1b");
	fclose(out);
	CHECK_TEXT(text,
		   "  -> one two three four five six seven eight nine ten eleven twelve thirteen\n"
		   "     fourteen fifteen sixteen?\n");
	for (const char *at = text; *at; at++) {
		line = *at == '\n' ? 0 : line + 1;
		CHECK(line <= TEXT_WIDTH);
	}
}

static void a_number_stays_with_its_per_cent_sign(void)
{
	FILE *out = open_text();

	text_wrapped(out, "",
		     "one two three four five six seven eight nine ten eleven twelve thirteen one "
		     "99 % x");
	fclose(out);
	CHECK(strstr(text, "one\n99 % x\n"));
}

static void paths_keep_their_ends(void)
{
	char buffer[16];

	CHECK_TEXT(text_cut("/a/b", 10, buffer), "/a/b");
	CHECK_TEXT(text_cut("/srv/db/ibdata1", 15, buffer), "/srv/db/ibdata1");
	CHECK_TEXT(text_cut("/srv/data/ibdata1", 10, buffer), "...ibdata1");
	CHECK_TEXT(text_cut("/srv/db/\xc3\xa4rger", 8, buffer), "...rger");
	CHECK_TEXT(text_cut("abcdef", 2, buffer), "ab");
}

/* Of a process its number, of an inode its device. */
static void other_names_keep_both_ends(void)
{
	char buffer[16];

	CHECK_TEXT(text_cut("postgres 4711", 13, buffer), "postgres 4711");
	CHECK_TEXT(text_cut("postgres 4711", 12, buffer), "postg...4711");
	CHECK_TEXT(text_cut("a\xc3\xa4rger 12", 9, buffer), "a\xc3\xa4... 12");
	CHECK_TEXT(text_cut("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6, buffer), "\xc3\xa4...");
}

int main(void)
{
	RUN(columns_are_aligned_to_their_sides);
	RUN(no_line_ends_in_blanks);
	RUN(multi_byte_names_take_their_columns);
	RUN(control_bytes_do_not_reach_the_terminal);
	RUN(a_wide_column_is_cut_to_fit_a_terminal);
	RUN(nothing_is_cut_without_a_terminal);
	RUN(a_cell_is_bounded_without_a_terminal);
	RUN(sentences_are_wrapped_and_indented);
	RUN(a_number_stays_with_its_per_cent_sign);
	RUN(paths_keep_their_ends);
	RUN(other_names_keep_both_ends);
	free(text);
	return TEST_RESULT;
}
