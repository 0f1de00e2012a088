/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/soak_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/machine.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/latency.h"
#include "base/mem.h"
#include "base/ticker.h"
#include "bench/record/frames_file.h"
#include "bench/record/record_fields.h"
#include "bench/record/result.h"

static const struct vrs_field window_fields[] = {
	VRS_FIELD_ROW(vrs_soak_window, DOUBLE, end_seconds, 0, 1e9, true),
	VRS_FIELD_ROW(vrs_soak_window, INT64, frames, 0, 1e12, true),
	VRS_FIELD_ROW(vrs_soak_window, DOUBLE, median_ms, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_soak_window, DOUBLE, p95_ms, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_soak_window, DOUBLE, max_ms, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_soak_window, INT64, rss_bytes, 0, 9e14, false),
	VRS_FIELD_ROW(vrs_soak_window, DOUBLE, frequency_mhz, 0, 1e6, false),
	VRS_FIELD_ROW(vrs_soak_window, DOUBLE, temperature_c, -100, 1000, false),
	VRS_FIELD_ROW(vrs_soak_window, INT64, throttle_events, 0, 9e14, false),
	{0},
};

struct vrs_soak_writer {
	int fd;
	struct vrs_ticker ticker;     /* closes windows */
	pthread_mutex_t lock;         /* guards all below but machine */
	bool begun;
	double window_seconds;
	uint64_t begin_ns;            /* of the first window */
	struct vrs_latency now;       /* of the window that is open */
	uint64_t now_ns;              /* its frames' times together */
	struct vrs_machine machine;   /* the thread's */
	struct vrs_latency closed;    /* the thread's */
	uint64_t closed_ns;
};

double vrs_soak_window_seconds(double duration_seconds)
{
	return fmin(fmax(duration_seconds / 240, 1), 600);
}

static double quantile_ms(const struct vrs_latency *latency, double p)
{
	uint64_t ns;
	return vrs_latency_quantile(latency, p, &ns) ? 1e-6 * (double)ns : NAN;
}

static double sensor_value(struct vrs_machine *machine, enum vrs_sensor_kind kind)
{
	const struct vrs_sensor *sensor = vrs_machine_sensor(machine, kind, NULL);
	return sensor ? sensor->value : NAN;
}

/* A line that cannot be written is lost; the run goes on. */
static void write_window(struct vrs_soak_writer *w, double end_seconds)
{
	vrs_machine_read_sensors(&w->machine);
	double median = w->closed.count >= vrs_latency_needs(0.5) ? quantile_ms(&w->closed, 0.5)
			: w->closed.count			  ? 1e-6 * (double)w->closed_ns / (double)w->closed.count
								  : NAN;
	double throttle = sensor_value(&w->machine, VRS_SENSOR_THROTTLE);
	uint64_t rss = vrs_rss_bytes();
	const struct vrs_soak_window window = {
		.end_seconds = end_seconds, .frames = (int64_t)w->closed.count, .median_ms = median,
		.p95_ms = quantile_ms(&w->closed, 0.95), .max_ms = w->closed.count ? 1e-6 * (double)w->closed.max_ns : NAN, .rss_bytes = rss ? (int64_t)rss : -1,
		.frequency_mhz = sensor_value(&w->machine, VRS_SENSOR_FREQUENCY), .temperature_c = sensor_value(&w->machine, VRS_SENSOR_TEMPERATURE),
		.throttle_events = isfinite(throttle) ? (int64_t)throttle : -1};
	cJSON *object = cJSON_CreateObject();
	char *text = object && vrs_fields_write(object, window_fields, &window) ? vrs_json_print(object, false) : NULL;
	cJSON_Delete(object);
	if (text)
		(void)dprintf(w->fd, "%s\n", text);
	vrs_json_free_text(text);
}

/* The open window is over; the lock is held, but not while the line is written. */
static void close_window(struct vrs_soak_writer *w, uint64_t end_ns)
{
	w->closed = w->now;
	w->closed_ns = w->now_ns;
	memset(&w->now, 0, sizeof w->now);
	w->now_ns = 0;
	pthread_mutex_unlock(&w->lock);
	write_window(w, 1e-9 * (double)(end_ns - w->begin_ns));
	pthread_mutex_lock(&w->lock);
}

