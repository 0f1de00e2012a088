/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_planner.h"

#include <string.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "graph/pass_edit.h"
#include "opencl/ocl_channels.h"
#include "opencl/ocl_dot.h"
#include "opencl/ocl_fuse.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_math.h"
#include "opencl/ocl_values.h"

/* One line says what the host computes: such a step waits for the device, and the device for it. */
static void tell_host_steps(const struct vrs_ocl_plan *plan)
{
	int count = 0;
	const struct vrs_node *first = NULL;

	for (int32_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].host && count++ == 0)
			first = &plan->graph.nodes[plan->steps[i].node];
	if (first)
		vrs_log(VRS_LOG_WARNING, "opencl: the CPU computes %d of %d steps, which %s cannot; the first is %s %s", count, (int)plan->step_count,
			plan->caps.name, vrs_op_name(first->op), first->name);
}

/* Ends first: they have memory even where no step touches them. */
static enum vrs_status add_ends(struct vrs_ocl_plan *plan, struct vrs_error *err)
{
	for (int32_t i = 0; i < plan->graph.input_count + plan->graph.output_count; i++) {
		int32_t end = i < plan->graph.input_count ? plan->graph.inputs[i] : plan->graph.outputs[i - plan->graph.input_count];
		int32_t value = vrs_ocl_value_of(plan, end);

		if (value < 0)
			return vrs_fail(err, (enum vrs_status)value, "an input or output of the network is too large for an OpenCL device");
	}
	return VRS_OK;
}

enum vrs_status vrs_ocl_plan_begin(struct vrs_ocl_plan *plan, const struct vrs_graph *graph, const struct vrs_ocl_caps *caps,
				   const struct vrs_session_options *options, struct vrs_error *err)
{
	memset(plan, 0, sizeof *plan);
	plan->caps = *caps;
	plan->fusion = options->fusion;
	plan->half = options->precision == VRS_PRECISION_FP16;
	plan->half_math = options->device_math == VRS_DEVICE_MATH_HALF;
	VRS_TRY(vrs_ocl_math_check(caps, options, err));
	if (vrs_graph_copy(&plan->graph, graph) != VRS_OK || vrs_ocl_source_init(&plan->source) != VRS_OK ||
	    vrs_ocl_math_begin(plan, options->device_math) != VRS_OK)
		return vrs_fail_nomem(err);
	/* Calibrations know tensors by their shapes; a CPU gains nothing. */
	if (options->fusion && options->device_math != VRS_DEVICE_MATH_DOT && caps->vendor != VRS_OCL_VENDOR_CPU &&
	    vrs_ocl_fill_channels(&plan->graph) != VRS_OK)
		return vrs_fail_nomem(err);
	plan->value_of = vrs_calloc((size_t)plan->graph.tensor_count + 1, sizeof *plan->value_of);
	plan->only_reader = vrs_only_readers(&plan->graph);
	plan->node_done = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *plan->node_done);
	plan->deferred = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *plan->deferred);
	if (!plan->value_of || !plan->only_reader || !plan->node_done || !plan->deferred)
		return vrs_fail_nomem(err);
	if (options->device_math == VRS_DEVICE_MATH_DOT)
		VRS_TRY(vrs_ocl_dot_begin(plan, options, err));
	for (int32_t i = 0; i < plan->graph.tensor_count; i++)
		plan->value_of[i] = -1;
	return add_ends(plan, err);
}

enum vrs_status vrs_ocl_plan_complete(struct vrs_ocl_plan *plan, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	vrs_ocl_mark_elementwise(plan);
	for (int32_t i = 0; i < plan->graph.node_count && status == VRS_OK; i++)
		if (!plan->graph.nodes[i].dead && !plan->node_done[i])
			status = vrs_ocl_lower(plan, &plan->graph.nodes[i], err);
	if (status == VRS_OK)
		status = vrs_ocl_values_place(plan, err);
	if (status == VRS_OK)
		tell_host_steps(plan);
	return status;
}

void vrs_ocl_plan_fini(struct vrs_ocl_plan *plan)
{
	vrs_ocl_values_fini(plan);
	vrs_ocl_dot_fini(plan);
	vrs_free(plan->value_of);
	vrs_free(plan->only_reader);
	vrs_free(plan->node_done);
	vrs_free(plan->deferred);
	vrs_free(plan->tiles);
	vrs_free(plan->steps);
	vrs_ocl_source_fini(&plan->source);
	vrs_graph_fini(&plan->graph);
	memset(plan, 0, sizeof *plan);
}
