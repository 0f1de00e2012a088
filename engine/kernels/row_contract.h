/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What callers of row kernels owe them, as assertions: each kernel of each instruction set begins with the contract of its arguments, so that a fault
 * of the plan or the executor stops where it enters the kernel.  Nothing in builds without assertions.
 */
#ifndef VRS_KERNELS_ROW_CONTRACT_H
#define VRS_KERNELS_ROW_CONTRACT_H

#include "base/assert.h"
#include "kernels/kernels.h"
#include "kernels/kernels_u8.h"
#include "kernels/winograd.h"

/* Rows of one pixel have no steps between pixels. */
static inline void vrs_pixels_contract(int pixels, int channels, ptrdiff_t out_px)
{
	VRS_ASSERT(pixels > 0 && channels > 0);
	VRS_ASSERT(pixels == 1 || out_px >= channels);
}

static inline void vrs_epilogue_contract(const struct vrs_epilogue *e, int pixels, int channels)
{
	VRS_ASSERT(e->act == VRS_KACT_NONE || e->act == VRS_KACT_CLAMP || e->act == VRS_KACT_HSWISH);
	VRS_ASSERT(e->act != VRS_KACT_CLAMP || e->lo <= e->hi);
	VRS_ASSERT(!e->residual || pixels == 1 || e->residual_px >= channels);
}

static inline void vrs_conv_row_contract(const struct vrs_conv_row *row)
{
	vrs_pixels_contract(row->pixels, row->n, row->out_px);
	vrs_epilogue_contract(&row->epilogue, row->pixels, row->n);
	VRS_ASSERT(row->seg && row->segs > 0 && row->klen > 0);
	VRS_ASSERT(row->weights && row->bias && row->out);
	VRS_ASSERT(row->in_px >= 0 && row->wrap >= 0);
}

static inline void vrs_product_rows_contract(const struct vrs_product_rows *p)
{
	VRS_ASSERT(p->a && p->b && p->out && p->k > 0);
	VRS_ASSERT(p->rows > 0 && p->rows <= VRS_PRODUCT_ROWS && p->first >= 0 && p->first < p->end);
	VRS_ASSERT(p->rows == 1 || p->out_px >= p->end);
	VRS_ASSERT(!p->turned || (p->b_step == p->k && p->k >= 4));
}

static inline void vrs_conv_bf16_row_contract(const struct vrs_conv_bf16_row *row)
{
	vrs_pixels_contract(row->pixels, row->n, row->out_px);
	vrs_epilogue_contract(&row->epilogue, row->pixels, row->n);
	VRS_ASSERT(row->seg && row->segs > 0 && row->klen > 0);
	VRS_ASSERT(row->weights && row->bias && row->out && row->in_px >= 0);
}

static inline void vrs_strip_input_contract(const struct vrs_strip_input *strip)
{
	VRS_ASSERT(strip->pixels > 0 && strip->channels > 0 && strip->out);
	VRS_ASSERT(strip->pixels == 1 || strip->out_px >= strip->channels);
	VRS_ASSERT(strip->point >= (strip->pixels - 1) * strip->out_px + strip->channels);
}

static inline void vrs_strip_output_contract(const struct vrs_strip_output *strip)
{
	vrs_pixels_contract(strip->pixels, strip->channels, strip->out_px);
	VRS_ASSERT(strip->products && strip->bias && strip->px >= strip->channels);
	VRS_ASSERT(strip->epilogue.act <= VRS_KACT_SILU);
}

static inline void vrs_dwconv_row_contract(const struct vrs_dwconv_row *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	vrs_epilogue_contract(&row->epilogue, row->pixels, row->channels);
	VRS_ASSERT(row->rows && row->weights && row->out);
	VRS_ASSERT(row->kh > 0 && row->kw > 0);
	VRS_ASSERT(row->kw == 1 || row->tap >= row->channels);
}

static inline void vrs_deconv_row_contract(const struct vrs_deconv_row *row)
{
	VRS_ASSERT(row->rows >= 0 && (row->rows == 0 || row->products));
	VRS_ASSERT(row->pixels > 0 && row->width > 0 && row->channels > 0 && row->taps > 0 && row->stride > 0 && row->dilation > 0 && row->pad >= 0);
	VRS_ASSERT(row->px >= 4 && row->px >= row->taps * row->channels);
	VRS_ASSERT(row->margin >= vrs_deconv_margin(row->taps, row->stride, row->dilation, row->pad));
	VRS_ASSERT(row->bias && row->out && row->scratch);
}

static inline void vrs_eltwise_row_contract(const struct vrs_eltwise_row *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	vrs_epilogue_contract(&row->epilogue, row->pixels, row->channels);
	VRS_ASSERT(row->op >= VRS_KBIN_ADD && row->op <= VRS_KBIN_PRELU);
	VRS_ASSERT((row->a_ch | 1) == 1 && (row->b_ch | 1) == 1);
}

