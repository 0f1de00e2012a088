/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards status values (they are stored in journals), error context and exit codes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/status.h>

static void values_are_pinned(void **state)
{
	(void)state;
	assert_int_equal(VRS_OK, 0);
	assert_int_equal(VRS_EINVAL, -1);
	assert_int_equal(VRS_ENOMEM, -2);
	assert_int_equal(VRS_EIO, -3);
	assert_int_equal(VRS_EFORMAT, -4);
	assert_int_equal(VRS_EUNSUPPORTED, -5);
	assert_int_equal(VRS_ELIMIT, -6);
	assert_int_equal(VRS_ENOTFOUND, -7);
	assert_int_equal(VRS_EEXIST, -8);
	assert_int_equal(VRS_ECONFIG, -9);
	assert_int_equal(VRS_ESTOPPED, -10);
	assert_int_equal(VRS_ETIMEOUT, -11);
	assert_int_equal(VRS_EDEVICE, -12);
	assert_int_equal(VRS_EINTERNAL, -13);
	assert_int_equal(VRS_END, -14);
	assert_int_equal(VRS_ENOSPC, -15);
	assert_int_equal(VRS_STATUS_LAST, VRS_ENOSPC);
	assert_string_equal(vrs_status_name(VRS_STATUS_LAST - 1), "VRS_UNKNOWN");
}

static void every_status_has_a_name_and_a_text(void **state)
{
	(void)state;
	for (int a = 0; a >= -14; a--) {
		assert_int_equal(strncmp(vrs_status_name((enum vrs_status)a), "VRS_", 4), 0);
		for (int b = 0; b > a; b--) {
			assert_string_not_equal(vrs_status_name((enum vrs_status)a), vrs_status_name((enum vrs_status)b));
			assert_string_not_equal(vrs_status_str((enum vrs_status)a), vrs_status_str((enum vrs_status)b));
		}
	}
	assert_string_equal(vrs_status_name(VRS_EIO), "VRS_EIO");
	assert_string_equal(vrs_status_str((enum vrs_status)99), "unknown status");
	assert_string_equal(vrs_status_name((enum vrs_status)99), "VRS_UNKNOWN");
}

static void failing_without_context_is_fine(void **state)
{
	(void)state;
	assert_int_equal(vrs_fail(NULL, VRS_EIO, "x %d", 1), VRS_EIO);
	assert_int_equal(vrs_fail_at(NULL, VRS_EIO, "f", 1, 2, "x"), VRS_EIO);
}

static void places_are_kept_or_cleared(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_fail_at(&err, VRS_EFORMAT, "a.yaml", 3, 4, "bad %s", "key"), VRS_EFORMAT);
	assert_int_equal(vrs_fail(&err, VRS_ECONFIG, "wrapped: %s", err.text), VRS_ECONFIG);
	assert_string_equal(err.text, "wrapped: bad key");
	assert_string_equal(err.file, "a.yaml");
	assert_int_equal(err.line, 3);
	assert_int_equal(err.column, 4);
	assert_int_equal(err.status, VRS_ECONFIG);
	assert_int_equal(vrs_fail_at(&err, VRS_EFORMAT, err.file, 9, 0, "same file"), VRS_EFORMAT);
	assert_string_equal(err.file, "a.yaml");
	err.status = VRS_OK;
	vrs_fail(&err, VRS_EIO, "new");
	assert_string_equal(err.file, "");
	assert_int_equal(err.line, 0);
	vrs_fail_at(&err, VRS_EIO, NULL, 1, 1, "no file");
	assert_string_equal(err.file, "");
}

static void long_texts_are_cut(void **state)
{
	struct vrs_error err = {0};
	char buf[16], name[400];

	(void)state;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	vrs_fail_at(&err, VRS_EIO, name, 1, 1, "%600d", 1);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	assert_int_equal(strlen(err.file), sizeof err.file - 1);
	assert_int_equal(strlen(vrs_error_str(&err, buf, sizeof buf)), 15);
}

static void rendering(void **state)
{
	struct vrs_error err = {0};
	char buf[256];

	(void)state;
	vrs_fail_at(&err, VRS_EFORMAT, "a.yaml", 3, 4, "bad");
	assert_string_equal(vrs_error_str(&err, buf, sizeof buf), "a.yaml:3:4: bad");
	err.column = 0;
	assert_string_equal(vrs_error_str(&err, buf, sizeof buf), "a.yaml:3: bad");
	err.line = 0;
	assert_string_equal(vrs_error_str(&err, buf, sizeof buf), "a.yaml: bad");
	err.file[0] = '\0';
	assert_string_equal(vrs_error_str(&err, buf, sizeof buf), "bad");
	err.text[0] = '\0';
	assert_string_equal(vrs_error_str(&err, buf, sizeof buf), "damaged or malformed data");
}

static void exit_codes(void **state)
{
	(void)state;
	assert_int_equal(vrs_exit_code(VRS_OK), 0);
	assert_int_equal(vrs_exit_code(VRS_ECONFIG), 2);
	assert_int_equal(vrs_exit_code(VRS_EINVAL), 2);
	assert_int_equal(vrs_exit_code(VRS_EEXIST), 2);
	assert_int_equal(vrs_exit_code(VRS_ESTOPPED), 130);
	assert_int_equal(vrs_exit_code(VRS_EIO), 3);
	assert_int_equal(vrs_exit_code(VRS_EFORMAT), 3);
	assert_int_equal(vrs_exit_code(VRS_EINTERNAL), 3);
	assert_int_equal(vrs_exit_code(VRS_ENOTFOUND), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_pinned),
		cmocka_unit_test(every_status_has_a_name_and_a_text),
		cmocka_unit_test(failing_without_context_is_fine),
		cmocka_unit_test(places_are_kept_or_cleared),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(rendering),
		cmocka_unit_test(exit_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
