/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depthwise rows: tiles of UW output pixels x 1 vector of channels.  For each window row the kernel's weights are in registers and every
 * input vector is loaded once for all outputs that use it.  Each output sums in the order bias, row, tap.
 */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"

#define UW_MAX 8

VRS_INLINE void dw_residual(const struct vrs_dwconv_row *row, vf *acc, ptrdiff_t pixel, int c, int uw, bool masked, vm mask)
{
	const float *residual = row->epilogue.residual + pixel * row->epilogue.residual_px + c;
	VRS_UNROLL
	for (int j = 0; j < uw; j++, residual += row->epilogue.residual_px)
		acc[j] = v_add(acc[j], masked ? v_loadm(residual, mask) : v_load(residual));
}

VRS_INLINE void dw_store(const struct vrs_dwconv_row *row, vf *acc, ptrdiff_t pixel, int c, int uw, bool masked, vm mask)
{
	const struct vrs_epilogue *e = &row->epilogue;
	float *out = row->out + pixel * row->out_px + c;
	if (e->residual && e->residual_before)
		dw_residual(row, acc, pixel, c, uw, masked, mask);
	if (e->act == VRS_KACT_CLAMP) {
		vf lo = v_set1(e->lo), hi = v_set1(e->hi);
		VRS_UNROLL
		for (int j = 0; j < uw; j++)
			acc[j] = v_clamp(acc[j], lo, hi);
	} else if (e->act == VRS_KACT_HSWISH) {
		VRS_UNROLL
		for (int j = 0; j < uw; j++)
			acc[j] = v_hswish(acc[j]);
	}
	if (e->residual && !e->residual_before)
		dw_residual(row, acc, pixel, c, uw, masked, mask);
	VRS_UNROLL
	for (int j = 0; j < uw; j++, out += row->out_px) {
		if (masked)
			v_storem(out, mask, acc[j]);
		else
			v_store(out, acc[j]);
	}
}

/* Square window of size k, stride s (tap == in pixel stride, step == s * tap), uw outputs from `pixel`. */
VRS_INLINE void dw_tile(const struct vrs_dwconv_row *row, const float *w, ptrdiff_t pixel, int c, int k, int s, int uw, bool masked, vm mask)
{
	vf acc[UW_MAX];
	VRS_UNROLL
	for (int j = 0; j < uw; j++)
		acc[j] = v_load(w);
	w += VL;
	ptrdiff_t tap = row->tap;
	for (int r = 0; r < k; r++) {
		const float *in = row->rows[r] + pixel * row->step + c;
		vf wt[5];
		VRS_UNROLL
		for (int q = 0; q < k; q++)
			wt[q] = v_load(w + q * VL);
		w += k * VL;
		VRS_UNROLL
		for (int q = 0; q < (uw - 1) * s + k; q++) {
			vf v = masked ? v_loadm(in + q * tap, mask) : v_load(in + q * tap);
			VRS_UNROLL
			for (int j = 0; j < uw; j++)
				if (q - j * s >= 0 && q - j * s < k)
					acc[j] = v_fma(v, wt[q - j * s], acc[j]);
		}
	}
	dw_store(row, acc, pixel, c, uw, masked, mask);
}

VRS_INLINE void dw_channels(const struct vrs_dwconv_row *row, ptrdiff_t pixel, int k, int s, int uw)
{
	const float *w = row->weights;
	int c = 0;
	for (; c + VL <= row->channels; c += VL, w += (1 + k * k) * VL)
		dw_tile(row, w, pixel, c, k, s, uw, false, v_mask(0));
	if (c < row->channels)
		dw_tile(row, w, pixel, c, k, s, uw, true, v_mask(row->channels - c));
}

/* The pixels that are left at the end of a row as one tile: by ones, each would wait for the latency of its only sum (7x7 and 14x14 maps). */
VRS_INLINE void dw_rest(const struct vrs_dwconv_row *row, ptrdiff_t pixel, int left, int k, int s, int uw)
{
	if (left == 1)
		dw_channels(row, pixel, k, s, 1);
	if (left == 2)
		dw_channels(row, pixel, k, s, 2);
	if (left == 3)
		dw_channels(row, pixel, k, s, 3);
	if (uw > 4 && left == 4)
		dw_channels(row, pixel, k, s, 4);
	if (uw > 5 && left == 5)
		dw_channels(row, pixel, k, s, 5);
	if (uw > 6 && left == 6)
		dw_channels(row, pixel, k, s, 6);
	if (uw > 7 && left == 7)
		dw_channels(row, pixel, k, s, 7);
}

