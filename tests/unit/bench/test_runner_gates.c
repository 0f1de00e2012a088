/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the rounds of the runner under made-up noise: an excluded run is kept and repeated, at most three times; noise that stays costs no endless
 * retries and leaves figures that are marked; a resumed measurement counts attempts that were made before, and keeps warnings; a case whose interval
 * is narrow needs no more rounds.
 */
#include "unit/bench/fake_runner.h"

#include <math.h>

#include "base/str_parse.h"

/*
 * Each call adds a letter to the log. Calls whose number is in $NOISY ("all": every one) bring 1000 pages back from swap, as the made-up /proc says.
 * Rates rise and fall by $STEP percent, or fall by $DRIFT with each call.
 */
static const char script[] =
	FAKE_CHILD FAKE_PROBE
	"printf x >> \"$FAKE_LOG\"\n"
	"n=$(wc -c < \"$FAKE_LOG\")\n"
	"case \" $NOISY \" in\n"
	"  *' all '* | *\" $n \"*) echo \"pswpin $((n * 1000))\" > \"$VRSEG_ROOT/proc/vmstat\" ;;\n"
	"esac\n"
	"reply \"\\\"fps\\\":$((100 + n % 2 * STEP - n * DRIFT)),\\\"frames\\\":100,\\\"wall_seconds\\\":2\"\n";

static int set_up(void **state)
{
	char path[200];
	(void)state;
	if (fake_set_up("runner-gates", script) != 0)
		return -1;
	snprintf(path, sizeof path, "%s/tree", folder);
	setenv("VRSEG_ROOT", path, 1);
	snprintf(path, sizeof path, "%s/tree/proc", folder);
	return vrs_mkdirs(path, NULL) == VRS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	unsetenv("VRSEG_ROOT");
	return fake_tear_down(state);
}

static int fresh(void **state)
{
	char path[200];
	setenv("STEP", "0", 1);
	setenv("DRIFT", "0", 1);
	snprintf(path, sizeof path, "%s/tree/proc/vmstat", folder);
	return vrs_file_replace(path, "pswpin 0\n", 9, NULL) == VRS_OK ? fake_fresh(state) : -1;
}

static struct vrs_runner *create(enum vrs_gate_mode gates, int rounds, double goal, bool resume, int *ret_index)
{
	struct vrs_runner_options o = fake_options();
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner *runner;
	struct vrs_case c = {.axis = "default"};
	o.input = resume ? NULL : clip;
	o.plan.timeout_seconds = 20;
	o.plan.memory_limit_bytes = INT64_C(1) << 33;
	o.plan.rounds = rounds;
	o.plan.goal = goal;
	o.plan.gates = gates;
	o.resume = resume;
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK || vrs_runner_add(runner, &c, ret_index, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return runner;
}

static const struct vrs_case_result *measure(struct vrs_runner *runner, int index, int rounds)
{
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_runner_measure(runner, &index, 1, 1, rounds, &err) != VRS_OK || vrs_runner_finish(runner, true, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return &vrs_runner_result(runner)->cases[index];
}

static void disturbed_runs_are_repeated(void **state)
{
	(void)state;
	int index;
	setenv("NOISY", "1 2 5", 1);
	struct vrs_runner *runner = create(VRS_GATES_RETRY, 4, 0, false, &index);
	const struct vrs_case_result *c = measure(runner, index, 4);
	static const struct {
		int round, attempt;
		bool excluded;
	} expected[] = {{1, 1, true}, {1, 2, true}, {1, 3, false}, {2, 1, false}, {3, 1, true}, {3, 2, false}, {4, 1, false}};
	assert_int_equal(c->run_count, 7);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(c->runs[i].round, expected[i].round);
		assert_int_equal(c->runs[i].attempt, expected[i].attempt);
		assert_int_equal(strncmp(c->runs[i].excluded, "swap_in: ", 9) == 0, expected[i].excluded);
		assert_int_equal(c->runs[i].status, VRS_RUN_OK); /* kept with its figures */
	}
	assert_int_equal(c->fps.n, 4);
	assert_true(vrs_case_result_is_invalid(c));
	assert_non_null(strstr(c->invalid, "swap_in: 3 of 7 runs excluded")); /* more than a fifth */
	vrs_runner_destroy(runner);
}

/* The first two rounds try four times each, then it is plain that this machine will not get quieter; and there are figures all the same. */
static void noise_that_stays(void **state)
{
	(void)state;
	int index;
	setenv("NOISY", "all", 1);
	struct vrs_runner *runner = create(VRS_GATES_RETRY, 5, 0, false, &index);
	const struct vrs_case_result *c = measure(runner, index, 5);
	assert_int_equal(c->run_count, 4 + 4 + 1 + 1 + 1);
	assert_int_equal(c->fps.n, 11);
	assert_float_equal(c->fps.median, 100, 0);
	assert_non_null(strstr(c->invalid, "11 of 11 runs excluded"));
	vrs_runner_destroy(runner);
}

static void marked_and_off(void **state)
{
	(void)state;
	int index;
	setenv("NOISY", "2", 1);
	struct vrs_runner *runner = create(VRS_GATES_MARK, 3, 0, false, &index);
	const struct vrs_case_result *c = measure(runner, index, 3);
	assert_int_equal(c->run_count, 3);
	assert_int_equal(c->fps.n, 2);
	vrs_runner_destroy(runner);
	fresh(NULL);
	runner = create(VRS_GATES_OFF, 3, 0, false, &index);
	c = measure(runner, index, 3);
	assert_int_equal(c->fps.n, 3);
	assert_string_equal(c->runs[1].excluded, "");
	vrs_runner_destroy(runner);
}

/* Stopped after an excluded run: the round goes on with the next attempt. */
static void attempts_survive(void **state)
{
	(void)state;
	int index;
	char path[200];
	struct vrs_buf text;
	setenv("NOISY", "2 3", 1);
	struct vrs_runner *runner = create(VRS_GATES_RETRY, 3, 0, false, &index);
	measure(runner, index, 3);
	vrs_runner_destroy(runner);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, NULL), VRS_OK);
	size_t length = 0;
	for (int lines = 0; lines < 3; length++) /* plan, round 1, the first attempt of round 2 */
		lines += text.data[length] == '\n';
	assert_int_equal(truncate(path, (off_t)length), 0);
	vrs_buf_fini(&text);
	setenv("NOISY", "", 1);
	runner = create(VRS_GATES_RETRY, 3, 0, true, &index);
	const struct vrs_case_result *c = measure(runner, index, 3);
	assert_int_equal(c->run_count, 4);
	assert_int_equal(c->runs[2].round, 2);
	assert_int_equal(c->runs[2].attempt, 2);
	assert_string_equal(c->runs[2].excluded, "");
	vrs_runner_destroy(runner);
}

