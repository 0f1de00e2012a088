/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option matte.exclude: boxes or a picture. */
#ifndef VRS_COMPOSE_EXCLUDE_OPTION_H
#define VRS_COMPOSE_EXCLUDE_OPTION_H

#include "matte/exclusion.h"

#include <vrseg/layout.h>

/*
 * What to exclude from each eye of frames of that size: "x,y,width,height" as shares of the eye, several separated by ";", or the name of a
 * picture whose shape is that of an eye (the same for all eyes) or of the frame.  An empty text excludes nothing: ret stays as it is.
 * VRS_ECONFIG: neither, or a picture of another shape; statuses of vrs_source_open.
 */
enum vrs_status vrs_exclude_open(struct vrs_exclusion *ret[2], struct vrs_arena *arena, const char *text, const struct vrs_layout *layout, int width,
				 int height, struct vrs_error *err);

#endif
