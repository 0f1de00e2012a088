/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both mattes are drawn on one coarse grid over what either of them covers.  The shift hardly changes from frame to frame, so it is looked for near
 * the last one, and everywhere only where that gives a poor agreement.
 */
#include "matte/eye_agreement.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"
#include "matte/edges.h"
#include "matte/matte_expand.h"
#include "matte/roi_warp.h"

#define SIDE 96             /* cells of the grid each way */
#define MOST_SHIFT 0.1      /* of the eye's width: a hand before the face */
#define NEAR_SHIFT 2        /* cells around the last one */
#define POOR 0.9            /* agreement below this is worth a search everywhere */
#define NOBODY (SIDE * SIDE / 4) /* sum of bytes: a thousandth of the grid */
#define TOLERANCE 0.01      /* of the eye's width around outlines: parts of a person lie at different depths */

struct vrs_eye_agreement {
	int eye_width, eye_height, circle;
	uint8_t grid[2][SIDE * SIDE];
	int sum[2];
	double last_shift;      /* pixels */
	bool has_last;
	struct vrs_roi_warp moved;
	struct vrs_edges *edges;
	struct vrs_matte other[2], least, most; /* shifted mattes, and the range that one allows */
};

enum vrs_status vrs_eye_agreement_create(struct vrs_eye_agreement **ret_agreement, struct vrs_arena *arena, int eye_width, int eye_height, int circle,
					 int width, int height)
{
	if (eye_width < 1 || eye_height < 1)
		return VRS_EINVAL;
	struct vrs_eye_agreement *a = vrs_arena_calloc(arena, 1, sizeof *a);
	if (!a)
		return VRS_ENOMEM;
	a->eye_width = eye_width;
	a->eye_height = eye_height;
	a->circle = circle;
	struct vrs_matte *mattes[] = {&a->other[0], &a->other[1], &a->least, &a->most};
	enum vrs_status status = vrs_roi_warp_init(&a->moved, arena, width, height, width, height);
	if (status == VRS_OK)
		status = vrs_edges_create(&a->edges, arena, width, height);
	for (int i = 0; i < 4 && status == VRS_OK; i++)
		status = vrs_matte_init(mattes[i], arena, width, height);
	*ret_agreement = a;
	return status;
}

void vrs_eye_agreement_reset(struct vrs_eye_agreement *a)
{
	a->has_last = false;
}

bool vrs_eye_agreement_archive(struct vrs_eye_agreement *a, struct vrs_archive *archive)
{
	return vrs_archive_flag(archive, &a->has_last) && vrs_archive_double(archive, &a->last_shift, -a->eye_width, a->eye_width);
}

/* Matte pixel under the middle of each cell; -1: the matte does not cover it. */
static void cells(int ret[SIDE], int grid_at, int grid_length, int at, int length, int circle, int pixels)
{
	for (int i = 0; i < SIDE; i++) {
		double distance = grid_at + (i + 0.5) * grid_length / SIDE - at;
		if (circle)
			distance -= floor(distance / circle) * circle;
		double pixel = distance * pixels / length;
		ret[i] = pixel >= 0 && pixel < pixels ? (int)pixel : -1;
	}
}

static int draw(const struct vrs_eye_agreement *a, uint8_t *grid, const struct vrs_rect *place, const struct vrs_eye_matte *eye)
{
	int columns[SIDE], rows[SIDE], sum = 0;
	cells(columns, place->x, place->width, eye->part.x, eye->part.width, a->circle, eye->matte.width);
	cells(rows, place->y, place->height, eye->part.y, eye->part.height, 0, eye->matte.height);
	for (int y = 0; y < SIDE; y++, grid += SIDE) {
		const uint8_t *row = eye->matte.data + eye->matte.stride * (rows[y] < 0 ? 0 : rows[y]);
		for (int x = 0; x < SIDE; x++) {
			grid[x] = rows[y] < 0 || columns[x] < 0 ? 0 : row[columns[x]];
			sum += grid[x];
		}
	}
	return sum;
}

/* Agreement with the second grid shifted to the right by so many cells. */
static double agreement_at(const struct vrs_eye_agreement *a, int shift)
{
	int first = shift > 0 ? shift : 0, end = shift < 0 ? SIDE + shift : SIDE, both = 0;
	for (int y = 0; y < SIDE; y++) {
		const uint8_t *left = a->grid[0] + y * SIDE, *right = a->grid[1] + y * SIDE - shift;
		for (int x = first; x < end; x++)
			both += left[x] < right[x] ? left[x] : right[x];
	}
	return (double)both / (a->sum[0] + a->sum[1] - both);
}

