/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/frame_recorder.h"

#include <math.h>

#include "bench/record/frames_file.h"
#include "bench/stats/stats.h"

enum { WINDOWS = 3, BLOCKS = 5, SLOW_WINDOW_FRAMES = 10, WINDOW_FRAMES = 50, WINDOW_FRAMES_MAX = (VRS_RECORDER_RING - 1) / WINDOWS };
static const double slow_fps = 10, level_limit = 0.02, slope_limit = 0.01;

void vrs_recorder_rules_limit(struct vrs_recorder_rules *rules, int max_frames)
{
	rules->max_frames = max_frames;
	if (max_frames > 0)
		rules->warmup_max_frames = max_frames < 30 ? 3 : max_frames / 10;
}

void vrs_recorder_init(struct vrs_recorder *recorder, const struct vrs_recorder_rules *rules, struct vrs_frames_writer *writer)
{
	*recorder = (struct vrs_recorder){.rules = *rules, .writer = writer, .first_frame_ms = NAN};
}

/* Completion of frame i, one of the last VRS_RECORDER_RING. */
static double end_seconds(const struct vrs_recorder *r, int64_t i)
{
	return r->end_seconds[i % VRS_RECORDER_RING];
}

/* Rate over the last frames, which decides how long a window is. */
static double recent_fps(const struct vrs_recorder *r)
{
	int64_t n = r->count < WINDOW_FRAMES ? r->count : WINDOW_FRAMES;
	double span = n > 1 ? end_seconds(r, r->count - 1) - end_seconds(r, r->count - n) : 0;
	return span > 0 ? (double)(n - 1) / span : 0;
}

/* Mean frame times of the blocks of the last windows of `frames` each, oldest first. */
static void block_means(const struct vrs_recorder *r, int frames, double ret_ms[WINDOWS * BLOCKS])
{
	int each = frames / BLOCKS;
	int64_t end = r->count - 1;
	for (int b = WINDOWS * BLOCKS - 1; b >= 0; b--, end -= each)
		ret_ms[b] = 1e3 * (end_seconds(r, end) - end_seconds(r, end - each)) / each;
}

/* Standard error of the level of a window, by the differences of neighbouring blocks: of a median, 1.25 times that of a mean. */
static double level_error(const double ms[WINDOWS * BLOCKS])
{
	double steps[WINDOWS * BLOCKS - 1], sd;
	for (int b = 0; b < WINDOWS * BLOCKS - 1; b++)
		steps[b] = ms[b + 1] - ms[b];
	return vrs_stats_mad(steps, WINDOWS * BLOCKS - 1, &sd) == VRS_OK ? 1.25 * sd / sqrt(2 * BLOCKS) : 0;
}

/* Levels of the last three windows agree, and show no trend, as far as their noise lets it be seen. */
static bool is_steady(const struct vrs_recorder *r, double fps)
{
	int frames = SLOW_WINDOW_FRAMES;
	if (fps > slow_fps)
		frames = fps > WINDOW_FRAMES_MAX ? WINDOW_FRAMES_MAX : fps > WINDOW_FRAMES ? (int)fps : WINDOW_FRAMES;
	frames -= frames % BLOCKS;
	if (r->count < WINDOWS * frames + 1 || (r->count - 1) % (frames / 10) != 0) /* ten looks a window are enough */
		return false;
	double ms[WINDOWS * BLOCKS], level[WINDOWS], slope;
	static const double position[WINDOWS] = {0, 1, 2};
	block_means(r, frames, ms);
	const double error = level_error(ms);
	for (int w = 0; w < WINDOWS; w++)
		if (vrs_stats_median(ms + w * BLOCKS, BLOCKS, &level[w]) != VRS_OK || level[w] <= 0)
			return false;
	/* the slope of three levels is about half the difference of the outer ones */
	return fabs(level[2] - level[1]) <= level_limit * level[1] + sqrt(2) * error &&
	       vrs_stats_theil_sen(position, level, WINDOWS, &slope) == VRS_OK && fabs(slope) <= slope_limit * level[1] + sqrt(0.5) * error;
}

static bool warmup_is_over(struct vrs_recorder *r)
{
	double elapsed = end_seconds(r, r->count - 1), fps = recent_fps(r);
	int need = fps < slow_fps ? (r->rules.warmup_min_frames + 2) / 3 : r->rules.warmup_min_frames;
	if (elapsed >= r->rules.warmup_min_seconds && r->count >= need && is_steady(r, fps))
		r->settled = true;
	/* One frame is the least: its end is where the measurement starts. */
	return r->settled || elapsed >= r->rules.warmup_max_seconds ||
	       (r->rules.warmup_max_frames > 0 && r->count >= r->rules.warmup_max_frames);
}

static bool measured_enough(const struct vrs_recorder *r)
{
	double seconds = end_seconds(r, r->count - 1) - r->start_seconds;
	if (r->rules.max_frames > 0 && r->measured >= r->rules.max_frames)
		return true;
	return seconds >= 3 * r->rules.duration_seconds || (seconds >= r->rules.duration_seconds && r->measured >= r->rules.min_frames);
}

enum vrs_recorder_event vrs_recorder_frame(struct vrs_recorder *r, const struct vrs_frame_times *times)
{
	enum vrs_recorder_event event = VRS_RECORDER_GO_ON;
	if (r->done)
		return event;
	r->end_seconds[r->count % VRS_RECORDER_RING] = 1e-9 * (double)times->end_ns[VRS_STAGE_ENCODE];
	r->count++;
	if (r->count == 1)
		r->first_frame_ms = 1e3 * end_seconds(r, 0);
	if (r->measuring) {
		r->measured++;
		r->done = measured_enough(r);
		event = r->done ? VRS_RECORDER_ENOUGH : VRS_RECORDER_GO_ON;
	} else if (warmup_is_over(r)) {
		r->measuring = true;
		r->start_seconds = end_seconds(r, r->count - 1);
		event = VRS_RECORDER_START;
	}
	if (r->measuring && r->writer)
		vrs_frames_writer_add(r->writer, times);
	return event;
}

bool vrs_recorder_end(struct vrs_recorder *r)
{
	r->done = r->measuring && r->measured > 0;
	return r->done;
}
