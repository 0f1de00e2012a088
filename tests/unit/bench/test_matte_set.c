/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: mattes survive their file, damage is refused, comparison is right for equal and for different sizes and covers, truth over whole eyes, also
 * across the seam of 360 degrees; mattes of every n-th frame meet the truth of their own frame, also where the clip begins anew.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/record/matte_score.h"

static char path[128];

/* A matte of size x size over `covers`, with a person in the part [x0, x1) of its width. */
static void add(struct vrs_matte_set *set, int64_t index, int size, struct vrs_rect covers, double x0, double x1)
{
	static uint8_t pixels[128 * 160];
	struct vrs_matte matte = {size, size, 160, pixels};
	for (int y = 0; y < size; y++)
		for (int x = 0; x < size; x++)
			pixels[y * 160 + x] = x >= x0 * size && x < x1 * size ? 255 : 0;
	assert_int_equal(vrs_matte_set_add(set, index, 0, &matte, &covers), VRS_OK);
}

static void file_round_trip(void **state)
{
	(void)state;
	struct vrs_matte_set a, b;
	struct vrs_error err = {.status = VRS_OK};
	vrs_matte_set_init(&a, 640, 480);
	add(&a, 0, 64, (struct vrs_rect){0, 0, 640, 480}, 0.25, 0.5);
	add(&a, 3, 32, (struct vrs_rect){-10, 20, 100, 90}, 0, 1);
	assert_int_equal(vrs_matte_set_write(&a, path, &err), VRS_OK);
	assert_int_equal(vrs_matte_set_read(&b, path, &err), VRS_OK);
	assert_int_equal(b.count, 2);
	assert_int_equal(b.frame_width, 640);
	assert_int_equal(b.entries[1].covers.x, -10);
	assert_memory_equal(a.entries[0].data, b.entries[0].data, 64 * 64);
	vrs_matte_set_fini(&b);
	struct vrs_buf text;
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	for (size_t cut = 0; cut < text.len; cut += 41) {
		assert_int_equal(vrs_file_replace(path, text.data, cut, &err), VRS_OK);
		assert_int_equal(vrs_matte_set_read(&b, path, &err), VRS_EFORMAT);
	}
	for (size_t at = 0; at < 100; at++) { /* the header and the first entry's numbers */
		char old = text.data[at];
		text.data[at] = (char)(old ^ 0x80);
		assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
		if (vrs_matte_set_read(&b, path, &err) == VRS_OK)
			vrs_matte_set_fini(&b);
		text.data[at] = old;
	}
	vrs_buf_fini(&text);
	vrs_matte_set_fini(&a);
}

static void same_and_shifted(void **state)
{
	(void)state;
	struct vrs_matte_set a, b;
	struct vrs_matte_score score;
	const struct vrs_rect whole = {0, 0, 640, 640};
	vrs_matte_set_init(&a, 640, 640);
	vrs_matte_set_init(&b, 640, 640);
	add(&a, 0, 64, whole, 0.25, 0.5);
	add(&b, 0, 64, whole, 0.25, 0.5);
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_float_equal(score.iou, 1, 0);
	assert_float_equal(score.mad, 0, 0);
	assert_int_equal(score.frames, 1);
	add(&a, 1, 64, whole, 0, 0.5);
	add(&b, 1, 64, whole, 0.25, 0.75); /* a quarter in common, three in all */
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_float_equal(score.iou, (1 + 1.0 / 3) / 2, 1e-6);
	add(&a, 9, 64, whole, 0, 1); /* no partner: not compared */
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_int_equal(score.frames, 2);
	vrs_matte_set_fini(&b);
	vrs_matte_set_init(&b, 640, 640);
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_EINVAL);
	vrs_matte_set_fini(&a);
}

