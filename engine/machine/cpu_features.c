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
#include <unistd.h>

#include "base/hash.h"

#define LEAF1_ECX_XSAVE (1u << 27 | 1u << 28) /* the system saves registers by XSAVE, and the CPU has AVX */
#define XCR0_YMM (1u << 1 | 1u << 2)          /* SSE and AVX state */
#define XCR0_ZMM (XCR0_YMM | 1u << 5 | 1u << 6 | 1u << 7) /* and opmask, upper halves, upper registers */

#define AVX2_SET (VRS_CPU_AVX2 | VRS_CPU_FMA | VRS_CPU_F16C) /* what the avx2 kernels are compiled for */
#define AVX512_CPUID (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) /* F, DQ, CD, BW, VL */
#define MASK_MAX 512                                          /* characters of VRSEG_CPU */
#define WORD(name) offsetof(struct vrs_cpuid, name)

/*
 * One row per feature: name in VRSEG_CPU and reports, what it builds on, its bits in a word of CPUID, the register state that the system must save,
 * flags of /proc/cpuinfo that must all be present.
 */
static const struct {
	unsigned bit;
	unsigned needs;
	const char *name;
	size_t word;
	uint32_t bits, state;
	const char *flags[5];
} feature_table[] = {
	{VRS_CPU_SSE41, 0, "sse4.1", WORD(leaf1_ecx), 1u << 19, 0, {"sse4_1"}},
	{VRS_CPU_AVX2, 0, "avx2", WORD(leaf7_ebx), 1u << 5, XCR0_YMM, {"avx2"}},
	{VRS_CPU_FMA, 0, "fma", WORD(leaf1_ecx), 1u << 12, XCR0_YMM, {"fma"}},
	{VRS_CPU_F16C, 0, "f16c", WORD(leaf1_ecx), 1u << 29, XCR0_YMM, {"f16c"}},
	{VRS_CPU_AVX512, AVX2_SET, "avx512", WORD(leaf7_ebx), AVX512_CPUID, XCR0_ZMM, {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}},
	{VRS_CPU_AVX512VNNI, VRS_CPU_AVX512, "avx512vnni", WORD(leaf7_ecx), 1u << 11, XCR0_ZMM, {"avx512_vnni"}},
	{VRS_CPU_AVX512BF16, VRS_CPU_AVX512, "avx512bf16", WORD(leaf7_1_eax), 1u << 5, XCR0_ZMM, {"avx512_bf16"}},
	{VRS_CPU_AVX512VBMI, VRS_CPU_AVX512, "avx512vbmi", WORD(leaf7_ecx), 1u << 1, XCR0_ZMM, {"avx512vbmi"}},
	{VRS_CPU_AVX512FP16, VRS_CPU_AVX512, "avx512fp16", WORD(leaf7_edx), 1u << 23, XCR0_ZMM, {"avx512_fp16"}},
	{VRS_CPU_AVXVNNI, VRS_CPU_AVX2, "avxvnni", WORD(leaf7_1_eax), 1u << 4, XCR0_YMM, {"avx_vnni"}},
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
	uint32_t state = (cpuid->leaf1_ecx & LEAF1_ECX_XSAVE) == LEAF1_ECX_XSAVE ? cpuid->xcr0 : 0, word;
	unsigned features = 0;

	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		memcpy(&word, (const char *)cpuid + feature_table[i].word, sizeof word);
		if ((word & feature_table[i].bits) == feature_table[i].bits && (state & feature_table[i].state) == feature_table[i].state)
			features |= feature_table[i].bit;
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
	if (ecx & 1u << 27) /* OSXSAVE */
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

#define BRAND_LEAVES 3 /* of 16 characters, from leaf 0x80000002 on */

uint64_t vrs_cpu_key(void)
{
	static const int sizes[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
	unsigned words[4 * BRAND_LEAVES + 4];
	uint64_t hash = VRS_HASH_INIT;

	memset(words, 0, sizeof words);
	for (unsigned i = 0; i < BRAND_LEAVES; i++)
		(void)__get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]); /* absent: zeros */
	/* Leaf 1: family, model and stepping; its other words name the core that is asked. */
	if (__get_cpuid(1, &words[12], &words[13], &words[14], &words[15]))
		words[13] = words[14] = words[15] = 0;
	hash = vrs_hash(hash, words, sizeof words);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		long bytes = sysconf(sizes[i]);

		hash = vrs_hash(hash, &bytes, sizeof bytes);
	}
	return hash ? hash : 1;
}
