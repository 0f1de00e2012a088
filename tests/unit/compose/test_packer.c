/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the choice of who packs frames: a faster device packs all after both were timed, a slower one none; one whose units are the CPU's is not
 * tried but where it is asked for; one that fails, at creation or at any frame, gives way without a frame lost; and whoever packs, the samples
 * are those of vrs_alpha_pack_run.  The device here is a function of this file.  The last test is with a real one: PoCL's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compose/packer.h"
#include "matte/matte_expand.h"
#include "session/frame_devices.h"
#include "unit/random_frame.h"

#define FRAMES 24
#define WIDTH 40 /* of mattes */
#define HEIGHT 31

static struct vrs_arena arena;
static struct vrs_alpha_pack *pack;
static struct vrs_frame source, want;
static struct vrs_matte mattes[2];
static struct vrs_rect views[2];

/* The device: what it does, and what was asked of it. */
static struct {
	bool is_host, slow;
	int fails_at;              /* frame, from 1; 0: none */
	enum vrs_status create;
	int created, destroyed, packed;
} fake;

static enum vrs_status fake_create(struct vrs_frame_work **ret_work, const struct vrs_frame_work_options *options, struct vrs_error *err)
{
	assert_int_equal(options->mattes, 2);
	assert_int_equal(options->pack.matte_width, WIDTH);
	assert_int_equal(options->pack.source.width, source.format.width);
	if (fake.create != VRS_OK)
		return vrs_fail(err, fake.create, "there is no such device");
	fake.created++;
	*ret_work = (struct vrs_frame_work *)(void *)&fake;
	return VRS_OK;
}

static void fake_destroy(struct vrs_frame_work *work)
{
	fake.destroyed += work != NULL;
}

static enum vrs_status fake_pack(struct vrs_frame_work *work, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *with,
				 const struct vrs_device_disc_place *places, struct vrs_error *err)
{
	(void)work;
	(void)src;
	(void)places;
	if (with[0].width != WIDTH)
		return vrs_fail(err, VRS_EINVAL, "another size");
	if (++fake.packed == fake.fails_at)
		return vrs_fail(err, VRS_EDEVICE, "the device failed");
	if (fake.slow)
		nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
	for (int p = 0; p < 3; p++)
		memcpy(dst->data[p], want.data[p], (size_t)want.stride_bytes[p] * (size_t)vrs_plane_height(&want.format, p));
	return VRS_OK;
}

static const char *fake_name(const struct vrs_frame_work *work)
{
	(void)work;
	return "fake";
}

static bool fake_is_host(const struct vrs_frame_work *work)
{
	(void)work;
	return fake.is_host;
}

static const struct vrs_frame_device device = {fake_create, fake_destroy, fake_pack, fake_name, fake_is_host};

static int make_frames(void **state)
{
	struct vrs_rng rng;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_alpha_pack_options options = {.chroma_offset = {-0.5, 0}, .colored = true};

	(void)state;
	vrs_rng_init(&rng, 5);
	options.format = (struct vrs_picture_format){.width = 1280, .height = 640, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1};
	options.layout = (struct vrs_layout){.stereo = VRS_STEREO_SBS, .projection = VRS_PROJECTION_HEQUIRECT, .fov_degrees = 180, .pixel_aspect = 1};
	for (int a = 0; a < 256; a++)
		for (int p = 0; p < 3; p++)
			options.codes[p][a] = (uint16_t)(16 + a / (2 + p));
	assert_int_equal(vrs_alpha_pack_create(&pack, &options, &err), VRS_OK);
	source = random_frame(&options.format, &rng);
	assert_int_equal(vrs_frame_alloc(&want, vrs_alpha_pack_format(pack)), VRS_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vrs_matte_init(&mattes[i], &arena, WIDTH, HEIGHT), VRS_OK);
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < WIDTH; x++)
				mattes[i].data[mattes[i].stride * y + x] = (uint8_t)vrs_rng_below(&rng, 256);
		views[i] = (struct vrs_rect){640 * i + 100, 60, 400, 300};
	}
	vrs_alpha_pack_run(pack, &want, &source, mattes, views);
	return 0;
}

static int drop_frames(void **state)
{
	(void)state;
	vrs_frame_unref(&source);
	vrs_frame_unref(&want);
	vrs_alpha_pack_destroy(pack);
	vrs_arena_free(&arena);
	return 0;
}

static struct vrs_packer_options options_of(const struct vrs_settings *settings, const struct vrs_frame_device *of)
{
	return (struct vrs_packer_options){.settings = settings, .device = of, .pack = pack, .eyes = 2, .matte_width = WIDTH, .matte_height = HEIGHT};
}

static void check_frame(struct vrs_packer *packer)
{
	struct vrs_frame got;

	assert_int_equal(vrs_frame_alloc(&got, &want.format), VRS_OK);
	vrs_packer_run(packer, &got, &source, mattes, views);
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&want.format, p); y++)
			assert_memory_equal(got.data[p] + got.stride_bytes[p] * y, want.data[p] + want.stride_bytes[p] * y,
					    (size_t)vrs_plane_width(&want.format, p));
	vrs_frame_unref(&got);
}

