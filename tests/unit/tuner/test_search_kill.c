/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: SIGKILL at random moments of searches (40, or as many as the argument says: 100 at night), each time resumed: the searches come to their
 * end with the choice of one that nobody disturbed, and no run that was finished is repeated.  Speed and memory of the fake child depend on the case
 * and the round alone, with 2 % of noise.
 */
#include "unit/bench/fake_runner.h"

#include <sys/wait.h>

#include "base/rng.h"
#include "tuner/measure.h"
#include "tuner/search.h"

/* LATEST_US: on a loaded machine the next kill waits longer, until a process gets to its first run. */
enum { SEARCHES_AT_LEAST = 1, SHORTEST_US = 30000, SPAN_US = 250000, LATEST_US = 4000000, MOST_LOST = 6 };

/* Frames a second times 100: presets and the queue matter, and the sum over a name that says case and round is the noise. */
static const char script[] =
	FAKE_CHILD FAKE_PROBE
	"name=${request#*frames_file}\n"
	"name=${name%%.bin*}\n"
	"name=${name%-[0-9]}\n" /* of the session: a run of the default that is repeated after a kill is the same */
	"sum=$(printf '%s' \"${name%-[0-9][0-9]}\" | cksum)\n"
	"fps=$((5000 + ${sum%% *} % 100))\n"
	"case $request in *superfast*) fps=$((fps * 112 / 100)) ;; *medium*) fps=$((fps / 2)) ;; esac\n"
	"case $request in *'queue_size\":\"8\"'*) fps=$((fps * 108 / 100)) ;; esac\n"
	"echo \"$request\" >>\"$FAKE_LOG\"\n"
	"reply \"\\\"fps\\\":$((fps / 100)).$((fps % 100 + 100)),\\\"frames\\\":100,\\\"wall_seconds\\\":2,\\\"iou\\\":0.95,"
	"\\\"peak_rss_bytes\\\":1000000000\"\n";

static char choice_file[180];
static int most_kills = 40;

static int set_up(void **state)
{
	(void)state;
	if (fake_set_up("search-kill", script) != 0)
		return -1;
	snprintf(choice_file, sizeof choice_file, "%s/choice", folder);
	return 0;
}

/* Search to the end and write down what was chosen. Only the exit code is left of a process that was killed. */
static int search_once(bool resume)
{
	struct vrs_runner_options o = fake_options();
	struct vrs_search_options options = vrs_search_options_default(false);
	struct vrs_runner *runner;
	struct vrs_space space;
	struct vrs_search_result result;
	struct vrs_error err = {.status = VRS_OK};
	o.input = resume ? NULL : clip;
	o.resume = resume;
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	struct vrs_tune_measure measure = {.runner = runner, .next_round = 1};
	options.explore_runs = 60;
	if (vrs_space_build(&space, base, vrs_runner_input(runner), "preset queue_size stride", &err) != VRS_OK ||
	    vrs_search(&space, &options, vrs_tune_measure, &measure, &result, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 4;
	}
	char text[2048];
	int length = snprintf(text, sizeof text, "%s\n%s\n%s\n", result.best_id, result.sentence, result.tie);
	enum vrs_status status = vrs_file_replace(choice_file, text, (size_t)length, NULL);
	vrs_search_result_fini(&result);
	vrs_runner_destroy(runner);
	return status == VRS_OK ? 0 : 5;
}

/* Without the last sentence, which counts runs: one that is repeated beside those that it has no pair with counts, too. */
static void read_choice(char *buf, size_t size)
{
	struct vrs_buf text;
	assert_int_equal(vrs_file_read(choice_file, size - 1, &text, NULL), VRS_OK);
	const char *last = strstr(vrs_buf_str(&text), " In "), *rest = last ? strchr(last, '\n') : NULL;
	assert_non_null(rest);
	snprintf(buf, size, "%.*s%s", (int)(last - vrs_buf_str(&text)), vrs_buf_str(&text), rest);
	vrs_buf_fini(&text);
}

/* In a process of its own, killed after so many microseconds; 0: never. True: it came to its end. */
static bool search_until(int after_us, bool resume)
{
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(search_once(resume));
	for (int waited = 0; after_us == 0 || waited < after_us; waited += 1000) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 0);
			return true;
		}
		usleep(1000);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int lines_of(const char *path)
{
	FILE *file = fopen(path, "r");
	int lines = 0, c;
	while (file && (c = fgetc(file)) != EOF)
		lines += c == '\n';
	if (file)
		(void)fclose(file);
	return lines;
}

static void killed_at_random(void **state)
{
	char undisturbed[2048], resumed[2048], journal[200];
	struct vrs_rng rng;
	int searches = 0, kills_in_work = 0, kills = 0, span = SPAN_US, of_this = 0;
	snprintf(journal, sizeof journal, "%s/journal.jsonl", result_dir);
	vrs_rng_init(&rng, 16);
	assert_true(search_until(0, false));
	read_choice(undisturbed, sizeof undisturbed);
	assert_non_null(strstr(undisturbed, "output.preset=superfast"));
	int runs = lines_of(fake_log);
	(void)fake_fresh(state);
	while (kills < most_kills || of_this) {
		int before = lines_of(journal), pause = SHORTEST_US + (int)vrs_rng_below(&rng, (uint32_t)span);
		if (search_until(kills < most_kills ? pause : 0, before > 0)) {
			read_choice(resumed, sizeof resumed);
			assert_string_equal(resumed, undisturbed);
			/* A kill costs the run in progress, one of the default in its round, and those before the first of the default there. */
			assert_true(lines_of(fake_log) <= runs + MOST_LOST * of_this);
			searches++;
			of_this = 0;
			(void)fake_fresh(state);
			continue;
		}
		kills++;
		of_this++;
		kills_in_work += lines_of(journal) > before;
		span = lines_of(journal) == before && span < LATEST_US ? span + span / 4 : span;
	}
	print_message("%d searches of %d runs, %d kills, %d of them after a run\n", searches, runs, kills, kills_in_work);
	assert_true(searches >= SEARCHES_AT_LEAST);
	assert_true(kills_in_work >= most_kills / 4);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		most_kills = atoi(argv[1]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_random),
	};
	return cmocka_run_group_tests(tests, set_up, fake_tear_down);
}
