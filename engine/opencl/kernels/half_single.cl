/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On a device that is a CPU, before kernels that read halves: PoCL converts four or eight of them by an instruction, but one by some fifteen.  So a
 * single one is the first of four here.
 */
float vrs_half_float(ushort bits)
{
	ushort4 four = bits;

	return vload_half4(0, (const half *)&four).x;
}

ushort vrs_half_bits(float v)
{
	ushort4 four;

	vstore_half4_rte((float4)(v), 0, (half *)&four);
	return four.x;
}
#undef vrs_ld_f16
#undef vrs_st_f16
#define vrs_ld_f16(p, i) vrs_half_float(((__global const ushort *)(p))[i])
#define vrs_st_f16(p, i, v) (((__global ushort *)(p))[i] = vrs_half_bits(v))
