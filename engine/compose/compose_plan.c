/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/compose_plan.h"

#include <string.h>

#include "base/assert.h"
#include "session/frame_devices.h"
#include "video/source.h"

#define PACKED 2 /* pictures that are packed at a time, as a rule */

/* The picture divided among the eyes without rest: what lies between or beside the eyes goes to the nearer one. */
static void divide(const struct vrs_layout *layout, const struct vrs_picture_format *format, struct vrs_rect parts[VRS_MAX_EYES])
{
	int eyes = vrs_layout_eyes(layout);
	struct vrs_rect eye[VRS_MAX_EYES];
	for (int i = 0; i < eyes; i++) {
		eye[i] = vrs_layout_eye(layout, format->width, format->height, i);
		parts[i] = (struct vrs_rect){.width = format->width, .height = format->height};
	}
	for (int i = 0; i < eyes && eyes > 1; i++) {
		const struct vrs_rect *other = &eye[1 - i];
		if (eye[i].x > other->x) {
			parts[i].x = eye[i].x;
			parts[i].width = format->width - eye[i].x;
		} else if (eye[i].x < other->x) {
			parts[i].width = other->x;
		} else if (eye[i].y > other->y) {
			parts[i].y = eye[i].y;
			parts[i].height = format->height - eye[i].y;
		} else {
			parts[i].height = other->y;
		}
	}
}

static enum vrs_backdrop_kind backdrop_kind(const struct vrs_settings *settings, const struct vrs_backdrop_feed *feed)
{
	const char *background = settings->output.background;
	if (settings->output.mode != VRS_MODE_GREEN || strcmp(background, "color") == 0)
		return VRS_BACKDROP_COLOR;
	if (strcmp(background, "blur") == 0)
		return VRS_BACKDROP_BLUR;
	return feed && vrs_backdrop_feed_picture(feed) ? VRS_BACKDROP_PICTURE : VRS_BACKDROP_VIDEO;
}

bool vrs_background_is_file(const struct vrs_settings *settings)
{
	return backdrop_kind(settings, NULL) == VRS_BACKDROP_VIDEO;
}

enum vrs_status vrs_backdrop_open(struct vrs_backdrop_feed **ret_feed, const struct vrs_settings *settings, const struct vrs_layout *layout,
				  const struct vrs_source_info *source, const struct vrs_picture_format *format, int threads, struct vrs_error *err)
{
	struct vrs_backdrop_feed_options options = {.format = vrs_composite_format(format), .layout = layout, .eyes = vrs_layout_eyes(layout),
		.sample_aspect = vrs_source_sample_aspect(source), .threads = threads, .holds = settings->pipeline.live};
	*ret_feed = NULL;
	if (!vrs_background_is_file(settings))
		return VRS_OK;
	divide(layout, format, options.parts);
	return vrs_backdrop_feed_create(ret_feed, settings->output.background, &options, err);
}

void vrs_backdrop_plan(struct vrs_composite_options *ret, const struct vrs_settings *settings, const struct vrs_layout *layout,
		       const struct vrs_backdrop_feed *feed)
{
	ret->backdrop = (struct vrs_backdrop_options){.kind = backdrop_kind(settings, feed), .part_count = vrs_layout_eyes(layout),
		.blur = settings->output.blur};
	divide(layout, &ret->format, ret->backdrop.parts);
	ret->backdrop.wraps = vrs_layout_is_whole_turn(layout);
	ret->despill = settings->output.mode == VRS_MODE_GREEN ? settings->matte.despill : 0;
	ret->picture = feed ? vrs_backdrop_feed_picture(feed) : NULL;
}

bool vrs_foreground_wanted(const struct vrs_settings *settings, const struct vrs_manifest *manifest)
{
	if (settings->output.mode == VRS_MODE_MATTE || settings->matte.foreground == VRS_FOREGROUND_OFF)
		return false;
	return settings->matte.foreground == VRS_FOREGROUND_ON ||
	       (manifest->output_kind == VRS_OUTPUT_ALPHA_FOREGROUND && !(settings->matte.despill > 0));
}

struct vrs_sharp_options vrs_sharp_plan(const struct vrs_settings *settings)
{
	if (!settings->matte.refine_full)
		return (struct vrs_sharp_options){0};
	return (struct vrs_sharp_options){settings->matte.refine_radius, settings->matte.refine_eps, settings->matte.refine_limit};
}

