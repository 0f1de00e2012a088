/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

#include <string.h>

ptrdiff_t vrs_wino_tile_step(int sources, const int *channels, int lanes)
{
	/* Every source is written in whole vectors from where the one before ended. */
	ptrdiff_t first = 0, end = 0;
	for (int s = 0; s < sources; s++) {
		ptrdiff_t reach = first + (channels[s] + lanes - 1) / lanes * lanes;
		end = reach > end ? reach : end;
		first += channels[s];
	}
	return (end + lanes - 1) / lanes * lanes;
}

ptrdiff_t vrs_wino_point_step(int tiles, ptrdiff_t tile_step)
{
	ptrdiff_t lines = (tiles * tile_step + 15) / 16;
	return (lines + 1 - lines % 2) * 16;
}

size_t vrs_wino_scratch(int m, int tiles, int sources, const int *channels, int lanes)
{
	ptrdiff_t inputs = vrs_wino_point_step(tiles, vrs_wino_tile_step(sources, channels, lanes));
	ptrdiff_t products = vrs_wino_point_step(tiles, (ptrdiff_t)VRS_MAX_PANEL_VECTORS * lanes);
	return (size_t)(m + 2) * (size_t)(m + 2) * (size_t)(inputs + products);
}

size_t vrs_pack_wino_size(int m, int n, int k, int lanes)
{
	return (size_t)(m + 2) * (size_t)(m + 2) * vrs_pack_conv_size(n, k, lanes);
}

/* u = G g G' of one 3x3 filter whose taps are `step` floats apart. */
static void transform_filter(const float *g, size_t step, int m, double u[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_SIDE])
{
	static const double g4[6][3] = {
		{ 1.0 / 4, 0, 0 }, { -1.0 / 6, -1.0 / 6, -1.0 / 6 }, { -1.0 / 6, 1.0 / 6, -1.0 / 6 }, { 1.0 / 24, 1.0 / 12, 1.0 / 6 },
		{ 1.0 / 24, -1.0 / 12, 1.0 / 6 }, { 0, 0, 1 },
	};
	static const double g2[4][3] = { { 1, 0, 0 }, { 0.5, 0.5, 0.5 }, { 0.5, -0.5, 0.5 }, { 0, 0, 1 } };
	const double (*matrix)[3] = m == 4 ? g4 : g2;
	double rows[VRS_WINO_MAX_SIDE][3];
	for (int i = 0; i < m + 2; i++)
		for (size_t x = 0; x < 3; x++)
			rows[i][x] = matrix[i][0] * (double)g[x * step] + matrix[i][1] * (double)g[(3 + x) * step] + matrix[i][2] * (double)g[(6 + x) * step];
	for (int i = 0; i < m + 2; i++)
		for (int j = 0; j < m + 2; j++)
			u[i][j] = matrix[j][0] * rows[i][0] + matrix[j][1] * rows[i][1] + matrix[j][2] * rows[i][2];
}

void vrs_pack_wino(float *dst, const float *weights, int m, int n, int k, int lanes)
{
	size_t points = (size_t)(m + 2) * (size_t)(m + 2);
	double u[VRS_WINO_MAX_SIDE][VRS_WINO_MAX_SIDE];
	memset(dst, 0, vrs_pack_wino_size(m, n, k, lanes) * sizeof *dst);
	for (int first = 0, left = (n + lanes - 1) / lanes, width; left > 0; left -= width / lanes, first += width) {
		width = VRS_PANEL_VECTORS(left) * lanes;
		size_t point = (size_t)k * (size_t)width;
		for (int j = 0; j < width && first + j < n; j++) {
			for (int c = 0; c < k; c++) {
				transform_filter(weights + (size_t)(first + j) * 9 * (size_t)k + (size_t)c, (size_t)k, m, u);
				for (size_t p = 0; p < points; p++)
					dst[p * point + (size_t)c * (size_t)width + (size_t)j] = (float)u[p / (size_t)(m + 2)][p % (size_t)(m + 2)];
			}
		}
		dst += points * point;
	}
}
