/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winograd convolution of a batch of tiles (winograd.h).
 *
 * V[point][tile][channel] is made for all channels of the batch, then for one panel of output channels after the other M[point][tile][panel] =
 * V[point] * U[panel][point] and the output transform.  V stays in the second-level cache (the caller chooses the number of tiles), M and the slice
 * of U in use in the first; U streams through once a batch.  With more channels than that allows, V is made for a block of them, and M of all panels
 * waits in the last-level cache and is taken up again with the next block.  The steps between points are odd numbers of cache lines: powers
 * of two would put all points of a tile into the same sets.  The bias is the start of the sum at point (1, 1): A' e1 = (1, .., 1).
 */
#include "kernels/act_vectors.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack.h"
#include "kernels/winograd_points8.h"
#include "kernels/winograd_products.h"

/* One vector of channels of a tile. */
VRS_INLINE void wino_input_vector(const float *const *rows, ptrdiff_t at, struct wino_steps px, float *v, struct wino_steps point, int side, vm mask,
				  bool masked)
{
	const float *r[VRS_WINO_MAX_SIDE];
	VRS_UNROLL
	for (int i = 0; i < side; i++)
		r[i] = rows[i] + at;
	if (side == 8)
		wino_side8_input(r, px, v, point, mask, masked);
	else if (side == 6)
		wino_side6_input(r, px, v, point, mask, masked);
	else
		wino_side4_input(r, px, v, point, mask, masked);
}

/* Channels [begin, begin + count) of one source, which become columns of V from `to` on. */
struct wino_part {
	int source, begin, count;
	ptrdiff_t to;
};

/*
 * The m new columns of the next tile lie one after the other in each row: as many of their lines as one vector of channels has of them.  Rows are
 * too far apart for the prefetchers of the hardware to follow.
 */
VRS_INLINE void wino_input_ahead(const float *const *rows, ptrdiff_t at, int m, int side)
{
	VRS_UNROLL
	for (int i = 0; i < side; i++) {
		const float *next = rows[i] + at;
		VRS_UNROLL
		for (int j = 0; j < m * VL; j += 16)
			__builtin_prefetch(next + j);
	}
}

/* The same for some channels of each column. */
VRS_INLINE void wino_columns_ahead(const float *const *rows, ptrdiff_t at, ptrdiff_t px, int m, int side)
{
	VRS_UNROLL
	for (int i = 0; i < side; i++) {
		const float *next = rows[i] + at;
		VRS_UNROLL
		for (int j = 0; j < m; j++)
			__builtin_prefetch(next + j * px);
	}
}

/* The tiles of a run: V of the first tile at v. */
VRS_INLINE void wino_input_tiles(const struct vrs_wino_batch *b, const struct vrs_wino_run *run, const struct wino_part *part, int m, int side,
				 float *v, ptrdiff_t step, ptrdiff_t point)
{
	const float *const *rows = run->rows + (ptrdiff_t)part->source * side;
	int whole = part->count / VL * VL;
	bool all = part->count == b->channels[part->source];
	ptrdiff_t px = run->in_px[part->source], at = part->begin;
	struct wino_steps px_steps = wino_steps_of(px), point_steps = wino_steps_of(point);
	vm mask = v_mask(part->count - whole);
	for (int t = 0; t < run->tiles; t++, v += step, at += m * px) {
		bool ahead = t + 1 < run->tiles;
		for (int c = 0; c < whole; c += VL) {
			if (ahead && all)
				wino_input_ahead(rows, at + side * px + (ptrdiff_t)c * m, m, side);
			else if (ahead && c % 16 == 0)
				wino_columns_ahead(rows, at + side * px + c, px, m, side);
			wino_input_vector(rows, at + c, px_steps, v + c, point_steps, side, mask, false);
		}
	}
	if (whole == part->count)
		return;
	v -= run->tiles * step;
	at = part->begin;
	for (int t = 0; t < run->tiles; t++, v += step, at += m * px)
		wino_input_vector(rows, at + whole, px_steps, v + whole, point_steps, side, mask, true);
}

/* Channels [begin, end) of all sources.  One that ends inside a vector is followed by zeros, which the next overwrites: sources in order. */
VRS_INLINE void wino_input_batch(const struct vrs_wino_batch *b, int m, int side, int begin, int end, float *v, ptrdiff_t step, ptrdiff_t point)
{
	for (int s = 0, first = 0; s < b->sources; first += b->channels[s++]) {
		int from = first > begin ? first : begin, until = first + b->channels[s] < end ? first + b->channels[s] : end;
		struct wino_part part = {s, from - first, until - from, from - begin};
		float *to = v + part.to;
		for (int r = 0; r < b->run_count && part.count > 0; r++) {
			wino_input_tiles(b, &b->runs[r], &part, m, side, to, step, point);
			to += b->runs[r].tiles * step;
		}
	}
}

