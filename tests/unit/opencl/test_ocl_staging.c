/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards transfers: planes come back as they went, whatever their strides, and nothing between rows is touched; a chain of frames over three queues,
 * two slots and two pictures keeps its order without anybody waiting in between; rows of a slot can be written directly; misuse is refused.
 */
#include "unit/opencl/frame_check.h"

static struct vrs_ocl_context *context;

#define YUV(w, h, depth) {.width = w, .height = h, .planes = 3, .bit_depth = depth, .chroma_shift_x = 1, .chroma_shift_y = 1}

static const struct vrs_ocl_picture_format formats[] = {
	{.samples = YUV(64, 32, 8)}, {.samples = YUV(67, 35, 8), .interleaved = true}, {.samples = YUV(67, 35, 10)},
	{.samples = YUV(130, 5, 10), .interleaved = true, .low_bits = 6}, {.samples = {.width = 1, .height = 1, .planes = 1, .bit_depth = 8}},
};

static void test_round_trip(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 1);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct vrs_frame frame = random_frame(&formats[i].samples, &rng);
		struct vrs_ocl_picture picture;

		upload(&picture, context, &frame, &formats[i]);
		struct vrs_frame back = download(context, &picture);
		check_equal(&back, &frame, "round trip");
		vrs_ocl_picture_fini(&picture);
		vrs_frame_unref(&back);
		vrs_frame_unref(&frame);
	}
}

/* Every row of a slot becomes the value. */
static void paint(const struct vrs_ocl_picture *picture, const struct vrs_ocl_rows rows[3], int value)
{
	for (int p = 0; p < picture->plane_count; p++)
		for (int y = 0; y < picture->planes[p].height; y++)
			memset(rows[p].data + rows[p].stride_bytes * y, value, (size_t)(picture->planes[p].width * picture->planes[p].channels));
}

static void expect(const struct vrs_ocl_picture *picture, const struct vrs_ocl_rows rows[3], int value)
{
	for (int p = 0; p < picture->plane_count; p++)
		for (int y = 0; y < picture->planes[p].height; y++)
			for (int x = 0; x < picture->planes[p].width * picture->planes[p].channels; x++)
				if (rows[p].data[rows[p].stride_bytes * y + x] != value)
					fail_msg("plane %d (%d, %d) is %d, expected %d", p, x, y, rows[p].data[rows[p].stride_bytes * y + x], value);
}

/*
 * Frame i is all i + 1.  It goes up into one of two pictures, is composed (without views: a copy of `behind`) into one of two others, and comes down,
 * while the host is a frame ahead.
 */
static void test_chain(void **state)
{
	enum { FRAMES = 20 };
	const struct vrs_ocl_picture_format format = {.samples = YUV(128, 48, 8), .interleaved = true};
	const struct vrs_ocl_compose_options tables = {.format = format.samples, .matte_width = 1, .matte_height = 1};
	struct vrs_ocl_frame *frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	struct vrs_ocl_compose *compose = NULL;
	struct vrs_ocl_staging *up = NULL, *down = NULL;
	struct vrs_ocl_picture in[2], out[2];
	struct vrs_ocl_rows rows[3];
	struct vrs_error err = {0};

	(void)state;
	must(vrs_ocl_compose_create(&compose, frame, &tables, &err), &err);
	must(vrs_ocl_staging_create(&up, context, &format, &err), &err);
	must(vrs_ocl_staging_create(&down, context, &format, &err), &err);
	for (int i = 0; i < 2; i++) {
		must(vrs_ocl_picture_init(&in[i], context, &format, &err), &err);
		must(vrs_ocl_picture_init(&out[i], context, &format, &err), &err);
	}
	for (int i = 0; i < FRAMES; i++) {
		const struct vrs_ocl_blend blend = {.behind = &in[i % 2]};

		must(vrs_ocl_staging_take(up, rows, &err), &err);
		paint(&in[0], rows, i + 1);
		must(vrs_ocl_staging_send(up, &in[i % 2], &err), &err);
		must(vrs_ocl_frame_compose(frame, compose, &out[i % 2], NULL, NULL, &blend, &err), &err);
		must(vrs_ocl_staging_fetch(down, &out[i % 2], &err), &err);
		if (i == 0)
			continue;
		must(vrs_ocl_staging_get(down, rows, &err), &err);
		expect(&out[0], rows, i);
	}
	must(vrs_ocl_staging_get(down, rows, &err), &err);
	expect(&out[0], rows, FRAMES);
	for (int i = 0; i < 2; i++) {
		vrs_ocl_picture_fini(&in[i]);
		vrs_ocl_picture_fini(&out[i]);
	}
	vrs_ocl_staging_destroy(up);
	vrs_ocl_staging_destroy(down);
	vrs_ocl_compose_destroy(compose);
	vrs_ocl_frame_destroy(frame);
}

static void test_misuse(void **state)
{
	const struct vrs_ocl_picture_format huge = {.samples = YUV(65536, 65536, 8)}, none = {.samples = YUV(0, 8, 8)},
		alpha = {.samples = {.width = 8, .height = 8, .planes = 4, .bit_depth = 8}};
	struct vrs_ocl_staging *staging = NULL;
	struct vrs_ocl_picture picture, other;
	struct vrs_ocl_rows rows[3];
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_ocl_picture_init(&picture, context, &huge, &err), VRS_ELIMIT);
	assert_int_equal(vrs_ocl_picture_init(&picture, context, &none, &err), VRS_EINVAL);
	assert_int_equal(vrs_ocl_picture_init(&picture, context, &alpha, &err), VRS_EINVAL);
	assert_int_equal(vrs_ocl_staging_create(&staging, context, &huge, &err), VRS_ELIMIT);
	must(vrs_ocl_staging_create(&staging, context, &formats[0], &err), &err);
	must(vrs_ocl_picture_init(&picture, context, &formats[0], &err), &err);
	must(vrs_ocl_picture_init(&other, context, &formats[1], &err), &err);
	assert_int_equal(vrs_ocl_staging_send(staging, &other, &err), VRS_EINTERNAL);
	assert_int_equal(vrs_ocl_staging_get(staging, rows, &err), VRS_EINTERNAL);
	must(vrs_ocl_staging_take(staging, rows, &err), &err);
	paint(&picture, rows, 5);
	must(vrs_ocl_staging_send(staging, &picture, &err), &err);
	must(vrs_ocl_staging_fetch(staging, &picture, &err), &err);
	must(vrs_ocl_staging_fetch(staging, &picture, &err), &err);
	assert_int_equal(vrs_ocl_staging_fetch(staging, &picture, &err), VRS_EINTERNAL);
	for (int i = 0; i < 2; i++) {
		must(vrs_ocl_staging_get(staging, rows, &err), &err);
		expect(&picture, rows, 5);
	}
	vrs_ocl_picture_fini(&picture);
	vrs_ocl_picture_fini(&other);
	vrs_ocl_staging_destroy(staging);
	vrs_ocl_staging_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_misuse),
	};

	context = open_device();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	vrs_ocl_context_close(context);
	return failed;
}
