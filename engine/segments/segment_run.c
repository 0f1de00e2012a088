/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_run.h"

#include "flow/trace.h"

/* What the callbacks of the job lead to. */
struct observers {
	const struct vrs_segment_order *order;
	struct vrs_truth *truth;
};

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	vrs_truth_add(((const struct observers *)cookie)->truth, index, eye, matte, covers);
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	const struct vrs_segment_order *order = ((const struct observers *)cookie)->order;
	if (order->on_frame)
		order->on_frame(order->cookie, times);
}

static enum vrs_status run(struct vrs_job *job, const struct vrs_segment_order *order, struct vrs_segment_outcome *ret, struct vrs_error *err)
{
	vrs_trace_segment(order->segment.trace, order->number, order->segment.frames_unseen);
	if (order->on_job)
		order->on_job(order->cookie, job);
	enum vrs_status status = vrs_job_run(job, err);
	ret->result = vrs_job_segment_result(job);
	vrs_job_stats(job, &ret->stats);
	if (order->on_job)
		order->on_job(order->cookie, NULL);
	return status;
}

enum vrs_status vrs_segment_run(const struct vrs_segment_order *order, struct vrs_segment_outcome *ret_outcome, struct vrs_error *err)
{
	struct observers observers = {.order = order};
	struct vrs_job_callbacks callbacks = {.cookie = &observers, .on_frame = on_frame, .on_matte = order->truth ? on_matte : NULL,
		.outlives_device = true};
	struct vrs_job *job = NULL;
	*ret_outcome = (struct vrs_segment_outcome){0};
	enum vrs_status status = vrs_job_create_segment(&job, order->input, order->settings, &order->segment, &callbacks, err);
	if (status == VRS_OK && order->truth)
		status = vrs_truth_open_at(&observers.truth, order->truth, order->input, order->settings, order->segment.frames_before, err);
	if (status == VRS_OK && observers.truth)
		status = vrs_truth_attach(observers.truth, vrs_job_info(job), order->settings->pipeline.every_nth, err);
	if (status == VRS_OK)
		status = run(job, order, ret_outcome, err);
	if (status == VRS_OK && observers.truth && vrs_truth_sums(observers.truth, &ret_outcome->truth, &ret_outcome->truth_error))
		ret_outcome->truth.eyes = 0;
	vrs_job_destroy(job);
	vrs_truth_close(observers.truth);
	return status;
}
