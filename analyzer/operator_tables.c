/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/operator_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "base/mem.h"

enum { TOP = 10, NAME_WIDTH = 24 };

/* Order of the rows, and what the first column of numbers holds. */
struct ranking {
	const char *id, *title, *head, *caption;
	double (*value)(const struct vrs_op_row *op);
};

static double by_time(const struct vrs_op_row *op)
{
	return op->ms;
}

static double by_memory(const struct vrs_op_row *op)
{
	return (double)op->bytes / 1024;
}

/* What the operator would save where it ran at the peak. */
static double by_loss(const struct vrs_op_row *op)
{
	return isfinite(op->peak_share) ? op->ms * (1 - fmin(1, op->peak_share)) : 0;
}

static double by_intensity(const struct vrs_op_row *op)
{
	return op->bytes > 0 ? 2.0 * (double)op->macs / (double)op->bytes : 0;
}

/* The end of a long name, which is what tells operators apart. */
static void short_name(const char *name, char *buf, size_t size)
{
	size_t length = strlen(name);
	if (length > NAME_WIDTH)
		snprintf(buf, size, "..%s", name + length - (NAME_WIDTH - 2));
	else
		snprintf(buf, size, "%s", name);
}

/* Rates in columns from..from + 3. */
static void set_rates(struct vrs_table *t, int from, double gflops, double peak_share, double gbps, double memory_share)
{
	vrs_table_set_number(t, from, "%.1f", gflops);
	vrs_table_set_number(t, from + 1, "%.1f", 100 * peak_share);
	vrs_table_set_number(t, from + 2, "%.2f", gbps);
	vrs_table_set_number(t, from + 3, "%.1f", 100 * memory_share);
}

static void operator_row(struct vrs_table *t, const struct vrs_op_row *op)
{
	char name[sizeof op->name];
	short_name(op->name, name, sizeof name);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set_number(t, 1, "%.4f", op->ms);
	vrs_table_set_number(t, 2, "%.1f", 100 * op->share);
	set_rates(t, 3, op->gflops, op->peak_share, op->gbps, op->memory_share);
	vrs_table_set(t, 7, "%s", op->kernel);
}

struct place {
	double value;
	const struct vrs_op_row *op;
};

static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return x->value > y->value ? -1 : x->value < y->value ? 1 : (x->op > y->op) - (x->op < y->op);
}

/* Operators in falling order of a value; equal ones in order of execution. NULL: out of memory, which findings remember. */
static struct place *ranked(const struct vrs_net_profile *p, double (*value)(const struct vrs_op_row *op), struct vrs_findings *findings)
{
	struct place *order = vrs_realloc_array(NULL, (size_t)p->op_count + 1, sizeof *order);
	if (!order)
		vrs_findings_fail(findings, VRS_ENOMEM);
	for (int i = 0; order && i < p->op_count; i++)
		order[i] = (struct place){value(&p->ops[i]), &p->ops[i]};
	if (order)
		qsort(order, (size_t)p->op_count, sizeof *order, by_value);
	return order;
}

static void describe(const struct vrs_net_profile *p, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s %dx%d, batch %d, %s, ", p->model, p->width, p->height, p->batch,
			 vrs_name_of(&vrs_precision_names, (int)p->precision));
	if (n < 0 || (size_t)n >= size)
		return;
	if (p->device[0])
		snprintf(buf + n, size - (size_t)n, "%s on %s", p->backend, p->device);
	else
		snprintf(buf + n, size - (size_t)n, "%s %s, %d thread%s", p->backend, p->isa, p->threads, p->threads == 1 ? "" : "s");
}

/* Append a value by its format; nothing where there is none. */
static void append_value(char *buf, size_t size, const char *format, double value)
{
	size_t used = strlen(buf);
	if (isfinite(value))
		(void)snprintf(buf + used, size - used, format, value);
}

/* What the shares are of. */
static void say_ceilings(const struct vrs_net_profile *p, char *buf, size_t size)
{
	buf[0] = '\0';
	if (p->device[0] && !isfinite(p->peak_gflops)) {
		(void)snprintf(buf, size, "The device gave no times for its ceilings. ");
		return;
	}
	if (p->device[0]) {
		append_value(buf, size, "Peak of the device: %.1f GFLOP/s", p->peak_gflops);
		append_value(buf, size, ", memory %.2f GB/s", p->triad_gbps);
		append_value(buf, size, ", up %.2f", p->upload_gbps);
		append_value(buf, size, ", down %.2f GB/s", p->download_gbps);
		append_value(buf, size, ", %.1f us from kernel to kernel", p->launch_us);
	} else if (isfinite(p->fma_gflops_1)) {
		append_value(buf, size, "Peak: %.1f GFLOP/s a thread", p->fma_gflops_1);
		append_value(buf, size, ", %.1f together", p->peak_gflops);
		append_value(buf, size, " (all threads at once make %.1f)", p->fma_gflops_all);
		append_value(buf, size, ", memory %.2f GB/s", p->triad_gbps);
	}
	size_t used = strlen(buf);
	if (used > 0)
		(void)snprintf(buf + used, size - used, ". ");
}