static void *close_windows(void *cookie)
{
	struct vrs_soak_writer *w = cookie;
	uint64_t step = (uint64_t)(1e9 * w->window_seconds), end = UINT64_MAX; /* until the first window begins */
	while (vrs_ticker_wait(&w->ticker, end)) {
		pthread_mutex_lock(&w->lock);
		if (end == UINT64_MAX && w->begun) {
			end = w->begin_ns + step;
		} else if (vrs_now_ns() >= end) {
			close_window(w, end);
			end += step;
		}
		pthread_mutex_unlock(&w->lock);
	}
	pthread_mutex_lock(&w->lock);
	uint64_t now = vrs_now_ns();
	if (end != UINT64_MAX && now > end - step / 2)
		close_window(w, now < end ? now : end);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

enum vrs_status vrs_soak_writer_create(struct vrs_soak_writer **ret_writer, const char *path, double window_seconds, struct vrs_error *err)
{
	struct vrs_soak_writer *w = vrs_calloc(1, sizeof *w);
	if (!w)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to watch a long run");
	w->window_seconds = window_seconds;
	(void)unlink(path); /* of an earlier run, or a link that would be followed */
	w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	enum vrs_status status = w->fd < 0 ? vrs_file_fail_write(err, path, errno) : VRS_OK;
	if (status == VRS_OK && vrs_machine_detect(&w->machine, false) != VRS_OK)
		status = vrs_fail(err, VRS_EINTERNAL, "cannot describe this machine");
	pthread_mutex_init(&w->lock, NULL);
	if (status == VRS_OK)
		status = vrs_ticker_start(&w->ticker, close_windows, w, err);
	if (status == VRS_OK) {
		*ret_writer = w;
		return VRS_OK;
	}
	pthread_mutex_destroy(&w->lock);
	if (w->fd >= 0)
		close(w->fd);
	vrs_free(w);
	return status;
}

void vrs_soak_writer_begin(struct vrs_soak_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->begun = true;
	w->begin_ns = vrs_now_ns();
	pthread_mutex_unlock(&w->lock);
	vrs_ticker_wake(&w->ticker);
}

void vrs_soak_writer_end(struct vrs_soak_writer *w)
{
	vrs_ticker_ask(&w->ticker);
}

void vrs_soak_writer_frame(struct vrs_soak_writer *w, uint64_t interval_ns)
{
	pthread_mutex_lock(&w->lock);
	vrs_latency_add(&w->now, interval_ns);
	w->now_ns += interval_ns;
	pthread_mutex_unlock(&w->lock);
}

void vrs_soak_writer_destroy(struct vrs_soak_writer *w)
{
	if (!w)
		return;
	vrs_ticker_end(&w->ticker);
	pthread_mutex_destroy(&w->lock);
	close(w->fd);
	vrs_free(w);
}

struct loader {
	const char *path;
	struct vrs_soak_window *windows;
	size_t count, capacity;
};

static enum vrs_status on_line(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct loader *loader = cookie;
	struct vrs_soak_window window;
	char place[32];
	cJSON *object;
	void *items = loader->windows;
	vrs_fields_clear(window_fields, &window);
	snprintf(place, sizeof place, "line %ld: ", number);
	enum vrs_status status = vrs_json_parse(line, strlen(line), 4096, loader->path, &object, err);
	if (status != VRS_OK)
		return status;
	status = vrs_fields_read(object, window_fields, &window, loader->path, place, err);
	cJSON_Delete(object);
	if (status == VRS_OK && loader->count && window.end_seconds <= loader->windows[loader->count - 1].end_seconds)
		status = vrs_fail_at(err, VRS_EFORMAT, loader->path, 0, 0, "%swindows do not ascend", place);
	if (status == VRS_OK) {
		status = vrs_array_grow(&items, &loader->capacity, loader->count + 1, sizeof *loader->windows, VRS_SOAK_MAX_WINDOWS);
		loader->windows = items;
		if (status != VRS_OK)
			return vrs_fail(err, status, "%s has too many windows", loader->path);
		loader->windows[loader->count++] = window;
	}
	return status;
}

enum vrs_status vrs_soak_windows_read(const char *path, struct vrs_soak_window **ret_windows, int *ret_count, struct vrs_error *err)
{
	struct loader loader = {.path = path};
	size_t torn;
	enum vrs_status status = vrs_journal_read(path, 4096, false, on_line, &loader, &torn, err);
	if (status != VRS_OK) {
		vrs_free(loader.windows);
		return status;
	}
	*ret_windows = loader.windows;
	*ret_count = (int)loader.count;
	return VRS_OK;
}

bool vrs_soak_windows_of(const struct vrs_result *result, const char *folder, struct vrs_soak_window **ret_windows, int *ret_count)
{
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		char path[VRS_PATH_MAX];
		if (c->soak_verdict != VRS_OUTCOME_NONE && vrs_frames_name_is_inside(c->soak_file) &&
		    vrs_path_join(path, sizeof path, folder, c->soak_file) == VRS_OK &&
		    vrs_soak_windows_read(path, ret_windows, ret_count, NULL) == VRS_OK)
			return true;
	}
	return false;
}
