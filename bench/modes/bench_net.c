/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --net-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/operator_tables.h"
#include "bench/modes/bench_program.h"
#include "bench/run/net_only.h"
#include "reports/report.h"

static enum vrs_status write_net_json(const struct vrs_net_only_result *result, const struct vrs_net_profile *profile, const char *path,
				      FILE *standard, struct vrs_error *err)
{
	FILE *out = strcmp(path, "-") == 0 ? standard : fopen(path, "we");
	if (!out)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path, strerror(errno));
	enum vrs_status status = vrs_net_only_json(result, profile, out);
	if (out != standard && fclose(out) != 0)
		status = VRS_EIO;
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot write %s: %s", path, vrs_status_str(status));
}

static enum vrs_status print_operators(const struct vrs_net_profile *profile, FILE *out)
{
	struct vrs_findings *findings = vrs_findings_create();
	if (!findings)
		return VRS_ENOMEM;
	snprintf(findings->title, sizeof findings->title, "The network alone: %s", profile->model);
	vrs_operator_table(profile, findings);
	enum vrs_status status = vrs_findings_finish(findings);
	if (status == VRS_OK)
		status = vrs_report_print(findings, out);
	vrs_findings_destroy(findings);
	return status;
}

enum vrs_status vrs_bench_mode_net_only(struct vrs_bench_program *program, struct vrs_error *err)
{
	const struct vrs_bench_args *args = &program->args;
	struct vrs_net_only_options options = vrs_net_only_options_from(vrs_config_settings(program->config));
	struct vrs_net_only_result result;
	struct vrs_net_profile profile;
	options.duration_seconds = args->duration > 0 ? args->duration : 5;
	options.session.profile = args->profile_ops;
	enum vrs_status status = vrs_net_only_run(&options, &result, &profile, err);
	if (status == VRS_OK && args->profile_ops)
		status = print_operators(&profile, program->out);
	if (status == VRS_OK && args->json)
		status = write_net_json(&result, args->profile_ops ? &profile : NULL, args->json, program->out, err);
	else if (status == VRS_OK)
		vrs_net_only_print(&result, program->out);
	vrs_net_profile_fini(&profile);
	return status;
}
