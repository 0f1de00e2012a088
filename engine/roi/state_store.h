/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The states of a recurrent network, one set in each slot: what a run gives for the next frame is held, and becomes the slot's when the frame is
 * done, so that a frame can be looked at more than once.
 *
 * Where the head's session has a device with room for them, states stay there (vrs_session_slots_create), and come down only when a view has moved,
 * for an archive, and where more are kept than the device has room for.  If a lost device is replaced (replace_lost in vrseg/session.h), slots
 * whose states it had are empty, and all later states go through the host.
 */
#ifndef VRS_ROI_STATE_STORE_H
#define VRS_ROI_STATE_STORE_H

#include "base/archive.h"
#include "base/mem.h"
#include "roi/head.h"
#include "roi/state_warp.h"

struct vrs_state_store;

/*
 * For a head, which must outlive it; all slots are empty. Pages are in memory once a slot has had something. A device that has no room for states, or
 * no slots, is no failure. VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_state_store_create(struct vrs_state_store **ret_store, struct vrs_arena *arena, const struct vrs_head *head, int slots);
/*
 * The states of a slot go into a batch entry of the head's session: from their view to the entry's (NULL: as they are), zeros where the slot is empty
 * or less than 0.  What a device fails at is told by the session's next run.
 */
void vrs_state_store_load(struct vrs_state_store *store, int entry, int slot, const struct vrs_state_map *map);
/* After a run that succeeded: hold what a batch entry gave for a slot, instead of what is held for it. */
void vrs_state_store_hold(struct vrs_state_store *store, int entry, int slot);
/* What is held for the slot is its state from here on. */
void vrs_state_store_commit(struct vrs_state_store *store, int slot);
/* The slot is empty; what is held for it stays. */
void vrs_state_store_clear(struct vrs_state_store *store, int slot);
/* Before an archive is written: the states of all slots to the host. VRS_EDEVICE: the device failed, and the session's next run tells it, too. */
enum vrs_status vrs_state_store_bring_down(struct vrs_state_store *store, struct vrs_error *err) VRS_MUST_CHECK;
/* The states of a slot, where it is not empty. */
bool vrs_state_store_archive(struct vrs_state_store *store, struct vrs_archive *archive, int slot);

#endif
