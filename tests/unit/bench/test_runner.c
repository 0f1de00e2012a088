/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the runner with fake children that answer, crash, hang, fail, print garbage or eat memory; interleaved rounds; the journal, its torn
 * tail and resuming, on the device that it began on; used folders, and those of another process, also of one that takes over; cases that do not fit
 * the memory.
 */
#include "unit/bench/fake_runner.h"

#include <math.h>

#include "base/str_parse.h"
#include "bench/judge/verdict.h"
#include "bench/run/clip.h"

/*
 * A child as a shell script: the probe is answered, and what a run does depends on the threads that are asked for, so that each case of a test has
 * a fate of its own.
 */
static const char script[] =
	FAKE_CHILD FAKE_PROBE
	"echo run >> \"$FAKE_LOG\"\n"
	"case $request in\n"
	"  *'\"engine.threads\":\"2\"'*) echo 'stack smashed' >&2; kill -SEGV $$ ;;\n"
	"  *'\"engine.threads\":\"3\"'*) sleep 60 ;;\n"
	"  *'\"engine.threads\":\"4\"'*) echo 'cannot go on' >&2; exit 3 ;;\n"
	"  *'\"engine.threads\":\"5\"'*) echo 'some words'; echo '{\"status\": tr'; exit 0 ;;\n"
	"  *'\"engine.threads\":\"6\"'*) kill -KILL $$ ;;\n"
	"  *'\"engine.threads\":\"7\"'*) refuse VRS_ENOMEM 'no memory for frames' ;;\n"
	"  *'\"engine.threads\":\"10\"'*) refuse VRS_ELIMIT 'the job needs at least 500 MiB' ;;\n"
	"  *'\"engine.threads\":\"8\"'*) reply '\"fps\":-5' ;;\n"
	"  *'\"engine.threads\":\"9\"'*) head -c 1200000000 /dev/zero | tail -c 1200000000 > /dev/null || { echo 'memory exhausted' >&2; exit 3; } ;;\n"
	"  *) echo 'chatter before the answer'; " FAKE_RUN " ;;\n"
	"esac\n";

static int set_up(void **state)
{
	(void)state;
	return fake_set_up("runner", script);
}

static int runs_started(void)
{
	char text[4096];
	int lines = 0;
	fake_read_log(text, sizeof text);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	return lines;
}

static struct vrs_runner_options options(void)
{
	struct vrs_runner_options o = fake_options();
	o.plan.timeout_seconds = 1;
	o.plan.rounds = 3;
	return o;
}

