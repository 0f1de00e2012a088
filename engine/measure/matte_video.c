/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/matte_video.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job/packed_video.h"
#include "matte/matte_expand.h"
#include "measure/matte_kind.h"
#include "vr/name_tags.h"

#define PROBE_FRAMES 100   /* black ones at the beginning that say nothing */
#define DISC_SHARE 0.4     /* of an eye: how small its packed matte is */
#define USUAL_FOV 180.0

static double clock_of(const struct vrs_matte_video *v, const struct vrs_frame *frame)
{
	const struct vrs_source_info *info = vrs_source_info(v->source);
	if (frame->pts != INT64_MIN && info->time_base_den > 0)
		return (double)frame->pts * info->time_base_num / info->time_base_den;
	return info->fps_num > 0 ? (double)frame->index * info->fps_den / info->fps_num : (double)frame->index;
}

double vrs_matte_video_step(const struct vrs_matte_video *v)
{
	const struct vrs_source_info *info = vrs_source_info(v->source);
	return info->fps_num > 0 ? (double)info->fps_den / info->fps_num : 0;
}

static enum vrs_status open_source(struct vrs_matte_video *v, const char *path, int threads, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = threads};
	*v = (struct vrs_matte_video){.path = path};
	enum vrs_status status = vrs_source_open(&v->source, path, &options, err);
	if (status == VRS_OK) {
		v->width = vrs_source_info(v->source)->format.width;
		v->height = vrs_source_info(v->source)->format.height;
	}
	return status;
}

void vrs_matte_video_set_layout(struct vrs_matte_video *v, const struct vrs_layout *layout)
{
	v->layout = *layout;
	v->eyes = vrs_layout_eyes(layout);
	for (int i = 0; i < v->eyes; i++)
		v->eye[i] = vrs_layout_eye(layout, v->width, v->height, i);
}

/* Eyes that hold nothing cannot be measured. */
static enum vrs_status check_eyes(const struct vrs_matte_video *v, struct vrs_error *err)
{
	for (int i = 0; i < v->eyes; i++)
		if (v->eye[i].width < 2 || v->eye[i].height < 2)
			return vrs_fail(err, VRS_EUNSUPPORTED, "%s has %dx%d pixels, too few for %d eyes", v->path, v->width, v->height, v->eyes);
	return VRS_OK;
}

enum vrs_status vrs_picture_video_open(struct vrs_matte_video *v, const char *path, const struct vrs_layout_request *request, int threads,
				       struct vrs_error *err)
{
	struct vrs_layout layout;
	enum vrs_status status = open_source(v, path, threads, err);
	if (status == VRS_OK)
		status = vrs_layout_decide(&layout, request, &vrs_source_info(v->source)->side, path, v->width, v->height, err);
	if (status != VRS_OK)
		return status;
	vrs_matte_video_set_layout(v, &layout);
	return check_eyes(v, err);
}

/* Look at frames from the beginning until one tells, and go back. */
static enum vrs_status find_kind(struct vrs_matte_video *v, struct vrs_error *err)
{
	struct vrs_name_tags tags;
	struct vrs_matte_kind_guess guess = {.kind = VRS_MATTE_KIND_AUTO};
	enum vrs_status status = VRS_OK;
	vrs_name_tags_parse(&tags, v->path);
	bool tagged = tags.alpha_packed && v->width == 2 * v->height;
	for (int i = 0; i < PROBE_FRAMES && status == VRS_OK && guess.kind == VRS_MATTE_KIND_AUTO && !guess.is_none; i++) {
		struct vrs_frame frame = {0};
		status = vrs_source_read(v->source, &frame, err);
		if (status == VRS_OK)
			guess = vrs_matte_kind_of_frame(&frame, tagged);
		vrs_frame_unref(&frame);
	}
	if (status != VRS_OK && status != VRS_END)
		return status;
	if (guess.is_none)
		return vrs_fail(err, VRS_EFORMAT, "%s holds no matte: it shows %s", v->path, guess.reason);
	if (guess.kind == VRS_MATTE_KIND_AUTO)
		guess = tagged ? (struct vrs_matte_kind_guess){VRS_MATTE_KIND_PACK, false, "it is black, and its name has the tag alpha"}
			       : (struct vrs_matte_kind_guess){VRS_MATTE_KIND_MATTE, false, "it is black"};
	v->kind = guess.kind;
	snprintf(v->reason, sizeof v->reason, "%s", guess.reason);
	return vrs_source_rewind(v->source, err);
}

