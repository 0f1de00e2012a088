/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/bench_progress.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/machine.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "bench/judge/interval_goal.h"

void vrs_bench_progress_init(struct vrs_bench_progress *progress, enum vrs_progress kind, FILE *out)
{
	bool terminal = isatty(fileno(out)) == 1;
	*progress = (struct vrs_bench_progress){.out = out, .kind = kind == VRS_PROGRESS_AUTO ? VRS_PROGRESS_PLAIN : kind,
						.live = kind == VRS_PROGRESS_AUTO && terminal};
}

void vrs_bench_progress_fini(struct vrs_bench_progress *progress)
{
	vrs_free(progress->machine);
	progress->machine = NULL;
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

/* Result of a run so far: its own rate, and the median of the case with its spread. */
static void run_words(const struct vrs_runner_event *event, char *buf, size_t size)
{
	const struct vrs_run *run = event->run;
	if (run->status == VRS_RUN_OK)
		snprintf(buf, size, "%.1f FPS, %lld frames in %.1f s%s%s%.*s", run->fps, (long long)run->frames, run->wall_seconds,
			 run->warmup_settled ? "" : ", not settled", run->excluded[0] ? ", excluded: " : "", (int)strcspn(run->excluded, ":"), run->excluded);
	else
		snprintf(buf, size, "%s: %.120s", vrs_name_of(&vrs_run_status_names, run->status), run->reason);
}

/* What the case is so far: its median and the half width of its interval against the goal, or the range below six runs. */
static void estimate_words(const struct vrs_runner_event *event, char *buf, size_t size)
{
	const struct vrs_case_result *c = event->case_result;
	const char *subject = c->live_hz > 0 ? ", latency" : ""; /* live, the rate is given */
	double low = INFINITY, high = -INFINITY, half = vrs_interval_half_width(c), median = vrs_case_result_median(c, offsetof(struct vrs_run, fps));
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].status == VRS_RUN_OK) {
			low = fmin(low, c->runs[i].fps);
			high = fmax(high, c->runs[i].fps);
		}
	buf[0] = 0;
	if (isfinite(half) && event->goal > 0)
		snprintf(buf, size, ", case %.1f FPS%s +-%.1f %% (goal %.1f %%)", median, subject, 100 * half, 100 * vrs_interval_goal(c, event->goal));
	else if (isfinite(half))
		snprintf(buf, size, ", case %.1f FPS%s +-%.1f %%", median, subject, 100 * half);
	else if (isfinite(low) && high > low)
		snprintf(buf, size, ", case %.1f FPS (%.1f..%.1f)", median, low, high);
}

/* "3400 MHz 61 C 12.3 GiB free", what can be seen of it. */
static void sensor_words(struct vrs_bench_progress *p, char *buf, size_t size)
{
	static const enum vrs_sensor_kind kinds[] = {VRS_SENSOR_FREQUENCY, VRS_SENSOR_TEMPERATURE};
	size_t used = 0;
	buf[0] = 0;
	if (!p->machine && (p->machine = vrs_calloc(1, sizeof *p->machine)) && vrs_machine_detect(p->machine, false) != VRS_OK)
		vrs_bench_progress_fini(p);
	if (p->machine)
		vrs_machine_read_sensors(p->machine);
	for (size_t i = 0; p->machine && i < 2 && used < size; i++) {
		const struct vrs_sensor *sensor = vrs_machine_sensor(p->machine, kinds[i], NULL);
		if (sensor)
			used += (size_t)snprintf(buf + used, size - used, " %.0f %s", sensor->value, sensor->unit);
	}
	double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	if (used < size)
		snprintf(buf + used, size - used, " %.1f GiB free", free_bytes / 1073741824);
}

static void live_line(struct vrs_bench_progress *p, const struct vrs_runner_event *event)
{
	char line[960], eta[24], elapsed[24], words[120], sensors[96];
	vrs_bench_time_text(event->eta_seconds, eta, sizeof eta);
	vrs_bench_time_text(event->elapsed_seconds, elapsed, sizeof elapsed);
	estimate_words(event, words, sizeof words);
	sensor_words(p, sensors, sizeof sensors);
	snprintf(line, sizeof line, "[%d/%d] round %d/%d %s, %.0f s%s, elapsed %s, ETA %s |%s", event->done + 1, event->total, event->round, event->rounds,
		 event->case_result->id, event->run_seconds, words, elapsed, eta, sensors);
	vrs_terminal_rewrite(p->out, line);
	p->line_open = true;
}

/* They may hold names of files. */
static void put_words(FILE *out, const char *begin, const char *words)
{
	fputs(begin, out);
	vrs_print_text(out, words);
	fputc('\n', out);
}

static void plain_event(struct vrs_bench_progress *p, const struct vrs_runner_event *event)
{
	char words[200], estimate[120], eta[24];
	switch (event->kind) {
	case VRS_RUNNER_PREPARE:
		vrs_bench_progress_clear(p);
		put_words(p->out, "vrbench: ", event->text);
		break;
	case VRS_RUNNER_SKIPPED:
		vrs_bench_progress_clear(p);
		fprintf(p->out, "vrbench: %s", event->case_result->id);
		put_words(p->out, " skipped: ", event->text);
		break;
	case VRS_RUNNER_RUN_START:
	case VRS_RUNNER_TICK:
		if (p->live)
			live_line(p, event);
		break;
	case VRS_RUNNER_RUN_END:
		vrs_bench_progress_clear(p);
		run_words(event, words, sizeof words);
		estimate_words(event, estimate, sizeof estimate);
		vrs_bench_time_text(event->eta_seconds, eta, sizeof eta);
		fprintf(p->out, "[%d/%d] round %d/%d %s: %s%s, ETA %s\n", event->done, event->total, event->round, event->rounds, event->case_result->id, words,
			estimate, eta);
		break;
	}
	fflush(p->out);
}

static void json_event(struct vrs_bench_progress *p, const struct vrs_runner_event *event)
{
	static const char *const names[] = {"prepare", "run_start", "run_end", "skipped", "tick"};
	cJSON *o = cJSON_CreateObject();
	bool ok = o && vrs_json_put_string(o, "event", names[event->kind]) && vrs_json_put_int(o, "done", event->done) &&
		  vrs_json_put_int(o, "total", event->total) && vrs_json_put_int(o, "round", event->round) &&
		  (!event->text || vrs_json_put_string(o, "text", event->text)) &&
		  (!event->case_result || vrs_json_put_string(o, "case", event->case_result->id)) &&
		  (!event->run || (vrs_json_put_string(o, "status", vrs_name_of(&vrs_run_status_names, event->run->status)) &&
				   vrs_json_put_number(o, "fps", event->run->fps))) &&
		  (event->kind != VRS_RUNNER_TICK || vrs_json_put_number(o, "run_seconds", event->run_seconds)) &&
		  vrs_json_put_number(o, "elapsed_seconds", event->elapsed_seconds) && vrs_json_put_number(o, "eta_seconds", event->eta_seconds);
	(void)vrs_json_put_line(o, ok, p->out);
}

void vrs_bench_progress_event(void *cookie, const struct vrs_runner_event *event)
{
	struct vrs_bench_progress *p = cookie;
	if (p->kind == VRS_PROGRESS_JSON)
		json_event(p, event);
	else if (p->kind == VRS_PROGRESS_PLAIN)
		plain_event(p, event);
}
