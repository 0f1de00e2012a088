/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the shipped file of techniques names every technique that must be there, with options that exist and values that they take; what a file
 * must not say; pairs share their runs (n + 1 a round); a technique that pays, one that does not, one that changes nothing and one that fails, with
 * made-up children of known speed; a pair of a device that is not here, which is not measured; a file that has changed is refused when a measurement
 * goes on; 3 rounds prove nothing; a side with the default of an option that another one of the base outranks is no default.
 */
#include "unit/bench/fake_runner.h"

#include <math.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"
#include "bench/modes/techniques_mode.h"

static char file[180];

static void write_text(const char *path, const char *text)
{
	assert_int_equal(vrs_file_replace(path, text, strlen(text), NULL), VRS_OK);
}

/* 50 frames a second with a little noise: preset ultrafast a fifth more, veryslow a fifth less; crf 30 changes nothing, crf 40 starts in half
 * the time; threads 7 fail. */
static const char script[] =
	FAKE_CHILD
	"rate=5000 truth=0.90 mib=100 load=1000\n"
	"case $request in\n"
	"  *'\"engine.threads\":\"7\"'*) refuse VRS_EFORMAT 'no such thing' ;;\n"
	"  *ultrafast*) rate=6000 truth=0.89 ;;\n"
	"  *veryslow*) rate=4000 ;;\n"
	"  *'\"matte.scales\":2'*|*'\"matte.scales\":\"2\"'*) rate=4500 truth=0.95 ;;\n"
	"  *'\"matte.refine\"'*true*) mib=80 ;;\n"
	"  *'\"output.crf\":40'*|*'\"output.crf\":\"40\"'*) load=500 ;;\n"
	"esac\n"
	FAKE_PROBE
	"printf . >> \"$FAKE_LOG\"\n"
	"n=$(wc -c < \"$FAKE_LOG\")\n"
	"rate=$((rate + n * 37 % 11 * 4))\n" /* hundredths of a frame a second */
	"reply \"\\\"fps\\\":$((rate / 100)).$(printf %02d $((rate % 100))),\\\"iou\\\":$truth,\\\"quality_frames\\\":12,"
	"\\\"frames\\\":100,\\\"wall_seconds\\\":2,\\\"cpu_seconds\\\":3,\\\"frame_median_ms\\\":20,\\\"peak_rss_bytes\\\":$((mib * 1048576 + n % 3)),"
	"\\\"load_ms\\\":$((load + n % 7)),\\\"first_frame_ms\\\":20\"\n";

static const char pairs[] =
	"techniques:\n"
	"  fast-preset: {improves: speed, where: x, off: {output.preset: veryfast}, on: {output.preset: ultrafast}}\n"
	"  slow-preset: {improves: speed, where: x, off: {output.preset: veryfast}, on: {output.preset: veryslow}}\n"
	"  nothing: {improves: speed, where: x, off: {output.crf: 20}, on: {output.crf: 30}}\n"
	"  broken: {improves: speed, where: x, off: {engine.threads: auto}, on: {engine.threads: 7}}\n"
	"  scales: {improves: quality, where: x, off: {matte.scales: 1}, on: {matte.scales: 2}}\n"
	"  edges: {improves: memory, where: x, off: {matte.refine: false}, on: {matte.refine: true}}\n"
	"  kept: {improves: start, where: x, off: {output.crf: 20}, on: {output.crf: 40}}\n"
	"  both-eyes: {improves: speed, where: x, eyes: 2, off: {output.crf: 20}, on: {output.crf: 31}}\n"
	"  gpu: {improves: speed, where: x, off: {engine.backend: opencl, engine.fusion: false}, on: {engine.backend: opencl, engine.fusion: true}}\n"
	"  device: {missing: it is not built yet}\n";

static int set_up(void **state)
{
	(void)state;
	int rc = fake_set_up("techniques", script);
	snprintf(file, sizeof file, "%s/pairs.yaml", folder);
	return rc;
}

static int fresh(void **state)
{
	write_text(file, pairs);
	return fake_fresh(state);
}