static struct vrs_runner *create(const struct vrs_runner_options *o)
{
	struct vrs_runner *runner;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_runner_create(&runner, o, base, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return runner;
}

static int add(struct vrs_runner *runner, const char *id)
{
	struct vrs_case c;
	struct vrs_error err = {.status = VRS_OK};
	int index;
	assert_int_equal(vrs_case_parse(id, &c, &err), VRS_OK);
	c.width = c.height = 0;
	assert_int_equal(vrs_runner_add(runner, &c, &index, &err), VRS_OK);
	return index;
}

/* Every way to fail is a record with its reason, and the others go on. */
static void fates(void **state)
{
	(void)state;
	static const struct {
		const char *id;
		enum vrs_run_status status;
		const char *reason;
	} cases[] = {
		{"r=640x480/b=1/p=fp32/t=1", VRS_RUN_OK, ""},
		{"r=640x480/b=1/p=fp32/t=2", VRS_RUN_CRASH, "signal 11"},
		{"r=640x480/b=1/p=fp32/t=3", VRS_RUN_TIMEOUT, "no end after 1 s"},
		{"r=640x480/b=1/p=fp32/t=4", VRS_RUN_FAILED, "exit code 3 without a result: cannot go on"},
		{"r=640x480/b=1/p=fp32/t=5", VRS_RUN_FAILED, "exit code 0 without a result"},
		{"r=640x480/b=1/p=fp32/t=6", VRS_RUN_OOM, "SIGKILL"},
		{"r=640x480/b=1/p=fp32/t=7", VRS_RUN_OOM, "no memory for frames"},
		{"r=640x480/b=1/p=fp32/t=10", VRS_RUN_OOM, "at least 500 MiB"},
		{"r=640x480/b=1/p=fp32/t=8", VRS_RUN_FAILED, "without a result"}, /* an impossible rate is no result */
		{"r=640x480/b=2/p=fp32/t=1", VRS_RUN_OK, ""},
	};
	enum { CASES = sizeof cases / sizeof *cases };
	struct vrs_runner_options o = options();
	struct vrs_runner *runner = create(&o);
	struct vrs_error err = {.status = VRS_OK};
	int indices[CASES];
	for (int i = 0; i < CASES; i++)
		indices[i] = add(runner, cases[i].id);
	assert_int_equal(vrs_runner_measure(runner, indices, CASES, 1, 1, &err), VRS_OK);
	assert_int_equal(vrs_runner_finish(runner, true, &err), VRS_OK);
	struct vrs_result *read;
	char path[200];
	snprintf(path, sizeof path, "%s/results.json", result_dir);
	assert_int_equal(vrs_result_read(&read, path, &err), VRS_OK);
	for (int i = 0; i < CASES; i++) {
		assert_string_equal(read->cases[i].id, cases[i].id);
		assert_int_equal(read->cases[i].run_count, 1);
		const struct vrs_run *run = &read->cases[i].runs[0];
		if (run->status != cases[i].status || !strstr(run->reason, cases[i].reason))
			fail_msg("%s: %s, \"%s\"", cases[i].id, vrs_name_of(&vrs_run_status_names, run->status), run->reason);
	}
	assert_float_equal(read->cases[0].fps.median, 50, 0);
	assert_string_equal(read->cases[0].model, "fake");
	vrs_result_destroy(read);
	vrs_runner_destroy(runner);
}

static void rounds_are_interleaved(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_runner *runner = create(&o);
	struct vrs_error err = {.status = VRS_OK};
	int indices[5], same = 0;
	for (int i = 0; i < 5; i++) {
		char id[64];
		snprintf(id, sizeof id, "r=640x480/b=%d/p=fp32/t=1", i + 1);
		indices[i] = add(runner, id);
		assert_int_equal(add(runner, id), indices[i]); /* the same case is not added twice */
	}
	assert_int_equal(vrs_runner_measure(runner, indices, 5, 1, 4, &err), VRS_OK);
	const struct vrs_result *result = vrs_runner_result(runner);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(result->cases[i].run_count, 4);
		for (int r = 0; r < 4; r++) {
			assert_int_equal(result->cases[i].runs[r].round, r + 1);
			same += r > 0 && result->cases[i].runs[r].order == result->cases[i].runs[r - 1].order;
		}
	}
	assert_true(same < 12); /* orders differ from round to round */
	assert_int_equal(runs_started(), 20);
	assert_int_equal(vrs_runner_measure(runner, indices, 5, 1, 4, &err), VRS_OK); /* nothing is left to do */
	assert_int_equal(runs_started(), 20);
	/* The matte is compared in one round; later rounds of the case still know how good it was. */
	struct vrs_result *all = vrs_runner_result(runner), *part;
	for (int r = 0; r < 4; r++) {
		all->cases[1].runs[r].agreement = NAN;
		all->cases[1].runs[r].iou = r == 0 ? 0.91 : NAN;
	}
	assert_int_equal(vrs_runner_extract(runner, indices + 1, 2, 3, 2, &part), VRS_OK);
	assert_float_equal(vrs_case_result_median(&part->cases[0], offsetof(struct vrs_run, iou)), 0.91, 0);
	assert_int_equal(part->case_count, 2);
	assert_int_equal(part->cases[0].run_count, 2);
	assert_int_equal(part->cases[0].fps.n, 2);
	vrs_result_destroy(part);
	assert_int_equal(vrs_runner_extract(runner, indices + 1, 2, 2, 1, &part), VRS_OK); /* rounds 3 and 4 are known, and do not count */
	assert_int_equal(part->cases[0].run_count, 1);
	assert_int_equal(part->cases[0].runs[0].round, 2);
	vrs_result_destroy(part);
	vrs_runner_destroy(runner);
}

/* A case that never ran well is given up, not tried in every round. */
static void hopeless_cases(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_runner *runner = create(&o);
	struct vrs_error err = {.status = VRS_OK};
	int index = add(runner, "r=640x480/b=1/p=fp32/t=4");
	assert_int_equal(vrs_runner_measure(runner, &index, 1, 1, 6, &err), VRS_OK);
	assert_int_equal(vrs_runner_result(runner)->cases[index].run_count, 2);
	vrs_runner_destroy(runner);
}

