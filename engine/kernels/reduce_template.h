/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions of lines, of many short lines and of rows, normalised lines and rows, weighted sums of rows. */
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"
#include "kernels/turned_lanes.h"

VRS_INLINE vf reduce_start(int op)
{
	return v_set1(op == VRS_KRED_MAX ? -INFINITY : op == VRS_KRED_MIN ? INFINITY : op == VRS_KRED_PRODUCT ? 1.0f : 0.0f);
}

/* What a value adds to the result; a NaN stays. */
VRS_INLINE vf reduce_step(int op, vf total, vf x, vf shift)
{
	switch (op) {
	case VRS_KRED_SUM: return v_add(total, x);
	case VRS_KRED_ABS: return v_add(total, v_abs(x));
	case VRS_KRED_SQUARE: x = v_sub(x, shift); return v_fma(x, x, total);
	case VRS_KRED_MAX: return v_keep_nan(x, v_max(x, total));
	case VRS_KRED_MIN: return v_keep_nan(x, v_min(x, total));
	default: return v_mul(total, x);
	}
}

/* Two partial results. */
VRS_INLINE vf reduce_join(int op, vf a, vf b)
{
	switch (op) {
	case VRS_KRED_MAX: return v_keep_nan(a, v_max(a, b));
	case VRS_KRED_MIN: return v_keep_nan(a, v_min(a, b));
	case VRS_KRED_PRODUCT: return v_mul(a, b);
	default: return v_add(a, b);
	}
}

VRS_INLINE float reduce_one(int op, float a, float b)
{
	switch (op) {
	case VRS_KRED_MAX: return a > b || isnan(a) ? a : b;
	case VRS_KRED_MIN: return a < b || isnan(a) ? a : b;
	case VRS_KRED_PRODUCT: return a * b;
	default: return a + b;
	}
}

VRS_INLINE float reduce_rest(int op, float x, float shift)
{
	return op == VRS_KRED_ABS ? fabsf(x) : op == VRS_KRED_SQUARE ? (x - shift) * (x - shift) : x;
}

VRS_INLINE float reduce_along(int op, const float *in, size_t count, float shift)
{
	vf t[4], s = v_set1(shift);
	float lanes[VL];
	size_t i = 0;
	VRS_UNROLL
	for (int k = 0; k < 4; k++)
		t[k] = reduce_start(op);
	for (; i + 4 * VL <= count; i += 4 * VL) {
		VRS_UNROLL
		for (int k = 0; k < 4; k++)
			t[k] = reduce_step(op, t[k], v_load(in + i + k * VL), s);
	}
	for (; i + VL <= count; i += VL)
		t[0] = reduce_step(op, t[0], v_load(in + i), s);
	v_store(lanes, reduce_join(op, reduce_join(op, t[0], t[2]), reduce_join(op, t[1], t[3])));
	for (int half = VL / 2; half > 0; half /= 2)
		for (int k = 0; k < half; k++)
			lanes[k] = reduce_one(op, lanes[k], lanes[k + half]);
	for (; i < count; i++)
		lanes[0] = reduce_one(op, lanes[0], reduce_rest(op, in[i], shift));
	return lanes[0];
}

float VRS_ISA(vrs_reduce_f32_line)(enum vrs_kernel_reduce op, const float *in, size_t count, float shift)
{
	VRS_ASSERT(count == 0 || in);
	switch (op) {
	case VRS_KRED_SUM: return reduce_along(VRS_KRED_SUM, in, count, shift);
	case VRS_KRED_ABS: return reduce_along(VRS_KRED_ABS, in, count, shift);
	case VRS_KRED_SQUARE: return reduce_along(VRS_KRED_SQUARE, in, count, shift);
	case VRS_KRED_MAX: return reduce_along(VRS_KRED_MAX, in, count, shift);
	case VRS_KRED_MIN: return reduce_along(VRS_KRED_MIN, in, count, shift);
	default: return reduce_along(VRS_KRED_PRODUCT, in, count, shift);
	}
}

