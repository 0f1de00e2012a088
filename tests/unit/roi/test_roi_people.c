/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards how people are looked at in both eyes: person r is region r of either eye, in views of one size and the same rows, also while they move; who
 * is seen in one eye is looked for in the other one, and shown there when found; nobody is shown in one eye alone without a reason; more people than
 * there are regions share views, frame after frame; eyes part people alike, and who parts at the last look stays in view; numbers stay; who parts is
 * told apart; those who meet keep views of their own, and a view of one that shows another does not become theirs; a speck takes nobody's view;
 * views of recurrent networks stay still; who is lost is waited for and leaves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/roi/people_stage.h"

#define PATIENCE 15 /* of matte/people.c, frames */

static void assert_eyes_alike(const struct stage *s)
{
	const struct vrs_regions *now = s->worker.batch.now;
	const struct vrs_people *people = &s->worker.batch.people[0];
	assert_int_equal(now[0].count, now[1].count);
	assert_int_equal(now[0].count, people->count);
	for (int r = 0; r < now[0].count; r++) {
		assert_int_equal(now[0].rect[r].width, now[1].rect[r].width);
		assert_int_equal(now[0].rect[r].height, now[1].rect[r].height);
		assert_int_equal(now[0].rect[r].y, now[1].rect[r].y);
		for (int e = 0; e < 2 && !people->person[r].gone; e++)
			assert_true(vrs_region_share(&now[e].rect[r], &s->plan.follow[e].eye, 0) == 1);
	}
}

/* Every figure has the same region in both eyes; returns that of the first one. */
static int assert_all_shown(const struct stage *s)
{
	for (int f = 0; f < s->figure_count; f++) {
		int left = stage_region_of(s, &s->figures[f], 0);
		assert_true(left >= 0);
		assert_int_equal(left, stage_region_of(s, &s->figures[f], 1));
	}
	return stage_region_of(s, &s->figures[0], 0);
}

static void test_same_region_in_both_eyes(void **state)
{
	(void)state;
	struct stage *s = stage_make(6);
	s->figure_count = 3;
	s->figures[0] = figure_at(40, 150, 50, 220, 12);
	s->figures[1] = figure_at(210, 130, 50, 200, 8);
	s->figures[2] = figure_at(400, 200, 40, 160, 4);
	uint32_t number[3] = {0};
	for (uint64_t frame = 0; frame < 24; frame++) {
		stage_frame(s, frame);
		assert_eyes_alike(s);
		(void)assert_all_shown(s);
		assert_int_equal(s->past.people.count, 3);
		for (int f = 0; f < 3; f++) {
			const struct vrs_person *person = &s->worker.batch.people[0].person[stage_region_of(s, &s->figures[f], 0)];
			assert_int_equal(person->seen, 3);
			if (frame == 0)
				continue;
			number[f] = number[f] ? number[f] : person->number;
			assert_true(number[f] > 0);
			assert_int_equal(person->number, number[f]);
		}
		s->figures[0] = figure_at(s->figures[0].at[0].x + 3, 150, 50, 220, 12);
		s->figures[2] = figure_at(s->figures[2].at[0].x - 3, 200 - (int)frame, 40, 160, 4);
	}
	assert_true(number[0] != number[1] && number[1] != number[2] && number[0] != number[2]);
	stage_free(s);
}

