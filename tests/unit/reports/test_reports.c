/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the report writers: hostile text is escaped in every format, columns line up, nothing is lost, out of memory is a status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "reports/escape.h"
#include "reports/report.h"

#define HOSTILE "<script>alert(\"x\")</script> & 'q' | `b` \\ \n\x01 \xc3\xa9"

static struct vrs_findings *make_findings(void)
{
	struct vrs_findings *f = vrs_findings_create();
	if (!f)
		return NULL;
	strcpy(f->title, HOSTILE);
	strcpy(f->verdict, HOSTILE);
	strcpy(f->reproduce, "vrbench --all");
	struct vrs_table *t = vrs_findings_add_table(f, "t", "Speed");
	vrs_table_add_column(t, "case", false);
	vrs_table_add_column(t, HOSTILE, true);
	for (int i = 0; i < 5; i++) {
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "row %d", i);
		vrs_table_set(t, 1, "%s", i == 2 ? HOSTILE : "1.5");
	}
	struct vrs_graph_data *g = vrs_findings_add_graph(f, "g", HOSTILE, VRS_GRAPH_BARS);
	struct vrs_series *s = vrs_graph_add_series(g, "FPS", 2, true);
	if (s)
		s->y[0] = 1.25;
	vrs_graph_add_category(g, "a");
	vrs_graph_add_category(g, HOSTILE);
	struct vrs_note *n = vrs_findings_add_note(f, VRS_NOTE_RECOMMENDATION, "n", "%s", HOSTILE);
	strcpy(n->evidence, "busy 95 %");
	strcpy(n->yaml, "engine:\n  threads: 2");
	if (vrs_findings_finish(f) == VRS_OK)
		return f;
	vrs_findings_destroy(f);
	return NULL;
}

static void write_all(const char *name, struct vrs_buf *out)
{
	struct vrs_findings *f = make_findings();
	assert_non_null(f);
	vrs_buf_init(out, 1 << 20);
	assert_int_equal(vrs_report_find(name)->write(f, NULL, out, NULL), VRS_OK);
	vrs_findings_destroy(f);
}

static void html_is_escaped(void **state)
{
	(void)state;
	struct vrs_buf out;
	write_all("html", &out);
	const char *script = strstr(out.data, "<script"); /* ours alone, the last thing on the page */
	assert_non_null(script);
	assert_null(strstr(script + 1, "<script"));
	assert_ptr_equal(strstr(out.data, "</main><script>"), script - 7);
	assert_non_null(strstr(out.data, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;q&#39;"));
	assert_non_null(strstr(out.data, "\xc3\xa9"));
	assert_null(strchr(out.data, 1));
	assert_non_null(strstr(out.data, "<pre>engine:\n  threads: 2</pre>"));
	vrs_buf_fini(&out);
}

/* Nothing that a result holds acts on the terminal that shows it, no byte is no UTF-8, and nothing closes a code block early. */
static void controls_and_fences_stay_texts(void **state)
{
	static const char *const names[] = {"text", "markdown", "html", "csv"};
	static const char hostile[] = "a\x1b[2J\x07\xc2\x9b" "31mb\xff\xe2\x80\xae```\n````\n" "````````````````````````````````````````\nc";
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct vrs_findings *f = make_findings();
		struct vrs_buf out;
		strcpy(f->title, hostile);
		strcpy(f->reproduce, hostile);
		strcpy(f->notes[0].yaml, hostile);
		vrs_table_set(&f->tables[0], 0, "%s", hostile);
		vrs_buf_init(&out, 1 << 20);
		assert_int_equal(vrs_report_find(names[i])->write(f, NULL, &out, NULL), VRS_OK);
		for (const char *c = out.data; *c; c++)
			if ((*c != '\n' && vrs_control_character(c)) || *c == '\xff')
				fail_msg("%s: byte %#x at %td", names[i], (unsigned)(unsigned char)*c, c - out.data);
		if (strcmp(names[i], "markdown") == 0)
			assert_non_null(strstr(out.data, "\n`````````````````````````````````````````yaml\na [2J"));
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
	}
}

static void markdown_keeps_its_columns(void **state)
{
	(void)state;
	struct vrs_buf out;
	write_all("markdown", &out);
	assert_null(strstr(out.data, "<script"));
	/* A pipe inside a cell must not make a column: every table line has three unescaped pipes. */
	for (const char *line = strstr(out.data, "\n| "); line; line = strstr(line + 1, "\n| ")) {
		int pipes = 0;
		for (const char *p = line + 1; *p && *p != '\n'; p++)
			pipes += *p == '|' && p[-1] != '\\';
		assert_int_equal(pipes, 3);
	}
	vrs_buf_fini(&out);
}

/* Not a list, a heading, a rule or code. */
static void markdown_paragraphs_stay_paragraphs(void **state)
{
	static const char *const texts[][2] = {{"- n", "\n\\- n\n"}, {" \n# h", "\n\\# h\n"}, {"12. x", "\n12\\. x\n"}, {"~~~", "\n\\~~~\n"},
					       {"    x", "\nx\n"}, {"12 x", "\n12 x\n"}};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct vrs_findings *f = make_findings();
		struct vrs_buf out;
		strcpy(f->verdict, texts[i][0]);
		vrs_buf_init(&out, 1 << 20);
		assert_int_equal(vrs_report_find("markdown")->write(f, NULL, &out, NULL), VRS_OK);
		assert_non_null(strstr(out.data, texts[i][1]));
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
	}
}