/* As reduce_step has it, bit for bit. */
VRS_INLINE float reduce_step_one(int op, float total, float x)
{
	switch (op) {
	case VRS_KRED_SQUARE: return __builtin_fmaf(x, x, total);
	case VRS_KRED_MAX: return x > total || isnan(x) ? x : total;
	case VRS_KRED_MIN: return x < total || isnan(x) ? x : total;
	default: return reduce_one(op, total, reduce_rest(op, x, 0.0f));
	}
}

/* `blocks` times VL short lines at once, whose results do not wait for each other. */
VRS_INLINE void reduce_turned(int op, const float *in, int n, float *total, int blocks)
{
	vf t[2], x[4];
	int first;
	VRS_UNROLL
	for (int b = 0; b < blocks; b++)
		t[b] = reduce_start(op);
	for (int k = 0; k + 4 <= n; k += 4) {
		VRS_UNROLL
		for (int b = 0; b < blocks; b++) {
			load_turned(in + (ptrdiff_t)b * VL * n + k, n, x);
			VRS_UNROLL
			for (int i = 0; i < 4; i++)
				t[b] = reduce_step(op, t[b], x[i], v_zero());
		}
	}
	VRS_UNROLL
	for (int b = 0; b < blocks; b++) {
		if (n % 4 > 0) {
			load_turned_rest(in + (ptrdiff_t)b * VL * n, n, x, &first);
			VRS_UNROLL
			for (int i = 0; i < 4; i++)
				t[b] = i >= first && i < first + n % 4 ? reduce_step(op, t[b], x[i], v_zero()) : t[b];
		}
		v_store(total + b * VL, t[b]);
	}
}

VRS_INLINE void reduce_each(int op, const float *in, int n, size_t lines, float *total)
{
	size_t i = 0, turned = turned_lines(lines, n), width = (size_t)n;
	for (; i + 2 * VL <= turned; i += 2 * VL)
		reduce_turned(op, in + i * width, n, total + i, 2);
	for (; i + VL <= turned; i += VL)
		reduce_turned(op, in + i * width, n, total + i, 1);
	for (; i < lines; i++) {
		total[i] = op == VRS_KRED_MAX ? -INFINITY : op == VRS_KRED_MIN ? INFINITY : op == VRS_KRED_PRODUCT ? 1.0f : 0.0f;
		for (size_t k = 0; k < width; k++)
			total[i] = reduce_step_one(op, total[i], in[i * width + k]);
	}
}

void VRS_ISA(vrs_reduce_f32_lines)(enum vrs_kernel_reduce op, const float *in, int n, size_t lines, float *total)
{
	VRS_ASSERT(n > 0 && (lines == 0 || (in && total)));
	switch (op) {
	case VRS_KRED_SUM: reduce_each(VRS_KRED_SUM, in, n, lines, total); return;
	case VRS_KRED_ABS: reduce_each(VRS_KRED_ABS, in, n, lines, total); return;
	case VRS_KRED_SQUARE: reduce_each(VRS_KRED_SQUARE, in, n, lines, total); return;
	case VRS_KRED_MAX: reduce_each(VRS_KRED_MAX, in, n, lines, total); return;
	case VRS_KRED_MIN: reduce_each(VRS_KRED_MIN, in, n, lines, total); return;
	default: reduce_each(VRS_KRED_PRODUCT, in, n, lines, total); return;
	}
}

/* One vector of columns down the rows, in two partial results. */
VRS_INLINE void reduce_column(int op, const float *in, ptrdiff_t step, int rows, const float *shift, float *total, vm mask)
{
	vf a = reduce_start(op), b = a, s = shift ? v_loadm(shift, mask) : v_zero();
	int r = 0;
	for (; r + 2 <= rows; r += 2, in += 2 * step) {
		a = reduce_step(op, a, v_loadm(in, mask), s);
		b = reduce_step(op, b, v_loadm(in + step, mask), s);
	}
	if (r < rows)
		a = reduce_step(op, a, v_loadm(in, mask), s);
	v_storem(total, mask, reduce_join(op, a, b));
}

