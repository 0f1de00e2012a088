/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runs of a case used of the machine, and what of it could not be seen here. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

#include "analyzer/figures/figures.h"

static double disk_faults(const struct vrs_run *run)
{
	return run->major_faults >= 0 ? (double)run->major_faults : NAN;
}

static double device_mib(const struct vrs_run *run)
{
	return run->device_peak_bytes >= 0 ? (double)run->device_peak_bytes / 1048576 : NAN;
}

static const struct {
	const char *head;
	vrs_figure figure;         /* NULL: the member at offset, times factor */
	size_t offset;
	double factor;
} column_table[] = {
	{"user (ms/frame)", vrs_figure_user_ms, 0, 0},
	{"system (ms/frame)", vrs_figure_system_ms, 0, 0},
	{"clock (MHz)", vrs_figure_clock_mhz, 0, 0},
	{"instructions/cycle", vrs_figure_instructions_per_cycle, 0, 0},
	{"inference (GFLOP/s)", NULL, offsetof(struct vrs_run, net_gflops), 1},
	{"of FMA peak (%)", NULL, offsetof(struct vrs_run, net_peak_share), 100},
	{"moved (MB/frame)", NULL, offsetof(struct vrs_run, moved_bytes_per_frame), 1e-6},
	{"moved (GB/s)", NULL, offsetof(struct vrs_run, moved_gbps), 1},
	{"of memory (%)", NULL, offsetof(struct vrs_run, memory_share), 100},
	{"cache misses (GB/s)", NULL, offsetof(struct vrs_run, miss_gbps), 1},
	{"temperature (C)", NULL, offsetof(struct vrs_run, temperature_c), 1},
	{"energy (J/frame)", NULL, offsetof(struct vrs_run, joules_per_frame), 1},
	{"GPU busy (%)", NULL, offsetof(struct vrs_run, device_percent), 1},
	{"GPU memory (MiB)", device_mib, 0, 0},
	{"forced switches/s", vrs_figure_involuntary_switches, 0, 0},
	{"own switches/s", vrs_figure_voluntary_switches, 0, 0},
	{"disk faults", disk_faults, 0, 0},
	{"sampling (% of a CPU)", NULL, offsetof(struct vrs_run, sampling_percent), 1},
};
enum { COLUMNS = sizeof column_table / sizeof *column_table };

static double value_of(const struct vrs_case_result *c, int k)
{
	vrs_figure figure = column_table[k].figure;
	return figure ? vrs_figure_median(c, figure) : column_table[k].factor * vrs_case_result_median(c, column_table[k].offset);
}

static bool any_case(const struct vrs_result *result, int k)
{
	for (int i = 0; i < result->case_count; i++)
		if (isfinite(value_of(&result->cases[i], k)))
			return true;
	return false;
}

static void resource_row(struct vrs_table *t, const struct vrs_case_result *c, const bool *shown)
{
	char text[24];
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	for (int k = 0, column = 1; k < COLUMNS; k++)
		if (shown[k])
			vrs_table_set(t, column++, "%s", vrs_short_number(value_of(c, k), text, sizeof text));
}

void vrs_resource_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	bool shown[COLUMNS];
	struct vrs_table *t = vrs_findings_add_table(findings, "resources", "What the runs used");
	char ceilings[128];
	vrs_table_add_column(t, "case", false);
	for (int k = 0; k < COLUMNS; k++) {
		shown[k] = any_case(result, k);
		if (shown[k])
			vrs_table_add_column(t, column_table[k].head, true);
	}
	for (int i = 0; i < result->case_count; i++)
		if (isfinite(value_of(&result->cases[i], 0))) /* older results do not say */
			resource_row(t, &result->cases[i], shown);
	vrs_result_ceilings_words(&result->ceilings, ceilings, sizeof ceilings);
	snprintf(t->caption, sizeof t->caption,
		 "Medians over runs. CPU time is that of the whole process in the measured part; switches are of its whole life. The clock is cycles for each "
		 "second of CPU time where cycles can be counted, else a sample. Cache misses are 64 bytes each, without what was prefetched.%s%s",
		 ceilings[0] ? " Inference, and what preprocess and compose move, is known by plan, over the time that they are busy. The machine: " : "",
		 ceilings);
}

void vrs_unavailable_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"value", "reason"};
	struct vrs_table *t = vrs_findings_start_table(findings, "unavailable", "Unavailable values", heads, 2, ~0u);
	for (int i = 0; i < result->unavailable_count; i++) {
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", result->unavailable[i].key);
		vrs_table_set(t, 1, "%s", result->unavailable[i].reason);
	}
	snprintf(t->caption, sizeof t->caption, "These values are absent, not zero. Names are those of results.json.");
}
