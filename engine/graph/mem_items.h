/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffers with lifetimes, as memory planners take them (mem_plan.h, mem_share.h). */
#ifndef VRS_GRAPH_MEM_ITEMS_H
#define VRS_GRAPH_MEM_ITEMS_H

#include <stddef.h>

#include <vrseg/status.h>

#define VRS_MEM_ALIGNMENT ((size_t)64) /* bytes: what sizes are rounded up to */

struct vrs_mem_item {
	size_t bytes;
	int first, last;   /* steps, inclusive, during which the buffer is live */
	size_t offset;     /* result of vrs_mem_plan, a multiple of VRS_MEM_ALIGNMENT */
};

/* An order of items: the largest key first. */
struct vrs_mem_order {
	double key;
	int item;
};

size_t vrs_mem_round(size_t bytes);
/* Can the sizes be summed?  VRS_EINVAL: first above last, count below 0; VRS_ELIMIT. */
enum vrs_status vrs_mem_check(const struct vrs_mem_item *items, int count);
/* Rounded bytes of the items that live at a step. */
size_t vrs_mem_live_bytes(const struct vrs_mem_item *items, int count, int step);
/* Items with equal keys stay in the order of their indices. */
void vrs_mem_sort(struct vrs_mem_order *order, int count);

#endif
