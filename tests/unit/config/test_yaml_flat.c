/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the flat YAML reader: nesting and dots mean the same, every mistake has a place, limits are exact, damaged files give a status. */
#include "config_check.h"

#include <dirent.h>

#include <vrseg/yaml.h>

#include "base/file.h"
#include "base/mem.h"

static struct vrs_yaml parse_ok(const char *text)
{
	struct vrs_yaml yaml;
	struct vrs_error err = {0};

	if (vrs_yaml_parse(&yaml, text, strlen(text), "t.yaml", &err) != VRS_OK)
		fail_msg("%d:%d %s", err.line, err.column, err.text);
	return yaml;
}

static enum vrs_status parse_status(const char *text, size_t size)
{
	struct vrs_yaml yaml;
	struct vrs_error err = {0};
	enum vrs_status status = vrs_yaml_parse(&yaml, text, size, "t.yaml", &err);

	vrs_yaml_fini(&yaml);
	assert_int_equal(err.status, status);
	assert_int_equal(status == VRS_OK, err.text[0] == '\0');
	return status;
}

static void nested_and_dotted_keys_are_the_same(void **state)
{
	struct vrs_yaml yaml = parse_ok("# top\na:\n  b: 1  # one\n  c.d: 'two'\ne.f:\n  g: [x, \"y\", 3]\nh: ~\ni:\nj: {}\nk: {l: {m: no}}\n");
	static const struct {
		const char *key, *value;
		enum vrs_yaml_kind kind;
		int line, column;
	} expected[] = {
		{"a.b", "1", VRS_YAML_PLAIN, 3, 3},   {"a.c.d", "two", VRS_YAML_QUOTED, 4, 3}, {"e.f.g", "[x, y, 3]", VRS_YAML_LIST, 6, 3},
		{"h", "", VRS_YAML_NULL, 7, 1},       {"i", "", VRS_YAML_EMPTY, 8, 1},         {"j", "", VRS_YAML_EMPTY, 9, 1},
		{"k.l.m", "no", VRS_YAML_PLAIN, 10, 9},
	};

	(void)state;
	assert_int_equal(yaml.count, 7);
	for (int i = 0; i < yaml.count; i++) {
		assert_string_equal(yaml.entries[i].key, expected[i].key);
		assert_string_equal(yaml.entries[i].value, expected[i].value);
		assert_int_equal(yaml.entries[i].kind, expected[i].kind);
		assert_int_equal(yaml.entries[i].line, expected[i].line);
		assert_int_equal(yaml.entries[i].column, expected[i].column);
	}
	assert_int_equal(vrs_yaml_find(&yaml, "e.f.g")->item_count, 3);
	assert_string_equal(vrs_yaml_find(&yaml, "e.f.g")->items[1], "y");
	assert_null(vrs_yaml_find(&yaml, "a"));
	vrs_yaml_fini(&yaml);
}

static void empty_files_are_fine(void **state)
{
	static const char *const texts[] = {"", "\n", "# only a comment\n", "---\n", "---\n...\n", "\xef\xbb\xbf"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct vrs_yaml yaml = parse_ok(texts[i]);

		assert_int_equal(yaml.count, 0);
		vrs_yaml_fini(&yaml);
	}
}

static void all_of_unicode_is_text(void **state)
{
	struct vrs_yaml yaml = parse_ok("a: \xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf0\x9f\x98\x80\r\nb: x\r\n");

	(void)state;
	assert_int_equal(strlen(vrs_yaml_find(&yaml, "a")->value), 21);
	assert_string_equal(vrs_yaml_find(&yaml, "b")->value, "x");
	vrs_yaml_fini(&yaml);
}

/* libfyaml 0.7.12 never returned from this: invalid UTF-8 inside a directive. */
static void a_directive_with_broken_text_ends(void **state)
{
	static const char text[] = "a: 1\n%  thr \xdd\xdd\xdd\n";

	(void)state;
	assert_int_equal(parse_status(text, sizeof text - 1), VRS_EFORMAT);
}

