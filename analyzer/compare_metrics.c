/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every figure that two cases of different invocations have, side by side, with what may be said of its change. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare.h"
#include "analyzer/summary_parts.h"
#include "base/mem.h"

static double memory_mib(const struct vrs_run *run)
{
	return run->peak_rss_bytes > 0 ? (double)run->peak_rss_bytes / 1048576 : NAN;
}

static const double fixed_margin = 0.002;

/* Where a figure lies: one of each run, or one of the case. */
static const struct metric {
	const char *name;
	vrs_figure figure;         /* of runs; NULL: the number at offset of struct vrs_run, or of the case */
	size_t offset;
	double factor;
	bool of_case, headline;
	bool fixed;                /* of the mattes or pictures, the same in every run: a change below fixed_margin is none */
} metrics[] = {
	{"FPS", vrs_figure_fps, 0, 1, false, true, false},
	{"frame P50 (ms)", NULL, offsetof(struct vrs_case_result, p50_ms), 1, true, false, false},
	{"frame P95 (ms)", NULL, offsetof(struct vrs_case_result, p95_ms), 1, true, false, false},
	{"frame P99 (ms)", NULL, offsetof(struct vrs_case_result, p99_ms), 1, true, false, false},
	{"longest frame (ms)", NULL, offsetof(struct vrs_run, frame_max_ms), 1, false, false, false},
	{"latency P50 (ms)", vrs_figure_latency_ms, 0, 1, false, true, false},
	{"latency P95 (ms)", NULL, offsetof(struct vrs_run, latency_p95_ms), 1, false, false, false},
	{"latency P99 (ms)", NULL, offsetof(struct vrs_run, latency_p99_ms), 1, false, false, false},
	{"missed deadlines (%)", NULL, offsetof(struct vrs_run, live_miss_percent), 1, false, false, false},
	{"CPU (ms/frame)", vrs_figure_cpu_ms, 0, 1, false, false, false},
	{"kernel CPU (ms/frame)", vrs_figure_system_ms, 0, 1, false, false, false},
	{"peak memory (MiB)", memory_mib, 0, 1, false, false, false},
	{"network call (ms)", NULL, offsetof(struct vrs_run, net_ms), 1, false, false, false},
	{"inference (GFLOP/s)", NULL, offsetof(struct vrs_run, net_gflops), 1, false, false, false},
	{"start (ms)", NULL, offsetof(struct vrs_run, load_ms), 1, false, false, false},
	{"first frame (ms)", NULL, offsetof(struct vrs_run, first_frame_ms), 1, false, false, false},
	{"energy (J/frame)", NULL, offsetof(struct vrs_run, joules_per_frame), 1, false, false, false},
	{"clock (MHz)", vrs_figure_clock_mhz, 0, 1, false, false, false},
	{"output (kB/frame)", NULL, offsetof(struct vrs_run, output_bytes_per_frame), 1e-3, false, false, false},
	{"output (kbit/s)", NULL, offsetof(struct vrs_run, output_kbps), 1, false, false, false},
	{"encoded SSIM", NULL, offsetof(struct vrs_run, encode_ssim), 1, false, false, true},
	{"IoU with fp32", NULL, offsetof(struct vrs_run, agreement), 1, false, false, true},
	{"left/right", NULL, offsetof(struct vrs_run, eye_agreement), 1, false, false, true},
};

/* Median and interval over the runs that the case's figures are made of; n 0: it has none. */
static enum vrs_status estimate_of(const struct vrs_case_result *c, const struct metric *m, struct vrs_estimate *ret)
{
	*ret = (struct vrs_estimate){.median = NAN};
	if (m->of_case) {
		memcpy(&ret->median, (const char *)c + m->offset, sizeof ret->median);
		ret->n = isfinite(ret->median);
		return VRS_OK;
	}
	double *values = vrs_calloc((size_t)c->run_count + 1, sizeof *values);
	if (!values)
		return VRS_ENOMEM;
	int n = m->figure ? vrs_figure_values(c, m->figure, values) : vrs_case_result_values(c, m->offset, values);
	enum vrs_status status = n > 0 ? vrs_stats_estimate(values, n, ret) : VRS_OK;
	vrs_free(values);
	return status;
}

void vrs_compare_metrics_start(const struct vrs_compare_side *a, const struct vrs_compare_side *b, struct vrs_findings *findings)
{
	char id[48], title[96], head_a[8], head_b[8];
	snprintf(id, sizeof id, "compare-%c", b->letter | 0x20);
	snprintf(title, sizeof title, "Every figure of %c and %c", a->letter, b->letter);
	snprintf(head_a, sizeof head_a, "%c", a->letter);
	snprintf(head_b, sizeof head_b, "%c", b->letter);
	const char *const heads[] = {"case", "figure", head_a, head_b, "change", "verdict"};
	struct vrs_table *t = vrs_findings_start_table(findings, id, title, heads, sizeof heads / sizeof *heads, 1u | 1u << 1 | 1u << 5);
	snprintf(t->caption, sizeof t->caption, "Medians with their intervals, (ranges) below six runs. Times of two invocations share no "
			 "rounds, so they have a verdict only where calibrations have shown how invocations differ on this machine. Figures with exact truth are "
			 "the same in every run: a change beyond their margin is BETTER or WORSE, over the first mattes where one side has fewer.");
}

