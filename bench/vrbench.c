/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrbench: parse, dispatch, exit code. */
#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/log.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/net_only.h"

static const struct vrs_cli_action actions[] = {
	{"net-only", 0, NULL, "Time the network alone, from input tensor to float output", false, "Network alone"},
	{"profile-ops", 0, NULL, "With --net-only: print the time of every operator", false, "Network alone"},
	{"json", 0, "FILE", "With --net-only: write the figures as one JSON line to FILE, - for standard output", false, "Network alone"},
	{"duration", 0, "TIME", "Measured part of each run (30, 90s, 2m)", false, "Measurement"},
	{NULL, 0, NULL, NULL, false, NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vrbench",
	.program_bit = VRS_PROGRAM_VRBENCH,
	.usage = "vrbench --net-only [--model MODEL] [--threads N] [--duration TIME] [--json FILE]",
	.intro = "Measures how fast and how well this machine segments VR video.",
	.actions = actions,
	.examples = "  vrbench --net-only --model selfie_segmentation --threads 2 --duration 2 --json -\n",
	.min_operands = 0,
	.max_operands = 1,
};

struct arguments {
	bool net_only, profile_ops;
	const char *json;
	double duration; /* seconds; 0: the mode's default */
};

static enum vrs_status on_action(void *cookie, const char *flag, const char *value, struct vrs_error *err)
{
	struct arguments *args = cookie;
	if (strcmp(flag, "help") == 0 || strcmp(flag, "version") == 0 || strcmp(flag, "list-options") == 0) {
		if (flag[0] == 'h')
			vrs_cli_help(&spec, stdout);
		else if (flag[0] == 'v')
			vrs_cli_version(&spec, stdout);
		else
			vrs_cli_list_options(stdout);
		return VRS_END;
	}
	if (strcmp(flag, "net-only") == 0)
		args->net_only = true;
	else if (strcmp(flag, "profile-ops") == 0)
		args->profile_ops = true;
	else if (strcmp(flag, "json") == 0)
		args->json = value;
	else if (strcmp(flag, "duration") == 0 && (!vrs_parse_duration(value, &args->duration) || args->duration <= 0))
		return vrs_fail(err, VRS_ECONFIG, "--duration wants a time above 0 such as 30, 90s or 2m, not \"%s\"", value);
	return VRS_OK;
}

static enum vrs_status write_net_json(const struct vrs_net_only_result *result, const char *path, struct vrs_error *err)
{
	FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
	if (!out)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %m", path);
	enum vrs_status status = vrs_net_only_json(result, out);
	if (out != stdout && fclose(out) != 0)
		status = VRS_EIO;
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot write %s: %s", path, vrs_status_str(status));
}

static enum vrs_status net_only(const struct arguments *args, const struct vrs_config *config, struct vrs_error *err)
{
	const struct vrs_settings *settings = vrs_config_settings(config);
	struct vrs_net_only_options options = {.model = settings->engine.model, .session = vrs_session_options_default(), .seed = 1};
	struct vrs_net_only_result result;
	options.duration_seconds = args->duration > 0 ? args->duration : 5;
	options.session.backend = settings->engine.backend;
	options.session.precision = (enum vrs_precision)settings->engine.precision;
	options.session.threads = settings->engine.threads;
	options.session.batch = settings->engine.batch_size ? settings->engine.batch_size : 1;
	options.session.input_width = settings->engine.input_size[0];
	options.session.input_height = settings->engine.input_size[1];
	options.session.fusion = settings->engine.fusion;
	options.session.deterministic = settings->engine.deterministic;
	options.session.profile = args->profile_ops;
	enum vrs_status status = vrs_net_only_run(&options, &result, stdout, err);
	if (status != VRS_OK)
		return status;
	if (args->json)
		return write_net_json(&result, args->json, err);
	vrs_net_only_print(&result, stdout);
	return VRS_OK;
}

static enum vrs_status run(const struct arguments *args, const struct vrs_config *config, struct vrs_error *err)
{
	if (args->net_only)
		return net_only(args, config, err);
	return vrs_fail(err, VRS_ECONFIG, "say what to measure: --net-only (--help shows all)");
}

int main(int argc, char **argv)
{
	struct vrs_error err = {.status = VRS_OK};
	struct arguments args = {.net_only = false};
	struct vrs_config *config = NULL;
	const char **operands = NULL;
	int operand_count = 0;
	vrs_stop_install();
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_cli_parse(config, &spec, argc, argv, on_action, &args, &operands, &operand_count, &err);
	if (status == VRS_OK)
		status = run(&args, config, &err);
	vrs_free(operands);
	vrs_config_destroy(config);
	if (status == VRS_OK || status == VRS_END)
		return 0;
	char text[1024];
	if (err.status == VRS_OK)
		(void)vrs_fail(&err, status, "%s", vrs_status_str(status));
	fprintf(stderr, "vrbench: %s\n", vrs_error_str(&err, text, sizeof text));
	return vrs_exit_code(status);
}
