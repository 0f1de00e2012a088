/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bilinear (and nearest: all weights 0) resize rows: the blend of two input rows first, since it is the smaller one when enlarging. */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"

VRS_INLINE vf resize_read(const float *p, bool masked, vm mask)
{
	return masked ? v_loadm(p, mask) : v_load(p);
}

VRS_INLINE void resize_write(float *p, vf v, bool masked, vm mask)
{
	if (masked)
		v_storem(p, mask, v);
	else
		v_store(p, v);
}

/* Blend `count` floats of two rows. */
VRS_INLINE void resize_line(const float *a, const float *b, float weight, float *out, ptrdiff_t count)
{
	vf w = v_set1(weight);
	ptrdiff_t i = 0;
	for (; i + VL <= count; i += VL) {
		vf v = v_load(a + i);
		v_store(out + i, v_fma(w, v_sub(v_load(b + i), v), v));
	}
	if (i < count) {
		vm mask = v_mask((int)(count - i));
		vf v = v_loadm(a + i, mask);
		v_storem(out + i, mask, v_fma(w, v_sub(v_loadm(b + i, mask), v), v));
	}
}

/* nv vectors of channels from c on, for all pixels of the row. */
VRS_INLINE void resize_column(const struct vrs_resize_row *row, const float *in, ptrdiff_t in_px, int c, int nv, bool masked, vm mask)
{
	const struct vrs_epilogue *e = &row->epilogue;
	const float *residual = e->residual ? e->residual + c : NULL;
	float *out = row->out + c;
	vf lo = v_set1(e->lo), hi = v_set1(e->hi), factor[2];
	VRS_UNROLL
	for (int j = 0; j < nv; j++)
		factor[j] = row->residual_scale ? resize_read(row->residual_scale + c + j * VL, masked, mask) : v_set1(1.0f);
	for (int p = 0; p < row->pixels; p++, out += row->out_px) {
		const float *a = in + row->x0[p] * in_px + c, *b = in + row->x1[p] * in_px + c;
		vf w = v_set1(row->wx[p]);
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			vf v = resize_read(a + j * VL, masked, mask);
			v = v_fma(w, v_sub(resize_read(b + j * VL, masked, mask), v), v);
			if (residual && e->residual_before)
				v = v_fma(factor[j], resize_read(residual + j * VL, masked, mask), v);
			if (e->act == VRS_KACT_CLAMP)
				v = v_clamp(v, lo, hi);
			else if (e->act == VRS_KACT_HSWISH)
				v = v_hswish(v);
			if (residual && !e->residual_before)
				v = v_fma(factor[j], resize_read(residual + j * VL, masked, mask), v);
			resize_write(out + j * VL, v, masked, mask);
		}
		if (residual)
			residual += e->residual_px;
	}
}

/* Lanes of one pixel after the other, four each: in[x * px] and the following, and the same factor. */
VRS_INLINE vf resize_quads(const float *in, ptrdiff_t px, const int32_t *x)
{
	__m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + x[0] * px)), _mm_loadu_ps(in + x[1] * px), 1);
#ifdef __AVX512F__
	__m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + x[2] * px)), _mm_loadu_ps(in + x[3] * px), 1);
	return v_halves(low, high);
#else
	return low;
#endif
}

VRS_INLINE vf resize_factors(const float *w)
{
	__m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_set1_ps(w[0])), _mm_set1_ps(w[1]), 1);
#ifdef __AVX512F__
	return v_halves(low, _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_set1_ps(w[2])), _mm_set1_ps(w[3]), 1));
#else
	return low;
#endif
}

VRS_INLINE void resize_write_pair(float *out, ptrdiff_t px, __m256 v)
{
	_mm_storeu_ps(out, _mm256_castps256_ps128(v));
	_mm_storeu_ps(out + px, _mm256_extractf128_ps(v, 1));
}