static void used_folders(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_runner *runner = create(&o), *second;
	struct vrs_error err = {.status = VRS_OK};
	int index = add(runner, "r=640x480/b=1/p=fp32/t=1");
	assert_int_equal(vrs_runner_measure(runner, &index, 1, 1, 1, &err), VRS_OK);
	vrs_runner_destroy(runner);
	assert_int_equal(vrs_runner_create(&second, &o, base, &err), VRS_EEXIST);
	assert_int_equal(vrs_exit_code(VRS_EEXIST), 2);
	assert_non_null(strstr(err.text, "--resume"));
	o.overwrite = true;
	runner = create(&o);
	assert_int_equal(vrs_runner_result(runner)->case_count, 0);
	vrs_runner_destroy(runner);
	o.overwrite = false;
	o.resume = true;
	o.folder = "/tmp/vrs-test-no-such-folder";
	assert_int_equal(vrs_runner_create(&second, &o, base, &err), VRS_ENOTFOUND);
}

static void one_measurement_a_folder(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_runner *first = create(&o), *second = NULL;
	struct vrs_error err = {.status = VRS_OK};
	char lease[200];
	o.overwrite = true;
	assert_int_equal(vrs_runner_create(&second, &o, base, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "another process is writing"));
	assert_non_null(strstr(err.text, result_dir));
	int index = add(first, "r=640x480/b=1/p=fp32/t=1");
	assert_int_equal(vrs_runner_measure(first, &index, 1, 1, 1, &err), VRS_OK); /* the second one has touched nothing */
	vrs_runner_destroy(first);
	first = create(&o);
	/* who has lost the folder, as a machine that slept, records nothing more */
	snprintf(lease, sizeof lease, "%s/.lease-000001", result_dir);
	assert_int_equal(unlink(lease), 0);
	index = add(first, "r=640x480/b=1/p=fp32/t=1");
	assert_int_equal(vrs_runner_measure(first, &index, 1, 1, 1, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "has taken over"));
	assert_int_equal(vrs_runner_result(first)->cases[index].run_count, 0);
	vrs_runner_destroy(first);
}

static void measure_some(int rounds)
{
	struct vrs_runner_options o = options();
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_config_set(base, "output.preset", "ultrafast", VRS_SOURCE_FLAG, NULL, &err), VRS_OK);
	struct vrs_runner *runner = create(&o);
	int indices[] = {add(runner, "r=640x480/b=1/p=fp32/t=1"), add(runner, "r=640x480/b=2/p=fp32/t=1")};
	assert_int_equal(vrs_runner_measure(runner, indices, 2, 1, rounds, &err), VRS_OK);
	vrs_runner_destroy(runner);
	vrs_config_destroy(base);
	assert_int_equal(vrs_config_create(&base), VRS_OK);
}

static struct vrs_runner *resume(void)
{
	struct vrs_runner_options o = options();
	o.resume = true;
	o.input = NULL; /* everything comes from the journal */
	o.plan.rounds = 99;
	return create(&o);
}

static void torn_tail_and_resume(void **state)
{
	(void)state;
	char path[200];
	struct vrs_buf text;
	struct vrs_error err = {.status = VRS_OK};
	measure_some(2);
	assert_int_equal(runs_started(), 4);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	assert_int_equal(truncate(path, (off_t)text.len - 20), 0); /* the last run's line is torn */
	vrs_buf_fini(&text);
	struct vrs_runner *runner = resume();
	struct vrs_result *result = vrs_runner_result(runner);
	assert_int_equal(result->case_count, 2);
	assert_int_equal(result->rounds, 3);
	assert_int_equal(result->cases[0].run_count + result->cases[1].run_count, 3);
	assert_string_equal(vrs_config_settings(vrs_runner_base(runner))->output.preset, "ultrafast");
	const int indices[] = {0, 1};
	assert_int_equal(vrs_runner_measure(runner, indices, 2, 1, result->rounds, &err), VRS_OK);
	assert_int_equal(runs_started(), 4 + 2 + 2); /* the round of the lost one, whole, and the last round */
	for (int r = 1; r <= 3; r++) {
		int together = 0;
		for (int i = 0; i < result->cases[0].run_count; i++)
			for (int k = 0; k < result->cases[1].run_count; k++) {
				const struct vrs_run *a = &result->cases[0].runs[i], *b = &result->cases[1].runs[k];
				together += a->round == r && b->round == r && a->session == (r > 1) && b->session == a->session;
			}
		assert_int_equal(together, 1);
	}
	vrs_runner_destroy(runner);
}

