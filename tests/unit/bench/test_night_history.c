/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the history of nights: what is appended is read back, over months and clocks that go back; a writer that is killed at any byte leaves the
 * old history or the new one; two writers at once: the second is told; damage and newer versions are refused with file and line; hostile texts stay
 * texts; a night is appended to 10,000 of 50 series, and the last 365 read, in seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str_parse.h"
#include "bench/record/night_history.h"
#include "scratch_folder.h"

#define DAY 86400
enum { NOVEMBER = 1793491200 }; /* 2026-11-01 00:00 UTC */

static const char sha[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("night_history");
}

static int tear_down(void **state)
{
	(void)state;
	return remove_tree("h") != 0 && errno != ENOENT ? -1 : scratch_folder_leave("night_history");
}

static const char *folder_of(void **state)
{
	(void)state;
	return "h";
}

static void make_night(struct vrs_arena *arena, int64_t time, int series, struct vrs_night_record *night)
{
	vrs_night_record_init(night);
	night->time = time;
	vrs_strcpy(night->date_utc, sizeof night->date_utc, "2026-11-02T01:00:00Z");
	vrs_strcpy(night->sha256, sizeof night->sha256, sha);
	vrs_strcpy(night->commit, sizeof night->commit, "abc1234567");
	night->fingerprint = 7;
	night->outcome = VRS_NIGHT_PASSED;
	night->cases = vrs_night_record_make_cases(arena, series / 5);
	night->case_count = series / 5;
	assert_non_null(night->cases);
	for (int i = 0; i < night->case_count; i++) {
		struct vrs_night_figures *c = &night->cases[i];
		vrs_strcpy(c->input, sizeof c->input, "clip.mp4");
		c->input_hash = 42;
		snprintf(c->id, sizeof c->id, "r=640x480/b=auto/p=fp32/t=%d", i + 1);
		c->metrics = vrs_night_record_make_metrics(arena, 5);
		c->metric_count = 5;
		assert_non_null(c->metrics);
		for (int m = 0; m < 5; m++) {
			struct vrs_comparison *k = &c->metrics[m];
			snprintf(k->metric, sizeof k->metric, "metric_%d", m);
			vrs_strcpy(k->unit, sizeof k->unit, "ms");
			k->a = 10 + m;
			k->b = 10.1 + m;
			k->change = 0.01;
			k->low = -0.01;
			k->high = 0.03;
			k->p = 0.5;
			k->margin = 0.02;
			k->pairs = 14;
			k->verdict = VRS_VERDICT_EQUIVALENT;
		}
	}
}

static void add_nights(const char *folder, int64_t first, int64_t step, int count)
{
	struct vrs_night_history *history;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_night_history_open(&history, folder, 5, &err), VRS_OK);
	for (int i = 0; i < count; i++) {
		struct vrs_night_record night;
		make_night(&history->arena, first + i * step, 10, &night);
		assert_int_equal(vrs_night_history_add(history, &night, &err), VRS_OK);
	}
	vrs_night_history_close(history);
}

static struct vrs_night_history *read_back(const char *folder, int most)
{
	struct vrs_night_history *history = NULL;
	struct vrs_error err = {.status = VRS_OK};
	enum vrs_status status = vrs_night_history_read(&history, folder, most, &err);
	if (status != VRS_OK)
		print_message("%s\n", err.text);
	assert_int_equal(status, VRS_OK);
	return history;
}

