/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets from strangers, and behind a byte 0 the configuration that a result says it was measured with: no input harms, a refusal is a
 * sentence with the line, and what is accepted is judged: a row for each target, with the number of the file and a status that its value has.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "analyzer/figures/case_summary.h"
#include "analyzer/targets.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "libfyaml_leak.h"
#include "quiet.h"
#include "require.h"
#include "scratch.h"

#define OWN_ROWS 2 /* target.fps, target.max_latency_ms */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_case(struct vrs_result *result, int width, int height, double live_hz, double fps)
{
	struct vrs_case_result *c = vrs_result_add_case(result);

	require(c != NULL);
	(void)snprintf(c->id, sizeof c->id, "r=%dx%d/b=1", width, height);
	c->width = width;
	c->height = height;
	c->batch = 1;
	c->streams = c->threads = 1;
	c->live_hz = live_hz;
	c->layout = VRS_STEREO_SBS;
	for (int r = 1; r <= 8; r++) {
		struct vrs_run *run = vrs_case_result_add_run(c);

		require(run != NULL);
		run->status = VRS_RUN_OK;
		run->round = r;
		run->frames = 100;
		run->warmup_settled = true;
		run->fps = fps * (r % 2 ? 1.01 : 0.99);
		run->wall_seconds = 100 / run->fps;
		run->cpu_seconds = 1.5 * run->wall_seconds;
		run->peak_rss_bytes = (int64_t)200 << 20;
		run->latency_p99_ms = 20;
	}
	require(vrs_case_result_summarize(c, NULL) == VRS_OK);
}

static struct vrs_result *make_result(const char *config)
{
	struct vrs_result *result;

	require(vrs_result_create(&result) == VRS_OK);
	add_case(result, 3840, 1920, 0, 20);
	add_case(result, 1920, 1080, 0, 60);
	add_case(result, 3840, 1920, 72, 72);
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	(void)vrs_strcpy(result->machine_json, sizeof result->machine_json,
			 "{\"cpu\":{\"model\":\"X\",\"allowed_threads\":2},\"memory\":{\"total_bytes\":1073741824}}");
	(void)vrs_strcpy(result->base_config, sizeof result->base_config, config); /* as much of it as fits */
	return result;
}

static void check_row(const struct vrs_table *table, int row)
{
	static const char *const states[] = {"pass", "fail", "invalid", "not known", "not judged"};
	char *const *cells = table->cells + row * table->columns;
	bool known = false;

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		known = known || strcmp(cells[3], states[i]) == 0;
	require(known && strstr(cells[2], "nan") == NULL && strstr(cells[2], "inf") == NULL);
	require((strcmp(cells[3], "not known") != 0 && strcmp(cells[3], "not judged") != 0) ? cells[2][0] != '\0' : cells[4][0] != '\0');
}

/* Rows of the file come last, in its order. */
static void check_table(const struct vrs_table *table, const char *path, int failed, int invalid)
{
	struct vrs_yaml yaml;
	char goal[64];
	double number;

	require(vrs_yaml_read(&yaml, path, NULL) == VRS_OK);
	int rows = table != NULL ? table->rows : 0, own = rows - yaml.count;

	require(own >= 0 && own <= OWN_ROWS && failed >= 0 && invalid >= 0);
	require(failed + invalid <= (rows > 0 ? rows : 1)); /* where nothing can be judged, that is invalid */
	for (int i = 0; i < rows; i++)
		check_row(table, i);
	for (int i = 0; i < yaml.count; i++) {
		char *const *cells = table->cells + (own + i) * table->columns;

		require(strcmp(cells[0], yaml.entries[i].key) == 0 && vrs_parse_double(yaml.entries[i].value, 0, 1e9, &number));
		(void)snprintf(goal, sizeof goal, " %g ", number);
		require(strstr(cells[1], goal) != NULL);
	}
	vrs_yaml_fini(&yaml);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char config[sizeof ((struct vrs_result *)0)->base_config];
	uint64_t live = vrs_mem_stats().live_bytes;
	const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
	size_t length = zero != NULL ? (size_t)(zero - data) : size, rest = zero != NULL ? size - length - 1 : 0;
	struct vrs_findings *findings = vrs_findings_create();
	struct vrs_error err = {0};
	int failed = 0, invalid = 0;
	char path[256];

	be_silent();
	require(findings != NULL);
	(void)snprintf(config, sizeof config, "%.*s", (int)rest, zero != NULL ? (const char *)zero + 1 : "");
	scratch_write(scratch_path(path, sizeof path, "targets.yaml"), data, length);
	struct vrs_result *result = make_result(config);

	if (vrs_target_table(result, path, findings, &failed, &invalid, &err) == VRS_OK)
		check_table(findings->table_count > 0 ? &findings->tables[0] : NULL, path, failed, invalid);
	else
		require((err.status == VRS_EFORMAT || err.status == VRS_ECONFIG || err.status == VRS_ELIMIT) && err.text[0] != '\0');
	vrs_findings_destroy(findings);
	vrs_result_destroy(result);
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
