/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session_graph.h"

#include <string.h>

#include "graph/model_graph.h"
#include "graph/one_image.h"
#include "graph/pass_edit.h"
#include "graph/passes.h"

/* Explicit shapes, or the picture size and batch; with `images` (0: as they are) for so many instead. */
static enum vrs_status set_shapes(struct vrs_graph *graph, const struct vrs_session_options *options, int images, struct vrs_error *err)
{
	if (options->input_shapes == NULL)
		return vrs_graph_set_input(graph, images > 0 ? images : options->batch, options->input_height, options->input_width, err);
	VRS_TRY(vrs_graph_set_shapes(graph, options->input_shapes, options->input_values, options->input_shape_count, err));
	int64_t batch = vrs_graph_batch(graph);
	for (int i = 0; i < graph->input_count && images > 0; i++) {
		struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];

		if (input->rank > 0 && input->dims[0] == batch)
			input->dims[0] = images;
	}
	return vrs_graph_infer(graph, err);
}

/* The outputs whose bits are set, in the model's order; the first pass for dead code ends what led to the others. */
static enum vrs_status keep_outputs(struct vrs_graph *graph, uint32_t outputs, struct vrs_error *err)
{
	int kept = 0;

	for (int i = 0; i < graph->output_count; i++)
		if (outputs >> i & 1)
			graph->outputs[kept++] = graph->outputs[i];
	if (kept == 0)
		return vrs_fail(err, VRS_EINVAL, "none of the %d outputs of the network is wanted", graph->output_count);
	graph->output_count = kept;
	return VRS_OK;
}

/* Before the passes. */
static enum vrs_status concrete(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options, int images,
				struct vrs_error *err)
{
	enum vrs_status status = vrs_graph_copy(graph, vrs_model_graph(model));

	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory");
	status = set_shapes(graph, options, images, err);
	if (status == VRS_OK && options->outputs != 0 && options->precision <= VRS_PRECISION_BF16)
		status = keep_outputs(graph, options->outputs, err);
	return status == VRS_OK && options->pictures_nhwc ? vrs_graph_use_nhwc(graph, err) : status;
}

/* Pictures, not rows of a matrix. */
static bool has_images(const struct vrs_graph *graph)
{
	for (int i = 0; i < graph->input_count; i++)
		if (graph->tensors[graph->inputs[i]].rank > 2)
			return true;
	return false;
}

static bool same_size(const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* Inputs and outputs are those of the other graph. */
static bool has_ends_of(const struct vrs_graph *graph, const struct vrs_graph *other)
{
	bool same = graph->input_count == other->input_count && graph->output_count == other->output_count;

	for (int i = 0; i < graph->input_count && same; i++)
		same = same_size(&graph->tensors[graph->inputs[i]], &other->tensors[other->inputs[i]]);
	for (int i = 0; i < graph->output_count && same; i++)
		same = same_size(&graph->tensors[graph->outputs[i]], &other->tensors[other->outputs[i]]);
	return same;
}

/* The first step of the passes, which all ids outlive. */
static enum vrs_status folded(struct vrs_graph *graph)
{
	VRS_TRY(vrs_pass_const_fold(graph, NULL));
	return vrs_pass_dead_code(graph, NULL);
}

/* The graph of one image from those of two and three, before and after the passes; VRS_EUNSUPPORTED: it does not follow from them. */
static enum vrs_status narrow_to_one(struct vrs_graph *graph, struct vrs_graph *two, struct vrs_graph *three)
{
	VRS_TRY(folded(graph));
	VRS_TRY(folded(two));
	VRS_TRY(folded(three));
	VRS_TRY(vrs_graph_check_one(graph, two, three));
	VRS_TRY(vrs_passes_run(two, true, NULL));
	VRS_TRY(vrs_passes_run(three, true, NULL));
	VRS_TRY(vrs_graph_to_one(two, three));
	return has_ends_of(two, graph) ? VRS_OK : VRS_EUNSUPPORTED;
}

/*
 * The passes, where the batch does not stay the first dim: one image has the nodes of two, and halves are told where the batch lies.  *next: empty;
 * the graph of one image.  VRS_EUNSUPPORTED: the network is another one for more images.
 */
static enum vrs_status run_moving(struct vrs_graph *graph, struct vrs_graph *next, const struct vrs_model *model,
				  const struct vrs_session_options *options)
{
	int images = (int)vrs_graph_batch(graph);
	struct vrs_graph more = {0};
	enum vrs_status status = concrete(&more, model, options, images == 1 ? 3 : images + 1, NULL);

	if (status == VRS_OK && images == 1) {
		status = concrete(next, model, options, 2, NULL);
		if (status == VRS_OK)
			status = narrow_to_one(graph, next, &more);
	} else if (status == VRS_OK) {
		status = vrs_passes_run(&more, true, NULL);
		if (status == VRS_OK)
			status = vrs_passes_run(graph, true, NULL);
		if (status == VRS_OK)
			vrs_graph_mark_batch(graph, &more);
	}
	vrs_graph_fini(&more);
	return status;
}

/* Run the passes where the batch does not stay the first dim and that matters; *ret_done: they have run. */
static enum vrs_status plan_moving(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options, bool *ret_done)
{
	int64_t images = vrs_graph_batch(graph);
	bool halves = options->precision == VRS_PRECISION_FP16 || options->precision == VRS_PRECISION_BF16;
	struct vrs_graph next = {0};
	enum vrs_status status;

	*ret_done = false;
	if (!options->fusion || !has_images(graph) || (images > 1 && !halves) || !vrs_batch_may_move(graph, images))
		return VRS_OK;
	status = concrete(&next, model, options, (int)images + 1, NULL);
	if (status == VRS_OK)
		status = vrs_pass_batch(&next, NULL);
	if (status == VRS_OK)
		status = vrs_pass_batch(graph, NULL);
	if (status == VRS_OK && !vrs_batch_leads(graph, &next, images)) {
		vrs_graph_fini(&next);
		next = (struct vrs_graph){0};
		status = run_moving(graph, &next, model, options);
		*ret_done = status == VRS_OK;
	}
	if (*ret_done && images == 1) {
		vrs_graph_fini(graph);
		*graph = next;
	} else {
		vrs_graph_fini(&next);
	}
	return status == VRS_ENOMEM ? status : VRS_OK; /* networks of one image alone fail in many ways */
}

enum vrs_status vrs_session_graph(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options,
				     struct vrs_error *err)
{
	bool done;

	VRS_TRY(concrete(graph, model, options, 0, err));
	if (plan_moving(graph, model, options, &done) != VRS_OK)
		return vrs_fail_nomem(err);
	return done ? VRS_OK : vrs_passes_run(graph, options->fusion, err);
}

struct vrs_tensor_view vrs_session_view(const struct vrs_graph *graph, int32_t id, void *data)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	struct vrs_tensor_view view = {
		.name = tensor->name, .dtype = tensor->dtype, .rank = tensor->rank, .raw = data, .elements = vrs_tensor_elements(tensor),
	};

	view.data = tensor->dtype == VRS_F32 ? data : NULL;
	view.bytes = view.elements * vrs_dtype_size(tensor->dtype);
	for (int i = 0; i < tensor->rank; i++)
		view.dims[i] = (int)tensor->dims[i]; /* at most 2^24, see model_limits.h */
	return view;
}
