/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards scenes of the synth source: words of their names, the same bytes whatever was drawn before, coverage that leaves the room alone where it is
 * 0, parallax and size by distance, people who hide each other, enter late and change at cuts, in every projection and layout.
 */
#include "media.h"

#include <math.h>

#include "video/synth_scene.h"

static void names(void **state)
{
	static const char *const wrong[] = {"synth:scene=", "synth:scene=dance", "synth:scene=meet+", "synth:scene=+light", "synth:people=7,scene=meet",
					    "synth:people=5", "synth:seed=-1", "synth:scene=meet,seed=x"};
	struct vrs_synth_name name;
	struct vrs_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (vrs_synth_name_parse(&name, wrong[i], &err) != VRS_ECONFIG)
			fail_msg("%s was taken", wrong[i]);
	assert_int_equal(vrs_synth_name_parse(&name, "synth:scene=meet+light+hair,people=6,seed=12", &err), VRS_OK);
	assert_int_equal(name.play.kind, VRS_SYNTH_SCENE_MEET);
	assert_int_equal(name.play.extras, VRS_SYNTH_WITH_LIGHT | VRS_SYNTH_WITH_HAIR);
	assert_true(name.play.people == 6 && name.play.seed == 12);
	assert_int_equal(vrs_synth_name_parse(&name, "synth:scene=cut", &err), VRS_OK);
	assert_int_equal(name.play.kind, VRS_SYNTH_SCENE_STAND);
}

static struct vrs_frame frame_of(const char *name, int64_t index)
{
	const struct vrs_source_options options = {.threads = 1, .skip = index};
	struct vrs_source *source;
	struct vrs_frame frame, copy;

	assert_int_equal(vrs_source_open(&source, name, &options, NULL), VRS_OK);
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&copy, &frame.format), VRS_OK);
	for (int p = 0; p < frame.format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame.format, p); y++)
			memcpy(copy.data[p] + y * copy.stride_bytes[p], frame.data[p] + y * frame.stride_bytes[p],
			       (size_t)(vrs_plane_width(&frame.format, p) * vrs_sample_bytes(&frame.format)));
	vrs_frame_unref(&frame);
	vrs_source_close(source);
	return copy;
}

static void the_same_every_time(void **state)
{
	static const char *const inputs[] = {"synth:256x128,scene=meet+pan+light+hair,people=3", "synth:256x128,scene=enter+cut,people=2,alpha",
					     "synth:128x96,mono,flat,scene=far,people=2,bits=10"};

	(void)state;
	for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
		struct vrs_source *source = media_open(inputs[i]);
		for (int64_t index = 0; index < 60; index++) {
			struct vrs_frame frame, alone;
			assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
			if (index % 22 == 0) {
				alone = frame_of(inputs[i], index);
				media_assert_same(&frame, &alone);
				vrs_frame_unref(&alone);
			}
			vrs_frame_unref(&frame);
		}
		vrs_source_close(source);
	}
}

/* Samples of an eye that people cover, and the middle of their columns. */
struct seen {
	double area, column;
};

static struct seen look_at(const char *name, int64_t index, int x0, int width, int height)
{
	struct vrs_frame truth = frame_of(name, index);
	struct seen seen = {0};

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double cover = media_at(&truth, 0, x0 + x, y) / 255.0;
			seen.area += cover;
			seen.column += cover * x;
		}
	seen.column = seen.area > 0 ? seen.column / seen.area : 0;
	vrs_frame_unref(&truth);
	return seen;
}

