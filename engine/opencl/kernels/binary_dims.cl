/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = EPILOGUE(OP(a, b), i) with broadcasting (the table of ocl_element.h); a work-item makes one of n elements, or with VECTOR four neighbours: then
 * the innermost size counts fours, its steps lead over them, and A_REPEATS, B_REPEATS say that all four take one value.
 *   y  dense   a, b  with dims of 1 repeated   dims  [rank][3]: size, step in a, step in b, innermost dim first
 */
__kernel void KERNEL(__global const a_T *a, __global const b_T *b, __global y_T *y, __global const int *dims, int n EPILOGUE_ARGS)
{
	int i = (int)get_global_id(0);

	if (i >= n)
		return;
	int rest = i, ia = 0, ib = 0;

	for (int k = 0; k < dims_RANK; k++) {
		int size = dims[3 * k], next = rest / size, place = rest - next * size;

		ia += place * dims[3 * k + 1];
		ib += place * dims[3 * k + 2];
		rest = next;
	}
#if VECTOR
	i *= 4;
	float4 p = A_REPEATS ? (float4)(a_LD(a, ia)) : a_LD4(a, ia), q = B_REPEATS ? (float4)(b_LD(b, ib)) : b_LD4(b, ib);
	float4 v = OP(p, q);
	y_ST4(y, i, EPILOGUE4(v, i));
#else
	float p = a_LD(a, ia), q = b_LD(b, ib);
	float v = OP(p, q);
	y_ST(y, i, EPILOGUE(v, i));
#endif
}
