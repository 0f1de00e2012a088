/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_rate [DEVICE [WIDTHxHEIGHT [NETWORK [FRAMES]]]]
 *
 * Frames a second that a device makes of side-by-side pictures (8192x4096, NV12) without the network itself: both eyes to NETWORK x NETWORK (256),
 * both mattes from the network's output, people over a colour; and the same with planes up and down.  Beside them stand the device's ceilings, the
 * bytes that have to move, and the same steps on one thread of the host, each as one line of JSON for scripts/measure-gpu.sh.  DEVICE "" is the
 * first one.
 *
 * Each figure is the median of ROUNDS rounds of FRAMES (20) frames, or as many as take ROUND_MS.  Exit code 1: the device failed, or its frame is
 * not the host's; 2: wrong usage.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "matte/composite.h"
#include "matte/hdr_transfer.h"
#include "matte/preprocess.h"
#include "opencl/frame_tables.h"
#include "opencl/ocl_ceilings.h"
#include "opencl/ocl_staging.h"
#include "opencl/ocl_work.h"

#define ROUNDS 5
#define PICTURES VRS_OCL_MAX_SLOTS /* in flight each way */
#define ROUND_MS 200               /* of a round on a device, at least: its first and last frames do not overlap with others */

static const float mean[3], scale[3] = {1, 1, 1};
static const uint8_t green[3] = {0, 177, 64};

struct bench {
	const char *device;
	int frames, side;                 /* of a round; of the network's input */
	struct vrs_picture_format format;
	struct vrs_rect eyes[2];
	struct vrs_arena arena;
	struct vrs_frame source, want;    /* on the host, planar */
	struct vrs_matte mattes[2];
	float *input;                     /* of the network, both eyes */
	double covered;                   /* share of the picture with an alpha above 0 */
	struct vrs_preprocess *pre[2];
	struct vrs_composite *composite;
	struct vrs_ocl_context *context;
	struct vrs_ocl_frame *frame;
	struct vrs_ocl_scale *scales[2];
	struct vrs_ocl_compose *compose;
	struct vrs_ocl_blend blend;
	struct vrs_ocl_picture in[PICTURES], out[PICTURES], device_mattes;
	struct vrs_ocl_staging *up, *down;
	struct vrs_ocl_rows rows[3];      /* of the source as NV12, in ordinary memory */
	cl_mem device_input, device_output;
	struct vrs_error err;
};

static bool must(struct bench *b, enum vrs_status status)
{
	char text[512];

	if (status != VRS_OK)
		(void)fprintf(stderr, "frame_rate: %s\n", b->err.text[0] ? vrs_error_str(&b->err, text, sizeof text) : "out of memory");
	return status == VRS_OK;
}

/* A soft ellipse a third as wide as the eye: what a person covers. */
static double body(double x, double y)
{
	return fmin(1, fmax(0, 10 * (1 - hypot((x - 0.5) / 0.17, (y - 0.55) / 0.4))));
}

static bool make_host(struct bench *b)
{
	const struct vrs_composite_options composite = {.format = b->format, .mode = VRS_COMPOSITE_GREEN, .color = {green[0], green[1], green[2]},
		.view_count = 2, .views = {b->eyes[0], b->eyes[1]}, .matte_width = b->side, .matte_height = b->side};
	size_t n = (size_t)b->side * (size_t)b->side;
	uint8_t *bytes = vrs_arena_calloc(&b->arena, n, 1);

	b->input = vrs_arena_calloc(&b->arena, 6 * n, sizeof *b->input);
	if (!bytes || !b->input || vrs_frame_alloc(&b->source, &b->format) != VRS_OK || vrs_frame_alloc(&b->want, &b->format) != VRS_OK)
		return must(b, VRS_ENOMEM);
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&b->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&b->format, p); x++)
				b->source.data[p][b->source.stride_bytes[p] * y + x] = (uint8_t)(x * 7 + y * 13 + ((x * y) >> 6) + 50 * p);
	for (int i = 0; i < b->side * b->side; i++) {
		bytes[i] = (uint8_t)lrint(255 * body((i % b->side + 0.5) / b->side, ((double)(i / b->side) + 0.5) / b->side));
		b->covered += bytes[i] > 0;
	}
	b->covered /= (double)n;
	for (int i = 0; i < 2; i++) {
		const struct vrs_preprocess_options options = {.format = b->format, .rect = b->eyes[i], .eye = b->eyes[i], .width = b->side,
			.height = b->side, .scale = {1, 1, 1}};
		b->mattes[i] = (struct vrs_matte){.width = b->side, .height = b->side, .stride = b->side, .data = bytes};
		if (!must(b, vrs_preprocess_create(&b->pre[i], &b->arena, &options)))
			return false;
	}
	return must(b, vrs_composite_create(&b->composite, &b->arena, &composite));
}

