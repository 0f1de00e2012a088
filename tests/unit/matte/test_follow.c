/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where people are looked for: margins around them, views that cut them off or are much too large, nobody in view, noise, steps that keep
 * small motion from moving the view, views that stay, borders of the eye; and that looking again ends.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/follow.h"

#define SIDE 64

static const struct vrs_picture_format format = {.width = 2048, .height = 1024, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
	.bit_depth = 8};
static const struct vrs_rect right_eye = {.x = 1024, .width = 1024, .height = 1024}, centre = {.x = 1280, .y = 256, .width = 512, .height = 512};

/* What a perfect network sees of a person who fills the rectangle, looked at in the view. */
static void draw(float alpha[SIDE * SIDE], const struct vrs_rect *view, const struct vrs_rect *person)
{
	for (int i = 0; i < SIDE * SIDE; i++) {
		double x = view->x + (i % SIDE + 0.5) * view->width / SIDE, y = view->y + (i / SIDE + 0.5) * view->height / SIDE;
		alpha[i] = x >= person->x && x < person->x + person->width && y >= person->y && y < person->y + person->height ? 1 : 0;
	}
}

static enum vrs_follow_verdict judge(const struct vrs_follow *follow, const struct vrs_rect *view, const struct vrs_rect *person,
				     struct vrs_rect *ret_next)
{
	float alpha[SIDE * SIDE];
	draw(alpha, view, person);
	return vrs_follow_judge(follow, view, alpha, SIDE, SIDE, ret_next);
}

static bool inside(const struct vrs_rect *a, const struct vrs_rect *b)
{
	return a->x >= b->x && a->y >= b->y && a->x + a->width <= b->x + b->width && a->y + a->height <= b->y + b->height;
}

static void assert_rect(const struct vrs_rect *got, int x, int y, int width, int height)
{
	if (got->x != x || got->y != y || got->width != width || got->height != height)
		fail_msg("%d,%d %dx%d instead of %d,%d %dx%d", got->x, got->y, got->width, got->height, x, y, width, height);
}

static void a_person_in_the_middle(void **state)
{
	(void)state;
	struct vrs_follow follow = vrs_follow_make(&right_eye, &centre, &format);
	const struct vrs_rect person = {1448, 328, 144, 304};
	struct vrs_rect next, after;
	assert_int_equal(follow.step_x, 16);
	/* much smaller than the view: look again, with a tenth of their size around, on multiples of 16 */
	assert_int_equal(judge(&follow, &centre, &person, &next), VRS_FOLLOW_AGAIN);
	assert_true(inside(&person, &next) && next.width < 240 && next.height < 420 && next.x % 16 == 0 && next.y % 16 == 0);
	assert_int_equal(judge(&follow, &next, &person, &after), VRS_FOLLOW_GOOD);
	assert_true(inside(&person, &after));
	/* a few pixels to the side: the same place to look */
	const struct vrs_rect moved = {1449, 330, 144, 304};
	struct vrs_rect same;
	assert_int_equal(judge(&follow, &after, &moved, &same), VRS_FOLLOW_GOOD);
	assert_rect(&same, after.x, after.y, after.width, after.height);
}

/*
 * A view that may stay does while the next one lies in it, not far from its sides; people who come nearer to one move it before they are cut off, and
 * those who are cut off are looked at anew always.
 */
static void views_that_stay(void **state)
{
	(void)state;
	struct vrs_follow moving = vrs_follow_make(&right_eye, &centre, &format), still = moving;
	const struct vrs_rect person = {1448, 328, 144, 304};
	static const struct {
		struct vrs_rect person;
		bool stays;
	} steps[] = {
		{{1448, 334, 144, 294}, true}, /* smaller by a step of the view */
		{{1448, 328, 144, 264}, false}, /* by more than one */
		{{1460, 328, 144, 304}, false}, /* nearer to the right side */
		{{1448, 316, 144, 316}, false}, /* to the upper one */
	};
	struct vrs_rect view, next, other;
	still.still = 1;
	assert_int_equal(judge(&moving, &centre, &person, &view), VRS_FOLLOW_AGAIN);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		assert_int_equal(judge(&moving, &view, &steps[i].person, &other), VRS_FOLLOW_GOOD);
		assert_int_equal(judge(&still, &view, &steps[i].person, &next), VRS_FOLLOW_GOOD);
		assert_true(memcmp(&other, &view, sizeof view) != 0);
		const struct vrs_rect *want = steps[i].stays ? &view : &other;
		assert_rect(&next, want->x, want->y, want->width, want->height);
	}
	const struct vrs_rect outside = {view.x + view.width - 70, 328, 144, 304};
	assert_int_equal(judge(&moving, &view, &outside, &other), VRS_FOLLOW_AGAIN);
	assert_int_equal(judge(&still, &view, &outside, &next), VRS_FOLLOW_AGAIN);
	assert_rect(&next, other.x, other.y, other.width, other.height);
}

/* Half of the person lies outside: the view grows by half of what is seen, there. At the border of the eye nothing is cut off. */
static void cut_off_people(void **state)
{
	(void)state;
	struct vrs_follow follow = vrs_follow_make(&right_eye, &centre, &format);
	const struct vrs_rect view = {1424, 288, 192, 384}, person = {1520, 320, 200, 320}, edge = {1024, 0, 1024, 1024}, wall = {1024, 300, 700, 724};
	struct vrs_rect next;
	assert_int_equal(judge(&follow, &view, &person, &next), VRS_FOLLOW_AGAIN);
	assert_true(next.x + next.width >= 1616 + 40 && next.x <= 1520);
	assert_int_equal(judge(&follow, &edge, &wall, &next), VRS_FOLLOW_AGAIN); /* smaller than the eye, and that only */
	assert_int_equal(next.x, 1024);
	assert_int_equal(next.y + next.height, 1024);
	assert_int_equal(judge(&follow, &next, &wall, &next), VRS_FOLLOW_GOOD);
}

