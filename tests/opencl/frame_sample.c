/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame_sample
 *
 * One frame through everything that a device does with frames: up, to network input, a matte from network output, composed, packed, down.  Prints a
 * hash of what came out.  Exit code 3 and one line "error: ..." when the device fails: what each_call_fails.sh makes it do at every call.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "compose/pack_tables.h"
#include "opencl/frame_tables.h"
#include "opencl/ocl_frame_pack.h"
#include "opencl/ocl_staging.h"
#include "opencl/ocl_work.h"

#define SIDE 24 /* of network input and mattes */

static const struct vrs_picture_format format = {.width = 128, .height = 64, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1};

struct sample {
	struct vrs_arena arena;
	struct vrs_alpha_pack_options pack_options;
	struct vrs_alpha_pack *host_pack;
	struct vrs_ocl_context *context;
	struct vrs_ocl_frame *frame;
	struct vrs_ocl_scale *scale;
	struct vrs_ocl_compose *compose;
	struct vrs_ocl_pack *pack;
	struct vrs_device_disc_place places[2];
	struct vrs_ocl_picture in, out, packed, mattes;
	struct vrs_ocl_staging *up, *down;
	cl_mem input, output;
	struct vrs_error err;
};

static enum vrs_status make_pack(struct sample *s)
{
	struct vrs_device_pack_options tables;

	s->pack_options = (struct vrs_alpha_pack_options){.format = format, .layout = {.stereo = VRS_STEREO_SBS,
		.projection = VRS_PROJECTION_HEQUIRECT, .fov_degrees = 180, .pixel_aspect = 1}, .colored = true};
	for (int i = 0; i < 256; i++)
		for (int p = 0; p < 3; p++)
			s->pack_options.codes[p][i] = (uint16_t)(255 - i / (p + 1));
	enum vrs_status status = vrs_alpha_pack_create(&s->host_pack, &s->pack_options, &s->err);
	if (status == VRS_OK)
		status = vrs_pack_tables(&tables, &s->arena, s->host_pack, SIDE, SIDE, &s->err);
	for (int i = 0; i < 2 && status == VRS_OK; i++) {
		const struct vrs_rect eye = {i * format.width / 2, 0, format.width / 2, format.height};
		s->places[i] = vrs_pack_place(s->host_pack, &(struct vrs_matte){.width = SIDE, .height = SIDE}, &eye, i);
	}
	return status == VRS_OK ? vrs_ocl_pack_create(&s->pack, s->frame, &tables, &s->err) : status;
}

static enum vrs_status make_tables(struct sample *s)
{
	static const float mean[3], unit[3] = {1, 1, 1};
	const struct vrs_rect view = {3, 5, 99, 50};
	struct vrs_ocl_scale_options scale;
	struct vrs_ocl_compose_options compose = {.format = format, .matte_width = SIDE, .matte_height = SIDE, .view_count = 1};
	enum vrs_status status = scale_tables(&scale, &s->arena, &format, NULL, &view, SIDE, SIDE, false, mean, unit);

	if (status == VRS_OK)
		status = vrs_ocl_scale_create(&s->scale, s->frame, &scale, &s->err);
	if (status == VRS_OK)
		status = view_tables(compose.views[0], &s->arena, &format, &view, SIDE, SIDE);
	if (status == VRS_OK)
		status = vrs_ocl_compose_create(&s->compose, s->frame, &compose, &s->err);
	return status == VRS_OK ? make_pack(s) : status;
}

static enum vrs_status make_pictures(struct sample *s)
{
	const struct vrs_ocl_picture_format planar = {.samples = format}, mattes = vrs_ocl_matte_format(SIDE, SIDE, 1);
	const struct vrs_ocl_picture_format packed = {.samples = *vrs_alpha_pack_format(s->host_pack)};
	static const float zeros[SIDE * SIDE * 3];
	enum vrs_status status = vrs_ocl_picture_init(&s->in, s->context, &planar, &s->err);

