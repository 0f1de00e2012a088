/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of the channels of a map, each a formula of its own: what a concat puts side by side without its inputs being in memory, or a formula whose
 * operands are channels of larger maps.  PIECES is made for it (ocl_pieces.c) of the macros here; it computes vectors t of the channels from c on of
 * pixel p.  The work-items of a piece follow those of the one before; BY_VECTOR: each makes a vector of a pixel, else all of its channels.
 *   y  [pixels][pitch], the first piece from channel `to` on   out_h, out_w: of a picture, where there are resized operands
 */
#define COUNT(channels, vector) (BY_VECTOR ? (channels) / (vector) : 1)
#define BEGIN(channels, vector) \
	if (item < pixels * COUNT(channels, vector)) { \
		int p = item / COUNT(channels, vector), begin = (item - p * COUNT(channels, vector)) * (vector); \
		int end = BY_VECTOR ? begin + (vector) : (channels);
#define EACH(vector) for (int c = begin; c < end; c += (vector)) {
#define END(channels, vector) \
		} \
		return; \
	} \
	item -= pixels * COUNT(channels, vector); \
	to += (channels);
/* Place of p in its picture, then in what a resize k reads; tables as in resize.cl. */
#define PLACE int row = p / out_w, ox = p - row * out_w, image = row / out_h, oy = row - image * out_h;
#define CORNERS(k) \
	int left##k = places##k[2 * (out_h + ox)], top##k = (image * height##k + places##k[2 * oy]) * width##k; \
	int right##k = places##k[2 * (out_h + ox) + 1], bottom##k = (image * height##k + places##k[2 * oy + 1]) * width##k; \
	float across##k = weights##k[out_h + ox], down##k = weights##k[oy];
#define NEAREST(k, ld, x, pitch, first) ld(x, (top##k + left##k) * pitch + first + c)
#define ROW(k, ld, x, pitch, first, y) \
	(ld(x, (y##k + left##k) * pitch + first + c) * (1.0f - across##k) + ld(x, (y##k + right##k) * pitch + first + c) * across##k)
#define BLEND(k, ld, x, pitch, first) \
	(ROW(k, ld, x, pitch, first, top) * (1.0f - down##k) + ROW(k, ld, x, pitch, first, bottom) * down##k)

__kernel void KERNEL(ARGS __global y_T *y, int out_h, int out_w, int pixels, int pitch, int to)
{
	int item = (int)get_global_id(0);

	PIECES
}
#undef COUNT
#undef BEGIN
#undef EACH
#undef END
#undef PLACE
#undef CORNERS
#undef NEAREST
#undef ROW
#undef BLEND
