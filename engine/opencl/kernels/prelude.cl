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
