/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An A/B as text: the table, and the derivation of the headline. */
#include <math.h>
#include <string.h>

#include "bench/judge/comparison.h"
#include "bench/judge/noise_gate.h"

static void share_text(double value, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.1f %%", 100 * value);
}

static void signed_share_text(double value, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%+.1f %%", 100 * value);
}

static void probability_text(double value, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.4f", value);
}

static void value_text(double value, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, value >= 1000 ? "%.0f" : value >= 10 ? "%.1f" : "%.3f", value);
}

static void print_metric(const struct vrs_comparison *m, FILE *out)
{
	char name[sizeof m->metric + sizeof m->unit + 4], a[24], b[24], change[24], interval[40], p[24], holm[24], mde[24], margin[24];
	snprintf(name, sizeof name, "%s (%s)", m->metric, m->unit);
	value_text(m->a, a, sizeof a);
	value_text(m->b, b, sizeof b);
	signed_share_text(m->change, change, sizeof change);
	if (isnan(m->low))
		snprintf(interval, sizeof interval, "-");
	else
		snprintf(interval, sizeof interval, "[%+.1f, %+.1f]", 100 * m->low, 100 * m->high);
	probability_text(m->p, p, sizeof p);
	probability_text(m->holm_p, holm, sizeof holm);
	share_text(m->mde, mde, sizeof mde);
	share_text(m->margin, margin, sizeof margin);
	fprintf(out, "%-22s %10s %10s %9s %17s %8s %8s %8s %8s %6d  %s%s%s\n", name, a, b, change, interval, p, holm, mde, margin, m->pairs,
		vrs_name_of(&vrs_verdict_names, m->verdict), m->reason[0] ? ": " : "", m->reason);
}

/* Deterministic figures: one comparison of mattes stands for all runs of a side. */
static void print_quality(const char *name, const struct vrs_case_result *a, const struct vrs_case_result *b, size_t offset, FILE *out)
{
	double x = vrs_case_result_median(a, offset), y = vrs_case_result_median(b, offset);
	if (isfinite(x) && isfinite(y))
		fprintf(out, "%-22s %10.4f %10.4f %+9.4f   the same in every run\n", name, x, y, y - x);
	else if (isfinite(x) || isfinite(y))
		fprintf(out, "%-22s of one side only\n", name);
}

static void print_runs(const char *side, const struct vrs_case_result *c, FILE *out)
{
	int counted = 0, excluded = 0, failed = 0;
	const char *why = "";
	for (int i = 0; i < c->run_count; i++) {
		counted += vrs_run_counts(&c->runs[i]);
		excluded += c->runs[i].status == VRS_RUN_OK && c->runs[i].excluded[0];
		failed += c->runs[i].status != VRS_RUN_OK;
		if (!vrs_run_counts(&c->runs[i]))
			why = c->runs[i].excluded[0] ? c->runs[i].excluded : c->runs[i].reason;
	}
	if (excluded + failed > 0 || vrs_case_result_is_skipped(c))
		fprintf(out, "%s: %d runs counted, %d excluded by noise gates, %d failed; %s\n", side, counted, excluded, failed,
			vrs_case_result_is_skipped(c) ? c->skipped : why);
}

enum vrs_status vrs_compare_print(const struct vrs_result *result, const struct vrs_case_result *a, const struct vrs_case_result *b,
				  const struct vrs_compare_details *details, FILE *out)
{
	char mode[24];
	fprintf(out, "A: %s\n   %s\nB: this command\n   %s\nscope=%s mode=%s input=%s (%s)%s\n\n", result->versus, a->id, b->id,
		vrs_name_of(&vrs_scope_names, b->scope), vrs_mode_text(b->live_hz, mode, sizeof mode),
		result->input, b->input_kind, result->quick ? ", quick" : "");
	fprintf(out, "%-22s %10s %10s %9s %17s %8s %8s %8s %8s %6s  %s\n", "metric", "A", "B", "cost of B", "interval", "p", "Holm p", "MDE", "margin",
		"pairs", "verdict");
	for (int i = 0; i < result->comparison_count; i++)
		print_metric(&result->comparisons[i], out);
	print_quality("agreement (IoU)", a, b, offsetof(struct vrs_run, agreement), out);
	print_quality("truth (IoU)", a, b, offsetof(struct vrs_run, iou), out);
	print_quality("boundary F", a, b, offsetof(struct vrs_run, boundary_f), out);
	fputc('\n', out);
	fprintf(out, "cost of B: above 0, B is slower or needs more. MDE: the smallest change that these pairs find with 80 %% power.\n");
	print_runs("A", a, out);
	print_runs("B", b, out);
	if (details->warning[0])
		fprintf(out, "noise, for which the margin is %.1f times as wide:\n%s", VRS_GATE_SOFT_MARGIN, details->warning);
	return ferror(out) ? VRS_EIO : VRS_OK;
}

