/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPUID bits: Intel SDM volume 2A, CPUID, tables 3-8 to 3-17; AMD APM volume 3, appendix E. XCR0: SDM volume 1, section 13.3.
 */
#include "machine/cpu_features.h"

#include <cpuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAF1_ECX_SSE41 (1u << 19)
#define LEAF1_ECX_FMA (1u << 12)
#define LEAF1_ECX_OSXSAVE (1u << 27)
#define LEAF1_ECX_AVX (1u << 28)
#define LEAF1_ECX_F16C (1u << 29)
#define LEAF7_EBX_AVX2 (1u << 5)
#define LEAF7_EBX_AVX512 (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) /* F, DQ, CD, BW, VL */
#define LEAF7_ECX_AVX512VBMI (1u << 1)
#define LEAF7_ECX_AVX512VNNI (1u << 11)
#define LEAF7_EDX_AVX512FP16 (1u << 23)
#define LEAF7_1_EAX_AVXVNNI (1u << 4)
#define LEAF7_1_EAX_AVX512BF16 (1u << 5)
#define XCR0_YMM (1u << 1 | 1u << 2)                       /* SSE and AVX state */
#define XCR0_ZMM (XCR0_YMM | 1u << 5 | 1u << 6 | 1u << 7) /* and opmask, upper halves, upper registers */

#define AVX2_SET (VRS_CPU_AVX2 | VRS_CPU_FMA | VRS_CPU_F16C) /* what the avx2 kernels are compiled for */
#define MASK_MAX 512                                          /* characters of VRSEG_CPU */

/* One row per feature: name in VRSEG_CPU and reports, what it builds on, flags of /proc/cpuinfo that must all be present. */
static const struct {
	unsigned bit;
	unsigned needs;
	const char *name;
	const char *flags[5];
} feature_table[] = {
	{VRS_CPU_SSE41, 0, "sse4.1", {"sse4_1"}},
	{VRS_CPU_AVX2, 0, "avx2", {"avx2"}},
	{VRS_CPU_FMA, 0, "fma", {"fma"}},
	{VRS_CPU_F16C, 0, "f16c", {"f16c"}},
	{VRS_CPU_AVX512, AVX2_SET, "avx512", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}},
	{VRS_CPU_AVX512VNNI, VRS_CPU_AVX512, "avx512vnni", {"avx512_vnni"}},
	{VRS_CPU_AVX512BF16, VRS_CPU_AVX512, "avx512bf16", {"avx512_bf16"}},
	{VRS_CPU_AVX512VBMI, VRS_CPU_AVX512, "avx512vbmi", {"avx512vbmi"}},
	{VRS_CPU_AVX512FP16, VRS_CPU_AVX512, "avx512fp16", {"avx512_fp16"}},
	{VRS_CPU_AVXVNNI, VRS_CPU_AVX2, "avxvnni", {"avx_vnni"}},
};

#define FEATURE_COUNT (sizeof feature_table / sizeof feature_table[0])

/* Drop features whose base is missing. One pass is enough: a row comes after the rows it needs. */
static unsigned drop_dependents(unsigned features)
{
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		if ((features & feature_table[i].needs) != feature_table[i].needs)
			features &= ~feature_table[i].bit;
	}
	return features;
}

unsigned vrs_cpu_features_decode(const struct vrs_cpuid *cpuid)
{
	unsigned features = 0;

	if (cpuid->leaf1_ecx & LEAF1_ECX_SSE41)
		features |= VRS_CPU_SSE41;
	if (!(cpuid->leaf1_ecx & LEAF1_ECX_OSXSAVE) || !(cpuid->leaf1_ecx & LEAF1_ECX_AVX) || (cpuid->xcr0 & XCR0_YMM) != XCR0_YMM)
		return features;
	if (cpuid->leaf7_ebx & LEAF7_EBX_AVX2)
		features |= VRS_CPU_AVX2;
	if (cpuid->leaf1_ecx & LEAF1_ECX_FMA)
		features |= VRS_CPU_FMA;
	if (cpuid->leaf1_ecx & LEAF1_ECX_F16C)
		features |= VRS_CPU_F16C;
	if (cpuid->leaf7_1_eax & LEAF7_1_EAX_AVXVNNI)
		features |= VRS_CPU_AVXVNNI;
	if ((cpuid->leaf7_ebx & LEAF7_EBX_AVX512) == LEAF7_EBX_AVX512 && (cpuid->xcr0 & XCR0_ZMM) == XCR0_ZMM) {
		features |= VRS_CPU_AVX512;
		if (cpuid->leaf7_ecx & LEAF7_ECX_AVX512VNNI)
			features |= VRS_CPU_AVX512VNNI;
		if (cpuid->leaf7_ecx & LEAF7_ECX_AVX512VBMI)
			features |= VRS_CPU_AVX512VBMI;
		if (cpuid->leaf7_edx & LEAF7_EDX_AVX512FP16)
			features |= VRS_CPU_AVX512FP16;
		if (cpuid->leaf7_1_eax & LEAF7_1_EAX_AVX512BF16)
			features |= VRS_CPU_AVX512BF16;
	}
	return drop_dependents(features);
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
		bool starts = p == text || p[-1] == ' ' || p[-1] == '\t';
		bool ends = p[len] == '\0' || p[len] == ' ' || p[len] == '\t' || p[len] == '\n';

		if (starts && ends)
			return true;
	}
	return false;
}