static void nobody(void **state)
{
	(void)state;
	struct vrs_follow follow = vrs_follow_make(&right_eye, &centre, &format);
	const struct vrs_rect view = {1424, 288, 192, 384}, none = {0};
	struct vrs_rect next, wide = vrs_follow_widen(&follow, &view);
	assert_int_equal(judge(&follow, &view, &none, &next), VRS_FOLLOW_AGAIN);
	assert_rect(&next, centre.x, centre.y, centre.width, centre.height);
	assert_int_equal(judge(&follow, &centre, &none, &next), VRS_FOLLOW_GOOD);
	assert_rect(&next, centre.x, centre.y, centre.width, centre.height);
	/* wider than the start counts as well */
	assert_rect(&wide, centre.x, centre.y, centre.width, centre.height);
	wide.x -= 32;
	wide.width += 32;
	assert_int_equal(judge(&follow, &wide, &none, &next), VRS_FOLLOW_GOOD);
}

/* Lone pixels far from the person, NaN among them, do not move the view. */
static void noise(void **state)
{
	(void)state;
	struct vrs_follow follow = vrs_follow_make(&right_eye, &centre, &format);
	const struct vrs_rect person = {1440, 320, 160, 320};
	float alpha[SIDE * SIDE];
	struct vrs_rect clean, noisy;
	draw(alpha, &centre, &person);
	(void)vrs_follow_judge(&follow, &centre, alpha, SIDE, SIDE, &clean);
	alpha[3] = alpha[SIDE * 60 + 61] = 1;
	alpha[SIDE * 30 + 2] = NAN;
	(void)vrs_follow_judge(&follow, &centre, alpha, SIDE, SIDE, &noisy);
	assert_memory_equal(&clean, &noisy, sizeof clean);
	memset(alpha, 0, sizeof alpha);
	alpha[SIDE * 9 + 9] = 1;
	(void)vrs_follow_judge(&follow, &centre, alpha, SIDE, SIDE, &noisy);
	assert_rect(&noisy, centre.x, centre.y, centre.width, centre.height);
}

/* Whatever people do, views stay inside the eye, are not empty, and a few looks find whoever is partly in the first one. */
static void random_people(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < 2000; i++) {
		struct vrs_follow follow = vrs_follow_make(&right_eye, &centre, &format);
		struct vrs_rect person = {.width = 60 + (int)vrs_rng_below(&rng, 400), .height = 60 + (int)vrs_rng_below(&rng, 600)};
		person.x = centre.x + 64 - person.width / 2 + (int)vrs_rng_below(&rng, 384);
		person.y = centre.y + 64 - person.height / 2 + (int)vrs_rng_below(&rng, 384);
		struct vrs_rect view = centre, next;
		int looks = 0;
		while (judge(&follow, &view, &person, &next) == VRS_FOLLOW_AGAIN && ++looks < VRS_FOLLOW_MOST_LOOKS) {
			assert_true(next.width > 0 && next.height > 0 && inside(&next, &right_eye));
			view = next;
		}
		struct vrs_rect seen = person;
		seen.x = seen.x < 1024 ? 1024 : seen.x;
		seen.y = seen.y < 0 ? 0 : seen.y;
		seen.width = (person.x + person.width > 2048 ? 2048 : person.x + person.width) - seen.x;
		seen.height = (person.y + person.height > 1024 ? 1024 : person.y + person.height) - seen.y;
		assert_true(inside(&seen, &view));
	}
}

/* Out to the next steps, as far as the eye goes; around a circle at most once. */
static void padded_views(void **state)
{
	(void)state;
	struct vrs_follow follow = vrs_follow_make(&right_eye, &centre, &format);
	const struct vrs_rect view = {1280, 256, 512, 512}, low = {1040, 800, 64, 224};
	struct vrs_rect next = vrs_follow_padded(&follow, &view, 0);
	assert_rect(&next, view.x, view.y, view.width, view.height);
	next = vrs_follow_padded(&follow, &view, 16);
	assert_rect(&next, 1264, 240, 544, 544);
	next = vrs_follow_padded(&follow, &view, 17);
	assert_rect(&next, 1248, 224, 576, 576);
	next = vrs_follow_padded(&follow, &low, 64);
	assert_rect(&next, 1024, 736, 144, 288);
	next = vrs_follow_padded(&follow, &view, 5000);
	assert_rect(&next, right_eye.x, right_eye.y, right_eye.width, right_eye.height);
	follow.circle = 1024;
	next = vrs_follow_padded(&follow, &low, 64);
	assert_rect(&next, 2000, 736, 192, 288);
	next = vrs_follow_padded(&follow, &view, 5000);
	assert_true(next.width == 1024 && next.x >= 1024 && next.x < 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_person_in_the_middle), cmocka_unit_test(padded_views), cmocka_unit_test(views_that_stay),
		cmocka_unit_test(cut_off_people), cmocka_unit_test(nobody),
		cmocka_unit_test(noise), cmocka_unit_test(random_people),
	};
	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