/* Lines that stand twice in a journal are one run. */
static void a_run_counts_once(void **state)
{
	(void)state;
	char path[200];
	struct vrs_buf text, twice;
	struct vrs_error err = {.status = VRS_OK};
	measure_some(2);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	const char *runs = strchr(vrs_buf_str(&text), '\n') + 1;
	vrs_buf_init(&twice, 2 << 20);
	assert_int_equal(vrs_buf_printf(&twice, "%s%s", vrs_buf_str(&text), runs), VRS_OK);
	assert_int_equal(vrs_file_replace(path, twice.data, twice.len, &err), VRS_OK);
	struct vrs_runner *runner = resume();
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_runner_result(runner)->cases[i].run_count, 2);
	vrs_runner_destroy(runner);
	vrs_buf_fini(&twice);
	vrs_buf_fini(&text);
}

/* A measurement that is resumed began when its first part did; a journal of an older version does not say when. */
static void began_once(void **state)
{
	(void)state;
	static const char began[] = "\"started_utc\":\"";
	char path[200];
	struct vrs_buf text;
	struct vrs_error err = {.status = VRS_OK};
	measure_some(1);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	char *at = memmem(text.data, text.len, began, strlen(began));
	assert_non_null(at);
	memcpy(at + strlen(began), "2001", 4);
	assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
	struct vrs_runner *runner = resume();
	assert_memory_equal(vrs_runner_result(runner)->started_utc, "2001-", 5);
	vrs_runner_destroy(runner);
	at[1] = 'x'; /* of the key */
	assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
	runner = resume();
	assert_memory_equal(vrs_runner_result(runner)->started_utc, "20", 2);
	assert_memory_not_equal(vrs_runner_result(runner)->started_utc, "2001", 4);
	vrs_runner_destroy(runner);
	vrs_buf_fini(&text);
}

/*
 * The default has run alone for ten rounds; today the machine is a fifth faster.  The other case, which is no faster, proves nothing with the runs
 * of yesterday, and all with runs of the default beside it.
 */
