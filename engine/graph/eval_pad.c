/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Padding and cropping of every kind. */
#include <string.h>

#include "graph/eval_ops.h"
#include "graph/eval_rows.h"

/* Remainder with the sign of the divisor. */
static int64_t wrap(int64_t i, int64_t n)
{
	return (i % n + n) % n;
}

/* Reflection repeats no border: its period is 2 (n - 1). */
int64_t vrs_pad_source(enum vrs_pad_mode mode, int64_t i, int64_t n)
{
	if (i >= 0 && i < n)
		return i;
	switch (mode) {
	case VRS_PAD_CONSTANT: return -1;
	case VRS_PAD_EDGE: return i < 0 ? 0 : n - 1;
	case VRS_PAD_WRAP: return wrap(i, n);
	case VRS_PAD_REFLECT: break;
	}
	if (n == 1)
		return 0;
	i = wrap(i, 2 * (n - 1));
	return i < n ? i : 2 * (n - 1) - i;
}

void vrs_eval_pad(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *y = vrs_eval_out(e);
	size_t n = vrs_tensor_elements(y), size = vrs_dtype_size(y->dtype);
	int64_t strides[VRS_MAX_RANK], at[VRS_MAX_RANK] = {0};

	vrs_dense_strides(x, strides);
	for (size_t i = 0; i < n; i++) {
		int64_t index = 0;
		bool inside = true;

		for (int k = 0; k < y->rank; k++) {
			int64_t from = vrs_pad_source(e->node->u.pad.mode, at[k] - e->node->u.pad.before[k], x->dims[k]);

			inside = inside && from >= 0;
			index += from * strides[k];
		}
		memcpy((char *)e->out + i * size, inside ? (const char *)e->in[0] + (size_t)index * size : e->node->u.pad.fill, size);
		for (int k = y->rank - 1; k >= 0 && ++at[k] == y->dims[k]; k--)
			at[k] = 0;
	}
}