static const struct vrs_technique *find(const struct vrs_technique_list *list, const char *name)
{
	for (int i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}

/* What an engine of this kind is expected to offer, each switchable, or with the reason why there is no pair. */
static void the_shipped_file_is_complete(void **state)
{
	(void)state;
	static const char *const names[] = {
		"mixed-precision", "operator-fusion", "batch-size-search", "command-replay", "asynchronous-transfers", "pinned-memory",
		"ahead-of-time-programs",
		"multi-threading", "simd", "memory-mapped-input", "process-pool", "buffer-pool", "recomputation", "disk-cache", "adaptive-batch", "prefetch",
		"pipelined-stages", "dynamic-batching", "queue-sizing", "early-exit", "multi-scale", "temporal-coherence", "region-of-interest",
	};
	struct vrs_technique_list *list;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_technique_list_load(&list, VRS_SOURCE_DIR "/configs/sweeps/techniques.yaml", NULL, NULL, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!find(list, names[i]))
			fail_msg("%s is not in the file", names[i]);
	for (int i = 0; i < list->count; i++) {
		const struct vrs_technique *t = &list->items[i];
		if (t->kind == VRS_TECHNIQUE_PAIR ? !t->where[0] : strlen(t->reason) < 20)
			fail_msg("%s does not say %s", t->name, t->kind == VRS_TECHNIQUE_PAIR ? "where it matters" : "why it has no pair");
		/* What vrseg can switch has a pair. */
		static const char *const switched[] = {"ahead-of-time-programs", "asynchronous-transfers", "command-replay", "pinned-memory"};
		for (size_t k = 0; k < sizeof switched / sizeof *switched; k++)
			assert_true(strcmp(t->name, switched[k]) != 0 || t->kind == VRS_TECHNIQUE_PAIR);
		/* Off must be off: a side that nobody could tell from the other would measure nothing. */
		for (int k = 0; k < t->off.count; k++) {
			const struct vrs_option *row = vrs_option_find(t->off.values[k].key);
			assert_non_null(row);
			assert_int_equal(row->state, VRS_OPT_READY);
		}
	}
	vrs_free(list);
}

static void bad_files(void **state)
{
	(void)state;
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"axes:\n  output.crf: [1, 2]\n", "has the key techniques"},
		{"techniques:\n  A: {improves: speed}\n", "is no technique"},
		{"techniques:\n  a: {improves: speed, off: {output.crff: 1}, on: {output.crff: 2}}\n", "no option \"output.crff\""},
		{"techniques:\n  a: {improves: speed, off: {output.crf: 1}, on: {output.crf: 99}}\n", "output.crf"},
		{"techniques:\n  a: {improves: speed, off: {pipeline.async_input: false}, on: {pipeline.async_input: true}}\n", "has no effect"},
		{"techniques:\n  a: {improves: beauty, off: {output.crf: 1}, on: {output.crf: 2}}\n", "improves must be"},
		{"techniques:\n  a: {improves: speed, off: {output.crf: 1}, on: {output.crf: 1}}\n", "to different values"},
		{"techniques:\n  a: {improves: speed, off: {output.crf: 1}, on: {output.preset: fast}}\n", "the same options"},
		{"techniques:\n  a: {improves: speed, off: {output.crf: 1}}\n", "the same options"},
		{"techniques:\n  a: {where: everywhere}\n", "needs improves, off and on"},
		{"techniques:\n  a: {improves: speed, missing: no}\n", "has no pair"},
		{"techniques:\n  a: {missing: no, always: yes}\n", "two reasons"},
		{"techniques:\n  a: {improves: speed, mode: live@30, off: {output.crf: 1}, on: {output.crf: 2}}\n", "cannot improve speed in live mode"},
		{"techniques:\n  a: {improves: cpu, mode: sometimes, off: {output.crf: 1}, on: {output.crf: 2}}\n", "mode must be"},
		{"techniques:\n  a: {improves: speed, colour: red}\n", "not \"colour\""},
		{"techniques: {}\n", "techniques"},
		{"techniques: [\n", "without a closing bracket"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_technique_list *list;
		struct vrs_error err = {.status = VRS_OK};
		write_text(file, cases[i].text);
		assert_int_equal(vrs_technique_list_load(&list, file, NULL, NULL, &err), VRS_ECONFIG);
		if (!strstr(err.text, cases[i].words))
			fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].words);
	}
}

static void names_are_chosen(void **state)
{
	(void)state;
	struct vrs_technique_list *list;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_technique_list_load(&list, file, "preset$", "^slow", &err), VRS_OK);
	assert_int_equal(list->count, 1);
	assert_string_equal(list->items[0].name, "fast-preset");
	vrs_free(list);
	assert_int_equal(vrs_technique_list_load(&list, file, "nobody", NULL, &err), VRS_ECONFIG);
	assert_int_equal(vrs_technique_list_load(&list, file, "(", NULL, &err), VRS_ECONFIG);
	assert_int_equal(vrs_technique_list_load(&list, file, NULL, "(", &err), VRS_ECONFIG);
}

static enum vrs_status no_device(const struct vrs_machine *machine, const char *device, struct vrs_error *err)
{
	(void)machine;
	return vrs_fail(err, VRS_ENOTFOUND, "no OpenCL device can be used, not even %s", device);
}

