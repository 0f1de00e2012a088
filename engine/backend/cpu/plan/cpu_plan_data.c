/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/plan/cpu_plan_data.h"

#include "base/assert.h"
#include "base/buf.h"

#define MAX_VALUES ((size_t)1 << 20)
#define MAX_OPS ((size_t)1 << 20)
#define MAX_ITEMS ((size_t)1 << 26)

enum vrs_status vrs_cpu_plan_no_memory(struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOMEM, "out of memory while the network is planned");
}

int vrs_cpu_plan_add_value(struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value)
{
	VRS_ASSERT(value->images >= 0 && value->height >= 0 && value->width >= 0 && value->channels >= 0);
	enum vrs_status status = vrs_array_grow(&plan->values, &plan->value_cap, (size_t)plan->value_count + 1, sizeof *value, MAX_VALUES);
	if (status != VRS_OK)
		return status;
	plan->values[plan->value_count] = *value;
	return plan->value_count++;
}

enum vrs_status vrs_cpu_plan_add_op(struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, struct vrs_cpu_op **ops, int *count, size_t *cap)
{
	enum vrs_status status = vrs_array_grow(ops, cap, (size_t)*count + 1, sizeof *op, MAX_OPS);
	if (status != VRS_OK)
		return status;
	plan->values[op->out].op = *count;
	(*ops)[(*count)++] = *op;
	return VRS_OK;
}

enum vrs_status vrs_cpu_plan_push(struct vrs_cpu_plan *plan, struct vrs_cpu_item item)
{
	VRS_ASSERT(item.op >= 0 && item.op < plan->op_count);
	VRS_ASSERT(item.y1 == -1 || (item.y0 >= 0 && item.y0 < item.y1));
	VRS_ASSERT(item.share.c1 == 0 || item.share.c0 < item.share.c1);
	enum vrs_status status = vrs_array_grow(&plan->items, &plan->item_cap, plan->item_count + 1, sizeof item, MAX_ITEMS);
	if (status == VRS_OK)
		plan->items[plan->item_count++] = item;
	return status;
}
