/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/mem_items.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

size_t vrs_mem_round(size_t bytes)
{
	return (bytes + VRS_MEM_ALIGNMENT - 1) / VRS_MEM_ALIGNMENT * VRS_MEM_ALIGNMENT;
}

enum vrs_status vrs_mem_check(const struct vrs_mem_item *items, int count)
{
	size_t sum = 0;

	if (count < 0)
		return VRS_EINVAL;
	for (int i = 0; i < count; i++) {
		if (items[i].first > items[i].last)
			return VRS_EINVAL;
		/* With the sum of all sizes representable no offset can overflow. */
		if (items[i].bytes > SIZE_MAX / 2 || !vrs_add_size(sum, vrs_mem_round(items[i].bytes), &sum))
			return VRS_ELIMIT;
	}
	return VRS_OK;
}

size_t vrs_mem_live_bytes(const struct vrs_mem_item *items, int count, int step)
{
	size_t live = 0;

	for (int i = 0; i < count; i++)
		if (items[i].first <= step && items[i].last >= step)
			live += vrs_mem_round(items[i].bytes);
	return live;
}

static int larger_first(const void *a, const void *b)
{
	const struct vrs_mem_order *x = a, *y = b;

	if (x->key < y->key || x->key > y->key)
		return x->key < y->key ? 1 : -1;
	return (x->item > y->item) - (x->item < y->item);
}

void vrs_mem_sort(struct vrs_mem_order *order, int count)
{
	qsort(order, (size_t)count, sizeof *order, larger_first);
}
