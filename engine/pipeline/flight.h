/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds the frames between decoder and encoder (pipeline.frames_in_flight).  Thread-safe. */
#ifndef VRS_PIPELINE_FLIGHT_H
#define VRS_PIPELINE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_flight;

/* limit 0: no bound. extra: frames that may ride along beside those of the limit. VRS_ENOMEM. */
enum vrs_status vrs_flight_create(struct vrs_flight **ret_flight, int limit, int extra);
void vrs_flight_destroy(struct vrs_flight *flight); /* NULL is fine */
/* Wait until `frames` more may be under way (at most the limit at once). Adds the time spent waiting. False when aborted. */
bool vrs_flight_enter(struct vrs_flight *flight, int frames, uint64_t *wait_ns);
void vrs_flight_leave(struct vrs_flight *flight, int frames);
/* How many of `frames` more may ride along; they do from here on. Never waits. */
int vrs_flight_ride(struct vrs_flight *flight, int frames);
void vrs_flight_alight(struct vrs_flight *flight, int frames);
void vrs_flight_abort(struct vrs_flight *flight);

#endif
