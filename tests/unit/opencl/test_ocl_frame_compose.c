/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards mattes and frames composed on the device: bytes equal to vrs_composite_run's for a background colour, a background picture, the matte as a
 * picture and as an alpha plane; 8, 10 and 16 bits, planar, NV12 and P010, odd sizes and views, both eyes, views across the seam of a circle, grey
 * sources, in place; mattes of every kind of output equal to the host's bytes, or next to them where there is an exponential; and refusals.
 */
#include <math.h>

#include "unit/opencl/frame_check.h"

#include "matte/composite.h"
#include "matte/hdr_transfer.h"
#include "matte/matte_expand.h"
#include "matte/postprocess.h"

static struct vrs_arena arena;
static struct vrs_ocl_context *context;
static int step = 1; /* every so many pairs of a case and an output are looked at */

struct compose_case {
	struct vrs_picture_format format;
	bool interleaved;
	int low_bits, view_count;
	struct vrs_rect views[2];
	int matte_width, matte_height;
};

#define YUV(w, h, depth, sx, sy) {.width = w, .height = h, .planes = 3, .bit_depth = depth, .chroma_shift_x = sx, .chroma_shift_y = sy}
#define GREY(w, h, depth) {.width = w, .height = h, .planes = 1, .bit_depth = depth}

static const struct compose_case cases[] = {
	{YUV(128, 64, 8, 1, 1), false, 0, 2, {{0, 0, 64, 64}, {64, 0, 64, 64}}, 16, 16},
	{YUV(128, 64, 8, 1, 1), true, 0, 2, {{64, 10, 62, 54}, {0, 0, 50, 50}}, 20, 12},
	{YUV(101, 67, 8, 1, 1), false, 0, 1, {{3, 5, 77, 41}}, 33, 17},
	{YUV(101, 67, 8, 1, 1), true, 0, 1, {{0, 0, 101, 67}}, 200, 150},
	{YUV(102, 67, 10, 1, 1), true, 6, 2, {{0, 0, 51, 67}, {52, 1, 50, 66}}, 13, 7},
	{YUV(102, 67, 10, 1, 0), false, 0, 1, {{33, 9, 1, 1}}, 5, 5},
	{YUV(99, 50, 16, 0, 0), false, 0, 1, {{10, 10, 80, 39}}, 1, 1},
	{GREY(75, 41, 8), false, 0, 1, {{1, 1, 73, 39}}, 9, 9},
	{{.width = 256, .height = 40, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1, .circle = 128}, false, 0, 2,
	 {{100, 2, 90, 36}, {201, 0, 100, 40}}, 24, 16},
	{{.width = 256, .height = 40, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1, .circle = 256}, true, 0, 1,
	 {{250, 0, 256, 40}}, 24, 16},
};

/* Soft circles, noise, nothing, all. */
static struct vrs_matte make_matte(int width, int height, int kind, struct vrs_rng *rng)
{
	struct vrs_matte matte;

	assert_int_equal(vrs_matte_init(&matte, &arena, width, height), VRS_OK);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double d = 2 - 5 * hypot((x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5);
			int blob = (int)(255 * fmin(1, fmax(0, d)));
			int noise = (int)vrs_rng_below(rng, 256), value = kind == 0 ? blob : kind == 1 ? noise : kind == 2 ? 0 : 255;
			matte.data[matte.stride * y + x] = (uint8_t)value;
		}
	return matte;
}

/* A kind of output: the host's mode, what is behind, and whether the device works in place. */
struct output {
	enum vrs_composite_mode mode;
	bool picture, in_place;
	const char *name;
};

static const struct output outputs[] = {
	{VRS_COMPOSITE_GREEN, false, false, "colour"}, {VRS_COMPOSITE_GREEN, false, true, "colour in place"},
	{VRS_COMPOSITE_GREEN, true, false, "picture"}, {VRS_COMPOSITE_MATTE, false, false, "matte"},
	{VRS_COMPOSITE_CUTOUT, false, false, "alpha"},
};

/* The host's code values of what is blended (matte/composite_core.c). */
static void set_codes(struct vrs_ocl_blend *blend, const struct vrs_composite_options *options, const struct vrs_picture_format *out)
{
	int neutral = 1 << (out->bit_depth - 1);

	*blend = (struct vrs_ocl_blend){.ground = {vrs_luma_from_grey(out, 0), neutral, neutral},
		.solid = {vrs_luma_from_grey(out, 255), neutral, neutral}};
	if (options->mode == VRS_COMPOSITE_GREEN)
		vrs_yuv_from_sdr(blend->ground, out, options->color);
}

