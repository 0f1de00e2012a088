/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the windows of a long run say, also of one that broke off. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bench/judge/soak.h"
#include "bench/run/runner_state.h"

enum vrs_status vrs_runner_soak_file(const struct vrs_runner *runner, const char *id, int round, char path[VRS_PATH_MAX])
{
	char base[72], name[100];
	vrs_case_file_name(id, base, sizeof base);
	snprintf(name, sizeof name, "%s-%04d.soak.jsonl", base, round);
	return vrs_runner_folder_file(runner, "frames", name, path);
}

enum vrs_status vrs_runner_soak_judge(const struct vrs_runner *runner, const char *path, struct vrs_case_result *c, struct vrs_error *err)
{
	struct vrs_soak_window *windows;
	struct vrs_soak soak;
	int count;
	enum vrs_status status = vrs_soak_windows_read(path, &windows, &count, err);
	if (status != VRS_OK)
		return status;
	status = vrs_soak_judge(windows, count, &soak);
	vrs_free(windows);
	if (status != VRS_OK)
		return vrs_fail(err, status, "%s cannot be judged: %s", path, vrs_status_str(status));
	c->soak_seconds = soak.seconds;
	c->soak_windows = soak.windows;
	c->soak_drift_percent = soak.drift_percent;
	if (soak.memory.blocks) {
		c->soak_rss_slope = soak.memory.slope;
		c->soak_rss_slope_low = soak.memory.low;
		c->soak_rss_slope_high = soak.memory.high;
	}
	c->soak_verdict = soak.verdict;
	snprintf(c->soak_note, sizeof c->soak_note, "%s", soak.reasons);
	snprintf(c->soak_file, sizeof c->soak_file, "%.127s", path + strlen(runner->folder) + 1);
	return VRS_OK;
}

enum vrs_status vrs_runner_soak_recover(struct vrs_runner *runner, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	struct vrs_case_result *c = runner->result->case_count ? &runner->result->cases[0] : NULL;
	if (c && c->run_count > 0)
		return vrs_fail(err, VRS_ECONFIG, "the soak in %s is over, and a stopped soak cannot continue. vranalyze %s shows it; --soak TIME --output-dir "
		"%s --overwrite starts anew", runner->folder, runner->folder, runner->folder);
	enum vrs_status status = c ? vrs_runner_soak_file(runner, c->id, 1, path) : VRS_ENOTFOUND;
	if (status == VRS_OK)
		status = vrs_runner_soak_judge(runner, path, c, err);
	if (status == VRS_OK && c->soak_windows == 0)
		status = VRS_ENOTFOUND;
	return status == VRS_ENOTFOUND ? vrs_fail(err, status, "the soak in %s ended before its first window, so there is nothing to show: start anew "
				"with --overwrite", runner->folder)
				       : status;
}
