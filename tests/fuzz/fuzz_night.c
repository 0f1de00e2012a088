/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of the history of vrbench nightly as anybody may have changed it: a night and a decision are read or refused with a sentence; what was read
 * is printed as one line and read back the same.
 */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "bench/record/night_record.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_night(const char *text, size_t size)
{
	struct vrs_arena arena = {0};
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_night_record night, again;
	char *line = NULL;
	if (vrs_night_record_parse(text, size, "fuzz.jsonl:1", &arena, &night, &err) != VRS_OK) {
		require(err.text[0] != 0);
		vrs_arena_free(&arena);
		return;
	}
	require(vrs_night_record_print(&night, &line, &err) == VRS_OK && !strchr(line, '\n'));
	require(vrs_night_record_parse(line, strlen(line), "again.jsonl:1", &arena, &again, &err) == VRS_OK);
	require(again.number == night.number && again.outcome == night.outcome && again.case_count == night.case_count);
	for (int i = 0; i < night.case_count; i++) {
		require(strcmp(again.cases[i].id, night.cases[i].id) == 0 && again.cases[i].metric_count == night.cases[i].metric_count);
		for (int m = 0; m < night.cases[i].metric_count; m++)
			require(strcmp(again.cases[i].metrics[m].metric, night.cases[i].metrics[m].metric) == 0);
	}
	vrs_json_free_text(line);
	vrs_arena_free(&arena);
}

static void check_decision(const char *text, size_t size)
{
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_decision decision, again;
	char *line = NULL;
	if (vrs_decision_parse(text, size, "fuzz.jsonl:1", &decision, &err) != VRS_OK) {
		require(err.text[0] != 0);
		return;
	}
	require(vrs_decision_print(&decision, &line, &err) == VRS_OK && !strchr(line, '\n'));
	require(vrs_decision_parse(line, strlen(line), "again.jsonl:1", &again, &err) == VRS_OK);
	require(again.kind == decision.kind && again.night == decision.night && strcmp(again.reason, decision.reason) == 0);
	vrs_json_free_text(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_night((const char *)data, size);
	check_decision((const char *)data, size);
	return 0;
}
