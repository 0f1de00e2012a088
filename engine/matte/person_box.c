/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/person_box.h"

#include <math.h>

#include "base/mem.h"
#include "base/wraparound.h"

#define MARGIN 0.25 /* of the size, on each side */

/* Marks columns that hold somebody, and tells the first and the last row that do. */
static bool mark(const struct vrs_matte *matte, uint8_t *columns, int *ret_top, int *ret_bottom)
{
	*ret_top = *ret_bottom = -1;
	for (int y = 0; y < matte->height; y++) {
		const uint8_t *row = matte->data + matte->stride * y;
		uint8_t any = 0;
		for (int x = 0; x < matte->width; x++) {
			columns[x] |= row[x] & 128;
			any |= row[x] & 128;
		}
		if (!any)
			continue;
		*ret_top = *ret_top < 0 ? y : *ret_top;
		*ret_bottom = y;
	}
	return *ret_top >= 0;
}

static void ends(const uint8_t *columns, int width, int *ret_left, int *ret_right)
{
	int left = 0, right = width;
	while (!columns[left])
		left++;
	while (!columns[right - 1])
		right--;
	*ret_left = left;
	*ret_right = right;
}

/* On a circle the box begins after the longest run of empty columns; right may lie beyond the width. */
static void ends_on_circle(const uint8_t *columns, int width, int *ret_left, int *ret_right)
{
	int longest = 0, run = 0;
	*ret_left = 0;
	*ret_right = width;
	for (int i = 0; i < 2 * width; i++) { /* twice around: a run may go across the seam */
		run = columns[i % width] ? 0 : run + 1;
		if (run <= longest || run >= width)
			continue;
		longest = run;
		*ret_left = (i + 1) % width;
		*ret_right = *ret_left + width - run;
	}
}

enum vrs_status vrs_person_box(struct vrs_rect *ret_box, const struct vrs_matte *matte, bool circle)
{
	int left, right, top, bottom;
	uint8_t *columns = vrs_calloc((size_t)matte->width, 1);
	if (!columns)
		return VRS_ENOMEM;
	*ret_box = (struct vrs_rect){0};
	if (mark(matte, columns, &top, &bottom)) {
		(circle ? ends_on_circle : ends)(columns, matte->width, &left, &right);
		*ret_box = (struct vrs_rect){left, top, right - left, bottom + 1 - top};
	}
	vrs_free(columns);
	return VRS_OK;
}

struct vrs_rect vrs_person_box_join(const struct vrs_rect *a, const struct vrs_rect *b, int circle)
{
	return b->width == 0 ? *a : a->width == 0 ? *b : vrs_wraparound_around(a, b, circle);
}

/* Of a length from `at` on, with margins: what lies in [0, size). */
static double widened(int at, int length, int size)
{
	return fmin(at + length + MARGIN * length, size) - fmax(at - MARGIN * length, 0);
}

double vrs_person_box_area(const struct vrs_rect *box, int width, int height, bool circle)
{
	double across = circle ? fmin(box->width * (1 + 2 * MARGIN), width) : widened(box->x, box->width, width);
	return across * widened(box->y, box->height, height);
}
