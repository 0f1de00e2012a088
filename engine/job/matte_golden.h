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
	{"ref", "fp32", "selfie_segmentation", UINT64_C(0x86cb3b8dfe954235)},
	{"ref", "fp16", "selfie_segmentation", UINT64_C(0xc4a48096c920d7f9)},
	{"ref", "bf16", "selfie_segmentation", UINT64_C(0x255ce0226b495542)},
	{"ref", "int8", "selfie_segmentation", UINT64_C(0xc90b63a38ca1ef4a)},
	{"ref", "mixed", "selfie_segmentation", UINT64_C(0x8686d01d8c018013)},
	{"ref", "fp32", "example_recurrent", UINT64_C(0xebe87c826fcdbf0a)},
	{"ref", "bf16", "example_recurrent", UINT64_C(0xbce2a1ecbc1cca40)},
	{"avx2", "fp32", "selfie_segmentation", UINT64_C(0x5825ba6bfbf8f573)},
	{"avx2", "fp16", "selfie_segmentation", UINT64_C(0x7ebca74ee2370cf0)},
	{"avx2", "bf16", "selfie_segmentation", UINT64_C(0x255ce0226b495542)},
	{"avx2", "int8", "selfie_segmentation", UINT64_C(0xc90b63a38ca1ef4a)},
	{"avx2", "mixed", "selfie_segmentation", UINT64_C(0x7a86360d676a8a2f)},
	{"avx2", "fp32", "example_recurrent", UINT64_C(0x4920792d5cfed14d)},
	{"avx2", "bf16", "example_recurrent", UINT64_C(0x3775cb23adafc9f6)},
	{"avx2", "fp32", "rvm_mobilenetv3", UINT64_C(0x86363f5621a3ee7d)},
	{"avx2", "bf16", "rvm_mobilenetv3", UINT64_C(0x52ae6b7f02683897)},
	{"avx512", "fp32", "selfie_segmentation", UINT64_C(0x5825ba6bfbf8f573)},
	{"avx512", "fp16", "selfie_segmentation", UINT64_C(0x7ebca74ee2370cf0)},
	{"avx512", "bf16", "selfie_segmentation", UINT64_C(0x4658b215925b40fe)},
	{"avx512", "int8", "selfie_segmentation", UINT64_C(0xc90b63a38ca1ef4a)},
	{"avx512", "mixed", "selfie_segmentation", UINT64_C(0x7a86360d676a8a2f)},
	{"avx512", "fp32", "example_recurrent", UINT64_C(0x4920792d5cfed14d)},
	{"avx512", "bf16", "example_recurrent", UINT64_C(0xd474f87729e62f92)},
	{"avx512", "fp32", "rvm_mobilenetv3", UINT64_C(0x86363f5621a3ee7d)},
	{"avx512", "bf16", "rvm_mobilenetv3", UINT64_C(0x7e3a41c662819c57)},
};

#endif
