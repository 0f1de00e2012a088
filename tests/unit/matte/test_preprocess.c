/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the way from decoded planes to the network's input against a slow double-precision calculation: area averages with fractional edges, chroma
 * siting and sub-sampling, matrices, ranges, depths, odd sizes, channel order, and up-scaling of tiny pictures; and that samples above their depth,
 * as raw video may have them, are white and stay inside the histogram.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "matte/preprocess.h"
#include "matte/scale_axis.h"
#include "matte/yuv_color.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static int sample_at(const struct vrs_frame *frame, int p, int x, int y)
{
	int w = vrs_plane_width(&frame->format, p), h = vrs_plane_height(&frame->format, p);
	x = x < 0 ? 0 : x >= w ? w - 1 : x;
	y = y < 0 ? 0 : y >= h ? h - 1 : y;
	const uint8_t *row = frame->data[p] + frame->stride_bytes[p] * y;
	return frame->format.bit_depth > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

static void random_frame(struct vrs_frame *frame, struct vrs_rng *rng)
{
	for (int p = 0; p < frame->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&frame->format, p); x++) {
				uint64_t value = vrs_rng_below(rng, (uint64_t)1 << frame->format.bit_depth);
				uint8_t *row = frame->data[p] + frame->stride_bytes[p] * y;
				if (frame->format.bit_depth > 8)
					((uint16_t *)(void *)row)[x] = (uint16_t)value;
				else
					row[x] = (uint8_t)value;
			}
}

/* Weight of sample j in output [a, b): covered share, or linear interpolation when the output is smaller than a sample. */
static double weight(double a, double b, int j)
{
	if (b - a >= 1)
		return fmax(0, fmin(b, j + 1.0) - fmax(a, j)) / (b - a);
	return fmax(0, 1 - fabs((a + b) / 2 - (j + 0.5)));
}

static double scaled(const struct vrs_frame *frame, int p, const struct vrs_rect *rect, int width, int height, int ox, int oy)
{
	double sx = p ? 1 << frame->format.chroma_shift_x : 1, sy = p ? 1 << frame->format.chroma_shift_y : 1;
	double dx = p ? vrs_chroma_offset(&frame->format, 0) : 0, dy = p ? vrs_chroma_offset(&frame->format, 1) : 0;
	double ax = (rect->x + (double)rect->width * ox / width - dx) / sx, bx = (rect->x + (double)rect->width * (ox + 1) / width - dx) / sx;
	double ay = (rect->y + (double)rect->height * oy / height - dy) / sy, by = (rect->y + (double)rect->height * (oy + 1) / height - dy) / sy;
	double sum = 0;
	for (int y = (int)floor(ay) - 1; y <= (int)ceil(by) + 1; y++)
		for (int x = (int)floor(ax) - 1; x <= (int)ceil(bx) + 1; x++)
			sum += weight(ax, bx, x) * weight(ay, by, y) * sample_at(frame, p, x, y);
	return sum;
}

