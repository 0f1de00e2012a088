/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connected parts of a set of pixels: people, and the islands and holes of their mattes. */
#ifndef VRS_MATTE_COMPONENTS_H
#define VRS_MATTE_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

#include "base/mem.h"

struct vrs_components {
	int width, height;
	int32_t *label;    /* [height][width] of the last search: 1 .. count, 0 where the pixel is not in the set */
	int count, largest; /* largest: its label, 0 without one */
	int32_t *area;     /* by label: pixels */
	uint8_t *border;   /* by label: 1 where it touches the edge of the picture */
	int32_t *stack;    /* [height * width] pixels to go on from */
};

/* VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_components_init(struct vrs_components *components, struct vrs_arena *arena, int width, int height) VRS_MUST_CHECK;
/*
 * Find the parts of the set: height * width bytes, 0 outside of it.  diagonal: pixels that touch at a corner belong together.  circle: rows close to
 * one, and their ends are no edge.  One thread at a time.
 */
void vrs_components_find(struct vrs_components *components, const uint8_t *set, bool diagonal, bool circle);

#endif
