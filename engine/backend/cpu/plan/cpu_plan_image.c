/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Image after image instead of region after region.  One thread that takes all images of a batch through a region before the next one works on the
 * maps of all of them at a time; image by image it keeps those of one, and reads the weights once more for each.  So this pays where the weights
 * stay in the caches anyway.
 *
 * An image reads nothing of another one, and what it leaves behind, but for network outputs, is dead when the next one begins: all images use the
 * same memory, which is still in the caches.
 */
#include "backend/cpu/plan/cpu_plan_steps.h"

#include "base/assert.h"
#include "base/mem.h"

#define MOST_WEIGHT_BYTES (1 << 20) /* about a second-level cache */

/* Do the items of the region go through all images, one after the other? */
static bool region_is_by_image(const struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region, int images)
{
	for (int i = 0; i < region->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[region->first_op + i];
		if (op->kind == VRS_CPU_FLAT || plan->values[op->out].images != images)
			return false;
	}
	return region->units == 1;
}

static int images_of(const struct vrs_cpu_plan *plan)
{
	int images = plan->op_count > 0 ? plan->values[plan->ops[0].out].images : 1;
	if (plan->threads != 1 || plan->weights_count * sizeof(float) + plan->half_count * sizeof(uint16_t) > MOST_WEIGHT_BYTES)
		return 1;
	for (int r = 0; r < plan->region_count && images > 1; r++)
		if (!region_is_by_image(plan, &plan->regions[r], images))
			return 1;
	return images;
}

/* The items of a unit that belong to the image; they lie together. */
static struct vrs_cpu_unit part_of(const struct vrs_cpu_plan *plan, const struct vrs_cpu_unit *unit, int image)
{
	size_t first = unit->first, end = unit->first + unit->count;
	while (first < end && plan->items[first].image < image)
		first++;
	size_t last = first;
	while (last < end && plan->items[last].image == image)
		last++;
	VRS_ASSERT(first <= last && last <= plan->item_count);
	return (struct vrs_cpu_unit){first, last - first};
}

enum vrs_status vrs_cpu_plan_images(struct vrs_cpu_plan *plan)
{
	int images = images_of(plan), regions = plan->region_count;
	if (images < 2)
		return VRS_OK;
	plan->image_units = vrs_calloc((size_t)images * (size_t)regions, sizeof *plan->image_units);
	if (!plan->image_units)
		return VRS_ENOMEM;
	for (int r = 0; r < regions; r++) {
		const struct vrs_cpu_unit *unit = &plan->units[plan->unit_start[r]];
		size_t count = 0;
		for (int image = 0; image < images; image++) {
			struct vrs_cpu_unit part = part_of(plan, unit, image);
			plan->image_units[(size_t)image * (size_t)regions + (size_t)r] = part;
			count += part.count;
		}
		if (count != unit->count) /* items that are not in the order of their images */
			return VRS_OK;
	}
	plan->image_unit_count = (size_t)images * (size_t)regions;
	return VRS_OK;
}
