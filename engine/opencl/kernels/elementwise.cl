/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program over elements of equal shape, made for it: PROGRAM declares and computes variables of type V from elements i .. i + VEC - 1 of the arguments
 * x0, x1, .. that ARGS lists, RESULT is the last of them.  A work-item makes VEC of n * VEC elements.
 *   xk  [n * VEC], or [1] for a value that all elements share   y  [n * VEC]
 */
__kernel void KERNEL(ARGS __global y_T *y, int n)
{
	int i = (int)get_global_id(0) * VEC;

	if (i >= n * VEC)
		return;
	PROGRAM
	STV(y, y, i, RESULT);
}
