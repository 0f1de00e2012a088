/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Activations of one vector.  exp by range reduction to |r| <= ln2/2 and a polynomial of degree 7 (coefficients of Cephes expf); sigmoid from exp
 * with a true division, tanh from exp above 0.625 and an odd polynomial below.  Largest errors, as the test of the activation rows has them over
 * all floats: sigmoid, tanh and SiLU 3e-7 relative where the exponential is a normal number.  act_functions.h has the functions of rows only.
 */
#ifndef VRS_KERNELS_ACT_VECTORS_H
#define VRS_KERNELS_ACT_VECTORS_H

#include "kernels/kernels.h"
#include "kernels/simd_lanes.h"

/* exp(x) = 2^n * (1 + r + r^2 p): n by return, r and p by reference.  x in -88..89 for v_pow2(n). */
VRS_INLINE vf act_exp_parts(vf x, vf *r, vf *p)
{
	vf n = v_round(v_mul(x, v_set1(1.44269504f)));
	*r = v_fnma(n, v_set1(0.693359375f), x);
	*r = v_fnma(n, v_set1(-2.12194440e-4f), *r);
	*p = v_set1(1.9875691500e-4f);
	*p = v_fma(*p, *r, v_set1(1.3981999507e-3f));
	*p = v_fma(*p, *r, v_set1(8.3334519073e-3f));
	*p = v_fma(*p, *r, v_set1(4.1665795894e-2f));
	*p = v_fma(*p, *r, v_set1(1.6666665459e-1f));
	*p = v_fma(*p, *r, v_set1(5.0000001201e-1f));
	return n;
}

/* 0 below -87.68 (where results are subnormal), infinity above 88.37; a NaN stays one. */
VRS_INLINE vf act_exp(vf x)
{
	vf r, p, n = act_exp_parts(v_min(v_set1(89.0f), v_max(v_set1(-88.0f), x)), &r, &p);
	p = v_fma(p, v_mul(r, r), v_add(r, v_set1(1.0f)));
	return v_mul(p, v_pow2(n));
}

VRS_INLINE vf act_sigmoid(vf x)
{
	return v_div(v_set1(1.0f), v_add(v_set1(1.0f), act_exp(v_sub(v_zero(), x))));
}

VRS_INLINE vf act_tanh(vf x)
{
	vf a = v_abs(x), z = v_mul(x, x);
	vf p = v_set1(-5.70498872745e-3f);
	p = v_fma(p, z, v_set1(2.06390887954e-2f));
	p = v_fma(p, z, v_set1(-5.37397155531e-2f));
	p = v_fma(p, z, v_set1(1.33314422036e-1f));
	p = v_fma(p, z, v_set1(-3.33332819422e-1f));
	p = v_fma(v_mul(p, z), x, x);
	vf e = act_exp(v_add(a, a));
	vf big = v_sub(v_set1(1.0f), v_div(v_set1(2.0f), v_add(e, v_set1(1.0f))));
	return v_select_lt(a, v_set1(0.625f), p, v_copysign(big, x));
}

VRS_INLINE vf act_apply(vf v, int act, vf lo, vf hi)
{
	switch (act) {
	case VRS_KACT_CLAMP: return v_clamp(v, lo, hi);
	case VRS_KACT_HSWISH: return v_hswish(v);
	case VRS_KACT_HSIGMOID: return v_min(v_set1(1.0f), v_max(v_zero(), v_add(v_mul(v, v_set1(1.0f / 6.0f)), v_set1(0.5f))));
	case VRS_KACT_SIGMOID: return act_sigmoid(v);
	case VRS_KACT_TANH: return act_tanh(v);
	case VRS_KACT_LEAKY: return v_select_lt(v, v_zero(), v_mul(v, lo), v);
	case VRS_KACT_SILU: return v_mul(v, act_sigmoid(v));
	default: return v;
	}
}

#endif