static void json_parses_and_holds_everything(void **state)
{
	(void)state;
	struct vrs_buf out;
	cJSON *json = NULL;
	write_all("json", &out);
	assert_int_equal(vrs_json_parse(out.data, out.len, 1 << 20, "report", &json, NULL), VRS_OK);
	assert_string_equal(vrs_json_string(json, "title"), HOSTILE);
	const cJSON *table = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "tables"), 0);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(table, "rows")), 5);
	const cJSON *graph = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "graphs"), 0);
	const cJSON *series = cJSON_GetArrayItem(cJSON_GetObjectItem(graph, "series"), 0);
	assert_float_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(series, "y"), 0)->valuedouble, 1.25, 0);
	cJSON_Delete(json);
	vrs_buf_fini(&out);
}

static void text_columns_line_up(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_table *t = vrs_findings_add_table(f, "t", "Speed");
	struct vrs_buf out;
	vrs_buf_init(&out, 1 << 20);
	vrs_table_add_column(t, "case", false);
	vrs_table_add_column(t, "FPS", true);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "\xc3\xa9t\xc3\xa9");
	vrs_table_set(t, 1, "101.5");
	assert_int_equal(vrs_report_find("text")->write(f, NULL, &out, NULL), VRS_OK);
	assert_string_equal(out.data, "\n\nSpeed\n  case    FPS\n  \xc3\xa9t\xc3\xa9   101.5\n");
	vrs_buf_fini(&out);
	vrs_findings_destroy(f);
}

/* Rows of long names, many columns, and words: what terminals of 100 columns would tear apart. */
static struct vrs_findings *wide_findings(int columns, const char *name)
{
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_table *t = vrs_findings_add_table(f, "wide", "Wide");
	vrs_table_add_column(t, "case", false);
	for (int c = 1; c < columns; c++) {
		char head[40];
		snprintf(head, sizeof head, "head%d of several words", c);
		vrs_table_add_column(t, head, true);
	}
	vrs_table_add_column(t, "verdict", false);
	for (int r = 0; r < 3; r++) {
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s%d", name, r);
		for (int c = 1; c < columns; c++)
			vrs_table_set(t, c, "v%dx%d", r, c);
		vrs_table_set(t, columns, "a long sentence that says what row w%d is worth, with reasons and what to do next", r);
	}
	return f;
}

static void no_line_is_wider_than_a_terminal(void **state)
{
	(void)state;
	static const struct {
		int columns;
		const char *name;
	} kinds[] = {{3, "r"}, {6, "r=3840x1920/b=2/p=fp32/t="}, {12, "r=3840x1920/b=2/p=fp32/t="}, {22, "r=7680x3840/b=16/p=mixed/t="},
		     {5, "r=3840x1920/b=2/p=fp32/t=2/s=2/n=512x512/m=selfie_segmentation/output.preset=ultrafast/pipeline.queue_size=16/x="}};
	static const int widths[] = {40, 64, 80, 100, 137, 200};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds * (sizeof widths / sizeof *widths); i++) {
		size_t width = (size_t)widths[i / (sizeof kinds / sizeof *kinds)], kind = i % (sizeof kinds / sizeof *kinds);
		struct vrs_findings *f = wide_findings(kinds[kind].columns, kinds[kind].name);
		struct vrs_buf out;
		(void)vrs_strcpy(f->title, sizeof f->title, kinds[4].name);
		snprintf(f->verdict, sizeof f->verdict, "%s is as fast as %s.", kinds[4].name, kinds[4].name);
		vrs_buf_init(&out, 1 << 20);
		assert_int_equal(vrs_report_text_columns(f, (int)width, &out, NULL), VRS_OK);
		for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1) {
			if (strcspn(line, "\n") > width)
				fail_msg("%zu columns of %zu: %.*s", strcspn(line, "\n"), width, (int)strcspn(line, "\n"), line);
			assert_true(line == out.data || *line == '\n' || line[strcspn(line, "\n") - 1] != ' '); /* nor blanks at the end */
		}
		for (int r = 0; r < 3; r++)
			for (int c = 1; c < kinds[kind].columns; c++) { /* nothing is lost, and nothing stands there twice */
				char value[24];
				snprintf(value, sizeof value, " v%dx%d", r, c);
				const char *at = strstr(out.data, value);
				while (at && at[strlen(value)] >= '0' && at[strlen(value)] <= '9')
					at = strstr(at + 1, value);
				if (!at)
					fail_msg("%s is lost at %zu columns", value, width);
			}
		assert_non_null(strstr(out.data, " w2"));
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
	}
}