static void pairs_are_of_one_session(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_comparison c;
	double a[40], b[40];
	int rounds[40];
	struct vrs_runner_options o = options();
	struct vrs_runner *runner = create(&o);
	const int indices[] = {add(runner, "r=640x480/b=1/p=fp32/t=1"), add(runner, "r=640x480/b=2/p=fp32/t=1")};
	struct vrs_result *result = vrs_runner_result(runner);
	vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	assert_int_equal(vrs_runner_measure(runner, indices, 1, 1, 10, &err), VRS_OK);
	vrs_runner_destroy(runner);
	setenv("FAKE_FPS", "60", 1);
	runner = resume();
	result = vrs_runner_result(runner);
	vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	assert_int_equal(vrs_runner_measure(runner, indices, 2, 1, 9, &err), VRS_OK);
	unsetenv("FAKE_FPS");
	assert_int_equal(runs_started(), 10 + 2 * 9);
	assert_int_equal(vrs_verdict_collect(&result->cases[0], &result->cases[1], vrs_figure_fps, 40, a, b, rounds), 9);
	assert_int_equal(vrs_verdict_cases(&result->cases[0], &result->cases[1], VRS_HEADLINE_FPS, VRS_VERDICT_ALPHA, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_EQUIVALENT);
	vrs_runner_destroy(runner);
}

static void stop_at_once(void *cookie, const struct vrs_runner_event *event)
{
	(void)cookie;
	if (event->kind == VRS_RUNNER_RUN_END)
		vrs_stop_request();
}

/* The journal of a stranger names a session as high as can be read: runs begin all the same, in seconds, and none can follow the last one. */
static void high_sessions_take_no_time(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to;
		enum vrs_status status;
	} steps[] = {{"\"session\":0,", "\"session\":999999,", VRS_OK}, {"\"session\":1000000,", "\"session\":1000000,", VRS_ELIMIT}};
	char path[200];
	struct vrs_buf text;
	struct vrs_error err = {.status = VRS_OK};
	measure_some(1);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	for (int i = 0; i < 2; i++) {
		struct vrs_buf changed;
		struct vrs_runner_options o = options();
		struct vrs_runner *runner;
		const int indices[] = {0, 1};
		vrs_buf_init(&changed, 1 << 20);
		assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
		assert_non_null(strstr(vrs_buf_str(&text), steps[i].from));
		for (const char *p = vrs_buf_str(&text), *next; *p; p = next) {
			bool found = strncmp(p, steps[i].from, strlen(steps[i].from)) == 0;
			next = p + (found ? strlen(steps[i].from) : 1);
			assert_int_equal(vrs_buf_append(&changed, found ? steps[i].to : p, found ? strlen(steps[i].to) : 1), VRS_OK);
		}
		assert_int_equal(vrs_file_replace(path, vrs_buf_str(&changed), changed.len, &err), VRS_OK);
		o.resume = true;
		o.on_event = stop_at_once;
		assert_int_equal(vrs_runner_create(&runner, &o, base, &err), steps[i].status);
		if (steps[i].status == VRS_OK) {
			alarm(30); /* it took minutes */
			assert_int_equal(vrs_runner_measure(runner, indices, 2, 1, 9998, &err), VRS_ESTOPPED);
			alarm(0);
			vrs_runner_destroy(runner);
		}
		vrs_stop_reset();
		vrs_buf_fini(&changed);
		vrs_buf_fini(&text);
	}
	assert_int_equal(runs_started(), 2 + 1);
}

static void cut_anywhere(void **state)
{
	(void)state;
	char path[200];
	struct vrs_buf text;
	struct vrs_error err = {.status = VRS_OK};
	measure_some(2);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	for (size_t cut = 0; cut < text.len; cut += 1 + text.len / 12) {
		size_t whole = 0;
		for (size_t i = 0; i < cut; i++)
			whole += text.data[i] == '\n';
		assert_int_equal(vrs_file_replace(path, text.data, cut, &err), VRS_OK);
		struct vrs_runner_options o = options();
		struct vrs_runner *runner;
		o.resume = true;
		enum vrs_status status = vrs_runner_create(&runner, &o, base, &err);
		assert_int_equal(status, whole == 0 ? VRS_EFORMAT : VRS_OK);
		if (status != VRS_OK)
			continue;
		const struct vrs_result *result = vrs_runner_result(runner);
		assert_int_equal(result->cases[0].run_count + result->cases[1].run_count, (int)whole - 1); /* every finished run is there */
		vrs_runner_destroy(runner);
	}
	vrs_buf_fini(&text);
}

/* Turn the first `from` of the journal into `to`, which is as long. */
static void change_journal(const char *from, const char *to)
{
	char path[200];
	struct vrs_buf text;
	struct vrs_error err = {.status = VRS_OK};
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	char *at = memmem(text.data, text.len, from, strlen(from));
	assert_non_null(at);
	assert_int_equal(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
	assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
	vrs_buf_fini(&text);
}

static bool journal_has(const char *words)
{
	char path[200];
	struct vrs_buf text;
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, NULL), VRS_OK);
	bool has = memmem(text.data, text.len, words, strlen(words)) != NULL;
	vrs_buf_fini(&text);
	return has;
}

static int device_count; /* of the machine that runners find */

static void list_devices(struct vrs_machine *machine)
{
	for (machine->cl_count = 0; machine->cl_count < device_count; machine->cl_count++)
		snprintf(machine->cl[machine->cl_count].name, sizeof machine->cl[0].name, "device %d", machine->cl_count);
	vrs_machine_update_fingerprint(machine);
}