/* Options of every composite of the job. */
static void composite_options(const struct vrs_compose_plan *plan, struct vrs_composite_options *ret)
{
	/* mode alpha is packed, not composed */
	static const enum vrs_composite_mode modes[] = {[VRS_MODE_GREEN] = VRS_COMPOSITE_GREEN, [VRS_MODE_MATTE] = VRS_COMPOSITE_MATTE,
							[VRS_MODE_ALPHA] = VRS_COMPOSITE_MATTE, [VRS_MODE_CUTOUT] = VRS_COMPOSITE_CUTOUT};
	*ret = (struct vrs_composite_options){.format = plan->format, .mode = modes[plan->settings->output.mode],
		.view_count = plan->eyes, .matte_width = plan->matte_width, .matte_height = plan->matte_height};
	memcpy(ret->color, plan->settings->output.color, sizeof ret->color);
	for (int eye = 0; eye < plan->eyes; eye++)
		ret->views[eye] = plan->areas[eye];
	ret->sharp = vrs_sharp_plan(plan->settings);
	ret->foreground = plan->foreground;
	vrs_backdrop_plan(ret, plan->settings, plan->layout, plan->backdrop);
}

struct vrs_picture_format vrs_compose_plan_output(const struct vrs_compose_plan *plan)
{
	if (plan->pack)
		return *vrs_alpha_pack_format(plan->pack);
	return plan->settings->output.mode == VRS_MODE_CUTOUT ? vrs_alpha_frame_format(&plan->format) : vrs_composite_format(&plan->format);
}

struct vrs_picture_format vrs_compose_plan_pool(const struct vrs_compose_plan *plan)
{
	return plan->alpha_frame ? vrs_composite_alpha_format(&plan->format) : vrs_compose_plan_output(plan);
}

enum vrs_status vrs_compose_plan_prepare(struct vrs_compose_plan *plan)
{
	struct vrs_composite_options options;
	composite_options(plan, &options);
	options.sharp.radius = 0; /* this one only fills frames */
	options.foreground = false;
	enum vrs_status status = plan->pack ? VRS_OK : vrs_composite_create(&plan->filler, &plan->arena, &options);
	if (status == VRS_OK && options.mode == VRS_COMPOSITE_CUTOUT)
		status = vrs_alpha_frame_create(&plan->alpha_frame, &plan->format);
	return status;
}

static void prepare_frame(void *composite, struct vrs_frame *frame)
{
	vrs_composite_fill(composite, frame);
}

bool vrs_compose_plan_recolors(const struct vrs_compose_plan *plan)
{
	return plan->foreground && (plan->pack || plan->settings->output.mode == VRS_MODE_CUTOUT);
}

enum vrs_status vrs_compose_plan_make_pool(struct vrs_compose_plan *plan, int frames)
{
	struct vrs_picture_format format = vrs_compose_plan_pool(plan);
	enum vrs_status status = vrs_frame_pool_create(&plan->pool, &format, frames, plan->filler ? prepare_frame : NULL, plan->filler);
	if (status == VRS_OK && vrs_compose_plan_recolors(plan))
		status = vrs_frame_pool_create(&plan->recolored, &plan->format, plan->pack ? PACKED : frames, NULL, NULL);
	return status;
}

void vrs_compose_plan_fini(struct vrs_compose_plan *plan)
{
	vrs_frame_pool_destroy(plan->pool);
	vrs_frame_pool_destroy(plan->recolored);
	vrs_arena_free(&plan->arena);
	vrs_alpha_frame_destroy(plan->alpha_frame);
	vrs_backdrop_feed_destroy(plan->backdrop);
	vrs_alpha_pack_destroy(plan->pack);
}

enum vrs_status vrs_compose_behind(const struct vrs_compose_plan *plan, double seconds, struct vrs_frame *ret_behind, struct vrs_error *err)
{
	if (!plan->backdrop || vrs_backdrop_feed_picture(plan->backdrop))
		return VRS_OK;
	return vrs_backdrop_feed_at(plan->backdrop, seconds, ret_behind, err);
}

const struct vrs_error *vrs_compose_behind_broken(const struct vrs_compose_plan *plan)
{
	return plan->backdrop ? vrs_backdrop_feed_broken(plan->backdrop) : NULL;
}

enum vrs_status vrs_compose_tools_init(struct vrs_compose_tools *tools, struct vrs_arena *arena, const struct vrs_compose_plan *plan,
				       struct vrs_error *err)
{
	struct vrs_composite_options options;
	const struct vrs_packer_options pack = {.settings = plan->settings, .pack = plan->pack, .eyes = plan->eyes,
		.device = vrs_frame_device_find(plan->settings->engine.backend), .matte_width = plan->matte_width, .matte_height = plan->matte_height};
	enum vrs_status status = plan->pack ? vrs_packer_create(&tools->packer, &pack, err) : VRS_OK;
	if (status != VRS_OK || (plan->pack && !vrs_compose_plan_recolors(plan)))
		return status;
	composite_options(plan, &options);
	return vrs_composite_create(&tools->composite, arena, &options);
}

