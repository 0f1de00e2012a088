/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reference backend: one thread, plain C, sums in double, nodes in graph order.
 *
 * fp16 and bf16 here mean storage: weights and every activation that goes from one node to another are rounded and widened again, so that
 * the effect on the matte can be measured; biases, graph inputs and graph outputs stay float.
 */
#include <string.h>

#include "backend/backend.h"
#include "backend/step_name.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"
#include "graph/eval.h"
#include "graph/half.h"
#include "graph/mem_plan.h"

struct vrs_backend_run {
	const struct vrs_graph *graph;
	void **values;             /* [tensor]: constants, activations in the arena; NULL: not used */
	char *arena;
	float *half_weights;       /* rounded copies, one after another; NULL in fp32 */
	enum vrs_precision precision; /* fp32, fp16 or bf16 */
	bool profile;
	const atomic_bool *stop;   /* NULL: none */
	int steps;
	size_t arena_bytes, arena_lower_bound, weight_bytes;
	struct vrs_op_profile *rows; /* [steps] when profile */
	char (*row_names)[96];
};

static void destroy_run(struct vrs_backend_run *run)
{
	if (run == NULL)
		return;
	vrs_free(run->values);
	vrs_free_aligned(run->arena);
	vrs_free_aligned(run->half_weights);
	vrs_free(run->rows);
	vrs_free(run->row_names);
	vrs_free(run);
}

static bool is_end(const int32_t *ends, int32_t count, int32_t id)
{
	for (int32_t i = 0; i < count; i++)
		if (ends[i] == id)
			return true;
	return false;
}

/* Steps at which an activation is written first and read last. Graph inputs and outputs live throughout: the caller holds pointers to them. */
static void find_lifetimes(const struct vrs_graph *graph, struct vrs_mem_item *items)
{
	for (int32_t i = 0; i < graph->tensor_count; i++) {
		bool end = is_end(graph->inputs, graph->input_count, i) || is_end(graph->outputs, graph->output_count, i);

		items[i].first = end ? 0 : graph->node_count;
		items[i].last = end ? graph->node_count : -1;
		items[i].bytes = graph->tensors[i].data == NULL ? vrs_tensor_elements(&graph->tensors[i]) * vrs_dtype_size(graph->tensors[i].dtype) : 0;
	}
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		int32_t touched[VRS_NODE_MAX_INPUTS + 3];
		int count = 0;

		if (node->dead)
			continue;
		for (int k = 0; k < node->inputs; k++)
			touched[count++] = node->in[k];
		touched[count++] = node->residual;
		touched[count++] = node->scale;
		touched[count++] = node->out;
		for (int k = 0; k < count; k++) {
			if (touched[k] < 0)
				continue;
			if (items[touched[k]].first > i)
				items[touched[k]].first = i;
			if (items[touched[k]].last < i)
				items[touched[k]].last = i;
		}
	}
	for (int32_t i = 0; i < graph->tensor_count; i++)
		if (items[i].last < 0) { /* touched by nobody */
			items[i].bytes = 0;
			items[i].first = items[i].last = 0;
		}
}

static enum vrs_status place_activations(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_graph *graph = run->graph;
	struct vrs_mem_item *items = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *items);
	enum vrs_status status;

	if (items == NULL)
		return vrs_fail_nomem(err);
	find_lifetimes(graph, items);
	status = vrs_mem_plan(items, graph->tensor_count, &run->arena_bytes, &run->arena_lower_bound);
	if (status == VRS_OK)
		run->arena = vrs_alloc_aligned(64, run->arena_bytes > 0 ? run->arena_bytes : 64);
	if (status == VRS_OK && run->arena == NULL)
		status = VRS_ENOMEM;
	if (status == VRS_OK)
		memset(run->arena, 0, run->arena_bytes); /* an input that the caller never writes is black, not noise */
	for (int32_t i = 0; i < graph->tensor_count && status == VRS_OK; i++)
		if (graph->tensors[i].data == NULL && items[i].bytes > 0)
			run->values[i] = run->arena + items[i].offset;
	for (int32_t i = 0; i < graph->tensor_count; i++)
		VRS_ASSERT(status != VRS_OK || items[i].bytes == 0 || items[i].offset + items[i].bytes <= run->arena_bytes);
	vrs_free(items);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "out of memory: the network needs %zu bytes for activations", run->arena_bytes);
}

/* As 16 bits of the precision hold it. */
static void round_values(enum vrs_precision precision, float *dst, const float *src, size_t n)
{
	for (size_t i = 0; i < n && precision == VRS_PRECISION_FP16; i++)
		dst[i] = vrs_half_to_float(vrs_half_from_float(src[i]));
	for (size_t i = 0; i < n && precision == VRS_PRECISION_BF16; i++)
		dst[i] = vrs_bf16_to_float(vrs_bf16_from_float(src[i]));
}

static bool has_weights(const struct vrs_graph *graph, const struct vrs_node *node)
{
	return !node->dead && (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV) && graph->tensors[node->in[1]].data != NULL;
}

/* The graph's constants are shared with other sessions, so rounded weights are copies. */
static enum vrs_status round_weights(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_graph *graph = run->graph;
	size_t total = 0, used = 0;

	for (int32_t i = 0; i < graph->node_count; i++)
		if (has_weights(graph, &graph->nodes[i]))
			total += vrs_tensor_elements(&graph->tensors[graph->nodes[i].in[1]]);
	run->half_weights = vrs_alloc_aligned(64, (total + 1) * sizeof *run->half_weights);
	if (run->half_weights == NULL)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->node_count; i++) {
		int32_t id = graph->nodes[i].in[1];

		if (!has_weights(graph, &graph->nodes[i]) || run->values[id] != graph->tensors[id].data)
			continue; /* no weights, or a second reader of rounded ones */
		round_values(run->precision, run->half_weights + used, graph->tensors[id].data, vrs_tensor_elements(&graph->tensors[id]));
		run->values[id] = run->half_weights + used;
		used += vrs_tensor_elements(&graph->tensors[id]);
		VRS_ASSERT(used <= total);
	}
	return VRS_OK;
}

