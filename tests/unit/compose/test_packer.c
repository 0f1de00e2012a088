/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the choice of who packs frames: a faster device packs all after both were timed, a slower one none; one whose units are the CPU's is not
 * tried but where it is asked for; one that fails, at creation or at any frame, gives way without a frame lost; and whoever packs, the samples
 * are those of vrs_alpha_pack_run.  What was timed once is not timed again for the same work, device and driver, whatever the next job does with
 * it: a damaged or missing cache means timing.  The device here is a function of this file.  The last tests are with a real one, PoCL's: frames whose
 * transfers are not to be async need no queue but that of the kernels.
 */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "backend/plan_cache.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "compose/pack_times.h"
#include "compose/packer.h"
#include "matte/matte_expand.h"
#include "opencl/ocl_context.h"
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
static int job_height = HEIGHT; /* of mattes, as the job has it */

/* The device: what it does, and what was asked of it. */
static struct {
	bool is_host, slow;
	int fails_at;              /* frame, from 1; 0: none */
	enum vrs_status create;
	uint64_t environment;
	int created, destroyed, packed;
} fake;

static enum vrs_status fake_describe(struct vrs_frame_device_info *ret_info, const char *device, struct vrs_error *err)
{
	(void)device;
	if (fake.create != VRS_OK)
		return vrs_fail(err, fake.create, "there is no such device");
	*ret_info = (struct vrs_frame_device_info){.name = "fake", .is_host = fake.is_host, .environment = fake.environment};
	return VRS_OK;
}

static enum vrs_status fake_create(struct vrs_frame_work **ret_work, const struct vrs_frame_work_options *options, struct vrs_error *err)
{
	(void)err;
	assert_int_equal(options->mattes, 2);
	assert_int_equal(options->pack.matte_width, WIDTH);
	assert_int_equal(options->pack.source.width, source.format.width);
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
	(void)places;
	if (with[0].width != WIDTH)
		return vrs_fail(err, VRS_EINVAL, "another size");
	if (++fake.packed == fake.fails_at)
		return vrs_fail(err, VRS_EDEVICE, "the device failed");
	if (fake.slow)
		nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
	for (int i = 0; fake.slow && i < 3; i++) /* slower than the CPU, however busy that is */
		vrs_alpha_pack_run(pack, dst, src, with, views);
	for (int p = 0; p < 3; p++)
		memcpy(dst->data[p], want.data[p], (size_t)want.stride_bytes[p] * (size_t)vrs_plane_height(&want.format, p));
	return VRS_OK;
}

static const struct vrs_frame_device device = {fake_describe, fake_create, fake_destroy, fake_pack};

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
	return (struct vrs_packer_options){.settings = settings, .device = of, .pack = pack, .eyes = 2, .matte_width = WIDTH, .matte_height = job_height};
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
static int pack_all_with(enum vrs_device_frames when, const struct vrs_frame_device *of, bool remember)
{
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	struct vrs_packer *packer = NULL;
	struct vrs_error err = {.status = VRS_OK};

	assert_non_null(settings);
	settings->engine.device_frames = (int)when;
	settings->engine.program_cache = remember;
	const struct vrs_packer_options options = options_of(settings, of);
	assert_int_equal(vrs_packer_create(&packer, &options, &err), VRS_OK);
	for (int i = 0; i < FRAMES; i++)
		check_frame(packer);
	vrs_packer_destroy(packer);
	vrs_free(settings);
	assert_int_equal(fake.created, fake.destroyed);
	return fake.packed;
}

static int pack_all(enum vrs_device_frames when, const struct vrs_frame_device *of)
{
	return pack_all_with(when, of, false);
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
	assert_int_equal(fake.created, 0);
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
	assert_null(packer);
	fake.create = VRS_ENOMEM; /* of the device: the network has it */
	assert_int_equal(pack_all(VRS_DEVICE_FRAMES_AUTO, &device), 0);
	vrs_free(settings);
}

static char cache_home[] = "/tmp/vrs-test-packer-XXXXXX";

