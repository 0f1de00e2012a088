/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards when and where newcomers are searched for: all over an eye in the first frame and when everybody has just been lost; else only at glances,
 * in turns of the eyes: where the picture changed beside known people, at once but not more often than may be, and in every view of both eyes sooner
 * or later, unless the picture stands still; by the phase of the video, whoever makes which segment.  What a search shows is looked at in both eyes;
 * who is known, or too small, is no newcomer.  Whoever is small beside somebody near, in whose looks they are not seen, is found in the small views
 * that follow the first search, and keeps a view of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/roi/people_stage.h"

#define VIEWS 10 /* of a flat eye: all of it and nine parts */
#define EVERY 5  /* frames from one glance to the next, where they do not wait for the one before */

static struct stage *flat_stage_lagging(int lag)
{
	struct stage *s = stage_make(4);
	s->plan.lag = lag;
	assert_int_equal(s->worker.search.of_input, VIEWS);
	return s;
}

static struct stage *flat_stage(void)
{
	return flat_stage_lagging(VRS_FOLLOW_LAG);
}

/* One person is known, in the picture too. */
static struct stage *person_lagging(int lag)
{
	struct stage *s = flat_stage_lagging(lag);
	s->figure_count = 1;
	s->figures[0] = figure_at(40, 150, 50, 220, 12);
	stage_frame(s, 0);
	assert_int_equal(s->past.people.count, 1);
	return s;
}

static struct stage *stage_with_person(void)
{
	return person_lagging(VRS_FOLLOW_LAG);
}

/* All over the picture, less than a person changes it. */
static void stir(struct stage *s, uint64_t seq)
{
	samples_fill(&s->task.frame, 60 + (int)(seq / (2 * EVERY) % 2));
}

/* One after another, with what is known after the frame before. */
static int open_next(struct stage *s, uint64_t seq, int places[])
{
	int count = stage_open(s, seq, places);
	vrs_roi_past_put_people(&s->past, &s->task, &s->worker.batch.people[0]);
	vrs_sequencer_done(s->flow.postprocess);
	return count;
}

static void test_first_frame(void **state)
{
	(void)state;
	struct stage *s = flat_stage();
	int places[2 * VRS_REGIONS_MAX];
	assert_int_equal(stage_open(s, 0, places), VIEWS - 1); /* the start view is looked at anyway */
	for (int k = 0; k < VIEWS - 1; k++) {
		struct vrs_rect view = vrs_roi_search_view(&s->plan, 0, k + 1);
		assert_int_equal(places[k], k + 1); /* of the left eye */
		assert_memory_equal(&s->worker.search.rects[places[k]], &view, sizeof view);
	}
	assert_true(s->worker.batch.people[0].glanced[0] && s->worker.batch.people[0].glanced[1]);
	/* nothing to search: one view shows an eye */
	s->worker.search.of_input = 0;
	assert_int_equal(stage_open(s, 0, places), 0);
	stage_free(s);
}

static void test_turns(void **state)
{
	(void)state;
	struct stage *s = stage_with_person();
	int places[2 * VRS_REGIONS_MAX], times[2 * VIEWS] = {0};
	for (uint64_t seq = 1; seq <= 2 * EVERY * 3 * VIEWS; seq++) {
		stir(s, seq);
		int count = open_next(s, seq, places);
		int eye = (int)(seq / EVERY % 2);
		assert_true(count <= 1 && (count == 0 || seq % EVERY == 0));
		assert_int_equal(s->worker.batch.people[0].glanced[eye], seq % EVERY == 0);
		assert_false(s->worker.batch.people[0].glanced[1 - eye]);
		if (count == 0)
			continue;
		assert_int_equal(places[0] / VIEWS, eye);
		times[places[0]]++;
		s->past.people.person[0].missing = 0; /* they are seen */
	}
	for (int i = 0; i < 2 * VIEWS; i++)
		assert_in_range(times[i], 1, 2);
	stage_free(s);
}

/* Nothing is searched twice that stands still: it would be another matte of the same picture. */
static void test_still_picture(void **state)
{
	(void)state;
	for (int lag = 1; lag <= VRS_FOLLOW_LAG; lag += VRS_FOLLOW_LAG - 1) {
		struct stage *s = person_lagging(lag);
		for (uint64_t seq = 1; seq < 200; seq++) {
			stage_frame(s, seq);
			assert_int_equal(s->searches, 0);
			assert_int_equal(s->past.people.count, 1);
		}
		stage_free(s);
	}
	/* also after it moved */
	struct stage *s = stage_with_person();
	int places[2 * VRS_REGIONS_MAX], searches[2] = {0};
	for (uint64_t seq = 1; seq < 1000; seq++) {
		stir(s, seq < 300 ? seq : 300);
		searches[seq >= 600] += open_next(s, seq, places);
	}
	assert_true(searches[0] > 0 && searches[1] == 0);
	stage_free(s);
}