/* A kind that was asked for needs its picture, too. */
static enum vrs_status check_kind(const struct vrs_matte_video *v, struct vrs_error *err)
{
	if (v->kind == VRS_MATTE_KIND_CUTOUT && vrs_source_info(v->source)->format.planes != 4)
		return vrs_fail(err, VRS_ECONFIG, "%s has no alpha channel, which --kind cutout asks for", v->path);
	if (v->kind == VRS_MATTE_KIND_PACK && v->width != 2 * v->height)
		return vrs_fail(err, VRS_ECONFIG, "%s has %dx%d pixels; a picture with packed mattes is twice as wide as high", v->path, v->width,
				v->height);
	return VRS_OK;
}

static enum vrs_status decide_layout(struct vrs_matte_video *v, const struct vrs_layout_request *request, const struct vrs_matte_video *other,
				     struct vrs_error *err)
{
	struct vrs_layout layout;
	const struct vrs_layout_request none = {0};
	bool packed = v->kind == VRS_MATTE_KIND_PACK; /* the request is about what it was made of */
	enum vrs_status status = vrs_layout_decide(&layout, packed ? &none : request, &vrs_source_info(v->source)->side, v->path, v->width, v->height,
						   err);
	if (status != VRS_OK)
		return status;
	if (packed)
		layout = (struct vrs_layout){.stereo = VRS_STEREO_SBS, .source = VRS_LAYOUT_BY_PROJECTION, .projection = VRS_PROJECTION_FISHEYE,
			.fov_degrees = layout.projection == VRS_PROJECTION_FISHEYE && layout.fov_degrees > 0 ? layout.fov_degrees : USUAL_FOV,
			.pixel_aspect = 1, .reason = "mattes are packed into fisheye pictures only"};
	else if (other && other->width == v->width && other->height == v->height && layout.source == VRS_LAYOUT_BY_SHAPE)
		layout = other->layout;
	vrs_matte_video_set_layout(v, &layout);
	return check_eyes(v, err);
}

enum vrs_status vrs_matte_video_open(struct vrs_matte_video *v, const char *path, enum vrs_matte_kind kind,
				     const struct vrs_layout_request *request, const struct vrs_matte_video *other, int threads,
				     struct vrs_error *err)
{
	enum vrs_status status = open_source(v, path, threads, err);
	v->kind = kind;
	snprintf(v->reason, sizeof v->reason, "--kind says so");
	if (status == VRS_OK)
		status = kind == VRS_MATTE_KIND_AUTO ? find_kind(v, err) : check_kind(v, err);
	return status != VRS_OK ? status : decide_layout(v, request, other, err);
}

enum vrs_status vrs_matte_video_show_packed(struct vrs_matte_video *v, double fov, int side, struct vrs_error *err)
{
	const struct vrs_rect *eye = &v->eye[0];
	int width = eye->width < 2 * side ? eye->width : 2 * side; /* no more than the packed picture can show */
	int height = (int)((int64_t)eye->height * width / eye->width);
	v->places = vrs_arena_calloc(&v->arena, (size_t)side * (size_t)side, sizeof *v->places);
	v->side = side;
	if (!v->places || vrs_matte_init(&v->whole, &v->arena, width, height < 1 ? 1 : height) != VRS_OK)
		return vrs_fail_nomem(err);
	return vrs_pack_places(v->places, &v->layout, fov, v->whole.width, v->whole.height, side, err);
}

