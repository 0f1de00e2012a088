/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/state_store.h"

#include <string.h>

#include "base/assert.h"

#include <vrseg/log.h>

#define DEVICE_ROOMS 16 /* sets of states on the device, two for each person in each eye: as many as few scenes need more than */

/* States of a slot: all of them, one after another. */
struct past {
	float *host;
	int room;               /* the session's slot that has them, on its device; -1: the host has them */
};

struct slot {
	bool filled;
	struct past kept, held;
};

struct vrs_state_store {
	const struct vrs_head *head;
	struct vrs_session *session;
	int states, slots;
	size_t floats;          /* of all states of a slot */
	int rooms;              /* slots of the session, besides one more for what comes and goes; 0: it has none */
	uint32_t taken;         /* rooms, bit by bit */
	float *moved;           /* states as another view shows them, on their way to the device; NULL: there is none */
	struct slot slot[];
};

/* Room on the session's device, where it has any. */
static void take_device(struct vrs_state_store *store, struct vrs_arena *arena)
{
	struct vrs_session_state states[VRS_MANIFEST_MAX_STATES];
	struct vrs_error why = {.status = VRS_OK};
	int rooms = 2 * store->slots < DEVICE_ROOMS ? 2 * store->slots : DEVICE_ROOMS;
	for (int i = 0; i < store->states; i++) {
		const struct vrs_head_state *state = vrs_head_state(store->head, i);
		states[i] = (struct vrs_session_state){.input = state->input, .output = state->output,
			.is_read = vrs_head_reads(store->head, state->output)};
	}
	enum vrs_status status = vrs_session_slots_create(store->session, states, store->states, rooms + 1, &why);
	if (status == VRS_OK) {
		store->rooms = rooms;
		store->moved = vrs_arena_calloc(arena, store->floats, sizeof(float));
	} else if (vrs_backend_has_devices(vrs_session_info(store->session).backend)) {
		vrs_log(VRS_LOG_DEBUG, "states of the network go through the host: %s", why.text);
	}
}

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
	store->session = vrs_head_session(head);
	store->states = states;
	store->slots = slots;
	store->floats = floats;
	for (int s = 0; s < slots; s++) {
		store->slot[s].kept = (struct past){vrs_arena_calloc(arena, floats, sizeof(float)), -1};
		store->slot[s].held = (struct past){vrs_arena_calloc(arena, floats, sizeof(float)), -1};
	}
	if (states > 0 && !arena->failed)
		take_device(store, arena);
	*ret_store = store;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

static int find_room(struct vrs_state_store *store)
{
	for (int room = 0; room < store->rooms; room++)
		if (!(store->taken >> room & 1)) {
			store->taken |= UINT32_C(1) << room;
			return room;
		}
	return -1;
}

static void leave_room(struct vrs_state_store *store, struct past *past)
{
	if (past->room >= 0)
		store->taken &= ~(UINT32_C(1) << past->room);
	past->room = -1;
}

/* What was on the device when it was lost is gone. */
static void lose(struct vrs_state_store *store)
{
	for (int s = 0; s < store->slots; s++) {
		struct slot *slot = &store->slot[s];
		if (slot->kept.room >= 0)
			slot->filled = false;
		if (slot->held.room >= 0) /* as a run begins that has no past */
			memset(slot->held.host, 0, store->floats * sizeof *slot->held.host);
		leave_room(store, &slot->kept);
		leave_room(store, &slot->held);
	}
	store->rooms = 0;
}

/* Do states stay on a device? No more, once it was lost and replaced. */
static bool is_on_device(struct vrs_state_store *store)
{
	if (store->rooms > 0 && !vrs_session_has_slots(store->session))
		lose(store);
	return store->rooms > 0;
}

/* To the host, where they are on the device. */
static enum vrs_status bring_down(struct vrs_state_store *store, struct past *past, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	if (past->room >= 0)
		status = vrs_session_slot_read(store->session, past->room, past->host, err);
	leave_room(store, past);
	return status;
}

/* State i of a slot at its place in another view. */
static void move_state(const struct vrs_head_state *state, float *to, const float *from, const struct vrs_state_map *map)
{
	if (!map || map->same || !state->is_map)
		memcpy(to, from, state->floats * sizeof *to);
	else
		vrs_state_warp(map, to, from, state->height, state->width, state->channels);
}

static void load_on_device(struct vrs_state_store *store, int entry, struct past *past, const struct vrs_state_map *map)
{
	int room = past ? past->room : -1;
	if (past && (room < 0 || (map && !map->same))) { /* through the host */
		const float *from = past->host;
		float *to = store->moved;
		room = store->rooms;
		(void)bring_down(store, past, NULL); /* the next run tells */
		for (int i = 0; i < store->states; i++) {
			const struct vrs_head_state *state = vrs_head_state(store->head, i);
			move_state(state, to, from, map);
			from += state->floats;
			to += state->floats;
		}
		vrs_session_slot_write(store->session, room, store->moved);
	}
	vrs_session_slot_use(store->session, room, entry);
}

void vrs_state_store_load(struct vrs_state_store *store, int entry, int slot, const struct vrs_state_map *map)
{
	VRS_ASSERT(slot < store->slots);
	bool on_device = is_on_device(store);
	struct past *past = slot >= 0 && store->slot[slot].filled ? &store->slot[slot].kept : NULL;
	if (on_device) {
		load_on_device(store, entry, past, map);
		return;
	}
	const float *from = past ? past->host : NULL;
	for (int i = 0; i < store->states; i++) {
		const struct vrs_head_state *state = vrs_head_state(store->head, i);
		float *in = state->in + state->floats * (size_t)entry;
		if (!from)
			memset(in, 0, state->floats * sizeof *in);
		else
			move_state(state, in, from, map);
		if (from)
			from += state->floats;
	}
}

static void hold_on_device(struct vrs_state_store *store, int entry, struct past *held)
{
	if (held->room < 0)
		held->room = find_room(store);
	bool full = held->room < 0;
	held->room = full ? store->rooms : held->room;
	vrs_session_slot_keep(store->session, entry, held->room);
	if (full)
		(void)bring_down(store, held, NULL); /* the next run tells */
}

void vrs_state_store_hold(struct vrs_state_store *store, int entry, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	if (is_on_device(store)) {
		hold_on_device(store, entry, &store->slot[slot].held);
		return;
	}
	float *held = store->slot[slot].held.host;
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
	struct past held = s->held;
	leave_room(store, &s->kept);
	s->held = s->kept;
	s->kept = held;
	s->filled = true;
}

void vrs_state_store_clear(struct vrs_state_store *store, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	leave_room(store, &store->slot[slot].kept);
	store->slot[slot].filled = false;
}

enum vrs_status vrs_state_store_bring_down(struct vrs_state_store *store, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	bool on_device = is_on_device(store);
	for (int s = 0; s < store->slots && on_device && status == VRS_OK; s++)
		if (store->slot[s].filled)
			status = bring_down(store, &store->slot[s].kept, err);
	return status;
}

bool vrs_state_store_archive(struct vrs_state_store *store, struct vrs_archive *archive, int slot)
{
	VRS_ASSERT(slot >= 0 && slot < store->slots);
	struct slot *s = &store->slot[slot];
	VRS_ASSERT(s->kept.room < 0);
	return vrs_archive_flag(archive, &s->filled) && (!s->filled || vrs_archive_floats(archive, s->kept.host, store->floats));
}
