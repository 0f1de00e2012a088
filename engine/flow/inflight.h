/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds the frames between decoder and encoder (pipeline.frames_in_flight).  Thread-safe. */
#ifndef VRS_FLOW_INFLIGHT_H
#define VRS_FLOW_INFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_inflight;

/* limit 0: no bound. extra: frames that vrs_inflight_add may add to those of the limit. VRS_ENOMEM. */
enum vrs_status vrs_inflight_create(struct vrs_inflight **ret_flight, int limit, int extra);
void vrs_inflight_destroy(struct vrs_inflight *inflight); /* NULL is fine */
/* Wait until `frames` more may be under way (at most the limit at once). Adds the time spent waiting. False when aborted. */
bool vrs_inflight_enter(struct vrs_inflight *inflight, int frames, uint64_t *wait_ns);
void vrs_inflight_leave(struct vrs_inflight *inflight, int frames);
/* Add up to `frames` of the extra ones, as far as there is room; returns how many were added. Never waits. */
int vrs_inflight_add(struct vrs_inflight *inflight, int frames);
void vrs_inflight_release(struct vrs_inflight *inflight, int frames);
void vrs_inflight_abort(struct vrs_inflight *inflight);

#endif