enum vrs_status vrs_matte_video_read(struct vrs_matte_video *v, struct vrs_error *err)
{
	struct vrs_frame frame = v->next;
	enum vrs_status status = VRS_OK;
	if (!v->has_next) {
		memset(&frame, 0, sizeof frame);
		status = vrs_source_read(v->source, &frame, err);
	}
	if (status != VRS_OK)
		return status;
	memset(&v->next, 0, sizeof v->next);
	v->has_next = false;
	vrs_frame_unref(&v->frame);
	v->frame = frame;
	if (v->frames++ == 0)
		v->first = clock_of(v, &frame);
	v->seconds = clock_of(v, &frame) - v->first;
	return VRS_OK;
}

enum vrs_status vrs_matte_video_seek(struct vrs_matte_video *v, double seconds, struct vrs_error *err)
{
	enum vrs_status status = v->frames == 0 ? vrs_matte_video_read(v, err) : VRS_OK;
	while (status == VRS_OK) {
		if (!v->has_next) {
			status = vrs_source_read(v->source, &v->next, err);
			if (status != VRS_OK)
				break;
			v->has_next = true;
			v->next_seconds = clock_of(v, &v->next) - v->first;
		}
		if (fabs(v->next_seconds - seconds) > fabs(v->seconds - seconds))
			return VRS_OK;
		status = vrs_matte_video_read(v, err);
	}
	if (status != VRS_END)
		return status;
	return v->frames > 0 ? VRS_OK : vrs_fail(err, VRS_EFORMAT, "%s has no frame", v->path);
}

void vrs_matte_video_size(const struct vrs_matte_video *v, int *ret_width, int *ret_height)
{
	bool packed = v->kind == VRS_MATTE_KIND_PACK;
	*ret_width = packed ? (int)lround(DISC_SHARE * v->height) : v->eye[0].width;
	*ret_height = packed ? *ret_width : v->eye[0].height;
}

/* An eye of the frame as it is, or as a packed picture shows it. */
static enum vrs_status draw(struct vrs_matte_video *v, const struct vrs_frame *frame, int eye, struct vrs_matte *dst)
{
	const struct vrs_rect *part = &v->eye[eye < v->eyes ? eye : 0], whole = {0, 0, v->whole.width, v->whole.height};
	if (!v->places)
		return vrs_matte_from_luma(dst, frame, part, part);
	if (dst->width != v->side || dst->height != v->side)
		return VRS_EINVAL;
	enum vrs_status status = vrs_matte_from_luma(&v->whole, frame, part, part);
	for (int i = 0; i < v->side * v->side && status == VRS_OK; i++)
		dst->data[dst->stride * (i / v->side) + i % v->side] = vrs_pack_alpha_at(&v->whole, &whole, &v->places[i]);
	return status;
}

enum vrs_status vrs_matte_video_matte(struct vrs_matte_video *v, int eye, struct vrs_matte *dst)
{
	if (v->kind == VRS_MATTE_KIND_PACK) {
		vrs_packed_video_matte(dst, &v->frame, eye, 0, 0);
		return VRS_OK;
	}
	if (v->kind != VRS_MATTE_KIND_CUTOUT)
		return draw(v, &v->frame, eye, dst);
	if (v->frame.format.planes != 4)
		return VRS_EINVAL;
	struct vrs_frame alpha = vrs_alpha_as_grey(&v->frame);
	return draw(v, &alpha, eye, dst);
}

enum vrs_status vrs_matte_video_luma(struct vrs_matte_video *v, int eye, struct vrs_matte *dst)
{
	return draw(v, &v->frame, eye, dst);
}

void vrs_matte_video_close(struct vrs_matte_video *v)
{
	vrs_frame_unref(&v->frame);
	vrs_frame_unref(&v->next);
	vrs_arena_free(&v->arena);
	vrs_source_close(v->source);
	v->source = NULL;
}
