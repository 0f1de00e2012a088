/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/net_inputs.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

float *vrs_net_inputs_make(size_t elements, uint64_t seed)
{
	size_t total;
	struct vrs_rng rng;
	if (!vrs_mul_size(elements, VRS_NET_INPUTS, &total))
		return NULL;
	float *values = vrs_realloc_array(NULL, total, sizeof *values);
	vrs_rng_init(&rng, seed);
	for (size_t i = 0; values && i < total; i++)
		values[i] = (float)vrs_rng_unit(&rng);
	return values;
}

/* Is there an output of the same shape? Then input number i is a state that the network hands on, and starts from zeros. */
static bool is_state(struct vrs_session *session, const struct vrs_tensor_view *in)
{
	struct vrs_tensor_view out;
	for (int i = 0; (out = vrs_session_output(session, i)).rank > 0; i++)
		if (out.rank == in->rank && memcmp(out.dims, in->dims, (size_t)in->rank * sizeof *in->dims) == 0)
			return true;
	return false;
}

void vrs_net_inputs_fill_others(struct vrs_session *session, uint64_t seed)
{
	struct vrs_tensor_view in;
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed + 1);
	for (int i = 1; (in = vrs_session_input(session, i)).raw; i++) {
		bool random = in.data && !is_state(session, &in);
		memset(in.raw, 0, in.bytes);
		for (size_t k = 0; random && k < in.elements; k++)
			in.data[k] = (float)vrs_rng_unit(&rng);
	}
}