/* Work on a copy of the arguments: a vector store could change them as far as the compiler knows. */
#define DW_ROWS(name, k, s, uw) \
	static __attribute__((noinline)) void name(const struct vrs_dwconv_row *args) \
	{ \
		const struct vrs_dwconv_row copy = *args, *row = &copy; \
		int p = 0; \
		for (; p + (uw) <= row->pixels; p += (uw)) \
			dw_channels(row, p, k, s, uw); \
		dw_rest(row, p, row->pixels - p, k, s, uw); \
	}
DW_ROWS(dw3s1, 3, 1, 8)
DW_ROWS(dw3s2, 3, 2, 4)
DW_ROWS(dw5s1, 5, 1, 8)
DW_ROWS(dw5s2, 5, 2, 4)

/* Taps [q0, q0 + n) of one window row: their weights are in registers, and each input vector serves all outputs that use it. */
VRS_INLINE void dw_taps(const float *in, ptrdiff_t tap, const float *w, vf *acc, int n, int s, int uw, bool masked, vm mask)
{
	vf wt[4];
	VRS_UNROLL
	for (int q = 0; q < n; q++)
		wt[q] = v_load(w + q * VL);
	VRS_UNROLL
	for (int q = 0; q < (uw - 1) * s + n; q++) {
		vf v = masked ? v_loadm(in + q * tap, mask) : v_load(in + q * tap);
		VRS_UNROLL
		for (int j = 0; j < uw; j++)
			if (q - j * s >= 0 && q - j * s < n)
				acc[j] = v_fma(v, wt[q - j * s], acc[j]);
	}
}

/* A window of any size, four taps at a time; stride s as in dw_tile. */
VRS_INLINE void dw_large_tile(const struct vrs_dwconv_row *row, const float *w, ptrdiff_t pixel, int c, int s, int uw, bool masked, vm mask)
{
	vf acc[UW_MAX];
	VRS_UNROLL
	for (int j = 0; j < uw; j++)
		acc[j] = v_load(w);
	w += VL;
	for (int r = 0; r < row->kh; r++) {
		const float *in = row->rows[r] + pixel * row->step + c;
		int q = 0;
		for (; q + 4 <= row->kw; q += 4, in += 4 * row->tap, w += 4 * VL)
			dw_taps(in, row->tap, w, acc, 4, s, uw, masked, mask);
		if (row->kw - q == 3)
			dw_taps(in, row->tap, w, acc, 3, s, uw, masked, mask);
		else if (row->kw - q == 2)
			dw_taps(in, row->tap, w, acc, 2, s, uw, masked, mask);
		else if (row->kw - q == 1)
			dw_taps(in, row->tap, w, acc, 1, s, uw, masked, mask);
		w += (row->kw - q) * VL;
	}
	dw_store(row, acc, pixel, c, uw, masked, mask);
}

/* Channels outside: the weights of a vector of them, kilobytes in a large window, serve the whole row. */
VRS_INLINE void dw_large(const struct vrs_dwconv_row *row, int s, int uw)
{
	const float *w = row->weights;
	for (int c = 0; c < row->channels; c += VL, w += (1 + row->kh * row->kw) * VL) {
		bool masked = row->channels - c < VL;
		vm mask = v_mask(masked ? row->channels - c : VL);
		int p = 0;
		for (; p + uw <= row->pixels && !masked; p += uw)
			dw_large_tile(row, w, p, c, s, uw, false, mask);
		for (; p + uw <= row->pixels; p += uw)
			dw_large_tile(row, w, p, c, s, uw, true, mask);
		for (; p < row->pixels; p++)
			dw_large_tile(row, w, p, c, s, 1, true, mask);
	}
}

static __attribute__((noinline)) void dw_large_s1(const struct vrs_dwconv_row *args)
{
	const struct vrs_dwconv_row copy = *args;
	dw_large(&copy, 1, 8);
}

static __attribute__((noinline)) void dw_large_s2(const struct vrs_dwconv_row *args)
{
	const struct vrs_dwconv_row copy = *args;
	dw_large(&copy, 2, 4);
}

