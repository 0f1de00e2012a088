/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by tests of people who are tracked in two eyes: a worker without a network.  Figures are boxes of each eye; a look at a view shows those
 * that lie in it, as a perfect network would, or one that does not show who is small in a view.
 */
#ifndef VRS_TEST_PEOPLE_STAGE_H
#define VRS_TEST_PEOPLE_STAGE_H

#include <string.h>

#include "base/mem.h"
#include "flow/sequencer.h"
#include "roi/roi_arrivals.h"
#include "roi/roi_parts.h"
#include "roi/roi_people.h"
#include "roi/roi_search.h"
#include "unit/random_frame.h"

#define STAGE_EYE 480
#define STAGE_SIDE 96 /* of looks */
#define STAGE_FIGURES 16

/* Where each eye shows somebody, from the eye's corner; no width: it does not. */
struct figure {
	struct vrs_rect at[2];
};

struct stage {
	struct vrs_settings settings;
	struct vrs_roi_plan plan;
	struct vrs_roi_worker worker;
	struct vrs_roi_past past;
	struct vrs_flow flow;
	struct vrs_arena arena;
	struct vrs_frame_task task, *tasks[1];
	enum vrs_reuse reuse[1];
	struct figure figures[STAGE_FIGURES];
	int least;                          /* a look shows no figure that is smaller than a share of 1 / least of its view; 0: it shows all */
	int figure_count, looks, searches;  /* looks at all people, views of searches: in the last frame */
	uint64_t wait_ns;
};

static inline struct figure figure_at(int x, int y, int width, int height, int disparity)
{
	return (struct figure){.at = {{x, y, width, height}, {x - disparity, y, width, height}}};
}

static inline struct vrs_rect figure_in(const struct figure *figure, int eye)
{
	struct vrs_rect at = figure->at[eye];
	at.x += eye * STAGE_EYE;
	return at;
}

static inline bool stage_holds(const struct vrs_rect *view, const struct vrs_rect *part)
{
	return view->x <= part->x && view->y <= part->y && view->x + view->width >= part->x + part->width &&
	       view->y + view->height >= part->y + part->height;
}

/* Eyes are looked at first in a square of that side in their middle. */
static inline struct stage *stage_make_middle(int regions, int side)
{
	struct stage *s = vrs_calloc(1, sizeof *s);
	assert_non_null(s);
	struct vrs_roi_plan *plan = &s->plan;
	s->settings.matte.stride = 1;
	plan->settings = &s->settings;
	plan->format = (struct vrs_picture_format){.width = 2 * STAGE_EYE, .height = STAGE_EYE, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
		.bit_depth = 8};
	plan->follows = plan->tracks = true;
	plan->lag = plan->group = plan->room = 1;
	plan->eyes = 2;
	plan->regions = regions;
	plan->shape.matte_width = plan->shape.matte_height = STAGE_SIDE;
	plan->look_size = STAGE_SIDE * STAGE_SIDE;
	for (int e = 0; e < 2; e++) {
		plan->views[e] = (struct vrs_rect){e * STAGE_EYE, 0, STAGE_EYE, STAGE_EYE};
		const struct vrs_rect middle = {e * STAGE_EYE + (STAGE_EYE - side) / 2, (STAGE_EYE - side) / 2, side, side};
		plan->follow[e] = vrs_follow_make(&plan->views[e], &middle, &plan->format);
		plan->areas[e] = plan->views[e];
	}
	struct vrs_roi_worker *w = &s->worker;
	*w = (struct vrs_roi_worker){.plan = plan, .flow = &s->flow, .past = &s->past, .arena = &s->arena};
	s->past.plan = plan;
	s->past.flow = &s->flow;
	assert_int_equal(vrs_sequencer_create(&s->flow.postprocess), VRS_OK);
	s->tasks[0] = &s->task;
	w->batch.tasks = s->tasks;
	w->batch.reuse = s->reuse;
	w->batch.now = vrs_arena_calloc(&s->arena, 2, sizeof *w->batch.now);
	w->batch.people = vrs_arena_calloc(&s->arena, 1, sizeof *w->batch.people);
	w->looks.of_input = regions;
	w->search.of_input = vrs_roi_search_views(plan);
	struct vrs_roi_set *sets[] = {&w->looks, &w->search};
	for (int i = 0; i < 2; i++) {
		size_t places = 2 * (size_t)sets[i]->of_input;
		sets[i]->rects = vrs_arena_calloc(&s->arena, places, sizeof *sets[i]->rects);
		sets[i]->alpha = vrs_arena_calloc(&s->arena, places * plan->look_size, sizeof *sets[i]->alpha);
	}
	assert_int_equal(vrs_region_finder_create(&w->finder, &s->arena, STAGE_SIDE, STAGE_SIDE), VRS_OK);
	assert_int_equal(vrs_roi_arrivals_init(w), VRS_OK);
	assert_false(s->arena.failed);
	assert_int_equal(vrs_frame_alloc(&s->task.frame, &plan->format), VRS_OK);
	samples_fill(&s->task.frame, 60);
	return s;
}

