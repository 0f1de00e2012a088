/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the comparison of the two eyes: the same people at other places agree fully and the shift is found, whatever parts the mattes cover; who is
 * missing in one eye costs agreement, and repair brings them there without touching outlines that agree.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "matte/eye_agreement.h"
#include "matte/matte_expand.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define EYE 1000
#define SIDE 128

struct pair {
	struct vrs_eye_agreement *agreement;
	struct vrs_eye_matte eyes[2];
};

static struct pair pair_new(const struct vrs_rect *left, const struct vrs_rect *right)
{
	struct pair p = {.eyes = {{.part = *left}, {.part = *right}}};
	assert_int_equal(vrs_eye_agreement_create(&p.agreement, &arena, EYE, EYE, 0, SIDE, SIDE), VRS_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_matte_init(&p.eyes[i].matte, &arena, SIDE, SIDE), VRS_OK);
	return p;
}

/* A box of people in eye pixels, on top of what is there. */
static void draw(struct vrs_eye_matte *eye, double x, double y, double width, double height)
{
	for (int i = 0; i < SIDE * SIDE; i++) {
		double px = eye->part.x + (i % SIDE + 0.5) * eye->part.width / SIDE, py = eye->part.y + (i / SIDE + 0.5) * eye->part.height / SIDE;
		if (px >= x && px < x + width && py >= y && py < y + height)
			eye->matte.data[i] = 255;
	}
}

static int at(const struct vrs_eye_matte *eye, int x, int y)
{
	return eye->matte.data[(y - eye->part.y) * SIDE / eye->part.height * SIDE + (x - eye->part.x) * SIDE / eye->part.width];
}

static void test_shift(void **state)
{
	(void)state;
	static const struct vrs_rect parts[][2] = {{{0, 0, EYE, EYE}, {0, 0, EYE, EYE}}, {{300, 200, 400, 600}, {250, 180, 420, 650}}};
	for (int k = 0; k < 2; k++)
		for (int shift = -80; shift <= 80; shift += 40) {
			struct pair p = pair_new(&parts[k][0], &parts[k][1]);
			double found;
			draw(&p.eyes[0], 450, 300, 120, 400);
			draw(&p.eyes[1], 450 - shift, 300, 120, 400);
			double agreement = vrs_eye_agreement_measure(p.agreement, p.eyes, &found);
			assert_true(agreement > 0.9);
			assert_true(fabs(found - shift) <= (k ? 5 : 11)); /* a cell of the grid */
			/* again, from there; and after a jump */
			assert_true(vrs_eye_agreement_measure(p.agreement, p.eyes, NULL) == agreement);
		}
}

static void test_disagreement(void **state)
{
	(void)state;
	const struct vrs_rect all = {0, 0, EYE, EYE};
	struct pair p = pair_new(&all, &all);
	double shift;
	assert_true(vrs_eye_agreement_measure(p.agreement, p.eyes, &shift) == 1);
	draw(&p.eyes[0], 200, 300, 100, 400);
	assert_true(vrs_eye_agreement_measure(p.agreement, p.eyes, &shift) == 0);
	draw(&p.eyes[1], 200, 300, 100, 400);
	draw(&p.eyes[1], 700, 300, 100, 400);
	double agreement = vrs_eye_agreement_measure(p.agreement, p.eyes, &shift);
	assert_true(fabs(agreement - 0.5) < 0.05);
	/* up and down is no disparity */
	memset(p.eyes[1].matte.data, 0, SIDE * SIDE);
	draw(&p.eyes[1], 200, 350, 100, 400);
	assert_true(vrs_eye_agreement_measure(p.agreement, p.eyes, &shift) < 0.85);
}

static void test_repair(void **state)
{
	(void)state;
	const struct vrs_rect left = {200, 200, 600, 600}, right = {170, 180, 600, 640};
	for (int how = VRS_EYE_REPAIR_NONE; how <= VRS_EYE_REPAIR_MEAN; how++) {
		struct pair p = pair_new(&left, &right);
		double shift;
		static uint8_t before[SIDE * SIDE];
		draw(&p.eyes[0], 450, 300, 150, 400);
		draw(&p.eyes[1], 430, 300, 150, 400);
		draw(&p.eyes[1], 330, 400, 100, 60); /* an arm that only the right eye has */
		memcpy(before, p.eyes[1].matte.data, sizeof before);
		(void)vrs_eye_agreement_measure(p.agreement, p.eyes, &shift);
		vrs_eye_agreement_repair(p.agreement, p.eyes, shift, (enum vrs_eye_repair)how);
		int arm = at(&p.eyes[0], 400, 430), same = at(&p.eyes[1], 380, 430), body = at(&p.eyes[0], 520, 600), beside = at(&p.eyes[0], 700, 500);
		assert_int_equal(body, 255);
		assert_int_equal(beside, 0);
		assert_in_range(arm, how == VRS_EYE_REPAIR_UNION ? 255 : how ? 126 : 0, how == VRS_EYE_REPAIR_UNION ? 255 : how ? 129 : 0);
		assert_in_range(same, how == VRS_EYE_REPAIR_MEAN ? 126 : 255, how == VRS_EYE_REPAIR_MEAN ? 129 : 255);
		if (how != VRS_EYE_REPAIR_MEAN) /* the eye that has all stays */
			assert_memory_equal(before, p.eyes[1].matte.data, sizeof before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_disagreement),
		cmocka_unit_test(test_repair),
	};
	return cmocka_run_group_tests_name("eye_agreement", tests, NULL, free_arena);
}
