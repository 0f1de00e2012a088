/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begins every program.  Elements are read and written as float whatever their type in memory; i counts elements from p, four need no alignment. */
#define vrs_ld_f32(p, i) ((p)[i])
#define vrs_ld4_f32(p, i) vload4(0, (p) + (i))
#define vrs_st_f32(p, i, v) ((p)[i] = (v))
#define vrs_st4_f32(p, i, v) vstore4((v), 0, (p) + (i))
/* Half precision in memory is OpenCL 1.0; only arithmetic in it needs cl_khr_fp16. */
#define vrs_ld_f16(p, i) vload_half(0, (p) + (i))
#define vrs_ld4_f16(p, i) vload_half4(0, (p) + (i))
#define vrs_st_f16(p, i, v) vstore_half_rte((v), 0, (p) + (i))
#define vrs_st4_f16(p, i, v) vstore_half4_rte((v), 0, (p) + (i))
/*
 * Of kernels whose dimensions 1 or 2 have more groups than devices take (vrs_ocl_step_end_folded): `rows` items of that dimension, FOLDS times, lie
 * side by side along dimension 0, each on `columns` items.
 */
#define UNFOLD(column, row, columns, rows) ((row) += (column) / (columns) * (rows), (column) %= (columns))
/* The upper half of a float's bits, rounded to nearest even; a carry into the exponent is right, up to infinity. */
ushort vrs_to_bf16(float v)
{
	uint bits = as_uint(v);

	return isnan(v) ? (ushort)(bits >> 16 | 0x40) : (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* Where place i of the dims of a table with one operand (ocl_element.h: size and step of each, innermost dim first) lies in the operand. */
int vrs_place(__global const int *dims, int rank, int i)
{
	int at = 0;

	for (int k = 0; k < rank - 1; k++) {
		int size = dims[2 * k], next = i / size;

		at += (i - next * size) * dims[2 * k + 1];
		i = next;
	}
	return at + i * dims[2 * rank - 1];
}