/* libfyaml 0.7.12 took 40 seconds of CPU for 250 KiB of them in a block of text, four times as long for twice as many. */
static void many_blank_lines_end(void **state)
{
	char text[VRS_YAML_MAX_BLANK_LINES + 16] = "a: |\n";
	size_t begin = strlen(text);

	(void)state;
	memset(text + begin, '\n', VRS_YAML_MAX_BLANK_LINES + 1);
	text[begin + VRS_YAML_MAX_BLANK_LINES] = ' ';
	assert_int_equal(parse_status(text, begin + VRS_YAML_MAX_BLANK_LINES), VRS_OK);
	assert_int_equal(parse_status(text, begin + VRS_YAML_MAX_BLANK_LINES + 1), VRS_OK);
	text[begin + VRS_YAML_MAX_BLANK_LINES] = '\n';
	assert_int_equal(parse_status(text, begin + VRS_YAML_MAX_BLANK_LINES + 1), VRS_ELIMIT);
	text[begin + 100] = 'x'; /* a line with a text between them, which is not indented as a block is */
	assert_int_equal(parse_status(text, begin + VRS_YAML_MAX_BLANK_LINES + 1), VRS_EFORMAT);
}

static void anchors_repeat_values(void **state)
{
	struct vrs_yaml yaml = parse_ok("a: &x 5\nb: *x\nc: [1, *x]\nd: &x 6\ne: *x\n");

	(void)state;
	assert_string_equal(vrs_yaml_find(&yaml, "b")->value, "5");
	assert_string_equal(vrs_yaml_find(&yaml, "c")->value, "[1, 5]");
	assert_string_equal(vrs_yaml_find(&yaml, "e")->value, "6");
	vrs_yaml_fini(&yaml);
}

