/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards transfers: planes come back as they went, whatever their strides, and nothing between rows is touched; a chain of frames over three queues,
 * one to three slots and pictures keeps its order without anybody waiting in between, also when a queue is held up; rows of a slot can be written
 * directly; transfers that are not to be async use the queue of the kernels alone, and whoever queues one waits for it; misuse is refused.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "unit/opencl/frame_check.h"

#include "base/clock.h"

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

/* Both ways through a composition without views: a copy. */
struct chain {
	struct vrs_ocl_frame *frame;
	struct vrs_ocl_compose *compose;
	struct vrs_ocl_staging *up, *down;
	struct vrs_ocl_picture in[VRS_OCL_MAX_SLOTS], out[VRS_OCL_MAX_SLOTS];
	int pictures;                     /* in flight each way, and slots */
};

static void chain_init(struct chain *chain, int pictures)
{
	const struct vrs_ocl_picture_format format = {.samples = YUV(128, 48, 8), .interleaved = true};
	const struct vrs_ocl_compose_options tables = {.format = format.samples, .matte_width = 1, .matte_height = 1};
	const struct vrs_ocl_transfers transfers = {.pinned = true, .async = true, .slots = pictures};
	struct vrs_error err = {0};

	chain->pictures = pictures;
	chain->frame = make_kernels(context, &format, 1, 0, VRS_OCL_ALPHA_PROBABILITY);
	must(vrs_ocl_compose_create(&chain->compose, chain->frame, &tables, &err), &err);
	must(vrs_ocl_staging_create(&chain->up, context, &format, &transfers, &err), &err);
	must(vrs_ocl_staging_create(&chain->down, context, &format, &transfers, &err), &err);
	for (int i = 0; i < pictures; i++) {
		must(vrs_ocl_picture_init(&chain->in[i], context, &format, &err), &err);
		must(vrs_ocl_picture_init(&chain->out[i], context, &format, &err), &err);
	}
}

static void chain_fini(struct chain *chain)
{
	for (int i = 0; i < chain->pictures; i++) {
		vrs_ocl_picture_fini(&chain->in[i]);
		vrs_ocl_picture_fini(&chain->out[i]);
	}
	vrs_ocl_staging_destroy(chain->up);
	vrs_ocl_staging_destroy(chain->down);
	vrs_ocl_compose_destroy(chain->compose);
	vrs_ocl_frame_destroy(chain->frame);
}

/* A frame of this value goes up into picture i. */
static void send(struct chain *chain, int i, int value)
{
	struct vrs_ocl_rows rows[3];
	struct vrs_error err = {0};

	must(vrs_ocl_staging_take(chain->up, rows, &err), &err);
	paint(&chain->in[0], rows, value);
	must(vrs_ocl_staging_send(chain->up, &chain->in[i], &err), &err);
}

static void copy(struct chain *chain, int i)
{
	const struct vrs_ocl_blend blend = {.behind = &chain->in[i]};
	struct vrs_error err = {0};

	must(vrs_ocl_frame_compose(chain->frame, chain->compose, &chain->out[i], NULL, NULL, &blend, &err), &err);
}

static void fetch(struct chain *chain, int i)
{
	struct vrs_error err = {0};

	must(vrs_ocl_staging_fetch(chain->down, &chain->out[i], &err), &err);
}

static void get(struct chain *chain, int value)
{
	struct vrs_ocl_rows rows[3];
	struct vrs_error err = {0};

	must(vrs_ocl_staging_get(chain->down, rows, &err), &err);
	expect(&chain->out[0], rows, value);
}

/* Frame i is all i + 1, the host is ahead by a frame less than there are slots. */
static void test_chain(void **state)
{
	enum { FRAMES = 20 };

	(void)state;
	for (int slots = 1; slots <= VRS_OCL_MAX_SLOTS; slots++) {
		struct chain chain;
		int got = 0;

		chain_init(&chain, slots);
		for (int i = 0; i < FRAMES; i++) {
			send(&chain, i % slots, i + 1);
			copy(&chain, i % slots);
			fetch(&chain, i % slots);
			if (i >= slots - 1)
				get(&chain, ++got);
		}
		while (got < FRAMES)
			get(&chain, ++got);
		chain_fini(&chain);
	}
}

/* What is queued from now on waits until the gate opens. */
static cl_event close_gate(cl_command_queue queue)
{
	int code;
	cl_event gate = clCreateUserEvent(context->context, &code);

	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
	return gate;
}