unsigned vrs_cpu_features_from_flags(const char *flags)
{
	unsigned features = 0;

	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		bool all = true;

		for (int k = 0; k < 5 && feature_table[i].flags[k]; k++)
			all = all && has_word(flags, feature_table[i].flags[k]);
		if (all)
			features |= feature_table[i].bit;
	}
	return drop_dependents(features);
}

/* Row of the name s[0..len); -1: unknown. */
static int find_feature(const char *s, size_t len)
{
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		if (strlen(feature_table[i].name) == len && strncmp(feature_table[i].name, s, len) == 0)
			return (int)i;
	}
	return -1;
}

/* Features that a level allows; false when s[0..len) is no level. */
static bool level_mask(const char *s, size_t len, unsigned *ret_allowed)
{
	const unsigned avx512_set = VRS_CPU_AVX512 | VRS_CPU_AVX512VNNI | VRS_CPU_AVX512BF16 | VRS_CPU_AVX512VBMI | VRS_CPU_AVX512FP16;

	if (len == 3 && strncmp(s, "ref", len) == 0)
		*ret_allowed = 0;
	else if (len == 4 && strncmp(s, "avx2", len) == 0)
		*ret_allowed = ~avx512_set;
	else if (len == 6 && strncmp(s, "avx512", len) == 0)
		*ret_allowed = ~0u;
	else
		return false;
	return true;
}

static enum vrs_status bad_item(struct vrs_error *err, const char *item, size_t len)
{
	char names[256];

	vrs_cpu_features_text(~0u, names, sizeof names);
	return vrs_fail(err, VRS_ECONFIG, "VRSEG_CPU: \"%.*s\" is not ref, avx2, avx512 or a feature with a leading minus (-avx512vnni); features: %s",
			(int)(len > 40 ? 40 : len), item, names);
}

enum vrs_status vrs_cpu_features_mask(unsigned features, const char *mask, unsigned *ret_features, struct vrs_error *err)
{
	bool first = true;

	if (strlen(mask) > MASK_MAX)
		return vrs_fail(err, VRS_ECONFIG, "VRSEG_CPU is longer than %d characters", MASK_MAX);
	for (const char *item = mask; *item; first = false) {
		size_t len = strcspn(item, ",");
		unsigned allowed = 0;
		int row;

		if (item[0] == '-' && (row = find_feature(item + 1, len - 1)) >= 0)
			features &= ~feature_table[row].bit;
		else if (first && level_mask(item, len, &allowed))
			features &= allowed;
		else
			return bad_item(err, item, len);
		item += len;
		if (*item == ',' && *++item == '\0')
			return bad_item(err, "", 0);
	}
	*ret_features = drop_dependents(features);
	return VRS_OK;
}

static uint32_t read_xcr0(void)
{
	uint32_t eax, edx;

	__asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	return eax;
}

static void read_cpuid(struct vrs_cpuid *ret)
{
	unsigned eax, ebx, ecx, edx, max_sub;

	memset(ret, 0, sizeof *ret);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return;
	ret->leaf1_ecx = ecx;
	if (ecx & LEAF1_ECX_OSXSAVE)
		ret->xcr0 = read_xcr0();
	if (!__get_cpuid_count(7, 0, &max_sub, &ebx, &ecx, &edx))
		return;
	ret->leaf7_ebx = ebx;
	ret->leaf7_ecx = ecx;
	ret->leaf7_edx = edx;
	if (max_sub >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx))
		ret->leaf7_1_eax = eax;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned detected_features;

static void detect(void)
{
	struct vrs_cpuid cpuid;
	const char *mask = getenv("VRSEG_CPU");

	read_cpuid(&cpuid);
	detected_features = vrs_cpu_features_decode(&cpuid);
	/* On failure the features stay as they are; vrs_cpu_features_check tells the user. */
	if (mask)
		(void)vrs_cpu_features_mask(detected_features, mask, &detected_features, NULL);
}

unsigned vrs_cpu_features(void)
{
	(void)pthread_once(&once, detect); /* cannot fail with a valid once object */
	return detected_features;
}

enum vrs_status vrs_cpu_features_check(struct vrs_error *err)
{
	const char *mask = getenv("VRSEG_CPU");
	unsigned unused;

	return mask ? vrs_cpu_features_mask(~0u, mask, &unused, err) : VRS_OK;
}

const char *vrs_cpu_isa(unsigned features)
{
	if ((features & AVX2_SET) != AVX2_SET)
		return "ref";
	return features & VRS_CPU_AVX512 ? "avx512" : "avx2";
}

void vrs_cpu_features_text(unsigned features, char *buf, size_t size)
{
	size_t used = 0;

	if (size == 0)
		return;
	buf[0] = '\0';
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		size_t need = strlen(feature_table[i].name) + (used > 0);

		if (!(features & feature_table[i].bit))
			continue;
		if (used + need >= size)
			return;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used > 0 ? " " : "", feature_table[i].name);
	}
}
