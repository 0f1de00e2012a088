/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the progress of vrbench: a log has a line for each finished run and none in between, a terminal one that is replaced and never wraps, with
 * the estimate of the case so far against its goal and the sensors of the machine; JSON is one object an event, without what is not known; and
 * control characters of names reach neither.
 */
#include "unit/progress_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/modes/bench_progress.h"

static struct vrs_run runs[8];
static struct vrs_case_result one = {.id = "r=640x480/b=1", .runs = runs};

/* So many good runs, one frame a second apart. */
static void have_runs(int count)
{
	for (int i = 0; i < count; i++)
		runs[i] = (struct vrs_run){.status = VRS_RUN_OK, .fps = 100 + i, .frames = 200, .wall_seconds = 2, .warmup_settled = true,
			.latency_median_ms = 10 + i};
	one.run_count = count;
}

static struct vrs_runner_event event_of(enum vrs_runner_event_kind kind)
{
	return (struct vrs_runner_event){.kind = kind, .case_result = &one, .done = 3, .total = 16, .round = 2, .rounds = 8, .eta_seconds = NAN,
		.elapsed_seconds = 75, .run_seconds = 4};
}

static void test_log(void **state)
{
	char buf[1024];
	FILE *out = tmpfile();
	struct vrs_bench_progress progress;
	(void)state;
	assert_non_null(out);
	vrs_bench_progress_init(&progress, VRS_PROGRESS_AUTO, out);
	have_runs(1);
	struct vrs_runner_event event = event_of(VRS_RUNNER_RUN_START);
	vrs_bench_progress_event(&progress, &event);
	event.kind = VRS_RUNNER_TICK;
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "");

	event = event_of(VRS_RUNNER_RUN_END);
	event.run = &runs[0];
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "[3/16] round 2/8 r=640x480/b=1: 100.0 FPS, 200 frames in 2.0 s, ETA ?\n");
	runs[0].warmup_settled = false;
	snprintf(runs[0].excluded, sizeof runs[0].excluded, "STEAL: 4 %% were taken; use an idle machine");
	event.eta_seconds = 3721;
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf),
			    "[3/16] round 2/8 r=640x480/b=1: 100.0 FPS, 200 frames in 2.0 s, not settled, excluded: STEAL, ETA 1:02:01\n");
	runs[0] = (struct vrs_run){.status = VRS_RUN_TIMEOUT, .reason = "it took more than 9 s"};
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "[3/16] round 2/8 r=640x480/b=1: timeout: it took more than 9 s, ETA 1:02:01\n");

	event = event_of(VRS_RUNNER_PREPARE);
	event.text = "making a clip of a\033[2Jb.mp4";
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "vrbench: making a clip of a\\x1b[2Jb.mp4\n");
	event = event_of(VRS_RUNNER_SKIPPED);
	event.text = "memory: needs 9 GiB";
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "vrbench: r=640x480/b=1 skipped: memory: needs 9 GiB\n");
	vrs_bench_progress_fini(&progress);
	fclose(out);
}

/* The line in progress up to " |", behind which the machine is. */
static void expect_line(struct progress_terminal *terminal, const char *want)
{
	char buf[1024];
	char *end = strstr((char *)(uintptr_t)progress_terminal_read(terminal, buf, sizeof buf), " |");
	assert_non_null(end);
	assert_string_equal(end + strlen(end) - 5, " free");
	assert_non_null(strstr(end, " MHz"));
	*end = '\0';
	assert_string_equal(buf, want);
}

