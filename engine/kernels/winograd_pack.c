/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

#include <string.h>

/* Every source is written in whole vectors from where the one before ended. */
static ptrdiff_t block_reach(const struct vrs_wino_batch *b, int begin, int count, int lanes)
{
	ptrdiff_t end = 0;
	for (int s = 0, first = 0; s < b->sources; first += b->channels[s++]) {
		int lo = first > begin ? first : begin, hi = first + b->channels[s] < begin + count ? first + b->channels[s] : begin + count;
		ptrdiff_t reach = lo < hi ? lo - begin + (hi - lo + lanes - 1) / lanes * lanes : 0;
		end = reach > end ? reach : end;
	}
	return end;
}

ptrdiff_t vrs_wino_tile_step(const struct vrs_wino_batch *b, int lanes)
{
	ptrdiff_t end = 0;
	for (int begin = 0, count; begin < b->k; begin += count) {
		count = b->block < b->k - begin ? b->block : b->k - begin;
		ptrdiff_t reach = block_reach(b, begin, count, lanes);
		end = reach > end ? reach : end;
	}
	return (end + lanes - 1) / lanes * lanes;
}

ptrdiff_t vrs_wino_point_step(int tiles, ptrdiff_t tile_step)
{
	ptrdiff_t lines = (tiles * tile_step + 15) / 16;
	return (lines + 1 - lines % 2) * 16;
}

size_t vrs_wino_scratch(const struct vrs_wino_batch *b, int lanes)
{
	size_t side = (size_t)VRS_WINO_SIDE(b->m, b->taps);
	ptrdiff_t inputs = vrs_wino_point_step(b->tiles, vrs_wino_tile_step(b, lanes)), products = 0;
	inputs = inputs < b->k ? b->k : inputs; /* the plain kernel transforms all channels of a tile */
	if (b->block >= b->k)
		products = vrs_wino_point_step(b->tiles, (ptrdiff_t)VRS_MAX_PANEL_VECTORS * lanes);
	else
		for (int left = (b->n + lanes - 1) / lanes; left > 0; left -= VRS_PANEL_VECTORS(left))
			products += vrs_wino_point_step(b->tiles, (ptrdiff_t)VRS_PANEL_VECTORS(left) * lanes);
	return side * side * (size_t)(inputs + products);
}

size_t vrs_pack_wino_size(int m, int taps, int n, int k, int lanes)
{
	size_t side = (size_t)VRS_WINO_SIDE(m, taps);
	return side * side * vrs_pack_conv_size(n, k, lanes);
}

/* Rows of G: the powers of each point by the scale that makes B' whole numbers, and the highest power for infinity. */
static void filter_matrix(int side, int taps, double g[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_TAPS])
{
	static const double points6[][2] = { { 0, 1.0 / 4 }, { 1, -1.0 / 6 }, { -1, -1.0 / 6 }, { 2, 1.0 / 24 }, { -2, 1.0 / 24 } };
	static const double points4[][2] = { { 0, 1 }, { 1, 0.5 }, { -1, 0.5 } };
	const double (*points)[2] = side == 6 ? points6 : points4;
	for (int i = 0; i + 1 < side; i++) {
		g[i][0] = points[i][1];
		for (int j = 1; j < taps; j++)
			g[i][j] = g[i][j - 1] * points[i][0];
	}
	for (int j = 0; j < taps; j++)
		g[side - 1][j] = j + 1 == taps;
}

/* u = G g G' of one filter whose taps are `step` floats apart. */
static void transform_filter(const float *g, size_t step, int side, int taps, double matrix[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_TAPS],
			     double u[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_SIDE])
{
	double rows[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_TAPS];
	for (int i = 0; i < side; i++) {
		for (int x = 0; x < taps; x++) {
			rows[i][x] = 0;
			for (int y = 0; y < taps; y++)
				rows[i][x] += matrix[i][y] * (double)g[(size_t)(y * taps + x) * step];
		}
	}
	for (int i = 0; i < side; i++) {
		for (int j = 0; j < side; j++) {
			u[i][j] = 0;
			for (int x = 0; x < taps; x++)
				u[i][j] += matrix[j][x] * rows[i][x];
		}
	}
}

void vrs_pack_wino(float *dst, const float *weights, int m, int taps, int n, int k, int lanes)
{
	int side = VRS_WINO_SIDE(m, taps);
	size_t points = (size_t)(side * side), filter = (size_t)(taps * taps) * (size_t)k;
	double g[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_TAPS], u[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_SIDE];
	filter_matrix(side, taps, g);
	memset(dst, 0, vrs_pack_wino_size(m, taps, n, k, lanes) * sizeof *dst);
	for (int first = 0, left = (n + lanes - 1) / lanes, width; left > 0; left -= width / lanes, first += width) {
		width = VRS_PANEL_VECTORS(left) * lanes;
		size_t point = (size_t)k * (size_t)width;
		for (int j = 0; j < width && first + j < n; j++) {
			for (int c = 0; c < k; c++) {
				transform_filter(weights + (size_t)(first + j) * filter + (size_t)c, (size_t)k, side, taps, g, u);
				for (size_t p = 0; p < points; p++)
					dst[p * point + (size_t)c * (size_t)width + (size_t)j] = (float)u[p / (size_t)side][p % (size_t)side];
			}
		}
		dst += points * point;
	}
}
