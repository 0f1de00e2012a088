/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before kernels of bytes (ocl_dot.h), on a device without dot products: the same numbers. */
int vrs_dot4(uint a, int w, int sum)
{
	for (int i = 0; i < 32; i += 8)
		sum += (int)(a >> i & 255) * (int)(char)((uint)w >> i & 255);
	return sum;
}
#define DOT4(a, w, sum) vrs_dot4(a, w, sum)
