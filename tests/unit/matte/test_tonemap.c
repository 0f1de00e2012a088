/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards HDR as SDR and SDR colours in HDR: code values of colours and the EETF against an independent computation in double precision (matrices from
 * the chromaticities of BT.2020 and BT.709), the table against the exact formula over random colours, greys that stay grey and grow with the light,
 * pictures of odd sizes in every sampling, and code values that no proper film has.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/hdr_transfer.h"
#include "matte/tonemap.h"
#include "matte/yuv_color.h"

#define PQ 16
#define HLG 18

static struct vrs_picture_format format_of(int transfer, int depth, int width, int height, int shift_x, int shift_y)
{
	return (struct vrs_picture_format){.width = width, .height = height, .planes = 3, .chroma_shift_x = shift_x, .chroma_shift_y = shift_y,
		.bit_depth = depth, .matrix = VRS_MATRIX_BT2020, .range = VRS_RANGE_LIMITED, .primaries = 9, .transfer = transfer};
}

static void test_sdr_colors(void **state)
{
	static const struct {
		uint8_t rgb[3];
		int pq[3], hlg[3];
	} colors[] = {
		{{0, 255, 0}, {529, 424, 474}, {641, 328, 431}},
		{{255, 255, 255}, {573, 512, 512}, {721, 512, 512}}, /* PQ 58 %, HLG 75 %: BT.2408 */
		{{200, 30, 90}, {365, 512, 592}, {353, 500, 681}},
		{{0, 0, 0}, {64, 512, 512}, {64, 512, 512}},
	};
	struct vrs_picture_format pq = format_of(PQ, 10, 16, 16, 1, 1), hlg = format_of(HLG, 10, 16, 16, 1, 1), sdr = format_of(14, 10, 16, 16, 1, 1);
	(void)state;
	for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
		int yuv[3], plain[3];
		vrs_yuv_from_sdr(yuv, &pq, colors[i].rgb);
		for (int c = 0; c < 3; c++)
			assert_int_equal(yuv[c], colors[i].pq[c]);
		vrs_yuv_from_sdr(yuv, &hlg, colors[i].rgb);
		for (int c = 0; c < 3; c++)
			assert_int_equal(yuv[c], colors[i].hlg[c]);
		vrs_yuv_from_sdr(yuv, &sdr, colors[i].rgb);
		vrs_yuv_from_rgb(plain, &sdr, colors[i].rgb);
		assert_memory_equal(yuv, plain, sizeof yuv);
	}
}

static void test_eetf(void **state)
{
	static const double at1000[][2] = {{0, 0}, {1, 1}, {50, 50}, {100, 99.361}, {203, 159.042}, {500, 198.856}, {1000, 203}, {2000, 203}};
	static const double at4000[][2] = {{10, 10}, {50, 49.549}, {203, 127.934}, {1000, 193.696}, {4000, 203}};
	(void)state;
	for (size_t i = 0; i < sizeof at1000 / sizeof at1000[0]; i++)
		assert_true(fabs(vrs_tonemap_eetf(at1000[i][0], 1000) - at1000[i][1]) < 0.001 * fmax(at1000[i][1], 1));
	for (size_t i = 0; i < sizeof at4000 / sizeof at4000[0]; i++)
		assert_true(fabs(vrs_tonemap_eetf(at4000[i][0], 4000) - at4000[i][1]) < 0.001 * at4000[i][1]);
	assert_true(fabs(vrs_tonemap_eetf(150, VRS_SDR_WHITE_NITS) - 150) < 1e-9); /* nothing to roll off */
}

static void put(struct vrs_frame *frame, int p, int x, int y, int value)
{
	uint8_t *row = frame->data[p] + y * frame->stride_bytes[p];
	if (frame->format.bit_depth > 8)
		((uint16_t *)(void *)row)[x] = (uint16_t)value;
	else
		row[x] = (uint8_t)value;
}

static void make_pair(const struct vrs_picture_format *format, struct vrs_frame *src, struct vrs_frame *dst)
{
	struct vrs_picture_format target = vrs_tonemap_format(format);
	assert_int_equal(vrs_frame_alloc(src, format), VRS_OK);
	assert_int_equal(vrs_frame_alloc(dst, &target), VRS_OK);
}