static inline void vrs_act_row_contract(const struct vrs_act_row *row)
{
	VRS_ASSERT(row->act >= VRS_KACT_NONE && row->act < VRS_KACT_COUNT);
	VRS_ASSERT(row->count == 0 || (row->in && row->out));
}

static inline void vrs_resize_row_contract(const struct vrs_resize_row *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	vrs_epilogue_contract(&row->epilogue, row->pixels, row->channels);
	VRS_ASSERT(row->wy >= 0.0f && row->wy <= 1.0f);
	VRS_ASSERT(row->row0 && (row->wy == 0.0f || (row->row1 && row->blend)));
	VRS_ASSERT(row->x0[0] >= 0 && row->x0[row->pixels - 1] < row->in_pixels && row->x1[row->pixels - 1] < row->in_pixels);
}

static inline void vrs_pool_row_contract(const struct vrs_pool_row *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	VRS_ASSERT(row->row_count >= 0 && (row->row_count == 0 || row->rows));
	VRS_ASSERT(row->kw > 0 && row->stride > 0 && row->dilation > 0 && row->in_pixels > 0);
	VRS_ASSERT(row->divisor >= 0);
}

static inline void vrs_winograd_contract(const struct vrs_wino_batch *b, int lanes)
{
	int tiles = 0, channels = 0;
	for (int i = 0; i < b->run_count; i++) {
		VRS_ASSERT(b->runs[i].tiles > 0 && b->runs[i].columns > 0 && b->runs[i].columns <= b->m);
		tiles += b->runs[i].tiles;
	}
	for (int i = 0; i < b->sources; i++)
		channels += b->channels[i];
	VRS_ASSERT((b->m == 2 || b->m == 4) && (b->taps == 3 || b->taps == 5));
	VRS_ASSERT(tiles == b->tiles && tiles > 0);
	VRS_ASSERT(channels == b->k && b->k > 0 && b->n > 0);
	VRS_ASSERT(b->block >= b->k || (b->block > 0 && b->block % lanes == 0));
	VRS_ASSERT((uintptr_t)b->scratch % 64 == 0);
}

static inline void vrs_epilogue_u8_contract(const struct vrs_epilogue_u8 *e, int pixels, int channels)
{
	VRS_ASSERT(e->act == VRS_KACT_NONE || e->act == VRS_KACT_CLAMP || e->act == VRS_KACT_HSWISH);
	VRS_ASSERT(!e->residual || pixels == 1 || e->residual_px >= channels);
}

static inline void vrs_conv_row_u8_contract(const struct vrs_conv_row_u8 *row)
{
	vrs_pixels_contract(row->pixels, row->n, row->out_px);
	vrs_epilogue_u8_contract(&row->epilogue, row->pixels, row->n);
	VRS_ASSERT(row->seg && row->segs > 0 && row->klen > 0 && row->klen % 4 == 0);
	VRS_ASSERT(row->out_float || (row->out && row->n % 4 == 0));
	VRS_ASSERT(row->weights && row->mult && row->bias);
}

static inline void vrs_dwconv_row_u8_contract(const struct vrs_dwconv_row_u8 *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	vrs_epilogue_u8_contract(&row->epilogue, row->pixels, row->channels);
	VRS_ASSERT(row->channels % 4 == 0 && row->kh > 0 && row->kw > 0);
	VRS_ASSERT(row->rows && row->weights && row->mult && row->bias && row->out);
}

static inline void vrs_convert_row_u8_contract(const struct vrs_convert_row_u8 *row)
{
	VRS_ASSERT(row->pixels > 0 && row->channels > 0);
	VRS_ASSERT(row->f && row->q);
}

static inline void vrs_eltwise_row_u8_contract(const struct vrs_eltwise_row_u8 *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	VRS_ASSERT(row->channels % 4 == 0 && row->a && (row->copy || row->b));
	VRS_ASSERT(row->copy || (row->op != VRS_KBIN_DIV && row->op != VRS_KBIN_PRELU));
}

static inline void vrs_resize_row_u8_contract(const struct vrs_resize_row_u8 *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	vrs_epilogue_u8_contract(&row->epilogue, row->pixels, row->channels);
	VRS_ASSERT(row->channels % 4 == 0 && row->in_px == row->channels);
	VRS_ASSERT(row->wy >= 0 && row->wy <= 128 && row->blend);
	VRS_ASSERT(row->x0[0] >= 0 && row->x0[row->pixels - 1] < row->in_pixels && row->x1[row->pixels - 1] < row->in_pixels);
}

static inline void vrs_pool_row_u8_contract(const struct vrs_pool_row_u8 *row)
{
	vrs_pixels_contract(row->pixels, row->channels, row->out_px);
	VRS_ASSERT(row->row_count >= 0 && (row->row_count == 0 || row->rows));
	VRS_ASSERT(row->kw > 0 && row->stride > 0 && row->dilation > 0 && row->in_pixels > 0);
}

#endif
