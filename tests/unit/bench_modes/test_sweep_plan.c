/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a budget is spent on the headline first, then on breadth in order of importance, then on precision; what does not fit is left out and said;
 * estimates follow what runs really took; a sweep that nobody would wait for is refused; the plan tells time, disk and memory of each case and in
 * sum.
 */
#include "unit/bench/fake_runner.h"

#include "bench/modes/sweep_plan.h"

/* Every run takes a fifth of a second. */
static const char script[] =
	FAKE_CHILD FAKE_PROBE
	"sleep 0.2\n"
	FAKE_RUN;

static int set_up(void **state)
{
	(void)state;
	return fake_set_up("sweep-plan", script);
}

/* Cases of batch 1, 2, 3 ... */
static struct vrs_runner *make_runner(int cases, int rounds)
{
	struct vrs_runner_options o = fake_options();
	struct vrs_runner *runner;
	struct vrs_error err = {.status = VRS_OK};
	o.plan.rounds = rounds;
	o.overwrite = true;
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int i = 0; i < cases; i++) {
		char id[64];
		struct vrs_case c;
		int index;
		snprintf(id, sizeof id, "r=640x480/b=%d/p=fp32/t=1", i + 1);
		assert_int_equal(vrs_case_parse(id, &c, &err), VRS_OK);
		c.width = c.height = 0;
		assert_int_equal(vrs_runner_add(runner, &c, &index, &err), VRS_OK);
	}
	return runner;
}

static bool has_round(const struct vrs_case_result *c, int round)
{
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].round == round)
			return true;
	return false;
}

static void budget_order(void **state)
{
	(void)state;
	enum { CASES = 8, ROUNDS = 50 };
	struct vrs_runner *runner = make_runner(CASES, ROUNDS);
	struct vrs_error err = {.status = VRS_OK};
	bool complete = true;
	assert_int_equal(vrs_sweep_plan_measure(runner, ROUNDS, 4, &complete, &err), VRS_OK);
	assert_false(complete);
	const struct vrs_result *result = vrs_runner_result(runner);
	for (int r = 1; r <= VRS_HEADLINE_ROUNDS; r++) {
		assert_true(has_round(&result->cases[0], r));
		assert_false(has_round(&result->cases[1], r)); /* rounds of the default alone are no pairs */
	}
	/* One round of all cases, shared with the default, and no case before one that matters more. */
	for (int i = 1; i < CASES; i++)
		if (has_round(&result->cases[i], VRS_HEADLINE_ROUNDS + 1))
			assert_true(has_round(&result->cases[i - 1], VRS_HEADLINE_ROUNDS + 1));
	assert_true(has_round(&result->cases[1], VRS_HEADLINE_ROUNDS + 1));
	for (int i = 0; i < CASES; i++)
		assert_true(!has_round(&result->cases[i], VRS_HEADLINE_ROUNDS + 2) || has_round(&result->cases[CASES - 1], VRS_HEADLINE_ROUNDS + 1));
	vrs_runner_destroy(runner);
}

static void no_budget(void **state)
{
	(void)state;
	struct vrs_runner *runner = make_runner(2, 2);
	struct vrs_error err = {.status = VRS_OK};
	bool complete = false;
	assert_int_equal(vrs_sweep_plan_measure(runner, 2, 0, &complete, &err), VRS_OK);
	assert_true(complete);
	assert_int_equal(vrs_runner_result(runner)->cases[1].run_count, 2);
	/* What has run is believed, and corrects the guess of what has not. */
	double known = vrs_runner_cost(runner, 0).seconds;
	assert_true(known >= 0.2 && known < 10);
	struct vrs_case c;
	int index;
	assert_int_equal(vrs_case_parse("r=640x480/b=9/p=fp32/t=1", &c, &err), VRS_OK);
	c.width = c.height = 0;
	assert_int_equal(vrs_runner_add(runner, &c, &index, &err), VRS_OK);
	double guess = vrs_runner_cost(runner, index).seconds;
	assert_true(guess > known / 3 && guess < 3 * known);
	vrs_runner_destroy(runner);
}

static void endless_sweeps(void **state)
{
	(void)state;
	struct vrs_runner *runner = make_runner(64, 100);
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_sweep_plan_check(runner, 1, &err), VRS_OK);
	assert_int_equal(vrs_sweep_plan_check(runner, 100, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "--budget"));
	vrs_runner_destroy(runner);
}

static void plan_text(void **state)
{
	(void)state;
	struct vrs_runner *runner = make_runner(3, 10);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(vrs_sweep_plan_print(runner, 10, 60, out, NULL), VRS_OK);
	fclose(out);
	assert_non_null(strstr(text, "  r=640x480/b=3/p=fp32/t=1 "));
	assert_non_null(strstr(text, "3 cases x 10 rounds = 30 runs, about "));
	assert_non_null(strstr(text, "Disk: clips to make 0 MiB, frame times "));
	assert_non_null(strstr(strstr(text, "Memory:"), " MiB")); /* wherever the line breaks */
	assert_non_null(strstr(text, "The budget of 1:00 holds 3 rounds of the default, "));
	free(text); /* libc: of open_memstream */
	vrs_runner_destroy(runner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budget_order),
		cmocka_unit_test(no_budget),
		cmocka_unit_test(endless_sweeps),
		cmocka_unit_test(plan_text),
	};
	return cmocka_run_group_tests(tests, set_up, fake_tear_down);
}
