/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rate, remaining time and use of the CPU come from the last ten seconds, so that they follow a video whose parts differ.  A live line says what fits
 * the terminal, the most important first.
 */
#include <vrseg/progress.h>

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/terminal.h"

#include <vrseg/machine.h>

#define WINDOW 20             /* samples of half a second */
#define SAMPLE_NS 500000000u
#define SENSORS_NS 1000000000u

struct vrs_progress_meter {
	pthread_mutex_t lock;       /* guards all below */
	enum vrs_progress mode;
	bool live;                  /* one line that is written over */
	bool shown;                 /* a live line is on the screen */
	FILE *out;
	uint64_t interval_ns, next_ns;
	struct {
		uint64_t wall_ns, frames, cpu_ns;
	} window[WINDOW];
	int samples;                /* since the start; the newest is window[(samples - 1) % WINDOW] */
	struct vrs_machine *machine; /* its sensors; NULL: not a live line, or no memory for it */
	uint64_t sensors_ns;        /* when they are read again */
};

/* Over the window. */
struct recent {
	double fps, cpus;
};

/* A line as long as the terminal is wide, at most. */
struct line {
	char text[240];
	size_t used, room;
};

enum vrs_status vrs_progress_create(struct vrs_progress_meter **ret_meter, enum vrs_progress mode, FILE *out)
{
	struct vrs_progress_meter *meter = vrs_calloc(1, sizeof *meter);
	if (!meter)
		return VRS_ENOMEM;
	pthread_mutex_init(&meter->lock, NULL);
	meter->mode = mode;
	meter->out = out;
	meter->live = mode == VRS_PROGRESS_AUTO && isatty(fileno(out));
	meter->interval_ns = meter->live ? 200000000u : mode == VRS_PROGRESS_JSON ? SAMPLE_NS : 5000000000u;
	meter->next_ns = vrs_now_ns() + meter->interval_ns;
	if (meter->live)
		meter->machine = vrs_machine_for_sensors();
	*ret_meter = meter;
	return VRS_OK;
}

void vrs_progress_destroy(struct vrs_progress_meter *meter)
{
	if (!meter)
		return;
	pthread_mutex_destroy(&meter->lock);
	vrs_free(meter->machine);
	vrs_free(meter);
}

static struct recent recent_rates(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats)
{
	int last = (meter->samples + WINDOW - 1) % WINDOW;
	/* the next input, or another try */
	if (meter->samples && (stats->wall_ns < meter->window[last].wall_ns || stats->frames_done < meter->window[last].frames))
		meter->samples = 0;
	if (!meter->samples || stats->wall_ns - meter->window[last].wall_ns >= SAMPLE_NS) {
		int i = meter->samples++ % WINDOW;
		meter->window[i].wall_ns = stats->wall_ns;
		meter->window[i].frames = stats->frames_done;
		meter->window[i].cpu_ns = stats->cpu_ns;
	}
	int oldest = meter->samples > WINDOW ? meter->samples % WINDOW : 0;
	bool whole = meter->samples <= 1; /* since the start */
	uint64_t from_ns = whole ? 0 : meter->window[oldest].wall_ns, frames = whole ? 0 : meter->window[oldest].frames;
	uint64_t cpu_ns = whole ? 0 : meter->window[oldest].cpu_ns;
	double seconds = stats->wall_ns > from_ns ? 1e-9 * (double)(stats->wall_ns - from_ns) : 0;
	if (seconds <= 0)
		return (struct recent){0};
	return (struct recent){.fps = (double)(stats->frames_done - frames) / seconds,
			       .cpus = stats->cpu_ns > cpu_ns ? 1e-9 * (double)(stats->cpu_ns - cpu_ns) / seconds : 0};
}

/* The place in the video: rates are of this run, the place is not. */
static uint64_t frames_in_all(const struct vrs_job_stats *stats)
{
	return stats->frames_earlier + stats->frames_done;
}

/* Seconds left, -1 when not known. */
static double remaining(const struct vrs_job_stats *stats, double rate)
{
	uint64_t frames = frames_in_all(stats);
	if (!stats->frames_total || (rate <= 0 && frames < stats->frames_total))
		return -1;
	return stats->frames_total > frames ? (double)(stats->frames_total - frames) / rate : 0;
}

