/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two text formats.  They differ in the metadata of counters (OpenMetrics names the family without _total), in the unit line, and in the mark at
 * the end.
 */
#include <vrseg/metrics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/printable.h"

struct vrs_metric_writer {
	struct vrs_buf *text;
	enum vrs_metrics_format format;
	struct vrs_metric metric;    /* that samples belong to */
	enum vrs_status status;      /* first failure */
};

struct vrs_metric_writer *vrs_metric_writer_begin(struct vrs_buf *text, enum vrs_metrics_format format)
{
	struct vrs_metric_writer *writer = vrs_calloc(1, sizeof *writer);

	if (writer) {
		writer->text = text;
		writer->format = format;
	}
	return writer;
}

static void put(struct vrs_metric_writer *writer, const char *text)
{
	if (writer->status == VRS_OK)
		writer->status = vrs_buf_puts(writer->text, text);
}

enum vrs_status vrs_metric_writer_end(struct vrs_metric_writer *writer)
{
	if (writer->format == VRS_METRICS_OPENMETRICS)
		put(writer, "# EOF\n");
	enum vrs_status status = writer->status;

	vrs_free(writer);
	return status;
}

/*
 * Label values escape \ " and line ends; help texts leave quotes alone in format 0.0.4, and are ours: none has any.  Both formats are UTF-8, and
 * whoever scrapes refuses all of a text with one other byte, as names of files may have: such bytes are shown as \xHH.
 */
static void put_escaped(struct vrs_metric_writer *writer, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		size_t length = vrs_utf8_length(text, left);
		char one[8];

		if (length == 0)
			snprintf(one, sizeof one, "\\\\x%02x", (unsigned)(unsigned char)*text);
		else
			snprintf(one, sizeof one, "%.*s", (int)length, text);
		put(writer, *text == '\\' ? "\\\\" : *text == '"' ? "\\\"" : *text == '\n' ? "\\n" : one);
		length += length == 0;
		text += length;
		left -= length;
	}
}

/* 13 digits hold milliseconds since 1970. */
static void put_number(struct vrs_metric_writer *writer, double value)
{
	char text[40];

	if (isnan(value) || isinf(value))
		snprintf(text, sizeof text, "%s", isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
	else
		snprintf(text, sizeof text, "%.13g", value);
	put(writer, text);
}

void vrs_metric_begin(struct vrs_metric_writer *writer, const struct vrs_metric *metric)
{
	static const char *const kinds[] = {[VRS_METRIC_GAUGE] = "gauge", [VRS_METRIC_COUNTER] = "counter", [VRS_METRIC_HISTOGRAM] = "histogram",
		[VRS_METRIC_SUMMARY] = "summary"};
	const char *tail = metric->kind == VRS_METRIC_COUNTER && writer->format == VRS_METRICS_PROMETHEUS ? "_total" : "";
	char line[512];

	writer->metric = *metric;
	snprintf(line, sizeof line, "# HELP %s%s %s\n# TYPE %s%s %s\n", metric->name, tail, metric->help, metric->name, tail, kinds[metric->kind]);
	put(writer, line);
	if (writer->format == VRS_METRICS_OPENMETRICS && metric->unit[0]) {
		snprintf(line, sizeof line, "# UNIT %s %s\n", metric->name, metric->unit);
		put(writer, line);
	}
}

static void put_line(struct vrs_metric_writer *writer, const char *tail, double value, const struct vrs_metric_label *labels, int count)
{
	bool open = false;

	VRS_ASSERT(count >= 0 && count <= VRS_METRIC_MAX_LABELS && writer->metric.name);
	put(writer, writer->metric.name);
	put(writer, tail);
	for (int i = 0; i < count; i++) {
		if (!labels[i].value)
			continue;
		put(writer, open ? "," : "{");
		open = true;
		put(writer, labels[i].name);
		put(writer, "=\"");
		put_escaped(writer, labels[i].value);
		put(writer, "\"");
	}
	put(writer, open ? "} " : " ");
	put_number(writer, value);
	put(writer, "\n");
}

void vrs_metric_sample(struct vrs_metric_writer *writer, double value, const struct vrs_metric_label *labels, int count)
{
	put_line(writer, writer->metric.kind == VRS_METRIC_COUNTER ? "_total" : "", value, labels, count);
}

void vrs_metric_value(struct vrs_metric_writer *writer, const struct vrs_metric *metric, double value)
{
	vrs_metric_begin(writer, metric);
	vrs_metric_sample(writer, value, NULL, 0);
}

void vrs_metric_histogram(struct vrs_metric_writer *writer, const double *bounds, int bounds_count, const uint64_t *counts, double sum,
			  const struct vrs_metric_label *labels, int count)
{
	struct vrs_metric_label all[VRS_METRIC_MAX_LABELS];
	uint64_t below = 0;
	char bound[40] = "+Inf";

	VRS_ASSERT(count >= 0 && count < VRS_METRIC_MAX_LABELS);
	for (int i = 0; i < count; i++)
		all[i] = labels[i];
	all[count] = (struct vrs_metric_label){"le", bound};
	for (int i = 0; i <= bounds_count; i++) {
		below += counts[i];
		/* OpenMetrics wants 1.0, not 1 */
		if (i < bounds_count)
			snprintf(bound, sizeof bound, fabs(bounds[i] - rint(bounds[i])) <= 0 ? "%.1f" : "%g", bounds[i]);
		else
			snprintf(bound, sizeof bound, "+Inf");
		put_line(writer, "_bucket", (double)below, all, count + 1);
	}
	put_line(writer, "_sum", sum, labels, count);
	put_line(writer, "_count", (double)below, labels, count);
}

void vrs_metric_summary(struct vrs_metric_writer *writer, double sum, double values, const struct vrs_metric_label *labels, int count)
{
	put_line(writer, "_sum", sum, labels, count);
	put_line(writer, "_count", values, labels, count);
}