static void start_row(struct vrs_table *t, const char *id, const char *figure)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", id);
	vrs_table_set(t, 1, "%s", figure);
}

/* What may be said of a change; "": nothing, where times cannot be compared at all. */
static const char *verdict_of(const struct metric *m, double a, double b, bool live, const struct vrs_comparison *headline, bool comparable)
{
	bool judged = m->headline && (m->figure == vrs_figure_latency_ms) == live;
	enum vrs_verdict word = judged ? headline->verdict : VRS_VERDICT_INCONCLUSIVE;
	if (m->fixed && fabs(b - a) < fixed_margin)
		word = VRS_VERDICT_EQUIVALENT;
	return comparable || m->fixed ? vrs_name_of(&vrs_verdict_names, (int)word) : "";
}

/* A figure that one of the two has: what was measured in one way alone is not hidden. */
static void one_sided_row(struct vrs_table *t, const char *id, const char *figure, bool has_a, const char *value)
{
	start_row(t, id, figure);
	vrs_table_set(t, has_a ? 2 : 3, "%s", value);
	vrs_table_set(t, 5, "%s has none", has_a ? t->heads[3] : t->heads[2]);
}

static void metric_row(struct vrs_table *t, const struct metric *m, const struct vrs_case_result *a, const struct vrs_case_result *b,
		       const struct vrs_comparison *headline, bool comparable)
{
	struct vrs_estimate x, y;
	char text[96];
	if (estimate_of(a, m, &x) != VRS_OK || estimate_of(b, m, &y) != VRS_OK || (x.n == 0 && y.n == 0))
		return; /* without memory findings say so when they are finished */
	if (x.n == 0 || y.n == 0) {
		one_sided_row(t, a->id, m->name, x.n > 0, vrs_estimate_text(x.n > 0 ? &x : &y, m->factor, text, sizeof text));
		return;
	}
	bool equal = !(fabs(x.median - y.median) > 0);
	start_row(t, a->id, m->name);
	vrs_table_set(t, 2, "%s", vrs_estimate_text(&x, m->factor, text, sizeof text));
	vrs_table_set(t, 3, "%s", vrs_estimate_text(&y, m->factor, text, sizeof text));
	vrs_table_set_number(t, 4, "%+.1f %%", x.median > 0 ? 100 * (y.median / x.median - 1) : equal ? 0 : NAN);
	vrs_table_set(t, 5, "%s", verdict_of(m, x.median, y.median, b->live_hz > 0, headline, comparable));
}

const char *const vrs_compare_quality_words[3] = {"WORSE", "EQUIVALENT", "BETTER"};

static void quality_row(struct vrs_table *t, enum vrs_quality_figure figure, const struct vrs_case_result *a, const struct vrs_case_result *b,
			struct vrs_compare_outcome *outcome)
{
	const struct vrs_quality_figure_info *info = vrs_quality_figure_info(figure);
	const struct vrs_quality_change c = vrs_quality_change(figure, a, b);
	double x = c.a, y = c.b;
	char text[96];
	if (!isfinite(x) && !isfinite(y))
		return;
	if (!isfinite(x) || !isfinite(y)) {
		snprintf(text, sizeof text, "%.*f", info->decimals == 2 ? 2 : 4, info->factor * (isfinite(x) ? x : y));
		one_sided_row(t, a->id, info->head, isfinite(x), text);
		return;
	}
	start_row(t, a->id, info->head);
	vrs_table_set_number(t, 2, info->decimals == 2 ? "%.2f" : "%.4f", info->factor * x);
	vrs_table_set_number(t, 3, info->decimals == 2 ? "%.2f" : "%.4f", info->factor * y);
	vrs_table_set_number(t, 4, info->decimals == 2 ? "%+.2f" : "%+.4f", info->factor * (y - x));
	if (info->margin <= 0) /* shown, not judged */
		return;
	vrs_table_set(t, 5, "%s", vrs_quality_change_text(&c, vrs_compare_quality_words, a, b, text, sizeof text));
	outcome->worse += c.way < 0;
	outcome->better += c.way > 0;
}

void vrs_compare_metrics_add(struct vrs_table *table, const struct vrs_case_result *a, const struct vrs_case_result *b,
			     const struct vrs_comparison *headline, struct vrs_compare_outcome *outcome)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		metric_row(table, &metrics[i], a, b, headline, outcome->hindrance == VRS_NO_SHARED_ROUNDS);
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++)
		quality_row(table, (enum vrs_quality_figure)i, a, b, outcome);
}
