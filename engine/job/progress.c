/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rate and remaining time come from the last ten seconds, so that they follow a video whose parts differ. */
#include <vrseg/progress.h>

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define WINDOW 20             /* samples of half a second */
#define SAMPLE_NS 500000000u

struct vrs_progress_meter {
	pthread_mutex_t lock;       /* guards all below */
	enum vrs_progress mode;
	bool live;                  /* one line that is written over */
	bool shown;                 /* a live line is on the screen */
	FILE *out;
	uint64_t interval_ns, next_ns;
	struct {
		uint64_t wall_ns, frames;
	} window[WINDOW];
	int samples;                /* since the start; the newest is window[(samples - 1) % WINDOW] */
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
	*ret_meter = meter;
	return VRS_OK;
}

void vrs_progress_destroy(struct vrs_progress_meter *meter)
{
	if (!meter)
		return;
	pthread_mutex_destroy(&meter->lock);
	vrs_free(meter);
}

/* Frames per second over the window. */
static double recent_rate(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats)
{
	int last = (meter->samples + WINDOW - 1) % WINDOW;
	if (!meter->samples || stats->wall_ns - meter->window[last].wall_ns >= SAMPLE_NS) {
		int i = meter->samples++ % WINDOW;
		meter->window[i].wall_ns = stats->wall_ns;
		meter->window[i].frames = stats->frames_done;
	}
	int oldest = meter->samples > WINDOW ? meter->samples % WINDOW : 0;
	uint64_t from_ns = meter->samples > 1 ? meter->window[oldest].wall_ns : 0, from = meter->samples > 1 ? meter->window[oldest].frames : 0;
	return stats->wall_ns > from_ns ? (double)(stats->frames_done - from) * 1e9 / (double)(stats->wall_ns - from_ns) : 0;
}

/* Seconds left, -1 when not known. */
static double remaining(const struct vrs_job_stats *stats, double rate)
{
	if (!stats->frames_total || rate <= 0)
		return -1;
	return stats->frames_total > stats->frames_done ? (double)(stats->frames_total - stats->frames_done) / rate : 0;
}

static void format_duration(char *text, size_t size, double seconds)
{
	long s = lrint(seconds < 0 ? 0 : seconds > 3.6e8 ? 3.6e8 : seconds);
	if (s >= 3600)
		snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

static void print_text(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats, double rate)
{
	char line[160], left[32] = "";
	double seconds = remaining(stats, rate);
	int n = snprintf(line, sizeof line, "frame %llu", (unsigned long long)stats->frames_done);
	if (stats->frames_total) {
		double percent = 100.0 * (double)stats->frames_done / (double)stats->frames_total;
		n += snprintf(line + n, sizeof line - (size_t)n, " of %llu (%.0f %%)", (unsigned long long)stats->frames_total,
			      percent > 100 ? 100 : percent);
	}
	n += snprintf(line + n, sizeof line - (size_t)n, ", %.1f frames/s", rate);
	if (stats->live.dropped)
		n += snprintf(line + n, sizeof line - (size_t)n, ", %llu dropped", (unsigned long long)stats->live.dropped);
	if (seconds >= 0) {
		format_duration(left, sizeof left, seconds);
		snprintf(line + n, sizeof line - (size_t)n, ", %s left", left);
	}
	fprintf(meter->out, meter->live ? "\r%s\033[K" : "%s\n", line);
	meter->shown = meter->live;
}

static void print_json(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats, double rate, bool done)
{
	double seconds = remaining(stats, rate);
	fprintf(meter->out, "{\"frame\": %llu", (unsigned long long)stats->frames_done);
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

static void show(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats, bool done)
{
	double rate = recent_rate(meter, stats);
	if (done && stats->wall_ns)
		rate = (double)stats->frames_done * 1e9 / (double)stats->wall_ns;
	if (meter->mode == VRS_PROGRESS_JSON)
		print_json(meter, stats, rate, done);
	else
		print_text(meter, stats, rate);
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
		show(meter, &stats, false);
	}
	pthread_mutex_unlock(&meter->lock);
}

void vrs_progress_stats(struct vrs_progress_meter *meter, const struct vrs_job_stats *stats)
{
	if (!meter || meter->mode == VRS_PROGRESS_NONE)
		return;
	pthread_mutex_lock(&meter->lock);
	show(meter, stats, false);
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
		show(meter, stats, true);
	if (meter->shown)
		fputc('\n', meter->out);
	meter->shown = false;
	pthread_mutex_unlock(&meter->lock);
}
