/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_profile.h"

#include <stdio.h>

#include "backend/step_name.h"
#include "base/clock.h"
#include "base/mem.h"

static uint64_t items_of(const struct vrs_ocl_step *step)
{
	uint64_t items = 1;

	for (int i = 0; i < step->dims; i++)
		items *= step->global[i];
	return items;
}

static void describe_step(struct vrs_ocl_profile *profile, const struct vrs_ocl_plan *plan, int32_t s)
{
	const struct vrs_node *node = &plan->graph.nodes[plan->steps[s].node];
	bool first = s == 0 || plan->steps[s - 1].node != plan->steps[s].node; /* what a node does is counted once */

	vrs_step_name(&plan->graph, node, profile->names[s], sizeof profile->names[s]);
	profile->rows[s] = (struct vrs_op_profile){.name = profile->names[s], .kernel = plan->steps[s].host ? "host" : plan->steps[s].kernel};
	if (!plan->steps[s].host)
		profile->rows[s].items = items_of(&plan->steps[s]);
	if (first) {
		profile->rows[s].macs = vrs_node_macs(&plan->graph, node) + plan->steps[s].macs_before;
		profile->rows[s].bytes = vrs_step_bytes(&plan->graph, node);
		profile->rows[s].weight_bytes = vrs_step_weight_bytes(&plan->graph, node);
	}
}

static void describe_transfer(struct vrs_ocl_profile *profile, const struct vrs_ocl_plan *plan, int row, const char *what, int32_t tensor)
{
	(void)snprintf(profile->names[row], sizeof profile->names[row], "%s %.80s", what, plan->graph.tensors[tensor].name);
	profile->rows[row] = (struct vrs_op_profile){.name = profile->names[row], .kernel = "transfer",
		.bytes = plan->values[plan->value_of[tensor]].bytes};
}

enum vrs_status vrs_ocl_profile_init(struct vrs_ocl_profile *profile, const struct vrs_ocl_plan *plan, struct vrs_error *err)
{
	int row = plan->step_count, count = row + plan->graph.input_count + plan->graph.output_count + 1;

	profile->rows = vrs_calloc((size_t)count + 1, sizeof *profile->rows);
	profile->names = vrs_calloc((size_t)count + 1, sizeof *profile->names);
	if (!profile->rows || !profile->names)
		return vrs_fail_nomem(err);
	profile->count = count;
	for (int32_t s = 0; s < plan->step_count; s++)
		describe_step(profile, plan, s);
	for (int32_t i = 0; i < plan->graph.input_count; i++)
		describe_transfer(profile, plan, row++, "upload", plan->graph.inputs[i]);
	for (int32_t i = 0; i < plan->graph.output_count; i++)
		describe_transfer(profile, plan, row++, "download", plan->graph.outputs[i]);
	profile->rows[row] = (struct vrs_op_profile){.name = "gaps between kernels", .kernel = "gap"};
	return VRS_OK;
}

void vrs_ocl_profile_fini(struct vrs_ocl_profile *profile)
{
	vrs_free(profile->rows);
	vrs_free(profile->names);
	*profile = (struct vrs_ocl_profile){0};
}

/* The device's own time for an event is added to a row. */
static void add_time(struct vrs_ocl_profile *profile, struct vrs_op_profile *row, enum vrs_device_queue queue, cl_event event)
{
	if (!event)
		return;
	row->total_ns += vrs_ocl_times_add(&profile->times, queue, event);
	row->runs++;
}

void vrs_ocl_profile_add(struct vrs_ocl_profile *profile, struct vrs_ocl_stream *stream, const struct vrs_ocl_end *inputs,
			 const struct vrs_ocl_end *outputs)
{
	const struct vrs_ocl_plan *plan = &stream->network->plan;
	struct vrs_op_profile *row = profile->rows;
	uint64_t now = vrs_now_ns();

	vrs_ocl_times_begin(&profile->times);
	for (int32_t s = 0; s < plan->step_count; s++, row++) {
		add_time(profile, row, VRS_DEVICE_COMPUTE, stream->step_events[s]);
		vrs_ocl_event_release(&stream->step_events[s]);
	}
	for (int32_t i = 0; i < plan->graph.input_count; i++, row++)
		add_time(profile, row, VRS_DEVICE_UP, inputs[i].moved);
	for (int32_t i = 0; i < plan->graph.output_count; i++, row++)
		add_time(profile, row, VRS_DEVICE_DOWN, outputs[i].moved);
	if (profile->times.spans[VRS_DEVICE_COMPUTE].commands > 0) {
		row->total_ns += vrs_ocl_times_gaps(&profile->times, VRS_DEVICE_COMPUTE);
		row->runs++;
	}
	vrs_ocl_times_end(&profile->times, now);
}
