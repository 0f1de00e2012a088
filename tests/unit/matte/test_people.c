/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards who is who in both eyes: views of a person have one size and the same rows in both eyes and stay inside them, also across a circle's seam;
 * the disparity of the people who were seen tells where others are in the other eye; who meets shares a view and nobody is dropped above the bound;
 * numbers stay with people whatever order frames see them in, who is hidden for a while is waited for, and who left is forgotten; nobody is shown in
 * one eye only, unless an edge or an earlier pair explains it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/people.h"

#define EYE 1920

static struct vrs_follow follow[2];
static const struct vrs_people_eyes eyes = {2, follow}, mono = {1, follow};

static void set_up(int circle)
{
	for (int e = 0; e < 2; e++) {
		const struct vrs_rect eye = {e * EYE, 0, EYE, EYE};
		const struct vrs_picture_format format = {.width = 2 * EYE, .height = EYE, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
			.bit_depth = 8, .circle = circle};
		follow[e] = vrs_follow_make(&eye, &eye, &format);
	}
}

/* Somebody at x, y of the left eye, and `shift` to the left of that in the right one; seen by both. */
static struct vrs_person person_at(uint32_t number, int x, int y, int width, int height, int shift)
{
	return (struct vrs_person){.number = number, .seen = 3, .paired = true, .view = {{x, y, width, height}, {EYE + x - shift, y, width, height}}};
}

static void assert_inside(const struct vrs_rect *view, int eye, int circle)
{
	assert_true(view->y >= 0 && view->y + view->height <= EYE && view->width > 0 && view->height > 0);
	assert_true(view->x >= eye * EYE && view->x < (eye + 1) * EYE && view->width <= EYE);
	assert_true(circle || view->x + view->width <= (eye + 1) * EYE);
}

static void test_align(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 7);
	for (int i = 0; i < 4000; i++) {
		int circle = i % 2 ? EYE : 0;
		set_up(circle);
		struct vrs_person p = {0};
		for (int e = 0; e < 2; e++) {
			int width = 2 + (int)vrs_rng_below(&rng, EYE - 2), height = 2 + (int)vrs_rng_below(&rng, EYE - 2);
			p.view[e] = (struct vrs_rect){e * EYE + (int)vrs_rng_below(&rng, (uint64_t)(EYE - width)),
				(int)vrs_rng_below(&rng, (uint64_t)(EYE - height)), width, height};
		}
		const struct vrs_person before = p;
		vrs_person_align(&eyes, &p);
		assert_int_equal(p.view[0].width, p.view[1].width);
		assert_int_equal(p.view[0].height, p.view[1].height);
		assert_int_equal(p.view[0].y, p.view[1].y);
		for (int e = 0; e < 2; e++) {
			assert_inside(&p.view[e], e, circle);
			assert_true(p.view[e].y <= before.view[e].y && p.view[e].y + p.view[e].height >= before.view[e].y + before.view[e].height);
			assert_true(p.view[e].width >= before.view[e].width);
		}
	}
	/* one eye: nothing to align with */
	struct vrs_person alone = {.view = {{100, 50, 33, 77}}};
	const struct vrs_person before = alone;
	vrs_person_align(&mono, &alone);
	assert_memory_equal(&alone, &before, sizeof alone);
}

static void test_disparity(void **state)
{
	(void)state;
	struct vrs_disparity d = {0};
	double spread, sure;
	set_up(0);
	assert_true(vrs_disparity_predict(&d, 0.5, &spread) == 0 && spread > 0.02);
	for (int i = 0; i < 200; i++) /* people of 0.1 to 0.9 of the height, disparities on a line */
		vrs_disparity_learn(&d, 0.1 + 0.8 * (i % 9) / 8, 0.002 + 0.04 * (0.1 + 0.8 * (i % 9) / 8));
	assert_true(fabs(vrs_disparity_predict(&d, 0.2, &sure) - 0.010) < 0.002);
	assert_true(fabs(vrs_disparity_predict(&d, 0.8, &sure) - 0.034) < 0.002);
	assert_true(sure < spread);
	/* all alike: their own, whatever the height */
	d = (struct vrs_disparity){0};
	for (int i = 0; i < 50; i++)
		vrs_disparity_learn(&d, 0.3, 0.02);
	assert_true(fabs(vrs_disparity_predict(&d, 0.9, &sure) - 0.02) < 1e-6);
	/* whom one eye shows is looked for where the other should show them, and a pair keeps its own disparity */
	struct vrs_person p = {0};
	const struct vrs_rect seen = {600, 300, 120, 540};
	vrs_person_place(&eyes, &d, &p, 0, &seen);
	assert_true(p.view[1].x <= EYE + 600 - 38 && p.view[1].x + p.view[1].width >= EYE + 600 - 38 + 120);
	assert_int_equal(p.view[1].y, 300);
	p = person_at(1, 600, 300, 120, 540, 90);
	vrs_person_place(&eyes, &d, &p, 0, &(struct vrs_rect){630, 300, 120, 540});
	assert_true(p.view[1].width == 120 && abs(p.view[1].x - (EYE + 540)) <= follow[1].step_x);
	/* and back from the right eye */
	p = (struct vrs_person){0};
	vrs_person_place(&eyes, &d, &p, 1, &(struct vrs_rect){EYE + 600, 300, 120, 540});
	assert_true(p.view[0].x <= 600 + 38 && p.view[0].x + p.view[0].width >= 600 + 38 + 120);
}

