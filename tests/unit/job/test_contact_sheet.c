/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards that cells of a contact sheet lie in their rows and columns, scaled, and that grey of full range has the levels of the sheet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "job/contact_sheet.h"

static void test_cells(void **state)
{
	(void)state;
	const struct vrs_picture_format like = {.width = 640, .height = 320, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 10,
		.range = VRS_RANGE_LIMITED, .primaries = 1, .transfer = 1};
	struct vrs_contact_sheet sheet;
	uint8_t white[40 * 20];
	memset(white, 255, sizeof white);
	const struct vrs_frame grey = {.format = {.width = 40, .height = 20, .planes = 1, .bit_depth = 8, .range = VRS_RANGE_FULL, .primaries = 2,
		.transfer = 2}, .data = {white}, .stride_bytes = {40}};
	assert_int_equal(vrs_contact_sheet_init(&sheet, &like, 2, 3, 640, 320, 64), VRS_OK);
	assert_int_equal(sheet.width, 64);
	assert_int_equal(sheet.height, 32);
	assert_int_equal(sheet.frame.format.width, 3 * 64 + 4 * 8);
	assert_int_equal(sheet.frame.format.height, 2 * 32 + 3 * 8);
	assert_int_equal(vrs_contact_sheet_draw(&sheet, 1, 2, &grey, &(struct vrs_rect){0, 0, 40, 20}), VRS_OK);
	for (int y = 0; y < sheet.frame.format.height; y++)
		for (int x = 0; x < sheet.frame.format.width; x++) {
			bool inside = x >= 3 * 8 + 2 * 64 && x < 3 * 8 + 3 * 64 && y >= 2 * 8 + 32 && y < 2 * 8 + 2 * 32;
			int luma = sheet.frame.data[0][sheet.frame.stride_bytes[0] * y + x];
			assert_int_equal(luma, inside ? 235 : 71);
			assert_int_equal(sheet.frame.data[1][sheet.frame.stride_bytes[1] * y + x], 128);
		}
	vrs_contact_sheet_fini(&sheet);
	assert_int_equal(vrs_contact_sheet_init(&sheet, &like, 0, 3, 640, 320, 64), VRS_EINVAL);
}

static void test_name(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_contact_sheet_check("a preview", "a/b.PNG", &err), VRS_OK);
	assert_int_equal(vrs_contact_sheet_check("a preview", ".png", &err), VRS_ECONFIG);
	assert_int_equal(vrs_contact_sheet_check("a preview", "b.jpg", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "a preview is a PNG picture; b.jpg does not end in .png");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_name),
	};
	return cmocka_run_group_tests_name("contact_sheet", tests, NULL, NULL);
}
