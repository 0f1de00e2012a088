/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = OP(a, b) for numbers of any type with broadcasting (the table of ocl_element.h); a work-item makes one of n elements.  INTEGERS: 0 floats,
 * 1 integers of 64 bits, 2 unsigned ones; their overflow wraps, also in the narrower types that results are stored in.
 *   y  [n]   a, b  with dims of 1 repeated   dims  [rank][3]: size, step in a, step in b, innermost dim first
 */
#if INTEGERS
/* Towards zero; by zero gives 0, and the one quotient that does not fit wraps. */
NUMBER NAME(quotient)(NUMBER p, NUMBER q)
{
#if INTEGERS == 1
	if (q == -1)
		return (long)(0 - (ulong)p);
#endif
	return q == 0 ? 0 : p / q;
}

/* With the sign of p; by zero gives 0. */
NUMBER NAME(remainder)(NUMBER p, NUMBER q)
{
#if INTEGERS == 1
	if (q == -1)
		return 0;
#endif
	return q == 0 ? 0 : p % q;
}

/* With the sign of q. */
NUMBER NAME(modulo)(NUMBER p, NUMBER q)
{
	NUMBER r = NAME(remainder)(p, q);

#if INTEGERS == 1
	if (r != 0 && (r < 0) != (q < 0))
		return r + q;
#endif
	return r;
}

/* Negative exponents leave only powers of 1 and -1. */
NUMBER NAME(power)(NUMBER p, NUMBER q)
{
	ulong base = (ulong)p, result = 1;

#if INTEGERS == 1
	if (q < 0)
		return p == 1 ? 1 : p == -1 ? (q & 1 ? -1 : 1) : 0;
#endif
	for (ulong exponent = (ulong)q; exponent > 0; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	return (NUMBER)result;
}
#endif

__kernel void KERNEL(__global const a_T *restrict a, __global const b_T *restrict b, __global y_T *restrict y, __global const int *dims, int n)
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
	NUMBER p = a_GET(a, ia), q = b_GET(b, ib);
	RESULT v = OP(p, q);

	y_PUT(y, i, v);
}