	if (status == VRS_OK)
		status = vrs_ocl_picture_init(&s->out, s->context, &planar, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_picture_init(&s->packed, s->context, &packed, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_picture_init(&s->mattes, s->context, &mattes, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_buffer_of(&s->input, s->context, zeros, sizeof zeros, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_staging_create(&s->up, s->context, &planar, NULL, &s->err);
	return status == VRS_OK ? vrs_ocl_staging_create(&s->down, s->context, &planar, NULL, &s->err) : status;
}

static enum vrs_status make_output(struct sample *s)
{
	float output[SIDE * SIDE];

	for (int i = 0; i < SIDE * SIDE; i++)
		output[i] = (float)(i % SIDE) / SIDE;
	return vrs_ocl_buffer_of(&s->output, s->context, output, sizeof output, &s->err);
}

static enum vrs_status make(struct sample *s)
{
	struct vrs_ocl_frame_options options = {.format = {.samples = format}, .output_channels = 1};

	for (int i = 0; i < 256; i++)
		options.curve[i] = (uint8_t)i;
	enum vrs_status status = vrs_ocl_context_open(&s->context, "", false, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_frame_create(&s->frame, s->context, &options, false, &s->err);
	if (status == VRS_OK)
		status = make_tables(s);
	if (status == VRS_OK)
		status = make_pictures(s);
	return status == VRS_OK ? make_output(s) : status;
}

static enum vrs_status send(struct sample *s)
{
	struct vrs_ocl_rows rows[3];
	enum vrs_status status = vrs_ocl_staging_take(s->up, rows, &s->err);

	for (int p = 0; p < 3 && status == VRS_OK; p++)
		for (int y = 0; y < vrs_plane_height(&format, p); y++)
			for (int x = 0; x < vrs_plane_width(&format, p); x++)
				rows[p].data[rows[p].stride_bytes * y + x] = (uint8_t)(x * 3 + y * 5 + p * 7);
	return status == VRS_OK ? vrs_ocl_staging_send(s->up, &s->in, &s->err) : status;
}

/* The next picture that was fetched. */
static enum vrs_status get(struct sample *s, uint64_t *hash)
{
	struct vrs_ocl_rows rows[3];
	enum vrs_status status = vrs_ocl_staging_get(s->down, rows, &s->err);

	for (int p = 0; p < 3 && status == VRS_OK; p++)
		for (int y = 0; y < vrs_plane_height(&format, p); y++)
			*hash = vrs_hash(*hash, rows[p].data + rows[p].stride_bytes * y, (size_t)vrs_plane_width(&format, p));
	return status;
}

static enum vrs_status run(struct sample *s, uint64_t *hash)
{
	static const int which[2] = {0, 0};
	const struct vrs_ocl_blend blend = {.ground = {10, 20, 30}};
	enum vrs_status status = send(s);

	if (status == VRS_OK)
		status = vrs_ocl_frame_scale(s->frame, s->scale, &s->in, s->input, 0, NULL, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_frame_matte(s->frame, s->output, 0, SIDE, SIDE, &s->mattes, 0, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_frame_compose(s->frame, s->compose, &s->out, &s->in, &s->mattes, &blend, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_frame_pack(s->frame, s->pack, &s->packed, &s->in, &s->mattes, which, s->places, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_staging_fetch(s->down, &s->out, &s->err);
	if (status == VRS_OK)
		status = vrs_ocl_staging_fetch(s->down, &s->packed, &s->err);
	for (int i = 0; i < 2 && status == VRS_OK; i++)
		status = get(s, hash);
	return status;
}

static void end(struct sample *s)
{
	vrs_ocl_staging_destroy(s->up);
	vrs_ocl_staging_destroy(s->down);
	vrs_ocl_picture_fini(&s->in);
	vrs_ocl_picture_fini(&s->out);
	vrs_ocl_picture_fini(&s->packed);
	vrs_ocl_picture_fini(&s->mattes);
	vrs_ocl_release(s->input);
	vrs_ocl_release(s->output);
	vrs_ocl_pack_destroy(s->pack);
	vrs_ocl_compose_destroy(s->compose);
	vrs_ocl_scale_destroy(s->scale);
	vrs_ocl_frame_destroy(s->frame);
	vrs_ocl_context_close(s->context);
	vrs_alpha_pack_destroy(s->host_pack);
	vrs_arena_free(&s->arena);
}

int main(void)
{
	static struct sample s;
	uint64_t hash = VRS_HASH_INIT;
	char text[512];
	enum vrs_status status = make(&s);

	if (status == VRS_OK)
		status = run(&s, &hash);
	end(&s);
	if (status != VRS_OK) {
		(void)fprintf(stderr, "error: %s\n", vrs_error_str(&s.err, text, sizeof text));
		return 3;
	}
	printf("%016llx\n", (unsigned long long)hash);
	return 0;
}
