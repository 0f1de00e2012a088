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

static double temperature(const struct vrs_run *run)
{
	return run->temperature_c;
}

static double joules(const struct vrs_run *run)
{
	return run->joules_per_frame;
}

static double miss_gbps(const struct vrs_run *run)
{
	return run->miss_gbps;
}

static double net_gflops(const struct vrs_run *run)
{
	return run->net_gflops;
}

static double peak_percent(const struct vrs_run *run)
{
	return 100 * run->net_peak_share;
}

static double moved_mb(const struct vrs_run *run)
{
	return 1e-6 * run->moved_bytes_per_frame;
}

static double moved_gbps(const struct vrs_run *run)
{
	return run->moved_gbps;
}

static double memory_percent(const struct vrs_run *run)
{
	return 100 * run->memory_share;
}

static double device(const struct vrs_run *run)
{
	return run->device_percent;
}

static double device_mib(const struct vrs_run *run)
{
	return run->device_peak_bytes >= 0 ? (double)run->device_peak_bytes / 1048576 : NAN;
}

static double sampling(const struct vrs_run *run)
{
	return run->sampling_percent;
}

static const struct {
	const char *head;
	vrs_figure value;
} column_table[] = {
	{"user (ms/frame)", vrs_figure_user_ms},
	{"system (ms/frame)", vrs_figure_system_ms},
	{"clock (MHz)", vrs_figure_clock_mhz},
	{"instructions/cycle", vrs_figure_instructions_per_cycle},
	{"inference (GFLOP/s)", net_gflops},
	{"of FMA peak (%)", peak_percent},
	{"moved (MB/frame)", moved_mb},
	{"moved (GB/s)", moved_gbps},
	{"of memory (%)", memory_percent},
	{"cache misses (GB/s)", miss_gbps},
	{"temperature (C)", temperature},
	{"energy (J/frame)", joules},
	{"GPU busy (%)", device},
	{"GPU memory (MiB)", device_mib},
	{"forced switches/s", vrs_figure_involuntary_switches},
	{"own switches/s", vrs_figure_voluntary_switches},
	{"disk faults", disk_faults},
	{"sampling (% of a CPU)", sampling},
};
enum { COLUMNS = sizeof column_table / sizeof *column_table };

static bool any_case(const struct vrs_result *result, vrs_figure value)
{
	for (int i = 0; i < result->case_count; i++)
		if (isfinite(vrs_figure_median(&result->cases[i], value)))
			return true;
	return false;
}

static enum vrs_status resource_row(struct vrs_table *t, const struct vrs_case_result *c, const bool *shown)
{
	enum vrs_status status = vrs_table_add_row(t);
	if (status == VRS_OK)
		status = vrs_table_set(t, 0, "%s", c->id);
	for (int k = 0, column = 1; status == VRS_OK && k < COLUMNS; k++) {
		char text[24];
		if (shown[k])
			status = vrs_table_set(t, column++, "%s", vrs_short_number(vrs_figure_median(c, column_table[k].value), text, sizeof text));
	}
	return status;
}

enum vrs_status vrs_resource_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	bool shown[COLUMNS];
	if (!any_case(result, vrs_figure_user_ms)) /* older results do not say */
		return VRS_OK;
	struct vrs_table *t = vrs_findings_add_table(findings, "resources", "What the runs used");
	enum vrs_status status = t ? vrs_table_add_column(t, "case", false) : VRS_ENOMEM;
	for (int k = 0; status == VRS_OK && k < COLUMNS; k++) {
		shown[k] = any_case(result, column_table[k].value);
		if (shown[k])
			status = vrs_table_add_column(t, column_table[k].head, true);
	}
	for (int i = 0; status == VRS_OK && i < result->case_count; i++)
		if (isfinite(vrs_figure_median(&result->cases[i], vrs_figure_user_ms)))
			status = resource_row(t, &result->cases[i], shown);
	char ceilings[128];
	vrs_result_ceilings_words(&result->ceilings, ceilings, sizeof ceilings);
	if (status == VRS_OK)
		snprintf(t->caption, sizeof t->caption,
			 "Medians over runs. CPU time is that of the whole process in the measured part; switches are of its whole life. The clock is cycles for each "
			 "second of CPU time where cycles can be counted, else a sample. Cache misses are 64 bytes each, without what was prefetched.%s%s",
			 ceilings[0] ? " Inference, and what preprocess and compose move, is known by plan, over the time that they are busy. The machine: " : "",
			 ceilings);
	return status;
}

enum vrs_status vrs_unavailable_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"value", "reason"};
	if (result->unavailable_count == 0)
		return VRS_OK;
	struct vrs_table *t = vrs_findings_start_table(findings, "unavailable", "Unavailable values", heads, 2, ~0u);
	enum vrs_status status = t ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; status == VRS_OK && i < result->unavailable_count; i++) {
		status = vrs_table_add_row(t);
		if (status == VRS_OK)
			status = vrs_table_set(t, 0, "%s", result->unavailable[i].key);
		if (status == VRS_OK)
			status = vrs_table_set(t, 1, "%s", result->unavailable[i].reason);
	}
	if (status == VRS_OK)
		snprintf(t->caption, sizeof t->caption, "These values are absent, not zero. Names are those of results.json.");
	return status;
}