static void check_output(const struct compose_case *c, const struct output *o, int kind, struct vrs_rng *rng)
{
	struct vrs_composite_options options = {.format = c->format, .mode = o->mode, .color = {20, 200, 60}, .view_count = c->view_count,
		.views = {c->views[0], c->views[1]}, .matte_width = c->matte_width, .matte_height = c->matte_height};
	struct vrs_picture_format out = o->mode == VRS_COMPOSITE_CUTOUT ? vrs_composite_alpha_format(&c->format) : vrs_composite_format(&c->format);
	const struct vrs_ocl_picture_format format = {.samples = out, .interleaved = c->interleaved && out.planes == 3, .low_bits = c->low_bits};
	struct vrs_ocl_compose_options tables = {.format = out, .matte_width = c->matte_width, .matte_height = c->matte_height,
		.view_count = c->view_count};
	struct vrs_matte mattes[2] = {make_matte(c->matte_width, c->matte_height, kind, rng),
		make_matte(c->matte_width, c->matte_height, kind / 2, rng)};
	struct vrs_frame src = random_frame(&c->format, rng), behind = random_frame(&out, rng), want;
	struct vrs_ocl_picture device_src, device_dst, device_mattes, device_behind;
	struct vrs_ocl_compose *compose = NULL;
	struct vrs_ocl_blend blend;
	struct vrs_composite *host;
	struct vrs_error err = {0};

	if (o->picture) {
		options.backdrop.kind = VRS_BACKDROP_PICTURE;
		options.picture = &behind;
	}
	assert_int_equal(vrs_composite_create(&host, &arena, &options), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&want, &out), VRS_OK);
	vrs_composite_run(host, &want, &src, mattes, NULL);

	struct vrs_ocl_frame *frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	for (int i = 0; i < c->view_count; i++)
		must(view_tables(tables.views[i], &arena, &out, &c->views[i], c->matte_width, c->matte_height), &err);
	must(vrs_ocl_compose_create(&compose, frame, &tables, &err), &err);
	upload(&device_src, context, &src, &format);
	upload(&device_behind, context, &behind, &format);
	upload_mattes(&device_mattes, context, mattes, c->view_count);
	must(vrs_ocl_picture_init(&device_dst, context, &format, &err), &err);
	set_codes(&blend, &options, &out);
	blend.behind = o->picture ? &device_behind : NULL;
	struct vrs_ocl_picture *to = o->in_place ? &device_src : &device_dst;
	must(vrs_ocl_frame_compose(frame, compose, to, o->mode == VRS_COMPOSITE_GREEN ? &device_src : NULL, &device_mattes, &blend, &err), &err);
	struct vrs_frame got = download(context, to);
	char what[64];
	(void)snprintf(what, sizeof what, "case %d, %s, matte %d", (int)(c - cases), o->name, kind);
	check_equal(&got, &want, what);

	vrs_frame_unref(&got);
	vrs_frame_unref(&want);
	vrs_frame_unref(&src);
	vrs_frame_unref(&behind);
	vrs_ocl_picture_fini(&device_src);
	vrs_ocl_picture_fini(&device_dst);
	vrs_ocl_picture_fini(&device_mattes);
	vrs_ocl_picture_fini(&device_behind);
	vrs_ocl_compose_destroy(compose);
	vrs_ocl_frame_destroy(frame);
}

static void test_equals_composite(void **state)
{
	struct vrs_rng rng;

	(void)state;
	int pairs = 0;

	vrs_rng_init(&rng, 3);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++)
			if ((!outputs[k].in_place || cases[i].format.planes == 3) && pairs++ % step == 0)
				check_output(&cases[i], &outputs[k], (int)(i + k) % 4, &rng);
}