/* The first search is of the left eye: the right one is looked at where the left one's people should be. */
static void test_other_eye(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 1;
	s->figures[0] = figure_at(220, 160, 40, 160, 20);
	stage_frame(s, 0);
	assert_int_equal(assert_all_shown(s), 0);
	assert_true(s->past.people.person[0].paired);
	/* hidden in the right eye: looked for where their own disparity tells, shown in the left one */
	for (uint64_t frame = 1; frame < 8; frame++) {
		s->figures[0] = figure_at(220 + 4 * (int)frame, 160, 40, 160, 20);
		struct figure whole = s->figures[0];
		s->figures[0].at[1].width = 0;
		stage_frame(s, frame);
		struct vrs_rect wanted = figure_in(&whole, 1);
		assert_eyes_alike(s);
		assert_int_equal(s->worker.batch.people[0].person[0].seen, 1);
		assert_true(vrs_roi_people_is_shown(&s->worker, 0, 0) && !vrs_roi_people_is_shown(&s->worker, 1, 0));
		assert_true(vrs_region_share(&wanted, &s->past.people.person[0].view[1], 0) > 0.95);
		assert_int_equal(s->past.people.person[0].missing, 0);
	}
	/* and back at once */
	s->figures[0] = figure_at(252, 160, 40, 160, 20);
	stage_frame(s, 8);
	assert_int_equal(assert_all_shown(s), 0);
	assert_int_equal(s->past.people.count, 1);
	stage_free(s);
}

/* A reflection that one eye alone has ever had is in no matte; at the edge of the other eye it may be a person. */
static void test_one_eye_alone(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 1;
	s->figures[0] = figure_at(220, 160, 40, 160, 0);
	s->figures[0].at[1].width = 0;
	stage_frame(s, 0);
	assert_int_equal(s->worker.batch.people[0].person[0].seen, 1);
	assert_false(vrs_roi_people_is_shown(&s->worker, 0, 0) || vrs_roi_people_is_shown(&s->worker, 1, 0));
	stage_free(s);
	s = stage_make(4);
	s->figure_count = 1;
	s->figures[0] = figure_at(4, 160, 40, 160, 0);
	s->figures[0].at[1].width = 0;
	stage_frame(s, 0);
	assert_true(vrs_roi_people_is_shown(&s->worker, 0, 0) && !vrs_roi_people_is_shown(&s->worker, 1, 0));
	stage_free(s);
}

/* Far apart from each other, in two rows. */
static void test_crowd(void **state)
{
	(void)state;
	struct stage *s = stage_make(12);
	s->figure_count = 8;
	for (int f = 0; f < 8; f++)
		s->figures[f] = figure_at(20 + f % 4 * 120, 30 + f / 4 * 240, 30, 120, 6);
	for (uint64_t frame = 0; frame < 8; frame++) {
		stage_frame(s, frame);
		assert_eyes_alike(s);
		(void)assert_all_shown(s);
		assert_int_equal(s->past.people.count, 8);
	}
	stage_free(s);
}

static void test_more_than_regions(void **state)
{
	(void)state;
	for (int most = 2; most <= 5; most++) {
		struct stage *s = stage_make(most);
		s->figure_count = 8;
		for (int f = 0; f < 8; f++)
			s->figures[f] = figure_at(20 + f % 4 * 120, 30 + f / 4 * 240, 30, 120, 6);
		stage_frame(s, 0);
		assert_in_range(s->past.people.count, 1, most);
		assert_eyes_alike(s);
		(void)assert_all_shown(s);
		stage_free(s);
	}
}

static void test_crowd_moves(void **state)
{
	(void)state;
	for (int most = 2; most <= 9; most++) {
		struct stage *s = stage_make(most);
		s->figure_count = 8;
		for (uint64_t frame = 0; frame < 24; frame++) {
			for (int f = 0; f < 8; f++)
				s->figures[f] = figure_at(20 + f % 4 * 120 + (f % 2 ? 2 : -1) * (int)(frame % 12) / 2, 30 + f / 4 * 240, 30, 120, 6);
			stage_frame(s, frame);
			assert_in_range(s->past.people.count, 1, most);
			assert_eyes_alike(s);
			(void)assert_all_shown(s);
		}
		stage_free(s);
	}
}

