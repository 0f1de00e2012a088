/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session_graph.h"

#include "graph/model_graph.h"
#include "graph/passes.h"

/* Explicit shapes, or the picture size and batch. */
static enum vrs_status set_shapes(struct vrs_graph *graph, const struct vrs_session_options *options, struct vrs_error *err)
{
	enum vrs_status status;

	if (options->input_shapes == NULL)
		return vrs_graph_set_input(graph, options->batch, options->input_height, options->input_width, err);
	status = vrs_graph_set_shapes(graph, options->input_shapes, options->input_values, options->input_shape_count, err);
	return status == VRS_OK ? vrs_graph_infer(graph, err) : status;
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

enum vrs_status vrs_session_graph(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options,
				     struct vrs_error *err)
{
	enum vrs_status status = vrs_graph_copy(graph, vrs_model_graph(model));

	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory");
	status = set_shapes(graph, options, err);
	if (status == VRS_OK && options->outputs != 0 && options->precision <= VRS_PRECISION_BF16)
		status = keep_outputs(graph, options->outputs, err);
	if (status == VRS_OK && options->pictures_nhwc)
		status = vrs_graph_use_nhwc(graph, err);
	return status == VRS_OK ? vrs_passes_run(graph, options->fusion, err) : status;
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
