/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: SIGKILL at 100 random moments of a sweep, each time resumed: every run that was told to be finished is still there, no run of a
 * session is there twice, and a kill costs the run in progress at most.
 */
#include "unit/bench/fake_runner.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/rng.h"

/* LEAST_TOLD: runs that have to be told before kills say anything. */
enum { KILLS = 100, CASES = 4, ROUNDS = 1000, LEAST_TOLD = 21, SHORTEST_US = 20000, SPAN_US = 80000, LONGEST_SPAN_US = 2000000 };

/* Every run leaves a line before it answers, so that repeats can be counted. */
static const char script[] =
	FAKE_CHILD FAKE_PROBE
	"echo run >> \"$FAKE_LOG\"\n"
	FAKE_RUN;

static int set_up(void **state)
{
	(void)state;
	return fake_set_up("runner-kill", script);
}

/* Tells the test of each finished run by one byte, after the runner has told it. */
static void on_event(void *cookie, const struct vrs_runner_event *event)
{
	const int *fd = cookie;
	if (event->kind == VRS_RUNNER_RUN_END && write(*fd, "r", 1) != 1)
		_exit(9);
}

static struct vrs_runner_options options(int *fd, bool resume)
{
	struct vrs_runner_options o = fake_options();
	o.input = resume ? NULL : clip;
	o.plan.rounds = ROUNDS;
	o.plan.gates = VRS_GATES_OFF;
	o.resume = resume;
	o.on_event = fd ? on_event : NULL;
	o.cookie = fd;
	return o;
}

/* The measuring process: begins or goes on, until it is killed. */
static _Noreturn void measure(int fd, bool resume)
{
	struct vrs_runner_options o = options(&fd, resume);
	struct vrs_runner *runner;
	struct vrs_error err = {.status = VRS_OK};
	int indices[CASES] = {0, 1, 2, 3};
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		_exit(3);
	}
	for (int i = 0; i < CASES && !resume; i++) {
		struct vrs_case c = {.value_count = 0};
		char value[8];
		snprintf(value, sizeof value, "%d", i + 1);
		if (vrs_case_set(&c, "engine.batch_size", value, &err) != VRS_OK || vrs_runner_add(runner, &c, &indices[i], &err) != VRS_OK)
			_exit(4);
	}
	_exit(vrs_runner_measure(runner, indices, CASES, 1, ROUNDS, &err) == VRS_OK ? 0 : 5);
}

static int count_bytes(int fd)
{
	char block[4096];
	int count = 0;
	for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
		count += (int)n;
	return count;
}

static int lines_of(const char *path)
{
	struct vrs_buf text;
	int lines = 0;
	if (vrs_file_read(path, 1 << 24, &text, NULL) != VRS_OK)
		return 0;
	for (size_t i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	vrs_buf_fini(&text);
	return lines;
}

/* Runs in the journal, each once; fails the test on a second run of a case in one round of a session. */
static int runs_recorded(void)
{
	struct vrs_runner_options o = options(NULL, true);
	struct vrs_runner *runner;
	struct vrs_error err = {.status = VRS_OK};
	int runs = 0;
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK)
		fail_msg("%s", err.text);
	const struct vrs_result *result = vrs_runner_result(runner);
	assert_int_equal(result->case_count, CASES);
	for (int i = 0; i < CASES; i++) {
		static bool seen[KILLS + 2][ROUNDS + 1];
		memset(seen, 0, sizeof seen);
		for (int k = 0; k < result->cases[i].run_count; k++) {
			const struct vrs_run *run = &result->cases[i].runs[k];
			assert_int_equal(run->status, VRS_RUN_OK); /* a killed sweep leaves no run that looks failed */
			assert_true(run->session <= KILLS + 1);
			assert_false(seen[run->session][run->round]);
			seen[run->session][run->round] = true;
			runs++;
		}
	}
	vrs_runner_destroy(runner);
	return runs;
}

static void killed_at_random(void **state)
{
	(void)state;
	struct vrs_rng rng;
	char journal[200];
	int told = 0, kills_in_work = 0, span = SPAN_US;
	bool begun = false;
	snprintf(journal, sizeof journal, "%s/journal.jsonl", result_dir);
	vrs_rng_init(&rng, 20);
	for (int k = 0; k < KILLS; k++) {
		int pipes[2], status;
		assert_int_equal(pipe(pipes), 0);
		fflush(NULL);
		pid_t pid = fork();
		if (pid == 0) {
			close(pipes[0]);
			measure(pipes[1], begun);
		}
		close(pipes[1]);
		usleep((useconds_t)(SHORTEST_US + vrs_rng_below(&rng, (uint32_t)span)));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSIGNALED(status))
			fail_msg("the sweep ended by itself with %d", WEXITSTATUS(status));
		int now = count_bytes(pipes[0]);
		close(pipes[0]);
		told += now;
		kills_in_work += now > 0;
		/*
		 * A loaded machine and sanitizers begin late: wait longer after a kill that came before the first run, less after one that came
		 * well after.
		 */
		span = now == 0 && span < LONGEST_SPAN_US ? span + span / 4 : now > 4 && span > SPAN_US ? span - span / 8 : span;
		begun = begun || lines_of(journal) > 0;
	}
	assert_true(begun && told >= LEAST_TOLD && kills_in_work >= LEAST_TOLD / 2);
	int recorded = runs_recorded(), started_runs = lines_of(fake_log);
	print_message("%d runs told, %d recorded, %d fake_log, by %d kills\n", told, recorded, started_runs, KILLS);
	assert_true(recorded >= told);                 /* nothing that was finished is lost */
	assert_true(recorded - told <= KILLS);         /* between journal and message */
	assert_true(started_runs - recorded <= KILLS); /* each kill costs the run in progress at most */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_random),
	};
	return cmocka_run_group_tests(tests, set_up, fake_tear_down);
}
