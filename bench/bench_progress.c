/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/bench_progress.h"

#include <math.h>
#include <unistd.h>

#include "base/json.h"

void vrs_bench_progress_init(struct vrs_bench_progress *progress, enum vrs_progress kind, FILE *out)
{
	bool terminal = isatty(fileno(out)) == 1;
	*progress = (struct vrs_bench_progress){.out = out, .kind = kind == VRS_PROGRESS_AUTO ? VRS_PROGRESS_PLAIN : kind,
						.live = kind == VRS_PROGRESS_AUTO && terminal};
}

void vrs_bench_progress_clear(struct vrs_bench_progress *progress)
{
	if (progress->line_open)
		fputs("\r\033[K", progress->out);
	progress->line_open = false;
	fflush(progress->out);
}

void vrs_bench_time_text(double seconds, char *buf, size_t size)
{
	if (!isfinite(seconds) || seconds < 0 || seconds > 1e8) {
		snprintf(buf, size, "?");
		return;
	}
	long s = lround(seconds);
	if (s >= 3600)
		snprintf(buf, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(buf, size, "%ld:%02ld", s / 60, s % 60);
}

/* Result of a run so far: its own rate, and the median of the cell with its spread. */
static void run_words(const struct vrs_runner_event *event, char *buf, size_t size)
{
	const struct vrs_run *run = event->run;
	if (run->status == VRS_RUN_OK)
		snprintf(buf, size, "%.1f FPS, %lld frames in %.1f s%s", run->fps, (long long)run->frames, run->wall_seconds,
			 run->warmup_settled ? "" : ", not settled");
	else
		snprintf(buf, size, "%s: %.120s", vrs_run_status_name(run->status), run->reason);
}

static void plain_event(struct vrs_bench_progress *p, const struct vrs_runner_event *event)
{
	char words[200], eta[24];
	switch (event->kind) {
	case VRS_RUNNER_PREPARE:
		vrs_bench_progress_clear(p);
		fprintf(p->out, "vrbench: %s\n", event->text);
		break;
	case VRS_RUNNER_SKIPPED:
		vrs_bench_progress_clear(p);
		fprintf(p->out, "vrbench: %s skipped: %s\n", event->cell->id, event->text);
		break;
	case VRS_RUNNER_RUN_START:
		if (!p->live)
			break;
		vrs_bench_time_text(event->eta_seconds, eta, sizeof eta);
		fprintf(p->out, "\r\033[K[%d/%d] round %d/%d %s ... ETA %s", event->done + 1, event->total, event->round, event->rounds, event->cell->id, eta);
		p->line_open = true;
		break;
	case VRS_RUNNER_TICK:
		break;
	case VRS_RUNNER_RUN_END:
		vrs_bench_progress_clear(p);
		run_words(event, words, sizeof words);
		vrs_bench_time_text(event->eta_seconds, eta, sizeof eta);
		fprintf(p->out, "[%d/%d] round %d/%d %s: %s, ETA %s\n", event->done, event->total, event->round, event->rounds, event->cell->id, words, eta);
		break;
	}
	fflush(p->out);
}

static void json_event(struct vrs_bench_progress *p, const struct vrs_runner_event *event)
{
	static const char *const names[] = {"prepare", "run_start", "run_end", "skipped", "tick"};
	cJSON *o = cJSON_CreateObject();
	bool ok = o && vrs_json_put_string(o, "event", names[event->kind]) && vrs_json_put_int(o, "done", event->done) &&
		  vrs_json_put_int(o, "total", event->total) && vrs_json_put_int(o, "round", event->round);
	if (ok && event->text)
		ok = vrs_json_put_string(o, "text", event->text);
	if (ok && event->cell)
		ok = vrs_json_put_string(o, "cell", event->cell->id);
	if (ok && event->run)
		ok = vrs_json_put_string(o, "status", vrs_run_status_name(event->run->status)) && vrs_json_put_number(o, "fps", event->run->fps);
	if (ok && isfinite(event->eta_seconds))
		ok = vrs_json_put_number(o, "eta_seconds", event->eta_seconds);
	char *text = ok ? vrs_json_print(o, false) : NULL;
	cJSON_Delete(o);
	if (text)
		fprintf(p->out, "%s\n", text);
	vrs_json_free_text(text);
	fflush(p->out);
}

void vrs_bench_progress_event(void *cookie, const struct vrs_runner_event *event)
{
	struct vrs_bench_progress *p = cookie;
	if (p->kind == VRS_PROGRESS_JSON)
		json_event(p, event);
	else if (p->kind == VRS_PROGRESS_PLAIN)
		plain_event(p, event);
}
