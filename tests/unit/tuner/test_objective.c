/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what the tuner takes for an equally good matte: every figure with truth may lose as many of its margins as IoU of its own, and no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/objective.h"
#include "unit/analyzer/made_result.h"

static void test_every_figure_counts(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result;
	char why[200];
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 20, 0.950, 8);
	add_case(result, 640, 480, 2, "fp32", 1, 30, 0.949, 8);
	const struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
	assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why)); /* other figures are not known */
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		double reach = info->margin * objective.max_iou_loss / vrs_quality_figure_info(VRS_FIGURE_IOU)->margin;
		double *a = vrs_run_quality(&base->runs[0], (enum vrs_quality_figure)i), *b = vrs_run_quality(&c->runs[0], (enum vrs_quality_figure)i);
		double loss = info->more_is_better ? -1 : 1;
		if (i == VRS_FIGURE_IOU)
			continue;
		*a = 0.5;
		*b = 0.5 + loss * 0.9 * reach;
		assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why));
		*b = 0.5 + loss * (1.1 * reach + (info->margin > 0 ? 0 : 0.3));
		assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why) == !(info->margin > 0)); /* without a margin it is not judged */
		assert_true(info->margin > 0 ? strstr(why, info->head) != NULL : why[0] == 0);
		*b = 0.5 - loss * 0.2; /* better by far */
		assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why));
	}
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_figure_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
