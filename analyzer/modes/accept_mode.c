/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze accept and annotate: what a person decides about a history. */
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "analyzer/modes/analyze_program.h"
#include "analyzer/night_tables.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "bench/record/night_history.h"

struct arguments {
	const char *history, *reason;
	int64_t night;           /* 0: the last one */
};

static const struct arguments defaults = {.night = 0};

#define NIGHT_FLAG(verb) \
	{.flag = "night", VRS_INT_FIELD(struct arguments, night), .min = 1, .max = 1e9, .value_name = "N", .group = "History", \
	 .help = verb " the night of this number instead of the last one"}
#define REASON_FLAG(text) \
	{.flag = "reason", VRS_TEXT_FIELD(struct arguments, reason), .brief = "why, in one sentence", .value_name = "TEXT", .group = "History", .help = text}

static const struct vrs_cli_action accept_actions[] = {
	VRS_HISTORY_FLAG(struct arguments), REASON_FLAG("Say why this build becomes the baseline; reports show it"), NIGHT_FLAG("Accept"), {.flag = NULL},
};

static const struct vrs_cli_action annotate_actions[] = {
	VRS_HISTORY_FLAG(struct arguments), REASON_FLAG("Say what changed in this night; reports show it"), NIGHT_FLAG("Annotate"), {.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{NULL, VRS_NEEDS, "--history", "--history DIR is missing: the folder that vrbench nightly keeps its history in"},
	{NULL, VRS_NEEDS, "--reason", "--reason TEXT is missing: who reads the history later wants to know why"},
	{.others = NULL},
};

static const struct vrs_cli_spec accept_spec = {
	.program = "vranalyze accept",
	.summary = "make a build the baseline of a history",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze accept --history DIR --reason TEXT [--night N]",
	.intro = "Make the build of the last night (or of night N) the accepted baseline: later nights are compared with it, and its vrbench has to be "
		 "given with --baseline. Changes before it alarm no more. A baseline changes in no other way.",
	.actions = accept_actions,
	.rules = rules,
	.examples = "  vranalyze accept --history nights --reason \"better mattes, 3 % slower\"\n",
	.max_operands = 0,
};

static const struct vrs_cli_spec annotate_spec = {
	.program = "vranalyze annotate",
	.summary = "note a known change in a history",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze annotate --history DIR --reason TEXT [--night N]",
	.intro = "Note what changed in the last night (or in night N), such as a new kernel of the system or an optimization. The history does not alarm "
		 "about a change whose range holds this night. The baseline stays: nights that are slower than it still fail.",
	.actions = annotate_actions,
	.rules = rules,
	.examples = "  vranalyze annotate --history nights --night 12 --reason \"new BIOS\"\n",
	.max_operands = 0,
};

static enum vrs_status decide(const struct vrs_analyze_call *call, enum vrs_decision_kind kind, struct vrs_night_history *history, int *ret_exit,
			      struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_decision d;
	char build[96], shown[2 * VRS_NIGHT_REASON_MAX];
	const struct vrs_night_record *night = args->night ? vrs_night_history_find(history, args->night) : vrs_night_history_last(history);
	if (!night) {
		*ret_exit = VRS_EXIT_NO_BASELINE;
		return vrs_fail(err, VRS_ENOTFOUND, args->night ? "the history %s has no night %lld" : "the history %s has no night yet", args->history,
				(long long)args->night);
	}
	vrs_decision_init(&d);
	d.kind = kind;
	d.night = night->number;
	d.time = (int64_t)vrs_seconds_since_1970();
	vrs_utc_text(d.date_utc, sizeof d.date_utc);
	vrs_strcpy(d.version, sizeof d.version, night->version);
	vrs_strcpy(d.commit, sizeof d.commit, night->commit);
	vrs_strcpy(d.sha256, sizeof d.sha256, night->sha256);
	if (!args->reason[0] || !vrs_strcpy(d.reason, sizeof d.reason, args->reason))
		return vrs_fail(err, VRS_ECONFIG, "--reason takes 1 to %zu bytes, and this one has %zu", sizeof d.reason - 1, strlen(args->reason));
	enum vrs_status status = vrs_night_history_decide(history, &d, err);
	if (status != VRS_OK)
		return status;
	vrs_night_build(d.commit, d.version, d.sha256, build, sizeof build);
	if (kind == VRS_DECISION_ACCEPT)
		fprintf(call->out, "The baseline is now the build %s of night %lld, whose vrbench has SHA-256 %s: keep that file and give it with --baseline.\n",
			vrs_printable(shown, sizeof shown, build), (long long)d.night, d.sha256);
	else
		fprintf(call->out, "Night %lld is annotated: %s\n", (long long)d.night, vrs_printable(shown, sizeof shown, d.reason));
	return VRS_OK;
}

static enum vrs_status run(const struct vrs_analyze_call *call, enum vrs_decision_kind kind, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_night_history *history = NULL;
	int most = args->night ? VRS_HISTORY_MAX_NIGHTS : 1;
	/* Opening for writing makes a folder, and a typing error must not. */
	enum vrs_status status = vrs_night_history_read(&history, args->history, 1, err);
	vrs_night_history_close(history);
	history = NULL;
	if (status == VRS_OK)
		status = vrs_night_history_open(&history, args->history, most, err);
	if (status == VRS_OK)
		status = decide(call, kind, history, ret_exit, err);
	vrs_night_history_close(history);
	return status;
}

static enum vrs_status accept(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	return run(call, VRS_DECISION_ACCEPT, ret_exit, err);
}

static enum vrs_status annotate(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	return run(call, VRS_DECISION_NOTE, ret_exit, err);
}

const struct vrs_analyze_mode vrs_accept_mode = {
	.name = "accept", .spec = &accept_spec, .defaults = &defaults, .args_size = sizeof defaults, .run = accept,
};

const struct vrs_analyze_mode vrs_annotate_mode = {
	.name = "annotate", .spec = &annotate_spec, .defaults = &defaults, .args_size = sizeof defaults, .run = annotate,
};