static void run_host(struct bench *b)
{
	size_t n = (size_t)b->side * (size_t)b->side * 3;

	for (int i = 0; i < 2; i++)
		vrs_preprocess_run(b->pre[i], &b->source, b->input + n * (size_t)i, NULL);
	vrs_composite_run(b->composite, &b->want, &b->source, b->mattes, NULL);
}

/* The source's planes with U and V interleaved. */
static bool make_rows(struct bench *b)
{
	size_t width = (size_t)b->format.width, height = (size_t)b->format.height;

	for (int p = 0; p < 2; p++) {
		b->rows[p].data = vrs_arena_calloc(&b->arena, width, p ? height / 2 : height);
		b->rows[p].stride_bytes = b->format.width;
		if (!b->rows[p].data)
			return must(b, VRS_ENOMEM);
	}
	for (int y = 0; y < b->format.height; y++)
		memcpy(b->rows[0].data + b->rows[0].stride_bytes * y, b->source.data[0] + b->source.stride_bytes[0] * y, width);
	for (int y = 0; y < b->format.height / 2; y++)
		for (int x = 0; x < b->format.width; x++)
			b->rows[1].data[b->rows[1].stride_bytes * y + x] =
				b->source.data[1 + x % 2][b->source.stride_bytes[1 + x % 2] * y + x / 2];
	return true;
}

static bool make_tables(struct bench *b)
{
	struct vrs_ocl_compose_options compose = {.format = b->format, .matte_width = b->side, .matte_height = b->side, .view_count = 2};

	for (int i = 0; i < 2; i++) {
		struct vrs_ocl_scale_options options;
		if (!must(b, scale_tables(&options, &b->arena, &b->format, &b->eyes[i], &b->eyes[i], b->side, b->side, false, mean, scale)) ||
		    !must(b, view_tables(compose.views[i], &b->arena, &b->format, &b->eyes[i], b->side, b->side)) ||
		    !must(b, vrs_ocl_scale_create(&b->scales[i], b->frame, &options, &b->err)))
			return false;
	}
	vrs_yuv_from_sdr(b->blend.ground, &b->format, green);
	return must(b, vrs_ocl_compose_create(&b->compose, b->frame, &compose, &b->err));
}

/* Buffers of the network's ends: its output has the host's mattes. */
static bool make_network_ends(struct bench *b)
{
	size_t n = (size_t)b->side * (size_t)b->side;
	float *output = vrs_arena_calloc(&b->arena, 2 * n, sizeof *output);
	int code = CL_SUCCESS;

	if (!output)
		return must(b, VRS_ENOMEM);
	for (size_t i = 0; i < 2 * n; i++)
		output[i] = (float)b->mattes[0].data[i % n] / 255.0f;
	b->device_output = clCreateBuffer(b->context->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 2 * n * sizeof *output, output, &code);
	if (code == CL_SUCCESS)
		b->device_input = clCreateBuffer(b->context->context, CL_MEM_READ_WRITE, 6 * n * sizeof *output, NULL, &code);
	return must(b, code == CL_SUCCESS ? VRS_OK : vrs_fail(&b->err, VRS_EDEVICE, "the network's ends do not fit the device (%d)", code));
}

static bool make_device(struct bench *b)
{
	const struct vrs_ocl_picture_format format = {.samples = b->format, .interleaved = true};
	const struct vrs_ocl_picture_format mattes = vrs_ocl_matte_format(b->side, b->side, 2);
	const struct vrs_ocl_transfers transfers = {.pinned = true, .async = true, .slots = PICTURES};
	struct vrs_ocl_frame_options options = {.format = format, .output_channels = 1};

	for (int i = 0; i < 256; i++)
		options.curve[i] = (uint8_t)i;
	if (!must(b, vrs_ocl_context_open(&b->context, b->device, false, &b->err)) ||
	    !must(b, vrs_ocl_frame_create(&b->frame, b->context, &options, false, &b->err)) || !make_tables(b) || !make_network_ends(b) ||
	    !must(b, vrs_ocl_picture_init(&b->device_mattes, b->context, &mattes, &b->err)) ||
	    !must(b, vrs_ocl_staging_create(&b->up, b->context, &format, &transfers, &b->err)) ||
	    !must(b, vrs_ocl_staging_create(&b->down, b->context, &format, &transfers, &b->err)))
		return false;
	for (int i = 0; i < PICTURES; i++)
		if (!must(b, vrs_ocl_picture_init(&b->in[i], b->context, &format, &b->err)) ||
		    !must(b, vrs_ocl_picture_init(&b->out[i], b->context, &format, &b->err)) ||
		    !must(b, vrs_ocl_staging_up(b->up, &b->in[i], b->rows, &b->err)))
			return false;
	return true;
}