/* Nobody has a place above those that are looked at; the newest share views with the nearest, and all but them keep their places. */
static void test_fit(void **state)
{
	(void)state;
	struct stage *s = stage_make(3);
	struct vrs_people *people = &s->worker.batch.people[0];
	bool fresh[VRS_REGIONS_MAX] = {false}, joined[VRS_REGIONS_MAX] = {false};
	people->count = 3;
	for (int p = 0; p < 3; p++)
		people->person[p] = (struct vrs_person){.number = (uint32_t)p + 1,
			.view = {{30 + 150 * p, 120, 60, 240}, {STAGE_EYE + 18 + 150 * p, 120, 60, 240}}};
	const struct vrs_people before = *people;
	struct vrs_person newcomer = {.view = {{245, 120, 60, 240}, {STAGE_EYE + 233, 120, 60, 240}}}, again = newcomer;
	assert_int_equal(vrs_roi_people_add(&s->worker, people, &newcomer), 3);
	vrs_roi_people_fit(&s->worker, people, 0, fresh, joined);
	assert_true(people->count == 3 && joined[1] && !joined[0] && !joined[2]);
	for (int e = 0; e < 2; e++)
		assert_true(stage_holds(&people->person[1].view[e], &newcomer.view[e]) && stage_holds(&people->person[1].view[e], &before.person[1].view[e]));
	assert_memory_equal(&people->person[0], &before.person[0], sizeof before.person[0]);
	/* whoever is gone leaves a place, and one without a number does so first */
	*people = before;
	people->person[0].gone = people->person[2].gone = true;
	people->person[2].number = 0;
	people->person[3] = again;
	people->count = 4;
	fresh[3] = true;
	vrs_roi_people_fit(&s->worker, people, 0, fresh, joined);
	assert_true(people->count == 3 && fresh[2] && !people->person[2].gone);
	assert_memory_equal(people->person[2].view, again.view, sizeof again.view);
	assert_true(people->person[0].gone && people->person[0].number == 1);
	/* nobody is dropped for want of places at all */
	*people = before;
	for (people->count = 3; people->count < VRS_REGIONS_MAX; people->count++)
		people->person[people->count] = before.person[0];
	assert_int_equal(vrs_roi_people_add(&s->worker, people, &again), 1);
	assert_true(stage_holds(&people->person[1].view[0], &again.view[0]) && stage_holds(&people->person[1].view[1], &again.view[1]));
	stage_free(s);
}

/* One is near, the other one far: the left eye sees them side by side, the right one apart. */
static void test_eyes_part_alike(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 2;
	s->figures[0] = figure_at(200, 120, 50, 240, 24);
	s->figures[1] = figure_at(250, 120, 50, 240, 0);
	for (uint64_t frame = 0; frame < 8; frame++) {
		stage_frame(s, frame);
		assert_eyes_alike(s);
		assert_int_equal(assert_all_shown(s), stage_region_of(s, &s->figures[1], 0));
		assert_int_equal(s->past.people.count, 1);
		assert_true(s->looks <= 3);
	}
	/* they part in both, where each eye sees another one larger: who is who is the same in both */
	s->figures[0] = (struct figure){.at = {{170, 120, 50, 240}, {146, 120, 30, 240}}};
	s->figures[1] = (struct figure){.at = {{290, 120, 30, 240}, {280, 120, 50, 240}}};
	for (uint64_t frame = 8; frame < 12; frame++) {
		stage_frame(s, frame);
		assert_eyes_alike(s);
		assert_int_not_equal(assert_all_shown(s), stage_region_of(s, &s->figures[1], 0));
	}
	stage_free(s);
}

