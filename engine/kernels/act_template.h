/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Activation rows. */
#include "kernels/act_vectors.h"

#define ACT_ROWS(name, act) \
	static __attribute__((noinline)) void name(const struct vrs_act_row *row) \
	{ \
		vf lo = v_set1(row->lo), hi = v_set1(row->hi); \
		size_t i = 0; \
		for (; i + VL <= row->count; i += VL) \
			v_store(row->out + i, act_apply(v_load(row->in + i), act, lo, hi)); \
		if (i < row->count) { \
			vm mask = v_mask((int)(row->count - i)); \
			v_storem(row->out + i, mask, act_apply(v_loadm(row->in + i, mask), act, lo, hi)); \
		} \
	}
ACT_ROWS(act_none, VRS_KACT_NONE)
ACT_ROWS(act_clamp, VRS_KACT_CLAMP)
ACT_ROWS(act_hswish, VRS_KACT_HSWISH)
ACT_ROWS(act_hsigmoid, VRS_KACT_HSIGMOID)
ACT_ROWS(act_sigmoids, VRS_KACT_SIGMOID)
ACT_ROWS(act_tanhs, VRS_KACT_TANH)
ACT_ROWS(act_leaky, VRS_KACT_LEAKY)
ACT_ROWS(act_silu, VRS_KACT_SILU)

void VRS_ISA(vrs_act_f32_rows)(const struct vrs_act_row *row)
{
	static void (*const acts[])(const struct vrs_act_row *) = {
		act_none, act_clamp, act_hswish, act_hsigmoid, act_sigmoids, act_tanhs, act_leaky, act_silu,
	};
	acts[row->act](row);
}
