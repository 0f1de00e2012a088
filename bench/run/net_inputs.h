/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a network that is measured alone gets in place of pictures: synthetic inputs, and the calibration that precision int8 and mixed need. */
#ifndef VRS_BENCH_NET_INPUTS_H
#define VRS_BENCH_NET_INPUTS_H

#include <stdint.h>

#include <vrseg/calibration.h>
#include <vrseg/session.h>

#define VRS_NET_INPUTS 4 /* different pictures, used in turn */

/* VRS_NET_INPUTS tensors in one block (vrs_free): uniform values in 0..1, as pictures have them. NULL: no memory. */
float *vrs_net_inputs_make(size_t elements);
/* The inputs besides the first keep what they get here: the states zeros, the others random values, or zeros where they are no floats. */
void vrs_net_inputs_fill_others(struct vrs_session *session);
/*
 * States of a recurrent network that stay on the session's device from run to run, as in a job.  Returns how many slots they have, one for each entry
 * of the batch; 0: the network has no states, or they go through the host.
 */
int vrs_net_states_stay(struct vrs_session *session);
/*
 * Other precisions: nothing, *ret_origin is NULL.  Else the calibration that vrseg --calibrate has kept (origin "kept"), or one made on synthetic
 * inputs ("synthetic"): good for times, but its ranges are not those of pictures.  The caller destroys it after the session.
 */
enum vrs_status vrs_net_calibrate(struct vrs_calibration **ret_calibration, const char **ret_origin, const struct vrs_model *model,
				  uint64_t manifest, const struct vrs_session_options *options, struct vrs_error *err) VRS_MUST_CHECK;

#endif
