/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense convolution rows in bfloat16 with float sums (VDPBF16PS: two products a lane), and the conversion that feeds them (VCVTNEPS2BF16).
 * Tiles of MR pixels x NV vectors as in conv_template.h; a step takes two values of k.  An odd segment ends with a pair whose second half is
 * zero on both sides, so that nothing behind it is read.  The instruction takes denormals for zero.
 */
#include "kernels/conv_epilogue.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack.h"

struct bf16_panel {
	const uint16_t *weights;
	const float *bias;
	int first;
	vm last;
};

VRS_INLINE void bf16_store(const struct vrs_conv_bf16_row *row, const struct bf16_panel *panel, vf acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv,
			   bool masked)
{
	float *out = row->out + pixel * row->out_px + panel->first;
	conv_epilogue(&row->epilogue, panel->first, panel->last, acc, pixel, mr, nv, masked);
	VRS_UNROLL
	for (int i = 0; i < mr; i++, out += row->out_px) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			if (masked && j == nv - 1)
				v_storem(out + j * VL, panel->last, acc[i][j]);
			else
				v_store(out + j * VL, acc[i][j]);
		}
	}
}

/* Two inputs of each pixel (or one and a zero) times two rows of weights. */
VRS_INLINE const uint16_t *bf16_step(vf acc[MR_MAX][3], const uint16_t *w, const uint16_t *a, ptrdiff_t px, int mr, int nv, bool pair)
{
	__m512i b[3];
	VRS_UNROLL
	for (int j = 0; j < nv; j++)
		b[j] = _mm512_loadu_si512(w + 2 * j * VL);
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		int32_t values = 0;
		if (pair)
			__builtin_memcpy(&values, a + i * px, sizeof values);
		else
			values = a[i * px];
		__m512i x = _mm512_set1_epi32(values);
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = _mm512_dpbf16_ps(acc[i][j], (__m512bh)x, (__m512bh)b[j]);
	}
	return w + 2 * nv * VL;
}

VRS_INLINE void bf16_tile(const struct vrs_conv_bf16_row *row, const struct bf16_panel *panel, ptrdiff_t pixel, int mr, int nv, bool masked)
{
	vf acc[MR_MAX][3];
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = v_load(panel->bias + j * VL);
	}
	const uint16_t *w = panel->weights;
	ptrdiff_t px = row->in_px;
	int segs = row->segs, klen = row->klen;
	for (int s = 0; s < segs; s++) {
		const uint16_t *a = row->seg[s] + pixel * px;
		int k = 0;
		for (; k + 2 <= klen; k += 2)
			w = bf16_step(acc, w, a + k, px, mr, nv, true);
		if (k < klen)
			w = bf16_step(acc, w, a + k, px, mr, nv, false);
	}
	bf16_store(row, panel, acc, pixel, mr, nv, masked);
}

/* All pixels of one panel.  Local copies: a vector store could change the caller's structures as far as the compiler knows. */
VRS_INLINE void bf16_panel_pixels(const struct vrs_conv_bf16_row *args, const struct bf16_panel *column, int mr, int nv, bool masked)
{
	const struct vrs_conv_bf16_row copy = *args, *row = &copy;
	const struct bf16_panel column_copy = *column, *panel = &column_copy;
	int p = 0;
	for (; p + mr <= row->pixels; p += mr)
		bf16_tile(row, panel, p, mr, nv, masked);
	if (mr > 8 && p + 8 <= row->pixels) {
		bf16_tile(row, panel, p, 8, nv, masked);
		p += 8;
	}
	if (p + 4 <= row->pixels) {
		bf16_tile(row, panel, p, 4, nv, masked);
		p += 4;
	}
	if (p + 2 <= row->pixels) {
		bf16_tile(row, panel, p, 2, nv, masked);
		p += 2;
	}
	if (p < row->pixels)
		bf16_tile(row, panel, p, 1, nv, masked);
}

/* One function per panel shape, so that each keeps its registers. */
#define BF16_PANEL(name, mr, nv, masked) \
	static __attribute__((noinline)) void name(const struct vrs_conv_bf16_row *row, const struct bf16_panel *panel) \
	{ \
		bf16_panel_pixels(row, panel, mr, nv, masked); \
	}
BF16_PANEL(bf16_panel1, MR1, 1, false)
BF16_PANEL(bf16_panel2, MR2, 2, false)
BF16_PANEL(bf16_panel3, MR3, 3, false)
BF16_PANEL(bf16_panel1_masked, MR1, 1, true)
BF16_PANEL(bf16_panel2_masked, MR2, 2, true)
BF16_PANEL(bf16_panel3_masked, MR3, 3, true)

void vrs_conv_bf16_rows__avx512bf16(const struct vrs_conv_bf16_row *row)
{
	vrs_conv_bf16_row_contract(row);
	static void (*const panels[2][3])(const struct vrs_conv_bf16_row *, const struct bf16_panel *) = {
		{bf16_panel1, bf16_panel2, bf16_panel3},
		{bf16_panel1_masked, bf16_panel2_masked, bf16_panel3_masked},
	};
	int tail = row->n % VL;
	ptrdiff_t k = (ptrdiff_t)row->segs * VRS_BF16_PAIRS(row->klen) * 2;
	struct bf16_panel panel = {row->weights, row->bias, 0, v_mask(tail)};
	for (int left = (row->n + VL - 1) / VL; left > 0;) {
		int nv = VRS_PANEL_VECTORS(left);
		panels[tail && left == nv][nv - 1](row, &panel);
		panel.weights += k * nv * VL;
		panel.bias += nv * VL;
		panel.first += nv * VL;
		left -= nv;
	}
}

void vrs_float_to_bf16__avx512bf16(const float *in, uint16_t *out, size_t count)
{
	size_t i = 0;
	for (; i + VL <= count; i += VL)
		_mm256_storeu_si256((__m256i *)(void *)(out + i), (__m256i)_mm512_cvtneps_pbh(v_load(in + i)));
	if (i < count) {
		vm mask = v_mask((int)(count - i));
		_mm256_mask_storeu_epi16(out + i, mask, (__m256i)_mm512_cvtneps_pbh(v_loadm(in + i, mask)));
	}
}