static void test_pair(void **state)
{
	(void)state;
	int right[VRS_REGIONS_MAX];
	struct vrs_disparity d = {0};
	set_up(0);
	for (int i = 0; i < 50; i++)
		vrs_disparity_learn(&d, 0.3, 0.02);
	/* two side by side, one above: rows and disparity tell them apart; the last one is in the left eye only */
	struct vrs_regions parts[2] = {
		{.count = 4, .rect = {{300, 900, 100, 500}, {420, 900, 100, 500}, {350, 100, 100, 300}, {1500, 900, 100, 500}}},
		{.count = 3, .rect = {{EYE + 382, 905, 100, 490}, {EYE + 312, 100, 100, 300}, {EYE + 262, 900, 100, 500}}}};
	vrs_people_pair(&eyes, &d, parts, right);
	assert_int_equal(right[0], 2);
	assert_int_equal(right[1], 0);
	assert_int_equal(right[2], 1);
	assert_int_equal(right[3], -1);
	/* across the seam */
	set_up(EYE);
	parts[0] = (struct vrs_regions){.count = 1, .rect = {{10, 900, 100, 500}}};
	parts[1] = (struct vrs_regions){.count = 1, .rect = {{EYE + EYE - 28, 900, 100, 500}}};
	vrs_people_pair(&eyes, &d, parts, right);
	assert_int_equal(right[0], 0);
}

static int living(const struct vrs_people *people)
{
	int count = 0;
	for (int i = 0; i < people->count; i++)
		count += !people->person[i].gone;
	return count;
}

static bool holds(const struct vrs_rect *view, const struct vrs_rect *part)
{
	return view->x <= part->x && view->y <= part->y && view->x + view->width >= part->x + part->width &&
	       view->y + view->height >= part->y + part->height;
}

static void test_join(void **state)
{
	(void)state;
	bool changed[VRS_REGIONS_MAX] = {false};
	set_up(0);
	/* they overlap in the right eye only */
	struct vrs_people people = {.count = 3, .person = {person_at(4, 300, 600, 300, 900, 0), person_at(2, 570, 600, 300, 900, 240),
		person_at(3, 1500, 600, 300, 900, 30)}};
	const struct vrs_people before = people;
	vrs_people_join(&eyes, &people, 0, 12, changed);
	assert_int_equal(living(&people), 2);
	assert_true(changed[0] && people.person[1].gone && !changed[2] && people.person[0].number == 4);
	for (int e = 0; e < 2; e++)
		assert_true(holds(&people.person[0].view[e], &before.person[0].view[e]) && holds(&people.person[0].view[e], &before.person[1].view[e]));
	/* who came out of a view is parted from it only with some distance; those before `first` are nobody's business */
	for (int known = 0; known < 2; known++)
		for (int first = 0; first < 2; first++) {
			struct vrs_people two = {.count = 2, .person = {person_at(1, 300, 600, 300, 900, 0), person_at(known ? 2 : 0, 390, 600, 300, 900, 0)}};
			vrs_people_join(&eyes, &two, first, 12, NULL);
			assert_int_equal(living(&two), known || first ? 2 : 1);
		}
	/* how far somebody reaches whom a view cuts off is a guess: it does not join them with others, but above the bound */
	for (int most = 1; most <= 2; most++) {
		struct vrs_people two = {.count = 2, .person = {person_at(1, 300, 600, 300, 900, 0), person_at(2, 310, 600, 300, 900, 0)}};
		two.person[1].guessed = true;
		vrs_people_join(&eyes, &two, 0, most, NULL);
		assert_int_equal(living(&two), most);
	}
	/* neither does a view whose look does not show them */
	for (int most = 1; most <= 2; most++) {
		struct vrs_people two = {.count = 2, .person = {person_at(1, 300, 600, 300, 900, 0), person_at(2, 310, 700, 60, 150, 0)}};
		two.person[1].apart = true;
		vrs_people_join(&eyes, &two, 0, most, NULL);
		assert_int_equal(living(&two), most);
	}
	/* above the bound the nearest share, and everybody stays in somebody's view */
	for (int most = 1; most <= 16; most++) {
		struct vrs_people crowd = {.count = 16};
		for (int i = 0; i < 16; i++)
			crowd.person[i] = person_at((uint32_t)i + 1, 30 + i % 4 * 450, 20 + i / 4 * 450, 90, 300, 30);
		const struct vrs_people all = crowd;
		vrs_people_join(&eyes, &crowd, 0, most, NULL);
		assert_int_equal(living(&crowd), most);
		for (int i = 0; i < 16; i++) {
			bool held = false;
			for (int k = 0; k < 16; k++)
				held |= !crowd.person[k].gone && holds(&crowd.person[k].view[0], &all.person[i].view[0]) &&
					holds(&crowd.person[k].view[1], &all.person[i].view[1]);
			assert_true(held);
		}
	}
}