/* Frames that wait for the one before see a change in the next frame, or the one after it in the other eye. */
static void test_change_at_once(void **state)
{
	(void)state;
	struct stage *s = person_lagging(1);
	for (uint64_t seq = 1; seq < 12; seq++) {
		s->figure_count = seq < 7 ? 1 : 2;
		s->figures[1] = figure_at(380, 180, 40, 160, 8);
		stage_frame(s, seq);
		assert_int_equal(s->past.people.count, s->figure_count);
		assert_true(seq == 7 ? s->searches > 0 && s->searches <= 3 : s->searches == 0 || seq == 8);
	}
	stage_free(s);
}

/* A picture that changes everywhere, always: three views at once, then three in five frames. */
static void test_bound(void **state)
{
	(void)state;
	for (int stride = 1; stride <= 3; stride++) {
		struct stage *s = person_lagging(1);
		int places[2 * VRS_REGIONS_MAX], sum = 0, most = 0;
		s->settings.matte.stride = stride;
		for (uint64_t seq = 1; seq <= 20 * EVERY / (uint64_t)stride; seq++) {
			s->task.unseen = (uint64_t)(stride - 1) * seq;
			samples_fill(&s->task.frame, 60 + 40 * (int)(seq % 2) + (int)(seq % 5));
			s->past.people.person[0].missing = 0; /* they are seen */
			int count = open_next(s, seq, places);
			sum += count;
			most = count > most ? count : most;
		}
		assert_in_range(most, 1, 4); /* one of them in turn */
		assert_in_range(sum, 15, 20 * 3 + 3 + (20 * EVERY / 30 + 1) * 2);
		stage_free(s);
	}
}

/* Where somebody comes in is searched at the next glance of the eye, once. */
static void test_change(void **state)
{
	(void)state;
	struct stage *s = stage_with_person();
	const struct figure comes = figure_at(380, 180, 40, 160, 8);
	int places[2 * VRS_REGIONS_MAX];
	bool found[2] = {false};
	for (uint64_t seq = 1; seq < 6 * EVERY; seq++) {
		s->past.people.person[0].missing = 0;
		s->figure_count = seq < 11 ? 1 : 2; /* after each eye has been glanced at */
		s->figures[1] = comes;
		stage_paint(s);
		int count = open_next(s, seq, places), eye = (int)(seq / EVERY % 2);
		struct vrs_rect at = figure_in(&comes, eye);
		bool holds = false;
		for (int k = 0; k < count; k++)
			holds |= places[k] % VIEWS > 0 && vrs_region_share(&at, &s->worker.search.rects[places[k]], 0) > 0.5;
		if (seq < 11 || seq % EVERY)
			continue;
		assert_true(found[eye] || holds);
		assert_true(count <= 4 && (!found[eye] || count <= 1));
		found[eye] = true;
	}
	assert_true(found[0] && found[1]);
	stage_free(s);
}

/* People who move change the picture where they are: no reason to search. */
static void test_known_move(void **state)
{
	(void)state;
	struct stage *s = stage_with_person();
	for (uint64_t seq = 1; seq < 40; seq++) {
		s->figures[0] = figure_at(40 + 2 * (int)seq, 150, 50, 220, 12);
		stage_frame(s, seq);
		assert_true(s->searches <= 1);
		assert_int_equal(s->past.people.count, 1);
	}
	stage_free(s);
}

static void test_lost(void **state)
{
	(void)state;
	struct stage *s = stage_with_person();
	int places[2 * VRS_REGIONS_MAX];
	s->past.known[0].person[0].missing = 1;
	assert_int_equal(stage_open(s, 1, places), VIEWS); /* the start view too: those who are lost are looked at where they were */
	s->past.known[0].person[0].missing = 2; /* it was in vain */
	assert_int_equal(stage_open(s, 1, places), 0);
	s->past.known[0].person[0].missing = 1; /* somebody else is there */
	s->past.known[0].person[s->past.known[0].count++] = (struct vrs_person){.number = 2, .seen = 3};
	assert_int_equal(stage_open(s, 1, places), 0);
	stage_free(s);
}

/* Segments of a video search in the same frames; with a stride the next frame that is seen does. */
static void test_phase(void **state)
{
	(void)state;
	struct stage *s = stage_with_person();
	int places[2 * VRS_REGIONS_MAX];
	for (uint64_t phase = 1; phase < 70; phase++) {
		s->task.unseen = phase - 1;
		int count = stage_open(s, 1, places);
		assert_true(count == 0 || (phase % EVERY == 0 && phase / EVERY % 6 < 2));
		if (phase % EVERY == 0)
			assert_true(s->worker.batch.people[0].glanced[phase / EVERY % 2] && !s->worker.batch.people[0].glanced[1 - phase / EVERY % 2]);
	}
	for (int stride = 1; stride <= 6; stride++) {
		s->settings.matte.stride = stride;
		for (uint64_t phase = 60; phase < 65; phase++) {
			s->task.unseen = phase - 1;
			(void)stage_open(s, 1, places);
			assert_int_equal(s->worker.batch.people[0].glanced[phase / EVERY % 2], phase - 60 < (uint64_t)stride);
		}
	}
	stage_free(s);
}