/* Colours that a film of 1000 nits has, within BT.709, one a pixel. */
static void compare_with_formula(int transfer, int depth)
{
	struct vrs_picture_format format = format_of(transfer, depth, 128, 64, 0, 0), target = vrs_tonemap_format(&format);
	struct vrs_tonemap *tonemap = NULL;
	struct vrs_frame src, dst;
	struct vrs_rng rng;
	double sum = 0;
	int far = 0;
	make_pair(&format, &src, &dst);
	int (*expected)[3] = calloc(128 * 64, sizeof *expected);
	assert_non_null(expected);
	vrs_rng_init(&rng, 7);
	for (int i = 0; i < 128 * 64; i++) {
		double light[3], wide[3], code[3], sdr[3];
		double level = 1000 * pow(vrs_rng_unit(&rng), 3);
		int yuv[3];
		for (int c = 0; c < 3; c++)
			light[c] = level * vrs_rng_unit(&rng);
		vrs_bt2020_from_bt709(light, wide);
		vrs_hdr_code(&format, wide, code);
		vrs_yuv_from_share(yuv, &format, code);
		const double rounded[3] = {yuv[0], yuv[1], yuv[2]};
		vrs_yuv_to_share(code, &format, rounded);
		vrs_tonemap_color(&format, 1000, code, sdr);
		vrs_yuv_from_share(expected[i], &target, sdr);
		for (int c = 0; c < 3; c++)
			put(&src, c, i % 128, i / 128, yuv[c]);
	}
	assert_int_equal(vrs_tonemap_create(&tonemap, &format, 1000), VRS_OK);
	vrs_tonemap_run(tonemap, &dst, &src);
	for (int i = 0; i < 128 * 64; i++)
		for (int c = 0; c < 3; c++) {
			int d = abs(dst.data[c][dst.stride_bytes[c] * (i / 128) + i % 128] - expected[i][c]);
			sum += d;
			far += d > 2;
		}
	assert_true(sum / (3 * 128 * 64) < 0.3);
	assert_true(far < 3 * 128 * 64 / 50); /* of the purest colours, where one of R, G and B is next to nothing and SDR's gamma is steep */
	free(expected);
	vrs_tonemap_destroy(tonemap);
	vrs_frame_unref(&src);
	vrs_frame_unref(&dst);
}

static void test_table(void **state)
{
	(void)state;
	compare_with_formula(PQ, 10);
	compare_with_formula(PQ, 12);
	compare_with_formula(HLG, 10);
}

/* Of one colour, every sample of every plane is written, in any sampling, and chroma comes from its own luma. */
static void test_samplings(void **state)
{
	static const int shifts[][2] = {{0, 0}, {1, 0}, {1, 1}};
	static const int depths[] = {8, 10, 16};
	(void)state;
	for (size_t s = 0; s < 3; s++)
		for (size_t d = 0; d < 3; d++) {
			struct vrs_picture_format format = format_of(PQ, depths[d], 37, 23, shifts[s][0], shifts[s][1]);
			struct vrs_tonemap *tonemap = NULL;
			struct vrs_frame src, dst;
			make_pair(&format, &src, &dst);
			assert_int_equal(vrs_tonemap_create(&tonemap, &format, 1000), VRS_OK);
			int before = 0, unit = 1 << (depths[d] - 8);
			for (int luma = 16; luma <= 235; luma += 3) {
				for (int p = 0; p < 3; p++)
					for (int y = 0; y < vrs_plane_height(&format, p); y++)
						for (int x = 0; x < vrs_plane_width(&format, p); x++)
							put(&src, p, x, y, (p ? 128 : luma) * unit);
				vrs_tonemap_run(tonemap, &dst, &src);
				for (int p = 0; p < 3; p++)
					for (int y = 0; y < vrs_plane_height(&dst.format, p); y++)
						for (int x = 0; x < vrs_plane_width(&dst.format, p); x++)
							assert_int_equal(dst.data[p][dst.stride_bytes[p] * y + x], p ? 128 : dst.data[0][0]);
				assert_true(dst.data[0][0] >= before);
				before = dst.data[0][0];
			}
			assert_int_equal(before, 235); /* the top of PQ is above the peak: white */
			vrs_tonemap_destroy(tonemap);
			vrs_frame_unref(&src);
			vrs_frame_unref(&dst);
		}
}

/* Chroma at its limits and bits above the depth: any result, but one of 8 bits and no read outside of the table. */
static void test_hostile(void **state)
{
	struct vrs_picture_format format = format_of(HLG, 10, 4, 2, 1, 1), grey = format;
	struct vrs_tonemap *tonemap = NULL;
	struct vrs_frame src, dst;
	(void)state;
	make_pair(&format, &src, &dst);
	assert_int_equal(vrs_tonemap_create(&tonemap, &format, 1), VRS_OK); /* a peak below white is white */
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&format, p); y++)
			for (int x = 0; x < vrs_plane_width(&format, p); x++)
				put(&src, p, x, y, 0xffff);
	vrs_tonemap_run(tonemap, &dst, &src);
	vrs_tonemap_destroy(tonemap);
	vrs_frame_unref(&src);
	vrs_frame_unref(&dst);
	grey.planes = 1;
	assert_int_equal(vrs_tonemap_create(&tonemap, &grey, 1000), VRS_EINVAL);
	format.transfer = 1;
	assert_int_equal(vrs_tonemap_create(&tonemap, &format, 1000), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sdr_colors),
		cmocka_unit_test(test_eetf),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_samplings),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
