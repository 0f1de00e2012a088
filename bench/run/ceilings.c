/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/ceilings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "bench/record/record_fields.h"
#include "bench/run/runner_state.h"

enum { ENVIRONMENT_MAX = 1 << 20 };

/* Those of env.json, when the folder has it from an earlier part of this measurement. */
static bool read_stored(const char *path, struct vrs_result_ceilings *ret)
{
	struct vrs_result_ceilings stored;
	cJSON *json;
	vrs_result_ceilings_init(&stored);
	if (vrs_json_read_file(path, ENVIRONMENT_MAX, &json, NULL) != VRS_OK)
		return false;
	bool known = vrs_result_ceilings_read(json, &stored, path, NULL) == VRS_OK && stored.triad_gbps > 0 && stored.fma_gflops_1 > 0;
	cJSON_Delete(json);
	if (known)
		*ret = stored;
	return known;
}

static enum vrs_status ask_child(struct vrs_runner *runner, struct vrs_result_ceilings *ret, struct vrs_error *err)
{
	struct vrs_run_request request = {.probe = true, .ceilings = true, .rules = runner->plan.rules};
	struct vrs_run_reply reply;
	enum vrs_status status = vrs_run_process(runner, &request, runner->base, &reply, err);
	if (status != VRS_OK)
		return status;
	vrs_result_ceilings_init(ret);
	if (reply.status == VRS_OK && reply.ceilings.triad_gbps > 0 && reply.ceilings.fma_gflops_1 > 0)
		*ret = reply.ceilings;
	else
		vrs_strcpy(ret->reason, sizeof ret->reason, reply.run.reason[0] ? reply.run.reason : "the program that measures gave no figures");
	return VRS_OK;
}

enum vrs_status vrs_ceilings_measure(struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_result_ceilings *ceilings = &runner->result->ceilings;
	char path[VRS_PATH_MAX];
	if (ceilings->triad_gbps > 0 || ceilings->reason[0])
		return VRS_OK;
	enum vrs_status status = vrs_path_join(path, sizeof path, runner->folder, "env.json");
	if (status != VRS_OK || read_stored(path, ceilings))
		return status;
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, "measuring what this machine can do at best", NULL, NULL, 0);
	status = ask_child(runner, ceilings, err);
	return status == VRS_OK ? vrs_runner_write_environment(runner, err) : status;
}

static void number(double value, double scale, int digits, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.*f", digits, scale * value);
}

static void print_row(const struct vrs_case_result *c, int id_width, FILE *out)
{
	static const struct {
		size_t offset;
		double scale;
		int digits;
	} columns[] = {
		{offsetof(struct vrs_run, net_gflop_per_frame), 1, 3}, {offsetof(struct vrs_run, net_gflops), 1, 1},
		{offsetof(struct vrs_run, net_peak_share), 100, 1},    {offsetof(struct vrs_run, moved_bytes_per_frame), 1e-6, 1},
		{offsetof(struct vrs_run, moved_gbps), 1, 2},          {offsetof(struct vrs_run, memory_share), 100, 1},
	};
	fprintf(out, "%-*s", id_width, c->id);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		char text[24];
		number(vrs_case_result_median(c, columns[i].offset), columns[i].scale, columns[i].digits, text, sizeof text);
		fprintf(out, " %12s", text);
	}
	fputc('\n', out);
}

static bool has_rates(const struct vrs_case_result *c)
{
	return !c->skipped[0] && (isfinite(vrs_case_result_median(c, offsetof(struct vrs_run, net_gflops))) ||
				  isfinite(vrs_case_result_median(c, offsetof(struct vrs_run, moved_gbps))));
}

void vrs_ceilings_print(const struct vrs_result *result, int id_width, FILE *out)
{
	char words[192];
	bool any = false;
	vrs_result_ceilings_words(&result->ceilings, words, sizeof words);
	for (int i = 0; i < result->case_count; i++) {
		if (!has_rates(&result->cases[i]))
			continue;
		if (!any)
			fprintf(out,
				"\nWhat the network computes and our stages (preprocess, compose) move, by plan, while they work; no hardware counters\n"
				"%s%s\n%-*s %12s %12s %12s %12s %12s %12s\n",
				words[0] ? "measured before the runs: " : "the machine was not measured: ", words[0] ? words : result->ceilings.reason,
				id_width, "cell", "GFLOP/frame", "GFLOP/s", "% of peak", "MB/frame", "GB/s", "% of memory");
		any = true;
		print_row(&result->cases[i], id_width, out);
	}
}
