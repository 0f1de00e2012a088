/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on whole tensors, one thread, any rank: what is too rare for a row kernel. */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "base/assert.h"

struct span {
	int rank;
	int64_t dims[VRS_MAX_RANK], steps[VRS_MAX_RANK]; /* steps in elements; 0 broadcasts */
};

static size_t elements(const struct vrs_cpu_value *value)
{
	return (size_t)value->images * (size_t)value->height * (size_t)value->width * (size_t)value->channels;
}

static const float *data_of(const struct vrs_cpu_thread *thread, int id)
{
	return vrs_cpu_row(thread, id, 0, 0);
}

/* Dense steps of a tensor, right-aligned to `rank` dimensions. */
static struct span span_of(const struct vrs_graph_tensor *tensor, int rank)
{
	struct span s = {.rank = rank};
	int64_t step = 1;
	for (int i = rank - 1; i >= 0; i--) {
		int from = i - (rank - tensor->rank);
		s.dims[i] = from >= 0 ? tensor->dims[from] : 1;
		s.steps[i] = s.dims[i] > 1 ? step : 0;
		step *= s.dims[i];
	}
	return s;
}

/* Index of element number i of a shape within a span. */
static int64_t at(const struct span *span, const int64_t *dims, int64_t i)
{
	int64_t index = 0;
	for (int k = span->rank - 1; k >= 0; k--) {
		index += i % dims[k] * span->steps[k];
		i /= dims[k];
	}
	return index;
}

static void flat_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, const struct vrs_graph_tensor *out_tensor, float *out)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	int rank = out_tensor->rank;
	struct span a = span_of(&plan->graph.tensors[plan->values[op->in[0]].tensor], rank);
	struct span b = span_of(&plan->graph.tensors[plan->values[op->in[1]].tensor], rank);
	const float *pa = data_of(thread, op->in[0]), *pb = data_of(thread, op->in[1]);
	size_t count = elements(&plan->values[op->out]);
	for (size_t i = 0; i < count; i++) {
		struct vrs_eltwise_row row = {
			.op = op->binary, .a = pa + at(&a, out_tensor->dims, (int64_t)i), .b = pb + at(&b, out_tensor->dims, (int64_t)i),
			.pixels = 1, .channels = 1, .out = out + i,
		};
		plan->kernels.eltwise(&row);
	}
}

static void flat_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, const struct vrs_node *node, float *out)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_graph_tensor *whole = &plan->graph.tensors[node->out];
	size_t outer = 1, inner = 1, offset = 0;
	for (int i = 0; i < node->u.concat.axis; i++)
		outer *= (size_t)whole->dims[i];
	for (int i = node->u.concat.axis + 1; i < whole->rank; i++)
		inner *= (size_t)whole->dims[i];
	size_t stride = (size_t)whole->dims[node->u.concat.axis] * inner;
	for (int k = 0; k < op->inputs; k++) {
		size_t part = elements(&plan->values[op->in[k]]) / outer;
		const float *in = data_of(thread, op->in[k]);
		for (size_t i = 0; i < outer; i++)
			memcpy(out + i * stride + offset, in + i * part, part * sizeof *out);
		offset += part;
	}
}

static void flat_pad(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, const struct vrs_node *node, float *out)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_graph_tensor *from = &plan->graph.tensors[node->in[0]], *to = &plan->graph.tensors[node->out];
	const float *in = data_of(thread, op->in[0]);
	size_t count = elements(&plan->values[op->out]), inside = elements(&plan->values[op->in[0]]);
	for (size_t i = 0; i < count; i++)
		out[i] = node->u.pad.value;
	for (size_t i = 0; i < inside; i++) {
		int64_t rest = (int64_t)i, index = 0, step = 1;
		for (int k = from->rank - 1; k >= 0; k--) {
			index += (rest % from->dims[k] + node->u.pad.before[k]) * step;
			rest /= from->dims[k];
			step *= to->dims[k];
		}
		out[index] = in[i];
	}
}

/* The epilogue on the whole tensor as one row. */
static void flat_finish(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, float *out, size_t count)
{
	enum { BLOCK = 1 << 20 };
	const float *residual = op->residual >= 0 ? data_of(thread, op->residual) : NULL;
	for (size_t i = 0; i < count; i += BLOCK)
		vrs_cpu_finish(op, &thread->plan->kernels, out + i, residual ? residual + i : NULL, count - i < BLOCK ? count - i : BLOCK);
}

void vrs_cpu_flat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	float *out = vrs_cpu_out_row(thread, op->out, 0, 0);
	size_t count = elements(&plan->values[op->out]);
	(void)image;
	(void)y0;
	(void)y1;
	switch (node->op) {
	case VRS_OP_BINARY: flat_binary(op, thread, &plan->graph.tensors[node->out], out); break;
	case VRS_OP_CONCAT: flat_concat(op, thread, node, out); break;
	case VRS_OP_PAD: flat_pad(op, thread, node, out); break;
	default: memcpy(out, data_of(thread, op->in[0]), count * sizeof *out); break; /* reshape of floats */
	}
	flat_finish(op, thread, out, count);
}

static void *whole_tensor(const struct vrs_cpu_thread *thread, int id)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	VRS_ASSERT(value->constant || value->in_arena);
	/* Constants are never written through this; the cast only lets operands share one type. */
	return value->constant != NULL ? (void *)(uintptr_t)value->constant : vrs_cpu_arena_row(thread, value, 0, 0);
}

void vrs_cpu_flat_eval(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = {.graph = &thread->plan->graph, .node = &thread->plan->graph.nodes[op->node], .out = whole_tensor(thread, op->out)};
	(void)image;
	(void)y0;
	(void)y1;
	for (int i = 0; i < op->inputs; i++)
		e.in[i] = op->in[i] >= 0 ? whole_tensor(thread, op->in[i]) : NULL;
	e.residual = op->residual >= 0 ? whole_tensor(thread, op->residual) : NULL;
	e.scale = op->scale >= 0 ? whole_tensor(thread, op->scale) : NULL;
	bool floats = thread->plan->graph.tensors[e.node->out].dtype == VRS_F32;
	switch (floats ? e.node->op : VRS_OP_COUNT) {
	case VRS_OP_TRANSPOSE: vrs_cpu_transpose(&e.graph->tensors[e.node->in[0]], e.node->u.transpose.perm, e.in[0], e.out); return;
	case VRS_OP_MATMUL: vrs_cpu_matmul(&e); return;
	case VRS_OP_LAYER_NORM: vrs_cpu_layer_norm(&e); return;
	case VRS_OP_INSTANCE_NORM: vrs_cpu_instance_norm(&e); return;
	default: vrs_node_eval(&e); return;
	}
}