static struct vrs_runner *open_runner(struct vrs_techniques *techniques, int rounds, bool resume)
{
	struct vrs_runner_options o = vrs_runner_options_default();
	struct vrs_techniques_request request;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner *runner;
	if (vrs_techniques_request_make(&request, file, NULL, NULL, &err) != VRS_OK)
		fail_msg("%s", err.text);
	o.program = program;
	o.folder = result_dir;
	o.input = clip;
	o.plan.quality_frames = 0;
	o.check_device = no_device;
	o.plan.timeout_seconds = 20;
	o.plan.rounds = rounds;
	if (!resume)
		o.plan.techniques = request;
	o.resume = resume;
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(vrs_runner_plan(runner)->techniques.file, request.file);
	if (vrs_techniques_open(techniques, runner, NULL, resume, false, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return runner;
}

static struct vrs_technique_outcomes *measure(struct vrs_techniques *techniques, struct vrs_runner *runner, int rounds)
{
	struct vrs_technique_outcomes *outcomes;
	struct vrs_error err = {.status = VRS_OK};
	bool complete = false;
	if (vrs_techniques_measure(runner, rounds, 0, false, &complete, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_true(complete);
	assert_int_equal(vrs_runner_finish(runner, true, &err), VRS_OK);
	assert_int_equal(vrs_technique_judge(techniques->list, techniques->cases, vrs_runner_result(runner), 0, &outcomes), VRS_OK);
	return outcomes;
}

static int count_calls(void)
{
	char path[200];
	struct stat st;
	snprintf(path, sizeof path, "%s/log", folder);
	return stat(path, &st) == 0 ? (int)st.st_size : 0;
}

static const struct vrs_technique_outcome *outcome(const struct vrs_technique_outcomes *all, const char *name)
{
	for (int i = 0; i < all->count; i++)
		if (strcmp(all->items[i].technique->name, name) == 0)
			return &all->items[i];
	fail_msg("no outcome of %s", name);
	return NULL;
}

static void expect(const struct vrs_technique_outcomes *all, const char *name, enum vrs_technique_answer answer, const char *word, const char *text)
{
	const struct vrs_technique_outcome *o = outcome(all, name);
	if (o->answer != answer || strcmp(o->word, word) != 0 || !strstr(o->text, text))
		fail_msg("%s: answer %d, %s, \"%s\"; expected %d, %s, \"%s\"", name, (int)o->answer, o->word, o->text, (int)answer, word, text);
}

static void known_children(void **state)
{
	(void)state;
	struct vrs_techniques techniques;
	double change, low, high;
	struct vrs_runner *runner = open_runner(&techniques, 10, false);
	assert_int_equal(vrs_runner_result(runner)->case_count, 8); /* seven pairs and the side that they share */
	assert_string_equal(vrs_runner_result(runner)->cases[0].axis, "default");
	struct vrs_technique_outcomes *all = measure(&techniques, runner, 10);
	assert_int_equal(count_calls(), 7 * 10); /* the broken one is given up without a call of its script that is logged */
	assert_int_equal(all->family, 5);
	expect(all, "fast-preset", VRS_TECHNIQUE_PAYS, "FASTER", "pays: +");
	expect(all, "fast-preset", VRS_TECHNIQUE_PAYS, "FASTER", "costs 0.0100 of IoU");
	expect(all, "slow-preset", VRS_TECHNIQUE_PAYS_NOT, "SLOWER", "does not pay here: -");
	expect(all, "nothing", VRS_TECHNIQUE_PAYS_NOT, "EQUIVALENT", "no change of speed beyond"); /* 2 %, or 3 % in builds with sanitizers */
	expect(all, "broken", VRS_TECHNIQUE_NOT_MEASURED, "FAILED", "with it: ");
	expect(all, "scales", VRS_TECHNIQUE_PAYS, "BETTER", "+0.0500 IoU with the truth; costs ");
	expect(all, "edges", VRS_TECHNIQUE_PAYS, "BETTER", "pays: -20.0 % memory");
	expect(all, "kept", VRS_TECHNIQUE_PAYS, "BETTER", "pays: -48."); /* 523 of 1023 ms */
	assert_null(vrs_technique_metric(outcome(all, "edges"), "start"));
	expect(all, "both-eyes", VRS_TECHNIQUE_NOT_MEASURED, "-", "needs a stereo clip");
	expect(all, "gpu", VRS_TECHNIQUE_NOT_MEASURED, "-", "device: no OpenCL device can be used, not even auto");
	expect(all, "device", VRS_TECHNIQUE_NOT_MEASURED, "-", "it is not built yet");
	const struct vrs_comparison *fps = vrs_technique_metric(outcome(all, "fast-preset"), "fps");
	char line[VRS_VERDICT_LINE_MAX];
	vrs_technique_line(outcome(all, "fast-preset"), line, sizeof line);
	assert_int_equal(strncmp(line, "VERDICT PAYS technique=fast-preset metric=fps delta=-", 52), 0);
	vrs_technique_line(outcome(all, "scales"), line, sizeof line);
	assert_string_equal(line, "VERDICT PAYS technique=scales metric=iou delta=+0.0500");
	vrs_technique_line(outcome(all, "device"), line, sizeof line);
	assert_string_equal(line, "VERDICT NOT_MEASURED technique=device");
	assert_non_null(fps);
	vrs_technique_change(fps, &change, &low, &high);
	assert_float_equal(change, 0.2, 0.01); /* of the rate, not its cost, which is -1/6 */
	assert_true(low < change && change < high && low > 0.15);
	assert_true(fps->holm_p <= 0.05 && fps->holm_p >= fps->p);
	assert_true(isfinite(vrs_technique_metric(outcome(all, "nothing"), "fps")->mde));
	vrs_free(all);
	vrs_techniques_fini(&techniques);
	vrs_runner_destroy(runner);
}

static void three_rounds_prove_nothing(void **state)
{
	(void)state;
	struct vrs_techniques techniques;
	struct vrs_runner *runner = open_runner(&techniques, 3, false);
	struct vrs_technique_outcomes *all = measure(&techniques, runner, 3);
	expect(all, "fast-preset", VRS_TECHNIQUE_UNDECIDED, "INCONCLUSIVE", "3 pairs, at least 8 are needed");
	expect(all, "scales", VRS_TECHNIQUE_PAYS, "BETTER", "IoU"); /* the same in every run */
	vrs_free(all);
	vrs_techniques_fini(&techniques);
	vrs_runner_destroy(runner);
	/* Going on makes no run twice, and counts what is there. */
	runner = open_runner(&techniques, 3, true);
	assert_int_equal(vrs_runner_result(runner)->case_count, 8);
	all = measure(&techniques, runner, 3);
	assert_int_equal(count_calls(), 7 * 3);
	vrs_free(all);
	vrs_techniques_fini(&techniques);
	vrs_runner_destroy(runner);
}

static void a_changed_file_is_refused(void **state)
{
	(void)state;
	struct vrs_techniques techniques;
	struct vrs_runner *runner = open_runner(&techniques, 1, false);
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner_options o = vrs_runner_options_default();
	vrs_free(measure(&techniques, runner, 1));
	vrs_techniques_fini(&techniques);
	vrs_runner_destroy(runner);
	write_text(file, "techniques:\n  nothing: {improves: speed, where: x, off: {output.crf: 20}, on: {output.crf: 35}}\n");
	o.program = program;
	o.folder = result_dir;
	o.resume = true;
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_OK);
	assert_int_equal(vrs_techniques_open(&techniques, runner, NULL, true, false, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "has changed"));
	vrs_runner_destroy(runner);
}

/* The default crf is a change where the base asks for a quality. */
static void rates_of_the_base(void **state)
{
	(void)state;
	static const char *const values[] = {"", "/output.crf=30", "/output.crf=20", "/output.lossless=true"};
	struct vrs_techniques techniques;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_config_set(base, "output.quality", "80", VRS_SOURCE_FILE, NULL, &err), VRS_OK);
	write_text(file, "techniques:\n"
			 "  rate: {improves: speed, where: x, off: {output.crf: 30}, on: {output.crf: 20}}\n"
			 "  none: {improves: speed, where: x, off: {output.lossless: false}, on: {output.lossless: true}}\n");
	struct vrs_runner *runner = open_runner(&techniques, 1, false);
	const struct vrs_result *result = vrs_runner_result(runner);
	assert_int_equal(result->case_count, 4);
	for (int i = 0; i < 4; i++) {
		const char *value = strstr(result->cases[i].id, "/output.");
		assert_string_equal(value ? value : "", values[i]);
	}
	vrs_techniques_fini(&techniques);
	vrs_runner_destroy(runner);
}

static void rounds_for_a_family(void **state)
{
	(void)state;
	assert_int_equal(vrs_verdict_family_rounds(1), 8);  /* the least that any verdict takes */
	assert_int_equal(vrs_verdict_family_rounds(16), 10); /* 16 / 512 = .031, 16 / 256 = .063 */
	assert_true(vrs_verdict_family_rounds(VRS_TECHNIQUES_MAX) <= VRS_TECHNIQUES_ROUNDS);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN); /* as in the programs: a child that ends early is a failed run */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_file_is_complete),
		cmocka_unit_test(bad_files),
		cmocka_unit_test_setup(names_are_chosen, fresh),
		cmocka_unit_test_setup(known_children, fresh),
		cmocka_unit_test_setup(three_rounds_prove_nothing, fresh),
		cmocka_unit_test_setup(a_changed_file_is_refused, fresh),
		cmocka_unit_test(rounds_for_a_family),
		cmocka_unit_test_setup(rates_of_the_base, fresh), /* which it changes */
	};
	return cmocka_run_group_tests(tests, set_up, fake_tear_down);
}