static void round_trip(void **state)
{
	const char *folder = folder_of(state);
	add_nights(folder, NOVEMBER, DAY, 70); /* three months */
	add_nights(folder, NOVEMBER - 40 * DAY, DAY, 2); /* the clock was wrong */
	struct vrs_night_history *history = read_back(folder, VRS_HISTORY_NIGHTS);
	assert_int_equal(history->night_count, 72);
	for (int i = 0; i < 72; i++)
		assert_int_equal(history->nights[i].number, i + 1);
	assert_int_equal(history->nights[71].time, NOVEMBER - 39 * DAY);
	const struct vrs_night_record *last = vrs_night_history_last(history);
	const struct vrs_comparison *k = vrs_night_figures_find(&last->cases[1], "metric_3");
	assert_non_null(k);
	assert_float_equal(k->b, 13.1, 1e-9);
	assert_int_equal(k->verdict, VRS_VERDICT_EQUIVALENT);
	assert_true(isnan(k->holm_p) && isnan(last->injected_slowdown));
	assert_string_equal(last->cases[1].id, "r=640x480/b=auto/p=fp32/t=2");
	assert_null(vrs_night_figures_find(&last->cases[1], "none"));
	vrs_night_history_close(history);
	history = read_back(folder, 10); /* over the edge of a month */
	assert_int_equal(history->night_count, 10);
	assert_int_equal(history->nights[0].number, 63);
	assert_null(vrs_night_history_find(history, 62));
	assert_int_equal(vrs_night_history_find(history, 70)->number, 70);
	vrs_night_history_close(history);
}

static void decisions(void **state)
{
	const char *folder = folder_of(state);
	struct vrs_night_history *history;
	struct vrs_decision d;
	char big[5000];
	add_nights(folder, NOVEMBER, DAY, 1);
	assert_int_equal(vrs_night_history_open(&history, folder, 5, NULL), VRS_OK);
	assert_null(vrs_night_history_baseline(history));
	vrs_decision_init(&d);
	d.kind = VRS_DECISION_ACCEPT;
	d.night = 1;
	d.time = NOVEMBER;
	vrs_strcpy(d.date_utc, sizeof d.date_utc, "now");
	vrs_strcpy(d.sha256, sizeof d.sha256, sha);
	vrs_strcpy(d.reason, sizeof d.reason, "<script>alert(1)</script>\n\"|`\xc3\xa9\x1b[2J");
	assert_int_equal(vrs_night_history_decide(history, &d, NULL), VRS_OK);
	d.kind = VRS_DECISION_NOTE;
	assert_int_equal(vrs_night_history_decide(history, &d, NULL), VRS_OK);
	vrs_night_history_close(history);
	history = read_back(folder, 5);
	assert_int_equal(history->decision_count, 2);
	assert_ptr_equal(vrs_night_history_baseline(history), &history->decisions[0]);
	assert_string_equal(history->decisions[0].reason, d.reason);
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_night_history_decide(history, &d, &err), VRS_EINVAL); /* opened for reading */
	vrs_night_history_close(history);
	memset(big, 'x', sizeof big);
	snprintf(big, sizeof big, "{\"schema\":\"vrbench-history/1\",\"kind\":\"note\",\"night\":1,\"time\":1,\"date_utc\":\"x\",\"reason\":\"%0*d\"}",
		 4000, 1);
	assert_int_equal(vrs_decision_parse(big, strlen(big), "big", &d, &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "reason must be a text of 1 to 479 bytes"));
}

/* A write that was cut at any byte: the nights before it, and the next one comes in its place. */
static void torn(void **state)
{
	const char *folder = folder_of(state);
	char path[PATH_MAX];
	struct stat before, after;
	add_nights(folder, NOVEMBER, DAY, 2);
	snprintf(path, sizeof path, "%s/nights-2026-11.jsonl", folder);
	assert_int_equal(stat(path, &before), 0);
	add_nights(folder, NOVEMBER + 2 * DAY, DAY, 1);
	assert_int_equal(stat(path, &after), 0);
	vrs_log_set_level(VRS_LOG_ERROR); /* each read warns */
	for (off_t size = after.st_size - 1; size > before.st_size; size -= 97) {
		assert_int_equal(truncate(path, size), 0);
		struct vrs_night_history *history = read_back(folder, 5);
		assert_int_equal(history->night_count, 2);
		vrs_night_history_close(history);
	}
	add_nights(folder, NOVEMBER + 2 * DAY, DAY, 1);
	struct vrs_night_history *history = read_back(folder, 5);
	assert_int_equal(history->night_count, 3);
	assert_int_equal(history->nights[2].number, 3);
	vrs_night_history_close(history);
}

