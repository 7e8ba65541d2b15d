/* SPDX-License-Identifier: MIT */
/* Parts of JSON documents that several commands use (jansson). */
#ifndef BLKREEL_RENDER_JSON_H
#define BLKREEL_RENDER_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/histogram.h"

/* {"schema": "blkreel.NAME/1"}: where every document starts. New reference. */
json_t *json_document(const char *name);
/* {"count","min","mean","p50","p90","p99","p99_9","max"}. New reference. */
json_t *json_distribution(const struct histogram *h);
/* Sets an unsigned number; values above 2^63-1 become the largest that JSON readers keep. */
void json_set_u64(json_t *object, const char *key, uint64_t value);
void json_set_text(json_t *object, const char *key, const char *text); /* bad UTF-8 is escaped */
void json_set_real(json_t *object, const char *key, double value);     /* NaN, inf: null */
void json_set_bool(json_t *object, const char *key, int value);
/* Prints with an indent of 2 and a newline, drops the reference. 0 or -EIO. */
int json_print(FILE *out, json_t *document);

#endif
