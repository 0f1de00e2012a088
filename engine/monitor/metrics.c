/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program's metrics in a file and on a port: its own numbers, and those of its runs: since when this one lasts, and how the last one that ended
 * did.  The file holds the latter from run to run.
 */
#include <vrseg/metrics.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "base/ticker.h"
#include "monitor/last_run.h"
#include "monitor/machine_metrics.h"
#include "monitor/metrics_port.h"
#include "vrs_version.h"

#include <vrseg/log.h>
#include <vrseg/options.h>

enum { MOST_BYTES = 1 << 20 }; /* of the file */
static const uint64_t interval_ns = 5000000000u;

struct vrs_metrics {
	struct vrs_metrics_source source;
	pthread_mutex_t lock;       /* guards the source and all below */
	struct vrs_machine *machine; /* its sensors */
	double start_time;
	bool ended;
	struct vrs_last_run last;
	char file[VRS_PATH_MAX];    /* "": none */
	bool warned;
	struct vrs_ticker ticker;   /* writes the file */
	struct vrs_metrics_port *port;
};

enum run_metric { START, RUNNING, END, EXIT_CODE, SUCCESS, RUN_METRICS };

static const struct run_metric_row {
	const char *name, *unit, *help; /* name: behind that of the program */
} rows[RUN_METRICS] = {
	[START] = {"_start_time_seconds", "seconds", "When this run began, since 1970."},
	[RUNNING] = {"_running", "", "1 while this run lasts, 0 after its end."},
	[END] = {VRS_LAST_RUN_END, "seconds", "When the last run that has ended did so, since 1970."},
	[EXIT_CODE] = {VRS_LAST_RUN_EXIT_CODE, "", "Exit code of the last run that has ended."},
	[SUCCESS] = {VRS_LAST_RUN_SUCCESS, "seconds", "When the last run that ended with exit code 0 did so, since 1970."},
};

static void write_row(struct vrs_metric_writer *writer, const struct vrs_metrics *metrics, enum run_metric id, double value)
{
	char name[80];

	snprintf(name, sizeof name, "%s%s", metrics->source.program, rows[id].name);
	const struct vrs_metric metric = {.name = name, .kind = VRS_METRIC_GAUGE, .unit = rows[id].unit, .help = rows[id].help};
	vrs_metric_value(writer, &metric, value);
}

static void write_build(struct vrs_metric_writer *writer, const char *program)
{
	const struct vrs_metric_label labels[] = {{"version", VRS_VERSION}, {"commit", VRS_COMMIT}};
	char name[80];

	snprintf(name, sizeof name, "%s_build_info", program);
	vrs_metric_begin(writer, &(const struct vrs_metric){name, VRS_METRIC_GAUGE, "", "Always 1; the labels say which build this is."});
	vrs_metric_sample(writer, 1, labels, sizeof labels / sizeof labels[0]);
}

/* Of type vrs_metrics_render. */
static enum vrs_status render(void *cookie, enum vrs_metrics_format format, struct vrs_buf *text)
{
	struct vrs_metrics *metrics = cookie;
	struct vrs_metric_writer *writer = vrs_metric_writer_begin(text, format);

	if (!writer)
		return VRS_ENOMEM;
	pthread_mutex_lock(&metrics->lock);
	write_row(writer, metrics, START, metrics->start_time);
	write_row(writer, metrics, RUNNING, metrics->ended ? 0 : 1);
	if (metrics->last.end_time > 0) {
		write_row(writer, metrics, END, metrics->last.end_time);
		write_row(writer, metrics, EXIT_CODE, metrics->last.exit_code);
	}
	if (metrics->last.success_time > 0)
		write_row(writer, metrics, SUCCESS, metrics->last.success_time);
	write_build(writer, metrics->source.program);
	metrics->source.write(metrics->source.cookie, writer);
	vrs_machine_metrics_write(metrics->machine, metrics->source.program, writer);
	pthread_mutex_unlock(&metrics->lock);
	return vrs_metric_writer_end(writer);
}

static enum vrs_status write_file(struct vrs_metrics *metrics, struct vrs_error *err)
{
	struct vrs_buf text;

