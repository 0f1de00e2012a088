/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/frame_recorder.h"

#include <math.h>

#include "base/mem.h"
#include "bench/frames_file.h"
#include "bench/stats.h"

enum { WINDOWS = 3, SLOW_WINDOW_FRAMES = 10, WINDOW_FRAMES = 50, WINDOW_FRAMES_MAX = 2000 };
static const double slow_fps = 10, level_limit = 0.02, slope_limit = 0.01;

void vrs_recorder_init(struct vrs_recorder *recorder, const struct vrs_recorder_rules *rules)
{
	*recorder = (struct vrs_recorder){.rules = *rules, .first_frame_ms = NAN};
}

void vrs_recorder_fini(struct vrs_recorder *recorder)
{
	vrs_free(recorder->frames);
	*recorder = (struct vrs_recorder){0};
}

static double end_seconds(const struct vrs_recorder *r, size_t i)
{
	return 1e-9 * (double)r->frames[i].end_ns[VRS_STAGE_ENCODE];
}

/* Rate over the last frames, which decides how long a window is. */
static double recent_fps(const struct vrs_recorder *r)
{
	size_t n = r->count < WINDOW_FRAMES ? r->count : WINDOW_FRAMES;
	double span = n > 1 ? end_seconds(r, r->count - 1) - end_seconds(r, r->count - n) : 0;
	return span > 0 ? (double)(n - 1) / span : 0;
}

static bool window_median(const struct vrs_recorder *r, size_t end, size_t frames, double *ret)
{
	double ms[WINDOW_FRAMES_MAX];
	for (size_t i = 0; i < frames; i++)
		ms[i] = 1e3 * (end_seconds(r, end - i) - end_seconds(r, end - i - 1));
	return vrs_stats_median(ms, (int)frames, ret) == VRS_OK;
}

/* Levels of the last three windows agree, and show no trend. */
static bool is_steady(const struct vrs_recorder *r, double fps)
{
	size_t frames = SLOW_WINDOW_FRAMES;
	if (fps > slow_fps)
		frames = fps > WINDOW_FRAMES ? (size_t)fps : WINDOW_FRAMES;
	if (frames > WINDOW_FRAMES_MAX)
		frames = WINDOW_FRAMES_MAX;
	if (r->count < WINDOWS * frames + 1)
		return false;
	double level[WINDOWS], slope;
	static const double position[WINDOWS] = {0, 1, 2};
	for (int w = 0; w < WINDOWS; w++)
		if (!window_median(r, r->count - 1 - (size_t)(WINDOWS - 1 - w) * frames, frames, &level[w]) || level[w] <= 0)
			return false;
	if (fabs(level[2] / level[1] - 1) > level_limit)
		return false;
	return vrs_stats_theil_sen(position, level, WINDOWS, &slope) == VRS_OK && fabs(slope / level[1]) <= slope_limit;
}

static bool warmup_is_over(struct vrs_recorder *r)
{
	double elapsed = end_seconds(r, r->count - 1), fps = recent_fps(r);
	size_t need = (size_t)(fps < slow_fps ? (r->rules.warmup_min_frames + 2) / 3 : r->rules.warmup_min_frames);
	if (elapsed >= r->rules.warmup_min_seconds && r->count >= need && is_steady(r, fps))
		r->settled = true;
	/* One frame is the least: its end is where the measurement starts. */
	return r->settled || elapsed >= r->rules.warmup_max_seconds;
}

static bool measured_enough(const struct vrs_recorder *r)
{
	double seconds = end_seconds(r, r->count - 1) - end_seconds(r, r->first);
	int64_t frames = (int64_t)(r->count - 1 - r->first);
	if (frames < 1)
		return false;
	if (r->rules.max_frames > 0 && frames >= r->rules.max_frames)
		return true;
	return seconds >= 3 * r->rules.duration_seconds || (seconds >= r->rules.duration_seconds && frames >= r->rules.min_frames);
}

enum vrs_recorder_event vrs_recorder_frame(struct vrs_recorder *r, const struct vrs_frame_times *times)
{
	if (r->done || r->failed)
		return VRS_RECORDER_GO_ON;
	void *items = r->frames;
	if (vrs_array_grow(&items, &r->capacity, r->count + 1, sizeof *r->frames, VRS_FRAMES_MAX) != VRS_OK) {
		r->failed = r->done = true;
		return VRS_RECORDER_ENOUGH;
	}
	r->frames = items;
	r->frames[r->count++] = *times;
	if (r->count == 1)
		r->first_frame_ms = 1e3 * end_seconds(r, 0);
	if (!r->measuring) {
		r->measuring = warmup_is_over(r);
		r->first = r->count - 1;
		return r->measuring ? VRS_RECORDER_START : VRS_RECORDER_GO_ON;
	}
	r->done = measured_enough(r);
	return r->done ? VRS_RECORDER_ENOUGH : VRS_RECORDER_GO_ON;
}

size_t vrs_recorder_measured(const struct vrs_recorder *r, const struct vrs_frame_times **ret_frames)
{
	if (!r->measuring || r->count < r->first + 2)
		return 0;
	*ret_frames = r->frames + r->first;
	return r->count - 1 - r->first;
}
