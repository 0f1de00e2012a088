/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of activations that are too small to pack a side for. */
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"
#include "kernels/turned_lanes.h"

VRS_INLINE float product_total(vf v)
{
#ifdef __AVX512F__
	__m256 half = _mm256_add_ps(v_low256(v), v_high256(v));
#else
	__m256 half = v;
#endif
	__m128 four = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
	four = _mm_add_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

VRS_INLINE float product_dot(const float *a, const float *b, int k)
{
	vf t[4];
	int i = 0;
	VRS_UNROLL
	for (int j = 0; j < 4; j++)
		t[j] = v_zero();
	for (; i + 4 * VL <= k; i += 4 * VL) {
		VRS_UNROLL
		for (int j = 0; j < 4; j++)
			t[j] = v_fma(v_load(a + i + j * VL), v_load(b + i + j * VL), t[j]);
	}
	for (; i + VL <= k; i += VL)
		t[0] = v_fma(v_load(a + i), v_load(b + i), t[0]);
	if (i < k)
		t[1] = v_fma(v_loadm(a + i, v_mask(k - i)), v_loadm(b + i, v_mask(k - i)), t[1]);
	return product_total(v_add(v_add(t[0], t[2]), v_add(t[1], t[3])));
}

void VRS_ISA(vrs_dot_f32_rows)(const float *a, ptrdiff_t a_px, int pixels, const float *b, int k, float *out, ptrdiff_t out_px)
{
	VRS_ASSERT(a && b && out && pixels > 0 && k > 0);
	for (int p = 0; p < pixels; p++)
		out[p * out_px] = product_dot(a + p * a_px, b, k);
}

VRS_INLINE void product_put(const struct vrs_product_rows *p, vf acc[3][8], int c, int mr, int nv, int lanes)
{
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		float *out = p->out + i * p->out_px + c;
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			if (lanes < VL && j == nv - 1)
				v_storem(out + j * VL, v_mask(lanes), acc[i][j]);
			else
				v_store(out + j * VL, acc[i][j]);
		}
	}
}

/* Columns from c on; of the last vector so many lanes.  The order of additions is that of conv_template.h. */
VRS_INLINE void product_tile(const struct vrs_product_rows *p, int c, int mr, int nv, int lanes)
{
	vf acc[3][8];
	const float *a = p->a, *b = p->b + c;
	ptrdiff_t a_px = p->a_px, step = p->b_step;
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = v_zero();
	}
	for (int k = 0, count = p->k; k < count; k++, b += step) {
		vf x[3];
		VRS_UNROLL
		for (int i = 0; i < mr; i++)
			x[i] = v_set1(a[i * a_px + k]);
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			vf w = lanes < VL && j == nv - 1 ? v_loadm(b + j * VL, v_mask(lanes)) : v_load(b + j * VL);
			VRS_UNROLL
			for (int i = 0; i < mr; i++)
				acc[i][j] = v_fma(x[i], w, acc[i][j]);
		}
	}
	product_put(p, acc, c, mr, nv, lanes);
}

VRS_INLINE void product_plain(const struct vrs_product_rows *p, int mr)
{
	int c = p->first, end = p->end;
	for (; mr == 1 && c + 8 * VL <= end; c += 8 * VL)
		product_tile(p, c, mr, 8, VL);
	for (; c + 4 * VL <= end; c += 4 * VL)
		product_tile(p, c, mr, 4, VL);
	for (; c + 2 * VL <= end; c += 2 * VL)
		product_tile(p, c, mr, 2, VL);
	if (c + VL < end)
		product_tile(p, c, mr, 2, end - c - VL);
	else if (c + VL == end)
		product_tile(p, c, mr, 1, VL);
	else if (c < end)
		product_tile(p, c, mr, 1, end - c);
}

#ifndef __AVX512F__
enum {
	PRODUCT_DEPTH = 16,  /* of long lines at a time: a cache line each */
	PRODUCT_SHORT = 512, /* lines up to here */
};

/* Four products of ng * VL columns that are lines. */
VRS_INLINE void product_quad(const float *a, ptrdiff_t a_px, const float *b, ptrdiff_t step, vf acc[3][8], int mr, int ng)
{
	vf x[2][4];
	VRS_UNROLL
	for (int g = 0; g < ng; g++)
		load_turned(b + g * VL * step, step, x[g]);
	VRS_UNROLL
	for (int q = 0; q < 4; q++) {
		VRS_UNROLL
		for (int i = 0; i < mr; i++) {
			vf w = v_set1(a[i * a_px + q]);
			VRS_UNROLL
			for (int g = 0; g < ng; g++)
				acc[i][g] = v_fma(w, x[g][q], acc[i][g]);
		}
	}
}

