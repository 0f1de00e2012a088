/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/assert.h"
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

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
	ptrdiff_t channels = (b->k + 15) / 16 * 16; /* the plain kernel transforms all channels of a tile */
	inputs = inputs < channels ? channels : inputs;
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
	return side * side * vrs_pack_size(n, k, lanes);
}

/* Filters of CHUNK input channels, which follow each other in the weights, at once: vectors for the compiler. */
enum { CHUNK = 16, MAX_POINTS = VRS_WINO_MAX_SIDE * VRS_WINO_MAX_SIDE };

/*
 * to = G from, where taps are `step` chunks apart and points `to_step`.  A row of G has the powers of a point, by the scale that makes B' short
 * numbers: sums of even and of odd powers serve x and -x.  Infinity has the highest power alone.
 */
static void transform_taps(const double (*from)[CHUNK], int step, int side, int taps, double (*to)[CHUNK], int to_step)
{
	static const double points[] = {0, 1, 2, 0.5};
	static const double scale8[] = {-1, -2.0 / 9, 1.0 / 90, 32.0 / 45}, scale6[] = {1.0 / 4, -1.0 / 6, 1.0 / 24}, scale4[] = {1, 0.5};
	const double *scale = side == 8 ? scale8 : side == 6 ? scale6 : scale4;
	for (int l = 0; l < CHUNK; l++) {
		to[0][l] = scale[0] * from[0][l];
		to[(side - 1) * to_step][l] = from[(taps - 1) * step][l];
	}
	for (int x = 1; 2 * x < side; x++) {
		double even[CHUNK], odd[CHUNK], power = scale[x] * points[x];
		for (int l = 0; l < CHUNK; l++) {
			even[l] = scale[x] * from[0][l];
			odd[l] = power * from[step][l];
		}
		for (int i = 2; i < taps; i++) {
			double *sum = i % 2 ? odd : even;
			power *= points[x];
			for (int l = 0; l < CHUNK; l++)
				sum[l] += power * from[i * step][l];
		}
		for (int l = 0; l < CHUNK; l++) {
			to[(2 * x - 1) * to_step][l] = even[l] + odd[l];
			to[2 * x * to_step][l] = even[l] - odd[l];
		}
	}
}

/* u = G g G' of `count` filters with k floats from tap to tap. */
static void transform_filters(const float *weights, size_t k, int count, int side, int taps, double u[MAX_POINTS][CHUNK])
{
	double g[VRS_WINO_MAX_TAPS * VRS_WINO_MAX_TAPS][CHUNK] = {{0}}, rows[VRS_WINO_MAX_SIDE * VRS_WINO_MAX_TAPS][CHUNK];
	for (int t = 0; t < taps * taps; t++)
		for (int l = 0; l < count; l++)
			g[t][l] = (double)weights[(size_t)t * k + (size_t)l];
	for (int x = 0; x < taps; x++)
		transform_taps(g + x, taps, side, taps, rows + x, taps);
	for (int i = 0; i < side; i++)
		transform_taps(rows + i * taps, 1, side, taps, u + i * side, 1);
}

void vrs_pack_wino(float *dst, const float *weights, int m, int taps, int n, int k, int lanes)
{
	int side = VRS_WINO_SIDE(m, taps);
	VRS_ASSERT(side == 4 || side == 6 || side == 8);
	size_t points = (size_t)(side * side), filter = (size_t)(taps * taps) * (size_t)k;
	double u[MAX_POINTS][CHUNK];
	for (int first = 0, left = (n + lanes - 1) / lanes, width; left > 0; left -= width / lanes, first += width) {
		width = VRS_PANEL_VECTORS(left) * lanes;
		size_t point = (size_t)k * (size_t)width;
		for (int c = 0; c < k; c += CHUNK) {
			int count = k - c < CHUNK ? k - c : CHUNK;
			for (int j = 0; j < width; j++) {
				float *to = dst + (size_t)c * (size_t)width + (size_t)j;
				bool filled = first + j < n; /* else a channel of zeros */
				transform_filters(filled ? weights + (size_t)(first + j) * filter + (size_t)c : weights, (size_t)k, filled ? count : 0, side, taps, u);
				for (size_t p = 0; p < points; p++)
					for (int l = 0; l < count; l++)
						to[p * point + (size_t)(l * width)] = (float)u[p][l];
			}
		}
		dst += points * point;
	}
}
