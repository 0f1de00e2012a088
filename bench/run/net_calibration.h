/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calibration that precision int8 and mixed need, for networks that are measured alone. */
#ifndef VRS_BENCH_NET_CALIBRATION_H
#define VRS_BENCH_NET_CALIBRATION_H

#include <vrseg/calibration.h>

/*
 * Other precisions: nothing, *ret_origin is NULL.  Else the calibration that vrseg --calibrate has kept (origin "kept"), or one made on synthetic
 * inputs ("synthetic"): good for times, but its ranges are not those of pictures.  The caller destroys it after the session.
 */
enum vrs_status vrs_net_calibrate(struct vrs_calibration **ret_calibration, const char **ret_origin, const struct vrs_model *model,
				  const struct vrs_session_options *options, uint64_t seed, struct vrs_error *err) VRS_MUST_CHECK;

#endif
