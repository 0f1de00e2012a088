/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hashes of the mattes of one clip, for each instruction set and precision, and of recurrent networks' in fp32 and bf16; those in floats also of
 * mattes of people who are looked at one by one, and Robust Video Matting's of people in a half sphere.  test_matte_golden makes them anew: a change
 * of the program that changes mattes fails until the rows are replaced, and since the key of the matte cache is made of them, no matte of before is
 * taken then.
 */
#ifndef VRS_JOB_MATTE_GOLDEN_H
#define VRS_JOB_MATTE_GOLDEN_H

#include <stdint.h>

struct vrs_matte_golden {
	char isa[8], precision[8], network[24]; /* filled up with zeros */
	uint64_t hash;
};

static const struct vrs_matte_golden vrs_matte_golden[] = {
	{"ref", "fp32", "selfie_segmentation", UINT64_C(0x949b22a6774133c5)},
	{"ref", "fp16", "selfie_segmentation", UINT64_C(0x8e938d44a75464ad)},
	{"ref", "bf16", "selfie_segmentation", UINT64_C(0xb6abee36322bc4b6)},
	{"ref", "int8", "selfie_segmentation", UINT64_C(0x89a627453d75feb6)},
	{"ref", "mixed", "selfie_segmentation", UINT64_C(0x7682062b86d414c1)},
	{"ref", "fp32", "example_recurrent", UINT64_C(0x759c715fda7c3279)},
	{"ref", "bf16", "example_recurrent", UINT64_C(0xdadc53f96160b819)},
	{"avx2", "fp32", "selfie_segmentation", UINT64_C(0x99a78dae91e845fa)},
	{"avx2", "fp16", "selfie_segmentation", UINT64_C(0x8e938d44a75464ad)},
	{"avx2", "bf16", "selfie_segmentation", UINT64_C(0xb6abee36322bc4b6)},
	{"avx2", "int8", "selfie_segmentation", UINT64_C(0x89a627453d75feb6)},
	{"avx2", "mixed", "selfie_segmentation", UINT64_C(0x37b7495b6f2ee414)},
	{"avx2", "fp32", "example_recurrent", UINT64_C(0xd269418bd71f7328)},
	{"avx2", "bf16", "example_recurrent", UINT64_C(0xb0130bc2dfd5f105)},
	{"avx2", "fp32", "rvm_mobilenetv3", UINT64_C(0x62fc81ee57d2bec8)},
	{"avx2", "bf16", "rvm_mobilenetv3", UINT64_C(0x8b9669b8a5b65e30)},
	{"avx512", "fp32", "selfie_segmentation", UINT64_C(0x99a78dae91e845fa)},
	{"avx512", "fp16", "selfie_segmentation", UINT64_C(0x8e938d44a75464ad)},
	{"avx512", "bf16", "selfie_segmentation", UINT64_C(0x33a8614f92c0e484)},
	{"avx512", "int8", "selfie_segmentation", UINT64_C(0x89a627453d75feb6)},
	{"avx512", "mixed", "selfie_segmentation", UINT64_C(0x37b7495b6f2ee414)},
	{"avx512", "fp32", "example_recurrent", UINT64_C(0xd269418bd71f7328)},
	{"avx512", "bf16", "example_recurrent", UINT64_C(0xd55332eb136947c9)},
	{"avx512", "fp32", "rvm_mobilenetv3", UINT64_C(0x62fc81ee57d2bec8)},
	{"avx512", "bf16", "rvm_mobilenetv3", UINT64_C(0x62849e8fd53372c9)},
};

#endif
