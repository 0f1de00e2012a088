/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = x[i]: what memory of the device gives.  A work-item copies COUNT float4, a whole grid apart.
 *   x, y  [n] float4
 */
__kernel void KERNEL(__global const float4 *x, __global float4 *y, int n)
{
	int step = (int)get_global_size(0);

	for (int i = (int)get_global_id(0); i < n; i += step)
		y[i] = x[i];
}
