/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary rows with broadcasting and epilogue, and conversions between half and float.
 * One function per operation; dense operands are flattened to one long row.
 */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"

VRS_INLINE vf eltwise_op(int op, vf a, vf b)
{
	switch (op) {
	case VRS_KBIN_ADD: return v_add(a, b);
	case VRS_KBIN_SUB: return v_sub(a, b);
	case VRS_KBIN_MUL: return v_mul(a, b);
	case VRS_KBIN_DIV: return v_div(a, b);
	case VRS_KBIN_MIN: return v_keep_nan(a, v_min(a, b));
	case VRS_KBIN_MAX: return v_keep_nan(a, v_max(a, b));
	default: return v_select_lt(a, v_zero(), v_mul(a, b), a); /* PRELU */
	}
}

VRS_INLINE vf eltwise_read(const float *p, int step, bool masked, vm mask)
{
	if (!step)
		return v_set1(*p);
	return masked ? v_loadm(p, mask) : v_load(p);
}

VRS_INLINE vf eltwise_act(vf v, const struct vrs_epilogue *e, vf lo, vf hi)
{
	if (e->act == VRS_KACT_CLAMP)
		return v_clamp(v, lo, hi);
	return e->act == VRS_KACT_HSWISH ? v_hswish(v) : v;
}

/* Channels from c on of all pixels, one vector wide. */
VRS_INLINE void eltwise_column(const struct vrs_eltwise_row *row, int op, ptrdiff_t c, bool masked, vm mask)
{
	const struct vrs_epilogue *e = &row->epilogue;
	const float *a = row->a + c * row->a_ch, *b = row->b + c * row->b_ch, *residual = e->residual ? e->residual + c : NULL;
	float *out = row->out + c;
	vf lo = v_set1(e->lo), hi = v_set1(e->hi);
	for (int p = row->pixels; p > 0; p--) {
		vf v = eltwise_op(op, eltwise_read(a, row->a_ch, masked, mask), eltwise_read(b, row->b_ch, masked, mask));
		if (residual && e->residual_before)
			v = v_add(v, eltwise_read(residual, 1, masked, mask));
		v = eltwise_act(v, e, lo, hi);
		if (residual && !e->residual_before)
			v = v_add(v, eltwise_read(residual, 1, masked, mask));
		if (masked)
			v_storem(out, mask, v);
		else
			v_store(out, v);
		a += row->a_px;
		b += row->b_px;
		out += row->out_px;
		if (residual)
			residual += e->residual_px;
	}
}

/* One long pixel: along the channels. */
VRS_INLINE void eltwise_line(const struct vrs_eltwise_row *row, int op)
{
	ptrdiff_t c = 0;
	struct vrs_eltwise_row part = *row;
	part.pixels = 1;
	for (; c + VL <= row->channels; c += VL)
		eltwise_column(&part, op, c, false, v_mask(0));
	if (c < row->channels)
		eltwise_column(&part, op, c, true, v_mask((int)(row->channels - c)));
}

VRS_INLINE void eltwise_pixels(const struct vrs_eltwise_row *args, int op)
{
	const struct vrs_eltwise_row copy = *args, *row = &copy;
	int c = 0;
	if (row->pixels == 1) {
		eltwise_line(row, op);
		return;
	}
	for (; c + VL <= row->channels; c += VL)
		eltwise_column(row, op, c, false, v_mask(0));
	if (c < row->channels)
		eltwise_column(row, op, c, true, v_mask(row->channels - c));
}

#define ELTWISE_ROWS(name, op) \
	static __attribute__((noinline)) void name(const struct vrs_eltwise_row *row) \
	{ \
		eltwise_pixels(row, op); \
	}
ELTWISE_ROWS(eltwise_add, VRS_KBIN_ADD)
ELTWISE_ROWS(eltwise_sub, VRS_KBIN_SUB)
ELTWISE_ROWS(eltwise_mul, VRS_KBIN_MUL)
ELTWISE_ROWS(eltwise_div, VRS_KBIN_DIV)
ELTWISE_ROWS(eltwise_min, VRS_KBIN_MIN)
ELTWISE_ROWS(eltwise_max, VRS_KBIN_MAX)
ELTWISE_ROWS(eltwise_prelu, VRS_KBIN_PRELU)

/* An operand that continues over the pixel border as if the row were one long pixel. */
VRS_INLINE bool eltwise_is_flat(ptrdiff_t px, int ch, int channels)
{
	return ch ? px == channels : px == 0;
}

void VRS_ISA(vrs_eltwise_f32_rows)(const struct vrs_eltwise_row *row)
{
	vrs_eltwise_row_contract(row);
	static void (*const ops[])(const struct vrs_eltwise_row *) = {
		eltwise_add, eltwise_sub, eltwise_mul, eltwise_div, eltwise_min, eltwise_max, eltwise_prelu,
	};
	struct vrs_eltwise_row flat = *row;
	int channels = row->channels;
	if (eltwise_is_flat(row->a_px, row->a_ch, channels) && eltwise_is_flat(row->b_px, row->b_ch, channels) && row->out_px == channels &&
	    (!row->epilogue.residual || row->epilogue.residual_px == channels)) {
		flat.channels *= flat.pixels;
		flat.pixels = 1;
	}
	ops[row->op](&flat);
}

void VRS_ISA(vrs_half_to_float)(const uint16_t *in, float *out, size_t count)
{
	size_t i = 0;
	for (; i + VL <= count; i += VL)
		v_store(out + i, v_load_half(in + i));
	for (; i < count; i++)
		out[i] = _cvtsh_ss(in[i]);
}

void VRS_ISA(vrs_float_to_half)(const float *in, uint16_t *out, size_t count)
{
	size_t i = 0;
	for (; i + VL <= count; i += VL)
		v_store_half(out + i, v_load(in + i));
	for (; i < count; i++)
		out[i] = _cvtss_sh(in[i], _MM_FROUND_TO_NEAREST_INT);
}
