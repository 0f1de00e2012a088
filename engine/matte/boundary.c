/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A contour pixel differs from its right, lower or lower-right neighbour.  For the distance test each column keeps how far the nearest contour
 * pixel of that column is; a pixel then looks at the columns within the radius (exact, and cheap since contours are short).
 */
#include "matte/boundary.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define FAR 0x7fff

static bool inside(const struct vrs_matte *m, int x, int y)
{
	return m->data[m->stride * y + x] >= 128;
}

long vrs_contour_mark(uint16_t *map, const struct vrs_matte *m)
{
	long count = 0;
	for (int y = 0; y < m->height; y++) {
		int below = y + 1 < m->height ? y + 1 : y;
		for (int x = 0; x < m->width; x++) {
			int right = x + 1 < m->width ? x + 1 : x;
			bool here = inside(m, x, y);
			bool edge = here != inside(m, right, y) || here != inside(m, x, below) || here != inside(m, right, below);
			map[(size_t)y * (size_t)m->width + (size_t)x] = edge ? 0 : FAR;
			count += edge;
		}
	}
	return count;
}

/* Replace FAR by the distance to the nearest contour pixel of the same column. */
static void spread_columns(uint16_t *map, int width, int height)
{
	size_t w = (size_t)width;
	for (int y = 1; y < height; y++)
		for (size_t x = 0; x < w; x++) {
			unsigned d = map[((size_t)y - 1) * w + x] + 1u;
			if (d < map[(size_t)y * w + x])
				map[(size_t)y * w + x] = (uint16_t)d;
		}
	for (int y = height - 2; y >= 0; y--)
		for (size_t x = 0; x < w; x++) {
			unsigned d = map[((size_t)y + 1) * w + x] + 1u;
			if (d < map[(size_t)y * w + x])
				map[(size_t)y * w + x] = (uint16_t)d;
		}
}

static bool near_contour(const uint16_t *row, int width, int x, double radius)
{
	int reach = (int)radius, first = x - reach < 0 ? 0 : x - reach, last = x + reach >= width ? width - 1 : x + reach;
	for (int i = first; i <= last; i++) {
		double dx = i - x, dy = row[i];
		if (dx * dx + dy * dy <= radius * radius)
			return true;
	}
	return false;
}

/* Contour pixels of `own` that lie near the contour whose column distances are `other`. */
static long count_near(const uint16_t *own, const uint16_t *other, int width, int height, double radius)
{
	long count = 0;
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			size_t row = (size_t)y * (size_t)width;
			if (own[row + (size_t)x] == 0 && near_contour(other + row, width, x, radius))
				count++;
		}
	return count;
}

enum vrs_status vrs_boundary_f(double *ret_f, const struct vrs_matte *a, const struct vrs_matte *b, double radius)
{
	size_t n;
	if (!vrs_mul_size((size_t)a->width, (size_t)a->height, &n))
		return VRS_ENOMEM;
	uint16_t *map_a = vrs_calloc(n, sizeof *map_a), *map_b = vrs_calloc(n, sizeof *map_b);
	if (!map_a || !map_b) {
		vrs_free(map_a);
		vrs_free(map_b);
		return VRS_ENOMEM;
	}
	long count_a = vrs_contour_mark(map_a, a), count_b = vrs_contour_mark(map_b, b);
	if (!count_a || !count_b) {
		*ret_f = count_a == count_b;
	} else {
		/* 0 stays 0 when distances spread, so the maps still tell where the contours are */
		spread_columns(map_a, a->width, a->height);
		spread_columns(map_b, a->width, a->height);
		double precision = (double)count_near(map_a, map_b, a->width, a->height, radius) / (double)count_a;
		double recall = (double)count_near(map_b, map_a, a->width, a->height, radius) / (double)count_b;
		*ret_f = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
	}
	vrs_free(map_a);
	vrs_free(map_b);
	return VRS_OK;
}

/* Keep the bytes of a row or column whose neighbours up to `reach` on both sides are set; what lies outside is not. */
static void erode_line(uint8_t *line, size_t step, int length, int reach, uint8_t *scratch)
{
	int run = 0; /* pixels of the set up to the leading end of the window */
	for (int i = 0; i < length; i++)
		scratch[i] = line[(size_t)i * step];
	for (int i = -reach; i < length; i++) {
		int ahead = i + reach;
		run = ahead < length && scratch[ahead] ? run + 1 : 0;
		if (i >= 0)
			line[(size_t)i * step] = run > 2 * reach;
	}
}

/* 1 for pixels of the matte that lie at most `reach` from where it ends, by the larger of both distances; the picture ends there, too. */
static void mark_band(uint8_t *band, const struct vrs_matte *m, int reach, uint8_t *scratch)
{
	size_t w = (size_t)m->width;
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++)
			band[(size_t)y * w + (size_t)x] = inside(m, x, y);
	for (int y = 0; y < m->height; y++)
		erode_line(band + (size_t)y * w, 1, m->width, reach, scratch);
	for (int x = 0; x < m->width; x++)
		erode_line(band + x, w, m->height, reach, scratch);
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++)
			band[(size_t)y * w + (size_t)x] = inside(m, x, y) && !band[(size_t)y * w + (size_t)x];
}

enum vrs_status vrs_boundary_iou(double ret_iou[2], const struct vrs_matte *a, const struct vrs_matte *b, int reach, const float *weight)
{
	size_t n;
	if (!vrs_mul_size((size_t)a->width, (size_t)a->height, &n))
		return VRS_ENOMEM;
	size_t longer = (size_t)(a->width > a->height ? a->width : a->height);
	uint8_t *band_a = vrs_alloc(n), *band_b = vrs_alloc(n), *scratch = vrs_alloc(longer);
	double both[2] = {0}, either[2] = {0};
	enum vrs_status status = band_a && band_b && scratch ? VRS_OK : VRS_ENOMEM;
	if (status == VRS_OK) {
		mark_band(band_a, a, reach, scratch);
		mark_band(band_b, b, reach, scratch);
	}
	for (size_t i = 0; i < n && status == VRS_OK; i++) {
		double w = weight ? (double)weight[i] : 0;
		both[0] += band_a[i] & band_b[i];
		either[0] += band_a[i] | band_b[i];
		both[1] += (band_a[i] & band_b[i]) * w;
		either[1] += (band_a[i] | band_b[i]) * w;
	}
	for (int i = 0; i < 2 && status == VRS_OK; i++)
		ret_iou[i] = either[i] > 0 ? both[i] / either[i] : 1;
	vrs_free(band_a);
	vrs_free(band_b);
	vrs_free(scratch);
	return status;
}