/* Which steps a round takes. */
enum steps { SCALE = 1, COMPOSE = 2, TRANSFERS = 4, COPIES = 8 };

static bool queue_frame(struct bench *b, int i, unsigned steps)
{
	struct vrs_ocl_picture *in = &b->in[i % PICTURES], *out = &b->out[i % PICTURES];

	for (int eye = 0; eye < 2 && (steps & SCALE); eye++)
		if (!must(b, vrs_ocl_frame_scale(b->frame, b->scales[eye], in, b->device_input, eye, NULL, &b->err)))
			return false;
	for (int eye = 0; eye < 2 && (steps & COMPOSE); eye++)
		if (!must(b, vrs_ocl_frame_matte(b->frame, b->device_output, eye, b->side, b->side, &b->device_mattes, eye, &b->err)))
			return false;
	return !(steps & COMPOSE) || must(b, vrs_ocl_frame_compose(b->frame, b->compose, out, in, &b->device_mattes, &b->blend, &b->err));
}

static bool take_frame(struct bench *b, unsigned steps)
{
	struct vrs_ocl_rows rows[3];

	return must(b, steps & COPIES ? vrs_ocl_staging_down(b->down, b->rows, &b->err) : vrs_ocl_staging_get(b->down, rows, &b->err));
}

/* A frame with its way there and back; the host takes the first of those that are under way, once there are as many as slots. */
static bool move_frame(struct bench *b, int i, unsigned steps)
{
	struct vrs_ocl_picture *in = &b->in[i % PICTURES], *out = &b->out[i % PICTURES];
	struct vrs_ocl_rows rows[3];

	if (steps & COPIES) {
		if (!must(b, vrs_ocl_staging_up(b->up, in, b->rows, &b->err)))
			return false;
	} else if (!must(b, vrs_ocl_staging_take(b->up, rows, &b->err)) || !must(b, vrs_ocl_staging_send(b->up, in, &b->err))) {
		return false;
	}
	if (!queue_frame(b, i, steps) || !must(b, vrs_ocl_staging_fetch(b->down, out, &b->err)))
		return false;
	return i < PICTURES - 1 || take_frame(b, steps);
}

static bool run_round(struct bench *b, unsigned steps, int frames)
{
	for (int i = 0; i < frames; i++)
		if (!(steps & TRANSFERS ? move_frame(b, i, steps) : queue_frame(b, i, steps)))
			return false;
	for (int left = frames < PICTURES - 1 ? frames : PICTURES - 1; (steps & TRANSFERS) && left > 0; left--)
		if (!take_frame(b, steps))
			return false;
	return must(b, clFinish(b->context->compute) == CL_SUCCESS ? VRS_OK : vrs_fail(&b->err, VRS_EDEVICE, "the device failed"));
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Milliseconds a frame: the median of the rounds, after one that is not counted; below 0: it failed. steps 0: on the host. */
static double measure(struct bench *b, unsigned steps)
{
	double ms[ROUNDS + 1];
	int frames = steps ? b->frames : 2;

	for (int r = 0; r <= ROUNDS; r++) {
		uint64_t begin = vrs_now_ns();
		if (steps && !run_round(b, steps, frames))
			return -1;
		for (int i = 0; i < frames && !steps; i++)
			run_host(b);
		ms[r] = (double)(vrs_now_ns() - begin) / 1e6 / frames;
		if (r == 0 && steps && frames * ms[0] < ROUND_MS)
			frames = (int)fmin(ROUND_MS / fmax(ms[0], 1e-3) + 1, 100000);
	}
	qsort(ms + 1, ROUNDS, sizeof *ms, by_size);
	return ms[1 + ROUNDS / 2];
}

/* The device's frame against the host's. */
static bool compare(struct bench *b)
{
	struct vrs_ocl_rows rows[3];
	size_t wrong = 0;

	if (!queue_frame(b, 0, SCALE | COMPOSE) || !must(b, vrs_ocl_staging_fetch(b->down, &b->out[0], &b->err)) ||
	    !must(b, vrs_ocl_staging_get(b->down, rows, &b->err)))
		return false;
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&b->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&b->format, p); x++) {
				int at = p ? 2 * x + p - 1 : x;
				wrong += b->want.data[p][b->want.stride_bytes[p] * y + x] != rows[p > 0].data[rows[p > 0].stride_bytes * y + at];
			}
	if (wrong)
		(void)fprintf(stderr, "frame_rate: %zu samples are not the host's\n", wrong);
	return wrong == 0;
}

