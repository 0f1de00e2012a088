/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What "better" means: frames per second, among candidates whose matte is good enough and whose memory fits. */
#ifndef VRS_TUNER_OBJECTIVE_H
#define VRS_TUNER_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/record/result.h"

struct vrs_objective {
	double max_iou_loss;       /* against the default, where the clip has truth; default .005 */
	double min_agreement;      /* IoU with the default's fp32 mattes, where it has not; default .97 */
	int64_t memory_limit_bytes; /* 0: none */
};

struct vrs_objective vrs_objective_default(void);
/* Speed of a case over that of the base: median over the rounds that both ran in; NaN: they share none. */
double vrs_case_speed(const struct vrs_case_result *c, const struct vrs_case_result *base);
/* Truth IoU of a case if known, else its agreement; *ret_truth says which; NaN: neither. */
double vrs_case_quality(const struct vrs_case_result *c, bool *ret_truth);
/*
 * May a case be chosen?  `base` is the default of the same measurement.  On false `why` (size bytes) says in words what is not met.
 * A case without any quality figure is refused: speed alone proves nothing.
 */
bool vrs_objective_accepts(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, char *why,
			   size_t size);

#endif
