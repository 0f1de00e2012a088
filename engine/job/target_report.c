/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a job met its targets, and what a live job dropped.  The rate of a live job counts from its first shown frame to its last; a rate within 1
 * % of the target meets it, since the clock of a source and ours differ.
 */
#include <vrseg/progress.h>

#include <inttypes.h>
#include <math.h>

#include "base/latency.h"

#define RATE_SLACK 0.99

static double rate_of(const struct vrs_job_stats *stats, bool live)
{
	uint64_t frames = stats->frames_done, ns = stats->wall_ns;
	if (live) {
		ns = stats->live.last_shown_ns - stats->live.first_shown_ns;
		frames = frames ? frames - 1 : 0;
	}
	return ns ? (double)frames * 1e9 / (double)ns : 0;
}

static int print_rate(double value, double target, FILE *out)
{
	bool met = value >= RATE_SLACK * target;
	fprintf(out, "%-12s %9.2f %9.2f  %s\n", "frames/s", value, target, met ? "pass" : "fail");
	return !met;
}

static int print_latency_target(const struct vrs_job_stats *stats, bool live, double target_ms, FILE *out)
{
	const struct vrs_live_stats *l = &stats->live;
	int last = VRS_LIVE_QUANTILES - 1;
	const struct vrs_latency_reading reading = {.live = live, .p99_ms = l->known[last] ? (double)l->latency_ns[last] / 1e6 : NAN,
						    .max_ms = (double)l->max_latency_ns / 1e6};
	const char *figure;
	double ms;
	char name[16];
	enum vrs_latency_state state = vrs_latency_judge(&reading, target_ms, &ms, &figure);
	snprintf(name, sizeof name, "latency %s", figure);
	if (state == VRS_LATENCY_OFFLINE)
		fprintf(out, "%-12s %9s %9.2f  not judged: %s\n", name, "-", target_ms, VRS_LATENCY_NOT_LIVE);
	else if (state == VRS_LATENCY_TOO_FEW)
		fprintf(out, "%-12s %9s %9.2f  not enough frames (needs %" PRIu64 ")\n", name, "-", target_ms, l->needs[last]);
	else
		fprintf(out, "%-12s %9.2f %9.2f  %s\n", name, ms, target_ms, state == VRS_LATENCY_MET ? "pass" : "fail");
	return state == VRS_LATENCY_MISSED;
}

void vrs_live_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	if (!info->live || !stats->live.captured)
		return;
	static const char *const names[VRS_LIVE_QUANTILES] = {"P50", "P95", "P99"};
	const struct vrs_live_stats *live = &stats->live;
	double share = live->captured ? 100.0 * (double)live->dropped / (double)live->captured : 0;
	fprintf(out, "live: %" PRIu64 " frames came, %" PRIu64 " dropped (%.1f %%), %.2f frames/s shown\n", live->captured, live->dropped, share,
		rate_of(stats, true));
	if (live->skipped)
		fprintf(out, "decoding was too slow: %" PRIu64 " of the dropped frames were left out before it\n", live->skipped);
	if (live->reused)
		fprintf(out, "the network was too slow: %" PRIu64 " of the frames have the matte of the frame before\n", live->reused);
	fprintf(out, "latency from a frame's start to the output:");
	for (int i = 0; i < VRS_LIVE_QUANTILES; i++) {
		if (live->known[i])
			fprintf(out, " %s %.1f ms,", names[i], (double)live->latency_ns[i] / 1e6);
		else
			fprintf(out, " %s not enough frames (needs %" PRIu64 "),", names[i], live->needs[i]);
	}
	fprintf(out, " longest %.1f ms\n", (double)live->max_latency_ns / 1e6);
}

int vrs_target_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, double fps, double max_latency_ms, FILE *out)
{
	int missed = 0;
	vrs_live_report(stats, info, out);
	if (fps <= 0 && max_latency_ms <= 0)
		return 0;
	fprintf(out, "%-12s %9s %9s\n", "target", "value", "wanted");
	if (fps > 0)
		missed += print_rate(rate_of(stats, info->live), fps, out);
	if (max_latency_ms > 0)
		missed += print_latency_target(stats, info->live, max_latency_ms, out);
	return missed;
}