/* Any window. */
static __attribute__((noinline)) void dw_any(const struct vrs_dwconv_row *row)
{
	int taps = row->kh * row->kw;
	for (int p = 0; p < row->pixels; p++) {
		const float *w = row->weights;
		for (int c = 0; c < row->channels; c += VL, w += (1 + taps) * VL) {
			int lanes = row->channels - c < VL ? row->channels - c : VL;
			vm mask = v_mask(lanes);
			vf acc = v_load(w);
			for (int t = 0; t < taps; t++) {
				const float *in = row->rows[t / row->kw] + p * row->step + t % row->kw * row->tap + c;
				acc = v_fma(v_loadm(in, mask), v_load(w + (1 + t) * VL), acc);
			}
			dw_store(row, &acc, p, c, 1, true, mask);
		}
	}
}

/*
 * Few channels, of which a vector holds those of several pixels: where pixels lie one after the other on both sides, the row is a line of floats, and
 * the weights of a vector are those of its pixels, one after the other.
 */
VRS_INLINE bool dw_is_flat(const struct vrs_dwconv_row *row)
{
	const struct vrs_epilogue *e = &row->epilogue;
	int channels = row->channels;
	return channels < VL && VL % channels == 0 && row->step == channels && row->tap == channels && row->out_px == channels &&
	       (!e->residual || e->residual_px == channels) && row->kh == row->kw && (row->kw == 3 || row->kw == 5);
}

/* `uw` vectors from float i on, the last of them masked or none. */
VRS_INLINE void dw_flat_tile(const struct vrs_dwconv_row *line, ptrdiff_t i, int k, int uw, bool masked, vm mask)
{
	const float *w = line->weights;
	vf acc[UW_MAX];
	VRS_UNROLL
	for (int j = 0; j < uw; j++)
		acc[j] = v_load(w);
	w += VL;
	for (int r = 0; r < k; r++, w += k * VL) {
		const float *in = line->rows[r] + i;
		VRS_UNROLL
		for (int q = 0; q < k; q++) {
			vf wt = v_load(w + q * VL);
			VRS_UNROLL
			for (int j = 0; j < uw; j++) {
				const float *from = in + q * line->tap + j * VL;
				acc[j] = v_fma(masked ? v_loadm(from, mask) : v_load(from), wt, acc[j]);
			}
		}
	}
	dw_store(line, acc, i / VL, 0, uw, masked, mask);
}

VRS_INLINE void dw_flat(const struct vrs_dwconv_row *row, int k)
{
	struct vrs_dwconv_row line = *row;
	ptrdiff_t floats = (ptrdiff_t)row->pixels * row->channels, i = 0;
	line.out_px = line.epilogue.residual_px = VL;
	for (; i + 4 * VL <= floats; i += 4 * VL)
		dw_flat_tile(&line, i, k, 4, false, v_mask(0));
	for (; i + VL <= floats; i += VL)
		dw_flat_tile(&line, i, k, 1, false, v_mask(0));
	if (i < floats)
		dw_flat_tile(&line, i, k, 1, true, v_mask((int)(floats - i)));
}

static __attribute__((noinline)) void dw_flat3(const struct vrs_dwconv_row *row)
{
	dw_flat(row, 3);
}

static __attribute__((noinline)) void dw_flat5(const struct vrs_dwconv_row *row)
{
	dw_flat(row, 5);
}

void VRS_ISA(vrs_dwconv_f32_rows)(const struct vrs_dwconv_row *row)
{
	vrs_dwconv_row_contract(row);
	if (dw_is_flat(row))
		(row->kw == 3 ? dw_flat3 : dw_flat5)(row);
	else if (row->kh == 3 && row->kw == 3 && row->step == row->tap)
		dw3s1(row);
	else if (row->kh == 3 && row->kw == 3 && row->step == 2 * row->tap)
		dw3s2(row);
	else if (row->kh == 5 && row->kw == 5 && row->step == row->tap)
		dw5s1(row);
	else if (row->kh == 5 && row->kw == 5 && row->step == 2 * row->tap)
		dw5s2(row);
	else if (row->step == row->tap)
		dw_large_s1(row);
	else if (row->step == 2 * row->tap)
		dw_large_s2(row);
	else
		dw_any(row);
}