static void mistakes_have_a_place(void **state)
{
	static const struct {
		const char *text;
		int line, column;
		const char *message;
	} cases[] = {
		{"a: 1\nb: 2\na: 3\n", 3, 1, "a is given twice; the first time in line 1"},
		{"a: {b: 1}\na.b: 3\n", 2, 1, "a.b is given twice; the first time in line 1"},
		{"- 1\n", 1, 1, "the file must hold \"key: value\" lines"},
		{"word\n", 1, 1, "the file must hold \"key: value\" lines"},
		{"a: 1\n---\nb: 1\n", 2, 1, "a second document begins here; one file holds one document"},
		{"a: *x\n", 1, 4, "the alias *x names no single value before it (lists and mappings cannot be repeated by alias)"},
		{"<<: 1\n", 1, 1, "merge keys (<<) are not used in this file"},
		{"a: !!str 1\n", 1, 10, "tags such as !!str are not used in this file"},
		{"a: [1, [2, [3]]]\n", 1, 12, "a: a list may hold words, numbers and lists of these only"},
		{"a: [1, {b: 2}]\n", 1, 8, "a: a list may hold words, numbers and lists of these only"},
		{"? [a]\n: 1\n", 1, 3, "a key must be a word"},
		{"a: \"b\\0c\"\n", 1, 5, "the value holds a NUL character"},
		{"%YAML 1.2\n---\na: 1\n", 1, 1, "lines that begin with % (directives) are not used in this file"},
		{"a: 1\nb: \x01\n", 2, 4, "the file holds the control character 0x01"},
		{"a: \xc3\xa4\xff\n", 1, 5, "the file is not UTF-8 text (byte 0xff)"},
		{"a: \xc0\x80\n", 1, 4, "the file is not UTF-8 text (byte 0xc0)"},
		{"a: \xed\xa0\x80\n", 1, 4, "the file is not UTF-8 text (byte 0xed)"},
		{"a: \xf0\x8f\x80\x80\n", 1, 4, "the file is not UTF-8 text (byte 0xf0)"},
		{"a: \xf4\x90\x80\x80\n", 1, 4, "the file is not UTF-8 text (byte 0xf4)"},
		{"a: \xe2\x82", 1, 4, "the file is not UTF-8 text (byte 0xe2)"},
		{"a: 1\r\nb: 1\rc: \xff\n", 3, 4, "the file is not UTF-8 text (byte 0xff)"},
		{"\"\": 1\n", 1, 2, "a key is missing before \":\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_yaml yaml;
		struct vrs_error err = {0};

		assert_int_equal(vrs_yaml_parse(&yaml, cases[i].text, strlen(cases[i].text), "t.yaml", &err), VRS_EFORMAT);
		vrs_yaml_fini(&yaml);
		assert_string_equal(err.text, cases[i].message);
		assert_string_equal(err.file, "t.yaml");
		assert_int_equal(err.line, cases[i].line);
		if (err.column != cases[i].column)
			fail_msg("%s: column %d", cases[i].text, err.column);
	}
}

static void syntax_errors_name_line_and_column(void **state)
{
	static const char *const texts[] = {"a: {b: 1\nc: 2\n", "a: 'b\n", "a:\n\t- b\n", "a: b: c\n", "a: ]\n", "a: @x\n"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct vrs_yaml yaml;
		struct vrs_error err = {0};

		assert_int_equal(vrs_yaml_parse(&yaml, texts[i], strlen(texts[i]), "t.yaml", &err), VRS_EFORMAT);
		vrs_yaml_fini(&yaml);
		assert_non_null(strstr(err.text, "this is not valid YAML"));
		assert_true(err.line >= 1);
		assert_true(err.column >= 1);
	}
}

static void depth_limit_is_exact(void **state)
{
	char text[256];

	(void)state;
	for (int depth = VRS_YAML_MAX_DEPTH - 1; depth <= VRS_YAML_MAX_DEPTH + 1; depth++) {
		size_t len = 0;

		for (int i = 1; i < depth; i++)
			len += (size_t)snprintf(text + len, sizeof text - len, "{a: ");
		len += (size_t)snprintf(text + len, sizeof text - len, "{b: 1}");
		for (int i = 1; i < depth; i++)
			len += (size_t)snprintf(text + len, sizeof text - len, "}");
		assert_int_equal(parse_status(text, len), depth <= VRS_YAML_MAX_DEPTH ? VRS_OK : VRS_ELIMIT);
	}
}

/* head, then count times the pattern with its number ('#' in it), then tail */
static char *repeat(const char *head, const char *pattern, const char *tail, int count, size_t *ret_size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	assert_non_null(out);
	fputs(head, out);
	for (int i = 0; i < count; i++)
		for (const char *c = pattern; *c; c++)
			if (*c == '#')
				fprintf(out, "%d", i);
			else
				fputc(*c, out);
	fputs(tail, out);
	fclose(out);
	return text;
}

static void counts_are_limited(void **state)
{
	static const struct {
		const char *head, *pattern, *tail;
		int limit;
	} cases[] = {
		{"", "k#: 1\n", "", VRS_YAML_MAX_ENTRIES},       {"a: [", "#, ", "]\n", VRS_YAML_MAX_ITEMS},
		{"", "k#: &a 1\n", "", VRS_YAML_MAX_ANCHORS},    {"a: \"", "x", "\"\n", VRS_YAML_MAX_VALUE},
		{"", "x", ": 1\n", VRS_YAML_MAX_KEY},            {"abc:\n  ", "x", ": 1\n", VRS_YAML_MAX_KEY - 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int over = -1; over <= 1; over++) {
			size_t size;
			char *text = repeat(cases[i].head, cases[i].pattern, cases[i].tail, cases[i].limit + over, &size);

			assert_int_equal(parse_status(text, size), over <= 0 ? VRS_OK : VRS_ELIMIT);
			free(text);
		}
}

static void size_limit_is_exact(void **state)
{
	char *text = malloc(VRS_YAML_MAX_BYTES + 1);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i <= VRS_YAML_MAX_BYTES; i++)
		text[i] = "#\n"[i % 2];
	assert_int_equal(parse_status(text, VRS_YAML_MAX_BYTES), VRS_OK);
	assert_int_equal(parse_status(text, VRS_YAML_MAX_BYTES + 1), VRS_ELIMIT);
	free(text);
}

/* Aliases of aliases must not expand: nine levels of nine would be 387 million values. */
static void a_billion_laughs_stay_small(void **state)
{
	static const char text[] = "a: &a [l,l,l,l,l,l,l,l,l]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n";

	(void)state;
	assert_int_equal(parse_status(text, sizeof text - 1), VRS_EFORMAT);
}

/* Read `count` repetitions of one value of 4096 bytes. */
static enum vrs_status repeat_value(int count)
{
	char *text = malloc(VRS_YAML_MAX_BYTES);
	int length = 4;

	assert_non_null(text);
	memcpy(text, "a: &", 4);
	text[length++] = 'a';
	text[length++] = ' ';
	memset(text + length, 'x', VRS_YAML_MAX_VALUE);
	length += VRS_YAML_MAX_VALUE;
	for (int i = 0; i < count; i++) {
		if (i % VRS_YAML_MAX_ITEMS == 0)
			length += sprintf(text + length, "%s\nk%d: [", i ? "]" : "", i);
		length += sprintf(text + length, "%s*a", i % VRS_YAML_MAX_ITEMS ? "," : "");
	}
	length += sprintf(text + length, "]\n");
	enum vrs_status status = parse_status(text, (size_t)length);

	free(text);
	return status;
}

/* Long values that are repeated: 64000 of them in 256 KiB would take 500 MiB. */
static void repeated_values_have_a_limit(void **state)
{
	const int most = VRS_YAML_MAX_REPEATED / VRS_YAML_MAX_VALUE;

	(void)state;
	assert_int_equal(repeat_value(most), VRS_OK);
	assert_int_equal(repeat_value(most + 1), VRS_ELIMIT);
	assert_int_equal(repeat_value(64000), VRS_ELIMIT);
	assert_true(vrs_mem_stats().peak_bytes < 8 * VRS_YAML_MAX_BYTES);
}

static void damage(const char *path)
{
	struct vrs_buf buf;

	assert_int_equal(vrs_file_read(path, VRS_YAML_MAX_BYTES, &buf, NULL), VRS_OK);
	for (size_t cut = 0; cut < buf.len; cut++) {
		/* an exact copy, so that AddressSanitizer sees a read behind the end */
		char *part = malloc(cut + 1);

		assert_non_null(part);
		memcpy(part, buf.data, cut);
		(void)parse_status(part, cut);
		free(part);
	}
	for (size_t i = 0; i < buf.len; i++) {
		static const unsigned char flips[] = {0x01, 0x20, 0x80, 0xff};

		for (size_t k = 0; k < sizeof flips; k++) {
			buf.data[i] = (char)(buf.data[i] ^ flips[k]);
			(void)parse_status(buf.data, buf.len);
			buf.data[i] = (char)(buf.data[i] ^ flips[k]);
		}
	}
	vrs_buf_fini(&buf);
}

static void damaged_files_give_a_status(void **state)
{
	DIR *dir = opendir(VRS_TEST_DIR "/files/yaml");
	struct dirent *entry;
	int files = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[512];

		if (!strstr(entry->d_name, ".yaml"))
			continue;
		(void)snprintf(path, sizeof path, "%s/files/yaml/%.200s", VRS_TEST_DIR, entry->d_name);
		damage(path);
		files++;
	}
	closedir(dir);
	assert_true(files > 40);
	damage(VRS_SOURCE_DIR "/configs/models/selfie_segmentation_landscape.yaml");
}

static void missing_files_are_not_found(void **state)
{
	struct vrs_yaml yaml;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_yaml_read(&yaml, "does/not/exist.yaml", &err), VRS_ENOTFOUND);
	vrs_yaml_fini(&yaml);
	assert_int_equal(vrs_yaml_read(&yaml, VRS_TEST_DIR, &err), VRS_EIO);
	vrs_yaml_fini(&yaml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_and_dotted_keys_are_the_same),
		cmocka_unit_test(empty_files_are_fine),
		cmocka_unit_test(all_of_unicode_is_text),
		cmocka_unit_test(a_directive_with_broken_text_ends),
		cmocka_unit_test(many_blank_lines_end),
		cmocka_unit_test(anchors_repeat_values),
		cmocka_unit_test(repeated_values_have_a_limit),
		cmocka_unit_test(mistakes_have_a_place),
		cmocka_unit_test(syntax_errors_name_line_and_column),
		cmocka_unit_test(depth_limit_is_exact),
		cmocka_unit_test(counts_are_limited),
		cmocka_unit_test(size_limit_is_exact),
		cmocka_unit_test(a_billion_laughs_stay_small),
		cmocka_unit_test(damaged_files_give_a_status),
		cmocka_unit_test(missing_files_are_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