static void format_duration(char *text, size_t size, double seconds)
{
	long s = lrint(seconds < 0 ? 0 : seconds > 3.6e8 ? 3.6e8 : seconds);
	if (s >= 3600)
		snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

/* Add a part that fits as a whole; the first one that does not is the end of the line. */
static void VRS_PRINTF(2, 3) add(struct line *line, const char *format, ...)
{
	char part[80];
	va_list args;
	va_start(args, format);
	vsnprintf(part, sizeof part, format, args);
	va_end(args);
	size_t length = strlen(part);
	if (line->used + length >= line->room) {
		line->room = line->used;
		return;
	}
	memcpy(line->text + line->used, part, length + 1);
	line->used += length;
}

static struct line empty_line(const struct vrs_progress_meter *meter)
{
	struct line line = {.room = sizeof line.text};
	int columns = meter->live ? vrs_terminal_columns(meter->out) : 0;
	if (columns > 1 && columns < (int)sizeof line.text)
		line.room = (size_t)columns;
	return line;
}

/* What the job costs, and how the machine takes it: as far as sensors know. */
static void add_load(struct vrs_progress_meter *meter, double cpus, bool own, struct line *line)
{
	if (cpus > 0)
		add(line, ", CPU %.0f %%", 100 * cpus);
	if (own) /* the memory of other processes is not known while they run */
		add(line, ", %.0f MiB", (double)vrs_rss_bytes() / 1048576);
	if (!meter->machine)
		return;
	if (vrs_now_ns() >= meter->sensors_ns) {
		vrs_machine_sample_sensors(meter->machine);
		meter->sensors_ns = vrs_now_ns() + SENSORS_NS;
	}
	const struct vrs_sensor *heat = vrs_machine_sensor(meter->machine, VRS_SENSOR_TEMPERATURE, NULL);
	const struct vrs_sensor *busy = vrs_machine_sensor(meter->machine, VRS_SENSOR_UTILISATION, NULL);
	if (heat)
		add(line, ", %.0f C", heat->value);
	if (busy)
		add(line, ", GPU %.0f %%", busy->value);
}

static void print_text(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats, struct recent recent, bool own)
{
	char left[32] = "";
	struct line line = empty_line(meter);
	double seconds = remaining(stats, recent.fps);
	add(&line, "frame %llu", (unsigned long long)frames_in_all(stats));
	if (stats->frames_total) {
		double percent = 100.0 * (double)frames_in_all(stats) / (double)stats->frames_total;
		add(&line, " of %llu (%.0f %%)", (unsigned long long)stats->frames_total, percent > 100 ? 100 : percent);
	}
	add(&line, ", %.1f frames/s", recent.fps);
	if (stats->live.dropped)
		add(&line, ", %llu dropped", (unsigned long long)stats->live.dropped);
	if (seconds >= 0) {
		format_duration(left, sizeof left, seconds);
		add(&line, ", %s left", left);
	}
	if (meter->live)
		add_load(meter, recent.cpus, own, &line);
	fprintf(meter->out, meter->live ? "\r%s\033[K" : "%s\n", line.text);
	meter->shown = meter->live;
}

static void print_json(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats, double rate, bool done)
{
	double seconds = remaining(stats, rate);
	fprintf(meter->out, "{\"frame\": %llu", (unsigned long long)frames_in_all(stats));
	if (stats->frames_total)
		fprintf(meter->out, ", \"frames_total\": %llu", (unsigned long long)stats->frames_total);
	fprintf(meter->out, ", \"elapsed_s\": %.3f, \"frames_per_s\": %.3f", (double)stats->wall_ns / 1e9, rate);
	if (stats->live.captured)
		fprintf(meter->out, ", \"captured\": %llu, \"dropped\": %llu, \"skipped\": %llu, \"reused\": %llu",
			(unsigned long long)stats->live.captured, (unsigned long long)stats->live.dropped, (unsigned long long)stats->live.skipped,
			(unsigned long long)stats->live.reused);
	if (seconds >= 0)
		fprintf(meter->out, ", \"remaining_s\": %.1f", seconds);
	fprintf(meter->out, ", \"done\": %s}\n", done ? "true" : "false");
}

/* own: the job runs in this process. */
static void show(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats, bool own, bool done)
{
	struct recent recent = recent_rates(meter, stats);
	if (done && stats->wall_ns)
		recent = (struct recent){.fps = (double)stats->frames_done * 1e9 / (double)stats->wall_ns, .cpus = (double)stats->cpu_ns / (double)stats->wall_ns};
	if (meter->mode == VRS_PROGRESS_JSON)
		print_json(meter, stats, recent.fps, done);
	else
		print_text(meter, stats, recent, own);
	fflush(meter->out);
}

void vrs_progress_frame(struct vrs_progress_meter *meter, const struct vrs_job *job)
{
	if (!meter || meter->mode == VRS_PROGRESS_NONE)
		return;
	pthread_mutex_lock(&meter->lock);
	uint64_t now = vrs_now_ns();
	if (now >= meter->next_ns) {
		meter->next_ns = now + meter->interval_ns;
		struct vrs_job_stats stats;
		vrs_job_stats(job, &stats);
		show(meter, &stats, true, false);
	}
	pthread_mutex_unlock(&meter->lock);
}

void vrs_progress_stats(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats)
{
	if (!meter || meter->mode == VRS_PROGRESS_NONE)
		return;
	pthread_mutex_lock(&meter->lock);
	show(meter, stats, false, false);
	pthread_mutex_unlock(&meter->lock);
}

void vrs_progress_clear(struct vrs_progress_meter *meter)
{
	if (!meter)
		return;
	pthread_mutex_lock(&meter->lock);
	if (meter->shown)
		fputs("\r\033[K", meter->out);
	meter->shown = false;
	pthread_mutex_unlock(&meter->lock);
}

void vrs_progress_end(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats)
{
	if (!meter)
		return;
	pthread_mutex_lock(&meter->lock);
	if (meter->mode == VRS_PROGRESS_JSON || meter->live)
		show(meter, stats, false, true);
	if (meter->shown)
		fputc('\n', meter->out);
	meter->shown = false;
	pthread_mutex_unlock(&meter->lock);
}
