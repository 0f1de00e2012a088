/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LAYERS (2 to 4) 1x1 convolutions of few channels behind each other.  A work-item makes ITEM_M pixels; what lies between two layers stays in its
 * registers.  CHANNELS_0 goes into the first layer, CHANNELS_k comes out of layer k; WIDE_k: rounded up to whole vectors.
 *   x  [pixels][CHANNELS_0]   w  layer after layer [channels in][WIDE_k], from W_k on   b  layer after layer [WIDE_k], from B_k on
 *   y  [pixels][OUTPUTS]   global: pixels / ITEM_M
 * WIDEST: the largest WIDE.  ACT_k is the function of layer k, that of the last is EPILOGUE's.
 */
/* A layer without its function. */
static void NAME(layer)(float from[ITEM_M][WIDEST], float to[ITEM_M][WIDEST], const int in, const int wide, __global const w_T *w,
			__global const float *b)
{
#pragma unroll
	for (int o = 0; o < wide; o += VECTOR) {
		VEC sum[ITEM_M];

#pragma unroll
		for (int m = 0; m < ITEM_M; m++)
			sum[m] = b_LDV(b, o);
#pragma unroll
		for (int i = 0; i < in; i++) {
			VEC f = w_LDV(w, i * wide + o);

#pragma unroll
			for (int m = 0; m < ITEM_M; m++)
				sum[m] += from[m][i] * f;
		}
#pragma unroll
		for (int m = 0; m < ITEM_M; m++)
			STOREV(sum[m], to[m] + o);
	}
}

#define vrs_apply(ACT, values, wide) \
	for (int m = 0; m < ITEM_M; m++) \
		for (int o = 0; o < wide; o += VECTOR) { \
			VEC v = LOADV(values[m] + o); \
\
			STOREV(ACT(v), values[m] + o); \
		}

__kernel void KERNEL(__global const x_T *x, __global const w_T *w, __global const float *b, __global y_T *y, int pixels EPILOGUE_ARGS)
{
	int first = (int)get_global_id(0) * ITEM_M;
	float one[ITEM_M][WIDEST], other[ITEM_M][WIDEST];

	if (first >= pixels)
		return;
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
		int from = min(first + m, pixels - 1) * CHANNELS_0;

#if CHANNELS_0 % VECTOR == 0
#pragma unroll
		for (int i = 0; i < CHANNELS_0; i += VECTOR)
			STOREV(x_LDV(x, from + i), one[m] + i);
#else
#pragma unroll
		for (int i = 0; i < CHANNELS_0; i++)
			one[m][i] = x_LD(x, from + i);
#endif
	}
	NAME(layer)(one, other, CHANNELS_0, WIDE_1, w + W_1, b + B_1);
	vrs_apply(ACT_1, other, WIDE_1)
	NAME(layer)(other, one, CHANNELS_1, WIDE_2, w + W_2, b + B_2);
#if LAYERS > 2
	vrs_apply(ACT_2, one, WIDE_2)
	NAME(layer)(one, other, CHANNELS_2, WIDE_3, w + W_3, b + B_3);
#endif
#if LAYERS > 3
	vrs_apply(ACT_3, other, WIDE_3)
	NAME(layer)(other, one, CHANNELS_3, WIDE_4, w + W_4, b + B_4);
#endif
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
		int to = (first + m) * OUTPUTS;

		if (first + m >= pixels)
			continue;
#pragma unroll
		for (int o = 0; o < OUTPUTS; o += VECTOR) {
			float parts[VECTOR];
			VEC value = LOADV((LAYERS == 3 ? other : one)[m] + o);

			if (o + VECTOR <= OUTPUTS) {
				y_STV(y, to + o, EPILOGUEV(value, to + o));
				continue;
			}
			STOREV(value, parts);
			for (int j = 0; o + j < OUTPUTS; j++)
				y_ST(y, to + o + j, EPILOGUE(parts[j], to + o + j));
		}
	}
}
#undef vrs_apply
