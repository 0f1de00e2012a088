/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What vranalyze makes of results folders from strangers: a line "@PATH" begins a file, and a/results.json and b/results.json are the
 * results.  No input harms; of each that can be read there is a whole report, in every format, without a figure that is no number and without
 * control characters; the two are compared, and what vrseg and scripts read of that is one line.
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/checklist.h"
#include "analyzer/compare.h"
#include "analyzer/dataset.h"
#include "analyzer/overview.h"
#include "analyzer/run_graphs.h"
#include "analyzer/summary.h"
#include "analyzer/summary_parts.h"
#include "analyzer/targets.h"
#include "base/mem.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"
#include "libfyaml_leak.h"
#include "quiet.h"
#include "report_text.h"
#include "reports/report.h"
#include "scratch_tree.h"

#define MAX_REPORT (8u << 20)
#define TARGETS VRS_TEST_DIR "/../configs/targets/default.yaml"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Does a text hold "nan" or "inf" as a word? */
static bool holds_no_number(const char *text)
{
	for (const char *p = text; *p != '\0'; p++) {
		bool begins = p == text || !isalnum((unsigned char)p[-1]);

		if (begins && (strncasecmp(p, "nan", 3) == 0 || strncasecmp(p, "inf", 3) == 0) && !isalnum((unsigned char)p[3]))
			return true;
	}
	return false;
}

/* The results hold no such word themselves, nor could they by what JSON has for letters. */
static bool numbers_count;

static void check_table(const struct vrs_table *table)
{
	require(table->columns >= 1 && table->columns <= VRS_FINDINGS_MAX_COLUMNS && table->rows >= 1);
	for (int i = 0; i < table->rows * table->columns; i++)
		require(!table->numeric[i % table->columns] || !numbers_count || !holds_no_number(table->cells[i]));
}

static void check_graph(const struct vrs_graph_data *graph)
{
	require(graph->series_count >= 1);
	for (int i = 0; i < graph->series_count; i++) {
		const struct vrs_series *s = &graph->series[i];

		for (int k = 0; k < s->points; k++)
			require(!isinf(s->x[k]) && !isinf(s->y[k]));
	}
}

static void check_report(const struct vrs_findings *findings, const char *format)
{
	struct vrs_buf report;

	vrs_buf_init(&report, MAX_REPORT);
	require(vrs_report_find(format)->write(findings, NULL, &report, NULL) == VRS_OK);
	require_readable(vrs_buf_str(&report), format);
	require(!numbers_count || !holds_no_number(vrs_buf_str(&report)));
	vrs_buf_fini(&report);
}

/* Finish findings, look at them, and destroy them. */
static void check_findings(struct vrs_findings *findings)
{
	static const char *const formats[] = {"text", "markdown", "json", "html", "csv"};

	require(vrs_findings_finish(findings) == VRS_OK);
	for (int i = 0; i < findings->table_count; i++)
		check_table(&findings->tables[i]);
	for (int i = 0; i < findings->graph_count; i++)
		check_graph(&findings->graphs[i]);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		check_report(findings, formats[i]);
	vrs_findings_destroy(findings);
}

static void check_line(const struct vrs_comparison *comparison)
{
	char line[VRS_VERDICT_LINE_MAX];

	vrs_verdict_line(comparison, line, sizeof line);
	require(strpbrk(line, "\n\r") == NULL && (!numbers_count || !holds_no_number(line)));
}

static void explain(const struct vrs_result *result, const char *folder)
{
	struct vrs_findings *findings = vrs_findings_create();
	struct vrs_soak soak;

	require(findings != NULL && vrs_summarize(result, findings, NULL) == VRS_OK);
	(void)vrs_soak_values(result, folder, &soak, findings);
	vrs_slow_table(result, folder, findings);
	vrs_environment_table(result, findings);
	require(vrs_run_graphs(result, folder, findings) == VRS_OK);
	check_findings(findings);
	for (int i = 0; i < result->comparison_count; i++)
		check_line(&result->comparisons[i]);
	if (result->comparison_count == 0)
		return;
	findings = vrs_findings_create();
	require(findings != NULL && vrs_summarize_comparison(result, findings, NULL) == VRS_OK);
	check_findings(findings);
}

