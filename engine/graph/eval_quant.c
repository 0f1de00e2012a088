/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers to small integers and back, with one scale or one for each place along an axis. */
#include <math.h>

#include "graph/eval_ops.h"

/* Elements after which the next scale begins, and how many scales there are. */
struct steps {
	size_t inner, count;
};

static struct steps steps_of(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	struct steps s = {.inner = 1, .count = vrs_tensor_elements(vrs_eval_in(e, 1))};
	int axis = e->node->u.quant.axis < 0 ? e->node->u.quant.axis + x->rank : e->node->u.quant.axis;

	for (int i = axis + 1; i < x->rank && s.count > 1; i++)
		s.inner *= (size_t)x->dims[i];
	return s;
}

/* The quotient is a float, as ONNX has it: where x / scale falls on a half, the rounding of the division decides. */
void vrs_eval_quant(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *y = vrs_eval_out(e);
	struct steps s = steps_of(e);
	size_t n = vrs_tensor_elements(x);

	for (size_t i = 0; i < n; i++) {
		size_t k = i / s.inner % s.count;
		double value = vrs_load_f64(x->dtype, e->in[0], i), scale = vrs_load_f64(vrs_eval_in(e, 1)->dtype, e->in[1], k);
		double zero = e->in[2] != NULL ? vrs_load_f64(vrs_eval_in(e, 2)->dtype, e->in[2], k) : 0;

		if (e->node->op == VRS_OP_QUANTIZE)
			value = nearbyint((double)((float)value / (float)scale)) + zero;
		else
			value = (value - zero) * scale;
		vrs_store_f64(y->dtype, e->out, i, value);
	}
}
