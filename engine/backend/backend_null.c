/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The backend that does nothing: outputs are zeros.  It measures what everything around a network costs, and it is the template of a
 * backend of the host: copy it, list it in engine/session/backend_list.c, and fill in start.
 */
#include <string.h>

#include "backend/backend.h"
#include "base/mem.h"

struct vrs_backend_run {
	void *inputs[VRS_MAX_ENDS], *outputs[VRS_MAX_ENDS];
	size_t bytes;
};

static void destroy_run(struct vrs_backend_run *run)
{
	if (run == NULL)
		return;
	for (int i = 0; i < VRS_MAX_ENDS; i++) {
		vrs_free_aligned(run->inputs[i]);
		vrs_free_aligned(run->outputs[i]);
	}
	vrs_free(run);
}

static void *alloc_zeros(const struct vrs_graph_tensor *tensor, size_t *total)
{
	size_t bytes = vrs_tensor_elements(tensor) * vrs_dtype_size(tensor->dtype); /* at most 2^31 elements after vrs_graph_infer */
	void *data = vrs_alloc_aligned(64, bytes > 0 ? bytes : 1);

	if (data != NULL)
		memset(data, 0, bytes);
	*total += bytes;
	return data;
}

static enum vrs_status create_run(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);
	bool complete = run != NULL;

	(void)options; /* threads and precision make no difference to nothing */
	for (int i = 0; complete && i < graph->input_count; i++)
		complete = (run->inputs[i] = alloc_zeros(&graph->tensors[graph->inputs[i]], &run->bytes)) != NULL;
	for (int i = 0; complete && i < graph->output_count; i++)
		complete = (run->outputs[i] = alloc_zeros(&graph->tensors[graph->outputs[i]], &run->bytes)) != NULL;
	if (!complete) {
		destroy_run(run);
		return vrs_fail_nomem(err);
	}
	*ret_run = run;
	return VRS_OK;
}

static void *run_input(struct vrs_backend_run *run, int index)
{
	return run->inputs[index];
}

static void *run_output(struct vrs_backend_run *run, int index)
{
	return run->outputs[index];
}

static enum vrs_status run_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	(void)run;
	(void)err;
	return VRS_OK;
}

static void run_info(const struct vrs_backend_run *run, struct vrs_session_info *info)
{
	info->isa = "none";
	info->threads = 1;
	info->steps = 0;
	info->macs = 0;
	info->arena_bytes = info->arena_lower_bound_bytes = run->bytes;
}

const struct vrs_backend vrs_backend_null = {
	.name = "null",
	.create = create_run,
	.destroy = destroy_run,
	.input = run_input,
	.output = run_output,
	.start = run_start,
	.info = run_info,
};
