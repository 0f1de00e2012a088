/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards --verify-pack: a film packed as meant passes, in both colours; shifted tiles, swapped eyes, mattes of other frames, missing frames and other
 * sizes fail, with a reason that names what is wrong; a stop ends the comparison, and so does a matte that could not be kept.  The table of the
 * decoder is checked against the discs of the packer's form.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/pack_check.h>

#include "base/mem.h"
#include "base/stop.h"
#include "compose/pack_step.h"
#include "job/packed_video.h"
#include "video/sink.h"

#include "scratch_folder.h"

#define HEIGHT 320
#define FRAMES 3

enum damage { NONE, SHIFTED_RIGHT, SHIFTED_UP, SWAPPED, WRONG_MATTES, MISSING, SMALLER, STOPPED };

static void table_is_the_discs(void **state)
{
	(void)state;
	for (int eye = 0; eye < 2; eye++)
		for (double v = 0.01; v < 1; v += 0.0173)
			for (double u = 0.01; u < 1; u += 0.0191) {
				double x, y, dx = (u - 0.5) * 0.4 / 2 + (eye ? 0 : 0.5), dy = (v - 0.5) * 0.4;
				vrs_alpha_unpack_place(eye, u, v, &x, &y);
				assert_true(fabs(x - (dx < 0 ? dx + 1 : dx)) < 1e-12);
				assert_true(fabs(y - (dy < 0 ? dy + 1 : dy)) < 1e-12);
			}
}

/* Somebody tall who walks; each eye sees the person elsewhere. */
static void draw_person(struct vrs_matte *matte, int frame, int eye)
{
	for (int y = 0; y < matte->height; y++)
		for (int x = 0; x < matte->width; x++) {
			double dx = (x - 24.0 - 5 * frame - 9 * eye) / 9, dy = (y - 32.0) / 24, d = dx * dx + dy * dy;
			matte->data[matte->stride * y + x] = (uint8_t)(d < 0.9 ? 255 : d < 1.1 ? (1.1 - d) / 0.2 * 255 : 0);
		}
}

/* Every sample of a plane moved by (dx, dy) luma samples, around the frame. */
static void move(struct vrs_frame *frame, int dx, int dy)
{
	struct vrs_frame copy;
	assert_int_equal(vrs_frame_alloc(&copy, &frame->format), VRS_OK);
	for (int p = 0; p < 3; p++) {
		int w = vrs_plane_width(&frame->format, p), h = vrs_plane_height(&frame->format, p), half = p ? 2 : 1;
		for (int y = 0; y < h; y++)
			memcpy(copy.data[p] + copy.stride_bytes[p] * y, frame->data[p] + frame->stride_bytes[p] * y, (size_t)w);
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				frame->data[p][frame->stride_bytes[p] * ((y + dy / half + h) % h) + (x + dx / half + w) % w] =
					copy.data[p][copy.stride_bytes[p] * y + x];
	}
	vrs_frame_unref(&copy);
}

static struct vrs_pack_result check(int color, enum damage damage)
{
	struct vrs_settings settings = {0};
	struct vrs_error err = {0};
	struct vrs_job_info info = {.width = 2 * HEIGHT, .height = HEIGHT, .eyes = 2, .output_width = 2 * HEIGHT, .output_height = HEIGHT,
		.layout = {.stereo = VRS_STEREO_SBS, .projection = VRS_PROJECTION_HEQUIRECT, .fov_degrees = 180, .pixel_aspect = 1}};
	struct vrs_picture_format format = {.width = 2 * HEIGHT, .height = HEIGHT, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1,
		.matrix = VRS_MATRIX_BT709, .primaries = 2, .transfer = 2, .chroma_location = 1};
	uint8_t pixels[2][64 * 64];
	struct vrs_matte mattes[2];
	const struct vrs_rect views[2] = {{80, 70, 150, 190}, {HEIGHT + 80, 70, 150, 190}};
	struct vrs_pack_check *pack_check;
	struct vrs_alpha_pack *pack;
	struct vrs_sink *sink;
	struct vrs_frame src, dst;
	struct vrs_pack_result result;

