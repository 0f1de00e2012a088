/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what frame times say of latency and slow frames: the distribution ends at 100 % with the slowest frame, and bursts are one episode. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/run_graphs.h"
#include "bench/record/frames_file.h"
#include "scratch_folder.h"
#include "unit/analyzer/found.h"
#include "unit/analyzer/made_result.h"

#define FOLDER "latency_graphs"

/* 200 frames of 10 ms, each under way for 25 ms; three of 50 ms close together, and one far behind. */
static void write_frames(const char *path)
{
	struct vrs_frames_writer writer;
	uint64_t now = 1000000000;
	assert_int_equal(vrs_frames_writer_open(&writer, path, NULL), VRS_OK);
	for (int i = 0; i < 201; i++) {
		struct vrs_frame_times t;
		bool slow = i == 50 || i == 52 || i == 58 || i == 150;
		memset(&t, 0, sizeof t);
		now += slow ? 50000000 : 10000000;
		t.index = i;
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			t.start_ns[s] = now - 25000000;
			t.end_ns[s] = now;
		}
		t.intended_ns = t.start_ns[0];
		vrs_frames_writer_add(&writer, &t);
	}
	assert_int_equal(vrs_frames_writer_commit(&writer, NULL), VRS_OK);
}

static void bursts_are_episodes(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(1);
	struct vrs_findings *f = vrs_findings_create();
	write_frames("a.bin");
	(void)vrs_strcpy(r->cases[0].runs[0].frames_file, sizeof r->cases[0].runs[0].frames_file, "a.bin");
	(void)vrs_strcpy(r->cases[1].runs[0].frames_file, sizeof r->cases[1].runs[0].frames_file, "../a.bin"); /* leads out: not followed */
	vrs_latency_graph(r, ".", f);
	vrs_slow_table(r, ".", f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	const struct vrs_table *t = found_table(f, "slow");
	assert_int_equal(t->rows, 1);
	assert_string_equal(found_cell(t, 0, "frames"), "200");
	assert_string_equal(found_cell(t, 0, "slow"), "4");
	assert_string_equal(found_cell(t, 0, "episodes"), "2");
	assert_string_equal(found_cell(t, 0, "longest"), "3");
	assert_string_equal(found_cell(t, 0, "limit (ms)"), "20.0");
	assert_string_equal(found_cell(t, 0, "worst (ms)"), "50.0");
	const struct vrs_graph_data *g = found_graph(f, "latency");
	assert_non_null(g);
	assert_int_equal(g->series_count, 1);
	const struct vrs_series *s = &g->series[0];
	assert_true(fabs(s->x[0] - 25) < 1e-6 && fabs(s->x[s->points - 1] - 25) < 1e-6 && fabs(s->y[s->points - 1] - 100) < 1e-9);
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter(FOLDER);
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_remove(FOLDER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bursts_are_episodes)};
	return cmocka_run_group_tests(tests, enter, leave);
}
