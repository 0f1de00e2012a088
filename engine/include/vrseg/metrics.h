/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics for monitoring: numbers of a running program as text that Prometheus and its relatives read, in a file and over HTTP.
 *
 *     vrs_metrics_open(&metrics, file, port, source, &err)   the first text is written, the port answers
 *     ...                                                    source->write is asked for the numbers of the moment, again and again
 *     vrs_metrics_close(metrics)                             the last text is written, the port is closed
 *
 * Formats: Prometheus text 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/) and OpenMetrics 1.0
 * (https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md).  No sample carries a timestamp: the node exporter's
 * textfile collector refuses them.
 */
#ifndef VRSEG_METRICS_H
#define VRSEG_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

enum vrs_metrics_format { VRS_METRICS_PROMETHEUS, VRS_METRICS_OPENMETRICS };

enum vrs_metric_kind {
	VRS_METRIC_GAUGE,
	VRS_METRIC_COUNTER,   /* the name without _total, which both formats put behind it in their own way */
	VRS_METRIC_HISTOGRAM,
	VRS_METRIC_SUMMARY,
};

/* What stands before the samples of one name. The name ends in its unit, in base units: seconds, bytes, ratio, celsius, watts. */
struct vrs_metric {
	const char *name;
	enum vrs_metric_kind kind;
	const char *unit;     /* "": none */
	const char *help;     /* one sentence */
};

struct vrs_metric_label {
	const char *name;     /* [a-z_]+ */
	const char *value;    /* any text; NULL: the label is left out */
};

#define VRS_METRIC_MAX_LABELS 8

struct vrs_metric_writer;
struct vrs_buf;

/* Append metrics to text, in one format; release with vrs_metric_writer_end.  NULL: out of memory. */
struct vrs_metric_writer *vrs_metric_writer_begin(struct vrs_buf *text, enum vrs_metrics_format format);
/* The end mark of the format.  VRS_ENOMEM or VRS_ELIMIT: the text is not whole. */
enum vrs_status vrs_metric_writer_end(struct vrs_metric_writer *writer) VRS_MUST_CHECK;
/* Begin a metric; its samples follow. */
void vrs_metric_begin(struct vrs_metric_writer *writer, const struct vrs_metric *metric);
/* One sample. labels: count of them (at most VRS_METRIC_MAX_LABELS); NULL with 0. */
void vrs_metric_sample(struct vrs_metric_writer *writer, double value, const struct vrs_metric_label *labels, int count);
/* A metric with one sample and no label. */
void vrs_metric_value(struct vrs_metric_writer *writer, const struct vrs_metric *metric, double value);
/*
 * One histogram: counts[i] values at or below bounds[i] seconds that are above the bound before, counts[bounds_count] those above all, and their sum.
 */
void vrs_metric_histogram(struct vrs_metric_writer *writer, const double *bounds, int bounds_count, const uint64_t *counts, double sum,
			  const struct vrs_metric_label *labels, int count);
/* One summary without quantiles: the sum of so many values. */
void vrs_metric_summary(struct vrs_metric_writer *writer, double sum, double values, const struct vrs_metric_label *labels, int count);

/* Where a program's own numbers come from; called by threads of the metrics, one call at a time. Runs, build and sensors are those of metrics.c. */
struct vrs_metrics_source {
	const char *program; /* what the names of all metrics begin with */
	void *cookie;
	void (*write)(void *cookie, struct vrs_metric_writer *writer);
};

struct vrs_metrics;

/*
 * Begin to publish.  file: is replaced as a whole every five seconds, and never half written; "": none.  port: "9464" (loopback), "ADDRESS:9464" or
 * "[ADDRESS]:9464", told in the log, 0 for any free one; "": none.  What the file says of the last run is kept (see vrs_metrics_exit).
 * VRS_ECONFIG: the port cannot be read or is in use, or the file holds something else than metrics; VRS_EIO (file), VRS_ENOMEM, VRS_EINTERNAL.
 * Later failures to write the file are warned of once.
 */
enum vrs_status vrs_metrics_open(struct vrs_metrics **ret_metrics, const char *file, const char *port, const struct vrs_metrics_source *source,
				 struct vrs_error *err) VRS_MUST_CHECK;
/* The program ends with this exit code: from now on it is the last run. Any thread. NULL is fine. */
void vrs_metrics_exit(struct vrs_metrics *metrics, int exit_code);
/* NULL is fine. */
void vrs_metrics_close(struct vrs_metrics *metrics);

#endif
