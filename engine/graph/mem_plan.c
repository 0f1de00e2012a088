/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/mem_plan.h"

#include <stdint.h>

#include "base/mem.h"

#define ALIGNMENT ((size_t)64)

/* Working state: order of placement and, per item, its size rounded up. */
struct plan {
	struct vrs_mem_item *items;
	int count;
	int *order;
	size_t *offsets;   /* of the order being tried */
	int *placed;       /* indices of placed items, by offset */
};

enum order_key { BY_SIZE, BY_START, BY_AREA, BY_LENGTH, ORDER_COUNT };

static size_t round_up(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static double sort_key(const struct vrs_mem_item *item, enum order_key key)
{
	double length = (double)item->last - item->first + 1;

	switch (key) {
	case BY_SIZE: return (double)item->bytes;
	case BY_START: return -(double)item->first;
	case BY_AREA: return (double)item->bytes * length;
	case BY_LENGTH: return length;
	case ORDER_COUNT: break;
	}
	return 0;
}

/* Insertion sort, largest key first, ties in the given order: stable, so that the plan depends on the items alone. */
static void sort_items(struct plan *plan, enum order_key key)
{
	for (int i = 0; i < plan->count; i++) {
		int k = i;

		for (; k > 0 && sort_key(&plan->items[plan->order[k - 1]], key) < sort_key(&plan->items[i], key); k--)
			plan->order[k] = plan->order[k - 1];
		plan->order[k] = i;
	}
}

/* Lowest gap that holds item among the placed items whose lifetimes overlap it; the tightest gap wins. */
static size_t find_gap(const struct plan *plan, int item, int placed)
{
	const struct vrs_mem_item *it = &plan->items[item];
	size_t need = round_up(it->bytes), end = 0, best = SIZE_MAX, best_gap = SIZE_MAX;

	for (int i = 0; i < placed; i++) {
		const struct vrs_mem_item *other = &plan->items[plan->placed[i]];
		size_t at = plan->offsets[plan->placed[i]];

		if (other->last < it->first || other->first > it->last)
			continue;
		if (at > end && at - end >= need && at - end < best_gap) {
			best = end;
			best_gap = at - end;
		}
		if (at + round_up(other->bytes) > end)
			end = at + round_up(other->bytes);
	}
	return best != SIZE_MAX ? best : end;
}

/* Place all items in plan->order; the size of the arena. */
static size_t place_all(struct plan *plan)
{
	size_t total = 0;

	for (int i = 0; i < plan->count; i++) {
		int item = plan->order[i], k = i;
		size_t at = find_gap(plan, item, i);

		plan->offsets[item] = at;
		for (; k > 0 && plan->offsets[plan->placed[k - 1]] > at; k--)
			plan->placed[k] = plan->placed[k - 1];
		plan->placed[k] = item;
		if (at + round_up(plan->items[item].bytes) > total)
			total = at + round_up(plan->items[item].bytes);
	}
	return total;
}

/* Live bytes only change at the first step of an item, so the maximum is at one of those. */
static size_t lower_bound(const struct plan *plan)
{
	size_t most = 0;

	for (int i = 0; i < plan->count; i++) {
		size_t live = 0;

		for (int k = 0; k < plan->count; k++)
			if (plan->items[k].first <= plan->items[i].first && plan->items[k].last >= plan->items[i].first)
				live += round_up(plan->items[k].bytes);
		if (live > most)
			most = live;
	}
	return most;
}

static enum vrs_status check_items(const struct vrs_mem_item *items, int count)
{
	size_t sum = 0;

	for (int i = 0; i < count; i++) {
		if (items[i].first > items[i].last)
			return VRS_EINVAL;
		/* With the sum of all sizes representable no offset can overflow. */
		if (items[i].bytes > SIZE_MAX / 2 || !vrs_add_size(sum, round_up(items[i].bytes), &sum))
			return VRS_ELIMIT;
	}
	return VRS_OK;
}

enum vrs_status vrs_mem_plan(struct vrs_mem_item *items, int count, size_t *ret_total, size_t *ret_lower_bound)
{
	struct plan plan = { .items = items, .count = count };
	size_t best = SIZE_MAX;
	enum vrs_status status;

	if (count < 0)
		return VRS_EINVAL;
	status = check_items(items, count);
	if (status != VRS_OK)
		return status;
	plan.order = vrs_calloc((size_t)count + 1, sizeof *plan.order);
	plan.offsets = vrs_calloc((size_t)count + 1, sizeof *plan.offsets);
	plan.placed = vrs_calloc((size_t)count + 1, sizeof *plan.placed);
	if (plan.order == NULL || plan.offsets == NULL || plan.placed == NULL)
		status = VRS_ENOMEM;
	for (enum order_key key = BY_SIZE; key < ORDER_COUNT && status == VRS_OK; key++) {
		size_t total;

		sort_items(&plan, key);
		total = place_all(&plan);
		if (total >= best)
			continue;
		best = total;
		for (int i = 0; i < count; i++)
			items[i].offset = plan.offsets[i];
	}
	if (status == VRS_OK) {
		*ret_total = best;
		*ret_lower_bound = lower_bound(&plan);
	}
	vrs_free(plan.order);
	vrs_free(plan.offsets);
	vrs_free(plan.placed);
	return status;
}
