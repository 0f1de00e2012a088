/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards when a recurrent network's states advance: once a frame, however often it is looked at; per region and eye; not by a search; moved with the
 * view; and forgotten at a new scene, by newcomers, where the view shows something else, and when they are old.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "roi/roi_states.h"
#include "unit/random_frame.h"

#define EYE 64
#define SIDE 4 /* of the network's pictures */
#define PIXELS (SIDE * SIDE)

static const struct vrs_manifest manifest = {.name = "sum", .input_name = "src", .output_kind = VRS_OUTPUT_PROBABILITY, .output_name = "sum",
	.output_channel = -1, .state_count = 1, .states = {{"state", "sum"}}};

/* The network adds up what it sees: a state tells how many frames it knows. */
struct fixture {
	struct vrs_roi_plan plan;
	struct vrs_roi_worker worker;
	struct vrs_arena arena;
	struct vrs_model *model;
	struct vrs_roi_states *states;
	struct vrs_frame_task task;
	struct vrs_regions regions[2];
	int frames;
};

static const struct vrs_rect first_view = {0, 0, 32, 64}, other_view = {32, 0, 32, 64}, moved_view = {8, 0, 32, 64}, far_view = {36, 0, 28, 64},
	right_eye = {EYE, 0, EYE, EYE};

static void begin(struct fixture *f)
{
	f->task.seq = (uint64_t)f->frames++;
	f->task.loop_seq = 0;
	vrs_roi_states_begin(f->states, &f->task);
}

static void assign(struct fixture *f, int eye, const struct vrs_rect *a, const struct vrs_rect *b)
{
	f->regions[eye] = (struct vrs_regions){.count = b ? 2 : 1, .rect = {*a}};
	if (b)
		f->regions[eye].rect[1] = *b;
	vrs_roi_states_assign(f->states, eye, &f->regions[eye]);
}

/* A look that sees 1 everywhere; returns what it adds to the past at a pixel. */
static float look(struct fixture *f, int eye, int r, const struct vrs_rect *view, int pixel)
{
	const struct vrs_roi_look at = {.rect = *view};
	vrs_roi_states_load(f->states, 0, eye, r, &at);
	for (int p = 0; p < PIXELS * 3; p++)
		vrs_head_input(f->worker.head)[p] = 1;
	assert_int_equal(vrs_session_run(f->worker.session, NULL), VRS_OK);
	if (r >= 0)
		vrs_roi_states_hold(f->states, 0, eye, r, &at);
	return vrs_head_state(f->worker.head, 0)->out[pixel];
}

static void end(struct fixture *f)
{
	vrs_roi_states_end(f->states, &f->task, f->regions);
}

/* A frame with one look at each eye; returns what the left one knows. */
static float whole_frame(struct fixture *f, const struct vrs_rect *view)
{
	begin(f);
	assign(f, 0, view, NULL);
	assign(f, 1, &right_eye, NULL);
	float seen = look(f, 0, 0, view, 0);
	(void)look(f, 1, 0, &right_eye, 0);
	end(f);
	return seen;
}

static void fill_frame(struct fixture *f, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (int y = 0; y < EYE; y++)
		for (int x = 0; x < 2 * EYE; x++) /* blocks of 8 x 8, so that thumbnails differ */
			sample_put(&f->task.frame, 0, x, y, x % 8 || y % 8 ? sample_get(&f->task.frame, 0, x - x % 8, y - y % 8) :
				   seed % 2 ? (int)(vrs_rng_next(&rng) % 60) + 20 : 235 - (int)(vrs_rng_next(&rng) % 100));
}

static int setup(void **state)
{
	static struct vrs_settings settings;
	struct fixture *f = vrs_calloc(1, sizeof *f);
	struct vrs_roi_plan *plan = &f->plan;
	plan->settings = &settings;
	plan->format = (struct vrs_picture_format){.width = 2 * EYE, .height = EYE, .planes = 1, .bit_depth = 8};
	plan->eyes = 2;
	plan->regions = 2;
	plan->follows = plan->has_states = true;
	for (int eye = 0; eye < 2; eye++) {
		plan->views[eye] = (struct vrs_rect){EYE * eye, 0, EYE, EYE};
		plan->follow[eye] = vrs_follow_make(&plan->views[eye], &plan->views[eye], &plan->format);
		plan->areas[eye] = plan->views[eye];
	}
	assert_int_equal(vrs_model_load(&f->model, VRS_TEST_DIR "/files/recurrent/sum.onnx", NULL), VRS_OK);
	f->worker.plan = plan;
	f->worker.arena = &f->arena;
	struct vrs_session_options options = vrs_session_options_default();
	options.threads = 1;
	options.pictures_nhwc = true;
	assert_int_equal(vrs_session_create(&f->worker.session, f->model, &options, NULL), VRS_OK);
	assert_int_equal(vrs_head_create(&f->worker.head, &manifest, f->worker.session, NULL), VRS_OK);
	plan->shape = *vrs_head_shape(f->worker.head);
	plan->shape.input_width = plan->shape.input_height = EYE; /* scenes need more than the network's few pixels */
	assert_int_equal(vrs_roi_states_create(&f->states, &f->worker), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&f->task.frame, &plan->format), VRS_OK);
	fill_frame(f, 1);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	vrs_frame_unref(&f->task.frame);
	vrs_head_destroy(f->worker.head);
	vrs_session_destroy(f->worker.session);
	vrs_model_destroy(f->model);
	vrs_arena_free(&f->arena);
	vrs_free(f);
	return 0;
}