	settings.output.mode = VRS_MODE_ALPHA;
	settings.output.alpha_color = color;
	snprintf(settings.output.file, sizeof settings.output.file, "film_FISHEYE180_alpha.mkv");
	assert_int_equal(vrs_pack_step_create(&pack, &settings, &format, &info.layout, &err), VRS_OK);
	if (vrs_pack_check_create(&pack_check, &settings, &err) || vrs_pack_check_attach(pack_check, &info, &err))
		fail_msg("%s", err.text);
	struct vrs_sink_options options = {.encoder = "ffv1", .crf = -1, .threads = 1, .overwrite = true, .format = *vrs_alpha_pack_format(pack),
		.fps_num = 25, .fps_den = 1, .time_base_num = 1, .time_base_den = 25, .sar_num = 1, .sar_den = 1};
	options.format.height -= damage == SMALLER ? 2 : 0;
	if (vrs_sink_open(&sink, settings.output.file, &options, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(vrs_frame_alloc(&src, &format), VRS_OK);
	for (int p = 0; p < 3; p++)
		memset(src.data[p], 100, (size_t)(src.stride_bytes[p] * vrs_plane_height(&format, p)));
	for (int frame = 0; frame < FRAMES; frame++) {
		for (int eye = 0; eye < 2; eye++) {
			mattes[eye] = (struct vrs_matte){.width = 64, .height = 64, .stride = 64, .data = pixels[eye]};
			draw_person(&mattes[eye], frame, eye);
			vrs_pack_check_add(pack_check, frame, eye, &mattes[eye], &views[eye]);
		}
		for (int eye = 0; eye < 2 && damage == SWAPPED; eye++)
			draw_person(&mattes[eye], frame, !eye);
		for (int eye = 0; eye < 2 && damage == WRONG_MATTES; eye++)
			memset(pixels[eye], 0, 32 * 64); /* no upper half */
		assert_int_equal(vrs_frame_alloc(&dst, vrs_alpha_pack_format(pack)), VRS_OK);
		vrs_alpha_pack_run(pack, &dst, &src, mattes, views);
		if (damage == SHIFTED_RIGHT || damage == SHIFTED_UP)
			move(&dst, damage == SHIFTED_RIGHT ? 2 : 0, damage == SHIFTED_UP ? -4 : 0);
		dst.format = options.format;
		dst.pts = dst.index = frame;
		if (damage == MISSING && frame == FRAMES - 1)
			vrs_frame_unref(&dst);
		else
			assert_int_equal(vrs_sink_write(sink, &dst, &err), VRS_OK);
	}
	assert_int_equal(vrs_sink_finish(sink, &err), VRS_OK);
	vrs_sink_close(sink);
	if (damage == STOPPED)
		vrs_stop_request();
	if (vrs_pack_check_run(pack_check, settings.output.file, &result, &err) != (damage == STOPPED ? VRS_ESTOPPED : VRS_OK))
		fail_msg("%s", err.text);
	vrs_stop_reset();
	vrs_pack_check_close(pack_check);
	vrs_alpha_pack_destroy(pack);
	vrs_frame_unref(&src);
	assert_int_equal(unlink(settings.output.file), 0);
	print_message("IoU %.4f %.4f MAD %.4f %s\n", result.iou[0].mean, result.iou[1].mean, result.mad[0].mean, result.reason);
	return result;
}

static void good_films_pass(void **state)
{
	(void)state;
	struct vrs_pack_result grey = check(VRS_ALPHA_GREY, NONE), red = check(VRS_ALPHA_RED, NONE);
	assert_true(grey.passed && red.passed);
	assert_int_equal(grey.frames, FRAMES);
	for (int eye = 0; eye < 2; eye++) {
		assert_true(grey.iou[eye].mean > 0.97 && grey.mad[eye].mean < 0.003);
		assert_true(red.iou[eye].mean > 0.92);
	}
	assert_int_equal(scratch_folder_leave("pack_check"), 0); /* nothing is left beside the film */
	assert_int_equal(scratch_folder_enter("pack_check"), 0);
}

static void bad_films_fail(void **state)
{
	(void)state;
	static const struct {
		enum damage damage;
		const char *word;
	} cases[] = {
		{SHIFTED_RIGHT, "2 pixels to the right and 0 down"}, {SHIFTED_UP, "0 pixels to the right and 4 up"}, {SWAPPED, "swapped"},
		{WRONG_MATTES, "mattes differ"}, {MISSING, "fewer frames than the 3"}, {SMALLER, "640x318 pixels, 640x320 were packed"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_pack_result result = check(VRS_ALPHA_GREY, cases[i].damage);
		assert_false(result.passed);
		if (!strstr(result.reason, cases[i].word))
			fail_msg("\"%s\" does not say \"%s\"", result.reason, cases[i].word);
	}
}

static void a_stop_ends_it(void **state)
{
	(void)state;
	struct vrs_pack_result result = check(VRS_ALPHA_GREY, STOPPED);
	assert_false(result.passed);
	assert_int_equal(result.frames, 0);
}

/* A matte that could not be kept is told at the end, also to a caller who wants no text. */
static void lack_of_memory_is_told(void **state)
{
	struct vrs_settings settings = {0};
	struct vrs_job_info info = {.width = 2 * HEIGHT, .height = HEIGHT, .eyes = 2, .output_width = 2 * HEIGHT, .output_height = HEIGHT,
		.layout = {.stereo = VRS_STEREO_SBS, .projection = VRS_PROJECTION_HEQUIRECT, .fov_degrees = 180, .pixel_aspect = 1}};
	uint8_t pixels[64 * 64] = {0};
	const struct vrs_matte matte = {.width = 64, .height = 64, .stride = 64, .data = pixels};
	const struct vrs_rect view = {80, 70, 150, 190};
	struct vrs_pack_check *pack_check;
	struct vrs_pack_result result;
	struct vrs_error err = {0};

	(void)state;
	settings.output.mode = VRS_MODE_ALPHA;
	snprintf(settings.output.file, sizeof settings.output.file, "film_FISHEYE180_alpha.mkv");
	assert_int_equal(vrs_pack_check_create(&pack_check, &settings, NULL), VRS_OK);
	assert_int_equal(vrs_pack_check_attach(pack_check, &info, NULL), VRS_OK);
	vrs_mem_fail_after(1, false);
	vrs_pack_check_add(pack_check, 0, 0, &matte, &view);
	vrs_mem_fail_after(0, false);
	assert_int_equal(vrs_pack_check_run(pack_check, settings.output.file, &result, NULL), VRS_ENOMEM);
	assert_int_equal(vrs_pack_check_run(pack_check, settings.output.file, &result, &err), VRS_ENOMEM);
	assert_non_null(strstr(err.text, "out of memory"));
	vrs_pack_check_close(pack_check);
}

static void refusals(void **state)
{
	(void)state;
	static const char *const targets[] = {"null:", "-", "y4m:-", "hash:h.txt", "/dev/null", "udp://127.0.0.1:9"};
	struct vrs_pack_check *pack_check = NULL;
	struct vrs_settings settings = {0};
	struct vrs_error err = {0};
	settings.output.mode = VRS_MODE_ALPHA;
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
		snprintf(settings.output.file, sizeof settings.output.file, "%s", targets[i]);
		assert_int_equal(vrs_pack_check_create(&pack_check, &settings, &err), VRS_ECONFIG);
		assert_null(pack_check);
	}
	vrs_pack_check_close(NULL);
}

static int setup(void **state)
{
	(void)state;
	return scratch_folder_enter("pack_check");
}

static int teardown(void **state)
{
	(void)state;
	return scratch_folder_leave("pack_check");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_the_discs),
		cmocka_unit_test(good_films_pass),
		cmocka_unit_test(bad_films_fail),
		cmocka_unit_test(a_stop_ends_it),
		cmocka_unit_test(lack_of_memory_is_told),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests_name("pack_check", tests, setup, teardown);
}
