/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/tune_print.h"

#include <math.h>
#include <string.h>

#include "base/latency.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"

static void print_tried(const struct vrs_tried *t, bool first, FILE *out)
{
	char quality[16] = "", ratio[16] = "";
	if (isfinite(t->quality))
		snprintf(quality, sizeof quality, "%.4f", t->quality);
	if (isfinite(t->ratio))
		snprintf(ratio, sizeof ratio, "%.3fx", t->ratio);
	fprintf(out, "  %8.2f  %8s  %7s  %s%s%s%s\n", t->fps.n ? t->fps.median : NAN, ratio, quality, t->id, first ? "  (default)" : "",
		t->accepted ? "" : "  refused: ", t->accepted ? "" : t->why);
}

static void print_verdict(const struct vrs_search_result *result, FILE *out)
{
	char line[VRS_VERDICT_LINE_MAX];
	vrs_verdict_line_begin(line, sizeof line, !result->verified ? "inconclusive" : result->keeps_default ? "equivalent" : "faster");
	if (result->keeps_default)
		vrs_verdict_line_put(line, sizeof line, "metric", "fps");
	else
		vrs_verdict_line_keys(&result->gain, line, sizeof line);
	vrs_verdict_line_put(line, sizeof line, "case", "%s", result->best_id);
	fprintf(out, "%s\n", line);
}

void vrs_tune_print(const struct vrs_search_result *result, const struct vrs_space *space, FILE *out)
{
	int phase = -1;
	for (int i = 0; i < result->tried_count; i++) {
		const struct vrs_tried *t = &result->tried[i];
		bool first = (int)t->phase != phase;
		if (first) {
			phase = (int)t->phase;
			fprintf(out, "\n%s\n       FPS   speed     IoU    settings\n", vrs_phase_name(t->phase));
		}
		print_tried(t, first, out);
	}
	if (space->fixed[0])
		fprintf(out, "\nleft alone, since you set them: %s\n", space->fixed);
	fprintf(out, "\nchosen: %s%s\n%s\n", result->best_id, result->keeps_default ? " (the default)" : "", result->sentence);
	if (result->tie[0])
		fprintf(out, "cannot be told from it: %s\n", result->tie);
	print_verdict(result, out);
}

bool vrs_tune_print_targets(const struct vrs_search_result *result, double fps, double max_latency_ms, FILE *out)
{
	double low = result->best_fps.has_interval ? result->best_fps.low : result->best_fps.min;
	bool feasible = !(fps > 0) || low >= fps;
	char line[VRS_VERDICT_LINE_MAX];
	if (fps > 0) {
		fprintf(out, "target %g FPS: %s (%.2f FPS, %.2f times the target)\n", fps, feasible ? "met" : "missed", result->best_fps.median,
			result->best_fps.median / fps);
		vrs_verdict_line_begin(line, sizeof line, feasible ? "feasible" : "infeasible");
		vrs_verdict_line_put(line, sizeof line, "target_fps", "%g", fps);
		vrs_verdict_line_put(line, sizeof line, "fps", "%.2f", result->best_fps.median);
		vrs_verdict_line_put(line, sizeof line, "low", "%.2f", low);
		fprintf(out, "%s\n", line);
	}
	if (max_latency_ms > 0)
		fprintf(out, "target %g ms latency: not judged, %s\n", max_latency_ms, VRS_LATENCY_NOT_LIVE);
	return feasible;
}

void vrs_tune_print_bottlenecks(const struct vrs_case_result *c, const struct vrs_bottleneck *rules, int count, FILE *out)
{
	fprintf(out, "%s: %.2f FPS\n", c->id, c->fps.n ? c->fps.median : NAN);
	if (count == 0)
		fprintf(out, "the counters of the stages name no limit\n");
	for (int i = 0; i < count; i++) {
		const struct vrs_bottleneck *b = &rules[i];
		fprintf(out, "\n%s%s: %s\n  evidence: %s\n", i ? "" : "limit: ", b->id, b->sentence, b->evidence);
		if (isfinite(b->fps_bound))
			fprintf(out, "  without it: at most %.1f FPS%s%s\n", b->fps_bound, b->next_stage < VRS_STAGE_COUNT ? ", then limited by " : "",
				b->next_stage < VRS_STAGE_COUNT ? vrs_stage_name(b->next_stage) : "");
		if (b->yaml[0])
			fprintf(out, "  to change:\n");
		for (const char *line = b->yaml; *line;) {
			size_t length = strcspn(line, "\n");
			fprintf(out, "    %.*s\n", (int)length, line);
			line += length + (line[length] == '\n');
		}
	}
}
