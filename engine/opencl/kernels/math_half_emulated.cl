/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before kernels that multiply in halves (ocl_math.h), on a device that does not: floats that are rounded after every operation.  A product of two
 * halves is exact in a float, and its sum with a third is rounded twice, so that one in some thousand sums differs from a device's in the last bit.
 */
#define ROUND_HALF(type, n, load, store) \
	type vrs_round_half##n(type v) \
	{ \
		ushort bits[n]; \
		store(v, 0, (half *)bits); \
		return load(0, (half *)bits); \
	}
ROUND_HALF(float, 1, vload_half, vstore_half_rte)
ROUND_HALF(float4, 4, vload_half4, vstore_half4_rte)
ROUND_HALF(float8, 8, vload_half8, vstore_half8_rte)
ROUND_HALF(float16, 16, vload_half16, vstore_half16_rte)
#undef ROUND_HALF