/* The same person at another matte size, in a narrower view, and in a clip of another size. */
static void other_sizes(void **state)
{
	(void)state;
	struct vrs_matte_set a, b;
	struct vrs_matte_score score;
	vrs_matte_set_init(&a, 640, 640);
	vrs_matte_set_init(&b, 1280, 1280);
	add(&a, 0, 64, (struct vrs_rect){0, 0, 640, 640}, 0.25, 0.75);
	add(&b, 0, 128, (struct vrs_rect){0, 0, 1280, 1280}, 0.25, 0.75);
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_true(score.iou > 0.98);
	vrs_matte_set_fini(&b);
	vrs_matte_set_init(&b, 640, 640);
	/* The central half of the picture, all person: the outer half of its height is background there. */
	add(&b, 0, 64, (struct vrs_rect){160, 160, 320, 320}, 0, 1);
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_float_equal(score.iou, 0.5, 0.02);
	vrs_matte_set_fini(&a);
	vrs_matte_set_fini(&b);
}

/* One eye shows 360 degrees: a matte that goes across the seam, one of the whole circle that is cut elsewhere, and the truth. */
static void across_the_seam(void **state)
{
	(void)state;
	static uint8_t truth[100 * 50];
	struct vrs_matte_set a, b;
	struct vrs_matte_score score;
	struct vrs_truth_sums sums;
	int mattes;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_truth_file file = {.path = path, .width = 100, .height = 50, .frames = 1};
	const struct vrs_rect eyes[2] = {{0, 0, 800, 400}, {0, 0, 800, 400}};
	for (int y = 0; y < 50; y++) {
		memset(&truth[y * 100], 255, 10);
		memset(&truth[y * 100 + 90], 255, 10);
	}
	assert_int_equal(vrs_file_replace(path, truth, sizeof truth, &err), VRS_OK);
	vrs_matte_set_init(&a, 800, 400);
	vrs_matte_set_init(&b, 800, 400);
	a.circle = b.circle = 800;
	add(&a, 0, 64, (struct vrs_rect){640, 0, 320, 400}, 0.25, 0.75); /* 720 .. 880 */
	add(&b, 0, 120, (struct vrs_rect){400, 0, 800, 400}, 0.4, 0.6);
	assert_int_equal(vrs_matte_set_score(&a, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_IOU) > 0.97);
	assert_int_equal(vrs_matte_set_score(&b, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_IOU) > 0.97);
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_true(score.iou > 0.97);
	vrs_matte_set_fini(&b);
	vrs_matte_set_init(&b, 800, 400);
	add(&b, 0, 120, (struct vrs_rect){0, 0, 800, 400}, 0, 0.1); /* half of them, in the next turn */
	assert_int_equal(vrs_matte_set_compare(&a, &b, &score), VRS_OK);
	assert_float_equal(score.iou, 0.5, 0.03);
	vrs_matte_set_fini(&a);
	vrs_matte_set_fini(&b);
}

static void exact_truth(void **state)
{
	(void)state;
	static uint8_t truth[2][100 * 50];
	struct vrs_matte_set set;
	struct vrs_truth_sums sums;
	int mattes;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_truth_file file = {.path = path, .width = 100, .height = 50, .frames = 2};
	const struct vrs_rect eyes[2] = {{0, 0, 400, 400}, {400, 0, 400, 400}};
	for (int y = 0; y < 50; y++)
		memset(&truth[0][y * 100 + 25], 255, 25); /* right half of the left eye, in frame 0 */
	assert_int_equal(vrs_file_replace(path, truth, sizeof truth, &err), VRS_OK);
	vrs_matte_set_init(&set, 800, 400);
	add(&set, 0, 64, (struct vrs_rect){0, 0, 400, 400}, 0.5, 1);
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_IOU) > 0.97);
	assert_int_equal(mattes, 1);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_CONTOUR_F) > 0.97 && vrs_quality_figure(&sums, VRS_FIGURE_BOX_MAD) < 0.03);
	assert_true(isnan(vrs_quality_figure(&sums, VRS_FIGURE_DTSSD)) && isnan(vrs_quality_figure(&sums, VRS_FIGURE_EYES)));
	/* A view of the lower half only misses the upper half of the person. */
	add(&set, 0, 64, (struct vrs_rect){0, 200, 400, 200}, 0.5, 1);
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_float_equal(vrs_quality_figure(&sums, VRS_FIGURE_IOU), 0.75, 0.02);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_EIO);
	vrs_matte_set_fini(&set);
}