/* Frames that the device packed of FRAMES. */
static int pack_all(enum vrs_device_frames when, const struct vrs_frame_device *of)
{
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	struct vrs_packer *packer = NULL;
	struct vrs_error err = {.status = VRS_OK};

	assert_non_null(settings);
	settings->engine.device_frames = (int)when;
	const struct vrs_packer_options options = options_of(settings, of);
	assert_int_equal(vrs_packer_create(&packer, &options, &err), VRS_OK);
	for (int i = 0; i < FRAMES; i++)
		check_frame(packer);
	vrs_packer_destroy(packer);
	vrs_free(settings);
	assert_int_equal(fake.created, fake.destroyed);
	return fake.packed;
}

static void faster_one_packs(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_AUTO, &device), FRAMES - 4); /* the CPU had four */
	memset(&fake, 0, sizeof fake);
	fake.slow = true;
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_AUTO, &device), 5); /* and one that does not count */
}

static void asked_for(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	fake.is_host = true;
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_AUTO, &device), 0);
	assert_int_equal(fake.created, 1);
	memset(&fake, 0, sizeof fake);
	fake.is_host = true;
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_ON, &device), FRAMES);
	memset(&fake, 0, sizeof fake);
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_OFF, &device), 0);
	assert_int_equal(fake.created, 0);
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_ON, NULL), 0);
}

static void failing_device_loses_no_frame(void **state)
{
	(void)state;
	for (int at = 1; at <= FRAMES; at++)
		for (int when = VRS_DEVICE_FRAMES_AUTO; when <= VRS_DEVICE_FRAMES_ON; when++) {
			memset(&fake, 0, sizeof fake);
			fake.fails_at = at;
			assert_true(pack_all((enum vrs_device_frames)when, &device) <= at);
		}
}

static void no_device(void **state)
{
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	struct vrs_packer *packer = NULL;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_packer_options options = options_of(settings, &device);

	(void)state;
	assert_non_null(settings);
	memset(&fake, 0, sizeof fake);
	fake.create = VRS_ENOTFOUND;
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_AUTO, &device), 0);
	settings->engine.device_frames = VRS_DEVICE_FRAMES_ON;
	assert_int_equal(vrs_packer_create(&packer, &options, &err), VRS_ENOTFOUND);
	assert_string_equal(err.text, "there is no such device");
	settings->engine.device_frames = VRS_DEVICE_FRAMES_AUTO;
	fake.create = VRS_ENOMEM;
	assert_int_equal(vrs_packer_create(&packer, &options, &err), VRS_ENOMEM);
	assert_null(packer);
	vrs_free(settings);
}

/* A matte of another size than that of the job is packed by the CPU, and the device goes on. */
static void another_matte(void **state)
{
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	struct vrs_packer *packer = NULL;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_packer_options options = options_of(settings, &device);
	struct vrs_frame got;

	(void)state;
	assert_non_null(settings);
	memset(&fake, 0, sizeof fake);
	settings->engine.device_frames = VRS_DEVICE_FRAMES_ON;
	assert_int_equal(vrs_packer_create(&packer, &options, &err), VRS_OK);
	struct vrs_matte small[2] = {mattes[0], mattes[1]};
	small[0].width = small[1].width = WIDTH / 2;
	assert_int_equal(vrs_frame_alloc(&got, &want.format), VRS_OK);
	vrs_packer_run(packer, &got, &source, small, views);
	assert_int_equal(fake.packed, 0);
	check_frame(packer);
	assert_int_equal(fake.packed, 1);
	vrs_frame_unref(&got);
	vrs_packer_destroy(packer);
	vrs_free(settings);
}

static void real_device(void **state)
{
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	struct vrs_packer *packer = NULL;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_packer_options options = options_of(settings, vrs_frame_device_find("opencl"));

	(void)state;
	assert_non_null(settings);
	assert_non_null(options.device);
	assert_null(vrs_frame_device_find("cpu"));
	settings->engine.device_frames = VRS_DEVICE_FRAMES_ON;
	enum vrs_status status = vrs_packer_create(&packer, &options, &err);
	if (status == VRS_ENOTFOUND) {
		vrs_free(settings);
		skip();
	}
	assert_int_equal(status, VRS_OK);
	for (int i = 0; i < 3; i++)
		check_frame(packer);
	vrs_packer_destroy(packer);
	vrs_free(settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faster_one_packs),
		cmocka_unit_test(asked_for),
		cmocka_unit_test(failing_device_loses_no_frame),
		cmocka_unit_test(no_device),
		cmocka_unit_test(another_matte),
		cmocka_unit_test(real_device),
	};

	return cmocka_run_group_tests(tests, make_frames, drop_frames);
}