#define WINO_INPUT(name, m, side) \
	static __attribute__((noinline)) void name(const struct vrs_wino_batch *b, int begin, int end, float *v, ptrdiff_t step, ptrdiff_t point) \
	{ \
		wino_input_batch(b, m, side, begin, end, v, step, point); \
	}
WINO_INPUT(wino43_input, 4, 6)
WINO_INPUT(wino23_input, 2, 4)
WINO_INPUT(wino25_input, 2, 6)
WINO_INPUT(wino45_input, 4, 8)

/* Where a vector of channels of a tile goes. */
struct wino_place {
	const struct vrs_wino_batch *b;
	const struct vrs_wino_run *run;
	ptrdiff_t at;                /* floats from the first column of the run, first channel included */
	int columns;
	vm mask;
	bool masked;
};

static __attribute__((noinline)) void wino_store_row(const struct wino_place *place, int row, const float *values)
{
	const struct vrs_epilogue *e = &place->b->epilogue;
	float *out = place->run->out[row];
	const float *residual = e->residual ? place->run->residual[row] : NULL;
	vf lo = v_set1(e->lo), hi = v_set1(e->hi);
	if (!out)
		return;
	for (int x = 0; x < place->columns; x++, values += VL) {
		ptrdiff_t at = place->at + x * place->b->out_px;
		vf y = v_load(values), r = residual ? wino_load(residual + at, place->mask, place->masked) : v_zero();
		if (residual && e->residual_before)
			y = v_add(y, r);
		y = act_apply(y, e->act, lo, hi);
		if (residual && !e->residual_before)
			y = v_add(y, r);
		if (place->masked)
			v_storem(out + at, place->mask, y);
		else
			v_store(out + at, y);
	}
}

VRS_INLINE void wino_output_pair(const struct wino_place *place, int first, int second, vf y0[4], vf y1[4], int m, bool simple)
{
	ptrdiff_t px = place->b->out_px;
	if (simple) {
		vf lo = v_set1(place->b->epilogue.lo), hi = v_set1(place->b->epilogue.hi);
		float *out0 = place->run->out[first] + place->at, *out1 = place->run->out[second] + place->at;
		VRS_UNROLL
		for (int x = 0; x < m; x++)
			v_store(out0 + x * px, v_clamp(y0[x], lo, hi));
		VRS_UNROLL
		for (int x = 0; x < m; x++)
			v_store(out1 + x * px, v_clamp(y1[x], lo, hi));
		return;
	}
	float values[2][4 * VL];
	VRS_UNROLL
	for (int x = 0; x < m; x++) {
		v_store(values[0] + x * VL, y0[x]);
		v_store(values[1] + x * VL, y1[x]);
	}
	wino_store_row(place, first, values[0]);
	wino_store_row(place, second, values[1]);
}

VRS_INLINE void wino_output_tile(const struct wino_place *place, const float *product, ptrdiff_t point, const struct wino_steps *row, int m,
				 int side, bool simple)
{
	vf y0[4], y1[4];
	if (m == 4) {
		VRS_UNROLL
		for (int half = 0; half < 2; half++) {
			if (side == 8)
				wino45_output(product, point, row, half, y0, y1);
			else
				wino43_output(product, point, row, half, y0, y1);
			wino_output_pair(place, half, half + 2, y0, y1, m, simple);
		}
		return;
	}
	if (side == 6)
		wino25_output(product, point, row, y0, y1);
	else
		wino23_output(product, point, row, y0, y1);
	wino_output_pair(place, 0, 1, y0, y1, m, simple);
}

/* The lines that the next tile writes. */
VRS_INLINE void wino_output_ahead(const struct vrs_wino_run *run, ptrdiff_t at, ptrdiff_t px, int m)
{
	VRS_UNROLL
	for (int i = 0; i < m; i++) {
		const float *next = run->out[i] + at;
		VRS_UNROLL
		for (int x = 0; x < m; x++)
			__builtin_prefetch(next + x * px);
	}
}