/* Both eyes over a clip that is looped: every third frame counts, changes inside the clip alone, and eyes are compared under the truth's shifts. */
static void both_eyes_in_a_loop(void **state)
{
	(void)state;
	static uint8_t truth[4][100 * 50], pixels[64 * 64];
	struct vrs_matte_set set;
	struct vrs_truth_sums sums;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_truth_file file = {.path = path, .width = 100, .height = 50, .frames = 4, .loops = true};
	const struct vrs_rect eyes[2] = {{0, 0, 400, 400}, {400, 0, 400, 400}};
	const struct vrs_matte matte = {64, 64, 64, pixels};
	int mattes;
	for (int f = 0; f < 4; f++)
		for (int y = 0; y < 50; y++) {
			memset(&truth[f][y * 100 + 20], 255, 15);
			memset(&truth[f][y * 100 + 69], 255, 15); /* one sample to the left in the right eye */
		}
	assert_int_equal(vrs_file_replace(path, truth, sizeof truth, &err), VRS_OK);
	vrs_matte_set_init(&set, 800, 400);
	for (int f = 0; f < 7; f++)
		for (int eye = 0; eye < 2; eye++) {
			for (int y = 0; y < 64; y++)
				for (int x = 0; x < 64; x++)
					pixels[y * 64 + x] = x >= (eye ? 19 : 20) * 64 / 50 && x < (f == 2 ? 30 : eye ? 34 : 35) * 64 / 50 ? 255 : 0;
			assert_int_equal(vrs_matte_set_add(&set, f, eye, &matte, &eyes[eye]), VRS_OK);
		}
	struct vrs_matte_prefixes prefixes = {.count = 0};
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 2, 3, &prefixes, &sums, &mattes, &err), VRS_OK);
	assert_int_equal(mattes, 6); /* frames 0, 3 and 6, both eyes */
	assert_int_equal(prefixes.count, 3);
	assert_true(prefixes.mattes[0] == 2 && prefixes.mattes[1] == 4 && prefixes.mattes[2] == 6);
	assert_true(isnan(prefixes.figures[0][VRS_FIGURE_BOX_DTSSD])); /* one frame has no change */
	for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
		assert_float_equal(prefixes.figures[2][f], vrs_quality_figure(&sums, (enum vrs_quality_figure)f), 1e-5);
	assert_int_equal(sums.eyes, 2);
	assert_int_equal(sums.frame_size[0].score.frames, 3);
	assert_int_equal(sums.frame_size[0].score.pairs, 2); /* of 3 with 2, and of 6, the third of the second turn, with 5 */
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_IOU) > 0.9 && vrs_quality_figure(&sums, VRS_FIGURE_IOU_WORST) > 0.9);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_BOX_DTSSD) > 0.1); /* the matte of frame 2 lacks a third of the person */
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_EYES_TRUTH) > 0.99 && vrs_quality_figure(&sums, VRS_FIGURE_EYES) > 0.9);
	set.count -= 6; /* a run that ended with frame 3: its figures are those of the other's first mattes */
	struct vrs_matte_prefixes shorter = {.count = 0};
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 2, 3, &shorter, &sums, &mattes, &err), VRS_OK);
	set.count += 6;
	assert_int_equal(vrs_matte_prefixes_common(&shorter, &prefixes), 1);
	for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
		assert_float_equal(prefixes.figures[1][f], vrs_quality_figure(&sums, (enum vrs_quality_figure)f), 1e-5);
	file.loops = false; /* a truth that ends before the clip: what comes later is not that of its first frames */
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 2, 3, NULL, &sums, &mattes, &err), VRS_OK);
	assert_int_equal(mattes, 4);
	assert_int_equal(sums.frame_size[0].score.pairs, 1);
	vrs_matte_set_fini(&set);
}

