/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many nodes in one graph, each an output of its own, on an OpenCL device as on the reference: one program for all of them, since drivers are slow to
 * build one.  No node may be computed on the host.
 */
#ifndef TESTS_OP_BATCH_H
#define TESTS_OP_BATCH_H

#include "op_check.h"

#include "graph/eval.h"
#include "opencl/ocl_context.h"

#define OP_BATCH_ROOM 8 /* inputs of the largest case */

struct op_batch {
	struct vrs_graph graph;
	double bound_fp32, bound_fp16; /* of the largest value of an output and 1; negative: leaves the precision out */
	int64_t work;                  /* of the cases so far */
	char what[VRS_MAX_ENDS][160];
};

static inline void op_batch_init(struct op_batch *batch, double bound_fp32, double bound_fp16)
{
	memset(batch, 0, sizeof *batch);
	vrs_graph_init(&batch->graph);
	batch->bound_fp32 = bound_fp32;
	batch->bound_fp16 = bound_fp16;
}

/* A session with the same inputs as any other of this graph, which has run. */
static inline struct vrs_session *op_batch_run(const struct vrs_model *model, const char *backend, enum vrs_precision precision)
{
	const struct vrs_graph *graph = vrs_model_graph(model);
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_shape shapes[VRS_MAX_ENDS];
	struct vrs_session *session;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.backend = backend;
	options.precision = precision;
	options.threads = 1;
	options.pictures_nhwc = true;
	options.profile = true;
	options.input_shapes = shapes;
	options.input_shape_count = graph->input_count;
	for (int k = 0; k < graph->input_count; k++) {
		shapes[k].rank = graph->tensors[graph->inputs[k]].rank;
		memcpy(shapes[k].dims, graph->tensors[graph->inputs[k]].dims, sizeof shapes[k].dims);
	}
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s: %s", backend, err.text);
	vrs_rng_init(&rng, 11);
	for (int k = 0; k < graph->input_count; k++)
		for (size_t i = 0; i < vrs_session_input(session, k).elements; i++)
			vrs_session_input(session, k).data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	for (int i = 0; i < node_runs(); i++)
		if (vrs_session_run(session, &err) != VRS_OK)
			fail_msg("%s: %s", backend, err.text);
	return session;
}

static inline struct node_result op_batch_output(struct vrs_session *session, int i)
{
	static char nothing[1]; /* outputs without elements may have no memory */
	struct vrs_tensor_view view = vrs_session_output(session, i);
	return (struct node_result){view.raw != NULL ? view.raw : nothing, view.bytes, view.dtype};
}

static inline void op_batch_compare(const struct op_batch *batch, const struct vrs_model *model, struct vrs_session *want,
				    enum vrs_precision precision, double bound)
{
	struct vrs_session *got = bound >= 0 ? op_batch_run(model, "opencl", precision) : NULL;
	if (!got)
		return;
	node_kernels(got, "host", batch->what[0]);
	for (int i = 0; i < vrs_model_graph(model)->output_count; i++) {
		struct node_result a = op_batch_output(want, i), b = op_batch_output(got, i);
		char what[128];
		snprintf(what, sizeof what, "%s in %s", batch->what[i], vrs_precision_name(precision));
		node_compare(&a, &b, bound, what);
	}
	vrs_session_destroy(got);
}

/* Check what was added so far, and begin anew. */
static inline void op_batch_check(struct op_batch *batch)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	if (batch->graph.output_count == 0) {
		vrs_graph_fini(&batch->graph);
		op_batch_init(batch, batch->bound_fp32, batch->bound_fp16);
		return;
	}
	if (vrs_graph_infer(&batch->graph, &err) != VRS_OK || vrs_model_from_graph(&model, &batch->graph, "batch", &err) != VRS_OK)
		fail_msg("%s: %s", batch->what[0], err.text);
	struct vrs_session *want = op_batch_run(model, "ref", VRS_PRECISION_FP32);
	op_batch_compare(batch, model, want, VRS_PRECISION_FP32, batch->bound_fp32);
	op_batch_compare(batch, model, want, VRS_PRECISION_FP16, batch->bound_fp16);
	vrs_session_destroy(want);
	vrs_model_destroy(model);
	vrs_graph_fini(&batch->graph);
	op_batch_init(batch, batch->bound_fp32, batch->bound_fp16);
}

/* This value is an output, and its case is whole; one beyond VRS_OP_WORK (node_check.h) stays without, so that nobody computes it. */
static inline void op_batch_add(struct op_batch *batch, int32_t tensor, const char *what)
{
	int64_t work = node_work(&batch->graph);
	if (work - batch->work <= node_work_max()) {
		snprintf(batch->what[batch->graph.output_count], sizeof batch->what[0], "%s", what);
		batch->graph.outputs[batch->graph.output_count++] = tensor;
	}
	batch->work = work;
	if (batch->graph.output_count == VRS_MAX_ENDS || batch->graph.input_count + OP_BATCH_ROOM > VRS_MAX_ENDS)
		op_batch_check(batch);
}

