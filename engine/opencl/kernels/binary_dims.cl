/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = EPILOGUE(OP(a, b), i) with broadcasting over up to six dims, outermost first: element i of the output has place (i / Y_k) % D_k in dim k, and
 * takes what lies at the sum of place * A_k of a, place * B_k of b; a step is 0 where a dim repeats.  A work-item makes one of n elements.
 *   dims [18]: D_k, A_k, B_k of each dim
 */
__kernel void KERNEL(__global const a_T *a, __global const b_T *b, __global y_T *y, __global const int *dims, int n EPILOGUE_ARGS)
{
	int i = (int)get_global_id(0);

	if (i >= n)
		return;
	int rest = i, ia = 0, ib = 0;
	for (int k = RANK - 1; k >= 0; k--) {
		int size = dims[3 * k], place = rest % size;

		rest /= size;
		ia += place * dims[3 * k + 1];
		ib += place * dims[3 * k + 2];
	}
	float p = a_LD(a, ia), q = b_LD(b, ib);
	float v = OP(p, q);
	y_ST(y, i, EPILOGUE(v, i));
}