static void check_kind(enum vrs_ocl_alpha_kind kind, enum vrs_alpha_kind host_kind, int channels, int channel, int most_off, struct vrs_rng *rng)
{
	enum { WIDTH = 37, HEIGHT = 23, N = WIDTH * HEIGHT };
	const struct vrs_ocl_picture_format format = {.samples = YUV(64, 64, 8, 1, 1)}, mattes_format = vrs_ocl_matte_format(WIDTH, HEIGHT, 2);
	struct vrs_ocl_frame *frame = make_kernels(context, &format, channels, channel, kind);
	size_t floats = (size_t)(2 * N * channels);
	float *output = malloc(floats * sizeof *output), alpha[N];
	struct vrs_ocl_picture mattes;
	struct vrs_error err = {0};
	int code;

	assert_non_null(output);
	for (size_t i = 0; i < floats; i++)
		output[i] = (float)(vrs_rng_unit(rng) * 1.4 - 0.2) * (kind == VRS_OCL_ALPHA_PROBABILITY ? 1.0f : 9.0f);
	output[N * channels + channel] = NAN;
	cl_mem buffer = clCreateBuffer(context->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, floats * sizeof *output, output, &code);
	assert_int_equal(code, CL_SUCCESS);
	must(vrs_ocl_picture_init(&mattes, context, &mattes_format, &err), &err);
	for (int i = 0; i < 2; i++) /* the other way round */
		must(vrs_ocl_frame_matte(frame, buffer, 1 - i, WIDTH, HEIGHT, &mattes, i, &err), &err);
	struct vrs_frame got = download(context, &mattes);
	for (int i = 0; i < 2; i++) {
		vrs_alpha_from_output(alpha, output + (size_t)((1 - i) * N * channels), N, channels, channel, host_kind);
		for (int k = 0; k < N; k++) {
			int want = (uint8_t)(alpha[k] * 255.0f + 0.5f), off = sample_get(&got, 0, k % WIDTH, i * HEIGHT + k / WIDTH) - want;
			if (abs(off) > most_off)
				fail_msg("kind %d: byte %d of matte %d is off by %d", (int)kind, k, i, off);
		}
	}
	assert_int_equal(vrs_ocl_frame_matte(frame, buffer, 2, WIDTH, HEIGHT, &mattes, 0, &err), VRS_EINVAL);
	assert_int_equal(vrs_ocl_frame_matte(frame, buffer, 0, WIDTH, HEIGHT, &mattes, 2, &err), VRS_EINVAL);
	assert_int_equal(vrs_ocl_frame_matte(frame, buffer, 0, WIDTH + 1, HEIGHT, &mattes, 0, &err), VRS_EINVAL);
	(void)clReleaseMemObject(buffer);
	vrs_frame_unref(&got);
	vrs_ocl_picture_fini(&mattes);
	vrs_ocl_frame_destroy(frame);
	free(output);
}

static void test_mattes(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 4);
	check_kind(VRS_OCL_ALPHA_PROBABILITY, VRS_ALPHA_PROBABILITY, 1, 0, 0, &rng);
	check_kind(VRS_OCL_ALPHA_PROBABILITY, VRS_ALPHA_PROBABILITY, 3, 2, 0, &rng);
	check_kind(VRS_OCL_ALPHA_LOGITS, VRS_ALPHA_LOGITS, 2, 1, 1, &rng);
	check_kind(VRS_OCL_ALPHA_SOFTMAX2, VRS_ALPHA_SOFTMAX2, 2, 0, 1, &rng);
	check_kind(VRS_OCL_ALPHA_SOFTMAX2, VRS_ALPHA_SOFTMAX2, 2, 1, 1, &rng);
}

/* Cutoff and gamma as a table of bytes. */
static void test_curve(void **state)
{
	struct vrs_ocl_frame_options options = {.format = {.samples = YUV(64, 64, 8, 1, 1)}, .output_channels = 1};
	const struct vrs_ocl_picture_format mattes_format = vrs_ocl_matte_format(256, 1, 1);
	float output[256];
	struct vrs_ocl_frame *frame;
	struct vrs_ocl_picture mattes;
	struct vrs_error err = {0};
	int code;

	(void)state;
	for (int i = 0; i < 256; i++) {
		output[i] = (float)i / 255.0f;
		options.curve[i] = (uint8_t)(255 - i);
	}
	must(vrs_ocl_frame_create(&frame, context, &options, false, &err), &err);
	cl_mem buffer = clCreateBuffer(context->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof output, output, &code);
	must(vrs_ocl_picture_init(&mattes, context, &mattes_format, &err), &err);
	must(vrs_ocl_frame_matte(frame, buffer, 0, 256, 1, &mattes, 0, &err), &err);
	struct vrs_frame got = download(context, &mattes);
	for (int i = 0; i < 256; i++)
		assert_int_equal(sample_get(&got, 0, i, 0), 255 - i);
	(void)clReleaseMemObject(buffer);
	vrs_frame_unref(&got);
	vrs_ocl_picture_fini(&mattes);
	vrs_ocl_frame_destroy(frame);
}

