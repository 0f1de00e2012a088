/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Precomputed maps from the picture of one lens to that of another, and pictures drawn through them.
 *
 * A map belongs to one plane geometry (luma, or chroma of a sampling) and is read only: any number of threads draw through it.  It holds, for every
 * run of 32 samples of a target row, a parabola of source positions in fixed point (s15.16), fitted to vr/lens.h in double.  Where a
 * parabola would be off by more than a 64th of a sample (close to the poles), at the rim of what the source shows and at the seam of a
 * 360 degree picture, the run holds its positions one by one instead.  About one byte a sample; every position is right within 1/32 sample.
 */
#ifndef VRS_VR_REMAP_H
#define VRS_VR_REMAP_H

#include <stdint.h>

#include "kernels/picture.h"
#include "vr/lens.h"

/* Samples over a lens's picture: sample (i, j) has its centre at ((i + 0.5) * step[0] + offset[0], (j + 0.5) * step[1] + offset[1]). */
struct vrs_remap_grid {
	int width, height;          /* samples, 1..16384; at least 2 of a source */
	double step[2], offset[2];  /* luma: 1 and 0; chroma of 4:2:0: 2 and the chroma location */
};

struct vrs_remap_options {
	struct vrs_lens target, source;
	struct vrs_remap_grid target_grid, source_grid;
};

/* Where samples go. */
struct vrs_remap_canvas {
	void *data;
	ptrdiff_t stride_bytes;
	int sample_bytes;           /* 1 or 2, of the source too */
};

struct vrs_remap;

/* VRS_EINVAL (an impossible grid), VRS_ENOMEM. */
enum vrs_status vrs_remap_create(struct vrs_remap **ret_map, const struct vrs_remap_options *options, struct vrs_error *err);
/*
 * Another map of as many target samples in the memory of this one, which grows only where more runs hold positions one by one than ever before.
 * VRS_EINVAL: as above, or another size; the map stays as it was.  VRS_ENOMEM: it is undefined until it is changed again.  Not while others draw.
 */
enum vrs_status vrs_remap_change(struct vrs_remap *map, const struct vrs_remap_options *options, struct vrs_error *err);
void vrs_remap_destroy(struct vrs_remap *map); /* NULL is fine */
/*
 * Draw rows [y0, y1) of the target: bilinear samples of the source plane, which has the size of the source grid, and `fill` where the source shows
 * nothing.  A 360 degree source continues at its other side; nothing else beyond the plane is read, so eyes never mix.  Thread-safe.
 */
void vrs_remap_draw(const struct vrs_remap *map, const struct vrs_remap_canvas *canvas, const struct vrs_remap_plane *source, int fill, int y0,
		    int y1);

/* Runs of a target row that show anything: [*ret_first, *ret_end) of runs of VRS_REMAP_RUN samples; equal: none. */
void vrs_remap_row(const struct vrs_remap *map, int y, int *ret_first, int *ret_end);
/*
 * Positions of one run in samples of the source grid, and a bit for each sample that the source shows (bit 0: the first); positions of the others are
 * undefined.  For those who sample something else than a plane of the source.
 */
uint32_t vrs_remap_run(const struct vrs_remap *map, int run, int y, int32_t u[VRS_REMAP_RUN], int32_t v[VRS_REMAP_RUN]);

/* The map itself, for devices that draw. */
struct vrs_remap_tables {
	int width, height, runs;         /* target samples; runs of a row */
	int source_width, source_height; /* samples of the source */
	const struct vrs_remap_curve *curves; /* [height * runs] */
	const uint32_t *inside;          /* [height * runs] bits of the samples that the source shows */
	const int32_t *kinds;            /* [height * runs] -1: on the curve; else the number of own positions, with bit 30 where they cross a seam */
	const int32_t *positions;        /* [position_count][2 * VRS_REMAP_RUN] of u, then of v */
	int32_t position_count;
};

/* Borrowed: valid until vrs_remap_change or the end of the map. */
struct vrs_remap_tables vrs_remap_tables(const struct vrs_remap *map);

#endif