VRS_INLINE void resize_write_quads(float *out, ptrdiff_t px, vf v)
{
#ifdef __AVX512F__
	resize_write_pair(out, px, v_low256(v));
	resize_write_pair(out + 2 * px, px, v_high256(v));
#else
	resize_write_pair(out, px, v);
#endif
}

VRS_INLINE vf resize_act(const struct vrs_epilogue *e, vf v)
{
	if (e->act == VRS_KACT_CLAMP)
		return v_clamp(v, v_set1(e->lo), v_set1(e->hi));
	return e->act == VRS_KACT_HSWISH ? v_hswish(v) : v;
}

/* May pixel x be read as four channels, though it has fewer? */
VRS_INLINE bool resize_is_inside(const struct vrs_resize_row *row, const int32_t *x, int count)
{
	bool inside = true;
	for (int i = 0; i < count; i++)
		inside = inside && x[i] < row->in_pixels - 1;
	return inside;
}

/*
 * Two to four channels without a residual: several pixels in a vector.  With fewer than four the rest of a pixel's lanes spills into the pixel behind
 * it, which is written next.  Returns the pixels that are done; those at the end are left where neighbours are lacking.
 */
VRS_INLINE int resize_few(const struct vrs_resize_row *row, const float *in, ptrdiff_t px)
{
	enum { PIXELS = VL / 4 };
	bool whole = row->channels == 4;
	int p = 0;
	if (row->channels > 4 || row->channels < 2 || row->epilogue.residual || (!whole && row->out_px != row->channels))
		return 0;
	for (; p + PIXELS + !whole <= row->pixels; p += PIXELS) {
		if (!whole && !(resize_is_inside(row, row->x0 + p, PIXELS) && resize_is_inside(row, row->x1 + p, PIXELS)))
			break;
		vf a = resize_quads(in, px, row->x0 + p), b = resize_quads(in, px, row->x1 + p);
		vf v = resize_act(&row->epilogue, v_fma(resize_factors(row->wx + p), v_sub(b, a), a));
		resize_write_quads(row->out + p * row->out_px, row->out_px, v);
	}
	return p;
}

/* One channel without a residual. */
VRS_INLINE int resize_one(const struct vrs_resize_row *row, const float *in, ptrdiff_t px)
{
	int p = 0;
	if (row->channels != 1 || px != 1 || row->out_px != 1 || row->epilogue.residual)
		return 0;
	for (; p + VL <= row->pixels; p += VL) {
		vf a = v_gather(in, row->x0 + p), b = v_gather(in, row->x1 + p);
		v_store(row->out + p, resize_act(&row->epilogue, v_fma(v_load(row->wx + p), v_sub(b, a), a)));
	}
	return p;
}

void VRS_ISA(vrs_resize_f32_rows)(const struct vrs_resize_row *args)
{
	vrs_resize_row_contract(args);
	struct vrs_resize_row copy = *args, *row = &copy;
	const float *in = row->row0;
	ptrdiff_t px = row->in_px;
	if (row->wy != 0.0f) {
		if (px == row->channels) {
			resize_line(row->row0, row->row1, row->wy, row->blend, (ptrdiff_t)row->in_pixels * px);
		} else {
			for (ptrdiff_t p = 0; p < row->in_pixels; p++)
				resize_line(row->row0 + p * px, row->row1 + p * px, row->wy, row->blend + p * row->channels, row->channels);
		}
		in = row->blend;
		px = row->channels;
	}
	int c = 0, done = row->channels == 1 ? resize_one(row, in, px) : resize_few(row, in, px);
	if (done == row->pixels)
		return;
	row->pixels -= done;
	row->x0 += done;
	row->x1 += done;
	row->wx += done;
	row->out += done * row->out_px;
	for (; c + 2 * VL <= row->channels; c += 2 * VL)
		resize_column(row, in, px, c, 2, false, v_mask(0));
	for (; c + VL <= row->channels; c += VL)
		resize_column(row, in, px, c, 1, false, v_mask(0));
	if (c < row->channels)
		resize_column(row, in, px, c, 1, true, v_mask(row->channels - c));
}
