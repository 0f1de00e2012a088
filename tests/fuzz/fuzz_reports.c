/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports with names from anywhere, with byte 0 between them: in every format the hostile texts leave the structure of the report as it is with
 * harmless ones (the same HTML tags, CSV fields, Markdown lines and JSON keys), no control character reaches a terminal, and all of it is UTF-8.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "reports/report.h"
#include "report_text.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 14, TEXT_BYTES = 500 };

struct texts {
	char text[TEXTS][TEXT_BYTES];
};

#define PUT(to, n) (void)vrs_strcpy(to, sizeof to, texts->text[n]) /* cut as the programs cut them */

/* Findings with every part that a report has. */
static struct vrs_findings *make_findings(const struct texts *texts)
{
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_table *table;
	struct vrs_graph_data *graph;
	struct vrs_note *note;

	require(f != NULL);
	PUT(f->title, 0);
	PUT(f->verdict, 1);
	PUT(f->subtitle, 2);
	PUT(f->environment, 3);
	PUT(f->reproduce, 4);
	table = vrs_findings_add_table(f, "cases", "Cases");
	PUT(table->title, 5);
	PUT(table->caption, 6);
	vrs_table_add_column(table, "case", false);
	vrs_table_add_column(table, texts->text[7], true);
	for (int row = 0; row < 2; row++) {
		vrs_table_add_row(table);
		vrs_table_set(table, 0, "%s", texts->text[8 + row]);
		vrs_table_set(table, 1, "%s", texts->text[6][0] != '\0' ? "1" : ""); /* without a caption the first column is all there is */
	}
	graph = vrs_findings_add_graph(f, "speed", "Speed", VRS_GRAPH_BARS);
	PUT(graph->title, 10);
	vrs_graph_add_category(graph, texts->text[10]);
	(void)vrs_graph_add_series(graph, texts->text[10], 1, false);
	note = vrs_findings_add_note(f, VRS_NOTE_WARNING, "advice", "%s", texts->text[11]);
	PUT(note->evidence, 12);
	PUT(note->yaml, 13);
	require(vrs_findings_finish(f) == VRS_OK);
	return f;
}

/* The report, and what is left of it without the texts, by `reduce`. */
static char *structure(const char *format, const struct texts *texts, void (*reduce)(const char *report, struct vrs_buf *out))
{
	struct vrs_findings *findings = make_findings(texts);
	struct vrs_buf report, out;
	char *kept;

	vrs_buf_init(&report, 1 << 20);
	vrs_buf_init(&out, 1 << 20);
	require(vrs_report_find(format)->write(findings, NULL, &report, NULL) == VRS_OK);
	require_readable(vrs_buf_str(&report), format);
	reduce(vrs_buf_str(&report), &out);
	kept = strdup(vrs_buf_str(&out));
	require(kept != NULL);
	vrs_buf_fini(&report);
	vrs_buf_fini(&out);
	vrs_findings_destroy(findings);
	return kept;
}

static void keep(struct vrs_buf *out, const char *from, size_t count)
{
	require(vrs_buf_append(out, from, count) == VRS_OK);
}

static void reduce_html(const char *report, struct vrs_buf *out)
{
	while ((report = strchr(report, '<')) != NULL) {
		size_t length = strcspn(report, ">");

		keep(out, report, length);
		report += length;
	}
}

/* Commas and line ends outside of quotes. */
static void reduce_csv(const char *report, struct vrs_buf *out)
{
	bool quoted = false;

	for (; *report != '\0'; report++) {
		quoted ^= *report == '"';
		if (!quoted && (*report == ',' || *report == '\n'))
			keep(out, report, 1);
	}
	require(!quoted);
}

static size_t fence_length(const char *line)
{
	size_t length = strspn(line, "`");

	return length >= 3 ? length : 0;
}

/* Fences, and of each other line outside of them its beginning and its cells. */
static void reduce_markdown(const char *report, struct vrs_buf *out)
{
	size_t fence = 0;

	for (const char *line = report; *line != '\0';) {
		size_t length = strcspn(line, "\n"), ticks = fence_length(line);
		bool closes = fence > 0 && ticks >= fence && ticks == length;

		if (closes || (fence == 0 && ticks > 0)) {
			fence = closes ? 0 : ticks;
			keep(out, "```\n", 4);
		} else if (fence == 0) {
			keep(out, line, length > 0 && strchr("#|-", *line) != NULL ? 1 : 0);
			for (size_t i = 0; i < length; i++)
				if (line[i] == '|' && (i == 0 || line[i - 1] != '\\'))
					keep(out, "|", 1);
			keep(out, "\n", 1);
		}
		line += length + (line[length] == '\n');
	}
	require(fence == 0);
}

static void put_keys(const cJSON *json, struct vrs_buf *out)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json) {
		if (item->string != NULL && cJSON_IsObject(json))
			keep(out, item->string, strlen(item->string));
		keep(out, "\n", 1);
		if (item->string == NULL || strcmp(item->string, "environment") != 0) /* any JSON that was recorded */
			put_keys(item, out);
	}
}

static void reduce_json(const char *report, struct vrs_buf *out)
{
	cJSON *json = NULL;

	require(vrs_json_parse(report, strlen(report), SIZE_MAX, "report", &json, NULL) == VRS_OK);
	put_keys(json, out);
	cJSON_Delete(json);
}

static void reduce_to_nothing(const char *report, struct vrs_buf *out)
{
	(void)report;
	(void)out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *format;
		void (*reduce)(const char *report, struct vrs_buf *out);
	} formats[] = {{"html", reduce_html}, {"csv", reduce_csv}, {"markdown", reduce_markdown}, {"json", reduce_json}, {"text", reduce_to_nothing}};
	static struct texts hostile, harmless;
	const char *at = (const char *)data;

	memset(&hostile, 0, sizeof hostile);
	memset(&harmless, 0, sizeof harmless);
	for (int i = 0; i < TEXTS; i++) {
		/* Byte 0 separates texts, so that they may have several lines. */
		size_t left = size - (size_t)(at - (const char *)data), length = left > 0 ? strnlen(at, left) : 0;

		memcpy(hostile.text[i], at, length < TEXT_BYTES - 1 ? length : TEXT_BYTES - 1);
		harmless.text[i][0] = hostile.text[i][0] != '\0' ? 'x' : '\0';
		at += length + (length < left);
	}
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char *got = structure(formats[i].format, &hostile, formats[i].reduce), *want = structure(formats[i].format, &harmless, formats[i].reduce);

		require(strcmp(got, want) == 0);
		free(got); /* libc: of strdup */
		free(want);
	}
	return 0;
}