/* Many short streams are slow: the next columns come as one.  Products done. */
VRS_INLINE int product_short(const float *a, ptrdiff_t a_px, const float *b, int count, vf acc[3][8], int mr, int ng)
{
	uintptr_t ahead = (uintptr_t)(b + (ptrdiff_t)ng * VL * count);
	int k = 0;
	for (; k + 4 <= count; k += 4) {
		VRS_UNROLL
		for (int q = 0; q < ng * VL / 4; q++)
			_mm_prefetch((const char *)(ahead + sizeof *b * (size_t)(k * ng * VL + q * 16)), _MM_HINT_T0);
		product_quad(a + k, a_px, b + k, count, acc, mr, ng);
	}
	return k;
}

/*
 * Long lines whose length is a power of two share a few sets of the first-level cache, where a line of it does not stay until its next values are
 * wanted: it is put aside as a whole.  Products done.
 */
VRS_INLINE int product_long(const float *a, ptrdiff_t a_px, const float *b, int count, vf acc[3][8], int mr, int ng)
{
	float part[2 * VL * PRODUCT_DEPTH] __attribute__((aligned(64)));
	int k = 0;
	for (; k + PRODUCT_DEPTH <= count; k += PRODUCT_DEPTH) {
		VRS_UNROLL
		for (int i = 0; i < ng * VL; i++) {
			VRS_UNROLL
			for (int j = 0; j < PRODUCT_DEPTH; j += VL)
				v_store(part + i * PRODUCT_DEPTH + j, v_load(b + k + (ptrdiff_t)i * count + j));
		}
		VRS_UNROLL
		for (int q = 0; q < PRODUCT_DEPTH; q += 4)
			product_quad(a + k + q, a_px, part + q, PRODUCT_DEPTH, acc, mr, ng);
	}
	for (; k + 4 <= count; k += 4)
		product_quad(a + k, a_px, b + k, count, acc, mr, ng);
	return k;
}

/* The same order of products with ng * VL columns that are lines: a sum for each column. */
VRS_INLINE void product_lines(const struct vrs_product_rows *p, int c, vf acc[3][8], int mr, int ng)
{
	const float *a = p->a, *b = p->b + c * p->b_step;
	ptrdiff_t a_px = p->a_px;
	int k, count = p->k, first;
	vf x[4];
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int g = 0; g < ng; g++)
			acc[i][g] = v_zero();
	}
	if (count <= PRODUCT_SHORT)
		k = product_short(a, a_px, b, count, acc, mr, ng);
	else
		k = product_long(a, a_px, b, count, acc, mr, ng);
	if (k == count)
		return;
	VRS_UNROLL
	for (int g = 0; g < ng; g++) {
		load_turned_rest(b + (ptrdiff_t)g * VL * count, count, x, &first);
		for (int q = 0; q < count - k; q++)
			for (int i = 0; i < mr; i++)
				acc[i][g] = v_fma(v_set1(a[i * a_px + k + q]), x[first + q], acc[i][g]);
	}
}

VRS_INLINE void product_turned(const struct vrs_product_rows *p, int mr)
{
	vf acc[3][8];
	float last[VL];
	int c = p->first, end = p->end;
	for (; c + 2 * VL <= end; c += 2 * VL) {
		product_lines(p, c, acc, mr, 2);
		product_put(p, acc, c, mr, 2, VL);
	}
	for (; c + VL <= end; c += VL) {
		product_lines(p, c, acc, mr, 1);
		product_put(p, acc, c, mr, 1, VL);
	}
	if (c == end)
		return;
	product_lines(p, end - VL, acc, mr, 1);
	for (int i = 0; i < mr; i++) {
		v_store(last, acc[i][0]);
		memcpy(p->out + i * p->out_px + c, last + VL - (end - c), (size_t)(end - c) * sizeof *last);
	}
}
#endif

#ifdef __AVX512F__
/* Lines of 16 columns take more of the one port that moves values between lanes than two times 8 do. */
#define PRODUCT_TURNED(p, mr) vrs_product_f32_rows__avx2(p)
#else
#define PRODUCT_TURNED(p, mr) product_turned(p, mr)
#endif

#define PRODUCT_ROWS(name, mr) \
	static __attribute__((noinline)) void name(const struct vrs_product_rows *p) \
	{ \
		if (p->turned) \
			PRODUCT_TURNED(p, mr); \
		else \
			product_plain(p, mr); \
	}
PRODUCT_ROWS(product_rows1, 1)
PRODUCT_ROWS(product_rows2, 2)
PRODUCT_ROWS(product_rows3, 3)

void VRS_ISA(vrs_product_f32_rows)(const struct vrs_product_rows *p)
{
	static void (*const by_rows[VRS_PRODUCT_ROWS])(const struct vrs_product_rows *) = {product_rows1, product_rows2, product_rows3};
	vrs_product_rows_contract(p);
	VRS_ASSERT(!p->turned || p->end >= VL);
	by_rows[p->rows - 1](p);
}