/* Without views all is background, and nobody needs a matte. */
static void test_no_views(void **state)
{
	const struct vrs_ocl_picture_format format = {.samples = YUV(37, 21, 10, 1, 1), .interleaved = true, .low_bits = 6};
	const struct vrs_ocl_compose_options tables = {.format = format.samples, .matte_width = 4, .matte_height = 4};
	const struct vrs_ocl_blend blend = {.ground = {100, 200, 300}};
	struct vrs_ocl_frame *frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	struct vrs_ocl_compose *compose = NULL;
	struct vrs_ocl_picture dst;
	struct vrs_error err = {0};

	(void)state;
	must(vrs_ocl_compose_create(&compose, frame, &tables, &err), &err);
	must(vrs_ocl_picture_init(&dst, context, &format, &err), &err);
	must(vrs_ocl_frame_compose(frame, compose, &dst, NULL, NULL, &blend, &err), &err);
	struct vrs_frame got = download(context, &dst);
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&format.samples, p); y++)
			for (int x = 0; x < vrs_plane_width(&format.samples, p); x++)
				assert_int_equal(sample_get(&got, p, x, y), 100 * (p + 1));
	vrs_frame_unref(&got);
	vrs_ocl_picture_fini(&dst);
	vrs_ocl_compose_destroy(compose);
	vrs_ocl_frame_destroy(frame);
}

static void test_refusals(void **state)
{
	const struct vrs_picture_format format = YUV(64, 48, 8, 1, 1);
	const struct vrs_ocl_picture_format planar = {.samples = format}, deep = {.samples = YUV(64, 48, 10, 1, 1)}, nv12 = {.samples = format,
		.interleaved = true}, mattes_format = vrs_ocl_matte_format(8, 8, 1);
	const struct vrs_rect view = {10, 10, 54, 38};
	struct vrs_ocl_frame_options bad_options = {.format = planar, .output_channels = 1, .kind = VRS_OCL_ALPHA_SOFTMAX2};
	struct vrs_ocl_compose_options tables = {.format = format, .matte_width = 8, .matte_height = 8, .view_count = 1};
	struct vrs_ocl_frame *frame = make_kernels(context, &planar, 1, 0, VRS_OCL_ALPHA_PROBABILITY), *none = NULL;
	struct vrs_ocl_compose *compose = NULL;
	struct vrs_ocl_picture dst, other, mattes;
	const struct vrs_ocl_blend blend = {0};
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_ocl_frame_create(&none, context, &bad_options, false, &err), VRS_EINVAL);
	bad_options = (struct vrs_ocl_frame_options){.format = {.samples = format, .low_bits = 1}, .output_channels = 1};
	assert_int_equal(vrs_ocl_frame_create(&none, context, &bad_options, false, &err), VRS_EINVAL);
	must(view_tables(tables.views[0], &arena, &format, &view, 8, 8), &err);
	struct vrs_ocl_compose_options bad = tables;
	bad.views[0][0].rect.x++;
	assert_int_equal(vrs_ocl_compose_create(&compose, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.views[0][1].rect.y++;
	assert_int_equal(vrs_ocl_compose_create(&compose, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.matte_height = 7; /* rows of the table lead to the eighth */
	assert_int_equal(vrs_ocl_compose_create(&compose, frame, &bad, &err), VRS_EINVAL);
	bad.view_count = 3;
	assert_int_equal(vrs_ocl_compose_create(&compose, frame, &bad, &err), VRS_EINVAL);
	must(vrs_ocl_compose_create(&compose, frame, &tables, &err), &err);
	must(vrs_ocl_picture_init(&dst, context, &planar, &err), &err);
	must(vrs_ocl_picture_init(&mattes, context, &mattes_format, &err), &err);
	for (int i = 0; i < 2; i++) {
		must(vrs_ocl_picture_init(&other, context, i ? &nv12 : &deep, &err), &err);
		assert_int_equal(vrs_ocl_frame_compose(frame, compose, &other, &dst, &mattes, &blend, &err), VRS_EINVAL);
		assert_int_equal(vrs_ocl_frame_compose(frame, compose, &dst, &other, &mattes, &blend, &err), VRS_EINVAL);
		assert_int_equal(vrs_ocl_frame_compose(frame, compose, &dst, &dst, &other, &blend, &err), VRS_EINVAL);
		vrs_ocl_picture_fini(&other);
	}
	assert_int_equal(vrs_ocl_frame_compose(frame, compose, &dst, &dst, NULL, &blend, &err), VRS_EINVAL);
	vrs_ocl_picture_fini(&dst);
	vrs_ocl_picture_fini(&mattes);
	vrs_ocl_compose_destroy(compose);
	vrs_ocl_frame_destroy(frame);
}

/* [STEP] */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_composite), cmocka_unit_test(test_mattes),   cmocka_unit_test(test_curve),
		cmocka_unit_test(test_no_views),         cmocka_unit_test(test_refusals),
	};

	if (argc > 1)
		step = atoi(argv[1]);
	assert_in_range(step, 1, 100);
	context = open_device();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	vrs_ocl_context_close(context);
	vrs_arena_free(&arena);
	return failed;
}
