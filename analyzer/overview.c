/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/overview.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"

#define ROWS_MAX 1000000

/* One case of one result. */
struct row {
	char *id;
	int result;                /* its number */
	struct vrs_estimate fps;
	double latency_ms, cpu_ms, memory_mib, iou;
};

/* One result. */
struct entry {
	char name[256], started[32], version[64], cpu[96], input[128], state[32];
	char fps[96];              /* of the default case */
	int cases, missed;
};

struct vrs_overview {
	struct entry *entries;
	struct row *rows;
	size_t entry_room, row_room;
	int entry_count, row_count;
};

struct vrs_overview *vrs_overview_create(void)
{
	return vrs_calloc(1, sizeof(struct vrs_overview));
}

void vrs_overview_destroy(struct vrs_overview *o)
{
	if (!o)
		return;
	for (int i = 0; i < o->row_count; i++)
		vrs_free(o->rows[i].id);
	vrs_free(o->rows);
	vrs_free(o->entries);
	vrs_free(o);
}

static double median_of(const struct vrs_estimate *e, double factor)
{
	return e->n > 0 ? factor * e->median : NAN;
}

static enum vrs_status add_case(struct vrs_overview *o, const struct vrs_case_result *c)
{
	enum vrs_status status = vrs_array_grow(&o->rows, &o->row_room, (size_t)o->row_count + 1, sizeof *o->rows, ROWS_MAX);
	char *id = status == VRS_OK ? vrs_strdup(c->id) : NULL;
	if (!id)
		return VRS_ENOMEM;
	o->rows[o->row_count++] = (struct row){
		.id = id, .result = o->entry_count - 1, .fps = c->fps, .latency_ms = median_of(&c->latency_ms, 1), .cpu_ms = median_of(&c->cpu_ms_per_frame, 1),
		.memory_mib = median_of(&c->peak_rss, 1.0 / 1048576), .iou = vrs_case_result_median(c, vrs_run_quality_offset(VRS_FIGURE_IOU)),
	};
	return VRS_OK;
}

/* What there is to know of it before its figures. */
static const char *state_of(const struct vrs_result *result)
{
	const struct vrs_case_result *base = vrs_default_case(result);
	if (!result->complete)
		return "interrupted";
	if (base && vrs_case_result_is_invalid(base))
		return "INVALID";
	if (result->comparison_count > 0)
		return vrs_name_of(&vrs_verdict_names, (int)result->comparisons[0].verdict);
	return result->quick ? "quick" : "";
}

enum vrs_status vrs_overview_add(struct vrs_overview *o, const struct vrs_result *result, const char *name, int missed)
{
	const struct vrs_case_result *base = vrs_default_case(result);
	int cpus;
	enum vrs_status status = vrs_array_grow(&o->entries, &o->entry_room, (size_t)o->entry_count + 1, sizeof *o->entries, ROWS_MAX);
	if (status != VRS_OK)
		return status;
	struct entry *e = &o->entries[o->entry_count++];
	*e = (struct entry){.missed = missed};
	snprintf(e->name, sizeof e->name, "%.255s", name);
	snprintf(e->started, sizeof e->started, "%s", result->started_utc);
	snprintf(e->version, sizeof e->version, "%s", result->tool_version);
	snprintf(e->input, sizeof e->input, "%.127s", vrs_path_base(result->input));
	snprintf(e->state, sizeof e->state, "%s", state_of(result));
	vrs_dataset_cpu(result, e->cpu, sizeof e->cpu, &cpus);
	if (base)
		vrs_estimate_text(&base->fps, 1, e->fps, sizeof e->fps);
	for (int i = 0; i < result->case_count && status == VRS_OK; i++)
		if (vrs_case_result_ok_runs(&result->cases[i]) > 0) {
			status = add_case(o, &result->cases[i]);
			e->cases++;
		}
	return status;
}

static void result_table(const struct vrs_overview *o, struct vrs_findings *findings)
{
	static const char *const heads[] = {"result", "measured", "version", "CPU", "input", "cases", "default FPS", "targets missed", "state"};
	struct vrs_table *t =
		vrs_findings_start_table(findings, "results", "Results", heads, sizeof heads / sizeof *heads, ~(1u << 5 | 1u << 6 | 1u << 7));
	for (int i = 0; i < o->entry_count; i++) {
		const struct entry *e = &o->entries[i];
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", e->name);
		vrs_table_set(t, 1, "%s", e->started);
		vrs_table_set(t, 2, "%s", e->version);
		vrs_table_set(t, 3, "%s", e->cpu);
		vrs_table_set(t, 4, "%s", e->input);
		vrs_table_set(t, 5, "%d", e->cases);
		vrs_table_set(t, 6, "%s", e->fps);
		vrs_table_set(t, 7, "%d", e->missed);
		vrs_table_set(t, 8, "%s", e->state);
	}
}

static int by_case(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int order = strcmp(a->id, b->id);
	return order ? order : (a->result > b->result) - (a->result < b->result);
}

static void case_table(const struct vrs_overview *o, const struct row *rows, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "result", "FPS", "latency (ms)", "CPU (ms/frame)", "peak memory (MiB)", "IoU with truth"};
	char text[96];
	struct vrs_table *t = vrs_findings_start_table(findings, "cases", "Cases over results", heads, sizeof heads / sizeof *heads, 1u | 1u << 1);
	snprintf(t->caption, sizeof t->caption, "Figures of results that were measured apart are no comparison: vranalyze compare says what may "
			 "be said of two, vrbench --versus measures two sides together.");
	for (int i = 0; i < o->row_count; i++) {
		const struct row *r = &rows[i];
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", r->id);
		vrs_table_set(t, 1, "%s", o->entries[r->result].name);
		vrs_table_set(t, 2, "%s", vrs_estimate_text(&r->fps, 1, text, sizeof text));
		vrs_table_set(t, 3, "%s", vrs_short_number(r->latency_ms, text, sizeof text));
		vrs_table_set(t, 4, "%s", vrs_short_number(r->cpu_ms, text, sizeof text));
		vrs_table_set(t, 5, "%s", vrs_short_number(r->memory_mib, text, sizeof text));
		vrs_table_set_number(t, 6, "%.4f", r->iou);
	}
}

enum vrs_status vrs_overview_report(const struct vrs_overview *o, struct vrs_findings *findings, struct vrs_error *err)
{
	struct row *sorted = vrs_calloc((size_t)o->row_count + 1, sizeof *sorted);
	if (!sorted)
		return vrs_fail_nomem(err);
	if (o->row_count > 0)
		memcpy(sorted, o->rows, (size_t)o->row_count * sizeof *sorted);
	qsort(sorted, (size_t)o->row_count, sizeof *sorted, by_case);
	snprintf(findings->title, sizeof findings->title, "%d results of vrbench", o->entry_count);
	result_table(o, findings);
	case_table(o, sorted, findings);
	vrs_free(sorted);
	enum vrs_status status = vrs_findings_finish(findings);
	return status != VRS_OK ? vrs_fail(err, status, "cannot list the results: %s", vrs_status_str(status)) : VRS_OK;
}
