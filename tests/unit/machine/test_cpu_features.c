/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the choice of kernels: a feature must not be used when the system does not save its registers, when its base is missing or when
 * VRSEG_CPU masks it; and a misspelt mask must be an error, not a silent full-speed run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/cpu_features.h"

/* Words of a Zen 3 (no AVX-512) and of a Sapphire Rapids server. */
static const struct vrs_cpuid zen3 = {.leaf1_ecx = 0xfef83203, .leaf7_ebx = 0x219c97a9, .leaf7_ecx = 0x0040069c, .xcr0 = 0x207};
static const struct vrs_cpuid spr = {.leaf1_ecx = 0xfffa3203, .leaf7_ebx = 0xf1bf07ab, .leaf7_ecx = 0x00405fce, .leaf7_edx = 0xa0c94410 | 1u << 23,
				      .leaf7_1_eax = 0x00000030, .xcr0 = 0x602e7};
#define AVX2_SET (VRS_CPU_SSE41 | VRS_CPU_AVX2 | VRS_CPU_FMA | VRS_CPU_F16C)
#define ALL ((1u << 10) - 1)

static void decode_known(void **state)
{
	(void)state;
	assert_int_equal(vrs_cpu_features_decode(&zen3), AVX2_SET);
	assert_string_equal(vrs_cpu_isa(vrs_cpu_features_decode(&zen3)), "avx2");
	assert_int_equal(vrs_cpu_features_decode(&spr), ALL);
	assert_string_equal(vrs_cpu_isa(ALL), "avx512");
}

static void decode_without_os(void **state)
{
	struct vrs_cpuid cpuid = spr;

	(void)state;
	cpuid.xcr0 = 0x7; /* a system that saves ymm but not zmm */
	assert_int_equal(vrs_cpu_features_decode(&cpuid), AVX2_SET | VRS_CPU_AVXVNNI);
	cpuid.xcr0 = 0x3; /* SSE only */
	assert_int_equal(vrs_cpu_features_decode(&cpuid), VRS_CPU_SSE41);
	cpuid = spr;
	cpuid.leaf1_ecx &= ~(1u << 27); /* OSXSAVE off: xcr0 means nothing */
	assert_int_equal(vrs_cpu_features_decode(&cpuid), VRS_CPU_SSE41);
	memset(&cpuid, 0, sizeof cpuid);
	assert_int_equal(vrs_cpu_features_decode(&cpuid), 0);
}

static void decode_partial_avx512(void **state)
{
	struct vrs_cpuid cpuid = spr;

	(void)state;
	cpuid.leaf7_ebx &= ~(1u << 31); /* no VL (Knights Landing): our kernels need it */
	assert_int_equal(vrs_cpu_features_decode(&cpuid), AVX2_SET | VRS_CPU_AVXVNNI);
}

static void flags_line(void **state)
{
	(void)state;
	assert_int_equal(vrs_cpu_features_from_flags("fpu sse4_1 fma avx f16c avx2 bmi2"), AVX2_SET);
	assert_int_equal(vrs_cpu_features_from_flags("fpu xavx2 avx2x fma4 f16c_"), 0); /* only whole words */
	assert_int_equal(vrs_cpu_features_from_flags("avx512f avx512bw avx512dq avx512vl avx512cd"), 0); /* base missing */
	assert_int_equal(vrs_cpu_features_from_flags(""), 0);
}

static unsigned masked(const char *mask)
{
	unsigned features = 0;

	assert_int_equal(vrs_cpu_features_mask(ALL, mask, &features, NULL), VRS_OK);
	return features;
}

static void masks(void **state)
{
	(void)state;
	assert_int_equal(masked("avx512"), ALL);
	assert_int_equal(masked(""), ALL);
	assert_int_equal(masked("ref"), 0);
	assert_int_equal(masked("avx2"), AVX2_SET | VRS_CPU_AVXVNNI);
	assert_int_equal(masked("-avx512vnni,-avx512bf16"), ALL & ~(unsigned)(VRS_CPU_AVX512VNNI | VRS_CPU_AVX512BF16));
	assert_int_equal(masked("avx2,-avxvnni"), AVX2_SET);
	assert_string_equal(vrs_cpu_isa(masked("-fma")), "ref"); /* takes avx512 and the avx2 kernels along */
	assert_int_equal(masked("-fma") & VRS_CPU_AVX512, 0);
	assert_int_equal(masked("-avx512") & (VRS_CPU_AVX512VNNI | VRS_CPU_AVX512FP16), 0);
}

static void bad_masks(void **state)
{
	static const char *const bad[] = {"AVX2", "avx", "vnni", "-avx3", "-", ",", "avx2,", ",avx2", "-fma,avx2", "avx2 ", "-fma, -f16c", "ref,ref"};
	char longer[1000];

	(void)state;
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct vrs_error err = {0};
		unsigned features = 77;

		assert_int_equal(vrs_cpu_features_mask(ALL, bad[i], &features, &err), VRS_ECONFIG);
		assert_int_equal(features, 77);
		assert_non_null(strstr(err.text, "VRSEG_CPU"));
	}
	assert_int_equal(vrs_cpu_features_mask(ALL, longer, &(unsigned){0}, NULL), VRS_ECONFIG);
}

static void environment(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(setenv("VRSEG_CPU", "turbo", 1), 0);
	assert_int_equal(vrs_cpu_features_check(&err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "turbo"));
	assert_int_equal(setenv("VRSEG_CPU", "-f16c", 1), 0);
	assert_int_equal(vrs_cpu_features_check(NULL), VRS_OK);
	/* First use in this process: the mask holds on the running CPU, whatever it is. */
	assert_int_equal(vrs_cpu_features() & (VRS_CPU_F16C | VRS_CPU_AVX512), 0);
	assert_string_equal(vrs_cpu_isa(vrs_cpu_features()), "ref");
	assert_int_equal(unsetenv("VRSEG_CPU"), 0);
	assert_int_equal(vrs_cpu_features_check(NULL), VRS_OK);
}

static void names(void **state)
{
	char buf[256], small[12], one[1];

	(void)state;
	vrs_cpu_features_text(AVX2_SET, buf, sizeof buf);
	assert_string_equal(buf, "sse4.1 avx2 fma f16c");
	vrs_cpu_features_text(0, buf, sizeof buf);
	assert_string_equal(buf, "");
	vrs_cpu_features_text(AVX2_SET, small, sizeof small);
	assert_string_equal(small, "sse4.1 avx2"); /* fits exactly */
	vrs_cpu_features_text(AVX2_SET, small, sizeof small - 1);
	assert_string_equal(small, "sse4.1"); /* cut at a whole name */
	vrs_cpu_features_text(AVX2_SET, one, sizeof one);
	assert_string_equal(one, "");
}

/* The same for every core, and no constant for want of CPUID. */
static void key(void **state)
{
	uint64_t first = vrs_cpu_key();

	(void)state;
	assert_true(first != 0);
	for (int i = 0; i < 100; i++)
		assert_true(vrs_cpu_key() == first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode_known), cmocka_unit_test(decode_without_os), cmocka_unit_test(decode_partial_avx512),
		cmocka_unit_test(flags_line),   cmocka_unit_test(masks),             cmocka_unit_test(bad_masks),
		cmocka_unit_test(environment),  cmocka_unit_test(names),            cmocka_unit_test(key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