void vrs_compose_tools_fini(struct vrs_compose_tools *tools)
{
	vrs_packer_destroy(tools->packer);
	tools->packer = NULL;
}

static enum vrs_status get_frame(struct vrs_frame_pool *pool, struct vrs_frame *ret_frame, struct vrs_composite_past **ret_past,
				 struct vrs_error *err)
{
	enum vrs_status status = vrs_frame_pool_get(pool, ret_frame, ret_past);
	if (status == VRS_OK)
		return VRS_OK;
	return vrs_fail(err, status, status == VRS_ELIMIT ? "the encoder keeps more than %d frames" : "no memory for a frame beyond %d",
			vrs_frame_pool_size(pool));
}

/* The picture of the task becomes one that may be changed. */
static enum vrs_status make_writable(const struct vrs_compose_plan *plan, struct vrs_frame_task *task, struct vrs_error *err)
{
	struct vrs_frame copy, *frame = &task->frame;
	struct vrs_composite_past *past;
	if (frame->writable)
		return VRS_OK;
	enum vrs_status status = get_frame(plan->recolored, &copy, &past, err);
	if (status != VRS_OK)
		return status;
	for (int p = 0; p < frame->format.planes; p++) {
		size_t bytes = (size_t)vrs_plane_width(&frame->format, p) * (size_t)vrs_sample_bytes(&frame->format);
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			memcpy(copy.data[p] + copy.stride_bytes[p] * y, frame->data[p] + frame->stride_bytes[p] * y, bytes);
	}
	copy.pts = frame->pts;
	copy.duration = frame->duration;
	copy.index = frame->index;
	vrs_frame_unref(frame);
	*frame = copy;
	return VRS_OK;
}

/* Into a frame of the pool. */
static enum vrs_status compose_into_pool(const struct vrs_compose_plan *plan, const struct vrs_compose_tools *tools,
					 struct vrs_frame_task *task, const struct vrs_matte *mattes, const struct vrs_rect *shown, struct vrs_error *err)
{
	struct vrs_frame out;
	struct vrs_composite_past *past;
	bool recolors = vrs_compose_plan_recolors(plan);
	enum vrs_status status = recolors ? make_writable(plan, task, err) : VRS_OK;
	if (status == VRS_OK)
		status = get_frame(plan->pool, &out, &past, err);
	if (status != VRS_OK)
		return status;
	if (!plan->pack) /* before colours change: alpha may follow the edges of the picture */
		vrs_composite_run(tools->composite, &out, &task->frame, mattes, vrs_composite_is_moving(tools->composite) ? NULL : past);
	if (recolors)
		vrs_composite_recolor(tools->composite, &task->frame, mattes);
	if (plan->pack)
		vrs_packer_run(tools->packer, &out, &task->frame, mattes, shown);
	vrs_frame_unref(&task->behind);
	if (plan->alpha_frame)
		return vrs_alpha_frame_join(plan->alpha_frame, &task->frame, &out) ? vrs_fail(err, VRS_ENOMEM, "no memory for a frame") : VRS_OK;
	out.pts = task->frame.pts;
	out.duration = task->frame.duration;
	out.index = task->frame.index;
	vrs_frame_unref(&task->frame);
	task->frame = out;
	return VRS_OK;
}

enum vrs_status vrs_compose_run(const struct vrs_compose_plan *plan, const struct vrs_compose_tools *tools, struct vrs_frame_task *task,
				const struct vrs_matte *mattes, const struct vrs_rect *shown, struct vrs_error *err)
{
	struct vrs_composite *composite = tools->composite;
	VRS_ASSERT(!task->preroll && (!plan->pack || vrs_compose_plan_recolors(plan)) == (composite != NULL));
	for (int eye = 0; eye < plan->eyes && composite; eye++)
		(void)vrs_composite_place(composite, eye, &shown[eye]); /* inside the eye always */
	if (task->behind.data[0])
		vrs_composite_behind(composite, &task->behind);
	if (plan->pack || !task->frame.writable || plan->prefer_pool || !vrs_composite_in_place(composite))
		return compose_into_pool(plan, tools, task, mattes, shown, err);
	vrs_composite_run(composite, &task->frame, &task->frame, mattes, NULL);
	task->frame.format = vrs_composite_format(&task->frame.format);
	return VRS_OK;
}
