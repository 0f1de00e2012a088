/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mattes drawn by hand. */
#ifndef VRS_DRAWN_MATTE_H
#define VRS_DRAWN_MATTE_H

#include <string.h>

#include "matte/matte_expand.h"

/* A square matte of 0 with columns [x0, x1) of rows [y0, y1) of a value. */
static inline struct vrs_matte drawn_box(struct vrs_arena *arena, int side, int x0, int y0, int x1, int y1, int value)
{
	struct vrs_matte matte;
	assert_int_equal(vrs_matte_init(&matte, arena, side, side), VRS_OK);
	for (int y = y0; y < y1; y++)
		memset(matte.data + matte.stride * y + x0, value, (size_t)(x1 - x0));
	return matte;
}

#endif
