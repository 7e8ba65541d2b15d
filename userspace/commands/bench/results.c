// SPDX-License-Identifier: MIT
#include "commands/bench/results.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "bench/store.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "commands/shared/text_output.h"
#include "render/json.h"

static void first_line(const char *path, char text[BENCH_TEXT_MAX])
{
	FILE *in = fopen(path, "re");

	text[0] = '\0';
	if (!in)
		return;
	if (!fgets(text, BENCH_TEXT_MAX, in))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (size_t end = strlen(text); end && text[end - 1] == ' ';)
		text[--end] = '\0';
	fclose(in);
}

static void name_cpu(char text[BENCH_TEXT_MAX])
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char line[BENCH_TEXT_MAX];

	text[0] = '\0';
	while (in && !*text && fgets(line, sizeof(line), in))
		if (!strncmp(line, "model name", 10) && strchr(line, ':'))
			snprintf(text, BENCH_TEXT_MAX, "%.*s",
				 (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
	if (in)
		fclose(in);
}

void cmd_bench_describe(struct bench_results *r)
{
	char path[128];
	struct utsname u;
	struct stat st;

	if (!uname(&u))
		snprintf(r->kernel, sizeof(r->kernel), "%s %s", u.sysname, u.release);
	name_cpu(r->cpu);
	if (stat(r->target, &st) || !S_ISBLK(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/device/model", major(st.st_rdev),
		 minor(st.st_rdev));
	first_line(path, r->model);
}

/* Files -------------------------------------------------------------------------------------- */

static bool is_csv(const char *head, size_t bytes)
{
	(void)bytes;
	return !strncmp(head, "point,bs_bytes,", 15);
}

static bool is_document(const char *head, size_t bytes)
{
	(void)bytes;
	return strstr(head, "\"blkreel.bench/") != NULL;
}

static bool is_page(const char *head, size_t bytes)
{
	(void)bytes;
	return strstr(head, "<meta name=\"generator\" content=\"blkreel ") != NULL;
}

static const struct output_kind csv_kind = {.name = "table", .is_one = is_csv};
static const struct output_kind json_kind = {.name = "document", .is_one = is_document};
static const struct output_kind page_kind = {.name = "page", .is_one = is_page};

static int print_document(const struct bench_results *r, FILE *out)
{
	return json_print(out, bench_json(r));
}

static int write_file(const struct bench_results *r, const char *folder, const char *name,
		      const struct output_kind *kind,
		      int (*print)(const struct bench_results *r, FILE *out))
{
	char path[BENCH_PATH_MAX], message[BENCH_PATH_MAX + 256];
	struct text_output out;
	int err;

	bench_store__path(folder, name, path);
	err = text_output__begin(&out, path, kind);
	if (!err)
		err = text_output__end(&out, print(r, out.file));
	if (!err)
		return EXIT_OK;
	output_file__explain(path, kind, err, message, sizeof(message));
	pr_err("%s", message);
	return EXIT_FAILED;
}

int cmd_bench_results(const struct bench_results *r, bool json, const char *folder)
{
	int err = json ? print_document(r, stdout) : bench_text(r, stdout);
	int code = cmd_flush_stdout();

	if (err && !code) {
		pr_err("cannot print: %s", strerror(-err));
		code = EXIT_FAILED;
	}
	if (!code && folder)
		code = write_file(r, folder, "results.csv", &csv_kind, bench_csv);
	if (!code && folder)
		code = write_file(r, folder, "results.json", &json_kind, print_document);
	if (!code && folder)
		code = write_file(r, folder, "index.html", &page_kind, bench_print_html);
	return code;
}
