/* SPDX-License-Identifier: MIT */
/* The style and the code of a page, as the build has put them into the binary. */
#ifndef BLKREEL_RENDER_REPORT_ASSETS_H
#define BLKREEL_RENDER_REPORT_ASSETS_H

extern const char report_page_css[], report_page_js[];
/* "sha256-...": what the page's policy lets run. "" without code. */
extern const char report_page_hash[];
/* Why there is no code; "": there is. */
extern const char report_page_missing[];

#endif
