/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_plan.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

#include <vrseg/config.h>

#define STILL 1 /* steps: states of a recurrent network are calmest in a view that does not move */

/* VR180 eyes are square; without metadata only their shape tells. */
static bool shows_half_sphere(const struct vrs_layout *layout, const struct vrs_rect *eye)
{
	switch (layout->projection) {
	case VRS_PROJECTION_HEQUIRECT:
	case VRS_PROJECTION_FISHEYE:
		return true;
	case VRS_PROJECTION_UNKNOWN:
		return layout->stereo != VRS_STEREO_MONO && eye->width * 10 > eye->height * 9 && eye->width * 9 < eye->height * 10;
	case VRS_PROJECTION_FLAT:
	case VRS_PROJECTION_EQUIRECT:
		break;
	}
	return false;
}

/* A sphere, half of one or a fisheye circle, as metadata or else the shape of an eye says. */
static bool is_of_vr(const struct vrs_layout *layout, const struct vrs_picture_format *format)
{
	struct vrs_rect eye = vrs_layout_eye(layout, format->width, format->height, 0);
	return layout->projection == VRS_PROJECTION_EQUIRECT || shows_half_sphere(layout, &eye);
}

enum vrs_status vrs_roi_settle_size(struct vrs_settings *settings, const struct vrs_layout *layout, const struct vrs_picture_format *format,
				    struct vrs_error *err)
{
	int *size = settings->engine.input_size;
	struct vrs_manifest manifest;
	if (size[0] || size[1])
		return VRS_OK;
	enum vrs_status status = vrs_manifest_load(&manifest, settings->engine.model, err);
	if (status != VRS_OK)
		return status;
	const int (*sizes)[2] = is_of_vr(layout, format) ? manifest.vr_size : manifest.flat_size;
	memcpy(size, sizes[settings->engine.auto_size], sizeof settings->engine.input_size);
	return VRS_OK;
}

/* Centred part of [at, at + length) of about share * length, beginning at a multiple of step and a multiple of step long. */
static void centre_part(int at, int length, double share, int step, int *ret_at, int *ret_length)
{
	int part = (int)lrint(length * share / step) * step;
	part = part < step ? step : part;
	if (part >= length) {
		*ret_at = at;
		*ret_length = length;
		return;
	}
	*ret_at = at + (length - part) / 2 / step * step;
	*ret_length = part;
}

struct vrs_rect vrs_view_rect(const struct vrs_layout *layout, const struct vrs_settings *settings, const struct vrs_picture_format *format, int eye)
{
	struct vrs_rect whole = vrs_layout_eye(layout, format->width, format->height, eye);
	bool centre = settings->matte.view == VRS_VIEW_CENTRE || (settings->matte.view == VRS_VIEW_AUTO && shows_half_sphere(layout, &whole));
	if (!centre)
		return whole;
	struct vrs_rect view;
	centre_part(whole.x, whole.width, settings->matte.view_size, 1 << format->chroma_shift_x, &view.x, &view.width);
	centre_part(whole.y, whole.height, settings->matte.view_size, 1 << format->chroma_shift_y, &view.y, &view.height);
	return view;
}

void vrs_roi_plan_follow(struct vrs_roi_plan *plan)
{
	for (int eye = 0; eye < plan->eyes; eye++) {
		struct vrs_rect whole = vrs_layout_eye(plan->layout, plan->format.width, plan->format.height, eye);
		plan->follow[eye] = vrs_follow_make(&whole, &plan->views[eye], &plan->format);
		plan->follow[eye].still = plan->follow[eye].outside = plan->has_states ? STILL : 0;
		plan->areas[eye] = plan->follows ? whole : plan->views[eye];
		if (plan->pad > 0)
			plan->areas[eye] = vrs_follow_padded(&plan->follow[eye], &plan->areas[eye], plan->pad);
	}
}

/* How far --grow and --feather move edges out of what is looked at; not where that is all there is. */
static int pad_of(const struct vrs_roi_plan *plan)
{
	bool has_more = plan->follows;
	for (int eye = 0; eye < plan->eyes && !has_more; eye++) {
		struct vrs_rect whole = vrs_layout_eye(plan->layout, plan->format.width, plan->format.height, eye);
		has_more = memcmp(&whole, &plan->views[eye], sizeof whole) != 0;
	}
	return has_more ? (int)ceil(fmax(plan->settings->matte.grow + plan->settings->matte.feather, 0)) : 0;
}

enum vrs_status vrs_roi_plan_sizes(struct vrs_roi_plan *plan, const struct vrs_network_shape *shape)
{
	plan->shape = *shape;
	plan->has_states = plan->network.manifest.state_count > 0;
	plan->follows = plan->settings->matte.follow;
	plan->lag = plan->has_states ? 1 : VRS_FOLLOW_LAG; /* frames one after another need not wait for each other */
	plan->regions = vrs_network_regions(plan->settings, &plan->network.manifest);
	plan->tracks = plan->regions > 1;
	plan->pad = pad_of(plan);
	plan->matte_width = shape->matte_width * (vrs_roi_merges(plan) ? 2 : 1);
	plan->matte_height = shape->matte_height * (vrs_roi_merges(plan) ? 2 : 1);
	plan->look_size = (size_t)shape->matte_width * (size_t)shape->matte_height; /* the network has it */
	return vrs_mul_size((size_t)plan->matte_width, (size_t)plan->matte_height, &plan->matte_size) ? VRS_OK : VRS_ELIMIT;
}

bool vrs_roi_merges(const struct vrs_roi_plan *plan)
{
	return plan->regions > 1 || plan->pad > 0;
}

bool vrs_roi_looks_are_mattes(const struct vrs_roi_plan *plan)
{
	return !vrs_roi_merges(plan) && plan->matte_width == plan->shape.matte_width && plan->matte_height == plan->shape.matte_height;
}

void vrs_roi_plan_fini(struct vrs_roi_plan *plan)
{
	vrs_arena_free(&plan->arena);
	vrs_network_fini(&plan->network);
}

const struct vrs_rect *vrs_roi_area(const struct vrs_roi_plan *plan, int eye)
{
	VRS_ASSERT(eye >= 0 && eye < plan->eyes);
	return &plan->areas[eye];
}

struct vrs_rect vrs_roi_in_eye(const struct vrs_roi_plan *plan, int eye, const struct vrs_rect *part)
{
	const struct vrs_rect *whole = &plan->follow[eye].eye;
	return (struct vrs_rect){part->x - whole->x, part->y - whole->y, part->width, part->height};
}

bool vrs_roi_is_wide(const struct vrs_roi_plan *plan, const struct vrs_frame_task *task)
{
	/* with a stride: the first frame that is seen after so many */
	return plan->follows && vrs_frame_task_phase(task) % VRS_ROI_WIDE_EVERY < (uint64_t)plan->settings->matte.stride;
}
