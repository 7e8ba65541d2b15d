// SPDX-License-Identifier: MIT
#include "render/compare/runs.h"

/* Text in XML 1.0, which allows no other control characters at all. */
static void escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' || (unsigned char)*text > 126 ? '?'
										       : *text,
			      out);
		}
	}
}

static void test_case(const struct compared *c, const char *name, bool failed, const char *text,
		      FILE *out)
{
	fprintf(out, "  <testcase classname=\"");
	escaped(run_short_name(c->b->paths[0]), out);
	fprintf(out, "\" name=\"");
	escaped(name, out);
	fprintf(out, "\">\n    <%s", failed ? "failure message=\"" : "system-out>");
	escaped(text, out);
	fprintf(out, "%s\n  </testcase>\n", failed ? "\"/>" : "</system-out>");
}

static unsigned int failures(const struct compared *c)
{
	unsigned int count = 0;

	if (!c->limit_count)
		return !c->r->typical.same_workload;
	for (unsigned int i = 0; i < c->limit_count; i++)
		count += limit_result__is_failure(&c->limits[i]);
	return count;
}

static void candidate(const struct compared *c, FILE *out)
{
	char text[LIMIT_TEXT_MAX];

	if (!c->limit_count)
		test_case(c, "workload.same", !c->r->typical.same_workload, c->r->typical.summary,
			  out);
	for (unsigned int i = 0; i < c->limit_count; i++) {
		limit_result__text(&c->limits[i], text);
		test_case(c, c->limits[i].limit->name, limit_result__is_failure(&c->limits[i]),
			  text, out);
	}
}

void render_runs_junit(const struct compared *list, unsigned int count, FILE *out)
{
	unsigned int tests = 0, failed = 0;

	for (unsigned int i = 0; i < count; i++) {
		tests += list[i].limit_count ? list[i].limit_count : 1;
		failed += failures(&list[i]);
	}
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"blkreel compare\" tests=\"%u\" failures=\"%u\">\n",
		tests, failed);
	for (unsigned int i = 0; i < count; i++)
		candidate(&list[i], out);
	fprintf(out, "</testsuite>\n");
}
