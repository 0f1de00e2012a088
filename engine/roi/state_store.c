/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/state_store.h"

#include <string.h>

#include "base/assert.h"

struct slot {
	bool filled;
	float *kept, *held;     /* all states, one after another */
};

struct vrs_state_store {
	const struct vrs_head *head;
	int states, slots;
	size_t floats;          /* of all states of a slot */
	struct slot slot[];
};

enum vrs_status vrs_state_store_create(struct vrs_state_store **ret_store, struct vrs_arena *arena, const struct vrs_head *head, int slots)
{
	size_t floats = 0, room;
	int states = vrs_head_state_count(head);
	VRS_ASSERT(slots > 0);
	for (int i = 0; i < states; i++)
		if (!vrs_add_size(floats, vrs_head_state(head, i)->floats, &floats))
			return VRS_ELIMIT;
	if (!vrs_mul_size(floats, sizeof(float), &room))
		return VRS_ELIMIT;
	struct vrs_state_store *store = vrs_arena_calloc(arena, 1, sizeof *store + (size_t)slots * sizeof store->slot[0]);
	if (!store)
		return VRS_ENOMEM;
	store->head = head;
	store->states = states;
	store->slots = slots;
	store->floats = floats;
	for (int s = 0; s < slots; s++) {
		store->slot[s].kept = vrs_arena_calloc(arena, floats, sizeof(float));
		store->slot[s].held = vrs_arena_calloc(arena, floats, sizeof(float));
	}
	*ret_store = store;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

void vrs_state_store_load(struct vrs_state_store *store, int entry, int slot, const struct vrs_state_map *map)
{
	VRS_ASSERT(slot < store->slots);
	const float *from = slot >= 0 && store->slot[slot].filled ? store->slot[slot].kept : NULL;
	for (int i = 0; i < store->states; i++) {
		const struct vrs_head_state *state = vrs_head_state(store->head, i);
		size_t floats = state->floats;
		float *in = state->in + floats * (size_t)entry;
		if (!from)
			memset(in, 0, floats * sizeof *in);
		else if (!map || map->same || !state->is_map)
			memcpy(in, from, floats * sizeof *in);
		else
			vrs_state_warp(map, in, from, state->height, state->width, state->channels);
		if (from)
			from += floats;
	}
}

void vrs_state_store_hold(struct vrs_state_store *store, int entry, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	float *held = store->slot[slot].held;
	for (int i = 0; i < store->states; i++) {
		const struct vrs_head_state *state = vrs_head_state(store->head, i);
		memcpy(held, state->out + state->floats * (size_t)entry, state->floats * sizeof *held);
		held += state->floats;
	}
}

void vrs_state_store_commit(struct vrs_state_store *store, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	struct slot *s = &store->slot[slot];
	float *held = s->held;
	s->held = s->kept;
	s->kept = held;
	s->filled = true;
}

void vrs_state_store_clear(struct vrs_state_store *store, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	store->slot[slot].filled = false;
}

bool vrs_state_store_archive(struct vrs_state_store *store, struct vrs_archive *archive, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	struct slot *s = &store->slot[slot];
	return vrs_archive_flag(archive, &s->filled) && (!s->filled || vrs_archive_floats(archive, s->kept, store->floats));
}