/* The job of a new process: frames that the device packed. */
static int next_job(uint64_t environment, bool slow, bool remember)
{
	memset(&fake, 0, sizeof fake);
	fake.environment = environment;
	fake.slow = slow;
	return pack_all_with(VRS_DEVICE_FRAMES_AUTO, &device, remember);
}

#define TRIED_FAST (FRAMES - 4)
#define TRIED_SLOW 5

static void remembered(void **state)
{
	(void)state;
	assert_int_equal(next_job(1, false, true), TRIED_FAST);
	assert_int_equal(next_job(1, false, true), FRAMES);
	assert_int_equal(next_job(1, true, true), FRAMES); /* without a trial nobody sees that it is slow now */
	assert_int_equal(next_job(2, true, true), TRIED_SLOW);
	assert_int_equal(next_job(2, false, true), 0);
	assert_int_equal(fake.created, 0);                 /* nor is anything built for it */
	assert_int_equal(next_job(1, false, true), FRAMES);
	assert_int_equal(next_job(1, true, false), TRIED_SLOW); /* neither read nor written */
	assert_int_equal(next_job(1, true, true), FRAMES);
	job_height = HEIGHT + 1; /* other work */
	assert_int_equal(next_job(1, true, true), TRIED_SLOW);
	job_height = HEIGHT;
	assert_int_equal(next_job(1, true, true), FRAMES);
	memset(&fake, 0, sizeof fake);
	fake.environment = 2;
	assert_int_equal(pack_all_with(VRS_DEVICE_FRAMES_ON, &device, true), FRAMES); /* whatever is known */
}

/* What fails while both ways are tried is no time of the device. */
static void failure_is_not_remembered(void **state)
{
	(void)state;
	for (int at = 1; at <= 5; at++) {
		memset(&fake, 0, sizeof fake);
		fake.environment = 3;
		fake.fails_at = at;
		assert_int_equal(pack_all_with(VRS_DEVICE_FRAMES_AUTO, &device, true), at);
	}
	assert_int_equal(next_job(3, false, true), TRIED_FAST);
	memset(&fake, 0, sizeof fake); /* and later the known way may fail as any other */
	fake.environment = 3;
	fake.fails_at = 2;
	assert_int_equal(pack_all_with(VRS_DEVICE_FRAMES_AUTO, &device, true), 2);
}

/* Changes the last byte of every file of choices; their number. */
static int damage_files(void)
{
	char folder[100], path[400];
	struct dirent *entry;
	int files = 0;

	snprintf(folder, sizeof folder, "%s/vrseg/plans", cache_home);
	DIR *dir = opendir(folder);
	while (dir && (entry = readdir(dir)) != NULL) {
		struct vrs_buf file;

		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.' || vrs_file_read(path, 100000, &file, NULL) != VRS_OK)
			continue;
		file.data[file.len - 1] ^= 1;
		assert_int_equal(vrs_file_replace(path, file.data, file.len, NULL), VRS_OK);
		vrs_buf_fini(&file);
		files++;
	}
	if (dir)
		closedir(dir);
	return files;
}

static void damaged_cache_is_measured_anew(void **state)
{
	const struct vrs_pack_times none = {0, 0}, times = {1.5, 2e30};
	struct vrs_pack_times got = none;

	(void)state;
	assert_int_equal(next_job(4, false, true), TRIED_FAST);
	assert_true(damage_files() > 0);
	assert_int_equal(next_job(4, false, true), TRIED_FAST);
	assert_int_equal(next_job(4, false, true), FRAMES);
	vrs_pack_times_keep(&times, 5, 6);
	assert_true(vrs_pack_times_find(&got, 5, 6));
	assert_true(got.device_ms > 1.49 && got.device_ms < 1.51 && got.cpu_ms > 4e6);
	assert_false(vrs_pack_times_find(&got, 5, 7));
	assert_false(vrs_pack_times_find(&got, 6, 6));
}

/* A value that no trial gives. */
static void senseless_value_is_measured_anew(void **state)
{
	static const uint64_t values[] = {0, 1, UINT64_C(1) << 32};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct vrs_plan_cache cache;
		struct vrs_pack_times got;

		vrs_plan_cache_load(&cache, 77);
		assert_int_equal(vrs_plan_cache_put(&cache, i, values[i]), VRS_OK);
		vrs_plan_cache_save(&cache);
		vrs_plan_cache_fini(&cache);
		assert_false(vrs_pack_times_find(&got, 77, i));
	}
}

