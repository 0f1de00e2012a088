/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of an up-sampled matte, without the up-sampled matte.  Bilinear interpolation is split: matte rows are widened when they come up (each once),
 * and the two widened rows around a picture row are interpolated where they are used.
 */
#ifndef VRS_MATTE_MATTE_ROWS_H
#define VRS_MATTE_MATTE_ROWS_H

#include "base/mem.h"
#include "matte/soft_runs.h"
#include "matte/yuv_color.h"

struct vrs_matte_rows {
	int width, height;        /* of the target */
	int most_width, most_height; /* room for a target of that size */
	int matte_width, matte_height;
	int32_t *index;           /* [width] left matte column of target column x */
	int16_t *weight;          /* [width] share of the right one, 0..2^14 */
	int32_t *first_target;    /* [matte_width + 2] first target column that matte columns c.. can touch */
	int32_t *row;             /* [height] upper matte row of target row y */
	int16_t *row_weight;      /* [height] share of the lower one, 0..32767 */
	uint16_t *narrow;         /* one matte row as alpha15, last element repeated */
	uint16_t *wide[2];        /* widened rows; row r lies in wide[r & 1] */
	int held[2];              /* which matte row that is, -1: none */
	int *span_first, *span_end; /* [matte_height] columns with alpha above 0; equal: none */
	const struct vrs_matte *matte;
	const uint16_t *samples;  /* instead of a matte: rows in alpha15, ready to be widened; NULL: the matte */
	size_t samples_stride;    /* elements */
	const struct vrs_runs *runs; /* of samples: only these are widened; NULL: all */
};

/* Two widened rows (alpha15) and their mix for one target row. */
struct vrs_matte_row {
	const uint16_t *above, *below;
	int weight;               /* of below, 0..32767 */
	int first, end;           /* target columns outside have alpha 0 */
};

#define VRS_ALPHA15_ONE 32767

/* Alpha15 of target column row->first + x. */
static inline int32_t vrs_matte_row_alpha(const struct vrs_matte_row *row, int x)
{
	int32_t above = row->above[row->first + x], below = row->below[row->first + x];
	return above + (((below - above) * row->weight + (1 << 14)) >> 15);
}

/* The matte covers evenly what the grid says of the target's samples. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_rows_init(struct vrs_matte_rows *rows, struct vrs_arena *arena, int matte_width, int matte_height, int width, int height,
				    const struct vrs_plane_grid *grid);
/* Another target, no wider and no higher than the first one: no memory is allocated. VRS_EINVAL. */
enum vrs_status vrs_matte_rows_place(struct vrs_matte_rows *rows, int width, int height, const struct vrs_plane_grid *grid);
/* Begin a matte of the size given at init; it must stay until the last row. */
void vrs_matte_rows_begin(struct vrs_matte_rows *rows, const struct vrs_matte *matte);
/*
 * Begin a map of alpha15 values instead, of the same size: rows of `stride` elements, each with its last value repeated once after its end.
 * No part of it counts as empty.  runs, which must stay too: columns beside them, as vrs_matte_rows_targets has them, are not asked for; NULL: all
 * are.
 */
void vrs_matte_rows_begin_samples(struct vrs_matte_rows *rows, const uint16_t *samples, size_t stride, const struct vrs_runs *runs);
/* Target columns whose left matte column is in the run, as a run of the target's row. */
struct vrs_run_of_row vrs_matte_rows_targets(const struct vrs_matte_rows *rows, struct vrs_run_of_row run);
/* Target row y; valid until the next call. Rows are cheap in ascending order. */
struct vrs_matte_row vrs_matte_rows_get(struct vrs_matte_rows *rows, int y);

#endif
