/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/frame_metrics.h"

#include <math.h>

#include "base/latency.h"
#include "base/mem.h"
#include "bench/stats/stats.h"

/* Values of all frames: themselves, or a histogram where there are many. */
struct spread {
	double *ms;
	struct vrs_latency *histogram;
	long count;
	double max_ms;
};

static bool spread_init(struct spread *s, uint64_t frames)
{
	*s = (struct spread){.max_ms = NAN};
	if (frames <= VRS_METRICS_EXACT)
		s->ms = vrs_realloc_array(NULL, (size_t)frames + 1, sizeof *s->ms);
	else
		s->histogram = vrs_calloc(1, sizeof *s->histogram);
	return s->ms || s->histogram;
}

static void spread_fini(struct spread *s)
{
	vrs_free(s->ms);
	vrs_free(s->histogram);
}

static void spread_add(struct spread *s, uint64_t ns)
{
	double ms = 1e-6 * (double)ns;
	if (s->ms)
		s->ms[s->count] = ms;
	else
		vrs_latency_add(s->histogram, ns);
	s->count++;
	s->max_ms = s->max_ms > ms ? s->max_ms : ms;
}

/* NaN where the frames do not support the quantile. */
static double spread_quantile(const struct spread *s, double p)
{
	double value;
	uint64_t ns;
	if (s->histogram)
		return vrs_latency_quantile(s->histogram, p, &ns) ? 1e-6 * (double)ns : NAN;
	bool supported = s->count >= (p > 0.5 ? vrs_stats_quantile_min_n(p, 0.95) : 1);
	return supported && vrs_stats_quantile(s->ms, (int)s->count, p, &value) == VRS_OK ? value : NAN;
}

/* Deadlines, kept frame by frame; what is counted goes into the run. */
struct live_count {
	double period_ns, deadline_ns;
	uint64_t intended_ns, decode_end_ns; /* of the frame before */
	int64_t row;                 /* misses in a row, up to the last frame */
	int64_t since_miss;          /* frames since the last one; -1: there was none */
	struct vrs_run *run;
};

enum { EPISODE_GAP = 10 };           /* misses that lie less than so many frames apart are one stall */
static const double late_start_ns = 1e6;

static void count_met(struct live_count *live)
{
	live->row = 0;
	live->since_miss += live->since_miss >= 0;
}

/* So many in a row. */
static void count_missed(struct live_count *live, int64_t count)
{
	live->run->live_episodes += live->since_miss < 0 || live->since_miss + 1 >= EPISODE_GAP;
	live->since_miss = 0;
	live->row += count;
	live->run->live_longest = live->row > live->run->live_longest ? live->row : live->run->live_longest;
}

static void live_start(struct live_count *live, const struct vrs_live_goal *goal, const struct vrs_frame_times *before, struct vrs_run *run)
{
	*live = (struct live_count){.period_ns = 1e9 / goal->hz, .deadline_ns = 1e6 * goal->deadline_ms, .intended_ns = before->intended_ns,
				    .decode_end_ns = before->end_ns[VRS_STAGE_DECODE], .since_miss = -1, .run = run};
	run->live_deadline_ms = goal->deadline_ms;
	run->live_due = run->live_dropped = run->live_late = run->live_episodes = run->live_longest = run->live_late_starts = 0;
}

static void live_add(struct live_count *live, const struct vrs_frame_times *times)
{
	struct vrs_run *run = live->run;
	double gap = (double)times->intended_ns - (double)live->intended_ns;
	/* A file may claim any gap; no run drops more frames than a file has. */
	int64_t due = gap > 0 ? llround(fmin(gap / live->period_ns, VRS_FRAMES_MAX)) : 1;
	if (due < 1)
		due = 1;
	if (due > 1)
		count_missed(live, due - 1);
	bool late = (double)times->end_ns[VRS_STAGE_ENCODE] - (double)times->intended_ns > live->deadline_ns;
	if (late)
		count_missed(live, 1);
	else
		count_met(live);
	uint64_t could = times->intended_ns > live->decode_end_ns ? times->intended_ns : live->decode_end_ns;
	/* the decoder paces: after a dropped frame it is not known what it did before */
	run->live_late_starts += due == 1 && (double)times->start_ns[VRS_STAGE_DECODE] - (double)could > late_start_ns;
	run->live_due += due;
	run->live_dropped += due - 1;
	run->live_late += late;
	live->intended_ns = times->intended_ns;
	live->decode_end_ns = times->end_ns[VRS_STAGE_DECODE];
}