static void two_writers(void **state)
{
	const char *folder = folder_of(state);
	struct vrs_night_history *first, *second;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_night_history_open(&first, folder, 5, NULL), VRS_OK);
	assert_int_equal(vrs_night_history_open(&second, folder, 5, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "another process is writing this history"));
	vrs_night_history_close(first);
	assert_int_equal(vrs_night_history_open(&second, folder, 5, &err), VRS_OK);
	vrs_night_history_close(second);
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(vrs_file_replace(path, text, strlen(text), NULL), VRS_OK);
}

static void expect_refused(const char *folder, enum vrs_status expected, const char *sentence)
{
	struct vrs_night_history *history;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_night_history_read(&history, folder, 5, &err), expected);
	char told[sizeof err.text + sizeof err.file + 4];
	snprintf(told, sizeof told, "%s: %s", err.file, err.text);
	if (!strstr(told, sentence))
		print_message("%s\n", told);
	assert_non_null(strstr(told, sentence));
}

#define HEAD "{\"schema\":\"vrbench-history/1\",\"number\":1,\"time\":1,\"date_utc\":\"x\",\"sha256\":\"x\",\"fingerprint\":\"0000000000000007\"," \
	"\"gate\":\"passed\",\"outcome\":\"passed\","

static void damaged(void **state)
{
	const char *folder = folder_of(state);
	struct vrs_night_history *history;
	assert_int_equal(vrs_night_history_read(&history, folder, 5, NULL), VRS_ENOTFOUND);
	assert_int_equal(vrs_mkdirs(folder, NULL), VRS_OK);
	put(folder, "nights-2026-11.jsonl", HEAD "\"cases\":[]}\n{\"schema\":\n");
	expect_refused(folder, VRS_EFORMAT, "nights-2026-11.jsonl:2");
	put(folder, "nights-2026-11.jsonl", HEAD "\"cases\":[]}\n" HEAD "\"cases\":[]}\n");
	expect_refused(folder, VRS_EFORMAT, "number 1 follows number 1");
	put(folder, "nights-2026-11.jsonl", "{\"schema\":\"vrbench-history/2\"}\n");
	expect_refused(folder, VRS_EUNSUPPORTED, "schema \"vrbench-history/2\"");
	put(folder, "nights-2026-11.jsonl", "{\"a\":1}\n");
	expect_refused(folder, VRS_EFORMAT, "schema is missing");
	put(folder, "nights-2026-11.jsonl", HEAD "\"cases\":[{\"input\":\"a\",\"input_hash\":\"0000000000000001\",\"id\":\"r\",\"metrics\":[3]}]}\n");
	expect_refused(folder, VRS_EFORMAT, "cases[0].metrics[0] must be an object");
	put(folder, "nights-2026-11.jsonl", HEAD "\"cases\":[{\"input\":\"a\",\"input_hash\":\"0000000000000001\",\"id\":\"r\","
	    "\"metrics\":[{\"metric\":\"fps\",\"verdict\":\"FINE\"}]}]}\n");
	expect_refused(folder, VRS_EFORMAT, "cases[0].metrics[0].verdict must be one of");
	put(folder, "nights-2026-11.jsonl", HEAD "\"cases\":[]}\n");
	put(folder, "nights-2026-12.jsonl", HEAD "\"cases\":[]}\n");
	expect_refused(folder, VRS_EFORMAT, "its last night has number 1, and the next file begins with 1");
	put(folder, "nights-2026-12.jsonl", "");
	put(folder, "decisions.jsonl", "{}\n");
	expect_refused(folder, VRS_EFORMAT, "decisions.jsonl:1");
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/decisions.jsonl", folder);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof path, "%s/nights-2026-12.jsonl", folder);
	assert_int_equal(truncate(path, (off_t)300 << 20), 0); /* huge, and no line ends */
	expect_refused(folder, VRS_ELIMIT, "nights-2026-12.jsonl");
	assert_int_equal(truncate(path, (off_t)20 << 20), 0);
	history = read_back(folder, 5); /* a torn end, however long */
	assert_int_equal(history->night_count, 1);
	vrs_night_history_close(history);
}