static void test_once_a_frame(void **state)
{
	struct fixture *f = *state;
	for (int i = 1; i < 5; i++) {
		begin(f);
		assign(f, 0, &first_view, NULL);
		assign(f, 1, &right_eye, NULL);
		for (int again = 0; again < 3; again++)
			assert_float_equal(look(f, 0, 0, &first_view, 0), (float)i, 1e-5);
		assert_float_equal(look(f, 0, -1, &first_view, 0), 1, 1e-5); /* a search knows nothing, */
		assert_float_equal(look(f, 1, 0, &right_eye, 0), (float)i, 1e-5);
		end(f); /* and nobody knows of it */
	}
	/* looked at once more, by somebody without states: it is not remembered */
	begin(f);
	assign(f, 0, &first_view, NULL);
	assign(f, 1, &right_eye, NULL);
	assert_float_equal(look(f, 0, 0, &first_view, 0), 5, 1e-5);
	vrs_roi_states_open(f->states, 0, 0);
	end(f);
	assert_float_equal(whole_frame(f, &first_view), 5, 1e-5);
	assert_float_equal(whole_frame(f, &first_view), 6, 1e-5);
}

static void test_each_has_its_own(void **state)
{
	struct fixture *f = *state;
	(void)whole_frame(f, &first_view);
	for (int i = 0; i < 2; i++) {
		begin(f);
		assign(f, 0, i ? &other_view : &first_view, i ? &first_view : &other_view); /* in any order */
		assign(f, 1, &right_eye, NULL);
		assert_float_equal(look(f, 0, i, &first_view, 0), (float)(2 + i), 1e-5);
		assert_float_equal(look(f, 0, 1 - i, &other_view, 0), (float)(1 + i), 1e-5);
		assert_float_equal(look(f, 1, 0, &right_eye, 0), (float)(2 + i), 1e-5);
		end(f);
	}
	/* one leaves, and later somebody comes there */
	assert_float_equal(whole_frame(f, &other_view), 3, 1e-5);
	begin(f);
	assign(f, 0, &first_view, &other_view);
	assign(f, 1, &right_eye, NULL);
	assert_float_equal(look(f, 0, 0, &first_view, 0), 1, 1e-5);
	assert_float_equal(look(f, 0, 1, &other_view, 0), 4, 1e-5);
	end(f);
}

static void test_views_move(void **state)
{
	struct fixture *f = *state;
	begin(f);
	assign(f, 0, &first_view, NULL);
	assign(f, 1, &right_eye, NULL);
	(void)look(f, 0, 0, &first_view, 0);
	float *out = (float *)(uintptr_t)vrs_head_state(f->worker.head, 0)->out; /* columns at 4, 12, 20, 28 of the picture */
	for (int i = 0; i < PIXELS; i++)
		out[i] = (float)(i % SIDE);
	vrs_roi_states_hold(f->states, 0, 0, 0, &(struct vrs_roi_look){.rect = first_view});
	end(f);
	begin(f);
	assign(f, 0, &moved_view, NULL);
	assign(f, 1, &right_eye, NULL);
	for (int pixel = 0; pixel < SIDE; pixel++) /* a quarter further to the right, and the border goes on */
		assert_float_equal(look(f, 0, 0, &moved_view, pixel), (float)(1 + (pixel < 3 ? pixel + 1 : 3)), 1e-5);
	end(f);
	/* somewhere else there is no past */
	assert_float_equal(whole_frame(f, &far_view), 1, 1e-5);
}

static void test_scenes_begin_anew(void **state)
{
	struct fixture *f = *state;
	for (int i = 1; i < 4; i++)
		assert_float_equal(whole_frame(f, &first_view), (float)i, 1e-5);
	assert_float_equal(whole_frame(f, &moved_view), 4, 1e-5); /* another view of the same scene */
	fill_frame(f, 2);
	assert_float_equal(whole_frame(f, &moved_view), 1, 1e-5);
	assert_float_equal(whole_frame(f, &moved_view), 2, 1e-5);
	fill_frame(f, 3);
	assert_float_equal(whole_frame(f, &first_view), 1, 1e-5); /* seen where the one before was looked at */
	assert_float_equal(whole_frame(f, &first_view), 2, 1e-5);
	f->frames = 0; /* another loop over the video */
	assert_float_equal(whole_frame(f, &first_view), 1, 1e-5);
}

static void test_states_grow_old(void **state)
{
	struct fixture *f = *state;
	assert_float_equal(whole_frame(f, &first_view), 1, 1e-5);
	f->frames += 20; /* that others answered, or that were not looked at */
	assert_float_equal(whole_frame(f, &first_view), 2, 1e-5);
	f->frames += 200;
	assert_float_equal(whole_frame(f, &first_view), 1, 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once_a_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_has_its_own, setup, teardown),
		cmocka_unit_test_setup_teardown(test_views_move, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scenes_begin_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(test_states_grow_old, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
