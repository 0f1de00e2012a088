/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_plan.h"

#include "base/assert.h"
#include "base/mem.h"

void vrs_roi_plan_follow(struct vrs_roi_plan *plan)
{
	for (int eye = 0; eye < plan->eyes; eye++) {
		struct vrs_rect whole = vrs_layout_eye(plan->layout, plan->format.width, plan->format.height, eye);
		plan->follow[eye] = vrs_follow_make(&whole, &plan->views[eye], &plan->format);
	}
}

enum vrs_status vrs_roi_plan_sizes(struct vrs_roi_plan *plan, const struct vrs_network_shape *shape)
{
	plan->shape = *shape;
	plan->follows = plan->settings->matte.follow && plan->network.manifest.state_count == 0;
	plan->regions = plan->follows ? plan->settings->matte.max_regions : 1;
	/* a matte for several regions covers more than one look does */
	plan->matte_width = shape->matte_width * (plan->regions > 1 ? 2 : 1);
	plan->matte_height = shape->matte_height * (plan->regions > 1 ? 2 : 1);
	plan->look_size = (size_t)shape->matte_width * (size_t)shape->matte_height; /* the network has it */
	return vrs_mul_size((size_t)plan->matte_width, (size_t)plan->matte_height, &plan->matte_size) ? VRS_OK : VRS_ELIMIT;
}

void vrs_roi_plan_fini(struct vrs_roi_plan *plan)
{
	for (int eye = 0; eye < VRS_MAX_EYES; eye++)
		vrs_exclusion_destroy(plan->excluded[eye]);
	vrs_network_fini(&plan->network);
}

const struct vrs_rect *vrs_roi_area(const struct vrs_roi_plan *plan, int eye)
{
	VRS_ASSERT(eye >= 0 && eye < plan->eyes);
	return plan->follows ? &plan->follow[eye].eye : &plan->views[eye];
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
