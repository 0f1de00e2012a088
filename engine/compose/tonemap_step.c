/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/tonemap_step.h"

#include "compose/frame_pool.h"
#include "matte/hdr_transfer.h"
#include "matte/tonemap.h"
#include "video/sink.h"

#include <vrseg/log.h>

static double peak_of(const struct vrs_source_info *source)
{
	return source->peak_nits > 0 ? source->peak_nits : VRS_TONEMAP_PEAK_NITS;
}

bool vrs_tonemap_wanted(const struct vrs_settings *settings, const struct vrs_picture_format *format, bool narrow)
{
	int choice = settings->output.tonemap;
	return vrs_format_is_hdr(format) && format->planes == 3 && choice != VRS_TONEMAP_OFF && (choice != VRS_TONEMAP_AUTO || narrow);
}

bool vrs_tonemap_narrow(const struct vrs_settings *settings)
{
	return !vrs_sink_keeps_depth(settings->output.file, settings->output.encoder);
}

enum vrs_status vrs_tonemap_for(struct vrs_tonemap **ret_tonemap, const struct vrs_settings *settings, const struct vrs_source_info *source,
				bool narrow)
{
	*ret_tonemap = NULL;
	if (!vrs_tonemap_wanted(settings, &source->format, narrow))
		return VRS_OK;
	return vrs_tonemap_create(ret_tonemap, &source->format, peak_of(source));
}

static void tell(const struct vrs_tonemap_step *step, const struct vrs_settings *settings, const struct vrs_source_info *source, const char *input)
{
	const char *curve = vrs_format_is_pq(&source->format) ? "PQ" : "HLG";
	bool hdr = vrs_format_is_hdr(&source->format);
	if (step->tonemap)
		vrs_log(VRS_LOG_INFO, "%s is HDR (%s): the output is SDR, mapped from a peak of %.0f nits%s (--tonemap off keeps HDR)", input, curve,
			peak_of(source), source->peak_nits > 0 ? "" : ", which is assumed");
	else if (hdr)
		vrs_log(VRS_LOG_INFO, "%s is HDR (%s): the output keeps it, the network sees it as a video of ordinary brightness", input, curve);
	else if (settings->output.tonemap == VRS_TONEMAP_BT2390)
		vrs_log(VRS_LOG_INFO, "%s is not HDR: --tonemap has no effect", input);
}

enum vrs_status vrs_tonemap_step_open(struct vrs_tonemap_step *step, const struct vrs_settings *settings, const struct vrs_source_info *source,
				      const char *input, bool quiet)
{
	enum vrs_status status = vrs_tonemap_for(&step->tonemap, settings, source, vrs_format_is_hdr(&source->format) && vrs_tonemap_narrow(settings));
	if (status == VRS_OK && !quiet)
		tell(step, settings, source, input);
	return status;
}

enum vrs_status vrs_tonemap_step_prepare(struct vrs_tonemap_step *step, const struct vrs_source_info *source, int frames, uint64_t *ret_bytes)
{
	*ret_bytes = 0;
	if (!step->tonemap)
		return VRS_OK;
	struct vrs_picture_format target = vrs_tonemap_format(&source->format);
	int count = frames + 1 < VRS_FRAME_POOL_MAX ? frames + 1 : VRS_FRAME_POOL_MAX;
	*ret_bytes = (uint64_t)count * vrs_frame_bytes(&target);
	return vrs_frame_pool_create(&step->pool, &target, count, NULL, NULL);
}

static enum vrs_status map(const struct vrs_tonemap_step *step, struct vrs_frame *frame)
{
	struct vrs_composite_past *unused;
	struct vrs_frame mapped;
	enum vrs_status status = vrs_frame_pool_get(step->pool, &mapped, &unused);
	if (status != VRS_OK)
		return status;
	vrs_tonemap_run(step->tonemap, &mapped, frame);
	mapped.pts = frame->pts;
	mapped.duration = frame->duration;
	mapped.index = frame->index;
	mapped.writable = true;
	vrs_frame_unref(frame);
	*frame = mapped;
	return VRS_OK;
}

bool vrs_tonemap_step_run(const struct vrs_tonemap_step *step, struct vrs_flow *flow, struct vrs_frame_task **tasks, int count)
{
	if (!step->tonemap || count == 0)
		return true;
	struct vrs_flow_step timed = vrs_flow_step_begin(flow, VRS_STAGE_PREPROCESS);
	enum vrs_status status = VRS_OK;
	for (int n = 0; n < count && status == VRS_OK; n++)
		status = map(step, &tasks[n]->frame);
	if (status != VRS_OK) {
		vrs_flow_fail(flow, status, NULL);
		return false;
	}
	vrs_flow_step_end(flow, VRS_STAGE_PREPROCESS, &timed, tasks, count, &(struct vrs_stage_stats){0});
	return true;
}

void vrs_tonemap_step_fini(struct vrs_tonemap_step *step)
{
	vrs_frame_pool_destroy(step->pool);
	vrs_tonemap_destroy(step->tonemap);
}