/* Somebody near whose arm goes below a far person: that one is in the near one's view. */
static struct stage *stage_with_far_person(int least)
{
	struct stage *s = stage_make_middle(4, STAGE_EYE / 2);
	s->least = least;
	s->figure_count = 3;
	s->figures[0] = figure_at(110, 120, 90, 300, 12);
	s->figures[1] = figure_at(190, 250, 120, 50, 12); /* an arm */
	s->figures[2] = figure_at(265, 195, 24, 49, 4);
	return s;
}

static void test_small_beside_near(void **state)
{
	(void)state;
	struct stage *s = stage_with_far_person(4);
	int views = vrs_roi_search_views(&s->plan), small = vrs_roi_search_small(&s->plan), searched = 0;
	assert_true(small < views);
	for (uint64_t seq = 0; seq < 40; seq++) {
		stage_frame(s, seq);
		assert_true(seq == 0 ? s->searches < small : s->searches <= 1); /* one by one, and once */
		searched += seq > 0 ? s->searches : 0;
		if (seq == 0)
			assert_true(s->past.people.count == 1 && stage_region_of(s, &s->figures[0], 0) >= 0);
		if (seq > (uint64_t)(views - small))
			for (int e = 0; e < 2; e++) {
				int far = stage_region_of(s, &s->figures[2], e);
				assert_int_equal(s->past.people.count, 2);
				assert_true(s->worker.batch.now[e].rect[1].width < 100 && far >= 0);
				assert_true(vrs_region_share(&s->worker.batch.now[e].rect[1], &s->worker.batch.now[e].rect[0], 0) > 0.8);
			}
	}
	assert_int_equal(searched, views - small);
	stage_free(s);
}

/* Whom the look at the near one shows too needs no view of their own. */
static void test_small_seen_beside_near(void **state)
{
	(void)state;
	struct stage *s = stage_with_far_person(0);
	for (uint64_t seq = 0; seq < 40; seq++) {
		stage_frame(s, seq);
		assert_int_equal(s->past.people.count, 1);
	}
	stage_free(s);
}

static int judge_all(struct stage *s, int most)
{
	int places[2 * VRS_REGIONS_MAX];
	int count = stage_open(s, 0, places);
	for (int k = 0; k < count; k++)
		stage_look(s, &s->worker.search, places[k]);
	vrs_roi_arrivals_judge(&s->worker, 0, places, count < most ? count : most);
	return s->worker.batch.people[0].count;
}

static void test_judge(void **state)
{
	(void)state;
	struct stage *s = flat_stage();
	s->figure_count = 1;
	s->figures[0] = figure_at(330, 60, 40, 120, 8);
	const struct vrs_people *people = &s->worker.batch.people[0];
	assert_int_equal(judge_all(s, VIEWS), 2); /* besides the start views, seen in several parts of the eye: once */
	for (int e = 0; e < 2; e++) {
		struct vrs_rect at = figure_in(&s->figures[0], e);
		assert_true(stage_holds(&people->person[1].view[e], &at));
		assert_int_equal(s->worker.batch.now[e].count, 2);
		assert_memory_equal(&s->worker.batch.now[e].rect[1], &people->person[1].view[e], sizeof(struct vrs_rect));
	}
	/* noise is nobody: a twentieth of the eye's height with its margins */
	s->figures[0] = figure_at(330, 60, 20, 16, 8);
	assert_int_equal(judge_all(s, VIEWS), 1);
	stage_free(s);
	/* who is known is not found again, somebody else is */
	s = stage_with_person();
	s->figure_count = 2;
	s->figures[1] = figure_at(380, 180, 40, 160, 8);
	s->past.known[0].person[0].missing = 1;
	int places[2 * VRS_REGIONS_MAX], count = stage_open(s, 1, places);
	assert_int_equal(count, VIEWS);
	for (int k = 0; k < count; k++)
		stage_look(s, &s->worker.search, places[k]);
	vrs_roi_arrivals_judge(&s->worker, 0, places, count);
	people = &s->worker.batch.people[0];
	struct vrs_rect at = figure_in(&s->figures[1], 0);
	assert_int_equal(people->count, 2);
	assert_true(people->person[0].number == 1 && people->person[1].number == 0 && stage_holds(&people->person[1].view[0], &at));
	stage_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_frame),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_still_picture),
		cmocka_unit_test(test_change_at_once),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_known_move),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_phase),
		cmocka_unit_test(test_small_beside_near),
		cmocka_unit_test(test_small_seen_beside_near),
		cmocka_unit_test(test_judge),
	};
	return cmocka_run_group_tests_name("roi_arrivals", tests, NULL, NULL);
}
