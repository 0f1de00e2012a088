/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax. */
#include <math.h>

#include "graph/eval_ops.h"

void vrs_eval_softmax(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	size_t n = (size_t)y->dims[y->rank - 1], rows = vrs_tensor_elements(y) / n;

	for (size_t r = 0; r < rows; r++) {
		const float *x = (const float *)e->in[0] + r * n;
		float *to = (float *)e->out + r * n;
		double most = (double)x[0], sum = 0;

		for (size_t i = 1; i < n; i++)
			most = (double)x[i] > most ? (double)x[i] : most;
		for (size_t i = 0; i < n; i++)
			sum += exp((double)x[i] - most);
		for (size_t i = 0; i < n; i++)
			to[i] = (float)(e->node->u.softmax.log ? (double)x[i] - most - log(sum) : exp((double)x[i] - most) / sum);
	}
}