/* The same for the newest value. */
static inline void op_batch_add_newest(struct op_batch *batch, const char *what)
{
	op_batch_add(batch, batch->graph.nodes[batch->graph.node_count - 1].out, what);
}

static inline int32_t op_unary(struct vrs_graph *graph, int32_t in, enum vrs_act act, enum vrs_dtype type)
{
	struct vrs_node node = op_node(VRS_OP_UNARY, in);
	node.act = act;
	return node_emit(graph, &node, type);
}

/* x times a plus b. */
static inline int32_t op_linear(struct vrs_graph *graph, int32_t in, double a, double b)
{
	struct vrs_node node = op_node(VRS_OP_UNARY, in);
	node.act = VRS_ACT_LINEAR;
	node.act_lo = (float)a;
	node.act_hi = (float)b;
	return node_emit(graph, &node, VRS_F32);
}

static inline int32_t op_cast(struct vrs_graph *graph, int32_t in, enum vrs_dtype to)
{
	struct vrs_node node = op_node(VRS_OP_CAST, in);
	node.u.cast.to = to;
	return node_emit(graph, &node, to);
}

static inline int32_t op_integers(struct vrs_graph *graph, int count, const int64_t *values)
{
	int64_t dims[1] = {count};
	return node_checked(vrs_graph_add_const(graph, "i", VRS_I64, 1, dims, values));
}

/* Numbers of one type, which a device picks from a table of extreme ones, by places that are computed while the network runs. */
static inline int32_t op_extremes(struct vrs_graph *graph, enum vrs_dtype type, int rank, const int64_t *dims)
{
	static const double floats[] = {0, -0.0, 1, -1, 2.5, -3.5, 1e30, -1e30, 6e4, 0.1, INFINITY, -INFINITY, NAN, 7};
	static const int64_t integers[] = {0, 1, -1, 2, -7, 100, 127, -128, 255, 65535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
	enum { COUNT = sizeof integers / sizeof *integers };
	char table[COUNT * 8];
	int64_t count[1] = {COUNT};
	for (size_t i = 0; i < COUNT; i++)
		if (vrs_dtype_is_float(type))
			vrs_store_f64(type, table, i, floats[i]);
		else
			vrs_store_i64(type, table, i, integers[i]);
	int32_t place = op_cast(graph, op_linear(graph, node_input(graph, rank, dims), COUNT / 2.0, COUNT / 2.0), VRS_I64);
	struct vrs_node node = op_node(VRS_OP_GATHER, node_checked(vrs_graph_add_const(graph, "t", type, 1, count, table)));
	node.in[1] = place;
	node.inputs = 2;
	return node_emit(graph, &node, type);
}

/*
 * Where the input and the output of a node lie: bit 0, the input is a value inside of the network and not one of its inputs, bit 1, so is the output.
 * In fp16 these are halves, and the others floats.
 */
#define OP_PLACES 4

/* All places for the second case of a table, for the others those that keep the type: compilers are slow. */
static inline int op_next_place(size_t i)
{
	return i == 1 ? 1 : OP_PLACES - 1;
}

static inline int32_t op_input_at(struct vrs_graph *graph, int place, int rank, const int64_t *dims)
{
	int32_t in = node_input(graph, rank, dims);
	return place & 1 ? op_unary(graph, in, VRS_ACT_NEG, VRS_F32) : in;
}

static inline void op_batch_add_at(struct op_batch *batch, int place, int32_t tensor, const char *what)
{
	char text[96];
	snprintf(text, sizeof text, "%.80s, place %d", what, place);
	op_batch_add(batch, place & 2 ? op_unary(&batch->graph, tensor, VRS_ACT_ABS, VRS_F32) : tensor, text);
}

/*
 * The same tests for a CPU and, on the same device, as if it were a GPU, for which other kernels are chosen.  Sessions on one device share a context.
 * All that a main does.
 */
static inline int op_both_devices(int (*group)(void))
{
	struct vrs_ocl_context *context;
	struct vrs_error err = {0};
	held_contexts_begin();
	if (vrs_ocl_context_open(&context, NULL, true, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	int failed = group();
	if (context->caps.is_cpu || context->caps.vendor != VRS_OCL_VENDOR_OTHER) {
		context->caps.vendor = VRS_OCL_VENDOR_OTHER;
		context->caps.is_cpu = false;
		failed += group();
	}
	vrs_ocl_context_close(context);
	return held_contexts_end(failed != 0);
}

#endif