static void narrow_cases_need_no_more(void **state)
{
	(void)state;
	int index;
	setenv("NOISY", "", 1);
	struct vrs_runner *runner = create(VRS_GATES_RETRY, 20, 0.01, false, &index);
	const struct vrs_case_result *c = measure(runner, index, 20);
	assert_int_equal(c->run_count, 8);
	assert_string_equal(c->goal_note, "");
	vrs_runner_destroy(runner);
	fresh(NULL);
	setenv("STEP", "10", 1);
	runner = create(VRS_GATES_RETRY, 12, 0.01, false, &index);
	c = measure(runner, index, 12);
	assert_int_equal(c->run_count, 12); /* the cap */
	assert_string_equal(c->goal_note, "half width 4.8 % after 12 runs, the goal is 1.0 %");
	vrs_runner_destroy(runner);
}

static void set_clock_policy(const char *governor, const char *no_turbo)
{
	char path[300];
	snprintf(path, sizeof path, "%s/tree/sys/devices/system/cpu/cpu0/cpufreq", folder);
	assert_int_equal(vrs_mkdirs(path, NULL), VRS_OK);
	snprintf(path, sizeof path, "%s/tree/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", folder);
	assert_int_equal(vrs_file_replace(path, governor, strlen(governor), NULL), VRS_OK);
	snprintf(path, sizeof path, "%s/tree/sys/devices/system/cpu/intel_pstate", folder);
	assert_int_equal(vrs_mkdirs(path, NULL), VRS_OK);
	snprintf(path, sizeof path, "%s/tree/sys/devices/system/cpu/intel_pstate/no_turbo", folder);
	assert_int_equal(vrs_file_replace(path, no_turbo, strlen(no_turbo), NULL), VRS_OK);
}

/* Warnings widen the margin of verdicts: those of a finished measurement are the same when it is resumed, whatever the machine is like by then. */
static void warnings_survive(void **state)
{
	(void)state;
	int index;
	char before[256], log[64], unseen[2][160];
	setenv("NOISY", "", 1);
	setenv("DRIFT", "3", 1);
	set_clock_policy("powersave", "1");
	struct vrs_runner *runner = create(VRS_GATES_OFF, 8, 0, false, &index);
	(void)measure(runner, index, 4);
	set_clock_policy("powersave", "0");
	vrs_strcpy(before, sizeof before, measure(runner, index, 8)->warning);
	assert_non_null(strstr(before, "drift"));
	assert_non_null(strstr(before, "governor (powersave"));
	assert_non_null(strstr(before, "turbo"));
	vrs_runner_unobservable(runner, unseen[0], sizeof unseen[0]);
	vrs_runner_destroy(runner);
	set_clock_policy("performance", "0");
	for (int i = 0; i < 2; i++) {
		runner = create(VRS_GATES_OFF, 8, 0, true, &index);
		assert_string_equal(measure(runner, index, 8)->warning, before);
		vrs_runner_unobservable(runner, unseen[1], sizeof unseen[1]);
		assert_string_equal(unseen[1], unseen[0]);
		vrs_runner_destroy(runner);
	}
	fake_read_log(log, sizeof log);
	assert_int_equal(strlen(log), 8); /* nothing was measured again */
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN); /* as in the programs: a child that ends early is a failed run */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(disturbed_runs_are_repeated, fresh), cmocka_unit_test_setup(noise_that_stays, fresh),
		cmocka_unit_test_setup(marked_and_off, fresh),              cmocka_unit_test_setup(attempts_survive, fresh),
		cmocka_unit_test_setup(narrow_cases_need_no_more, fresh),          cmocka_unit_test_setup(warnings_survive, fresh),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
