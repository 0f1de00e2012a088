/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_plan.h"

#include <math.h>

#include <vrseg/config.h>

/*
 * Views that follow people look in four chains, each where its own frame four before has found them (VRS_FOLLOW_LAG), so that this is eight looks of
 * each.  With four of them people who are not found at each look were missing at the beginning of segments.
 */
#define PREROLL_FOLLOW 32
#define PREROLL_MOST 150
#define MAX_TIME 1e18 /* ticks */
/* What is left of the unknown past of a running mean: below half a step of 8 bits. */
#define PAST_LEFT (1.0 / 512)

/* At least so many frames, of which the first one is seen where one in so many is. */
static int whole_strides(int frames, const struct vrs_settings *settings)
{
	int stride = settings->matte.stride > 1 ? settings->matte.stride : 1;
	return frames > INT32_MAX - stride ? frames : (frames + stride - 1) / stride * stride;
}

/* A running mean with weight w of the newest frame keeps (1 - w)^n of what was n frames before. */
static int preroll_frames(const struct vrs_settings *settings)
{
	int frames = settings->matte.follow ? PREROLL_FOLLOW : 1;
	bool smooths = vrs_settings_smooth(settings);
	double keep = smooths ? 1 - settings->matte.smoothing : 0;
	if (keep > 0) {
		double needed = ceil(log(PAST_LEFT) / log(keep));
		frames += needed > PREROLL_MOST ? PREROLL_MOST : (int)needed;
	}
	frames += smooths ? settings->matte.smoothing_window - 1 : 0;
	if (frames > PREROLL_MOST)
		frames = PREROLL_MOST;
	return whole_strides(frames, settings);
}

/* Between --start and --duration. */
static int64_t wanted_frames(const struct vrs_media_clock *clock, const struct vrs_settings *settings)
{
	double rate = (double)clock->fps_num / clock->fps_den, frames = (double)clock->frames - settings->input.start * rate;
	if (settings->input.duration > 0)
		frames = fmin(frames, ceil(settings->input.duration * rate));
	return frames > 1 ? (int64_t)ceil(frames) : 1;
}

enum vrs_status vrs_segment_plan_make(struct vrs_segment_plan *ret_plan, const struct vrs_media_clock *clock, const struct vrs_settings *settings,
				   bool has_states, int tail_frames, struct vrs_error *err)
{
	if (!clock->exact || clock->fps_num < 1 || clock->fps_den < 1 || clock->frames < 1)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the container has no exact index of its frames");
	struct vrs_segment_plan plan = {.time_base_num = clock->time_base_num, .time_base_den = clock->time_base_den, .fps_num = clock->fps_num,
		.fps_den = clock->fps_den, .segment_frames = whole_strides(settings->pipeline.segment_frames, settings),
		.every_nth = settings->pipeline.every_nth, .max_frames = settings->pipeline.max_frames};
	plan.frames = (wanted_frames(clock, settings) + plan.every_nth - 1) / plan.every_nth;
	if (plan.max_frames > 0 && plan.frames > plan.max_frames)
		plan.frames = plan.max_frames;
	plan.keeps_past = has_states;
	plan.preroll_frames = has_states ? 0 : preroll_frames(settings);
	plan.tail_frames = tail_frames;
	int64_t segments = plan.segment_frames < 1 ? 1 : (plan.frames + plan.segment_frames / 2) / plan.segment_frames;
	if (segments > VRS_MAX_SEGMENTS)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%d frames in each of %lld segments are too few", plan.segment_frames, (long long)segments);
	plan.segments = segments < 1 ? 1 : (int)segments;
	*ret_plan = plan;
	return VRS_OK;
}

bool vrs_segment_plan_same(const struct vrs_segment_plan *a, const struct vrs_segment_plan *b)
{
	return a->time_base_num == b->time_base_num && a->time_base_den == b->time_base_den && a->fps_num == b->fps_num && a->fps_den == b->fps_den &&
	       a->frames == b->frames && a->max_frames == b->max_frames && a->segment_frames == b->segment_frames &&
	       a->every_nth == b->every_nth && a->preroll_frames == b->preroll_frames && a->tail_frames == b->tail_frames && a->segments == b->segments &&
	       a->keeps_past == b->keeps_past;
}

/* Time of frame number `frame` of the input, less half a frame. Doubles hold 2^53 ticks exactly. */
static int64_t border(const struct vrs_segment_plan *plan, double frame)
{
	double ticks = (double)plan->fps_den * plan->time_base_den / ((double)plan->fps_num * plan->time_base_num);
	return llround(fmin(ceil((frame - 0.5) * ticks), MAX_TIME));
}

int64_t vrs_segment_plan_before(const struct vrs_segment_plan *plan, int number)
{
	return (int64_t)number * plan->segment_frames;
}

int vrs_segment_plan_unbound(const struct vrs_segment_plan *plan)
{
	int64_t whole = plan->max_frames > plan->tail_frames ? (plan->max_frames - plan->tail_frames) / plan->segment_frames : 0;
	if (plan->max_frames <= 0)
		return plan->segments;
	return whole < plan->segments - 1 ? (int)whole : plan->segments - 1;
}

struct vrs_segment vrs_segment_plan_at(const struct vrs_segment_plan *plan, int number)
{
	int64_t before = vrs_segment_plan_before(plan, number), unseen = before > plan->preroll_frames ? before - plan->preroll_frames : 0;
	double nth = plan->every_nth, behind = (double)(before + plan->segment_frames);
	bool last = number + 1 == plan->segments;
	return (struct vrs_segment){
		.preroll = unseen > 0 ? border(plan, (double)unseen * nth) : 0,
		.first = number > 0 ? border(plan, (double)before * nth) : INT64_MIN,
		.end = last ? INT64_MAX : border(plan, behind * nth),
		.tail_frames = plan->tail_frames,
		.frames_before = before,
		.frames_unseen = unseen,
		.frames_total = plan->frames,
	};
}