static inline struct stage *stage_make(int regions)
{
	return stage_make_middle(regions, STAGE_EYE);
}

static inline void stage_free(struct stage *s)
{
	vrs_frame_unref(&s->task.frame);
	vrs_sequencer_destroy(s->flow.postprocess);
	vrs_arena_free(&s->arena);
	vrs_free(s);
}

/* The picture of the figures. */
static inline void stage_paint(struct stage *s)
{
	samples_fill(&s->task.frame, 60);
	for (int f = 0; f < s->figure_count; f++)
		for (int e = 0; e < 2; e++) {
			struct vrs_rect at = figure_in(&s->figures[f], e);
			for (int y = at.y; y < at.y + at.height; y++)
				memset(s->task.frame.data[0] + s->task.frame.stride_bytes[0] * y + at.x, 180, (size_t)at.width);
		}
}

/* What a network would see at a place of a set. */
static inline void stage_look(struct stage *s, const struct vrs_roi_set *set, int place)
{
	const struct vrs_rect *view = &set->rects[place];
	int eye = place / set->of_input % 2;
	float *alpha = set->alpha + s->plan.look_size * (size_t)place;
	memset(alpha, 0, s->plan.look_size * sizeof *alpha);
	for (int f = 0; f < s->figure_count; f++) {
		struct vrs_rect at = figure_in(&s->figures[f], eye);
		int length = at.width > at.height ? at.width : at.height;
		if (s->least && length * s->least < view->height)
			continue;
		for (int p = 0; p < STAGE_SIDE * STAGE_SIDE; p++) {
			double x = view->x + (p % STAGE_SIDE + 0.5) * view->width / STAGE_SIDE;
			double y = view->y + ((int)(p / STAGE_SIDE) + 0.5) * view->height / STAGE_SIDE;
			if (x >= at.x && x < at.x + at.width && y >= at.y && y < at.y + at.height)
				alpha[p] = 1;
		}
	}
}

/* Who is known in frame `seq`, and the views of its search. */
static inline int stage_open(struct stage *s, uint64_t seq, int places[])
{
	s->task.seq = seq;
	assert_true(vrs_roi_people_begin(&s->worker, 0, &s->wait_ns));
	return vrs_roi_arrivals_open(&s->worker, 0, places);
}

/* All looks at people; returns how often. */
static inline int stage_look_at_people(struct stage *s)
{
	struct vrs_roi_worker *w = &s->worker;
	int open[2 * VRS_REGIONS_MAX], count = 0, looks = 0;
	for (int e = 0; e < 2; e++)
		for (int r = 0; r < w->batch.now[e].count; r++) {
			int place = e * s->plan.regions + r;
			if (w->batch.people[0].person[r].gone)
				continue;
			w->looks.rects[place] = w->batch.now[e].rect[r];
			open[count++] = place;
		}
	while (count > 0) {
		for (int k = 0; k < count; k++)
			stage_look(s, &w->looks, open[k]);
		looks++;
		count = vrs_roi_people_judge(w, 0, looks == VRS_FOLLOW_MOST_LOOKS, open);
	}
	vrs_roi_people_end(w, 0);
	return looks;
}

/* The next frame, with the figures of now; what it saw is known to the one after it. */
static inline void stage_frame(struct stage *s, uint64_t seq)
{
	int places[2 * VRS_REGIONS_MAX];
	stage_paint(s);
	s->searches = stage_open(s, seq, places);
	for (int k = 0; k < s->searches; k++)
		stage_look(s, &s->worker.search, places[k]);
	if (s->searches > 0)
		vrs_roi_arrivals_judge(&s->worker, 0, places, s->searches);
	s->looks = stage_look_at_people(s);
	vrs_roi_past_put_people(&s->past, &s->task, &s->worker.batch.people[0]);
	vrs_sequencer_done(s->flow.postprocess);
}

/* The region of an eye that looks at a figure and shows it; -1: none. */
static inline int stage_region_of(const struct stage *s, const struct figure *figure, int eye)
{
	struct vrs_rect at = figure_in(figure, eye);
	for (int r = 0; r < s->worker.batch.now[eye].count; r++)
		if (!s->worker.batch.people[0].person[r].gone && vrs_roi_people_is_shown(&s->worker, eye, r) &&
		    stage_holds(&s->worker.batch.now[eye].rect[r], &at))
			return r;
	return -1;
}

#endif