/* Both are in the view of one person: at the last look they stay there, and none is forgotten. */
static void test_parting_at_the_last_look(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	struct vrs_roi_worker *w = &s->worker;
	struct vrs_people *people = &w->batch.people[0];
	int open[2 * VRS_REGIONS_MAX];
	s->figure_count = 2;
	s->figures[0] = figure_at(120, 120, 50, 240, 8);
	s->figures[1] = figure_at(300, 120, 50, 240, 8);
	people->count = 2;
	people->person[0] = (struct vrs_person){.number = 5, .paired = true, .view = {{96, 96, 288, 288}, {STAGE_EYE + 88, 96, 288, 288}}};
	people->person[1] = (struct vrs_person){.number = 6, .gone = true};
	const struct vrs_people before = *people;
	for (int last = 0; last < 2; last++) {
		*people = before;
		vrs_roi_people_to_regions(w, 0);
		for (int e = 0; e < 2; e++) {
			w->batch.now[e].who[1] = 77;
			w->looks.rects[4 * e] = people->person[0].view[e];
			stage_look(s, &w->looks, 4 * e);
		}
		int count = vrs_roi_people_judge(w, 0, last, open);
		if (last) {
			assert_int_equal(count, 0);
			for (int e = 0; e < 2; e++)
				for (int f = 0; f < 2; f++) {
					struct vrs_rect at = figure_in(&s->figures[f], e);
					assert_true(stage_holds(&people->person[0].view[e], &at));
				}
			continue;
		}
		/* else both are looked at again; the newcomer has nothing of whoever left that place */
		assert_int_equal(count, 4);
		assert_true(!people->person[1].gone && people->person[1].number == 0);
		assert_true(w->batch.now[0].who[1] == 0 && w->batch.now[1].who[1] == 0);
	}
	stage_free(s);
}

/* Somebody between two people is in the views of both: neither leaves them to the other one. */
static void test_between(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	struct vrs_roi_worker *w = &s->worker;
	struct vrs_people *people = &w->batch.people[0];
	int open[2 * VRS_REGIONS_MAX];
	s->figure_count = 3;
	s->figures[0] = figure_at(100, 120, 60, 240, 8);
	s->figures[1] = figure_at(300, 120, 60, 240, 8);
	s->figures[2] = figure_at(215, 160, 30, 180, 8);
	people->count = 2;
	people->person[0] = (struct vrs_person){.number = 1, .paired = true, .view = {{90, 96, 168, 288}, {STAGE_EYE + 82, 96, 168, 288}}};
	people->person[1] = (struct vrs_person){.number = 2, .paired = true, .view = {{204, 96, 168, 288}, {STAGE_EYE + 196, 96, 168, 288}}};
	vrs_roi_people_to_regions(w, 0);
	for (int e = 0; e < 2; e++)
		for (int p = 0; p < 2; p++) {
			w->looks.rects[4 * e + p] = people->person[p].view[e];
			stage_look(s, &w->looks, 4 * e + p);
		}
	(void)vrs_roi_people_judge(w, 0, false, open);
	for (int e = 0; e < 2; e++)
		for (int f = 0; f < 3; f++) {
			struct vrs_rect at = figure_in(&s->figures[f], e);
			bool held = false;
			for (int p = 0; p < people->count; p++)
				held |= !people->person[p].gone && stage_holds(&people->person[p].view[e], &at);
			assert_true(held);
		}
	stage_free(s);
}

/* Whoever becomes smaller by a step moves no view of a network with states, neither eye's; a step to a side does, and nobody is looked at twice. */
static void test_still(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	int step = s->plan.follow[0].step_x;
	for (int e = 0; e < 2; e++)
		s->plan.follow[e].still = 1;
	s->figure_count = 1;
	s->figures[0] = figure_at(180, 100, 130, 260, 20);
	stage_frame(s, 0);
	const struct vrs_person before = s->past.people.person[0];
	for (uint64_t frame = 1; frame < 8; frame++) {
		s->figures[0] = figure_at(180, 100, 130, 260 - (frame % 2 ? step : 0), 20);
		stage_frame(s, frame);
		assert_memory_equal(s->past.people.person[0].view, before.view, sizeof before.view);
	}
	for (int k = 1; k < 5; k++) {
		s->figures[0] = figure_at(180 + k * step / 2, 100, 130, 260, 20);
		stage_frame(s, 7 + (uint64_t)k);
		assert_int_equal(s->looks, 1);
	}
	for (int e = 0; e < 2; e++)
		assert_true(s->past.people.person[0].view[e].x > before.view[e].x);
	assert_eyes_alike(s);
	stage_free(s);
}