/* One panel of all tiles; first: its first output channel. */
VRS_INLINE void wino_output_batch(const struct vrs_wino_batch *b, int m, int side, const float *product, ptrdiff_t point, int first, int nv)
{
	struct wino_steps row = wino_steps_of(side * point);
	for (int r = 0; r < b->run_count; r++) {
		const struct vrs_wino_run *run = &b->runs[r];
		bool rows = true;
		for (int i = 0; i < m; i++)
			rows = rows && run->out[i];
		bool plain = rows && !b->epilogue.residual && b->epilogue.act == VRS_KACT_CLAMP;
		for (int t = 0; t < run->tiles; t++, product += (ptrdiff_t)nv * VL) {
			int columns = t + 1 < run->tiles ? m : run->columns;
			if (rows && t + 1 < run->tiles)
				wino_output_ahead(run, (ptrdiff_t)(t + 1) * m * b->out_px + first, b->out_px, m);
			for (int j = 0; j < nv; j++) {
				int channel = first + j * VL, lanes = b->n - channel;
				struct wino_place place = {b, run, (ptrdiff_t)t * m * b->out_px + channel, columns, v_mask(lanes < VL ? lanes : 0), lanes < VL};
				if (lanes <= 0)
					continue;
				if (plain && columns == m && lanes >= VL)
					wino_output_tile(&place, product + j * VL, point, &row, m, side, true);
				else
					wino_output_tile(&place, product + j * VL, point, &row, m, side, false);
			}
		}
	}
}

#define WINO_OUTPUT(name, m, side) \
	static __attribute__((noinline)) void name(const struct vrs_wino_batch *b, const float *product, ptrdiff_t point, int first, int nv) \
	{ \
		wino_output_batch(b, m, side, product, point, first, nv); \
	}
WINO_OUTPUT(wino43_output_all, 4, 6)
WINO_OUTPUT(wino23_output_all, 2, 4)
WINO_OUTPUT(wino25_output_all, 2, 6)
WINO_OUTPUT(wino45_output_all, 4, 8)

typedef void (*wino_input_fn)(const struct vrs_wino_batch *b, int begin, int end, float *v, ptrdiff_t step, ptrdiff_t point);
typedef void (*wino_output_fn)(const struct vrs_wino_batch *b, const float *product, ptrdiff_t point, int first, int nv);

/* Products of channels [begin, end), and after the last of them the outputs. */
static void wino_panels(const struct vrs_wino_batch *b, int begin, int end, const float *v, ptrdiff_t step, ptrdiff_t v_point, float *product)
{
	static void (*const points[])(const float *, ptrdiff_t, int, int, const float *, ptrdiff_t, const float *, float *) = {
		wino_point1, wino_point2, wino_point3
	};
	static const float zeros[3 * VL];
	static const wino_output_fn outputs[2][2] = {{wino23_output_all, wino25_output_all}, {wino43_output_all, wino45_output_all}};
	const wino_output_fn output = outputs[b->m == 4][b->taps == 5];
	int side = VRS_WINO_SIDE(b->m, b->taps), sides = side * side;
	bool blocks = b->block < b->k;
	const float *weights = b->weights;
	for (int first = 0, left = (b->n + VL - 1) / VL, nv; left > 0; left -= nv, first += nv * VL) {
		nv = VRS_PANEL_VECTORS(left);
		ptrdiff_t point = vrs_wino_point_step(b->tiles, (ptrdiff_t)nv * VL), panel = (ptrdiff_t)nv * VL;
		for (int p = 0; p < sides; p++, weights += b->k * panel) {
			const float *init = begin > 0 ? NULL : p == side + 1 ? b->bias + first : zeros;
			points[nv - 1](v + p * v_point, step, b->tiles, end - begin, weights + begin * panel, blocks ? b->k * panel : 0, init,
					product + p * point);
		}
		if (end == b->k)
			output(b, product, point, first, nv);
		product += blocks ? sides * point : 0;
	}
}

void VRS_ISA(vrs_winograd_f32)(const struct vrs_wino_batch *batch)
{
	vrs_winograd_contract(batch, VL);
	struct vrs_wino_batch b = *batch;
	static const wino_input_fn inputs[2][2] = {{wino23_input, wino25_input}, {wino43_input, wino45_input}};
	const wino_input_fn input = inputs[b.m == 4][b.taps == 5];
	int side = VRS_WINO_SIDE(b.m, b.taps);
	ptrdiff_t step = vrs_wino_tile_step(&b, VL), point = vrs_wino_point_step(b.tiles, step);
	if (b.epilogue.act == VRS_KACT_NONE) {
		b.epilogue.act = VRS_KACT_CLAMP;
		b.epilogue.lo = -__builtin_inff();
		b.epilogue.hi = __builtin_inff();
	}
	for (int begin = 0, end; begin < b.k; begin = end) {
		end = b.block < b.k - begin ? begin + b.block : b.k;
		input(&b, begin, end, b.scratch, step, point);
		wino_panels(&b, begin, end, b.scratch, step, point, b.scratch + side * side * point);
	}
}
