/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One axis of a resize with any number of taps: y[o][i][k] = sum over t of x[o][places[i][t]][k] * weights[i][t].  A work-item makes VEC of the
 * `inner` elements of one place.
 *   x  [outer][in][inner]   y  [outer][out][inner]   n = elements of y / VEC
 *   places, weights [out][taps]; counts [out]: how many taps are used
 * OUTSIDE: a place without taps has the value `fill`, and so has what belongs to column k / channels when its number in `columns` is 0.
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, __global const int *places, __global const float *weights, __global const int *counts,
		     __global const int *columns, int in, int out, int inner, int taps, int channels, float fill, int n)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int vectors = inner / VEC, k = item % vectors * VEC, row = item / vectors, i = row % out, outer = row / out, count = counts[i];
	V sum = (V)(0);

	for (int t = 0; t < count; t++)
		sum += LDV(x, x, (outer * in + places[i * taps + t]) * inner + k) * weights[i * taps + t];
	if (OUTSIDE && (count == 0 || columns[k / channels] == 0))
		sum = (V)(fill);
	STV(y, y, item * VEC, sum);
}
