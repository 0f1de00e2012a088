/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/mem_plan.h"

#include <stdint.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/rng.h"

#define RESTARTS 8            /* perturbed orders, tried when no plain one reaches the lower bound */
#define RESTART_ITEMS 4000    /* an order takes a square of the items: above this only the plain ones are tried */
#define RESTART_SEED 20010328 /* the plan depends on the items alone */

/* Working state: order of placement and, per item, its size rounded up. */
struct plan {
	struct vrs_mem_item *items;
	int count;
	struct vrs_mem_order *order;
	double *breadth;   /* [item] largest sum of live bytes during its life */
	size_t *offsets;   /* of the order being tried */
	int *placed;       /* indices of placed items, by offset */
	size_t bound;
};

enum order_key { BY_SIZE, BY_BREADTH, BY_START, BY_AREA, BY_LENGTH, ORDER_COUNT };

static double sort_key(const struct plan *plan, int i, enum order_key key)
{
	const struct vrs_mem_item *item = &plan->items[i];
	double length = (double)item->last - item->first + 1;

	switch (key) {
	case BY_SIZE: return (double)item->bytes;
	case BY_BREADTH: return plan->breadth[i];
	case BY_START: return -(double)item->first;
	case BY_AREA: return (double)item->bytes * length;
	case BY_LENGTH: return length;
	case ORDER_COUNT: break;
	}
	return 0;
}

/* noise NULL: plain; else every key is multiplied by 0.7 to 1.3. Within equal breadth the larger item comes first. */
static void sort_items(struct plan *plan, enum order_key key, struct vrs_rng *noise)
{
	for (int i = 0; i < plan->count; i++) {
		double value = sort_key(plan, i, key);

		if (key == BY_BREADTH)
			value += (double)plan->items[i].bytes / 1e6;
		plan->order[i] = (struct vrs_mem_order){.key = noise ? value * (0.7 + 0.6 * vrs_rng_unit(noise)) : value, .item = i};
	}
	vrs_mem_sort(plan->order, plan->count);
}

/* Lowest gap that holds item among the placed items whose lifetimes overlap it; the tightest gap wins. */
static size_t find_gap(const struct plan *plan, int item, int placed)
{
	const struct vrs_mem_item *it = &plan->items[item];
	size_t need = vrs_mem_round(it->bytes), end = 0, best = SIZE_MAX, best_gap = SIZE_MAX;

	for (int i = 0; i < placed; i++) {
		const struct vrs_mem_item *other = &plan->items[plan->placed[i]];
		size_t at = plan->offsets[plan->placed[i]];

		if (other->last < it->first || other->first > it->last)
			continue;
		if (at > end && at - end >= need && at - end < best_gap) {
			best = end;
			best_gap = at - end;
		}
		if (at + vrs_mem_round(other->bytes) > end)
			end = at + vrs_mem_round(other->bytes);
	}
	return best != SIZE_MAX ? best : end;
}

/* Place all items in plan->order; the size of the arena. */
static size_t place_all(struct plan *plan)
{
	size_t total = 0;

	for (int i = 0; i < plan->count; i++) {
		int item = plan->order[i].item, k = i;
		size_t at = find_gap(plan, item, i);

		VRS_ASSERT(at % VRS_MEM_ALIGNMENT == 0);
		plan->offsets[item] = at;
		for (; k > 0 && plan->offsets[plan->placed[k - 1]] > at; k--)
			plan->placed[k] = plan->placed[k - 1];
		plan->placed[k] = item;
		if (at + vrs_mem_round(plan->items[item].bytes) > total)
			total = at + vrs_mem_round(plan->items[item].bytes);
	}
	return total;
}

/*
 * The largest sum of live bytes at any step, and that during the life of each item.  Live bytes only grow at the first step of an item, so the
 * sums at those steps are enough.
 */
static void find_bound(struct plan *plan)
{
	plan->bound = 0;
	for (int i = 0; i < plan->count; i++) {
		int step = plan->items[i].first;
		size_t live = vrs_mem_live_bytes(plan->items, plan->count, step);

		if (live > plan->bound)
			plan->bound = live;
		for (int k = 0; k < plan->count; k++)
			if (plan->items[k].first <= step && plan->items[k].last >= step && (double)live > plan->breadth[k])
				plan->breadth[k] = (double)live;
	}
}

/* Do no two items that live at the same time share a byte? */
static bool is_disjoint(const struct vrs_mem_item *items, int count)
{
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < i; k++) {
			bool together = items[i].first <= items[k].last && items[k].first <= items[i].last;

			if (together && items[i].offset < items[k].offset + items[k].bytes && items[k].offset < items[i].offset + items[i].bytes)
				return false;
		}
	}
	return true;
}

/* Try one order; keep it when it is the best so far. */
static void try_order(struct plan *plan, enum order_key key, struct vrs_rng *noise, size_t *best)
{
	size_t total;

	if (*best == plan->bound)
		return;
	sort_items(plan, key, noise);
	total = place_all(plan);
	if (total >= *best)
		return;
	*best = total;
	for (int i = 0; i < plan->count; i++)
		plan->items[i].offset = plan->offsets[i];
}

enum vrs_status vrs_mem_plan(struct vrs_mem_item *items, int count, size_t *ret_total, size_t *ret_lower_bound)
{
	struct plan plan = {.items = items, .count = count};
	size_t best = SIZE_MAX;
	struct vrs_rng noise;
	enum vrs_status status = vrs_mem_check(items, count);

	if (status != VRS_OK)
		return status;
	plan.order = vrs_calloc((size_t)count + 1, sizeof *plan.order);
	plan.breadth = vrs_calloc((size_t)count + 1, sizeof *plan.breadth);
	plan.offsets = vrs_calloc((size_t)count + 1, sizeof *plan.offsets);
	plan.placed = vrs_calloc((size_t)count + 1, sizeof *plan.placed);
	if (plan.order == NULL || plan.breadth == NULL || plan.offsets == NULL || plan.placed == NULL) {
		status = VRS_ENOMEM;
	} else {
		find_bound(&plan);
		for (enum order_key key = BY_SIZE; key < ORDER_COUNT; key++)
			try_order(&plan, key, NULL, &best);
		vrs_rng_init(&noise, RESTART_SEED);
		for (int i = 0; i < RESTARTS && count <= RESTART_ITEMS; i++)
			try_order(&plan, i % 2 == 0 ? BY_SIZE : BY_AREA, &noise, &best);
		VRS_ASSERT(best >= plan.bound && best % VRS_MEM_ALIGNMENT == 0);
		VRS_ASSERT(count > RESTART_ITEMS || is_disjoint(items, count));
		*ret_total = best;
		*ret_lower_bound = plan.bound;
	}
	vrs_free(plan.order);
	vrs_free(plan.breadth);
	vrs_free(plan.offsets);
	vrs_free(plan.placed);
	return status;
}
