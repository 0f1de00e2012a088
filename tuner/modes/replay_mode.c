/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/dataset.h"
#include "reports/report.h"
#include "tuner/modes/tune_program.h"
#include "tuner/search_replay.h"

#define REPLAY_SEARCHES 200

enum vrs_status vrs_tune_replay(const struct vrs_tune_program *program, struct vrs_error *err)
{
	const struct vrs_tune_args *args = &program->args;
	struct vrs_replay_score scores[VRS_STRATEGIES_MAX + 1];
	struct vrs_search_options options = vrs_tune_search_options(args);
	const struct vrs_strategy *named = options.strategy;
	struct vrs_recorded_sweep *sweep = NULL;
	struct vrs_result *result = NULL;
	char folder[VRS_PATH_MAX];
	int count = 0;
	options.objective.min_fps = vrs_config_settings(program->config)->target.fps;
	options.objective.memory_limit_bytes = (int64_t)args->memory_limit;
	enum vrs_status status = vrs_dataset_load(&result, args->replay, folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_recorded_sweep_open(&sweep, result, err);
	/* What auto takes (NULL) is what most users have: it is the last row of all. */
	for (int i = 0, last = 0; status == VRS_OK && !last; i++) {
		last = vrs_strategies()[i] == NULL;
		if (named && named != vrs_strategies()[i])
			continue;
		options.strategy = vrs_strategies()[i];
		status = vrs_replay(sweep, &options, args->searches ? (int)args->searches : REPLAY_SEARCHES, args->replay_noise, &scores[count++], err);
	}
	if (status == VRS_OK) {
		struct vrs_findings *findings = vrs_findings_create();
		if (findings)
			vrs_replay_findings(sweep, &options.objective, scores, count, findings);
		status = vrs_report_show(findings, program->results, err);
	}
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(result);
	return status;
}
