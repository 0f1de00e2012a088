/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the table of --resolution: a row for each size that was searched, with what was chosen, what it gains, or that nothing keeps the limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str_parse.h"
#include "tuner/size_table.h"

static struct vrs_size_choice make_choice(const char *id, const char *file)
{
	struct vrs_size_choice choice = {.searched = true,
					 .result = {.feasible = true, .verified = true, .keeps_default = true,
						    .best_figures = {.fps = {.n = 8, .median = 66, .low = 63, .high = 68, .has_interval = true},
								     .quality = 0.95, .peak_bytes = 150 << 20},
						    .default_figures = {.fps = {.n = 8, .median = 55}}}};
	(void)vrs_strcpy(choice.result.best_id, sizeof choice.result.best_id, id);
	(void)vrs_strcpy(choice.file, sizeof choice.file, file);
	return choice;
}

static void row_is(const struct vrs_table *t, int row, const char *const *cells)
{
	for (int i = 0; i < t->columns; i++)
		assert_string_equal(t->cells[row * t->columns + i], cells[i]);
}

static void a_row_for_each_size(void **state)
{
	static const char *const rows[4][12] = {
		{"1920x1080", "4", "256x144", "bf16", "2", "output.preset=superfast, matte.stride=2", "60.0", "66.0 [63.0, 68.0]", "1.25x (1.11 to 1.43)",
		 "0.9500", "150", "my-1920x1080.yaml"},
		{"3840x2160", "auto", "", "fp32", "auto", "", "", "66.0 [63.0, 68.0]", "the default", "0.9500", "150", ""},
		{"640x480", "1", "", "int8", "1", "", "", "66.0 [63.0, 68.0]", "1.20x", "0.9500", "150", ""},
		{"7680x4320", "", "", "", "", "", "30.0", "", "no settings keep the limits", "", "", ""},
	};
	struct vrs_size_choice choices[5] = {make_choice("r=1920x1080/b=4/p=bf16/t=2/output.preset=superfast", "my-1920x1080.yaml"),
					     make_choice("r=3840x2160/b=auto/p=fp32/t=auto", ""), make_choice("r=640x480/b=1/p=int8/t=1", ""),
					     make_choice("r=7680x4320/b=1/p=fp32/t=1", "")};
	(void)state;
	choices[0].result.keeps_default = false;
	choices[0].result.gain = (struct vrs_comparison){.change = -0.2, .low = -0.3, .high = -0.1}; /* of the time of a frame */
	assert_int_equal(vrs_case_set(&choices[0].result.best, "engine.batch_size", "4", NULL), VRS_OK);
	assert_int_equal(vrs_case_set(&choices[0].result.best, "output.preset", "superfast", NULL), VRS_OK);
	assert_int_equal(vrs_case_set(&choices[0].result.best, "matte.stride", "2", NULL), VRS_OK);
	choices[2].result.keeps_default = false;
	choices[2].result.by_value = true; /* taken to keep a limit, not proven faster */
	choices[3].result.feasible = false;
	choices[0].target_fps = 60;
	choices[3].target_fps = 30;
	choices[0].result.best_figures.net_width = 256;
	choices[0].result.best_figures.net_height = 144;
	struct vrs_findings *f = vrs_findings_create(); /* the fifth size was not searched */
	assert_non_null(f);
	vrs_size_table(choices, 5, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_int_equal(f->table_count, 1);
	assert_int_equal(f->tables[0].rows, 4);
	for (int i = 0; i < 4; i++)
		row_is(&f->tables[0], i, rows[i]);
	vrs_findings_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_row_for_each_size)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