/* COLUMNS goes before the terminal, and what is no terminal has 100 columns. */
static void width_is_that_of_the_environment(void **state)
{
	static const struct {
		const char *asked;
		int columns;
	} cases[] = {{"80", 80}, {"12", 40}, {"9999", 200}, {"0", 100}, {"wide", 100}, {"", 100}};
	(void)state;
	FILE *out = tmpfile();
	assert_non_null(out);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(setenv("COLUMNS", cases[i].asked, 1), 0);
		assert_int_equal(vrs_report_columns(out), cases[i].columns);
	}
	assert_int_equal(unsetenv("COLUMNS"), 0);
	assert_int_equal(vrs_report_columns(out), 100);
	assert_int_equal(fclose(out), 0);
}

static void columns_without_values_are_left_out(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	static const char *const heads[] = {"case", "empty", "FPS"};
	struct vrs_table *t = vrs_findings_start_table(f, "t", "Speed", heads, 3, 1);
	struct vrs_buf out;
	vrs_buf_init(&out, 1 << 20);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "a");
	vrs_table_set(t, 2, "7");
	assert_int_equal(vrs_report_find("text")->write(f, NULL, &out, NULL), VRS_OK);
	assert_string_equal(out.data, "\n\nSpeed\n  case  FPS\n  a       7\n");
	vrs_buf_fini(&out);
	vrs_findings_destroy(f);
}

/* A table that can say no more than names is written once, not without end. */
static void names_alone_are_a_table(void **state)
{
	static const struct {
		const char *name, *text;
		int columns;
	} cases[] = {{"a", "\n\nSpeed\n  case\n  a\n", 3}, {"a", "\n\nSpeed\n  case\n  a\n", 1},
		     {"of a clip, at least as wide as a terminal", "\n\nSpeed\n  case\n  of a clip, at least as wide as a\n  terminal\n", 3}};
	static const char *const heads[] = {"case", "FPS", "verdict"};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_findings *f = vrs_findings_create();
		struct vrs_table *t = vrs_findings_start_table(f, "t", "Speed", heads, cases[i].columns, 5);
		struct vrs_buf out;
		vrs_buf_init(&out, 4096);
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", cases[i].name);
		assert_int_equal(vrs_report_text_columns(f, 40, &out, NULL), VRS_OK);
		assert_string_equal(out.data, cases[i].text);
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
	}
}

static void csv_quotes_what_needs_it(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	static const char *const heads[] = {"case", "FPS", "verdict"};
	struct vrs_table *t = vrs_findings_start_table(f, "cases", "Speed", heads, 3, 5);
	struct vrs_note *n = vrs_findings_add_note(f, VRS_NOTE_INFO, "cpu-bound", "all CPUs are busy");
	struct vrs_buf out;
	vrs_buf_init(&out, 1 << 20);
	assert_string_equal(n->id, "cpu-bound");
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "r=1x1/b=1,2");
	vrs_table_set(t, 1, "12.5");
	vrs_table_set(t, 2, "it \"passed\"\nat last");
	assert_int_equal(vrs_report_find("csv")->write(f, NULL, &out, NULL), VRS_OK);
	assert_string_equal(out.data, "table,row,column,value\ncases,\"r=1x1/b=1,2\",FPS,12.5\n"
				      "cases,\"r=1x1/b=1,2\",verdict,\"it \"\"passed\"\"\nat last\"\nnotes,cpu-bound,text,all CPUs are busy\n");
	vrs_buf_fini(&out);
	vrs_findings_destroy(f);
}

