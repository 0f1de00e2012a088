/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_trials.h"

#include "base/stop.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_queue.h"
#include "opencl/ocl_values.h"

#define REPEATS 4        /* the first one also pays for what a driver does at a first launch */

struct vrs_ocl_caps vrs_ocl_trial_caps(const struct vrs_ocl_context *context, const struct vrs_ocl_trial_limits *limits)
{
	struct vrs_ocl_caps caps = context->caps;

	if (limits->max_group > 0)
		caps.max_group = limits->max_group;
	return caps;
}

static enum vrs_status plan_trial(struct vrs_ocl_trial *trial, struct vrs_ocl_plan *plan, struct vrs_error *err)
{
	const struct vrs_node *node = &plan->graph.nodes[trial->node];
	struct vrs_ocl_conv conv;

	VRS_TRY(vrs_ocl_conv_init(&conv, &plan->graph, node));
	for (int k = 0; k < trial->tiles; k++) {
		trial->first[k] = plan->step_count;
		if (trial->counts[k])
			VRS_TRY(vrs_ocl_conv_steps(plan, node, &conv, &trial->tile[k], err));
		trial->steps[k] = plan->step_count - trial->first[k];
	}
	return VRS_OK;
}

/* The steps of every way, one after the other. */
static enum vrs_status plan_group(struct vrs_ocl_plan *plan, struct vrs_ocl_trial *const *trials, size_t count, size_t *ret_taken,
				  const struct vrs_ocl_trial_limits *limits, struct vrs_error *err)
{
	size_t taken = 0;
	enum vrs_status status = VRS_OK;

	do {
		status = plan_trial(trials[taken++], plan, err);
	} while (status == VRS_OK && taken < count && plan->source.count < limits->kernels);
	*ret_taken = taken;
	plan->trial_seconds = limits->seconds;
	return status == VRS_OK ? vrs_ocl_values_place(plan, err) : status;
}

/* Of a way's kernels, the best of some repeats. */
static enum vrs_status time_way(double *ret_seconds, struct vrs_ocl_stream *stream, int32_t first, int32_t steps, struct vrs_error *err)
{
	double best = 0;

	for (int r = 0; r < REPEATS; r++) {
		double sum = 0;

		if (vrs_stop_requested())
			return vrs_fail(err, VRS_ESTOPPED, "stopped while convolutions were timed");
		for (int32_t s = first; s < first + steps; s++)
			VRS_TRY(vrs_ocl_queue_step(stream, s, false, err));
		VRS_TRY(vrs_ocl_check(err, clFinish(stream->network->context->compute), "finish a trial"));
		for (int32_t s = first; s < first + steps; s++)
			sum += vrs_ocl_event_seconds(stream->step_events[s]);
		best = best == 0 || sum < best ? sum : best;
	}
	*ret_seconds = best;
	return VRS_OK;
}

/* A way that the device refuses does not count, unless it refuses all. */
static enum vrs_status time_trial(struct vrs_ocl_trial *trial, struct vrs_ocl_stream *stream, struct vrs_error *err)
{
	struct vrs_error why = {0};
	bool any = false;

	for (int k = 0; k < trial->tiles; k++) {
		if (!trial->counts[k])
			continue;
		enum vrs_status status = time_way(&trial->seconds[k], stream, trial->first[k], trial->steps[k], &why);

		any = any || status == VRS_OK;
		if (status == VRS_ESTOPPED)
			return vrs_fail(err, status, "%s", why.text);
	}
	trial->done = any;
	return any ? VRS_OK : vrs_fail(err, VRS_EDEVICE, "%s", why.text);
}

static enum vrs_status time_group(struct vrs_ocl_trial *const *trials, size_t count, struct vrs_ocl_network *network, struct vrs_error *err)
{
	struct vrs_ocl_stream stream = {0};
	enum vrs_status status = vrs_ocl_stream_init(&stream, network, true, err);
	size_t tried = status == VRS_OK ? count : 0;

	for (size_t i = 0; i < tried && status != VRS_ESTOPPED; i++) {
		struct vrs_error why = {0};
		enum vrs_status one = time_trial(trials[i], &stream, &why);

		if (one == VRS_ESTOPPED || (one != VRS_OK && status == VRS_OK))
			status = vrs_fail(err, one, "%s", why.text); /* the others go on */
	}
	(void)clFinish(network->context->compute);
	vrs_ocl_stream_fini(&stream);
	return status;
}

enum vrs_status vrs_ocl_trials_run(struct vrs_ocl_trial *const *trials, size_t count, size_t *ret_taken, struct vrs_ocl_context *context,
				   const struct vrs_graph *graph, const struct vrs_session_options *options,
				   const struct vrs_ocl_trial_limits *limits, struct vrs_error *err)
{
	struct vrs_session_options own = *options;
	struct vrs_ocl_plan plan;
	struct vrs_ocl_network *network = NULL;
	const struct vrs_ocl_caps caps = vrs_ocl_trial_caps(context, limits);
	enum vrs_status status = vrs_ocl_plan_begin(&plan, graph, &caps, options, err);

	*ret_taken = 1;
	own.program_cache = false; /* what is chosen is kept; kernels of trials are needed once */
	if (status == VRS_OK)
		status = plan_group(&plan, trials, count, ret_taken, limits, err);
	if (status == VRS_OK)
		status = vrs_ocl_network_create(&network, context, &plan, &own, err);
	else
		vrs_ocl_plan_fini(&plan);
	if (status == VRS_OK)
		status = time_group(trials, *ret_taken, network, err);
	vrs_ocl_network_unref(network);
	return status;
}
