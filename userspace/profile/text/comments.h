/* SPDX-License-Identifier: MIT */
/* Of a profile's text: comments that say figures, and which tables are written. */
#ifndef BLKREEL_PROFILE_TEXT_COMMENTS_H
#define BLKREEL_PROFILE_TEXT_COMMENTS_H

#include "profile/profile.h"

void say_duration(const struct profile *p, uint32_t instance, FILE *out);
void say_range(const struct profile *p, uint32_t instance, FILE *out);
void say_windows(const struct profile *p, uint32_t instance, FILE *out);
void say_class_splits(const struct profile *p, uint32_t instance, FILE *out);
void say_pinned_bursts(const struct profile *p, uint32_t instance, FILE *out);
void say_splits_of_others(const struct profile *p, uint32_t instance, FILE *out);
void say_splits_of_reads(const struct profile *p, uint32_t instance, FILE *out);
void say_splits_of_all(const struct profile *p, uint32_t instance, FILE *out);
void say_share(const struct profile *p, uint32_t stream, FILE *out);

bool reads_are_known(const struct profile *p, uint32_t instance, uint32_t label);
bool has_class(const struct profile *p, uint32_t instance, uint32_t class);
bool has_peak_cap(const struct profile *p, uint32_t instance, uint32_t label);
bool has_range(const struct profile *p, uint32_t space, uint32_t label);
bool has_distances(const struct profile *p, uint32_t space, uint32_t label);
bool phases_hold_all(const struct profile *p, uint32_t stream, uint32_t label);

#endif