/* A spreadsheet computes what begins so; figures with a sign stay figures. */
static void csv_holds_no_formula(void **state)
{
	(void)state;
	static const struct {
		const char *cell, *shown;
	} rows[] = {
		{"=HYPERLINK(1)", "'=HYPERLINK(1)"}, {"=A1,2", "\"'=A1,2\""}, {"@SUM(A1)", "'@SUM(A1)"}, {"+A1", "'+A1"}, {"-(1)", "'-(1)"},
		{"-2+cmd|' /C x'!A0", "'-2+cmd|' /C x'!A0"}, {"\t=A1", "' =A1"}, {"-1.5", "-1.5"}, {"+20.4", "+20.4"}, {"-4e-05", "-4e-05"},
		{"-3.1 % [-4.0, +1.2]", "\"-3.1 % [-4.0, +1.2]\""}, {"-", "-"}, {"a=b", "a=b"}, {"12", "12"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct vrs_findings *f = vrs_findings_create();
		static const char *const heads[] = {"case", "value"};
		struct vrs_table *t = vrs_findings_start_table(f, "cases", "Speed", heads, 2, 0);
		char want[128];
		struct vrs_buf out;
		vrs_buf_init(&out, 1 << 20);
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "a");
		vrs_table_set(t, 1, "%s", rows[i].cell);
		snprintf(want, sizeof want, "table,row,column,value\ncases,a,value,%s\n", rows[i].shown);
		assert_int_equal(vrs_report_find("csv")->write(f, NULL, &out, NULL), VRS_OK);
		assert_string_equal(out.data, want);
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
	}
}

static void wrong_use_is_refused(void **state)
{
	(void)state;
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_table *t = vrs_findings_add_table(f, "t", "T");
	vrs_table_add_row(t); /* no columns yet */
	assert_int_equal(t->status, VRS_EINVAL);
	assert_int_equal(t->rows, 0);
	t = vrs_findings_add_table(f, "u", "U");
	for (int i = 0; i < VRS_FINDINGS_MAX_COLUMNS; i++)
		vrs_table_add_column(t, "c", true);
	assert_int_equal(t->status, VRS_OK);
	vrs_table_add_column(t, "c", true);
	assert_int_equal(t->status, VRS_EINVAL);
	t->status = VRS_OK;
	vrs_table_set(t, 0, "x"); /* no row yet */
	assert_int_equal(t->status, VRS_EINVAL);
	t->status = VRS_OK;
	vrs_table_add_row(t);
	assert_int_equal(t->status, VRS_OK);
	vrs_table_set(t, VRS_FINDINGS_MAX_COLUMNS, "x");
	assert_int_equal(t->status, VRS_EINVAL);
	assert_int_equal(vrs_findings_finish(f), VRS_EINVAL); /* the first failure stays, whatever went well after it */
	assert_int_equal(f->table_count, 1);                  /* what got no row is gone */
	vrs_findings_fail(f, VRS_ENOMEM);
	assert_int_equal(vrs_findings_finish(f), VRS_EINVAL);
	assert_null(vrs_report_find("pdf"));
	vrs_findings_destroy(f);
}

/* Fail the n-th allocation for every n until none fires: no crash, no leak (ASan), a status. */
static void out_of_memory_is_a_status(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		vrs_mem_fail_after(n, true);
		struct vrs_findings *f = make_findings();
		enum vrs_status status = VRS_ENOMEM;
		struct vrs_buf out;
		vrs_buf_init(&out, 1 << 20);
		if (f)
			status = vrs_report_find("html")->write(f, NULL, &out, NULL);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		if (!fired)
			break;
		assert_true(n < 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_and_fences_stay_texts),
		cmocka_unit_test(html_is_escaped), cmocka_unit_test(markdown_keeps_its_columns), cmocka_unit_test(markdown_paragraphs_stay_paragraphs),
		 cmocka_unit_test(json_parses_and_holds_everything),
		cmocka_unit_test(text_columns_line_up),
		cmocka_unit_test(no_line_is_wider_than_a_terminal), cmocka_unit_test(width_is_that_of_the_environment),
		cmocka_unit_test(columns_without_values_are_left_out), cmocka_unit_test(names_alone_are_a_table),
		cmocka_unit_test(csv_quotes_what_needs_it),
		cmocka_unit_test(csv_holds_no_formula),
		cmocka_unit_test(wrong_use_is_refused), cmocka_unit_test(out_of_memory_is_a_status),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
