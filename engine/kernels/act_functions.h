/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of one vector that rows of activations have beyond those of act_vectors.h.  Relative errors are bounded over all floats where the
 * result is a normal number (tests/unit/kernels/test_act_rows.c has the bounds); results below FLT_MIN may become 0, except for exp.
 * NaN and infinity as the functions of libm have them.
 *
 *   expm1   2^n * (r + r^2 p) + (2^n - 1) with the parts of exp: no cancellation below 0, where alone it is used
 *   log     2^k * m with m in sqrt(1/2)..sqrt(2); log(m) = 2 atanh(s), s = (m - 1) / (m + 1), as 2 s + s^3 L(s^2)
 *   log1p   the same series of s = u / (2 + u) for u in 0..1: u may be arbitrarily small
 *   tail    Phi(-t) of the normal distribution = exp(-t^2 / 2) * P(v) / (t + 3), v = (t - 3) / (t + 3); the rounding of t^2 is made up for
 *   erf     x P(x^2) below 0.85, else 1 - 2 Phi(-x sqrt(2))
 *
 * The polynomials L, P are minimax fits (Remez) of relative error 8e-10 (log), 5e-9 (log1p), 5e-8 (tail), 6e-9 (erf).
 */
#ifndef VRS_KERNELS_ACT_FUNCTIONS_H
#define VRS_KERNELS_ACT_FUNCTIONS_H

#include "kernels/act_vectors.h"

/* With subnormal results and up to FLT_MAX: the power of two in two steps. */
VRS_INLINE vf act_exp_all(vf x)
{
	vf r, p, n = act_exp_parts(v_min(v_set1(89.0f), v_max(v_set1(-105.0f), x)), &r, &p);
	vf half = v_floor(v_mul(n, v_set1(0.5f)));
	p = v_fma(p, v_mul(r, r), v_add(r, v_set1(1.0f)));
	return v_mul(v_mul(p, v_pow2(half)), v_pow2(v_sub(n, half)));
}

/* exp(x) - 1 for x <= 0 */
VRS_INLINE vf act_expm1(vf x)
{
	vf r, p, n = act_exp_parts(v_min(v_zero(), v_max(v_set1(-88.0f), x)), &r, &p);
	vf power = v_pow2(n);
	return v_fma(power, v_fma(p, v_mul(r, r), r), v_sub(power, v_set1(1.0f)));
}

VRS_INLINE vf act_log(vf x)
{
	const vf infinity = v_set1(__builtin_inff());
	vf tiny = v_mul(x, v_set1(0x1p24f)), least = v_set1(0x1p-126f);
	vi bits = v_bits(v_select_lt(x, least, tiny, x));
	vi k = vi_shift_right(vi_sub(bits, vi_set1(0x3f3504f3)), 23); /* sqrt(1/2) */
	vf f = v_sub(v_from_bits(vi_sub(bits, vi_shift_left(k, 23))), v_set1(1.0f));
	vf n = v_sub(v_from_int(k), v_select_lt(x, least, v_set1(24.0f), v_zero()));
	vf s = v_div(f, v_add(f, v_set1(2.0f))), z = v_mul(s, s);
	vf p = v_fma(v_set1(2.9872259498e-1f), z, v_set1(3.9977523685e-1f));
	p = v_fma(p, z, v_set1(6.6666775942e-1f));
	p = v_fma(v_mul(p, z), s, v_mul(n, v_set1(-2.12194440e-4f))); /* log 2 in two parts */
	p = v_fma(n, v_set1(0.693359375f), v_add(p, v_add(s, s)));
	/* Not above 0, where sessions take subnormals for 0: -infinity or NaN.  Infinity and NaN stay. */
	p = v_select_lt(v_zero(), x, p, v_select_lt(x, v_zero(), v_set1(__builtin_nanf("")), v_sub(v_zero(), infinity)));
	return v_select_lt(x, infinity, p, x);
}