/* Measure two rounds, or go on with what a machine of so many devices has measured, and say what became of it. */
static enum vrs_status measure_on(int devices, bool resume, struct vrs_error *err)
{
	struct vrs_runner *runner;
	struct vrs_runner_options o = options();
	device_count = devices;
	o.add_devices = list_devices;
	o.resume = resume;
	o.input = resume ? NULL : clip;
	enum vrs_status status = vrs_runner_create(&runner, &o, base, err);
	if (status != VRS_OK)
		return status;
	const int index = resume ? 0 : add(runner, "r=640x480/b=1/p=fp32/t=1");
	status = vrs_runner_measure(runner, &index, 1, 1, resume ? 3 : 2, err);
	vrs_runner_destroy(runner);
	return status;
}

/* Runs of one case on different devices, or drivers, are never together: not in a measurement, not in a resumed one, not in a journal. */
static void devices_are_kept(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	setenv("FAKE_DEVICE", "card-1", 1);
	assert_int_equal(measure_on(1, false, &err), VRS_OK);
	setenv("FAKE_DEVICE", "card-2", 1);
	assert_int_equal(measure_on(2, true, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "the measurement began with the device card-1 (driver 1), and this machine's devices or drivers are others now"));
	assert_int_equal(measure_on(0, true, &err), VRS_ECONFIG);
	assert_int_equal(runs_started(), 2);
	change_journal("\"device_fingerprint\"", "\"xevice_fingerprint\""); /* as an older version wrote it */
	change_journal("\"device\":\"card-1\"", "\"device\":\"card-3\"");
	assert_int_equal(measure_on(2, true, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "ran on the device card-3 (driver 1), and then on card-1 (driver 1)"));
	change_journal("\"device\":\"card-3\"", "\"device\":\"card-1\"");
	assert_int_equal(measure_on(1, true, &err), VRS_OK); /* the run is elsewhere: it has failed, and the others stay */
	assert_int_equal(runs_started(), 3);
	assert_true(journal_has("ran on the device card-1 (driver 1), and then on card-2 (driver 1)"));
	assert_false(journal_has("\"device\":\"card-2\""));
	assert_int_equal(measure_on(2, true, &err), VRS_OK);
	unsetenv("FAKE_DEVICE");
}

/* Devices say nothing about runs of the CPU. */
static void devices_of_no_run_may_change(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(measure_on(1, false, &err), VRS_OK);
	assert_int_equal(measure_on(2, true, &err), VRS_OK);
	assert_int_equal(measure_on(0, true, &err), VRS_OK);
}

static void changed_input_is_refused(void **state)
{
	(void)state;
	struct vrs_runner *runner;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner_options o = options();
	measure_some(1);
	assert_int_equal(vrs_file_replace(clip, "another film", 12, NULL), VRS_OK);
	o.resume = true;
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "has changed"));
	assert_int_equal(vrs_file_replace(clip, "not a film", 10, NULL), VRS_OK);
}

static enum vrs_status no_device(const struct vrs_machine *machine, const char *device, struct vrs_error *err)
{
	(void)machine;
	return vrs_fail(err, VRS_ENOTFOUND, "no device matches \"%s\"", device);
}

static void memory_and_device_cases(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_case large = {.width = 7680, .height = 4320};
	int indices[4];
	o.plan.memory_limit_bytes = INT64_C(400) << 20;
	o.check_device = no_device;
	struct vrs_runner *runner = create(&o);
	indices[0] = add(runner, "r=640x480/b=1/p=fp32/t=1");
	indices[1] = add(runner, "r=640x480/b=1/p=fp32/t=1/engine.backend=opencl");
	assert_int_equal(vrs_runner_add(runner, &large, &indices[2], &err), VRS_OK);
	indices[3] = add(runner, "r=640x480/b=1/p=fp32/t=1/engine.device=0:0");
	assert_int_equal(vrs_runner_measure(runner, indices, 4, 1, 2, &err), VRS_OK);
	const struct vrs_result *result = vrs_runner_result(runner);
	assert_int_equal(result->cases[0].run_count, 2);
	assert_int_equal(result->cases[1].run_count, 0);
	assert_false(vrs_case_result_is_skipped(&result->cases[0]));
	assert_true(vrs_case_result_is_skipped(&result->cases[1]));
	assert_string_equal(result->cases[1].skipped, "device: no device matches \"auto\"");
	assert_int_equal(result->cases[3].run_count, 0);
	assert_string_equal(result->cases[3].skipped, "device: the backend cpu has none to choose; use --backend opencl");
	assert_int_equal(result->cases[2].run_count, 0);
	assert_int_equal(strncmp(result->cases[2].skipped, "memory: needs about ", 20), 0);
	assert_non_null(strstr(result->cases[2].skipped, "the limit is 400 MiB"));
	assert_true(result->cases[2].memory_estimate_bytes > result->cases[2].memory_limit_bytes);
	assert_int_equal(vrs_runner_finish(runner, true, &err), VRS_OK);
	vrs_runner_destroy(runner);
}