/* Later, so that whoever does not wait has gone on. */
static void open_gate(cl_event gate)
{
	vrs_sleep_until_ns(vrs_now_ns() + 50 * UINT64_C(1000000));
	assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	(void)clReleaseEvent(gate);
}

/* Each queue in turn is held up: what depends on it waits, in both directions. */
static void test_order(void **state)
{
	struct chain chain;

	(void)state;
	if (strstr(context->caps.platform, "Oclgrind")) { /* runs what is queued in the calling thread, which opens the gate */
		print_message("skipped: this device cannot be held up\n");
		skip();
	}
	chain_init(&chain, VRS_OCL_SLOTS);
	cl_event gate = close_gate(context->compute);
	send(&chain, 0, 1);
	copy(&chain, 0);
	fetch(&chain, 0);   /* not before the copy is there */
	send(&chain, 0, 2); /* not before the copy was made */
	open_gate(gate);
	get(&chain, 1);
	gate = close_gate(context->upload);
	send(&chain, 0, 3);
	copy(&chain, 0); /* not before the frame is there */
	fetch(&chain, 0);
	open_gate(gate);
	get(&chain, 3);
	gate = close_gate(context->download);
	fetch(&chain, 0);
	send(&chain, 0, 4);
	copy(&chain, 0); /* not before the last frame has gone */
	open_gate(gate);
	get(&chain, 3);
	fetch(&chain, 0);
	get(&chain, 4);
	chain_fini(&chain);
}

struct late_gate {
	cl_event event;
	atomic_bool open;
};

static void *open_late(void *of)
{
	struct late_gate *gate = of;

	vrs_sleep_until_ns(vrs_now_ns() + 50 * UINT64_C(1000000));
	atomic_store(&gate->open, true);
	assert_int_equal(clSetUserEventStatus(gate->event, CL_COMPLETE), CL_SUCCESS);
	return NULL;
}

/* Without waiting, a transfer behind the gate would let its caller go on before that is open. */
static void check_waiting(struct vrs_ocl_staging *up, struct vrs_ocl_picture *picture)
{
	struct late_gate gate = {.event = close_gate(context->compute)};
	struct vrs_ocl_rows rows[3];
	struct vrs_error err = {0};
	pthread_t thread;

	must(vrs_ocl_staging_take(up, rows, &err), &err);
	assert_int_equal(pthread_create(&thread, NULL, open_late, &gate), 0);
	must(vrs_ocl_staging_send(up, picture, &err), &err);
	assert_true(atomic_load(&gate.open));
	assert_int_equal(pthread_join(thread, NULL), 0);
	(void)clReleaseEvent(gate.event);
}

static void test_one_queue(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	for (int pinned = 0; pinned <= 1; pinned++) {
		const struct vrs_ocl_transfers transfers = {.pinned = pinned, .async = false};
		const struct vrs_ocl_picture_format *format = &formats[pinned];
		struct vrs_ocl_staging *up = NULL, *down = NULL;
		struct vrs_ocl_picture picture;
		struct vrs_ocl_rows rows[3];

		must(vrs_ocl_staging_create(&up, context, format, &transfers, &err), &err);
		must(vrs_ocl_staging_create(&down, context, format, &transfers, &err), &err);
		must(vrs_ocl_picture_init(&picture, context, format, &err), &err);
		for (int i = 0; i < 3; i++) { /* each slot, and one again */
			must(vrs_ocl_staging_take(up, rows, &err), &err);
			paint(&picture, rows, i + 1);
			must(vrs_ocl_staging_send(up, &picture, &err), &err);
			must(vrs_ocl_staging_fetch(down, &picture, &err), &err);
			assert_null(picture.order.last[VRS_OCL_UPLOAD]);
			assert_null(picture.order.last[VRS_OCL_DOWNLOAD]);
			assert_non_null(picture.order.last[VRS_OCL_COMPUTE]);
			must(vrs_ocl_staging_get(down, rows, &err), &err);
			expect(&picture, rows, i + 1);
		}
		if (!strstr(context->caps.platform, "Oclgrind"))
			check_waiting(up, &picture);
		vrs_ocl_staging_destroy(up);
		vrs_ocl_staging_destroy(down);
		vrs_ocl_picture_fini(&picture);
	}
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
	assert_int_equal(vrs_ocl_staging_create(&staging, context, &huge, NULL, &err), VRS_ELIMIT);
	must(vrs_ocl_staging_create(&staging, context, &formats[0], NULL, &err), &err);
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
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_one_queue),
		cmocka_unit_test(test_misuse),
	};

	context = open_device();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	vrs_ocl_context_close(context);
	return failed;
}
