/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/plan/cpu_plan_data.h"

#include "base/assert.h"
#include "base/buf.h"

#define MAX_VALUES ((size_t)1 << 20)
#define MAX_ITEMS ((size_t)1 << 26)

int vrs_cpu_plan_add_value(struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value)
{
	VRS_ASSERT(value->images >= 0 && value->height >= 0 && value->width >= 0 && value->channels >= 0);
	void *items = plan->values;
	enum vrs_status status = vrs_array_grow(&items, &plan->value_cap, (size_t)plan->value_count + 1, sizeof *value, MAX_VALUES);
	plan->values = items;
	if (status != VRS_OK)
		return status;
	plan->values[plan->value_count] = *value;
	return plan->value_count++;
}

enum vrs_status vrs_cpu_plan_push(struct vrs_cpu_plan *plan, struct vrs_cpu_item item)
{
	VRS_ASSERT(item.op >= 0 && item.op < plan->op_count);
	VRS_ASSERT(item.y1 == -1 || (item.y0 >= 0 && item.y0 < item.y1));
	VRS_ASSERT(item.share.c1 == 0 || item.share.c0 < item.share.c1);
	void *items = plan->items;
	enum vrs_status status = vrs_array_grow(&items, &plan->item_cap, plan->item_count + 1, sizeof item, MAX_ITEMS);
	plan->items = items;
	if (status == VRS_OK)
		plan->items[plan->item_count++] = item;
	return status;
}