/* Texts that could break a format come back as they were; a text that is too long is refused, not cut. */
static void hostile(void **state)
{
	static const char *const texts[] = {"\"quotes\" and \\", "<script>alert(1)</script>", "line\nbreak\ttab",
					    "\xc3\xa9\xe2\x80\xae\xf0\x9f\x98\x80", "\x1b[31m"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct vrs_arena arena = {0};
		struct vrs_night_record night, again;
		char *line;
		make_night(&arena, NOVEMBER, 5, &night);
		night.number = 1;
		vrs_strcpy(night.cases[0].id, sizeof night.cases[0].id, texts[i]);
		vrs_strcpy(night.cases[0].input, sizeof night.cases[0].input, texts[i]);
		vrs_strcpy(night.cases[0].metrics[0].metric, sizeof night.cases[0].metrics[0].metric, texts[i]);
		vrs_strcpy(night.commit, sizeof night.commit, texts[i]);
		vrs_strcpy(night.reason, sizeof night.reason, texts[i]);
		assert_int_equal(vrs_night_record_print(&night, &line, NULL), VRS_OK);
		assert_null(strchr(line, '\n'));
		assert_int_equal(vrs_night_record_parse(line, strlen(line), "x", &arena, &again, NULL), VRS_OK);
		assert_string_equal(again.cases[0].id, texts[i]);
		assert_string_equal(again.cases[0].input, texts[i]);
		assert_string_equal(again.cases[0].metrics[0].metric, texts[i]);
		assert_string_equal(again.commit, texts[i]);
		assert_string_equal(again.reason, texts[i]);
		vrs_json_free_text(line);
		vrs_arena_free(&arena);
	}
}

/* 10,000 nights of 50 series: files are made directly, since 10,000 syncs are the disk's time and not ours. */
static void many_nights(void **state)
{
	const char *folder = folder_of(state);
	struct vrs_arena arena = {0};
	struct vrs_night_record night;
	struct vrs_night_history *history;
	char path[PATH_MAX];
	FILE *out = NULL;
	assert_int_equal(vrs_mkdirs(folder, NULL), VRS_OK);
	make_night(&arena, 0, 50, &night);
	for (int i = 0; i < 10000; i++) {
		char *line;
		if (i % 30 == 0) {
			if (out)
				assert_int_equal(fclose(out), 0);
			snprintf(path, sizeof path, "%s/nights-%04d-%02d.jsonl", folder, 1980 + i / 360, 1 + i / 30 % 12);
			out = fopen(path, "we");
			assert_non_null(out);
		}
		night.number = i + 1;
		night.time = (int64_t)i * DAY;
		assert_int_equal(vrs_night_record_print(&night, &line, NULL), VRS_OK);
		fprintf(out, "%s\n", line);
		vrs_json_free_text(line);
	}
	assert_int_equal(fclose(out), 0);
	uint64_t begin = vrs_cpu_ns();
	assert_int_equal(vrs_night_history_open(&history, folder, VRS_HISTORY_NIGHTS, NULL), VRS_OK);
	night.time = NOVEMBER;
	assert_int_equal(vrs_night_history_add(history, &night, NULL), VRS_OK);
	double seconds = 1e-9 * (double)(vrs_cpu_ns() - begin);
	print_message("one night appended to 10000 of 50 series, with the last 365 read: %.3f s\n", seconds);
	assert_int_equal(history->night_count, VRS_HISTORY_NIGHTS + 1);
	assert_int_equal(history->nights[VRS_HISTORY_NIGHTS].number, 10001);
	assert_true(seconds < 5);
	vrs_night_history_close(history);
	vrs_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(round_trip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(decisions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(torn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_writers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged, set_up, tear_down),
		cmocka_unit_test(hostile),
		cmocka_unit_test_setup_teardown(many_nights, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