static bool report(struct bench *b, const struct vrs_device_ceilings *ceilings)
{
	static const struct {
		const char *step;
		unsigned steps;
	} lines[] = {
		{"preprocess", SCALE}, {"compose", COMPOSE}, {"device", SCALE | COMPOSE}, {"transfers", SCALE | COMPOSE | TRANSFERS},
		{"copies", SCALE | COMPOSE | TRANSFERS | COPIES},
	};
	double plane_bytes = 1.5 * b->format.width * b->format.height, host_ms = measure(b, 0);
	/* preprocess reads the planes, compose writes them and reads what people cover */
	const double moved[3] = {plane_bytes, plane_bytes * (1 + b->covered), plane_bytes * (2 + b->covered)};

	if (!compare(b))
		return false;
	printf("{\"step\": \"host\", \"ms\": %.4f, \"frames_per_s\": %.2f}\n", host_ms, 1000 / host_ms);
	for (int i = 0; i < 5; i++) {
		double ms = measure(b, lines[i].steps);
		if (ms < 0)
			return false;
		printf("{\"step\": \"%s\", \"ms\": %.4f, \"frames_per_s\": %.2f", lines[i].step, ms, 1000 / ms);
		if (i < 3)
			printf(", \"gbps\": %.2f", moved[i] / ms / 1e6);
		printf("}\n");
	}
	printf("{\"step\": \"bound\", \"frames_per_s\": %.2f, \"copy_gbps\": %.2f, \"upload_gbps\": %.2f, \"download_gbps\": %.2f}\n",
	       fmin(ceilings->upload_gbps, ceilings->download_gbps) * 1e9 / plane_bytes, ceilings->copy_gbps, ceilings->upload_gbps,
	       ceilings->download_gbps);
	return true;
}

static bool measure_ceilings(struct bench *b, struct vrs_device_ceilings *ret_ceilings)
{
	struct vrs_ocl_context *context = NULL;

	if (!must(b, vrs_ocl_context_open(&context, b->device, true, &b->err)))
		return false;
	bool done = must(b, vrs_ocl_ceilings(context, ret_ceilings, &b->err));
	vrs_ocl_context_close(context);
	return done;
}

static void end(struct bench *b)
{
	vrs_ocl_staging_destroy(b->up);
	vrs_ocl_staging_destroy(b->down);
	for (int i = 0; i < PICTURES; i++) {
		vrs_ocl_picture_fini(&b->in[i]);
		vrs_ocl_picture_fini(&b->out[i]);
	}
	for (int i = 0; i < 2; i++)
		vrs_ocl_scale_destroy(b->scales[i]);
	vrs_ocl_picture_fini(&b->device_mattes);
	vrs_ocl_compose_destroy(b->compose);
	vrs_ocl_release(b->device_input);
	vrs_ocl_release(b->device_output);
	vrs_ocl_frame_destroy(b->frame);
	vrs_ocl_context_close(b->context);
	vrs_frame_unref(&b->source);
	vrs_frame_unref(&b->want);
	vrs_arena_free(&b->arena);
}

static bool parse(struct bench *b, int argc, char **argv)
{
	int width = 8192, height = 4096;

	b->device = argc > 1 ? argv[1] : "";
	b->side = argc > 3 ? atoi(argv[3]) : 256;
	b->frames = argc > 4 ? atoi(argv[4]) : 20;
	if (argc > 5 || (argc > 2 && sscanf(argv[2], "%dx%d", &width, &height) != 2) || width < 64 || height < 64 || width > 16384 ||
	    height > 16384 || width % 4 || height % 2 || b->side < 2 || b->side > 2048 || b->frames < 1 || b->frames > 100000)
		return false;
	b->format = (struct vrs_picture_format){.width = width, .height = height, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1,
		.chroma_shift_y = 1};
	for (int i = 0; i < 2; i++)
		b->eyes[i] = (struct vrs_rect){i * width / 2, 0, width / 2, height};
	return true;
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct vrs_device_ceilings ceilings;

	if (!parse(&b, argc, argv)) {
		(void)fprintf(stderr, "usage: frame_rate [DEVICE [WIDTHxHEIGHT [NETWORK [FRAMES]]]], WIDTH a multiple of 4\n");
		return 2;
	}
	bool done = measure_ceilings(&b, &ceilings) && make_host(&b) && make_rows(&b) && make_device(&b);
	if (done)
		printf("{\"step\": \"clip\", \"width\": %d, \"height\": %d, \"network\": %d, \"covered\": %.3f, \"frames\": %d}\n", b.format.width,
		       b.format.height, b.side, b.covered, b.frames);
	done = done && report(&b, &ceilings);
	end(&b);
	return done ? 0 : 1;
}
