/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards pictures with packed mattes made on the device: bytes equal to vrs_alpha_pack_run's for half spheres and fisheye pictures, drawn and copied,
 * one eye and two, 8 and 10 bits, planar, NV12 and P010, 4:2:0, 4:4:4 and grey, white and red discs, views at borders; and that maps which lead
 * outside of their source are refused.
 */
#include "unit/opencl/frame_check.h"

#include "compose/pack_tables.h"
#include "matte/matte_expand.h"
#include "opencl/ocl_frame_pack.h"

static struct vrs_arena arena;
static struct vrs_ocl_context *context;
static int only = -1; /* the one case to run; -1: all */

struct pack_case {
	int width, height, planes, depth, sx, sy;
	enum vrs_stereo stereo;
	enum vrs_projection projection;
	double fov, carrier_fov;
	bool interleaved, colored, exact_size;
	int low_bits;
};

static const struct pack_case cases[] = {
	{320, 160, 3, 8, 1, 1, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, false, false, false, 0},
	{320, 160, 3, 8, 1, 1, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 190, true, true, true, 0},
	{321, 163, 3, 8, 1, 1, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, false, true, false, 0},
	{150, 300, 3, 10, 1, 1, VRS_STEREO_TB, VRS_PROJECTION_HEQUIRECT, 180, 0, true, true, false, 6},
	{300, 150, 3, 10, 1, 1, VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 190, 0, false, true, false, 0},
	{300, 150, 3, 8, 1, 1, VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 190, 0, true, false, false, 0},
	{300, 150, 3, 8, 0, 0, VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 200, 180, false, true, false, 0},
	{160, 160, 3, 8, 1, 1, VRS_STEREO_MONO, VRS_PROJECTION_HEQUIRECT, 180, 0, true, true, false, 0},
	{320, 160, 1, 8, 0, 0, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, false, true, false, 0},
	{320, 160, 1, 10, 0, 0, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, true, false, false, 6},
};

static struct vrs_alpha_pack_options options_of(const struct pack_case *c)
{
	struct vrs_alpha_pack_options o = {.fov_degrees = c->carrier_fov, .exact_size = c->exact_size, .colored = c->colored,
		.chroma_offset = {-0.5, 0}};
	int unit = 1 << (c->depth - 8);

	o.format = (struct vrs_picture_format){.width = c->width, .height = c->height, .planes = c->planes, .bit_depth = c->depth,
		.chroma_shift_x = c->sx, .chroma_shift_y = c->sy};
	o.layout = (struct vrs_layout){.stereo = c->stereo, .projection = c->projection, .fov_degrees = c->fov, .pixel_aspect = 1};
	for (int a = 0; a < 256; a++) {
		o.codes[0][a] = (uint16_t)((16 + a / 2) * unit);
		o.codes[1][a] = (uint16_t)((c->colored ? 128 - a / 4 : 128) * unit);
		o.codes[2][a] = (uint16_t)((c->colored ? 128 + a / 3 : 128) * unit);
	}
	for (int p = 0; p < 3; p++)
		o.black[p] = o.codes[p][0];
	return o;
}

static struct vrs_matte make_matte(int width, int height, struct vrs_rng *rng)
{
	struct vrs_matte matte;

	assert_int_equal(vrs_matte_init(&matte, &arena, width, height), VRS_OK);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) /* a third is empty */
			matte.data[matte.stride * y + x] = x * 3 < width ? 0 : (uint8_t)vrs_rng_below(rng, 256);
	return matte;
}