static void to_rgb(const struct vrs_picture_format *format, const double yuv[3], double rgb[3])
{
	static const double red_blue[3][2] = {{0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}};
	double kr = red_blue[format->matrix][0], kb = red_blue[format->matrix][1], unit = 1 << (format->bit_depth - 8);
	double top = (1 << format->bit_depth) - 1;
	bool full = format->range == VRS_RANGE_FULL;
	double y = full ? yuv[0] / top : (yuv[0] / unit - 16) / 219;
	double u = (yuv[1] - 128 * unit) / (full ? top : 224 * unit), v = (yuv[2] - 128 * unit) / (full ? top : 224 * unit);
	rgb[0] = y + 2 * (1 - kr) * v;
	rgb[2] = y + 2 * (1 - kb) * u;
	rgb[1] = (y - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
	for (int c = 0; c < 3; c++)
		rgb[c] = rgb[c] < 0 ? 0 : rgb[c] > 1 ? 1 : rgb[c];
}

/* Scaling and colour one after the other give the same bits. */
static void check_steps(struct vrs_preprocess *pre, const struct vrs_frame *frame, const float *want, int width, int height)
{
	size_t pixels = (size_t)width * (size_t)height;
	uint16_t *data = vrs_calloc(pixels * 3, sizeof *data);
	float *dst = vrs_calloc(pixels * 3, sizeof *dst);
	struct vrs_scene_signature once, twice;
	assert_true(data && dst);
	uint16_t *const planes[3] = {data, data + pixels, data + 2 * pixels};
	const uint16_t *const scaled[3] = {planes[0], planes[1], planes[2]};
	vrs_preprocess_run(pre, frame, dst, &once);
	vrs_preprocess_scale(pre, frame, planes);
	vrs_preprocess_color(pre, scaled, dst, &twice);
	assert_memory_equal(dst, want, pixels * 3 * sizeof *dst);
	assert_memory_equal(once.mean, twice.mean, sizeof once.mean);
	vrs_free(data);
	vrs_free(dst);
}

static void check(const struct vrs_picture_format *format, const struct vrs_rect *rect, int width, int height, bool bgr, struct vrs_rng *rng)
{
	struct vrs_frame frame;
	assert_int_equal(vrs_frame_alloc(&frame, format), VRS_OK);
	random_frame(&frame, rng);
	struct vrs_preprocess_options options = {.format = *format, .rect = *rect, .width = width, .height = height, .bgr = bgr,
		.mean = {0.1f, 0.2f, 0.3f}, .scale = {2.0f, 1.0f, 0.5f}};
	struct vrs_preprocess *pre;
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_OK);
	float *dst = vrs_calloc((size_t)width * (size_t)height * 3 + 1, sizeof *dst);
	assert_non_null(dst);
	dst[width * height * 3] = 12345.0f;
	vrs_preprocess_run(pre, &frame, dst, NULL);
	assert_true(dst[width * height * 3] == 12345.0f);
	check_steps(pre, &frame, dst, width, height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double yuv[3], rgb[3], neutral = 1 << (format->bit_depth - 1);
			for (int p = 0; p < 3; p++)
				yuv[p] = p && format->planes == 1 ? neutral : scaled(&frame, p, rect, width, height, x, y);
			to_rgb(format, yuv, rgb);
			for (int c = 0; c < 3; c++) {
				int from = bgr ? 2 - c : c;
				double want = (rgb[from] - (double)options.mean[from]) * (double)options.scale[from];
				/* weights have 14 bits and rows 15: together well below half an 8-bit step, times the scale of 2 */
				assert_true(fabs((double)dst[(y * width + x) * 3 + c] - want) < 0.004);
			}
		}
	vrs_free(dst);
	vrs_frame_unref(&frame);
}

static void test_against_double(void **state)
{
	(void)state;
	static const int depths[] = {8, 10, 12, 16};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 7);
	for (int i = 0; i < 120; i++) {
		struct vrs_picture_format format = {.width = 1 + (int)vrs_rng_below(&rng, 150), .height = 1 + (int)vrs_rng_below(&rng, 90),
			.planes = i % 11 == 0 ? 1 : 3, .bit_depth = depths[i % 4], .matrix = (enum vrs_matrix)(i % 3),
			.range = (enum vrs_range)(i / 3 % 2), .chroma_location = i % 7};
		format.chroma_shift_x = i % 5 == 0 ? 0 : i % 5 == 4 ? 2 : 1;
		format.chroma_shift_y = i % 3 == 0 ? 0 : 1;
		struct vrs_rect rect = {.width = 1 + (int)vrs_rng_below(&rng, (uint64_t)format.width),
			.height = 1 + (int)vrs_rng_below(&rng, (uint64_t)format.height)};
		rect.x = (int)vrs_rng_below(&rng, (uint64_t)(format.width - rect.width) + 1);
		rect.y = (int)vrs_rng_below(&rng, (uint64_t)(format.height - rect.height) + 1);
		check(&format, &rect, 1 + (int)vrs_rng_below(&rng, 33), 1 + (int)vrs_rng_below(&rng, 20), i % 2, &rng);
	}
}

static struct vrs_rect random_rect(struct vrs_rng *rng, const struct vrs_picture_format *format, int most_width, int most_height)
{
	struct vrs_rect rect = {.width = 1 + (int)vrs_rng_below(rng, (uint64_t)most_width), .height = 1 + (int)vrs_rng_below(rng, (uint64_t)most_height)};
	rect.x = (int)vrs_rng_below(rng, (uint64_t)(format->width - rect.width) + 1);
	rect.y = (int)vrs_rng_below(rng, (uint64_t)(format->height - rect.height) + 1);
	return rect;
}