static void test_terminal(void **state)
{
	char buf[1024];
	struct progress_terminal terminal = progress_terminal_open(200);
	struct vrs_bench_progress progress;
	(void)state;
	assert_int_equal(setenv("VRSEG_ROOT", VRS_TEST_DIR "/machines/hybrid-laptop", 1), 0);
	vrs_bench_progress_init(&progress, VRS_PROGRESS_AUTO, terminal.out);
	have_runs(0);
	struct vrs_runner_event event = event_of(VRS_RUNNER_RUN_START);
	vrs_bench_progress_event(&progress, &event);
	expect_line(&terminal, "\r\033[K[4/16] round 2/8 r=640x480/b=1, 4 s, elapsed 1:15, ETA ?");
	event.kind = VRS_RUNNER_TICK;
	have_runs(2); /* too few for an interval */
	vrs_bench_progress_event(&progress, &event);
	expect_line(&terminal, "\r\033[K[4/16] round 2/8 r=640x480/b=1, 4 s, case 100.5 FPS (100.0..101.0), elapsed 1:15, ETA ?");
	have_runs(8);
	vrs_bench_progress_event(&progress, &event);
	expect_line(&terminal, "\r\033[K[4/16] round 2/8 r=640x480/b=1, 4 s, case 103.5 FPS +-3.4 %, elapsed 1:15, ETA ?");
	event.goal = 0.01;
	vrs_bench_progress_event(&progress, &event);
	expect_line(&terminal, "\r\033[K[4/16] round 2/8 r=640x480/b=1, 4 s, case 103.5 FPS +-3.4 % (goal 1.0 %), elapsed 1:15, ETA ?");
	one.live_hz = 90; /* the rate is given: latencies are what is measured */
	vrs_bench_progress_event(&progress, &event);
	progress_terminal_read(&terminal, buf, sizeof buf);
	assert_non_null(strstr(buf, " FPS, latency +-"));
	one.live_hz = 0;

	event = event_of(VRS_RUNNER_RUN_END); /* takes the place of the line */
	event.run = &runs[0];
	vrs_bench_progress_event(&progress, &event);
	progress_terminal_read(&terminal, buf, sizeof buf);
	assert_memory_equal(buf, "\r\033[K[3/16] round", strlen("\r\033[K[3/16] round"));
	vrs_bench_progress_fini(&progress);
	progress_terminal_close(&terminal);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
}

static void test_narrow_terminal(void **state)
{
	char buf[1024];
	struct progress_terminal terminal = progress_terminal_open(40);
	struct vrs_bench_progress progress;
	(void)state;
	vrs_bench_progress_init(&progress, VRS_PROGRESS_AUTO, terminal.out);
	have_runs(8);
	struct vrs_runner_event event = event_of(VRS_RUNNER_TICK);
	vrs_bench_progress_event(&progress, &event);
	progress_terminal_read(&terminal, buf, sizeof buf);
	assert_string_equal(buf, "\r\033[K[4/16] round 2/8 r=640x480/b=1, 4 s, ca");
	assert_int_equal(strlen(buf), strlen("\r\033[K") + 39);
	vrs_bench_progress_fini(&progress);
	progress_terminal_close(&terminal);
}

static void test_json(void **state)
{
	char buf[1024];
	FILE *out = tmpfile();
	struct vrs_bench_progress progress;
	(void)state;
	assert_non_null(out);
	vrs_bench_progress_init(&progress, VRS_PROGRESS_JSON, out);
	have_runs(1);
	struct vrs_runner_event event = event_of(VRS_RUNNER_TICK);
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "{\"event\":\"tick\",\"done\":3,\"total\":16,\"round\":2,"
			    "\"case\":\"r=640x480/b=1\",\"run_seconds\":4,\"elapsed_seconds\":75}\n");
	event = event_of(VRS_RUNNER_RUN_END);
	event.run = &runs[0];
	event.eta_seconds = 30;
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "{\"event\":\"run_end\",\"done\":3,\"total\":16,\"round\":2,"
			    "\"case\":\"r=640x480/b=1\",\"status\":\"ok\",\"fps\":100,\"elapsed_seconds\":75,\"eta_seconds\":30}\n");
	event = (struct vrs_runner_event){.kind = VRS_RUNNER_PREPARE, .text = "a\033b \"c\"", .total = 16, .eta_seconds = NAN};
	vrs_bench_progress_event(&progress, &event);
	cJSON *line = cJSON_Parse(progress_file_read(out, buf, sizeof buf));
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(line, "text")), "a\033b \"c\"");
	assert_null(strchr(buf, '\033'));
	cJSON_Delete(line);

	vrs_bench_progress_init(&progress, VRS_PROGRESS_NONE, out);
	vrs_bench_progress_event(&progress, &event);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "");
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log), cmocka_unit_test(test_terminal), cmocka_unit_test(test_narrow_terminal), cmocka_unit_test(test_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