/* In every projection and layout: the room where nobody is, and people of a plausible size. */
static void coverage_is_the_truth(void **state)
{
	static const char *const forms[] = {"256x256,mono,flat", "512x256,sbs", "256x512,tb", "512x256,mono,equirect", "256x256,mono,fisheye:190",
					    "512x256,rl,fisheye"};
	char name[128];

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		long none = 0, partly = 0, all = 0;
		snprintf(name, sizeof name, "synth:%s,scene=stand,people=2", forms[i]);
		struct vrs_frame with = frame_of(name, 7);
		snprintf(name, sizeof name, "synth:%s,scene=stand,people=2,alpha", forms[i]);
		struct vrs_frame truth = frame_of(name, 7);
		snprintf(name, sizeof name, "synth:%s,scene=stand,people=0", forms[i]);
		struct vrs_frame room = frame_of(name, 7);
		for (int y = 0; y < with.format.height; y++)
			for (int x = 0; x < with.format.width; x++) {
				unsigned cover = media_at(&truth, 0, x, y);
				if (cover == 0)
					assert_int_equal(media_at(&with, 0, x, y), media_at(&room, 0, x, y));
				*(cover == 0 ? &none : cover == 255 ? &all : &partly) += 1;
			}
		if (all < 500 || partly < 100 || partly > all || none < all)
			fail_msg("%s: %ld samples without people, %ld with a part, %ld whole", forms[i], none, partly, all);
		vrs_frame_unref(&with);
		vrs_frame_unref(&truth);
		vrs_frame_unref(&room);
	}
}

/* One person at 1.4 m: eyes 6.4 cm apart see them 2.6 degrees apart. */
static void distance_decides_parallax(void **state)
{
	(void)state;
	const char vr[] = "synth:1024x512,sbs,scene=stand,people=1,alpha";
	struct seen left = look_at(vr, 0, 0, 512, 512), right = look_at(vr, 0, 512, 512, 512);
	double degrees = (left.column - right.column) * 180 / 512;
	assert_true(degrees > 2.2 && degrees < 3.2); /* arms are nearer */
	assert_true(fabs(left.area / right.area - 1) < 0.05);
	const char around[] = "synth:1024x1024,tb,equirect,scene=stand,people=1,alpha";
	left = look_at(around, 0, 0, 1024, 512);
	struct vrs_frame truth = frame_of(around, 0);
	double column = 0, area = 0;
	for (int y = 512; y < 1024; y++)
		for (int x = 0; x < 1024; x++) {
			area += media_at(&truth, 0, x, y);
			column += (double)media_at(&truth, 0, x, y) * x;
		}
	vrs_frame_unref(&truth);
	degrees = (left.column - column / area) * 360 / 1024;
	assert_true(degrees > 2.2 && degrees < 3.2);
}

/* Nearer people are larger, those who cross hide each other, and the late are not there at first. */
static void people_come_and_go(void **state)
{
	(void)state;
	const char meet[] = "synth:256x256,mono,hequirect,scene=meet,people=2,alpha", enter[] = "synth:256x256,mono,hequirect,scene=enter,people=2,alpha";
	double most = 0, least = 1e9;
	for (int64_t index = 0; index < 180; index += 9) {
		double area = look_at(meet, index, 0, 256, 256).area;
		most = fmax(most, area);
		least = fmin(least, area);
	}
	assert_true(least > 300 && least < 0.85 * most);
	double alone = look_at(enter, 3, 0, 256, 256).area, both = look_at(enter, 90, 0, 256, 256).area, after = look_at(enter, 210, 0, 256, 256).area;
	assert_true(alone > 300 && both > 1.4 * alone && after < 1.2 * alone);
}

/* At a cut the room is another one. */
static void cuts_change_everything(void **state)
{
	(void)state;
	const char name[] = "synth:128x128,mono,hequirect,scene=cut,people=1";
	struct vrs_frame frames[3];
	double change[2] = {0};
	for (int i = 0; i < 3; i++)
		frames[i] = frame_of(name, 43 + i);
	for (int i = 0; i < 2; i++)
		for (int y = 0; y < 128; y++)
			for (int x = 0; x < 128; x++)
				change[i] += fabs((double)media_at(&frames[i], 0, x, y) - media_at(&frames[i + 1], 0, x, y)) / (128 * 128);
	if (change[0] > 1 || change[1] < 5)
		fail_msg("the pictures change by %.2f within a part and by %.2f at the cut", change[0], change[1]);
	for (int i = 0; i < 3; i++)
		vrs_frame_unref(&frames[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(the_same_every_time), cmocka_unit_test(coverage_is_the_truth),
		cmocka_unit_test(distance_decides_parallax), cmocka_unit_test(people_come_and_go), cmocka_unit_test(cuts_change_everything),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
