/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards network input made on the device against vrs_preprocess_run: scaled luma has the same bits, colours are within a millionth of their range;
 * 8, 10 and 16 bits, planar, NV12 and P010, 4:2:0, 4:2:2, 4:4:4 and grey, odd parts at borders and beside the other eye, parts across the seam of a
 * circle, larger and smaller than the input, any batch entry and no other, samples above their depth; and that tables which lead outside are refused.
 */
#include <math.h>

#include "unit/opencl/frame_check.h"

#include "matte/preprocess.h"

static struct vrs_arena arena;
static struct vrs_ocl_context *context;
static int only = -1; /* the one case to run; -1: all */

struct scale_case {
	struct vrs_picture_format format;
	bool interleaved;
	int low_bits;
	struct vrs_rect part, eye; /* eye of width 0: the picture */
	int width, height;
	bool bgr;
	bool above;                /* samples use all 16 bits, as raw video may */
};

#define YUV(w, h, depth, sx, sy) {.width = w, .height = h, .planes = 3, .bit_depth = depth, .chroma_shift_x = sx, .chroma_shift_y = sy, \
	.matrix = VRS_MATRIX_BT709}
#define GREY(w, h, depth) {.width = w, .height = h, .planes = 1, .bit_depth = depth}

static const struct scale_case cases[] = {
	{YUV(64, 48, 8, 1, 1), false, 0, {0, 0, 64, 48}, {0}, 32, 24, false, false},
	{YUV(64, 48, 8, 1, 1), true, 0, {0, 0, 64, 48}, {0}, 32, 24, true, false},
	{YUV(301, 177, 8, 1, 1), false, 0, {0, 0, 301, 177}, {0}, 31, 17, false, false},
	{YUV(301, 177, 8, 1, 1), true, 0, {37, 21, 201, 101}, {0}, 16, 9, false, false},
	{YUV(302, 177, 10, 1, 1), false, 0, {150, 60, 152, 117}, {150, 0, 152, 177}, 40, 30, true, false},
	{YUV(302, 177, 10, 1, 1), true, 6, {0, 3, 140, 99}, {0, 0, 150, 177}, 24, 24, false, false},
	{YUV(99, 55, 10, 1, 0), false, 0, {1, 1, 97, 53}, {0}, 20, 60, false, false},
	{YUV(99, 55, 16, 0, 0), false, 0, {3, 5, 17, 11}, {0}, 64, 64, false, false},
	{YUV(40, 30, 8, 2, 2), false, 0, {8, 4, 20, 20}, {0}, 7, 5, false, false},
	{GREY(81, 65, 8), false, 0, {0, 0, 81, 65}, {0}, 27, 13, false, false},
	{GREY(81, 65, 12), false, 0, {40, 30, 41, 35}, {0}, 1, 1, false, false},
	{{.width = 256, .height = 64, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1, .circle = 128}, false, 0,
	 {90, 4, 80, 60}, {0}, 21, 19, false, false},
	{{.width = 256, .height = 64, .planes = 3, .bit_depth = 10, .chroma_shift_x = 1, .chroma_shift_y = 1, .circle = 128}, true, 6,
	 {254, 0, 128, 64}, {0}, 30, 20, false, false},
	{YUV(64, 48, 10, 1, 1), false, 0, {1, 1, 63, 46}, {0}, 31, 24, false, true},
	{YUV(64, 48, 16, 1, 1), false, 0, {0, 0, 64, 48}, {0}, 32, 24, false, true},
};

static const float mean[3] = {0.485f, 0.456f, 0.406f}, scale[3] = {4.367f, 4.464f, 4.444f};

/* Float bits that no sample becomes: entries beside the batch keep them. */
#define UNTOUCHED 1234.5f

/* Half of the samples have all bits. */
static void use_all_bits(struct vrs_frame *frame, struct vrs_rng *rng)
{
	for (int p = 0; p < frame->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&frame->format, p); x++)
				sample_put(frame, p, x, y, y < 12 || vrs_rng_next(rng) & 1 ? 65535 : (int)vrs_rng_below(rng, 65536));
}

