/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vrtune --pick over a results.json from a stranger: no input harms, a refusal is a sentence, and what is picked is a case of the result; its
 * report is whole, its line for scripts holds no NaN, and a configuration that is written of it loads and sets nothing that no measurement sets.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/verdict_line.h"
#include "bench/record/result.h"
#include "libfyaml_leak.h"
#include "quiet.h"
#include "reports/report.h"
#include "require.h"
#include "scratch.h"
#include "tuner/pick.h"
#include "tuner/search.h"
#include "tuner/tune_findings.h"
#include "tuner/tune_yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct vrs_search_result *picked, const struct vrs_objective *objective)
{
	struct vrs_findings *findings = vrs_findings_create();
	struct vrs_buf report;
	char line[VRS_VERDICT_LINE_MAX];

	require(findings != NULL);
	vrs_tune_pick_findings(picked, findings);
	vrs_tune_limits(picked, objective, findings);
	if (!picked->feasible)
		vrs_tune_infeasible(picked, findings);
	require(vrs_findings_finish(findings) == VRS_OK);
	vrs_buf_init(&report, 8 << 20);
	require(vrs_report_find("text")->write(findings, NULL, &report, NULL) == VRS_OK);
	vrs_tune_target_line(picked, objective->min_fps, line, sizeof line);
	require(strstr(line, "nan") == NULL && strstr(line, "inf") == NULL);
	vrs_buf_fini(&report);
	vrs_findings_destroy(findings);
}

static void save(const struct vrs_result *result, const struct vrs_search_result *picked, const struct vrs_objective *objective)
{
	static struct vrs_machine machine;
	struct vrs_config *base = NULL, *again = NULL;
	struct vrs_error err = {0};
	char path[256];
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);

	require(vrs_config_create(&base) == VRS_OK && vrs_config_create(&again) == VRS_OK);
	scratch_path(path, sizeof path, "picked.yaml");
	if (vrs_tune_yaml_write(picked, objective, base, &machine, result->input, path, &err) != VRS_OK) {
		require(err.status == VRS_ECONFIG && err.text[0] != '\0');
	} else {
		require(vrs_config_load_file(again, path, VRS_SOURCE_FILE, &err) == VRS_OK);
		for (int i = 0; i < rows; i++)
			require(vrs_config_source(again, table[i].key) != VRS_SOURCE_FILE || vrs_option_is_recorded(&table[i]));
	}
	vrs_config_destroy(base);
	vrs_config_destroy(again);
}

static void pick(const struct vrs_result *result, enum vrs_pick_rule rule)
{
	const struct vrs_objective objective = vrs_search_options_default(false).objective;
	struct vrs_search_result picked = {.feasible = false};
	struct vrs_error err = {0};
	bool known = false;

	if (vrs_pick(result, rule, &objective, &picked, &err) == VRS_OK) {
		for (int i = 0; i < result->case_count; i++)
			known = known || strcmp(result->cases[i].id, picked.best_id) == 0;
		require(known && picked.sentence[0] != '\0');
		show(&picked, &objective);
		if (picked.feasible)
			save(result, &picked, &objective);
	} else {
		require(err.text[0] != '\0');
	}
	vrs_search_result_fini(&picked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_result *result = NULL;

	be_silent();
	if (vrs_result_parse(&result, (const char *)data, size, "fuzz.json", NULL) != VRS_OK)
		return 0;
	for (int rule = VRS_PICK_FASTEST; rule <= VRS_PICK_KNEE; rule++)
		pick(result, (enum vrs_pick_rule)rule);
	vrs_result_destroy(result);
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