static double difference(const struct vrs_compare_details *d, int i)
{
	return d->larger_is_better ? log(d->a[i] / d->b[i]) : log(d->b[i] / d->a[i]);
}

static void explain_looks(const struct vrs_comparison *c, const struct vrs_compare_details *d, FILE *out)
{
	static const int looks[] = {8, 14, 20};
	double x[VRS_STATS_MAX_PAIRS];
	for (int i = 0; i < d->pairs; i++)
		x[i] = difference(d, i);
	for (size_t i = 0; i < sizeof looks / sizeof *looks && looks[i] <= d->pairs; i++) {
		struct vrs_shift s;
		if (looks[i] > c->pairs || vrs_stats_shift(x, looks[i], VRS_VERDICT_LOOK_ALPHA, &s) != VRS_OK)
			continue;
		int walsh = looks[i] * (looks[i] + 1) / 2;
		fprintf(out, "look at %2d pairs: Hodges-Lehmann %+.4f = median of %d Walsh averages; interval = number %d and %d of them: [%+.4f, %+.4f]\n",
			looks[i], s.estimate, walsh, vrs_stats_walsh_rank(looks[i], VRS_VERDICT_LOOK_ALPHA),
			walsh + 1 - vrs_stats_walsh_rank(looks[i], VRS_VERDICT_LOOK_ALPHA), s.low, s.high);
		fprintf(out, "                  signed-rank p %.4f; sign test's interval [%+.4f, %+.4f] %s\n", s.p, s.sign_low, s.sign_high,
			s.sign_low > s.high || s.sign_high < s.low ? "contradicts" : "agrees");
		double low = log1p(-c->margin), high = log1p(c->margin);
		bool inside = s.low > low && s.high < high, moved = s.low > 0 || s.high < 0, large = s.estimate >= high || s.estimate <= low;
		fprintf(out, "                  inside (%+.4f, %+.4f), EQUIVALENT? %s; excludes 0? %s; estimate beyond the margin? %s\n", low, high,
			inside ? "yes" : "no", moved ? "yes" : "no", large ? "yes" : "no");
	}
}

enum vrs_status vrs_compare_explain(const struct vrs_comparison *c, const struct vrs_compare_details *d, FILE *out)
{
	fprintf(out, "\nHow the verdict on %s came about\n", d->metric);
	fprintf(out, "d = ln(%s) of each round: above 0, B is slower. A pair counts where both sides ran well and undisturbed.\n",
		d->larger_is_better ? "A / B" : "B / A");
	for (int i = 0; i < d->pairs; i++)
		fprintf(out, "  round %3d  A %9.3f  B %9.3f  d %+.4f%s\n", d->round[i], d->a[i], d->b[i], difference(d, i),
			i < c->pairs ? "" : "  (after the deciding look)");
	fprintf(out, "margin %.2f %% = the largest of %.2f %% (asked for), %.2f %% (1.5 x calibrated spread of pairs), %.2f %% (%.2f ms of a frame)%s\n",
		100 * c->margin, 100 * d->base_margin, 100 * d->pair_share, 100 * d->floor_share, VRS_COMPARE_FLOOR_MS,
		d->soft ? ", times 1.5 for soft noise gates" : "");
	fprintf(out, "three looks at 8, 14 and 20 pairs with alpha %.4f each keep 5 %% over all (Pocock); nothing is decided between them\n",
		VRS_VERDICT_LOOK_ALPHA);
	explain_looks(c, d, out);
	if (isfinite(c->mde))
		fprintf(out, "MDE %.2f %% = (t.975 + t.80) x robust spread of d / sqrt(%d)\n", 100 * c->mde, c->pairs);
	if (isfinite(d->lag1))
		fprintf(out, "lag-1 autocorrelation of d: %+.2f\n", d->lag1);
	if (d->has_cycles)
		fprintf(out, "in cycles: %+.2f %% [%+.2f, %+.2f]\n", 100 * d->cycle_change, 100 * d->cycle_low, 100 * d->cycle_high);
	else
		fprintf(out, "in cycles: not observable\n");
	if (c->pairs_needed > 0)
		fprintf(out, "about %d pairs would settle it\n", c->pairs_needed);
	return ferror(out) ? VRS_EIO : VRS_OK;
}
