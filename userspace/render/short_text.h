/* SPDX-License-Identifier: MIT */
/* Numbers for the narrow columns of live tables: three digits and a unit. */
#ifndef BLKREEL_RENDER_SHORT_TEXT_H
#define BLKREEL_RENDER_SHORT_TEXT_H

#define SHORT_TEXT_MAX 32

/* "0", "17", "9.95k", "123M": `base` is 1000 or 1024, `unit` stands at the end. */
void short_scaled(char text[SHORT_TEXT_MAX], double value, double base, const char *unit);
/* "340us", "1.24ms" */
void short_time(char text[SHORT_TEXT_MAX], double time_ns);

#endif
