/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the text of metrics in both formats: names, metadata, escapes, also of bytes that are no UTF-8, numbers, buckets that count upwards, and the
 * mark at the end; a text that does not fit is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/buf.h"

#include <vrseg/metrics.h>

static const struct vrs_metric gauge = {"x_heat_celsius", VRS_METRIC_GAUGE, "celsius", "How warm it is."};
static const struct vrs_metric counter = {"x_frames", VRS_METRIC_COUNTER, "", "Frames."};
static const struct vrs_metric histogram = {"x_seconds", VRS_METRIC_HISTOGRAM, "seconds", "Time."};

#define GAUGE_SAMPLES "x_heat_celsius{name=\"a\\\\b\\\"c\\nd\",other=\"\xc3\xa4\"} 41.5\nx_heat_celsius NaN\n"
#define HISTOGRAM_SAMPLES \
	"x_seconds_bucket{stage=\"one\",le=\"0.5\"} 3\nx_seconds_bucket{stage=\"one\",le=\"1.0\"} 3\n" \
	"x_seconds_bucket{stage=\"one\",le=\"+Inf\"} 5\nx_seconds_sum{stage=\"one\"} 7.25\nx_seconds_count{stage=\"one\"} 5\n"

static void write_all(struct vrs_metric_writer *writer)
{
	const struct vrs_metric_label labels[] = {{"name", "a\\b\"c\nd"}, {"left_out", NULL}, {"other", "\xc3\xa4"}};
	const double bounds[] = {0.5, 1};
	const uint64_t counts[] = {3, 0, 2};

	vrs_metric_begin(writer, &gauge);
	vrs_metric_sample(writer, 41.5, labels, 3);
	vrs_metric_sample(writer, NAN, &(const struct vrs_metric_label){"name", NULL}, 1);
	vrs_metric_value(writer, &counter, 1795519835.524);
	vrs_metric_begin(writer, &histogram);
	vrs_metric_histogram(writer, bounds, 2, counts, 7.25, &(const struct vrs_metric_label){"stage", "one"}, 1);
}

static void in_format(enum vrs_metrics_format format, const char *expected)
{
	struct vrs_buf text;

	vrs_buf_init(&text, 10000);
	struct vrs_metric_writer *writer = vrs_metric_writer_begin(&text, format);
	assert_non_null(writer);
	write_all(writer);
	assert_int_equal(vrs_metric_writer_end(writer), VRS_OK);
	assert_string_equal(vrs_buf_str(&text), expected);
	vrs_buf_fini(&text);
}

static void prometheus(void **state)
{
	(void)state;
	in_format(VRS_METRICS_PROMETHEUS, "# HELP x_heat_celsius How warm it is.\n# TYPE x_heat_celsius gauge\n" GAUGE_SAMPLES
					  "# HELP x_frames_total Frames.\n# TYPE x_frames_total counter\nx_frames_total 1795519835.524\n"
					  "# HELP x_seconds Time.\n# TYPE x_seconds histogram\n" HISTOGRAM_SAMPLES);
}

static void openmetrics(void **state)
{
	(void)state;
	in_format(VRS_METRICS_OPENMETRICS, "# HELP x_heat_celsius How warm it is.\n# TYPE x_heat_celsius gauge\n"
					   "# UNIT x_heat_celsius celsius\n" GAUGE_SAMPLES
					   "# HELP x_frames Frames.\n# TYPE x_frames counter\nx_frames_total 1795519835.524\n"
					   "# HELP x_seconds Time.\n# TYPE x_seconds histogram\n# UNIT x_seconds seconds\n" HISTOGRAM_SAMPLES "# EOF\n");
}

/* Names of files may hold any byte, the formats only UTF-8: others are shown, so that the text can still be read. */
static void bytes_that_are_no_utf8(void **state)
{
	const struct vrs_metric_label label = {"name", "n\xff.\xc3\xa4\xc3\\\xed\xa0\x80\xf0\x9f\x98\x80\xe2\x82"};
	struct vrs_buf text;

	(void)state;
	vrs_buf_init(&text, 1000);
	struct vrs_metric_writer *writer = vrs_metric_writer_begin(&text, VRS_METRICS_PROMETHEUS);
	assert_non_null(writer);
	vrs_metric_begin(writer, &gauge);
	vrs_metric_sample(writer, 1, &label, 1);
	assert_int_equal(vrs_metric_writer_end(writer), VRS_OK);
	assert_non_null(strstr(vrs_buf_str(&text), "{name=\"n\\\\xff.\xc3\xa4\\\\xc3\\\\\\\\xed\\\\xa0\\\\x80\xf0\x9f\x98\x80\\\\xe2\\\\x82\"} 1\n"));
	vrs_buf_fini(&text);
}

/* Every size that is too small. */
static void no_room(void **state)
{
	(void)state;
	struct vrs_buf text;

	for (size_t max = 1; max < 400; max += 7) {
		vrs_buf_init(&text, max);
		struct vrs_metric_writer *writer = vrs_metric_writer_begin(&text, VRS_METRICS_PROMETHEUS);
		assert_non_null(writer);
		write_all(writer);
		assert_int_equal(vrs_metric_writer_end(writer), VRS_ELIMIT);
		vrs_buf_fini(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prometheus),
		cmocka_unit_test(openmetrics),
		cmocka_unit_test(bytes_that_are_no_utf8), cmocka_unit_test(no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