void vrs_operator_table(const struct vrs_net_profile *p, struct vrs_findings *findings)
{
	static const char *const heads[] = {"operator", "ms/run", "share (%)", "GFLOP/s", "of peak (%)", "GB/s", "of memory (%)", "kernel"};
	struct place *order = ranked(p, by_time, findings);
	char what[200], ceilings[128];
	struct vrs_table *t = vrs_findings_start_table(findings, "operators", "Operators of the network alone", heads, 8, 1u << 0 | 1u << 7);
	for (int i = 0; order && i < p->op_count; i++)
		operator_row(t, order[i].op);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "all %d", p->op_count);
	vrs_table_set_number(t, 1, "%.4f", p->ms);
	set_rates(t, 3, p->gflops, p->peak_share, p->gbps, p->memory_share);
	describe(p, what, sizeof what);
	say_ceilings(p, ceilings, sizeof ceilings);
	snprintf(t->caption, sizeof t->caption, "%.120s, %lld runs. %s"
		 "Profiling itself costs time: compare shares, not sums. What caches hold comes faster than memory gives: it has no share of memory."
		 "%s%.150s", what, (long long)p->runs, ceilings,
		 p->peak_note[0] ? " The peak: " : "", p->peak_note);
	vrs_free(order);
}

static void top_row(struct vrs_table *t, const struct place *place)
{
	const struct vrs_op_row *op = place->op;
	char name[sizeof op->name];
	short_name(op->name, name, sizeof name);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set(t, 1, "%.*f", place->value < 10 ? 3 : 1, place->value);
	if (op->weight_bytes >= 0) {
		vrs_table_set(t, 2, "%.1f", (double)op->weight_bytes / 1024);
		vrs_table_set(t, 3, "%.1f", (double)(op->bytes - op->weight_bytes) / 1024);
	}
	vrs_table_set_number(t, 4, "%.4f", op->ms);
	vrs_table_set_number(t, 5, "%.1f", op->gflops);
	vrs_table_set_number(t, 6, "%.1f", 100 * op->peak_share);
}

/* The first operators by another value than time. */
static void top_table(const struct vrs_net_profile *p, const struct ranking *by, struct vrs_findings *findings)
{
	const char *const heads[] = {"operator", by->head, "weights (KiB)", "activations (KiB)", "ms/run", "GFLOP/s", "of peak (%)"};
	struct place *order = ranked(p, by->value, findings);
	struct vrs_table *t = vrs_findings_start_table(findings, by->id, by->title, heads, sizeof heads / sizeof *heads, 1u << 0);
	for (int i = 0; order && i < p->op_count && i < TOP && order[i].value > 0; i++)
		top_row(t, &order[i]);
	snprintf(t->caption, sizeof t->caption, "The first %d of %d operators.%s", t->rows, p->op_count, by->caption);
	vrs_free(order);
}

/* One line for each network that was profiled, where there are several. */
static void network_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"network", "ms/run", "GFLOP/s", "of peak (%)", "GB/s", "of memory (%)"};
	if (result->profile_count < 2)
		return;
	struct vrs_table *t = vrs_findings_start_table(findings, "networks", "Networks alone", heads, 6, 1u << 0);
	for (int i = 0; i < result->profile_count; i++) {
		const struct vrs_net_profile *p = &result->profiles[i];
		char what[200];
		describe(p, what, sizeof what);
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", what);
		vrs_table_set_number(t, 1, "%.3f", p->ms);
		set_rates(t, 2, p->gflops, p->peak_share, p->gbps, p->memory_share);
	}
}

/* What profiling the whole job costs, and where its files are. */
static void profile_note(const struct vrs_profile_run *run, struct vrs_findings *findings)
{
	if (!run->case_id[0])
		return;
	if (run->pairs == 0) {
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "profile", "There is no profile of %s: %s.", run->case_id,
				      run->reason[0] ? run->reason : "no run went well");
		return;
	}
	struct vrs_note *n = vrs_findings_add_note(findings, VRS_NOTE_INFO, "profile",
						   "The profile of %s is %s (ui.perfetto.dev or chrome://tracing). These runs are in no other figure.",
						   run->case_id, run->trace_file);
	char cpu[48] = "", rates[64] = "";
	if (!isfinite(run->overhead_percent) || !isfinite(run->overhead_low) || !isfinite(run->overhead_high))
		return;
	if (isfinite(run->cpu_overhead_percent))
		snprintf(cpu, sizeof cpu, "%.1f %% CPU time and ", run->cpu_overhead_percent);
	if (isfinite(run->profiled_fps) && isfinite(run->plain_fps))
		snprintf(rates, sizeof rates, ": %.2f FPS with, %.2f without", run->profiled_fps, run->plain_fps);
	snprintf(n->evidence, sizeof n->evidence, "profiling costs %s%.1f %% of the frame rate (%.1f .. %.1f over %d pairs%s)%s", cpu,
		 run->overhead_percent, run->overhead_low, run->overhead_high, run->pairs,
		 run->overhead_low < 0 && run->overhead_high > 0 ? ", not told from 0" : "", rates);
}

void vrs_operator_tables(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const struct ranking by[] = {
		{"operators-memory", "Operators by memory", "KiB/run", " What a run reads and writes: weights, and activations in and out.", by_memory},
		{"operators-peak", "Operators by what they lose against the peak", "lost (ms/run)",
		 " Lost: the time beyond what the same multiply-adds take at the peak.", by_loss},
		{"operators-intensity", "Operators by arithmetic intensity", "FLOP/byte", "", by_intensity},
	};
	const struct vrs_net_profile *first = result->profile_count ? &result->profiles[0] : NULL; /* that of the default case */
	if (first && first->op_count)
		vrs_operator_table(first, findings);
	for (size_t i = 0; i < sizeof by / sizeof *by && first && first->op_count && result->profile_run.case_id[0]; i++)
		top_table(first, &by[i], findings);
	network_table(result, findings);
	profile_note(&result->profile_run, findings);
}