static void check_case(const struct scale_case *c, struct vrs_rng *rng, double *worst)
{
	const struct vrs_ocl_picture_format format = {.samples = c->format, .interleaved = c->interleaved, .low_bits = c->low_bits};
	const struct vrs_preprocess_options options = {.format = c->format, .rect = c->part, .eye = c->eye, .width = c->width, .height = c->height,
		.bgr = c->bgr, .mean = {mean[0], mean[1], mean[2]}, .scale = {scale[0], scale[1], scale[2]}};
	const struct vrs_ocl_picture_format luma_format = {.samples = {.width = c->width, .height = c->height, .planes = 1, .bit_depth = 16}};
	size_t n = (size_t)c->width * (size_t)c->height * 3;
	struct vrs_error err = {0};
	struct vrs_preprocess *pre;
	struct vrs_ocl_scale_options tables;
	struct vrs_ocl_picture picture, luma15;
	struct vrs_ocl_scale *device_scale = NULL;
	struct vrs_ocl_frame *frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	struct vrs_frame src = random_frame(&c->format, rng);
	float *want = malloc(n * sizeof *want), *got = malloc(3 * n * sizeof *got);
	uint16_t *planes[3];

	assert_true(want && got);
	if (c->above)
		use_all_bits(&src, rng);
	for (int p = 0; p < 3; p++)
		assert_non_null(planes[p] = malloc(n / 3 * sizeof *planes[p]));
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_OK);
	vrs_preprocess_run(pre, &src, want, NULL);
	vrs_preprocess_scale(pre, &src, planes);
	must(scale_tables(&tables, &arena, &c->format, c->eye.width ? &c->eye : NULL, &c->part, c->width, c->height, c->bgr, mean, scale), &err);
	must(vrs_ocl_scale_create(&device_scale, frame, &tables, &err), &err);
	upload(&picture, context, &src, &format);
	must(vrs_ocl_picture_init(&luma15, context, &luma_format, &err), &err);
	for (size_t i = 0; i < 3 * n; i++)
		got[i] = UNTOUCHED;
	int code;
	cl_mem dst = clCreateBuffer(context->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 3 * n * sizeof *got, got, &code);
	assert_int_equal(code, CL_SUCCESS);
	must(vrs_ocl_frame_scale(frame, device_scale, &picture, dst, 1, &luma15, &err), &err);
	assert_int_equal(clEnqueueReadBuffer(context->compute, dst, CL_TRUE, 0, 3 * n * sizeof *got, got, 0, NULL, NULL), CL_SUCCESS);
	for (size_t i = 0; i < n; i++) {
		double off = fabs((double)got[n + i] - want[i]);
		*worst = fmax(*worst, off);
		if (!(off <= 1e-6 * 8)) /* (1 - mean) * scale is at most 3, terms of the sum 2 */
			fail_msg("case %d: float %zu is %.9g, expected %.9g", (int)(c - cases), i, got[n + i], want[i]);
		assert_true(got[i] == UNTOUCHED && got[2 * n + i] == UNTOUCHED);
	}
	struct vrs_frame luma = download(context, &luma15);
	for (int y = 0; y < c->height; y++)
		for (int x = 0; x < c->width; x++)
			assert_int_equal(sample_get(&luma, 0, x, y), planes[0][y * c->width + x]);
	/* without luma, and an entry that the buffer does not have */
	must(vrs_ocl_frame_scale(frame, device_scale, &picture, dst, 2, NULL, &err), &err);
	assert_int_equal(vrs_ocl_frame_scale(frame, device_scale, &picture, dst, 3, NULL, &err), VRS_EINVAL);
	assert_int_equal(vrs_ocl_frame_scale(frame, device_scale, &luma15, dst, 0, NULL, &err), VRS_EINVAL);
	assert_int_equal(clFinish(context->compute), CL_SUCCESS);
	(void)clReleaseMemObject(dst);
	vrs_frame_unref(&luma);
	vrs_frame_unref(&src);
	vrs_ocl_picture_fini(&picture);
	vrs_ocl_picture_fini(&luma15);
	vrs_ocl_scale_destroy(device_scale);
	vrs_ocl_frame_destroy(frame);
	for (int p = 0; p < 3; p++)
		free(planes[p]);
	free(want);
	free(got);
}

static void test_equals_preprocess(void **state)
{
	struct vrs_rng rng;
	double worst = 0;

	(void)state;
	vrs_rng_init(&rng, 18);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (only < 0 || (size_t)only == i)
			check_case(&cases[i], &rng, &worst);
	print_message("largest difference of an input value: %.3g\n", worst);
}

static void test_refuses_tables_outside(void **state)
{
	const struct vrs_picture_format format = YUV(64, 48, 8, 1, 1);
	const struct vrs_ocl_picture_format on_device = {.samples = format};
	const struct vrs_rect part = {10, 10, 54, 38};
	struct vrs_ocl_scale_options tables;
	struct vrs_ocl_frame *frame = make_kernels(context, &on_device, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	struct vrs_ocl_scale *device_scale = NULL;
	struct vrs_error err = {0};

	(void)state;
	must(scale_tables(&tables, &arena, &format, NULL, &part, 20, 20, false, mean, scale), &err);
	struct vrs_ocl_scale_options bad = tables;
	bad.luma.first_column++; /* reads to the last column */
	assert_int_equal(vrs_ocl_scale_create(&device_scale, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.chroma.first_row = 24;
	assert_int_equal(vrs_ocl_scale_create(&device_scale, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.luma.y.n--; /* luma and chroma of different heights */
	assert_int_equal(vrs_ocl_scale_create(&device_scale, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.format.height--;
	assert_int_equal(vrs_ocl_scale_create(&device_scale, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.luma.circle = 65;
	assert_int_equal(vrs_ocl_scale_create(&device_scale, frame, &bad, &err), VRS_EINVAL);
	assert_null(device_scale);
	vrs_ocl_frame_destroy(frame);
}

/* An argument is the number of the only case to run (tests/opencl/opencl.cmake says why). */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_preprocess),
		cmocka_unit_test(test_refuses_tables_outside),
	};

	only = argc > 1 ? atoi(argv[1]) : -1;
	context = open_device();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	vrs_ocl_context_close(context);
	vrs_arena_free(&arena);
	return failed;
}