/* Four vectors of columns, which are summed up as single ones are: results do not depend on how columns are cut. */
VRS_INLINE void reduce_columns(int op, const float *in, ptrdiff_t step, int rows, const float *shift, float *total)
{
	vf a[4], b[4], s[4];
	int r = 0;
	VRS_UNROLL
	for (int k = 0; k < 4; k++) {
		a[k] = b[k] = reduce_start(op);
		s[k] = shift ? v_load(shift + k * VL) : v_zero();
	}
	for (; r + 2 <= rows; r += 2, in += 2 * step) {
		VRS_UNROLL
		for (int k = 0; k < 4; k++) {
			a[k] = reduce_step(op, a[k], v_load(in + k * VL), s[k]);
			b[k] = reduce_step(op, b[k], v_load(in + step + k * VL), s[k]);
		}
	}
	VRS_UNROLL
	for (int k = 0; k < 4; k++) {
		if (r < rows)
			a[k] = reduce_step(op, a[k], v_load(in + k * VL), s[k]);
		v_store(total + k * VL, reduce_join(op, a[k], b[k]));
	}
}

VRS_INLINE void reduce_down(int op, const float *in, ptrdiff_t step, int rows, int width, const float *shift, float *total)
{
	int c = 0;
	for (; c + 4 * VL <= width; c += 4 * VL)
		reduce_columns(op, in + c, step, rows, shift ? shift + c : NULL, total + c);
	for (; c < width; c += VL)
		reduce_column(op, in + c, step, rows, shift ? shift + c : NULL, total + c, v_mask(width - c < VL ? width - c : VL));
}

void VRS_ISA(vrs_reduce_f32_rows)(enum vrs_kernel_reduce op, const float *in, ptrdiff_t step, int rows, int width, const float *shift, float *total)
{
	VRS_ASSERT(rows > 0 && width > 0 && in && total);
	switch (op) {
	case VRS_KRED_SUM: reduce_down(VRS_KRED_SUM, in, step, rows, width, shift, total); return;
	case VRS_KRED_ABS: reduce_down(VRS_KRED_ABS, in, step, rows, width, shift, total); return;
	case VRS_KRED_SQUARE: reduce_down(VRS_KRED_SQUARE, in, step, rows, width, shift, total); return;
	case VRS_KRED_MAX: reduce_down(VRS_KRED_MAX, in, step, rows, width, shift, total); return;
	case VRS_KRED_MIN: reduce_down(VRS_KRED_MIN, in, step, rows, width, shift, total); return;
	default: reduce_down(VRS_KRED_PRODUCT, in, step, rows, width, shift, total); return;
	}
}

void VRS_ISA(vrs_norm_f32_line)(const float *in, size_t count, float mean, float factor, const float *scale, const float *bias, float *out)
{
	vf m = v_set1(mean), f = v_set1(factor);
	for (size_t i = 0; i < count; i += VL) {
		vm mask = v_mask(count - i < VL ? (int)(count - i) : VL);
		vf x = v_mul(v_sub(v_loadm(in + i, mask), m), f);
		x = scale ? v_mul(x, v_loadm(scale + i, mask)) : x;
		x = bias ? v_add(x, v_loadm(bias + i, mask)) : x;
		v_storem(out + i, mask, x);
	}
}

void VRS_ISA(vrs_norm_f32_rows)(const float *in, ptrdiff_t px, int pixels, int channels, const float *mean, const float *factor, const float *bias,
				float *out)
{
	for (int c = 0; c < channels; c += VL) {
		vm mask = v_mask(channels - c < VL ? channels - c : VL);
		vf m = v_loadm(mean + c, mask), f = v_loadm(factor + c, mask), b = v_loadm(bias + c, mask);
		for (int p = 0; p < pixels; p++)
			v_storem(out + p * px + c, mask, v_fma(v_sub(v_loadm(in + p * px + c, mask), m), f, b));
	}
}

void VRS_ISA(vrs_blend_f32_rows)(const float *const *rows, const float *weights, int count, float *out, size_t floats)
{
	VRS_ASSERT(count > 0);
	for (size_t i = 0; i < floats; i += VL) {
		vm mask = v_mask(floats - i < VL ? (int)(floats - i) : VL);
		vf sum = v_mul(v_set1(weights[0]), v_loadm(rows[0] + i, mask));
		for (int k = 1; k < count; k++)
			sum = v_fma(v_set1(weights[k]), v_loadm(rows[k] + i, mask), sum);
		v_storem(out + i, mask, sum);
	}
}
