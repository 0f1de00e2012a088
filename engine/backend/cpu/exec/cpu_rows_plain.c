/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row operations without a kernel of their own: slices, and functions of elements that are rare enough for plain C. */
#include <math.h>
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "graph/eval_ops.h"

void vrs_cpu_rows_cut(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	int64_t first_y, y_step, x0, x_step, c0, c_step;
	vrs_cpu_slice_along(plan, op, 1, &first_y, &y_step);
	vrs_cpu_slice_along(plan, op, 2, &x0, &x_step);
	vrs_cpu_slice_along(plan, op, 3, &c0, &c_step);
	int channels = out->channels;
	for (int y = y0; y < y1; y++) {
		const float *from = vrs_cpu_row(thread, op->in[0], image, (int)(first_y + y * y_step)) + x0 * in->channels + c0;
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		if (c_step == 1)
			vrs_cpu_copy_pixels(from, x_step * in->channels, to, channels, out->width, channels);
		for (int x = 0; c_step != 1 && x < out->width; x++, to += channels, from += x_step * in->channels)
			for (int c = 0; c < channels; c++)
				to[c] = from[c * c_step];
	}
}

void vrs_cpu_rows_function(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_node *node = &thread->plan->graph.nodes[op->node];
	size_t count = vrs_cpu_row_floats(&thread->plan->values[op->out]);
	for (int y = y0; y < y1; y++) {
		const float *in = vrs_cpu_row(thread, op->in[0], image, y);
		float *out = vrs_cpu_out_row(thread, op->out, image, y);
		for (size_t i = 0; i < count; i++)
			out[i] = (float)vrs_act_apply(node->act, node->act_lo, node->act_hi, (double)in[i]);
	}
}

/* Powers that networks have, as pow of libm has them, too, for zeros and infinities; false: another exponent. */
static bool plain_power(float exponent, const float *in, float *out, size_t count)
{
	if (exponent == 2.0f)
		for (size_t i = 0; i < count; i++)
			out[i] = in[i] * in[i];
	else if (exponent == 3.0f)
		for (size_t i = 0; i < count; i++)
			out[i] = (float)((double)in[i] * (double)in[i] * (double)in[i]);
	else if (exponent == -1.0f)
		for (size_t i = 0; i < count; i++)
			out[i] = 1.0f / in[i];
	else if (exponent == 0.5f)
		for (size_t i = 0; i < count; i++)
			out[i] = in[i] == -INFINITY ? INFINITY : sqrtf(in[i]) + 0.0f; /* + 0: not -0 */
	else
		return false;
	return true;
}

/* Rows to the power of one constant; false: it is something else, or no such constant. */
static bool constant_power(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *b = &plan->values[op->in[1]];
	if (plan->graph.nodes[op->node].u.binary.op != VRS_POW || !b->constant || b->images * b->height * b->width * b->channels != 1)
		return false;
	return plain_power(*(const float *)b->constant, vrs_cpu_row(thread, op->in[0], image, y), vrs_cpu_out_row(thread, op->out, image, y),
			   vrs_cpu_row_floats(&plan->values[op->out]));
}

void vrs_cpu_rows_arithmetic(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_node *node = &thread->plan->graph.nodes[op->node];
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	ptrdiff_t a_px, b_px, channels = out->channels;
	int a_ch, b_ch;
	for (int y = y0; y < y1; y++) {
		if (constant_power(op, thread, image, y))
			continue;
		const float *a = vrs_cpu_operand_row(thread, op->in[0], image, y, &a_px, &a_ch);
		const float *b = vrs_cpu_operand_row(thread, op->in[1], image, y, &b_px, &b_ch);
		float *to = vrs_cpu_out_row(thread, op->out, image, y);
		for (int x = 0; x < out->width; x++, a += a_px, b += b_px, to += channels)
			for (ptrdiff_t c = 0; c < channels; c++)
				to[c] = (float)vrs_binary_apply(node->u.binary.op, (double)a[c * a_ch], (double)b[c * b_ch]);
	}
}
