/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the synth source: names, the layout that it tells, the same bytes every time and after a rewind, coverage that explains every pixel (outside
 * it the room, inside the person), both eyes shifted by a parallax, pictures that were changed in nobody's hands.
 */
#include "media.h"

#include "video/synth_scene.h"

static void names(void **state)
{
	static const char *const wrong[] = {"synth:3840", "synth:30x20", "synth:642x480", "synth:frames=-1", "synth:bits=9", "synth:people=5",
					    "synth:fisheye:400", "synth:cube", "synth:sbs,,mono", "synth:hequirectx"};
	struct vrs_synth_name name;
	struct vrs_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (vrs_synth_name_parse(&name, wrong[i], &err) != VRS_ECONFIG)
			fail_msg("%s was taken", wrong[i]);
	assert_int_equal(vrs_synth_name_parse(&name, "synth:", &err), VRS_OK);
	assert_true(name.width == 3840 && name.height == 1920 && name.stereo == VRS_STEREO_SBS && name.projection == VRS_PROJECTION_HEQUIRECT);
	assert_int_equal(vrs_synth_name_parse(&name, "synth:640x480,fps=25,frames=7", &err), VRS_OK);
	assert_true(name.stereo == VRS_STEREO_MONO && name.projection == VRS_PROJECTION_FLAT && name.fps == 25 && name.frames == 7);
	assert_int_equal(vrs_synth_name_parse(&name, "synth:640x640,bt,fisheye:190,people=2,bits=10,alpha", &err), VRS_OK);
	assert_true(name.stereo == VRS_STEREO_TB && name.right_eye_first && name.fov_degrees == 190);
	assert_true(name.play.people == 2 && name.bits == 10 && name.alpha);
	assert_int_equal(vrs_synth_name_parse(&name, "synth:2048x1024,equirect", &err), VRS_OK);
	assert_int_equal(name.stereo, VRS_STEREO_MONO);
}

static struct vrs_frame read_at(struct vrs_source *source, int64_t index)
{
	struct vrs_frame frame;

	do {
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		if (frame.index < index)
			vrs_frame_unref(&frame);
	} while (frame.index < index);
	assert_int_equal(frame.index, index);
	return frame;
}

static void the_same_every_time(void **state)
{
	static const char *const inputs[] = {"synth:512x256,frames=40,people=2", "synth:320x320,tb,bits=10,frames=40", "synth:512x256,frames=40,alpha"};

	(void)state;
	for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
		struct vrs_source *a = media_open(inputs[i]), *b = media_open(inputs[i]);
		struct vrs_frame late = read_at(a, 33), early, again;

		assert_int_equal(vrs_source_rewind(a, NULL), VRS_OK);
		early = read_at(a, 3);
		assert_int_equal(vrs_source_rewind(a, NULL), VRS_OK);
		again = read_at(b, 3); /* a fresh one, that has drawn less */
		media_assert_same(&early, &again);
		vrs_frame_unref(&early);
		vrs_frame_unref(&again);
		again = read_at(b, 33);
		media_assert_same(&late, &again);
		vrs_frame_unref(&late);
		vrs_frame_unref(&again);
		vrs_source_close(a);
		vrs_source_close(b);
	}
}

/* Where the coverage is 0 the picture is the one without people, where it is 255 it hardly depends on the room; people move. */
static void coverage_is_the_truth(void **state)
{
	struct vrs_source *with = media_open("synth:512x256,frames=60"), *room = media_open("synth:512x256,frames=60,people=0");
	struct vrs_source *truth = media_open("synth:512x256,frames=60,alpha");
	int64_t covered = 0;
	int left = 0, right = 0, count[2] = {0};

	(void)state;
	for (int index = 0; index < 60; index += 20) {
		struct vrs_frame w = read_at(with, index), r = read_at(room, index), t = read_at(truth, index);

		for (int y = 0; y < 256; y++)
			for (int x = 0; x < 512; x++) {
				unsigned cover = media_at(&t, 0, x, y);

				if (cover == 0)
					assert_int_equal(media_at(&w, 0, x, y), media_at(&r, 0, x, y));
				covered += cover == 255;
				if (index == 0 && cover > 127) {
					*(x < 256 ? &left : &right) += x % 256;
					count[x >= 256]++;
				}
			}
		vrs_frame_unref(&w);
		vrs_frame_unref(&r);
		vrs_frame_unref(&t);
	}
	assert_true(covered > 3 * 2 * 1500 && covered < 3 * 2 * 6000);
	/* the left eye sees what is near further to the right: 2.4 of 180 degrees are 3.4 samples, placed at even ones */
	double parallax = (double)left / count[0] - (double)right / count[1];
	assert_true(parallax >= 2 && parallax <= 6);
	vrs_source_close(with);
	vrs_source_close(room);
	vrs_source_close(truth);
}

static void start_and_duration(void **state)
{
	const struct vrs_source_options options = {.threads = 1, .start_seconds = 0.5, .duration_seconds = 0.2};
	struct vrs_source *whole = media_open("synth:128x64,frames=60"), *part;
	struct vrs_frame frame;

	(void)state;
	assert_int_equal(vrs_source_open(&part, "synth:128x64,frames=60", &options, NULL), VRS_OK);
	assert_int_equal(vrs_source_info(part)->frames, 6);
	for (int i = 0; i < 6; i++) {
		struct vrs_frame same = read_at(whole, 15 + i);

		assert_int_equal(vrs_source_read(part, &frame, NULL), VRS_OK);
		assert_int_equal(frame.pts, i);
		media_assert_same(&frame, &same);
		vrs_frame_unref(&frame);
		vrs_frame_unref(&same);
	}
	assert_int_equal(vrs_source_read(part, &frame, NULL), VRS_END);
	vrs_source_close(part);
	const struct vrs_source_options skip = {.threads = 1, .skip = 40};
	assert_int_equal(vrs_source_open(&part, "synth:128x64,frames=60", &skip, NULL), VRS_OK);
	assert_int_equal(vrs_source_read(part, &frame, NULL), VRS_OK);
	assert_int_equal(frame.pts, 40); /* the clock stays */
	assert_int_equal(frame.index, 0);
	vrs_frame_unref(&frame);
	vrs_source_close(part);
	vrs_source_close(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(the_same_every_time), cmocka_unit_test(coverage_is_the_truth), cmocka_unit_test(start_and_duration),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
