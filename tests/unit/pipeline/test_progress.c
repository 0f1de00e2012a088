/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the rate of a progress line: over the last seconds of one job, and from its own beginning where another one follows on the same meter; the
 * place of a job that goes on where a run before was ended counts that run's frames, its rate and the time left do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/progress.h>

/* No job runs here. */
void vrs_job_stats(const struct vrs_job *job, struct vrs_job_stats *ret_stats)
{
	(void)job;
	*ret_stats = (struct vrs_job_stats){.frames_done = 0};
}

/* frames_per_s of the line that is written for a job so far. */
static double rate_of(struct vrs_progress_meter *meter, FILE *out, double seconds, uint64_t frames)
{
	struct vrs_job_stats stats = {.frames_done = frames, .frames_total = 1000, .wall_ns = (uint64_t)(seconds * 1e9)};
	char line[400];
	rewind(out);
	vrs_progress_stats(meter, &stats);
	rewind(out);
	assert_non_null(fgets(line, sizeof line, out));
	const char *at = strstr(line, "\"frames_per_s\": ");
	assert_non_null(at);
	return strtod(at + strlen("\"frames_per_s\": "), NULL);
}

static void a_second_job_begins_anew(void **state)
{
	struct vrs_progress_meter *meter;
	FILE *out = tmpfile();
	(void)state;
	assert_non_null(out);
	assert_int_equal(vrs_progress_create(&meter, VRS_PROGRESS_JSON, out), VRS_OK);
	assert_float_equal(rate_of(meter, out, 1, 10), 10, 1e-6);
	assert_float_equal(rate_of(meter, out, 2, 30), 20, 1e-6);
	assert_float_equal(rate_of(meter, out, 1, 5), 5, 1e-6); /* another input */
	assert_float_equal(rate_of(meter, out, 2, 15), 10, 1e-6);
	assert_float_equal(rate_of(meter, out, 3, 1), 1.0 / 3, 1e-3); /* another try of it */
	vrs_progress_destroy(meter);
	fclose(out);
}

static void check_line(enum vrs_progress mode, const struct vrs_job_stats *stats, bool ends, const char *wanted)
{
	struct vrs_progress_meter *meter;
	FILE *out = tmpfile();
	char line[400] = "";
	assert_non_null(out);
	assert_int_equal(vrs_progress_create(&meter, mode, out), VRS_OK);
	if (ends)
		vrs_progress_end(meter, stats);
	else
		vrs_progress_stats(meter, stats);
	rewind(out);
	assert_non_null(fgets(line, sizeof line, out));
	assert_string_equal(line, wanted);
	vrs_progress_destroy(meter);
	fclose(out);
}

static void frames_of_runs_before_are_done(void **state)
{
	struct vrs_job_stats stats = {.frames_earlier = 400, .frames_done = 20, .frames_total = 1000, .wall_ns = 2000000000u};
	(void)state;
	check_line(VRS_PROGRESS_AUTO, &stats, false, "frame 420 of 1000 (42 %), 10.0 frames/s, 0:58 left\n");
	check_line(VRS_PROGRESS_JSON, &stats, false, "{\"frame\": 420, \"frames_total\": 1000, \"elapsed_s\": 2.000, \"frames_per_s\": 10.000, "
		   "\"remaining_s\": 58.0, \"done\": false}\n");
	stats.frames_earlier = 1000; /* there was only joining left */
	stats.frames_done = 0;
	check_line(VRS_PROGRESS_JSON, &stats, true, "{\"frame\": 1000, \"frames_total\": 1000, \"elapsed_s\": 2.000, \"frames_per_s\": 0.000, "
		   "\"remaining_s\": 0.0, \"done\": true}\n");
	stats.frames_earlier = 400; /* nothing is known yet */
	check_line(VRS_PROGRESS_JSON, &stats, false, "{\"frame\": 400, \"frames_total\": 1000, \"elapsed_s\": 2.000, \"frames_per_s\": 0.000, "
		   "\"done\": false}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_second_job_begins_anew), cmocka_unit_test(frames_of_runs_before_are_done)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
