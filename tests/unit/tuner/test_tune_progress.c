/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the progress of vrtune: a log has a line for each step and each finished run, a terminal one that is replaced and never wraps, JSON one
 * object each without what is not known; and control characters of names reach neither.
 */
#include "unit/progress_output.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "tuner/tune_progress.h"

static struct vrs_run good = {.status = VRS_RUN_OK, .fps = 61.25}, bad = {.status = VRS_RUN_TIMEOUT, .fps = NAN};
static struct vrs_case_result one = {.id = "preset=superfast", .skipped = "memory: needs 9 GiB"};
static const struct vrs_step first = {.phase = "screening", .why = "", .stretch = 1};
static const struct vrs_step next = {.phase = "proving", .why = "they lie close together", .stretch = 2, .leading = "1.34x preset=superfast",
	.left_seconds = 100};

static struct vrs_runner_event event_of(enum vrs_runner_event_kind kind, const struct vrs_run *run)
{
	return (struct vrs_runner_event){.kind = kind, .case_result = &one, .run = run, .done = 3, .total = 16, .eta_seconds = NAN};
}

static void tell(struct vrs_tune_progress *progress, enum vrs_runner_event_kind kind, const struct vrs_run *run, double eta)
{
	struct vrs_runner_event event = event_of(kind, run);
	event.eta_seconds = eta;
	vrs_tune_progress_event(progress, &event);
}

static void test_log(void **state)
{
	char buf[1024];
	FILE *out = tmpfile();
	struct vrs_tune_progress progress;
	struct vrs_runner_event prepare = {.kind = VRS_RUNNER_PREPARE, .text = "making a clip of a\033[2Jb.mp4", .eta_seconds = NAN};
	(void)state;
	assert_non_null(out);
	vrs_tune_progress_init(&progress, VRS_PROGRESS_AUTO, out);
	vrs_tune_progress_step(&progress, &first, 1, 3);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "vrtune: screening: 1 setting, 3 rounds\n");
	vrs_tune_progress_step(&progress, &next, 2, 1);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "vrtune: ahead of the default so far: 1.34x preset=superfast\n"
			    "vrtune: proving: 2 settings, 1 round: they lie close together (at most 2 min until the end of the search)\n");
	tell(&progress, VRS_RUNNER_RUN_START, NULL, NAN);
	tell(&progress, VRS_RUNNER_TICK, NULL, NAN);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "");
	tell(&progress, VRS_RUNNER_RUN_END, &good, NAN);
	tell(&progress, VRS_RUNNER_RUN_END, &bad, 65);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "vrtune: proving 3/16 preset=superfast 61.2 FPS\n"
			    "vrtune: proving 3/16 preset=superfast timeout, 1:05 left\n");
	tell(&progress, VRS_RUNNER_SKIPPED, NULL, NAN);
	vrs_tune_progress_event(&progress, &prepare);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "vrtune: preset=superfast: memory: needs 9 GiB\n"
			    "vrtune: making a clip of a\\x1b[2Jb.mp4\n");
	vrs_tune_progress_end(&progress);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "");
	fclose(out);
}

static void test_terminal(void **state)
{
	char buf[1024];
	struct progress_terminal terminal = progress_terminal_open(41);
	struct vrs_tune_progress progress;
	(void)state;
	vrs_tune_progress_init(&progress, VRS_PROGRESS_AUTO, terminal.out);
	vrs_tune_progress_step(&progress, &first, 1, 3);
	assert_string_equal(progress_terminal_read(&terminal, buf, sizeof buf), "vrtune: screening: 1 setting, 3 rounds\r\n");
	tell(&progress, VRS_RUNNER_RUN_START, NULL, NAN);
	assert_string_equal(progress_terminal_read(&terminal, buf, sizeof buf), "\r\033[Kvrtune: screening 4/16 preset=superfast");
	tell(&progress, VRS_RUNNER_RUN_END, &good, 65); /* cut: 41 columns */
	assert_string_equal(progress_terminal_read(&terminal, buf, sizeof buf), "\r\033[Kvrtune: screening 3/16 preset=superfast ");
	assert_int_equal(strlen(buf), strlen("\r\033[K") + 40);
	vrs_tune_progress_step(&progress, &first, 2, 3); /* the line in progress stays above */
	assert_string_equal(progress_terminal_read(&terminal, buf, sizeof buf), "\r\nvrtune: screening: 2 settings, 3 rounds\r\n");
	progress_terminal_close(&terminal);
}

static void test_json(void **state)
{
	char buf[1024];
	FILE *out = tmpfile();
	struct vrs_tune_progress progress;
	struct vrs_runner_event prepare = {.kind = VRS_RUNNER_PREPARE, .text = "a\033b", .total = 16, .eta_seconds = NAN};
	(void)state;
	assert_non_null(out);
	vrs_tune_progress_init(&progress, VRS_PROGRESS_JSON, out);
	vrs_tune_progress_step(&progress, &first, 1, 3);
	vrs_tune_progress_step(&progress, &next, 2, 1);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "{\"phase\":\"screening\",\"why\":\"\",\"settings\":1,\"rounds\":3}\n"
			    "{\"phase\":\"proving\",\"why\":\"they lie close together\",\"settings\":2,\"rounds\":1,"
			    "\"leading\":\"1.34x preset=superfast\",\"search_eta_seconds\":100}\n");
	tell(&progress, VRS_RUNNER_TICK, NULL, NAN);
	tell(&progress, VRS_RUNNER_RUN_END, &good, 65);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "{\"phase\":\"proving\",\"done\":3,\"total\":16,"
			    "\"case\":\"preset=superfast\",\"fps\":61.25,\"eta_seconds\":65}\n");
	vrs_tune_progress_event(&progress, &prepare);
	progress_file_read(out, buf, sizeof buf);
	assert_null(strchr(buf, '\033'));
	cJSON *line = cJSON_Parse(buf);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(line, "text")), "a\033b");
	cJSON_Delete(line);

	vrs_tune_progress_init(&progress, VRS_PROGRESS_NONE, out);
	vrs_tune_progress_step(&progress, &first, 1, 3);
	tell(&progress, VRS_RUNNER_RUN_END, &good, 65);
	assert_string_equal(progress_file_read(out, buf, sizeof buf), "");
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_log), cmocka_unit_test(test_terminal), cmocka_unit_test(test_json)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
