/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPU of the emulated tests: the real one plus AVX-512, VNNI and BF16.  Linked with --wrap=vrs_cpu_features, so that all code of the test
 * sees it; the avx512 kernels of these programs are the emulated ones and run on every AVX2 machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpu_features.h"

unsigned __wrap_vrs_cpu_features(void); /* the names that ld gives */
unsigned __real_vrs_cpu_features(void);

unsigned __wrap_vrs_cpu_features(void)
{
	const char *mask = getenv("VRSEG_CPU");
	unsigned features = __real_vrs_cpu_features() | VRS_CPU_AVX512 | VRS_CPU_AVX512VNNI | VRS_CPU_AVX512BF16, masked;

	/* As the real one does it: the mask counts, and avx512 needs avx2, fma and f16c. */
	if (vrs_cpu_features_mask(features, mask ? mask : "avx512", &masked, NULL) != VRS_OK)
		abort();
	return masked;
}

/* Before main: a machine that cannot run even the emulation skips the test; nothing else may lower the level unseen. */
static __attribute__((constructor)) void check_level(void)
{
	if (getenv("VRSEG_CPU"))
		return;
	if (strcmp(vrs_cpu_isa(__real_vrs_cpu_features()), "ref") == 0) {
		puts("this CPU has no AVX2, on which AVX-512 is emulated");
		exit(77);
	}
	if (strcmp(vrs_cpu_isa(__wrap_vrs_cpu_features()), "avx512") != 0)
		abort();
}