static bool sanitized(void)
{
#if defined(__has_feature)
	return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#else
	return false;
#endif
}

/* A process that wants 1.2 GB hits its limit of 400 MiB and the 448 that may be reserved beside. Sanitized programs set no such limit. */
static void memory_eater(void **state)
{
	(void)state;
	if (sanitized())
		skip();
	struct vrs_runner_options o = options();
	struct vrs_error err = {.status = VRS_OK};
	o.plan.memory_limit_bytes = INT64_C(400) << 20;
	o.plan.timeout_seconds = 20;
	struct vrs_runner *runner = create(&o);
	int index = add(runner, "r=640x480/b=1/p=fp32/t=9");
	assert_int_equal(vrs_runner_measure(runner, &index, 1, 1, 1, &err), VRS_OK);
	const struct vrs_run *run = &vrs_runner_result(runner)->cases[0].runs[0];
	assert_int_equal(run->status, VRS_RUN_FAILED);
	assert_non_null(strstr(run->reason, "memory exhausted"));
	assert_true(run->peak_rss_bytes < INT64_C(860) << 20);
	vrs_runner_destroy(runner);
}

static void stop_between_runs(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner *runner = create(&o);
	int index = add(runner, "r=640x480/b=1/p=fp32/t=1");
	vrs_stop_request();
	assert_int_equal(vrs_runner_measure(runner, &index, 1, 1, 2, &err), VRS_ESTOPPED);
	vrs_stop_reset();
	assert_int_equal(runs_started(), 0);
	assert_int_equal(vrs_runner_finish(runner, false, &err), VRS_OK); /* the file is valid all the same */
	vrs_runner_destroy(runner);
	struct vrs_runner *again = resume();
	assert_int_equal(vrs_runner_result(again)->case_count, 1); /* cases of the plan are known before any has run */
	vrs_runner_destroy(again);
}

static void bad_probe(void **state)
{
	(void)state;
	struct vrs_runner_options o = options();
	struct vrs_runner *runner;
	struct vrs_error err = {.status = VRS_OK};
	o.program = "/bin/false";
	assert_int_not_equal(vrs_runner_create(&runner, &o, base, &err), VRS_OK);
	assert_true(strlen(err.text) > 10);
	o.program = program;
	o.input = "/tmp/vrs-test-no-such-film.mp4";
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "no-such-film"));
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN); /* as in the programs: a child that ends early is a failed run */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(fates, fake_fresh),
		cmocka_unit_test_setup(rounds_are_interleaved, fake_fresh),
		cmocka_unit_test_setup(hopeless_cases, fake_fresh),
		cmocka_unit_test_setup(used_folders, fake_fresh),
		cmocka_unit_test_setup(one_measurement_a_folder, fake_fresh),
		cmocka_unit_test_setup(devices_are_kept, fake_fresh),
		cmocka_unit_test_setup(devices_of_no_run_may_change, fake_fresh),
		cmocka_unit_test_setup(torn_tail_and_resume, fake_fresh), cmocka_unit_test_setup(began_once, fake_fresh),
		cmocka_unit_test_setup(a_run_counts_once, fake_fresh),
		cmocka_unit_test_setup(pairs_are_of_one_session, fake_fresh),
		cmocka_unit_test_setup(high_sessions_take_no_time, fake_fresh),
		cmocka_unit_test_setup(cut_anywhere, fake_fresh),
		cmocka_unit_test_setup(changed_input_is_refused, fake_fresh),
		cmocka_unit_test_setup(memory_and_device_cases, fake_fresh),
		cmocka_unit_test_setup(memory_eater, fake_fresh),
		cmocka_unit_test_setup(stop_between_runs, fake_fresh),
		cmocka_unit_test_setup(bad_probe, fake_fresh),
	};
	return cmocka_run_group_tests(tests, set_up, fake_tear_down);
}