/* Mattes of every third frame are held against the truths, and the reference's mattes, of these frames; the next matte is the next change. */
static void every_third_frame(void **state)
{
	(void)state;
	static uint8_t truth[7][100 * 50];
	struct vrs_matte_set set, reference;
	struct vrs_matte_score score;
	struct vrs_truth_sums sums;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_truth_file file = {.path = path, .width = 100, .height = 50, .frames = 7};
	const struct vrs_rect eyes[2] = {{0, 0, 800, 400}, {0, 0, 800, 400}};
	int mattes;
	vrs_matte_set_init(&set, 800, 400);
	vrs_matte_set_init(&reference, 800, 400);
	for (int f = 0; f < 7; f++) {
		for (int y = 0; y < 50; y++)
			memset(&truth[f][y * 100 + 10 * f], 255, 20);
		add(&reference, f, 100, eyes[0], 0.1 * f, 0.1 * f + 0.2);
		if (f % 3 == 0)
			add(&set, f / 3, 100, eyes[0], 0.1 * f, 0.1 * f + 0.2);
	}
	add(&set, 3, 100, eyes[0], 0, 1);
	vrs_matte_set_place(&set, 3, 0);
	assert_int_equal(vrs_file_replace(path, truth, sizeof truth, &err), VRS_OK);
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_int_equal(mattes, 3);
	assert_int_equal(sums.frame_size[0].score.pairs, 2);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_IOU_WORST) > 0.94); /* that of another frame is 0.33 at most */
	assert_int_equal(vrs_matte_set_compare(&set, &reference, &score), VRS_OK);
	assert_int_equal(score.frames, 3);
	assert_float_equal(score.iou, 1, 1e-9);
	vrs_matte_set_fini(&set);
	vrs_matte_set_fini(&reference);
}

/* A clip of 5 frames and every second one of it: 0 2 4, and from the beginning again; a change across that is none. */
static void every_second_frame_of_a_loop(void **state)
{
	(void)state;
	static uint8_t truth[5][100 * 50];
	static const int64_t frames[] = {0, 2, 4, 5, 7, 9, 10, 12, 14};
	struct vrs_matte_set set;
	struct vrs_truth_sums sums;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_truth_file file = {.path = path, .width = 100, .height = 50, .frames = 5, .loops = true};
	const struct vrs_rect eyes[2] = {{0, 0, 800, 400}, {0, 0, 800, 400}};
	int mattes;
	vrs_matte_set_init(&set, 800, 400);
	for (int f = 0; f < 5; f++)
		for (int y = 0; y < 50; y++)
			memset(&truth[f][y * 100 + 10 * f], 255, 20);
	for (int i = 0; i < 9; i++)
		add(&set, i, 100, eyes[0], 0.2 * (i % 3), 0.2 * (i % 3) + 0.2);
	vrs_matte_set_place(&set, 2, 5);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(set.entries[i].index, frames[i]);
		assert_int_equal(set.entries[i].number, i);
	}
	assert_int_equal(vrs_file_replace(path, truth, sizeof truth, &err), VRS_OK);
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_int_equal(mattes, 9);
	assert_int_equal(sums.frame_size[0].score.pairs, 6);
	assert_true(vrs_quality_figure(&sums, VRS_FIGURE_IOU_WORST) > 0.94);
	file.frames = 3; /* a clip that holds another one and two thirds: 0 2 1, 0 2 1 */
	assert_int_equal(vrs_file_replace(path, truth, 3 * sizeof truth[0], &err), VRS_OK);
	for (int i = 2; i < 9; i += 3)
		memcpy(set.entries[i].data, set.entries[i - 1].data, 100 * 100); /* of frame 2, where frame 1 is the truth */
	assert_int_equal(vrs_matte_set_score(&set, &file, eyes, 1, 1, NULL, &sums, &mattes, &err), VRS_OK);
	assert_int_equal(mattes, 9);
	assert_int_equal(sums.frame_size[0].score.pairs, 3); /* from 0 to 2 in each loop */
	assert_float_equal(vrs_quality_figure(&sums, VRS_FIGURE_IOU), (1 + 1 + 1 / 3.0) / 3, 0.02);
	vrs_matte_set_fini(&set);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "/tmp/vrs-test-matte-set-%d", (int)getpid());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_round_trip),
		cmocka_unit_test(same_and_shifted),
		cmocka_unit_test(other_sizes),
		cmocka_unit_test(across_the_seam),
		cmocka_unit_test(exact_truth),
		cmocka_unit_test(both_eyes_in_a_loop), cmocka_unit_test(every_third_frame),
		cmocka_unit_test(every_second_frame_of_a_loop),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