/* Against the targets of the installation, and the points of production. */
static void judge(const struct vrs_result *result)
{
	static struct vrs_checklist points;
	struct vrs_findings *findings = vrs_findings_create();
	int failed = 0, invalid = 0;

	require(findings != NULL && vrs_target_table(result, TARGETS, findings, &failed, &invalid, NULL) == VRS_OK && failed >= 0 && invalid >= 0);
	vrs_checklist_init(&points, TARGETS, 3600);
	require(vrs_checklist_add(&points, result, "a", NULL) == VRS_OK);
	vrs_checklist_findings(&points, "results", findings);
	check_findings(findings);
}

static void compare(const struct vrs_result *a, const struct vrs_result *b)
{
	const struct vrs_compare_side sides[] = {{a, "a", 'A'}, {b, "b", 'B'}};
	const struct vrs_compare_options options = {.now = 1700000000, .explain = true};
	struct vrs_findings *findings = vrs_findings_create();
	struct vrs_compare_outcome outcome;
	char text[1024];

	require(findings != NULL && vrs_compare_results(&sides[0], &sides[1], &options, findings, &outcome, NULL) == VRS_OK);
	require(outcome.exit_code >= 0 && outcome.exit_code < 128 && (a != b || outcome.same));
	vrs_compare_words(&outcome, text, sizeof text);
	vrs_compare_sentence(&outcome, text, sizeof text);
	require(text[0] != '\0');
	vrs_compare_line(&outcome, text, VRS_VERDICT_LINE_MAX);
	require(text[0] != '\0' && strpbrk(text, "\n\r") == NULL && (!numbers_count || !holds_no_number(text)));
	check_findings(findings);
}

static void list(struct vrs_result *const results[2])
{
	struct vrs_overview *overview = vrs_overview_create();
	struct vrs_findings *findings = vrs_findings_create();

	require(overview != NULL && findings != NULL);
	for (int i = 0; i < 2; i++)
		require(results[i] == NULL || vrs_overview_add(overview, results[i], i == 0 ? "a" : "b", 0) == VRS_OK);
	require(vrs_overview_report(overview, findings, NULL) == VRS_OK);
	check_findings(findings);
	vrs_overview_destroy(overview);
}

static bool may_count(const uint8_t *data, size_t size)
{
	bool counts = memmem(data, size, "\\u", 2) == NULL;

	for (size_t i = 0; i + 3 <= size; i++) {
		const char *p = (const char *)data + i;
		bool inference = size - i >= 9 && memcmp(p, "inference", 9) == 0; /* a stage's name */

		counts = counts && (inference || (strncasecmp(p, "nan", 3) != 0 && strncasecmp(p, "inf", 3) != 0));
	}
	return counts;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_result *results[2] = {NULL, NULL};
	char path[256], folder[VRS_PATH_MAX];

	be_silent();
	numbers_count = may_count(data, size);
	require(setenv("XDG_STATE_HOME", scratch_path(path, sizeof path, SCRATCH_ROOT "/state"), 1) == 0); /* with the noise of this machine */
	scratch_tree_begin();
	scratch_put_files(NULL, (const char *)data, size);
	for (int i = 0; i < 2; i++) {
		struct vrs_error err = {0};

		scratch_path(path, sizeof path, i == 0 ? SCRATCH_ROOT "/a" : SCRATCH_ROOT "/b");
		if (vrs_dataset_load(&results[i], path, folder, sizeof folder, &err) != VRS_OK) {
			require(err.text[0] != '\0');
			continue;
		}
		explain(results[i], folder);
		judge(results[i]);
	}
	if (results[0] != NULL)
		compare(results[0], results[1] != NULL ? results[1] : results[0]);
	if (results[0] != NULL || results[1] != NULL)
		list(results);
	vrs_result_destroy(results[0]);
	vrs_result_destroy(results[1]);
	require(vrs_mem_stats().live_bytes == live);
	scratch_tree_check();
	return 0;
}
