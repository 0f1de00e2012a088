/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Activation rows: one loop for each function. */
#include "kernels/act_functions.h"
#include "kernels/row_contract.h"

#define ACT_ROWS(name, value) \
	static __attribute__((noinline)) void name(const struct vrs_act_row *row) \
	{ \
		const vf lo = v_set1(row->lo), hi = v_set1(row->hi); \
		size_t i = 0; \
		(void)lo; \
		(void)hi; \
		for (; i + VL <= row->count; i += VL) { \
			vf x = v_load(row->in + i); \
			v_store(row->out + i, value); \
		} \
		if (i < row->count) { \
			vm mask = v_mask((int)(row->count - i)); \
			vf x = v_loadm(row->in + i, mask); \
			v_storem(row->out + i, mask, value); \
		} \
	}
ACT_ROWS(act_none, act_apply(x, VRS_KACT_NONE, lo, hi))
ACT_ROWS(act_clamp, act_apply(x, VRS_KACT_CLAMP, lo, hi))
ACT_ROWS(act_hswish, act_apply(x, VRS_KACT_HSWISH, lo, hi))
ACT_ROWS(act_hsigmoid, act_apply(x, VRS_KACT_HSIGMOID, lo, hi))
ACT_ROWS(act_sigmoids, act_apply(x, VRS_KACT_SIGMOID, lo, hi))
ACT_ROWS(act_tanhs, act_apply(x, VRS_KACT_TANH, lo, hi))
ACT_ROWS(act_leaky, act_apply(x, VRS_KACT_LEAKY, lo, hi))
ACT_ROWS(act_silu, act_apply(x, VRS_KACT_SILU, lo, hi))
ACT_ROWS(act_elu, v_select_lt(x, v_zero(), v_mul(lo, act_expm1(x)), x))
ACT_ROWS(act_selu, v_mul(hi, v_select_lt(x, v_zero(), v_mul(lo, act_expm1(x)), x)))
ACT_ROWS(act_gelus, act_gelu(x))
ACT_ROWS(act_gelus_tanh, act_gelu_tanh(x))
ACT_ROWS(act_softplusses, act_softplus(x))
ACT_ROWS(act_mishes, act_mish(x))
ACT_ROWS(act_softsign, v_div(x, v_add(v_set1(1.0f), v_abs(x))))
ACT_ROWS(act_linear, v_fma(lo, x, hi))
ACT_ROWS(act_erfs, act_erf(x))
ACT_ROWS(act_abs, v_abs(x))
ACT_ROWS(act_neg, v_mul(x, v_set1(-1.0f)))
ACT_ROWS(act_sqrt, v_sqrt(x))
ACT_ROWS(act_exps, act_exp_all(x))
ACT_ROWS(act_logs, act_log(x))
ACT_ROWS(act_floor, v_floor(x))
ACT_ROWS(act_ceil, v_ceil(x))
ACT_ROWS(act_round, v_round(x))
ACT_ROWS(act_signs, act_sign(x))
ACT_ROWS(act_reciprocal, v_div(v_set1(1.0f), x))

void VRS_ISA(vrs_act_f32_rows)(const struct vrs_act_row *row)
{
	vrs_act_row_contract(row);
	static void (*const acts[VRS_KACT_COUNT])(const struct vrs_act_row *) = {
		[VRS_KACT_NONE] = act_none, [VRS_KACT_CLAMP] = act_clamp, [VRS_KACT_HSWISH] = act_hswish, [VRS_KACT_HSIGMOID] = act_hsigmoid,
		[VRS_KACT_SIGMOID] = act_sigmoids, [VRS_KACT_TANH] = act_tanhs, [VRS_KACT_LEAKY] = act_leaky, [VRS_KACT_SILU] = act_silu,
		[VRS_KACT_ELU] = act_elu, [VRS_KACT_SELU] = act_selu, [VRS_KACT_GELU] = act_gelus, [VRS_KACT_GELU_TANH] = act_gelus_tanh,
		[VRS_KACT_SOFTPLUS] = act_softplusses, [VRS_KACT_MISH] = act_mishes, [VRS_KACT_SOFTSIGN] = act_softsign,
		[VRS_KACT_LINEAR] = act_linear, [VRS_KACT_ERF] = act_erfs, [VRS_KACT_ABS] = act_abs, [VRS_KACT_NEG] = act_neg,
		[VRS_KACT_SQRT] = act_sqrt, [VRS_KACT_EXP] = act_exps, [VRS_KACT_LOG] = act_logs, [VRS_KACT_FLOOR] = act_floor,
		[VRS_KACT_CEIL] = act_ceil, [VRS_KACT_ROUND] = act_round, [VRS_KACT_SIGN] = act_signs, [VRS_KACT_RECIPROCAL] = act_reciprocal,
	};
	acts[row->act](row);
}
