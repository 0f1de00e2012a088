/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/mem_share.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

/* How items are given buffers: the best of several orders is kept. */
enum order { BY_SIZE, BY_START, BY_AREA, ORDERS };

struct state {
	const struct vrs_mem_item *items;
	int count;
	struct vrs_mem_order *order;
	int *taken;        /* [buffer] the last item that could not have it, plus 1 */
};

static void sort_items(struct state *state, enum order order)
{
	for (int i = 0; i < state->count; i++) {
		const struct vrs_mem_item *item = &state->items[i];
		double length = (double)item->last - item->first + 1;

		state->order[i].item = i;
		state->order[i].key = order == BY_SIZE ? (double)item->bytes : order == BY_START ? -(double)item->first : (double)item->bytes * length;
	}
	vrs_mem_sort(state->order, state->count);
}

/* The free buffer that has to grow least for so many bytes, and of those the one that fits best; -1: all are taken. */
static int find_buffer(const struct state *state, const struct vrs_mem_sharing *sharing, int item)
{
	size_t need = vrs_mem_round(state->items[item].bytes), best_growth = SIZE_MAX, best_waste = SIZE_MAX;
	int best = -1;

	for (int b = 0; b < sharing->count; b++) {
		size_t growth = need > sharing->bytes[b] ? need - sharing->bytes[b] : 0, waste = growth ? 0 : sharing->bytes[b] - need;

		if (state->taken[b] == item + 1 || growth > best_growth || (growth == best_growth && waste >= best_waste))
			continue;
		best = b;
		best_growth = growth;
		best_waste = waste;
	}
	return best;
}

static void share_in_order(struct state *state, struct vrs_mem_sharing *sharing)
{
	sharing->count = 0;
	sharing->total = 0;
	memset(state->taken, 0, (size_t)state->count * sizeof *state->taken);
	for (int i = 0; i < state->count; i++) {
		int item = state->order[i].item;
		const struct vrs_mem_item *it = &state->items[item];

		sharing->buffer_of[item] = -1;
		if (it->bytes == 0)
			continue;
		for (int k = 0; k < i; k++) {
			const struct vrs_mem_item *other = &state->items[state->order[k].item];
			int buffer = sharing->buffer_of[state->order[k].item];

			if (buffer >= 0 && other->last >= it->first && other->first <= it->last)
				state->taken[buffer] = item + 1;
		}
		int buffer = find_buffer(state, sharing, item);

		if (buffer < 0) {
			buffer = sharing->count++;
			sharing->bytes[buffer] = 0;
		}
		sharing->buffer_of[item] = buffer;
		if (sharing->bytes[buffer] < vrs_mem_round(it->bytes)) {
			sharing->total += vrs_mem_round(it->bytes) - sharing->bytes[buffer]; /* at most the sum of all, which was checked */
			sharing->bytes[buffer] = vrs_mem_round(it->bytes);
		}
	}
}

static enum vrs_status sharing_init(struct vrs_mem_sharing *sharing, int count)
{
	*sharing = (struct vrs_mem_sharing){.buffer_of = vrs_calloc((size_t)count + 1, sizeof *sharing->buffer_of),
					    .bytes = vrs_calloc((size_t)count + 1, sizeof *sharing->bytes)};
	return sharing->buffer_of && sharing->bytes ? VRS_OK : VRS_ENOMEM;
}

/* Tries all orders; best and next are of this many items. */
static void share(struct state *state, struct vrs_mem_sharing *best, struct vrs_mem_sharing *next)
{
	best->total = SIZE_MAX;
	for (int order = 0; order < ORDERS; order++) {
		sort_items(state, (enum order)order);
		share_in_order(state, next);
		if (next->total < best->total) {
			struct vrs_mem_sharing better = *next;

			*next = *best;
			*best = better;
		}
	}
	best->lower_bound = 0;
	for (int i = 0; i < state->count; i++) {
		size_t live = vrs_mem_live_bytes(state->items, state->count, state->items[i].first);

		best->lower_bound = live > best->lower_bound ? live : best->lower_bound;
	}
	VRS_ASSERT(best->total >= best->lower_bound);
}

enum vrs_status vrs_mem_share(struct vrs_mem_sharing *ret_sharing, const struct vrs_mem_item *items, int count)
{
	struct state state = {.items = items, .count = count};
	struct vrs_mem_sharing best = {0}, next = {0};
	enum vrs_status status = vrs_mem_check(items, count);

	if (status != VRS_OK)
		return status;
	state.order = vrs_calloc((size_t)count + 1, sizeof *state.order);
	state.taken = vrs_calloc((size_t)count + 1, sizeof *state.taken);
	if (!state.order || !state.taken || sharing_init(&best, count) != VRS_OK || sharing_init(&next, count) != VRS_OK) {
		status = VRS_ENOMEM;
		vrs_mem_sharing_fini(&best);
	} else {
		share(&state, &best, &next);
		*ret_sharing = best;
	}
	vrs_mem_sharing_fini(&next);
	vrs_free(state.order);
	vrs_free(state.taken);
	return status;
}

void vrs_mem_sharing_fini(struct vrs_mem_sharing *sharing)
{
	vrs_free(sharing->buffer_of);
	vrs_free(sharing->bytes);
	*sharing = (struct vrs_mem_sharing){0};
}