static uint64_t since(uint64_t end_ns, uint64_t begin_ns)
{
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static void take_times(const struct spread *intervals, const struct spread *latencies, uint64_t span_ns, struct vrs_run *run)
{
	run->frames = intervals->count;
	run->wall_seconds = 1e-9 * (double)span_ns;
	run->fps = run->wall_seconds > 0 ? (double)run->frames / run->wall_seconds : NAN;
	run->frame_mean_ms = 1e3 * run->wall_seconds / (double)run->frames;
	run->frame_median_ms = spread_quantile(intervals, 0.50);
	run->frame_p90_ms = spread_quantile(intervals, 0.90);
	run->frame_p95_ms = spread_quantile(intervals, 0.95);
	run->frame_p99_ms = spread_quantile(intervals, 0.99);
	run->frame_max_ms = intervals->max_ms;
	run->latency_median_ms = spread_quantile(latencies, 0.50);
	run->latency_p95_ms = spread_quantile(latencies, 0.95);
	run->latency_p99_ms = spread_quantile(latencies, 0.99);
}

static enum vrs_status read_all(struct vrs_frames_reader *reader, const struct vrs_live_goal *goal, struct spread *intervals,
				struct spread *latencies, struct vrs_run *run, struct vrs_error *err)
{
	struct vrs_frame_times times, before = {.index = 0};
	struct live_count live = {.run = run};
	uint64_t first_ns = 0;
	enum vrs_status status;
	while ((status = vrs_frames_reader_next(reader, &times, err)) == VRS_OK) {
		uint64_t end_ns = times.end_ns[VRS_STAGE_ENCODE];
		if (reader->next == 1) {
			first_ns = end_ns;
			if (goal->hz > 0)
				live_start(&live, goal, &times, run);
		} else {
			spread_add(intervals, end_ns - before.end_ns[VRS_STAGE_ENCODE]);
			spread_add(latencies, since(end_ns, times.intended_ns));
			if (goal->hz > 0)
				live_add(&live, &times);
		}
		before = times;
	}
	if (status != VRS_END)
		return status;
	take_times(intervals, latencies, before.end_ns[VRS_STAGE_ENCODE] - first_ns, run);
	if (run->live_due > 0)
		run->live_miss_percent = 100.0 * (double)(run->live_dropped + run->live_late) / (double)run->live_due;
	return VRS_OK;
}

enum vrs_status vrs_frame_metrics(struct vrs_frames_reader *reader, const struct vrs_live_goal *goal, struct vrs_run *run, struct vrs_error *err)
{
	struct spread intervals, latencies;
	if (reader->count < 2)
		return vrs_fail(err, VRS_EINVAL, "%s holds no measured frame", reader->path);
	bool room = spread_init(&intervals, reader->count);
	room = spread_init(&latencies, reader->count) && room;
	enum vrs_status status = room ? vrs_frames_reader_rewind(reader, err)
				      : vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the metrics of %s", reader->path);
	if (status == VRS_OK)
		status = read_all(reader, goal, &intervals, &latencies, run, err);
	spread_fini(&intervals);
	spread_fini(&latencies);
	return status;
}

void vrs_live_judge(struct vrs_case_result *c)
{
	int64_t due = 0, dropped = 0, late = 0, longest = 0;
	double deadline = NAN;
	for (int i = 0; i < c->run_count; i++) {
		const struct vrs_run *run = &c->runs[i];
		if (!vrs_case_result_uses(c, run) || run->live_due <= 0)
			continue;
		due += run->live_due;
		dropped += run->live_dropped;
		late += run->live_late;
		longest = run->live_longest > longest ? run->live_longest : longest;
		deadline = run->live_deadline_ms;
	}
	c->live_verdict = VRS_OUTCOME_NONE;
	c->live_note[0] = 0;
	if (due == 0)
		return;
	double share = (double)(dropped + late) / (double)due;
	c->live_verdict = 100 * share <= VRS_LIVE_MAX_MISSED_PERCENT ? VRS_OUTCOME_PASS : VRS_OUTCOME_FAIL;
	snprintf(c->live_note, sizeof c->live_note, "%.2f %% of %lld frames missed %.1f ms (%.0f %% may): %lld dropped, %lld late, %lld in a row",
		 100 * share, (long long)due, deadline, VRS_LIVE_MAX_MISSED_PERCENT, (long long)dropped, (long long)late, (long long)longest);
}
