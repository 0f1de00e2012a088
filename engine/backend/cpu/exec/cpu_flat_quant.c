/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers to small integers and back on whole tensors, for networks that a trainer quantised (QuantizeLinear, DequantizeLinear). */
#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "graph/eval_ops.h"

#define BLOCK 1024    /* elements of a unit of work */
#define BEYOND 1024.0f /* farther from zero than any result of 8 bits and its zero point */
#define ROUND 12582912.0f /* 1.5 * 2^23: adding it rounds a float below 2^22 to a whole number, halves to even */

/* A run of elements that share scale and zero point; or each has its own. */
struct run {
	const struct vrs_eval *e;
	size_t first, count, scale, each; /* of the first scale; 1: one an element, 0: one for all */
};

static float scale_at(const struct run *r, size_t i)
{
	return ((const float *)r->e->in[1])[r->scale + i * r->each];
}

static float zero_at(const struct run *r, size_t i)
{
	return r->e->in[2] == NULL ? 0.0f : (float)vrs_load_i64(vrs_eval_in(r->e, 2)->dtype, r->e->in[2], r->scale + i * r->each);
}

static void quantize(const struct run *r)
{
	const float *x = (const float *)r->e->in[0] + r->first;
	bool is_signed = vrs_eval_out(r->e)->dtype == VRS_I8;
	float lo = is_signed ? -128.0f : 0.0f, hi = is_signed ? 127.0f : 255.0f, scale = scale_at(r, 0), zero = zero_at(r, 0);
	uint8_t *to = (uint8_t *)r->e->out + r->first;
	for (size_t i = 0; i < r->count; i++) {
		if (r->each) {
			scale = scale_at(r, i);
			zero = zero_at(r, i);
		}
		float v = x[i] / scale;
		v = v < -BEYOND ? -BEYOND : v > BEYOND ? BEYOND : v;
		v = (v + ROUND) - ROUND + zero;
		v = v == v ? v : 0.0f; /* no number */
		v = v < lo ? lo : v > hi ? hi : v;
		to[i] = (uint8_t)(int)v;
	}
}

static void dequantize(const struct run *r)
{
	const uint8_t *u = (const uint8_t *)r->e->in[0] + r->first;
	const int8_t *s = (const int8_t *)r->e->in[0] + r->first;
	bool is_signed = vrs_eval_in(r->e, 0)->dtype == VRS_I8;
	float scale = scale_at(r, 0), zero = zero_at(r, 0), *to = (float *)r->e->out + r->first;
	if (!r->each && is_signed)
		for (size_t i = 0; i < r->count; i++)
			to[i] = ((float)s[i] - zero) * scale;
	else if (!r->each)
		for (size_t i = 0; i < r->count; i++)
			to[i] = ((float)u[i] - zero) * scale;
	else
		for (size_t i = 0; i < r->count; i++)
			to[i] = ((is_signed ? (float)s[i] : (float)u[i]) - zero_at(r, i)) * scale_at(r, i);
}

/*
 * The unit of work: BLOCK elements, cut again where the next scale begins.  `inner` elements share a scale, of which there are `scales`; with an
 * inner of 1 a run goes to the last of them.
 */
void vrs_cpu_flat_quant(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	const struct vrs_graph_tensor *x = vrs_eval_in(&e, 0);
	size_t total = vrs_tensor_elements(x), scales = vrs_tensor_elements(vrs_eval_in(&e, 1)), inner = 1;
	int axis = e.node->u.quant.axis < 0 ? e.node->u.quant.axis + x->rank : e.node->u.quant.axis;
	int64_t first, end;
	(void)image;
	for (int i = axis + 1; i < x->rank; i++)
		inner *= (size_t)x->dims[i];
	vrs_cpu_part_units(op, (int64_t)((total + BLOCK - 1) / BLOCK), y0, y1, &first, &end);
	size_t at = (size_t)first * BLOCK, stop = (size_t)end * BLOCK < total ? (size_t)end * BLOCK : total;
	while (at < stop) {
		struct run r = {.e = &e, .first = at, .count = stop - at, .scale = scales > 1 ? at / inner % scales : 0, .each = scales > 1 && inner == 1};
		size_t until = scales == 1 ? total : r.each ? (at / scales + 1) * scales : (at / inner + 1) * inner;
		r.count = until - at < r.count ? until - at : r.count;
		if (e.node->op == VRS_OP_QUANTIZE)
			quantize(&r);
		else
			dequantize(&r);
		at += r.count;
	}
}