/* A part that comes later gives the bits of one that was there from the beginning, at every place, size and depth. */
static void test_place(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 11);
	for (int i = 0; i < 60; i++) {
		struct vrs_picture_format format = {.width = 40 + (int)vrs_rng_below(&rng, 150), .height = 30 + (int)vrs_rng_below(&rng, 90), .planes = 3,
			.chroma_shift_x = 1, .chroma_shift_y = i % 3 != 0, .bit_depth = i % 2 ? 10 : 8, .chroma_location = i % 7};
		struct vrs_preprocess_options options = {.format = format, .rect = random_rect(&rng, &format, format.width, format.height),
			.width = 1 + (int)vrs_rng_below(&rng, 40), .height = 1 + (int)vrs_rng_below(&rng, 20), .scale = {1, 1, 1}};
		size_t count = (size_t)options.width * (size_t)options.height * 3;
		struct vrs_preprocess *moved, *fresh;
		struct vrs_frame frame;
		float *a = vrs_calloc(count, sizeof *a), *b = vrs_calloc(count, sizeof *b);
		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		random_frame(&frame, &rng);
		assert_int_equal(vrs_preprocess_create(&moved, &arena, &options), VRS_OK);
		int most_width = options.rect.width, most_height = options.rect.height;
		for (int k = 0; k < 8; k++) {
			options.rect = random_rect(&rng, &format, most_width, most_height);
			assert_int_equal(vrs_preprocess_place(moved, &options.rect), VRS_OK);
			assert_int_equal(vrs_preprocess_create(&fresh, &arena, &options), VRS_OK);
			vrs_preprocess_run(moved, &frame, a, NULL);
			vrs_preprocess_run(fresh, &frame, b, NULL);
			assert_memory_equal(a, b, count * sizeof *a);
		}
		struct vrs_rect larger = {.width = most_width + 1, .height = most_height}, outside = {.x = -1, .width = 1, .height = 1};
		assert_int_equal(vrs_preprocess_place(moved, &larger), VRS_EINVAL);
		assert_int_equal(vrs_preprocess_place(moved, &outside), VRS_EINVAL);
		vrs_frame_unref(&frame);
		vrs_free(a);
		vrs_free(b);
	}
}

static void test_axis(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < 500; i++) {
		int size = 1 + (int)vrs_rng_below(&rng, 5000), n = 1 + (int)vrs_rng_below(&rng, 600);
		double from = vrs_rng_unit(&rng) * size / 2, to = from + 0.01 + vrs_rng_unit(&rng) * size / 2;
		struct vrs_scale_axis axis;
		assert_int_equal(vrs_scale_axis_init(&axis, &arena, size, from, to, n, 8), VRS_OK);
		assert_int_equal(axis.taps % 8, 0);
		for (int x = 0; x < n; x++) {
			int sum = 0;
			assert_true(axis.used[x] >= 1 && axis.used[x] <= axis.taps);
			assert_true(axis.first[x] >= 0 && axis.first[x] + axis.used[x] <= size);
			for (int t = 0; t < axis.taps; t++) {
				int w = axis.weights[(ptrdiff_t)x * axis.taps + t];
				assert_true(w >= 0 && (t < axis.used[x] || w == 0));
				sum += w;
			}
			assert_int_equal(sum, 1 << 14);
		}
	}
	struct vrs_scale_axis axis;
	assert_int_equal(vrs_scale_axis_init(&axis, &arena, 0, 0, 1, 1, 1), VRS_EINVAL);
	assert_int_equal(vrs_scale_axis_init(&axis, &arena, 10, 5, 5, 1, 1), VRS_EINVAL);
	assert_int_equal(vrs_scale_axis_init(&axis, &arena, 10, 0, 10, 0, 1), VRS_EINVAL);
	assert_int_equal(vrs_scale_axis_init(&axis, &arena, 10, 0, NAN, 4, 1), VRS_EINVAL);
}

static void test_color_codes(void **state)
{
	(void)state;
	struct vrs_picture_format format = {.width = 2, .height = 2, .planes = 3, .bit_depth = 8, .matrix = VRS_MATRIX_BT709};
	int yuv[3];
	/* ITU-R BT.709 and BT.601 narrow range values of pure green */
	vrs_yuv_from_rgb(yuv, &format, (const uint8_t[3]){0, 255, 0});
	assert_int_equal(yuv[0], 173);
	assert_int_equal(yuv[1], 42);
	assert_int_equal(yuv[2], 26);
	format.matrix = VRS_MATRIX_BT601;
	vrs_yuv_from_rgb(yuv, &format, (const uint8_t[3]){0, 255, 0});
	assert_int_equal(yuv[0], 145);
	assert_int_equal(yuv[1], 54);
	assert_int_equal(yuv[2], 34);
	format.bit_depth = 10;
	assert_int_equal(vrs_luma_from_grey(&format, 0), 64);
	assert_int_equal(vrs_luma_from_grey(&format, 255), 940);
	format.range = VRS_RANGE_FULL;
	assert_int_equal(vrs_luma_from_grey(&format, 0), 0);
	assert_int_equal(vrs_luma_from_grey(&format, 255), 1023);
}

