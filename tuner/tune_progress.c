/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/tune_progress.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "base/terminal.h"

void vrs_tune_progress_init(struct vrs_tune_progress *progress, int kind, FILE *out)
{
	bool terminal = isatty(fileno(out)) == 1;
	memset(progress, 0, sizeof *progress);
	progress->out = out;
	progress->kind = kind == VRS_PROGRESS_AUTO ? VRS_PROGRESS_PLAIN : kind;
	progress->rewrite = kind == VRS_PROGRESS_AUTO && terminal;
}

void vrs_tune_progress_end(struct vrs_tune_progress *progress)
{
	if (progress->open_line)
		fputs("\n", progress->out);
	progress->open_line = false;
}

static void put_step(const struct vrs_tune_progress *p, const struct vrs_step *step, int cases, int rounds)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = o && vrs_json_put_string(o, "phase", step->phase) && vrs_json_put_string(o, "why", step->why) &&
		  vrs_json_put_int(o, "settings", cases) && vrs_json_put_int(o, "rounds", rounds) &&
		  (!step->leading || vrs_json_put_string(o, "leading", step->leading)) &&
		  (!(step->left_seconds > 0) || vrs_json_put_number(o, "search_eta_seconds", step->left_seconds));
	(void)vrs_json_put_line(o, ok, p->out);
}

void vrs_tune_progress_step(void *cookie, const struct vrs_step *step, int cases, int rounds)
{
	struct vrs_tune_progress *p = cookie;
	(void)vrs_strcpy(p->phase, sizeof p->phase, step->phase);
	if (p->kind == VRS_PROGRESS_JSON)
		put_step(p, step, cases, rounds);
	if (p->kind == VRS_PROGRESS_NONE || p->kind == VRS_PROGRESS_JSON)
		return;
	vrs_tune_progress_end(p);
	if (step->leading && step->leading[0])
		fprintf(p->out, "vrtune: ahead of the default so far: %s\n", step->leading);
	fprintf(p->out, "vrtune: %s: %d setting%s, %d round%s%s%s", step->phase, cases, cases == 1 ? "" : "s", rounds, rounds == 1 ? "" : "s",
		step->why[0] ? ": " : "", step->why);
	if (step->left_seconds > 0)
		fprintf(p->out, " (at most %.0f min until the end of the search)", ceil(step->left_seconds / 60));
	fputc('\n', p->out);
}

static void put_json(const struct vrs_tune_progress *p, const struct vrs_runner_event *e)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = o && vrs_json_put_string(o, "phase", p->phase) && vrs_json_put_int(o, "done", e->done) && vrs_json_put_int(o, "total", e->total) &&
		  (!e->case_result || vrs_json_put_string(o, "case", e->case_result->id)) && (!e->text || vrs_json_put_string(o, "text", e->text)) &&
		  (!e->run || vrs_json_put_number(o, "fps", e->run->fps)) && vrs_json_put_number(o, "eta_seconds", e->eta_seconds);
	(void)vrs_json_put_line(o, ok, p->out);
}

static void put_eta(char *buf, size_t size, double seconds)
{
	if (!isfinite(seconds))
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, ", %d:%02d left", (int)(seconds / 60), (int)seconds % 60);
}

void vrs_tune_progress_event(void *cookie, const struct vrs_runner_event *e)
{
	struct vrs_tune_progress *p = cookie;
	char eta[32], result[64] = "", line[720];
	if (p->kind == VRS_PROGRESS_NONE || e->kind == VRS_RUNNER_TICK)
		return;
	if (p->kind == VRS_PROGRESS_JSON) {
		put_json(p, e);
		return;
	}
	if (e->kind == VRS_RUNNER_PREPARE || e->kind == VRS_RUNNER_SKIPPED) {
		vrs_tune_progress_end(p);
		fprintf(p->out, "vrtune: %s%s", e->case_result ? e->case_result->id : "", e->case_result ? ": " : "");
		/* may hold names of files */
		vrs_print_text(p->out, e->kind == VRS_RUNNER_SKIPPED && e->case_result ? e->case_result->skipped : e->text);
		fputc('\n', p->out);
		return;
	}
	/* On a terminal the line shows the run in progress; in a log only finished runs are worth a line. */
	if (e->kind == VRS_RUNNER_RUN_START && !p->rewrite)
		return;
	if (e->kind == VRS_RUNNER_RUN_END && e->run && e->run->status == VRS_RUN_OK)
		snprintf(result, sizeof result, " %.1f FPS", e->run->fps);
	else if (e->kind == VRS_RUNNER_RUN_END && e->run)
		snprintf(result, sizeof result, " %s", vrs_name_of(&vrs_run_status_names, e->run->status));
	put_eta(eta, sizeof eta, e->eta_seconds);
	snprintf(line, sizeof line, "vrtune: %s %d/%d %s%s%s", p->phase, e->done + (e->kind == VRS_RUNNER_RUN_START), e->total,
		 e->case_result ? e->case_result->id : "", result, eta);
	if (p->rewrite)
		vrs_terminal_rewrite(p->out, line);
	else
		fprintf(p->out, "%s\n", line);
	fflush(p->out);
	p->open_line = p->rewrite;
}
