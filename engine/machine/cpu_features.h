/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU instruction-set features, with the mask of VRSEG_CPU for tests.
 *
 * VRSEG_CPU is "ref", "avx2" or "avx512" (highest level allowed), or a comma list of feature names to switch off, each with a leading
 * minus ("-avx512vnni,-avx512bf16"); a level may stand first in such a list. Switching a feature off also switches off what builds on it
 * ("-fma" ends avx512). An unknown name is an error that the programs report before anything runs.
 */
#ifndef VRS_MACHINE_CPU_FEATURES_H
#define VRS_MACHINE_CPU_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

enum vrs_cpu_feature {
	VRS_CPU_SSE41 = 1 << 0,
	VRS_CPU_AVX2 = 1 << 1,
	VRS_CPU_FMA = 1 << 2,
	VRS_CPU_F16C = 1 << 3,
	VRS_CPU_AVX512 = 1 << 4,      /* F, BW, DQ, VL, CD together */
	VRS_CPU_AVX512VNNI = 1 << 5,
	VRS_CPU_AVX512BF16 = 1 << 6,
	VRS_CPU_AVX512VBMI = 1 << 7,
	VRS_CPU_AVX512FP16 = 1 << 8,
	VRS_CPU_AVXVNNI = 1 << 9,
};

/* The words of CPUID and XGETBV that decide; the tests feed recorded ones. All zero: a CPU that offers nothing. */
struct vrs_cpuid {
	uint32_t leaf1_ecx;
	uint32_t leaf7_ebx, leaf7_ecx, leaf7_edx;
	uint32_t leaf7_1_eax; /* sub-leaf 1 */
	uint32_t xcr0;        /* low half; 0 when the system does not use XSAVE */
};

/* Features that these words offer: both the CPU and the operating system (register state saved) must agree. */
unsigned vrs_cpu_features_decode(const struct vrs_cpuid *cpuid);
/* Features named by the "flags" line of /proc/cpuinfo (recorded machines). */
unsigned vrs_cpu_features_from_flags(const char *flags);
/*
 * Features that the CPU and the operating system offer, after the mask of VRSEG_CPU (a malformed one masks nothing:
 * vrs_cpu_features_check reports it). Computed once; thread-safe.
 */
unsigned vrs_cpu_features(void);
/* Parse a mask against a feature set (exposed for tests). VRS_ECONFIG on unknown names. */
enum vrs_status vrs_cpu_features_mask(unsigned features, const char *mask, unsigned *ret_features, struct vrs_error *err);
/* VRS_ECONFIG when VRSEG_CPU is malformed; programs call this first. */
enum vrs_status vrs_cpu_features_check(struct vrs_error *err);
/* "avx512", "avx2" or "ref": the kernel level that the features support (avx2 needs AVX2+FMA+F16C). */
const char *vrs_cpu_isa(unsigned features);
/* Space-separated names, always terminated, cut at a whole name when buf is too small; "" without features. */
void vrs_cpu_features_text(unsigned features, char *buf, size_t size);
/*
 * Hash of the running CPU's model and caches, never 0: what timed choices of kernels hold for, together with features and build.  Takes some us,
 * where vrs_machine_detect takes 10 ms and more.  It speaks of the real machine, also in replay.
 */
uint64_t vrs_cpu_key(void);

#endif