/* Somebody beside a known person comes in with the looks at that person, between searches. */
static void test_parting(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 2;
	s->figures[0] = figure_at(200, 120, 50, 240, 8);
	s->figures[1] = figure_at(250, 120, 50, 240, 8); /* together */
	stage_frame(s, 0);
	assert_int_equal(s->past.people.count, 1);
	uint32_t number = s->past.people.person[0].number;
	for (uint64_t frame = 1; frame < 16; frame++) {
		s->figures[0] = figure_at(200 - 8 * (int)frame, 120, 50, 240, 8);
		s->figures[1] = figure_at(250 + 8 * (int)frame, 120, 50, 240, 8);
		stage_frame(s, frame);
		assert_eyes_alike(s);
		(void)assert_all_shown(s);
	}
	assert_int_equal(s->past.people.count, 2);
	assert_int_equal(s->past.people.person[0].number, number);
	assert_int_not_equal(stage_region_of(s, &s->figures[0], 0), stage_region_of(s, &s->figures[1], 0));
	stage_free(s);
}

/* Views that are shown hold the figure together, but for a fiftieth of it. */
static void assert_covered(const struct stage *s, const struct figure *figure, int eye)
{
	const struct vrs_rect *at = &figure->at[eye];
	int missed = 0;
	for (int y = at->y; y < at->y + at->height; y++)
		for (int x = at->x; x < at->x + at->width; x++) {
			const struct figure pixel = {.at = {{x, y, 1, 1}, {x, y, 1, 1}}};
			missed += stage_region_of(s, &pixel, eye) < 0;
		}
	assert_true(missed * 50 <= at->width * at->height);
}

/* Two walk past each other: one view around both would show each of them half as large. */
static void test_meeting(void **state)
{
	(void)state;
	for (int pace = 2; pace <= 10; pace += 4) {
		struct stage *s = stage_make(4);
		int met = 0, narrow = 0;
		s->figure_count = 2;
		for (int at = 60; at <= 360; at += pace) {
			s->figures[0] = figure_at(at, 120, 60, 240, 10);
			s->figures[1] = figure_at(420 - at, 140, 50, 180, 6);
			stage_frame(s, (uint64_t)(at - 60) / (uint64_t)pace);
			assert_eyes_alike(s);
			bool apart = at + 60 < 420 - at || at > 420 - at + 50;
			met += !apart;
			for (int e = 0; e < 2; e++)
				for (int f = 0; f < 2; f++)
					assert_covered(s, &s->figures[f], e);
			bool wide = false;
			for (int r = 0; r < s->worker.batch.now[0].count; r++)
				wide |= !s->worker.batch.people[0].person[r].gone && s->worker.batch.now[0].rect[r].width > 110;
			narrow += !apart && !wide;
		}
		assert_true(met > 0 && narrow * 2 > met);
		(void)assert_all_shown(s);
		assert_int_equal(s->past.people.count, 2);
		stage_free(s);
	}
}

/* Who is near has a wide view, in which somebody else is larger: each keeps their own. */
static void test_own_part(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 2;
	s->figures[0] = figure_at(150, 200, 30, 120, 8);
	s->figures[1] = figure_at(240, 100, 80, 280, 8);
	stage_frame(s, 0);
	int first = assert_all_shown(s);
	/* the first one steps away faster than their view knows, so that it is looked at widely, and shows the other one too */
	for (uint64_t frame = 1; frame < 8; frame++) {
		uint32_t number = s->past.people.person[first].number;
		s->figures[0] = figure_at(150 + (frame % 2 ? 24 : 0), 200, 30, 120, 8);
		stage_frame(s, frame);
		(void)assert_all_shown(s);
		assert_int_equal(s->past.people.count, 2);
		assert_int_equal(s->worker.batch.people[0].person[stage_region_of(s, &s->figures[0], 0)].number, number);
		first = stage_region_of(s, &s->figures[0], 0);
	}
	stage_free(s);
}