static void no_place(void **state)
{
	(void)state;
	assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/nowhere", 1), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(next_job(8, false, true), TRIED_FAST);
	assert_int_equal(setenv("XDG_CACHE_HOME", "", 1), 0);
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;

	assert_int_equal(unsetenv("HOME"), 0);
	assert_int_equal(next_job(8, false, true), TRIED_FAST);
	if (home)
		assert_int_equal(setenv("HOME", home, 1), 0);
	free(home); /* libc: strdup */
	assert_int_equal(setenv("XDG_CACHE_HOME", cache_home, 1), 0);
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

/* Both queues of transfers are held up until somebody has waited long enough, or `done` says that nobody did. */
struct gate {
	cl_event event;
	uint64_t patience_ns;
	atomic_bool done, open;
};

static void *open_gate(void *of)
{
	struct gate *gate = of;
	uint64_t until = vrs_now_ns() + gate->patience_ns;

	while (!atomic_load(&gate->done) && vrs_now_ns() < until)
		vrs_sleep_until_ns(vrs_now_ns() + 10 * UINT64_C(1000000));
	atomic_store(&gate->open, true);
	assert_int_equal(clSetUserEventStatus(gate->event, CL_COMPLETE), CL_SUCCESS);
	return NULL;
}

static void pack_behind_gate(struct vrs_ocl_context *context, struct vrs_settings *settings, bool async)
{
	struct vrs_packer *packer = NULL;
	struct vrs_error err = {.status = VRS_OK};
	struct gate gate = {.patience_ns = async ? 100 * UINT64_C(1000000) : 60 * UINT64_C(1000000000)};
	pthread_t thread;
	int code;

	settings->engine.async_transfers = settings->engine.pinned_memory = async;
	const struct vrs_packer_options options = options_of(settings, vrs_frame_device_find("opencl"));
	assert_int_equal(vrs_packer_create(&packer, &options, &err), VRS_OK);
	gate.event = clCreateUserEvent(context->context, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clEnqueueBarrierWithWaitList(context->upload, 1, &gate.event, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueBarrierWithWaitList(context->download, 1, &gate.event, NULL), CL_SUCCESS);
	assert_int_equal(pthread_create(&thread, NULL, open_gate, &gate), 0);
	check_frame(packer);
	bool waited = atomic_load(&gate.open);
	atomic_store(&gate.done, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(waited, async);
	(void)clReleaseEvent(gate.event);
	vrs_packer_destroy(packer);
}

static void queues_of_transfers(void **state)
{
	struct vrs_settings *settings = vrs_calloc(1, sizeof *settings);
	struct vrs_ocl_context *context = NULL;
	struct vrs_error err = {.status = VRS_OK};

	(void)state;
	assert_non_null(settings);
	settings->engine.device_frames = VRS_DEVICE_FRAMES_ON;
	if (vrs_ocl_context_open(&context, NULL, false, &err) != VRS_OK) { /* which the packer shares */
		vrs_free(settings);
		skip();
	}
	pack_behind_gate(context, settings, false);
	pack_behind_gate(context, settings, true);
	vrs_ocl_context_close(context);
	vrs_free(settings);
}

static int set_up(void **state)
{
	return mkdtemp(cache_home) == NULL || setenv("XDG_CACHE_HOME", cache_home, 1) != 0 || make_frames(state);
}

static int tear_down(void **state)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf %s", cache_home);
	return drop_frames(state) || system(command) != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faster_one_packs),
		cmocka_unit_test(asked_for),
		cmocka_unit_test(failing_device_loses_no_frame),
		cmocka_unit_test(no_device),
		cmocka_unit_test(remembered),
		cmocka_unit_test(failure_is_not_remembered),
		cmocka_unit_test(damaged_cache_is_measured_anew),
		cmocka_unit_test(senseless_value_is_measured_anew),
		cmocka_unit_test(no_place),
		cmocka_unit_test(another_matte),
		cmocka_unit_test(real_device),
		cmocka_unit_test(queues_of_transfers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