/* log(1 + u) for u in 0..1 */
VRS_INLINE vf act_log1p(vf u)
{
	vf s = v_div(u, v_add(u, v_set1(2.0f))), z = v_mul(s, s);
	vf p = v_fma(v_set1(2.8024384379e-1f), z, v_set1(2.7999156713e-1f));
	p = v_fma(p, z, v_set1(4.0021696687e-1f));
	p = v_fma(p, z, v_set1(6.6666412354e-1f));
	return v_fma(v_mul(p, z), s, v_add(s, s));
}

VRS_INLINE vf act_softplus(vf x)
{
	return v_add(v_max(v_zero(), x), act_log1p(act_exp(v_sub(v_zero(), v_abs(x)))));
}

/* tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2); 1 in float from x = 9 on */
VRS_INLINE vf act_mish(vf x)
{
	vf e = act_exp(v_min(v_set1(20.0f), x)), n = v_mul(e, v_add(e, v_set1(2.0f)));
	return v_mul(x, v_div(n, v_add(n, v_set1(2.0f))));
}

/* Phi(-t) for t >= 0 */
VRS_INLINE vf act_normal_tail(vf t)
{
	t = v_min(v_set1(14.0f), t);
	vf square = v_mul(t, t), rest = v_fnma(t, t, square); /* square - t^2, exactly */
	vf inverse = v_div(v_set1(1.0f), v_add(t, v_set1(3.0f))), v = v_mul(v_sub(t, v_set1(3.0f)), inverse);
	vf p = v_set1(-2.6676590e-4f);
	p = v_fma(p, v, v_set1(-9.03252047e-4f));
	p = v_fma(p, v, v_set1(1.07603639e-3f));
	p = v_fma(p, v, v_set1(6.9239218e-3f));
	p = v_fma(p, v, v_set1(-1.04799352e-2f));
	p = v_fma(p, v, v_set1(-4.72561007e-2f));
	p = v_fma(p, v, v_set1(2.30019349e-1f));
	p = v_fma(p, v, v_set1(-5.09332285e-1f));
	p = v_fma(p, v, v_set1(7.29083669e-1f));
	p = v_mul(v_mul(p, inverse), act_exp(v_mul(square, v_set1(-0.5f))));
	return v_fma(v_mul(p, v_set1(0.5f)), rest, p);
}

VRS_INLINE vf act_gelu(vf x)
{
	vf tail = act_normal_tail(v_abs(x));
	return v_mul(x, v_select_lt(x, v_zero(), tail, v_sub(v_set1(1.0f), tail)));
}

/* x / 2 * (1 + tanh(y)) = x * sigmoid(2 y) */
VRS_INLINE vf act_gelu_tanh(vf x)
{
	vf cube = v_fma(v_mul(v_mul(x, x), v_set1(0.044715f)), x, x);
	return v_mul(x, act_sigmoid(v_mul(cube, v_set1(1.5957691216f))));
}

VRS_INLINE vf act_erf(vf x)
{
	vf a = v_abs(x), z = v_mul(x, x);
	vf big = v_fnma(v_set1(2.0f), act_normal_tail(v_mul(a, v_set1(1.4142135624f))), v_set1(1.0f));
	vf p = v_set1(-6.3151289942e-4f);
	p = v_fma(p, z, v_set1(5.0510945730e-3f));
	p = v_fma(p, z, v_set1(-2.6802547276e-2f));
	p = v_fma(p, z, v_set1(1.1282717437e-1f));
	p = v_fma(p, z, v_set1(-3.7612572312e-1f));
	p = v_fma(p, z, v_set1(1.1283791065f));
	return v_select_lt(a, v_set1(0.85f), v_mul(x, p), v_copysign(big, x));
}

VRS_INLINE vf act_sign(vf x)
{
	vf y = v_select_lt(v_zero(), x, v_set1(1.0f), x);
	return v_select_lt(x, v_zero(), v_set1(-1.0f), y); /* zeros and NaNs stay */
}

#endif
