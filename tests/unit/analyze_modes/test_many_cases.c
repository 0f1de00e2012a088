/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the report of a sweep of 10,000 cases: every case is in it, memory stays below 200 MB, and time grows with the number of cases, not with its
 * square.  Times are those of the processor, as a ratio of two reports made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/modes/analyze_program.h"
#include "bench/record/record_fields.h"
#include "scratch_folder.h"
#include "unit/analyzer/made_result.h"

#define FOLDER "many_cases"
#define MEMORY_MAX (200L << 10) /* KiB */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined NDEBUG
#define MEMORY_COUNTS false /* shadow memory, quarantine */
#else
#define MEMORY_COUNTS true
#endif

enum { SMALL = 2500, LARGE = 10000, ROUNDS = 3 };

/* Every value that a run can have. */
static void fill_runs(struct vrs_case_result *c)
{
	for (int i = 0; i < c->run_count; i++)
		for (const struct vrs_field *f = vrs_run_fields; f->key; f++) {
			double *number = (double *)(void *)((char *)&c->runs[i] + f->offset);
			int64_t *count = (int64_t *)(void *)((char *)&c->runs[i] + f->offset);
			if (f->kind == VRS_FIELD_DOUBLE && !(*number >= 0))
				*number = f->max < 2 ? 0.9 : 12.3456789;
			else if (f->kind == VRS_FIELD_INT64 && *count < 0)
				*count = 123456;
		}
}

/* Every option has its values, as in a full sweep. */
static void make_file(int count)
{
	static const int widths[] = {1280, 1920, 2560, 3840, 5760}, batches[] = {1, 2, 4, 8, 16}, nets[] = {128, 192, 256, 384};
	static const char *const precisions[] = {"fp32", "fp16", "bf16", "int8", "mixed"};
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < count; i++) {
		int k = i, w = widths[k % 5], b = batches[k / 5 % 5], t = 1 + k / 125 % 16, n = nets[k / 2000 % 4], s = 1 + k / 8000;
		const char *p = precisions[k / 25 % 5];
		double fps = 2e7 / w / w * (1 + 0.1 * (b > 1)) * t / (1 + 0.2 * (t - 1)) * (256.0 / n) / s;
		struct vrs_case_result *c = add_case(result, w, w / 2, b, p, t, fps, 0.95 + 0.0001 * n, ROUNDS);
		snprintf(c->id, sizeof c->id, "r=%dx%d/b=%d/p=%s/t=%d/s=%d/n=%dx%d", w, w / 2, b, p, t, s, n, n);
		c->net_width = c->net_height = n;
		c->streams = s;
		fill_runs(c);
	}
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[count / 2].id);
	(void)vrs_strcpy(result->tool_version, sizeof result->tool_version, "test");
	result->complete = true;
	assert_int_equal(vrs_result_write(result, "results.json", NULL), VRS_OK);
	vrs_result_destroy(result);
}

/* In a process of its own, whose memory and time can be known. Returns its exit code. */
static int in_child(void (*work)(const void *argument), const void *argument, struct rusage *ret_usage)
{
	int state = -1;
	pid_t child = fork();
	if (child == 0) {
		work(argument);
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(wait4(child, &state, 0, ret_usage), child);
	return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void generate(const void *argument)
{
	make_file(*(const int *)argument);
}

/* Everything that `vranalyze results.json` does, but for drawing graphs. */
static void report(const void *argument)
{
	const struct vrs_analyze_mode *mode = &vrs_explain_mode;
	union { char bytes[VRS_ANALYZE_MAX_ARGS]; max_align_t align; } args;
	const char *const operands[] = {"results.json"};
	struct vrs_error err = {.status = VRS_OK};
	FILE *out = fopen(argument, "w"), *notes = fopen("/dev/null", "w");
	int code = 0;
	memcpy(args.bytes, mode->defaults, mode->args_size);
	for (const struct vrs_cli_action *a = mode->spec->actions; a->flag; a++)
		if (strcmp(a->flag, "no-html") == 0)
			*(bool *)(void *)(args.bytes + a->offset) = true;
	const struct vrs_analyze_call call = {.args = args.bytes, .operands = operands, .count = 1, .out = out, .notes = notes};
	if (!out || !notes || mode->run(&call, &code, &err) != VRS_OK || code != 0 ||
	    fclose(out) != 0) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
}

static double seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) + 1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static int count_lines(const char *path, const char *with)
{
	char line[4096];
	int n = 0;
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in))
		n += strstr(line, with) != NULL;
	assert_int_equal(fclose(in), 0);
	return n;
}

static void many_cases_take_their_share(void **state)
{
	static const int counts[] = {SMALL, LARGE};
	struct rusage usage[2], ignored;
	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(in_child(generate, &counts[i], &ignored), 0);
		assert_int_equal(in_child(report, "report.txt", &usage[i]), 0);
		/* The tables of speed, of stages and of quality have a row for each. */
		assert_true(count_lines("report.txt", "/n=") + count_lines("report.txt", "  r=") >= 3 * counts[i]);
	}
	printf("%d cases: %.2f s, %ld MiB; %d cases: %.2f s, %ld MiB\n", SMALL, seconds(&usage[0]), usage[0].ru_maxrss >> 10, LARGE,
	       seconds(&usage[1]), usage[1].ru_maxrss >> 10);
	assert_true(seconds(&usage[1]) < 8 * seconds(&usage[0]) + 0.5); /* 4 times as many; 16 if it were the square */
	if (MEMORY_COUNTS)
		assert_true(usage[1].ru_maxrss < MEMORY_MAX);
	assert_int_equal(unlink("report.txt"), 0);
	assert_int_equal(unlink("results.json"), 0);
}

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter(FOLDER);
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_leave(FOLDER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(many_cases_take_their_share)};
	return cmocka_run_group_tests(tests, enter, leave);
}
