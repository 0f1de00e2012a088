/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Vertical half of an area scale of one plane, the arithmetic of vrs_downscale_rows (kernels/scale_ref.c):
 *
 *     dst[i][c] = (sum over t < used[i] of src[first_row + first[i] + t][column c] * weights[i][t] + 2^(DEPTH - 2)) >> (DEPTH - 1), a sample15:
 *     at most 32767
 *
 * src: plane of T elements, CHANNELS of them a pixel, samples SHIFT bits up, rows `pitch` elements apart.  dst: [height][columns * CHANNELS].
 * tables: {first, used} of output i at rows_at + 2 i, its weights at weights_at + taps i.  Pixel c of a row is pixel first_column + c of the
 * plane, less `circle` as often as that is `edge` or more: the columns of an eye that closes to a circle go on at its left edge.
 *
 * A work-item (x, i) makes elements 4 x .. 4 x + 3 of row i.
 */
int NAME(source)(int element, int first_column, int edge, int circle)
{
	int pixel = first_column + element / CHANNELS;

	while (pixel >= edge)
		pixel -= circle;
	return pixel * CHANNELS + element % CHANNELS;
}

__kernel void KERNEL(__global const T *src, int pitch, __global ushort *dst, __global const int *tables, int rows_at, int weights_at, int taps,
		     int first_row, int first_column, int edge, int circle, int columns, int height)
{
	int at = 4 * (int)get_global_id(0), i = (int)get_global_id(1), width = columns * CHANNELS;

	if (at >= width || i >= height)
		return;
	int first = tables[rows_at + 2 * i], used = tables[rows_at + 2 * i + 1];
	__global const int *weights = tables + weights_at + taps * i;
	__global const T *rows = src + (first_row + first) * pitch;
	__global ushort *to = dst + i * width + at;
	int from = NAME(source)(at, first_column, edge, circle), last = NAME(source)(at + 3, first_column, edge, circle);

	if (at + 3 < width && last == from + 3) {
		int4 sum = 1 << (DEPTH - 2);
		for (int t = 0; t < used; t++)
			sum += (convert_int4(vload4(0, rows + t * pitch + from)) >> SHIFT) * weights[t];
		vstore4(convert_ushort4(min(sum >> (DEPTH - 1), 32767)), 0, to);
		return;
	}
	for (int k = 0; k < 4 && at + k < width; k++) {
		int sum = 1 << (DEPTH - 2);
		from = NAME(source)(at + k, first_column, edge, circle);
		for (int t = 0; t < used; t++)
			sum += ((int)rows[t * pitch + from] >> SHIFT) * weights[t];
		to[k] = (ushort)min(sum >> (DEPTH - 1), 32767);
	}
}
