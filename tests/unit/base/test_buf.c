/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/buf: the maximum is exact, a failed append changes nothing, and the content is always terminated. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static void empty_buffer_is_an_empty_string(void **state)
{
	struct vrs_buf buf;

	(void)state;
	vrs_buf_init(&buf, 10);
	assert_string_equal(vrs_buf_str(&buf), "");
	assert_int_equal(vrs_buf_append(&buf, "", 0), VRS_OK);
	assert_string_equal(vrs_buf_str(&buf), "");
	vrs_buf_fini(&buf);
	vrs_buf_fini(&buf);
}

static void limit_is_exact(void **state)
{
	(void)state;
	for (size_t max = 0; max < 300; max += 1 + max / 3) {
		struct vrs_buf buf;

		vrs_buf_init(&buf, max);
		for (size_t i = 0; i < max; i++)
			assert_int_equal(vrs_buf_append(&buf, "a", 1), VRS_OK);
		assert_int_equal(vrs_buf_append(&buf, "b", 1), VRS_ELIMIT);
		assert_int_equal(vrs_buf_printf(&buf, "%d", 1), VRS_ELIMIT);
		assert_int_equal(buf.len, max);
		assert_int_equal(strlen(vrs_buf_str(&buf)), max);
		assert_true(buf.cap <= max + 1);
		vrs_buf_fini(&buf);
	}
}

static void huge_appends_do_not_wrap(void **state)
{
	struct vrs_buf buf;

	(void)state;
	vrs_buf_init(&buf, SIZE_MAX);
	assert_int_equal(vrs_buf_puts(&buf, "abc"), VRS_OK);
	assert_int_equal(vrs_buf_append(&buf, "x", SIZE_MAX - 3), VRS_ELIMIT);
	assert_int_equal(vrs_buf_append(&buf, "x", SIZE_MAX), VRS_ELIMIT);
	assert_string_equal(vrs_buf_str(&buf), "abc");
	vrs_buf_fini(&buf);
}

static void formatted_text_is_appended(void **state)
{
	struct vrs_buf buf;

	(void)state;
	vrs_buf_init(&buf, 1000);
	assert_int_equal(vrs_buf_puts(&buf, "n="), VRS_OK);
	assert_int_equal(vrs_buf_printf(&buf, "%05d %s", 42, "ok"), VRS_OK);
	assert_string_equal(vrs_buf_str(&buf), "n=00042 ok");
	assert_int_equal(vrs_buf_printf(&buf, "%200s", ""), VRS_OK);
	assert_int_equal(buf.len, 210);
	vrs_buf_clear(&buf);
	assert_string_equal(vrs_buf_str(&buf), "");
	assert_int_equal(buf.len, 0);
	vrs_buf_fini(&buf);
}

static void bytes_may_hold_zeros(void **state)
{
	struct vrs_buf buf;

	(void)state;
	vrs_buf_init(&buf, 100);
	assert_int_equal(vrs_buf_append(&buf, "a\0b", 3), VRS_OK);
	assert_int_equal(buf.len, 3);
	assert_memory_equal(buf.data, "a\0b", 4);
	vrs_buf_fini(&buf);
}

static void lack_of_memory_changes_nothing(void **state)
{
	struct vrs_buf buf;

	(void)state;
	vrs_buf_init(&buf, 100000);
	assert_int_equal(vrs_buf_puts(&buf, "kept"), VRS_OK);
	char more[1000];

	memset(more, 'x', sizeof more);
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_buf_append(&buf, more, sizeof more), VRS_ENOMEM);
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_buf_printf(&buf, "%1000d", 1), VRS_ENOMEM);
	vrs_mem_fail_after(0, false);
	assert_string_equal(vrs_buf_str(&buf), "kept");
	assert_int_equal(vrs_buf_append(&buf, more, sizeof more), VRS_OK);
	assert_int_equal(buf.len, 1004);
	vrs_buf_fini(&buf);
}

static void arrays_grow_to_their_maximum(void **state)
{
	int64_t *items = NULL;
	size_t cap = 0;

	(void)state;
	for (size_t n = 1; n <= 1000; n++) {
		assert_int_equal(vrs_array_grow((void **)&items, &cap, n, sizeof *items, 1000), VRS_OK);
		assert_true(cap >= n && cap <= 1000);
		items[n - 1] = (int64_t)n;
	}
	for (size_t n = 1; n <= 1000; n++)
		assert_int_equal(items[n - 1], n);
	size_t before = cap;

	assert_int_equal(vrs_array_grow((void **)&items, &cap, 1001, sizeof *items, 1000), VRS_ELIMIT);
	assert_int_equal(vrs_array_grow((void **)&items, &cap, SIZE_MAX / 4, sizeof *items, SIZE_MAX), VRS_ENOMEM);
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_array_grow((void **)&items, &cap, 2000, sizeof *items, 4000), VRS_ENOMEM);
	vrs_mem_fail_after(0, false);
	assert_int_equal(cap, before);
	assert_int_equal(items[999], 1000);
	vrs_free(items);
}

static void last_line_is_cut_out(void **state)
{
	struct vrs_buf buf;
	char line[8];

	(void)state;
	vrs_buf_init(&buf, 100);
	vrs_buf_last_line(&buf, line, sizeof line);
	assert_string_equal(line, "");
	assert_int_equal(vrs_buf_puts(&buf, "\n\n"), VRS_OK);
	vrs_buf_last_line(&buf, line, sizeof line);
	assert_string_equal(line, "");
	assert_int_equal(vrs_buf_puts(&buf, "first\nlast\n\n"), VRS_OK);
	vrs_buf_last_line(&buf, line, sizeof line);
	assert_string_equal(line, "last");
	assert_int_equal(vrs_buf_puts(&buf, "too long for it"), VRS_OK);
	vrs_buf_last_line(&buf, line, sizeof line);
	assert_string_equal(line, "too lon");
	vrs_buf_fini(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_buffer_is_an_empty_string), cmocka_unit_test(limit_is_exact),
		cmocka_unit_test(huge_appends_do_not_wrap),        cmocka_unit_test(formatted_text_is_appended),
		cmocka_unit_test(bytes_may_hold_zeros),            cmocka_unit_test(lack_of_memory_changes_nothing),
		cmocka_unit_test(arrays_grow_to_their_maximum),    cmocka_unit_test(last_line_is_cut_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
