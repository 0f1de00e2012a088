/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <vrseg/quality.h>

#include <math.h>
#include <stdlib.h>

#include "matte/boundary.h"

#define BOUNDARY_SHARE 0.0075 /* of the diagonal */

static bool same_size(const struct vrs_matte *a, const struct vrs_matte *b)
{
	return a && b && a->data && b->data && a->width > 0 && a->height > 0 && a->width == b->width && a->height == b->height;
}

static const uint8_t *row_of(const struct vrs_matte *matte, int y)
{
	return matte->data + matte->stride * y;
}

enum vrs_status vrs_quality_compare(struct vrs_quality *ret_quality, const struct vrs_matte *matte, const struct vrs_matte *truth)
{
	if (!same_size(matte, truth))
		return VRS_EINVAL;
	int64_t both = 0, either = 0, absolute = 0, squares = 0;
	for (int y = 0; y < matte->height; y++) {
		const uint8_t *a = row_of(matte, y), *b = row_of(truth, y);
		for (int x = 0; x < matte->width; x++) {
			int d = a[x] - b[x];
			absolute += abs(d);
			squares += d * d;
			both += a[x] >= 128 && b[x] >= 128;
			either += a[x] >= 128 || b[x] >= 128;
		}
	}
	double n = (double)matte->width * matte->height, radius = BOUNDARY_SHARE * hypot(matte->width, matte->height);
	struct vrs_quality quality = {
		.iou = either ? (double)both / (double)either : 1.0,
		.mad = (double)absolute / (255.0 * n),
		.mse = (double)squares / (255.0 * 255.0 * n),
	};
	enum vrs_status status = vrs_boundary_f(&quality.boundary_f, matte, truth, radius < 1 ? 1 : radius);
	if (status == VRS_OK)
		*ret_quality = quality;
	return status;
}

enum vrs_status vrs_quality_dtssd(double *ret_dtssd, const struct vrs_matte *matte, const struct vrs_matte *previous, const struct vrs_matte *truth,
				  const struct vrs_matte *truth_previous)
{
	if (!same_size(matte, previous) || !same_size(matte, truth) || !same_size(matte, truth_previous))
		return VRS_EINVAL;
	int64_t squares = 0;
	for (int y = 0; y < matte->height; y++) {
		const uint8_t *a = row_of(matte, y), *b = row_of(previous, y), *c = row_of(truth, y), *d = row_of(truth_previous, y);
		for (int x = 0; x < matte->width; x++) {
			int change = (a[x] - b[x]) - (c[x] - d[x]);
			squares += change * change;
		}
	}
	*ret_dtssd = sqrt((double)squares / ((double)matte->width * matte->height)) / 255.0;
	return VRS_OK;
}
