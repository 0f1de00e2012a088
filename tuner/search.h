/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search: screen one knob at a time, explore combinations by a strategy, then a final against the default in interleaved rounds.  Only the
 * final's own figures are claimed (a winner picked from noisy numbers looks better than it is), and the default wins every tie.
 */
#ifndef VRS_TUNER_SEARCH_H
#define VRS_TUNER_SEARCH_H

#include <stdbool.h>

#include "tuner/measure.h"
#include "tuner/search_options.h"
#include "tuner/search_result.h"
#include "tuner/space.h"

struct vrs_search_options vrs_search_options_default(bool quick);
/*
 * Run the search.  The space gains the values that are tried because larger ones ran out of memory, and an entry for these.
 * VRS_ESTOPPED: *ret_result is not written; VRS_ECONFIG: nothing to tune; VRS_EINTERNAL: the default itself did not run (err holds its reason);
 * statuses of measure; VRS_ENOMEM.  Release with vrs_search_result_fini.
 */
enum vrs_status vrs_search(struct vrs_space *space, const struct vrs_search_options *options, vrs_measure_fn measure, void *cookie,
			   struct vrs_search_result *ret_result, struct vrs_error *err);
void vrs_search_result_fini(struct vrs_search_result *result);

#endif