/* All but a speck of somebody is hidden: the view stays large enough to find them again soon. */
static void test_speck(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 1;
	s->figures[0] = figure_at(200, 120, 60, 240, 8);
	stage_frame(s, 0);
	for (uint64_t frame = 1; frame < 6; frame++) {
		s->figures[0] = figure_at(225, 200, 8, 10, 8);
		stage_frame(s, frame);
		assert_int_equal(s->past.people.count, 1);
		for (int e = 0; e < 2; e++)
			assert_true(s->past.people.person[0].view[e].width >= STAGE_EYE / 18 && s->past.people.person[0].view[e].height >= STAGE_EYE / 18);
		assert_eyes_alike(s);
	}
	s->figures[0] = figure_at(200, 120, 60, 240, 8);
	stage_frame(s, 6);
	stage_frame(s, 7);
	(void)assert_all_shown(s);
	assert_int_equal(s->past.people.count, 1);
	stage_free(s);
}

static void test_lost(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	s->figure_count = 2;
	s->figures[0] = figure_at(60, 120, 50, 240, 8);
	s->figures[1] = figure_at(340, 120, 50, 240, 8);
	stage_frame(s, 0);
	assert_int_equal(s->past.people.count, 2);
	uint32_t stays = s->past.people.person[0].number, last = s->past.people.last_number;
	s->figure_count = 1;
	for (uint64_t frame = 1; frame <= PATIENCE + 1; frame++) {
		assert_int_equal(s->past.people.count, 2); /* behind something, perhaps */
		stage_frame(s, frame);
		(void)assert_all_shown(s);
	}
	assert_int_equal(s->past.people.count, 1);
	/* who comes to the same place later, after both eyes were glanced at without them, is somebody else */
	for (uint64_t frame = PATIENCE + 2; frame <= 40; frame++) {
		s->figure_count = frame < 26 ? 1 : 2;
		stage_frame(s, frame);
	}
	(void)assert_all_shown(s);
	assert_int_equal(s->past.people.count, 2);
	assert_int_equal(s->past.people.person[0].number, stays);
	assert_int_equal(s->past.people.person[1].number, last + 1);
	stage_free(s);
}

/* Nobody is there: the start views are looked at in each frame, and are no person. */
static void test_nobody(void **state)
{
	(void)state;
	struct stage *s = stage_make(4);
	for (uint64_t frame = 0; frame < 7; frame++) {
		stage_frame(s, frame);
		const struct vrs_people *people = &s->worker.batch.people[0];
		assert_int_equal(people->count, 1);
		assert_true(vrs_roi_parts_is_anyone(&s->worker, &people->person[0]));
		assert_false(vrs_roi_people_is_shown(&s->worker, 0, 0) || vrs_roi_people_is_shown(&s->worker, 1, 0));
		assert_int_equal(s->past.people.count, 0);
		assert_int_equal(s->looks, 1);
		for (int e = 0; e < 2; e++)
			assert_memory_equal(&s->worker.batch.now[e].rect[0], &s->plan.follow[e].start, sizeof(struct vrs_rect));
	}
	stage_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_region_in_both_eyes),
		cmocka_unit_test(test_other_eye),
		cmocka_unit_test(test_one_eye_alone),
		cmocka_unit_test(test_crowd),
		cmocka_unit_test(test_more_than_regions),
		cmocka_unit_test(test_crowd_moves),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_eyes_part_alike),
		cmocka_unit_test(test_parting_at_the_last_look),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_still),
		cmocka_unit_test(test_parting),
		cmocka_unit_test(test_meeting),
		cmocka_unit_test(test_own_part),
		cmocka_unit_test(test_speck),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_nobody),
	};
	return cmocka_run_group_tests_name("roi_people", tests, NULL, NULL);
}
