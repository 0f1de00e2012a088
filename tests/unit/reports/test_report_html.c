/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the structure of the HTML page without a browser: elements nest, nothing is loaded from elsewhere, the one script is the one whose hash the
 * policy names, light, dark and narrow screens have their rules, and texts of a megabyte with every hostile character stay texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/str_parse.h"
#include "reports/report_list.h"

static const char hostile[] = "</td></table></main><script>alert(1)</script><img src=x onerror=alert(1)>"
				"\"'&amp;`--><!--\n\t\x1b]0;x\x07\xc3\xa9\xe2\x80\xae\xf0\x9f\x98\x80";

static struct vrs_findings *make_findings(void)
{
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	(void)vrs_strcpy(f->title, sizeof f->title, hostile);
	(void)vrs_strcpy(f->verdict, sizeof f->verdict, hostile);
	(void)vrs_strcpy(f->recommendation, sizeof f->recommendation, hostile);
	(void)vrs_strcpy(f->subtitle, sizeof f->subtitle, hostile);
	(void)vrs_strcpy(f->environment, sizeof f->environment, hostile);
	(void)vrs_strcpy(f->reproduce, sizeof f->reproduce, hostile);
	const char *const heads[] = {"case", hostile, "FPS"};
	struct vrs_table *t = vrs_findings_start_table(f, "t", hostile, heads, 3, 3);
	(void)vrs_strcpy(t->caption, sizeof t->caption, hostile);
	for (int i = 0; i < 3; i++) {
		vrs_table_add_row(t);
		for (int c = 0; c < 3; c++)
			vrs_table_set(t, c, "%s", hostile);
	}
	struct vrs_note *n = vrs_findings_add_note(f, VRS_NOTE_WARNING, "n", "%s", hostile);
	(void)vrs_strcpy(n->evidence, sizeof n->evidence, hostile);
	(void)vrs_strcpy(n->yaml, sizeof n->yaml, hostile);
	(void)vrs_findings_add_graph(f, "g", hostile, VRS_GRAPH_LINES);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	return f;
}

static void page(struct vrs_findings *f, struct vrs_buf *out)
{
	vrs_buf_init(out, 64 << 20);
	assert_int_equal(vrs_report_find("html")->write(f, NULL, out, NULL), VRS_OK);
}

/* Every element is closed in order; names of those that are open. */
static void elements_nest(const char *html)
{
	static const char *const empty[] = {"meta", "!DOCTYPE"};
	char open[64][16];
	int depth = 0;
	for (const char *p = strchr(html, '<'); p; p = strchr(p + 1, '<')) {
		char name[16];
		bool closes = p[1] == '/', is_empty = false;
		size_t n = strcspn(p + 1 + closes, " >");
		assert_true(n > 0 && n < sizeof name);
		snprintf(name, sizeof name, "%.*s", (int)n, p + 1 + closes);
		for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
			is_empty |= strcmp(name, empty[i]) == 0;
		if (closes) {
			assert_true(depth > 0);
			assert_string_equal(name, open[--depth]);
		} else if (!is_empty) {
			assert_in_range(depth, 0, 63);
			memcpy(open[depth++], name, sizeof name);
			if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0) { /* what is in them is no HTML */
				char end[24];
				snprintf(end, sizeof end, "</%s>", name);
				p = strstr(p, end) - 1;
			}
		}
	}
	assert_int_equal(depth, 0);
}

static void structure(void **state)
{
	struct vrs_findings *f = make_findings();
	struct vrs_buf out;
	(void)state;
	page(f, &out);
	elements_nest(out.data);
	/* References to elsewhere could stand only in attributes of elements, or in the style: there are none. */
	static const char *const loads[] = {"src=", "href=", "url(", "@import", "<link", "<iframe", "<object", "<img", "onerror=alert(1)>"};
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
		for (const char *at = strstr(out.data, loads[i]); at; at = strstr(at + 1, loads[i])) {
			const char *tag = at;
			while (tag > out.data && *tag != '<' && *tag != '>')
				tag--;
			if (*tag == '<') /* inside of an element, not of a text */
				fail_msg("%s in %.60s", loads[i], tag);
		}
	assert_non_null(strstr(out.data, "prefers-color-scheme:dark"));
	assert_non_null(strstr(out.data, "name=\"viewport\" content=\"width=device-width"));
	assert_non_null(strstr(out.data, ".scroll{overflow-x:auto"));
	assert_non_null(strstr(out.data, "default-src 'none'"));
	vrs_buf_fini(&out);
	vrs_findings_destroy(f);
}

static void policy_names_the_script(void **state)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char hex[65], text[80] = "sha256-";
	unsigned char bytes[33] = {0};
	(void)state;
	vrs_sha256(vrs_html_script, strlen(vrs_html_script), hex);
	for (int i = 0; i < 32; i++) {
		char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
		bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
	}
	size_t used = strlen(text);
	for (int i = 0; i < 33; i += 3) {
		unsigned v = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
		for (int k = 0; k < 4; k++)
			text[used++] = digits[v >> (18 - 6 * k) & 63];
	}
	text[used - 1] = '='; /* 32 bytes are padded by one */
	text[used] = 0;
	assert_string_equal(vrs_html_script_hash, text);
	assert_null(strstr(vrs_html_script, "</")); /* nothing in it ends it */
}

/* A megabyte in a cell is cut where the table cuts, and stays text in every format. */
static void a_megabyte_stays_text(void **state)
{
	static const char *const names[] = {"text", "markdown", "json", "html", "csv"};
	char *large = malloc((1 << 20) + 64);
	size_t used = 0;
	(void)state;
	assert_non_null(large);
	while (used < 1 << 20) {
		size_t n = strlen(hostile);
		n = n < (1 << 20) - used ? n : (1 << 20) - used;
		memcpy(large + used, hostile, n);
		used += n;
	}
	large[used] = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct vrs_findings *f = make_findings();
		struct vrs_buf out;
		vrs_table_set(&f->tables[0], 0, "%s", large);
		vrs_buf_init(&out, 64 << 20);
		assert_int_equal(vrs_report_find(names[i])->write(f, NULL, &out, NULL), VRS_OK);
		assert_null(strstr(out.data, "\x1b"));
		if (strcmp(names[i], "html") == 0)
			elements_nest(out.data);
		vrs_buf_fini(&out);
		vrs_findings_destroy(f);
	}
	free(large); /* libc: of malloc */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structure), cmocka_unit_test(policy_names_the_script), cmocka_unit_test(a_megabyte_stays_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
