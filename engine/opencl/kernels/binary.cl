/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = EPILOGUE(OP(a, b), i) for operands of equal shape, or of which one repeats: A_STEP and B_STEP are 1, or 0 for one value that all elements
 * share.  A work-item makes four of n elements.
 *   a  [n] or [1]   b  [n] or [1]   y  [n]
 */
__kernel void KERNEL(__global const a_T *a, __global const b_T *b, __global y_T *y, int n EPILOGUE_ARGS)
{
	int i = (int)get_global_id(0) * 4;

	if (i + 4 <= n) {
		float4 p = A_STEP ? a_LD4(a, i * A_STEP) : (float4)(a_LD(a, 0)), q = B_STEP ? b_LD4(b, i * B_STEP) : (float4)(b_LD(b, 0));
		float4 v = OP(p, q);
		y_ST4(y, i, EPILOGUE4(v, i));
	} else {
		for (; i < n; i++) {
			float p = a_LD(a, i * A_STEP), q = b_LD(b, i * B_STEP);
			float v = OP(p, q);
			y_ST(y, i, EPILOGUE(v, i));
		}
	}
}