static enum vrs_status make_rows(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_graph *graph = run->graph;
	int row = 0;

	run->rows = vrs_calloc((size_t)run->steps + 1, sizeof *run->rows);
	run->row_names = vrs_calloc((size_t)run->steps + 1, sizeof *run->row_names);
	if (run->rows == NULL || run->row_names == NULL)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];

		if (node->dead)
			continue;
		vrs_step_name(graph, node, run->row_names[row], sizeof run->row_names[row]);
		run->rows[row] = (struct vrs_op_profile){
			.name = run->row_names[row], .kernel = "ref", .macs = vrs_node_macs(graph, node), .bytes = vrs_step_bytes(graph, node),
			.weight_bytes = vrs_step_weight_bytes(graph, node),
		};
		row++;
	}
	return VRS_OK;
}

static enum vrs_status fill_run(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_graph *graph = run->graph;
	enum vrs_status status;

	run->values = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *run->values);
	if (run->values == NULL)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->tensor_count; i++) {
		const struct vrs_graph_tensor *tensor = &graph->tensors[i];

		/* Graph constants are stored by vrs_graph_store, aligned and never written; the cast only lets them share the table of values. */
		if (tensor->data != NULL)
			run->values[i] = (void *)(uintptr_t)tensor->data;
	}
	for (int32_t i = 0; i < graph->node_count; i++) {
		run->steps += !graph->nodes[i].dead;
		if (has_weights(graph, &graph->nodes[i]))
			run->weight_bytes += graph->tensors[graph->nodes[i].in[1]].data_bytes;
	}
	status = place_activations(run, err);
	if (status == VRS_OK && run->precision != VRS_PRECISION_FP32)
		status = round_weights(run, err);
	return status == VRS_OK && run->profile ? make_rows(run, err) : status;
}

static enum vrs_status check_options(const struct vrs_session_options *options, struct vrs_error *err)
{
	if (options->precision <= VRS_PRECISION_BF16)
		return VRS_OK;
	return vrs_fail(err, VRS_EINVAL, "the reference backend computes in fp32, fp16 or bf16, not in %s", vrs_precision_name(options->precision));
}

static enum vrs_status create_run(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err)
{
	struct vrs_backend_run *run;
	enum vrs_status status = check_options(options, err);

	if (status != VRS_OK)
		return status;
	run = vrs_calloc(1, sizeof *run);

	if (run == NULL)
		return vrs_fail_nomem(err);
	run->graph = graph;
	run->precision = options->precision;
	run->profile = options->profile;
	status = fill_run(run, err);
	if (status != VRS_OK) {
		destroy_run(run);
		return status;
	}
	*ret_run = run;
	return VRS_OK;
}

static void *run_input(struct vrs_backend_run *run, int index)
{
	VRS_ASSERT(index >= 0 && index < run->graph->input_count);
	return run->values[run->graph->inputs[index]];
}

static void *run_output(struct vrs_backend_run *run, int index)
{
	VRS_ASSERT(index >= 0 && index < run->graph->output_count);
	return run->values[run->graph->outputs[index]];
}

static enum vrs_status run_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_graph *graph = run->graph;
	struct vrs_op_profile *row = run->rows;

	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		struct vrs_eval e;
		uint64_t start;

		if (node->dead)
			continue;
		if (run->stop && atomic_load_explicit(run->stop, memory_order_relaxed))
			return vrs_fail(err, VRS_ESTOPPED, "stopped on request");
		start = row != NULL ? vrs_now_ns() : 0;
		e = vrs_eval_from_values(graph, node, run->values);
		VRS_ASSERT(e.out != NULL || vrs_tensor_elements(&graph->tensors[node->out]) == 0);
		vrs_node_eval(&e);
		if (run->precision != VRS_PRECISION_FP32 && graph->tensors[node->out].dtype == VRS_F32 &&
		    !is_end(graph->outputs, graph->output_count, node->out))
			round_values(run->precision, run->values[node->out], run->values[node->out], vrs_tensor_elements(&graph->tensors[node->out]));
		if (row != NULL) {
			row->total_ns += vrs_now_ns() - start;
			row->runs++;
			row++;
		}
	}
	return VRS_OK;
}

static void stop_by(struct vrs_backend_run *run, const atomic_bool *stop)
{
	run->stop = stop;
}

static void run_info(const struct vrs_backend_run *run, struct vrs_session_info *info)
{
	info->isa = "ref";
	info->threads = 1;
	info->steps = run->steps;
	info->macs = vrs_graph_macs(run->graph);
	info->arena_bytes = run->arena_bytes;
	info->arena_lower_bound_bytes = run->arena_lower_bound;
	info->weight_bytes = run->weight_bytes;
}

static int run_profile(struct vrs_backend_run *run, const struct vrs_op_profile **ret_rows)
{
	*ret_rows = run->rows;
	return run->steps;
}

const struct vrs_backend vrs_backend_ref = {
	.name = "ref",
	.check = check_options,
	.create = create_run,
	.destroy = destroy_run,
	.input = run_input,
	.output = run_output,
	.start = run_start,
	.stop_by = stop_by,
	.info = run_info,
	.profile = run_profile,
};