static struct vrs_people one(struct vrs_person person)
{
	return (struct vrs_people){.count = 1, .person = {person}};
}

static void test_merge(void **state)
{
	(void)state;
	struct vrs_people known = {0}, frame;
	set_up(0);
	/* two frames beside each other find the same newcomer: one person */
	frame = one(person_at(0, 500, 500, 200, 600, 20));
	vrs_people_merge(&eyes, &known, &frame, 12);
	frame.person[0].view[0].x += 10;
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 1 && known.person[0].number == 1 && known.person[0].view[0].x == 510 && known.disparity.n > 1);
	/* a frame that does not know them yet sees somebody else: both stay */
	frame = one(person_at(0, 1500, 500, 200, 600, 20));
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 2 && known.person[1].number == 2);
	/* they cross: numbers go by who they were, not by place */
	frame = (struct vrs_people){.count = 2, .person = {person_at(2, 500, 500, 200, 600, 20), person_at(1, 1500, 500, 200, 600, 20)}};
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 2 && known.person[0].number == 1 && known.person[0].view[0].x == 1500);
	/* hidden: waited for, at the place where they were, and found again */
	frame = known;
	frame.person[1].seen = 0;
	for (int i = 0; i < 10; i++)
		vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 2 && known.person[1].missing == 10);
	frame.person[1].seen = 3;
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 2 && known.person[1].missing == 0 && known.person[1].number == 2);
	/* hidden for long: gone; and who shares the view of another is gone at once */
	frame.person[1].seen = 0;
	for (int i = 0; i < 60; i++)
		vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 1 && known.person[0].number == 1);
	frame = one(known.person[0]);
	frame.person[0].gone = true;
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_int_equal(known.count, 0);
	/* nobody is where somebody was looked for the first time */
	frame = one((struct vrs_person){.view = {{0, 0, 100, 100}, {EYE, 0, 100, 100}}});
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_int_equal(known.count, 0);
	/* and whoever is known in that place stays as they are */
	known = frame = one(person_at(1, 500, 500, 200, 600, 20));
	frame.count = 2;
	frame.person[1] = (struct vrs_person){.view = {{600, 600, 20, 24}, {EYE + 580, 600, 20, 24}}};
	frame.person[0].number = 0;
	vrs_people_merge(&eyes, &known, &frame, 12);
	assert_true(known.count == 1 && known.person[0].missing == 0 && known.person[0].view[0].width == 200);
	known = (struct vrs_people){.last_number = 2};
	/* a crowd comes in one by one: as many as may be, and numbers are never used again */
	for (int i = 0; i < 40; i++) {
		frame = one(person_at(0, 20 + i % 8 * 230, 20 + i / 8 % 4 * 460, 60, 200, 4));
		vrs_people_merge(&eyes, &known, &frame, 6);
		assert_true(known.count <= 6);
	}
	assert_true(known.last_number > 2);
}

static void test_shown(void **state)
{
	(void)state;
	set_up(0);
	struct vrs_person p = person_at(1, 800, 500, 200, 600, 20);
	assert_true(vrs_person_is_shown(&eyes, &p));
	p.seen = 1; /* something is before them in the right eye */
	assert_true(vrs_person_is_shown(&eyes, &p));
	p.paired = false; /* no eye but the left has ever seen them */
	assert_false(vrs_person_is_shown(&eyes, &p));
	p.view[1].x = EYE; /* the right eye's edge explains it */
	assert_true(vrs_person_at_edge(&eyes, &p, 1) && vrs_person_is_shown(&eyes, &p));
	p.gone = true;
	assert_false(vrs_person_is_shown(&eyes, &p));
	p = (struct vrs_person){.seen = 0, .paired = true};
	assert_false(vrs_person_is_shown(&eyes, &p));
	p = (struct vrs_person){.seen = 1};
	assert_true(vrs_person_is_shown(&mono, &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_align), cmocka_unit_test(test_disparity), cmocka_unit_test(test_pair),
		cmocka_unit_test(test_join), cmocka_unit_test(test_merge), cmocka_unit_test(test_shown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
