/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic inputs of networks that are measured alone. */
#ifndef VRS_BENCH_NET_INPUTS_H
#define VRS_BENCH_NET_INPUTS_H

#include <stdint.h>

#include <vrseg/session.h>

#define VRS_NET_INPUTS 4 /* different pictures, used in turn */

/* VRS_NET_INPUTS tensors in one block (vrs_free): uniform values in 0..1, as pictures have them. NULL: no memory. */
float *vrs_net_inputs_make(size_t elements, uint64_t seed);
/* The inputs besides the first keep what they get here: the states zeros, the others random values, or zeros where they are no floats. */
void vrs_net_inputs_fill_others(struct vrs_session *session, uint64_t seed);

#endif
