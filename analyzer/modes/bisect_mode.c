/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze bisect: which builds to try between the last one before a change and the first one after it. */
#include <stdio.h>
#include <string.h>

#include "analyzer/modes/analyze_program.h"
#include "analyzer/night_tables.h"
#include "base/printable.h"
#include "bench/judge/night_watch.h"
#include "bench/plan/case.h"

struct arguments {
	const char *history;
	int64_t night;
};

static const struct arguments defaults = {.night = 0};

static const struct vrs_cli_action actions[] = {
	VRS_HISTORY_FLAG(struct arguments),
	{.flag = "night", VRS_INT_FIELD(struct arguments, night), .min = 1, .max = 1e9, .value_name = "N", .group = "History",
	 .help = "Look for the change that came with night N, instead of the newest one that is open"},
	{.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{NULL, VRS_NEEDS, "--history", "vranalyze bisect wants the history: --history DIR"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze bisect",
	.summary = "print the builds to try between the ends of a change",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze bisect --history DIR [--night N]",
	.intro = "Print the builds between the last one before the newest open change for the worse and the first one after it, the one to try next, and "
		 "the commands that try it. Nothing is built, measured or written.",
	.actions = actions,
	.rules = rules,
	.examples = "  vranalyze bisect --history nights\n",
	.max_operands = 0,
};

static const struct vrs_night_alert *choose(const struct vrs_night_watch *watch, int64_t night)
{
	if (night == 0)
		return vrs_night_watch_open(watch);
	for (int i = watch->alert_count - 1; i >= 0; i--)
		if (watch->records[watch->alerts[i].bad]->number == night)
			return &watch->alerts[i];
	return NULL;
}

/* A commit that a shell may be given: a history may be a stranger's. "": it is none. */
static const char *safe_commit(const char *commit)
{
	static const char letters[] = "0123456789abcdef";
	size_t length = strlen(commit);
	return length >= 7 && strspn(commit, letters) == length ? commit : "";
}

static void print_build(const char *word, int64_t night, const char *commit, const char *version, const char *sha256, FILE *out)
{
	char build[96], shown[400];
	vrs_night_build(commit, version, sha256, build, sizeof build);
	fprintf(out, "%-5s night %lld: %s\n", word, (long long)night, vrs_printable(shown, sizeof shown, build));
}

/* What the alert was seen in, for the command: the series that changed most, or the first case of the night. */
static void print_commands(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, const char *good, const char *bad, FILE *out)
{
	const struct vrs_night_record *night = watch->records[alert->bad];
	const char *id = alert->series >= 0 ? watch->series[alert->series].case_id : night->case_count ? night->cases[0].id : "";
	const char *input = alert->series >= 0 ? watch->series[alert->series].input : night->case_count ? night->cases[0].input : "VIDEO";
	char command[1400];
	if (good[0] && bad[0])
		fprintf(out, "\nCommits between them, and git's own search:\n  git log --oneline %s..%s\n  git bisect start %s %s\n", good, bad, bad, good);
	if (vrs_case_command(id, "vrbench --versus GOOD_BUILD/bin/vrbench", input, command, sizeof command) == VRS_OK)
		fprintf(out, "\nWith the vrbench of the build to try, against the one of the last good build:\n  %s\n"
			     "10: it is slower, so the change lies before it (git bisect bad); 0: after it (git bisect good).\n", command);
}

static void print_alert(const struct vrs_night_history *history, const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, FILE *out)
{
	char text[640], shown[1300];
	const struct vrs_decision *baseline = vrs_night_history_baseline(history);
	const struct vrs_night_record *bad = watch->records[alert->bad], *good = alert->good >= 0 ? watch->records[alert->good] : NULL;
	const char *good_commit = good ? good->commit : baseline ? baseline->commit : "";
	fprintf(out, "%s\n\n", vrs_printable(shown, sizeof shown, vrs_night_alert_text(watch, alert, text, sizeof text)));
	if (good)
		print_build("good", good->number, good->commit, good->version, good->sha256, out);
	else if (baseline)
		print_build("good", baseline->night, baseline->commit, baseline->version, baseline->sha256, out);
	int between = alert->bad - alert->good - 1, next = alert->good + 1 + between / 2;
	for (int i = alert->good + 1; i < alert->bad && good; i++) {
		const struct vrs_night_record *n = watch->records[i];
		print_build(i == next ? "next" : "try", n->number, n->commit, n->version, n->sha256, out);
	}
	print_build("bad", bad->number, bad->commit, bad->version, bad->sha256, out);
	print_commands(watch, alert, safe_commit(good_commit), safe_commit(bad->commit), out);
}

static enum vrs_status bisect(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_night_history *history = NULL;
	struct vrs_night_watch watch = {.series_count = 0};
	(void)ret_exit;
	enum vrs_status status = vrs_night_history_read(&history, args->history, VRS_HISTORY_NIGHTS, err);
	if (status == VRS_OK && history->night_count == 0)
		status = vrs_analyze_no_night(history, err);
	if (status == VRS_OK)
		status = vrs_night_watch_judge(&watch, history, NULL, err);
	const struct vrs_night_alert *alert = status == VRS_OK ? choose(&watch, args->night) : NULL;
	if (status == VRS_OK && !alert && args->night)
		status = vrs_fail(err, VRS_ENOTFOUND, "no change came with night %lld; vranalyze history %s lists all", (long long)args->night, args->history);
	else if (status == VRS_OK && !alert)
		fprintf(call->out, "Nothing to bisect: no change for the worse is open.\n");
	else if (status == VRS_OK)
		print_alert(history, &watch, alert, call->out);
	vrs_night_watch_fini(&watch);
	vrs_night_history_close(history);
	return status;
}

const struct vrs_analyze_mode vrs_bisect_mode = {
	.name = "bisect", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = bisect,
};