	vrs_buf_init(&text, MOST_BYTES);
	enum vrs_status status = render(metrics, VRS_METRICS_PROMETHEUS, &text);
	if (status == VRS_OK)
		status = vrs_file_write(metrics->file, vrs_buf_str(&text), text.len, err);
	else
		status = vrs_fail(err, status, "there is not enough memory for the metrics in %s", metrics->file);
	vrs_buf_fini(&text);
	return status;
}

/* A file that cannot be written is no reason to end a run. */
static void write_again(struct vrs_metrics *metrics)
{
	struct vrs_error err = {0};

	if (write_file(metrics, &err) == VRS_OK || metrics->warned)
		return;
	metrics->warned = true;
	vrs_log(VRS_LOG_WARNING, "%s; the metrics are old from now on", err.text);
}

static void *keep_writing(void *cookie)
{
	struct vrs_metrics *metrics = cookie;

	while (vrs_ticker_wait(&metrics->ticker, vrs_now_ns() + interval_ns))
		write_again(metrics);
	return NULL;
}

/* What a run before has left in the file.  A file of anything else is not to be replaced. */
static enum vrs_status read_last(struct vrs_metrics *metrics, struct vrs_error *err)
{
	struct vrs_buf text;
	const char *program = metrics->source.program;

	bool found;
	enum vrs_status status = vrs_path_find(metrics->file, &found, err);

	if (status != VRS_OK || !found || vrs_file_is_stream(metrics->file))
		return status;
	vrs_buf_init(&text, MOST_BYTES);
	status = vrs_file_read(metrics->file, MOST_BYTES, &text, err);
	if (status == VRS_ELIMIT || (status == VRS_OK && !vrs_last_run_read(&metrics->last, vrs_buf_str(&text), program)))
		status = vrs_fail(err, VRS_ECONFIG, "--metrics-file: %s holds something else than metrics of %s; name another file, or remove it",
				  metrics->file, program);
	vrs_buf_fini(&text);
	return status;
}

static enum vrs_status open_file(struct vrs_metrics *metrics, const char *file, struct vrs_error *err)
{
	if (!vrs_strcpy(metrics->file, sizeof metrics->file, file))
		return vrs_fail(err, VRS_ELIMIT, "--metrics-file: the name is too long");
	enum vrs_status status = read_last(metrics, err);
	if (status == VRS_OK)
		status = write_file(metrics, err);
	if (status == VRS_OK)
		status = vrs_ticker_start(&metrics->ticker, keep_writing, metrics, err);
	if (status != VRS_OK)
		metrics->file[0] = 0;
	return status;
}

enum vrs_status vrs_metrics_open(struct vrs_metrics **ret_metrics, const char *file, const char *port, const struct vrs_metrics_source *source,
				 struct vrs_error *err)
{
	struct vrs_metrics *metrics = vrs_calloc(1, sizeof *metrics);
	enum vrs_status status = VRS_OK;

	if (metrics)
		metrics->machine = vrs_machine_for_sensors();
	if (!metrics || !metrics->machine) {
		vrs_free(metrics);
		return vrs_fail_nomem(err);
	}
	metrics->source = *source;
	metrics->start_time = vrs_seconds_since_1970();
	pthread_mutex_init(&metrics->lock, NULL);
	if (port[0])
		status = vrs_metrics_port_open(&metrics->port, port, render, metrics, err);
	if (status == VRS_OK && file[0])
		status = open_file(metrics, file, err);
	if (status == VRS_OK)
		*ret_metrics = metrics;
	else
		vrs_metrics_close(metrics);
	return status;
}

void vrs_metrics_exit(struct vrs_metrics *metrics, int exit_code)
{
	if (!metrics)
		return;
	pthread_mutex_lock(&metrics->lock);
	metrics->ended = true;
	metrics->last.end_time = vrs_seconds_since_1970();
	metrics->last.exit_code = exit_code;
	if (exit_code == 0)
		metrics->last.success_time = metrics->last.end_time;
	pthread_mutex_unlock(&metrics->lock);
}

void vrs_metrics_close(struct vrs_metrics *metrics)
{
	if (!metrics)
		return;
	vrs_metrics_port_close(metrics->port);
	if (metrics->file[0]) {
		vrs_ticker_end(&metrics->ticker);
		write_again(metrics);
	}
	pthread_mutex_destroy(&metrics->lock);
	vrs_free(metrics->machine);
	vrs_free(metrics);
}