static void check_case(const struct pack_case *c, struct vrs_rng *rng)
{
	enum { WIDTH = 40, HEIGHT = 31 };
	const struct vrs_alpha_pack_options options = options_of(c);
	int eyes = vrs_layout_eyes(&options.layout);
	struct vrs_alpha_pack *host = NULL;
	struct vrs_error err = {0};
	struct vrs_matte mattes[2] = {make_matte(WIDTH, HEIGHT, rng), make_matte(WIDTH, HEIGHT, rng)};
	struct vrs_rect views[2];
	struct vrs_frame src = random_frame(&options.format, rng), want;
	struct vrs_device_pack_options tables;
	struct vrs_ocl_pack *pack = NULL;
	struct vrs_ocl_picture device_src, device_dst, device_mattes;
	struct vrs_device_disc_place places[2];
	const int which[2] = {0, eyes - 1};

	must(vrs_alpha_pack_create(&host, &options, &err), &err);
	must(vrs_pack_tables(&tables, &arena, host, WIDTH, HEIGHT, &err), &err);
	for (int i = 0; i < 2; i++) {
		struct vrs_rect eye = tables.eyes[i];
		views[i] = i ? (struct vrs_rect){eye.x + 11, eye.y + 20, eye.width - 11, eye.height / 2} : eye;
		if (eyes == 1)
			views[i] = (struct vrs_rect){0, 30, 100, 101};
		places[i] = vrs_pack_place(host, &mattes[i], &views[i], i);
	}
	assert_int_equal(vrs_frame_alloc(&want, vrs_alpha_pack_format(host)), VRS_OK);
	vrs_alpha_pack_run(host, &want, &src, mattes, views);

	const struct vrs_ocl_picture_format format = {.samples = want.format, .interleaved = c->interleaved, .low_bits = c->low_bits};
	struct vrs_ocl_frame *frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	must(vrs_ocl_pack_create(&pack, frame, &tables, &err), &err);
	upload(&device_src, context, &src, &format);
	upload_mattes(&device_mattes, context, mattes, 2);
	must(vrs_ocl_picture_init(&device_dst, context, &format, &err), &err);
	must(vrs_ocl_frame_pack(frame, pack, &device_dst, &device_src, &device_mattes, which, places, &err), &err);
	struct vrs_frame got = download(context, &device_dst);
	char what[32];
	(void)snprintf(what, sizeof what, "case %d", (int)(c - cases));
	check_equal(&got, &want, what);
	assert_int_equal(vrs_ocl_frame_pack(frame, pack, &device_dst, &device_mattes, &device_mattes, which, places, &err), VRS_EINVAL);
	assert_int_equal(vrs_ocl_frame_pack(frame, pack, &device_dst, &device_src, &device_mattes, (const int[2]){0, 2}, places, &err), VRS_EINVAL);

	vrs_frame_unref(&got);
	vrs_frame_unref(&want);
	vrs_frame_unref(&src);
	vrs_ocl_picture_fini(&device_src);
	vrs_ocl_picture_fini(&device_dst);
	vrs_ocl_picture_fini(&device_mattes);
	vrs_ocl_pack_destroy(pack);
	vrs_ocl_frame_destroy(frame);
	vrs_alpha_pack_destroy(host);
}

static void test_equals_alpha_pack(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 7);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (only < 0 || (size_t)only == i)
			check_case(&cases[i], &rng);
}

static void test_refuses_maps_outside(void **state)
{
	const struct vrs_alpha_pack_options options = options_of(&cases[0]);
	const struct vrs_ocl_picture_format format = {.samples = options.format};
	struct vrs_ocl_frame *frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	struct vrs_alpha_pack *host = NULL;
	struct vrs_device_pack_options tables;
	struct vrs_ocl_pack *pack = NULL;
	struct vrs_error err = {0};

	(void)state;
	must(vrs_alpha_pack_create(&host, &options, &err), &err);
	must(vrs_pack_tables(&tables, &arena, host, 8, 8, &err), &err);
	struct vrs_device_pack_options bad = tables;
	bad.maps[0].position_count = 0; /* rims of the half sphere have positions */
	assert_int_equal(vrs_ocl_pack_create(&pack, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.eyes[1].x += 2;
	assert_int_equal(vrs_ocl_pack_create(&pack, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.maps[1].source_width++;
	assert_int_equal(vrs_ocl_pack_create(&pack, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.maps[0].width = 0; /* to be copied, from an eye of another size */
	bad.packed.height += 2;
	bad.packed.width += 4;
	assert_int_equal(vrs_ocl_pack_create(&pack, frame, &bad, &err), VRS_EINVAL);
	bad = tables;
	bad.matte_width = 1;
	assert_int_equal(vrs_ocl_pack_create(&pack, frame, &bad, &err), VRS_EINVAL);
	assert_null(pack);
	vrs_alpha_pack_destroy(host);
	vrs_ocl_frame_destroy(frame);
}

/* An argument is the number of the only case to run (tests/opencl/opencl.cmake says why). */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_alpha_pack),
		cmocka_unit_test(test_refuses_maps_outside),
	};

	only = argc > 1 ? atoi(argv[1]) : -1;
	context = open_device();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	vrs_ocl_context_close(context);
	vrs_arena_free(&arena);
	return failed;
}
