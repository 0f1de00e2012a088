/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normalisation to mean 0 and variance 1, and softmax. */
#include <math.h>

#include "graph/eval_ops.h"

/* Factor 1 / sqrt(variance + epsilon) and mean of values whose sum and count are known, the sum of squares around the mean comes second. */
static double inverse_deviation(double squares, double count, float epsilon)
{
	return 1 / sqrt(squares / count + (double)epsilon);
}

void vrs_eval_layer_norm(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	const float *scale = e->in[1], *bias = e->in[2];
	int axis = e->node->u.norm.axis < 0 ? e->node->u.norm.axis + x->rank : e->node->u.norm.axis;
	size_t count = 1, rows;

	for (int i = axis; i < x->rank; i++)
		count *= (size_t)x->dims[i];
	rows = count > 0 ? vrs_tensor_elements(x) / count : 0;
	for (size_t r = 0; r < rows; r++) {
		const float *from = (const float *)e->in[0] + r * count;
		float *to = (float *)e->out + r * count;
		double sum = 0, squares = 0, mean, factor;

		for (size_t i = 0; i < count; i++)
			sum += (double)from[i];
		mean = sum / (double)count;
		for (size_t i = 0; i < count; i++)
			squares += ((double)from[i] - mean) * ((double)from[i] - mean);
		factor = inverse_deviation(squares, (double)count, e->node->u.norm.epsilon);
		for (size_t i = 0; i < count; i++)
			to[i] = (float)(((double)from[i] - mean) * factor * (scale != NULL ? (double)scale[i] : 1) + (bias != NULL ? (double)bias[i] : 0));
	}
}

/* Channels first..first + channels of one batch entry. */
static void normalise_group(const struct vrs_eval *e, int64_t n, int64_t first, int64_t channels)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	const float *scale = e->in[1], *bias = e->in[2], *from = e->in[0];
	int64_t pixels = x->dims[1] * x->dims[2], all = x->dims[3];
	double count = (double)(pixels * channels), sum = 0, squares = 0, mean, factor;
	float *to = e->out;

	for (int64_t p = n * pixels; p < (n + 1) * pixels; p++)
		for (int64_t c = first; c < first + channels; c++)
			sum += (double)from[p * all + c];
	mean = sum / count;
	for (int64_t p = n * pixels; p < (n + 1) * pixels; p++)
		for (int64_t c = first; c < first + channels; c++)
			squares += ((double)from[p * all + c] - mean) * ((double)from[p * all + c] - mean);
	factor = inverse_deviation(squares, count, e->node->u.norm.epsilon);
	for (int64_t p = n * pixels; p < (n + 1) * pixels; p++)
		for (int64_t c = first; c < first + channels; c++)
			to[p * all + c] = (float)(((double)from[p * all + c] - mean) * factor * (double)scale[c] + (double)bias[c]);
}

void vrs_eval_instance_norm(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	int64_t channels = e->node->u.norm.groups > 0 ? x->dims[3] / e->node->u.norm.groups : 1;

	for (int64_t n = 0; n < x->dims[0]; n++)
		for (int64_t c = 0; c < x->dims[3]; c += channels)
			normalise_group(e, n, c, channels);
}

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
