/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints which instruction sets of the kernels the tests of this build cover on this machine: run by the CPU, emulated over AVX2
 * (tests/emulated), or not at all.
 */
#include <stdbool.h>
#include <stdio.h>

#include "machine/cpu_features.h"

#define AVX2_SET (VRS_CPU_AVX2 | VRS_CPU_FMA | VRS_CPU_F16C)

static const struct {
	const char *name; /* as in the names of kernel files */
	unsigned needs;   /* features of a CPU that runs them */
	bool emulated;    /* tests/emulated holds them */
} isas[] = {
	{"ref", 0, false},
	{"avx2", AVX2_SET, false},
	{"avx512", VRS_CPU_AVX512, true},
	{"avx512vnni", VRS_CPU_AVX512VNNI, true},
	{"avx512bf16", VRS_CPU_AVX512BF16, true},
};

enum coverage { ON_CPU, EMULATED, NOT_COVERED, COVERAGES };

static enum coverage coverage_of(size_t isa, unsigned features)
{
	if ((features & isas[isa].needs) == isas[isa].needs)
		return ON_CPU;
	return VRS_EMULATED_TESTS && isas[isa].emulated && (features & AVX2_SET) == AVX2_SET ? EMULATED : NOT_COVERED;
}

int main(void)
{
	static const char *const titles[COVERAGES] = {"run on this CPU", "emulated", "not covered"};
	unsigned features = vrs_cpu_features();

	printf("instruction sets tested:");
	for (int kind = 0; kind < COVERAGES; kind++) {
		int n = 0;
		printf("%s %s:", kind ? ";" : "", titles[kind]);
		for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
			if (coverage_of(i, features) == (enum coverage)kind)
				printf("%s %s", n++ ? "," : "", isas[i].name);
		if (n == 0)
			printf(" none");
	}
	putchar('\n');
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