/* Places by hand (H.273, figure of chroma sample locations), since the slow calculation above takes them from the code under test. */
static void test_chroma_places(void **state)
{
	(void)state;
	/* for each AVChromaLocation: x, y for 4:2:0 */
	static const double want[7][2] = {{-0.5, 0}, {-0.5, 0}, {0, 0}, {-0.5, -0.5}, {0, -0.5}, {-0.5, 0.5}, {0, 0.5}};
	struct vrs_picture_format format = {.width = 8, .height = 8, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};
	for (int i = 0; i < 7; i++) {
		format.chroma_location = i;
		assert_true(vrs_chroma_offset(&format, 0) == want[i][0]);
		assert_true(vrs_chroma_offset(&format, 1) == want[i][1]);
	}
	/* one sample for four, at the place of the first: its four samples are centred 1.5 to the right; without sub-sampling nothing moves */
	format.chroma_location = 1;
	format.chroma_shift_x = 2;
	assert_true(vrs_chroma_offset(&format, 0) == -1.5);
	format.chroma_shift_x = format.chroma_shift_y = 0;
	assert_true(vrs_chroma_offset(&format, 0) == 0 && vrs_chroma_offset(&format, 1) == 0);
}

/* A signature and what lies behind it in memory. */
struct watched {
	struct vrs_scene_signature signature;
	uint32_t behind[64];
};

static void check_white(const struct watched *watched)
{
	for (int i = 0; i < VRS_SCENE_BINS; i++)
		assert_true(watched->signature.histogram[i] == (i == VRS_SCENE_BINS - 1 ? 1 : 0));
	for (int i = 0; i < 64; i++)
		assert_int_equal(watched->behind[i], 0);
}

static void test_above_depth(void **state)
{
	(void)state;
	static const int depths[] = {9, 10, 12, 14, 16};
	uint8_t luma[40 * 30];
	uint16_t row[40];
	float dst[3 * 40 * 30];
	struct watched watched = {0};
	memset(row, 0xff, sizeof row);
	vrs_scene_signature_begin(&watched.signature);
	vrs_scene_signature_row(&watched.signature, row, 0, 40, 1);
	vrs_scene_signature_end(&watched.signature);
	check_white(&watched);
	for (int d = 0; d < 5; d++) {
		struct vrs_preprocess_options options = {.format = {.width = 80, .height = 60, .planes = 1, .bit_depth = depths[d], .range = VRS_RANGE_FULL},
			.rect = {.width = 80, .height = 60}, .width = 40, .height = 30, .scale = {1, 1, 1}};
		struct vrs_preprocess *pre;
		struct vrs_frame frame;
		assert_int_equal(vrs_frame_alloc(&frame, &options.format), VRS_OK);
		for (int y = 0; y < 60; y++)
			memset(frame.data[0] + frame.stride_bytes[0] * y, 0xff, 160);
		assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_OK);
		vrs_preprocess_keep_luma(pre, luma);
		vrs_preprocess_run(pre, &frame, dst, &watched.signature);
		check_white(&watched);
		for (int i = 0; i < 40 * 30; i++)
			assert_true(luma[i] == 255 && dst[3 * i] > 0.999f);
		vrs_frame_unref(&frame);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_preprocess *pre = NULL;
	struct vrs_preprocess_options options = {.format = {.width = 64, .height = 48, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
		.bit_depth = 8}, .rect = {.x = 1, .width = 64, .height = 48}, .width = 16, .height = 16};
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_EINVAL);
	options.rect = (struct vrs_rect){.x = 0, .y = -1, .width = 8, .height = 8};
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_EINVAL);
	options.rect = (struct vrs_rect){.x = 0, .y = 0, .width = 8, .height = 8};
	options.format.bit_depth = 7;
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_EINVAL);
	options.format.bit_depth = 8;
	for (uint64_t n = 1; n < 20; n++) {
		uint64_t before = vrs_mem_stats().live_bytes;
		struct vrs_arena own = {0};
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_preprocess_create(&pre, &own, &options);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_arena_free(&own);
		assert_int_equal(vrs_mem_stats().live_bytes, before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_axis),
		cmocka_unit_test(test_color_codes),
		cmocka_unit_test(test_chroma_places),
		cmocka_unit_test(test_against_double),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_above_depth),
		cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests_name("preprocess", tests, NULL, free_arena);
}
