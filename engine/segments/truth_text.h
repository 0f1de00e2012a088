/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of comparisons with a truth as JSON, for checkpoints and for what worker processes report. */
#ifndef VRS_SEGMENTS_TRUTH_TEXT_H
#define VRS_SEGMENTS_TRUTH_TEXT_H

#include <vrseg/quality.h>

#include "base/json.h"

/* As an array under `key`; sums of nothing are left out. False: out of memory. */
bool vrs_truth_text_put(cJSON *object, const char *key, const struct vrs_truth_sums *sums);
/* False: there are none, or they are damaged; *ret_sums is zeroed then. */
bool vrs_truth_text_take(const cJSON *object, const char *key, struct vrs_truth_sums *ret_sums);

#endif