static double best_of(const struct vrs_eye_agreement *a, int first, int last, int *ret_shift)
{
	double best = -1;
	for (int shift = first; shift <= last; shift++) {
		double agreement = agreement_at(a, shift);
		if (agreement <= best)
			continue;
		best = agreement;
		*ret_shift = shift;
	}
	return best;
}

double vrs_eye_agreement_measure(struct vrs_eye_agreement *a, const struct vrs_eye_matte eyes[2], double *ret_shift)
{
	struct vrs_rect place = vrs_wraparound_around(&eyes[0].part, &eyes[1].part, a->circle);
	double cell = (double)place.width / SIDE, best = -1;
	int most = (int)ceil(MOST_SHIFT * a->eye_width / cell), shift = 0;
	most = most > SIDE / 2 ? SIDE / 2 : most;
	for (int i = 0; i < 2; i++)
		a->sum[i] = draw(a, a->grid[i], &place, &eyes[i]);
	if (ret_shift)
		*ret_shift = 0;
	if (a->sum[0] < NOBODY || a->sum[1] < NOBODY)
		return a->sum[0] < NOBODY && a->sum[1] < NOBODY ? 1 : 0;
	if (a->has_last && fabs(a->last_shift) <= most * cell) {
		int near = (int)lrint(a->last_shift / cell), first = near - NEAR_SHIFT, last = near + NEAR_SHIFT;
		best = best_of(a, first < -most ? -most : first, last > most ? most : last, &shift);
	}
	if (best < POOR)
		best = best_of(a, -most, most, &shift);
	a->last_shift = shift * cell;
	a->has_last = true;
	if (ret_shift)
		*ret_shift = a->last_shift;
	return best;
}

static void copy(struct vrs_matte *dst, const struct vrs_matte *src)
{
	for (int y = 0; y < dst->height; y++)
		memcpy(dst->data + dst->stride * y, src->data + src->stride * y, (size_t)dst->width);
}

/* The matte of eye `from` as it would lie in the other one, shifted by so many pixels. */
static void shifted(struct vrs_eye_agreement *a, struct vrs_matte *dst, const struct vrs_eye_matte *from, const struct vrs_eye_matte *to,
		    double shift)
{
	struct vrs_rect part = from->part;
	part.x += (int)lrint(shift);
	vrs_roi_warp_set(&a->moved, &part, &to->part, a->circle);
	memset(dst->data, 0, (size_t)dst->width * (size_t)dst->height);
	vrs_roi_warp_luma(&a->moved, dst->data, from->matte.data, dst->data);
}

static void repair_one(struct vrs_eye_agreement *a, struct vrs_eye_matte *eye, const struct vrs_matte *other, enum vrs_eye_repair repair)
{
	double x = TOLERANCE * a->eye_width * eye->matte.width / eye->part.width, y = TOLERANCE * a->eye_width * eye->matte.height / eye->part.height;
	copy(&a->least, other);
	copy(&a->most, other);
	vrs_edges_grow(a->edges, &a->least, -x, -y, false);
	vrs_edges_grow(a->edges, &a->most, x, y, false);
	for (int row = 0; row < other->height; row++) {
		uint8_t *own = eye->matte.data + eye->matte.stride * row;
		const uint8_t *least = a->least.data + a->least.stride * row, *most = a->most.data + a->most.stride * row;
		for (int i = 0; i < other->width; i++) {
			int allowed = own[i] < least[i] ? least[i] : own[i] > most[i] ? most[i] : own[i];
			if (repair == VRS_EYE_REPAIR_MEAN)
				allowed = (own[i] + allowed + 1) / 2;
			own[i] = (uint8_t)(repair == VRS_EYE_REPAIR_UNION && allowed < own[i] ? own[i] : allowed);
		}
	}
}

void vrs_eye_agreement_repair(struct vrs_eye_agreement *a, struct vrs_eye_matte eyes[2], double shift, enum vrs_eye_repair repair)
{
	if (repair == VRS_EYE_REPAIR_NONE)
		return;
	shifted(a, &a->other[0], &eyes[1], &eyes[0], shift);
	shifted(a, &a->other[1], &eyes[0], &eyes[1], -shift);
	for (int i = 0; i < 2; i++)
		repair_one(a, &eyes[i], &a->other[i], repair);
}
