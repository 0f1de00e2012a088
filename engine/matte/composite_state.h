/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the composite: what it is made of, and what its files give each other; the file is named where functions come from it. */
#ifndef VRS_MATTE_COMPOSITE_STATE_H
#define VRS_MATTE_COMPOSITE_STATE_H

#include "matte/composite.h"
#include "matte/foreground.h"
#include "matte/matte_rows.h"

/* A part that a matte covers. */
struct vrs_composite_view {
	struct vrs_rect rect;           /* luma samples */
	struct vrs_rect piece[2][2];    /* of the rectangle without a seam, from left to right; luma, chroma samples */
	int pieces[2];                  /* 2: the view goes across the seam of a circle */
	struct vrs_matte_rows rows[2];
	struct vrs_sharp_edges *sharp;  /* gives the rows instead; NULL: off */
	struct vrs_foreground *foreground; /* NULL: off */
};

struct vrs_composite {
	struct vrs_composite_options options;
	struct vrs_picture_format out;
	int background[3];
	uint8_t *solid[3];              /* a row of what stands for the source: white (mode matte), neutral chroma (grey sources); NULL: the source */
	struct vrs_composite_view views[VRS_COMPOSITE_MAX_VIEWS];
	struct vrs_backdrop *backdrop;  /* instead of the background colour; NULL: the colour */
	struct vrs_backdrop *ground;    /* colours around the people, for despill; may be the backdrop itself; NULL: off */
	bool shown;                     /* the backdrop has a picture to show */
};

/* composite_core.c: the spans of a part in the planes of a group (0: luma, 1: chroma), two of them across the seam of a circle; returns how many. */
int vrs_composite_pieces(const struct vrs_composite *composite, const struct vrs_rect *rect, int group, struct vrs_rect ret_pieces[2]);

/* composite_fill.c: background over columns [from, to) of row y of plane p. */
void vrs_composite_fill_row(const struct vrs_composite *composite, struct vrs_frame *dst, int p, int from, int to, int y);
/* Background over all of a plane. */
void vrs_composite_fill_plane(const struct vrs_composite *composite, struct vrs_frame *dst, int p);
/* Background where views were and are not any more. */
void vrs_composite_fill_past(const struct vrs_composite *composite, struct vrs_frame *dst, struct vrs_composite_past *past);

/* composite_rows.c: the planes of a group, row by row: people, and the background inside the views; whole: everywhere. */
void vrs_composite_write(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, int group, bool whole);
/* The people's own colours in the planes of a group, in place. */
void vrs_composite_write_colors(struct vrs_composite *composite, struct vrs_frame *frame, int group);

#endif
