/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/matte_inputs.h"

#include <math.h>
#include <stdlib.h>

#include "matte/matte_expand.h"

#define MOST_ASPECT 0.01 /* by which the shape of an eye of the source may differ */

/* The source may be larger or smaller than the mattes, in the same shape. */
static enum vrs_status check_source(const struct vrs_matte_inputs *in, struct vrs_error *err)
{
	const struct vrs_matte_video *m = &in->mattes, *s = &in->source;
	double ratio = (double)s->eye[0].width * m->eye[0].height / ((double)s->eye[0].height * m->eye[0].width);
	if (m->kind == VRS_MATTE_KIND_PACK)
		return VRS_OK;
	if (s->eyes != m->eyes || fabs(ratio - 1) > MOST_ASPECT)
		return vrs_fail(err, VRS_ECONFIG, "%s shows %s of %dx%d pixels, the mattes %s of %dx%d; --layout says how both lie", s->path,
				s->eyes > 1 ? "two eyes" : "one eye", s->eye[0].width, s->eye[0].height, m->eyes > 1 ? "two eyes" : "one eye",
				m->eye[0].width, m->eye[0].height);
	return VRS_OK;
}

static enum vrs_status open_truth(struct vrs_matte_inputs *in, struct vrs_error *err)
{
	const struct vrs_matte_request *request = in->request;
	struct vrs_matte_video *m = &in->mattes, *t = &in->truth;
	in->has_truth = true;
	enum vrs_status status = vrs_matte_video_open(t, request->truth, VRS_MATTE_KIND_AUTO, &request->layout, in->has_source ? &in->source : NULL,
						      request->threads, err);
	if (status != VRS_OK)
		return status;
	if (m->kind == VRS_MATTE_KIND_PACK)
		return t->kind == VRS_MATTE_KIND_PACK ? VRS_OK : vrs_matte_video_show_packed(t, m->layout.fov_degrees, in->width, err);
	if (t->width != m->width || t->height != m->height)
		return vrs_fail(err, VRS_ECONFIG, "the truth video has %dx%d pixels, the mattes %dx%d", t->width, t->height, m->width, m->height);
	vrs_matte_video_set_layout(t, &m->layout);
	return VRS_OK;
}

static enum vrs_status make_room(struct vrs_matte_inputs *in, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int eye = 0; eye < in->eyes && status == VRS_OK; eye++) {
		status = vrs_matte_init(&in->matte[eye], &in->arena, in->width, in->height);
		if (status == VRS_OK)
			status = vrs_matte_init(&in->luma[eye], &in->arena, in->width, in->height);
		if (status == VRS_OK)
			status = vrs_matte_init(&in->truths[eye], &in->arena, in->width, in->height);
	}
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "no memory to measure mattes of %dx%d", in->width, in->height);
}

enum vrs_status vrs_matte_inputs_open(struct vrs_matte_inputs *in, const struct vrs_matte_request *request, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	*in = (struct vrs_matte_inputs){.request = request};
	if (request->source) {
		in->has_source = true;
		status = vrs_picture_video_open(&in->source, request->source, &request->layout, request->threads, err);
	}
	if (status == VRS_OK)
		status = vrs_matte_video_open(&in->mattes, request->file, request->kind, &request->layout, in->has_source ? &in->source : NULL,
					      request->threads, err);
	if (status != VRS_OK)
		return status;
	struct vrs_matte_video *m = &in->mattes;
	in->eyes = m->eyes;
	vrs_matte_video_size(m, &in->width, &in->height);
	in->circle = m->kind != VRS_MATTE_KIND_PACK && vrs_layout_is_whole_turn(&m->layout) ? in->width : 0;
	in->has_picture = in->has_source || m->kind != VRS_MATTE_KIND_MATTE;
	if (in->width < 2 || in->height < 2)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has %dx%d pixels, too few to hold mattes", m->path, m->width, m->height);
	if (in->has_source)
		status = check_source(in, err);
	if (status == VRS_OK && in->has_source && m->kind == VRS_MATTE_KIND_PACK)
		status = vrs_matte_video_show_packed(&in->source, m->layout.fov_degrees, in->width, err);
	if (status == VRS_OK && request->truth)
		status = open_truth(in, err);
	return status != VRS_OK ? status : make_room(in, err);
}

enum vrs_status vrs_matte_inputs_read(struct vrs_matte_inputs *in, struct vrs_error *err)
{
	enum vrs_status status = vrs_matte_video_read(&in->mattes, err);
	double seconds = in->mattes.seconds, step = vrs_matte_video_step(&in->mattes);
	if (status == VRS_OK && in->has_source)
		status = vrs_matte_video_seek(&in->source, seconds, err);
	if (status == VRS_OK && in->has_truth) {
		status = vrs_matte_video_seek(&in->truth, seconds, err);
		if (status == VRS_OK && step > 0 && fabs(in->truth.seconds - seconds) > step)
			return vrs_fail(err, VRS_EFORMAT, "the truth video has no frame at %.3f s; its frame %lld is at %.3f s", seconds,
					(long long)in->truth.frames - 1, in->truth.seconds);
	}
	if (status == VRS_END && in->mattes.frames == 0)
		return vrs_fail(err, VRS_EFORMAT, "%s has no frame", in->mattes.path);
	return status;
}

enum vrs_status vrs_matte_inputs_draw(struct vrs_matte_inputs *in)
{
	enum vrs_status status = VRS_OK;
	for (int eye = 0; eye < in->eyes && status == VRS_OK; eye++) {
		status = vrs_matte_video_matte(&in->mattes, eye, &in->matte[eye]);
		if (status == VRS_OK && in->has_picture)
			status = vrs_matte_video_luma(in->has_source ? &in->source : &in->mattes, eye, &in->luma[eye]);
		if (status == VRS_OK && in->has_truth)
			status = vrs_matte_video_matte(&in->truth, eye, &in->truths[eye]);
	}
	return status;
}

void vrs_matte_inputs_close(struct vrs_matte_inputs *in)
{
	vrs_matte_video_close(&in->mattes);
	vrs_matte_video_close(&in->source);
	vrs_matte_video_close(&in->truth);
	vrs_arena_free(&in->arena);
}
