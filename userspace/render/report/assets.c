// SPDX-License-Identifier: MIT
#include "render/report/assets.h"

#include <stddef.h>

#include "render/report/report.h"

/* The assembler copies the file; the path is from the top, where the compiler runs. */
#define ASSET(symbol, file)                                                               \
	__asm__(".pushsection .rodata\n.globl " #symbol "\n" #symbol ":\n.incbin \"" file \
		"\"\n.byte 0\n.popsection\n")

ASSET(report_page_css, REPORT_FOLDER "/page.css");
ASSET(report_page_js, REPORT_FOLDER "/page.js");
ASSET(report_page_hash, REPORT_FOLDER "/page.hash");
ASSET(report_page_missing, REPORT_FOLDER "/missing");

const char *report_charts_missing(void)
{
	return *report_page_missing ? report_page_missing : NULL;
}
