/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables that tests of picture kernels compare: the reference, and one for every instruction set of this machine. */
#ifndef VRS_TESTS_KERNELS_PICTURE_TABLES_H
#define VRS_TESTS_KERNELS_PICTURE_TABLES_H

#include <string.h>

#include "kernels/picture.h"
#include "machine/cpu_features.h"

static struct vrs_picture_kernels reference, candidates[2];
static int candidate_count;

/* For cmocka_run_group_tests. */
static int picture_tables_setup(void **state)
{
	(void)state;
	unsigned features = vrs_cpu_features();
	vrs_picture_kernels_init(&reference, 0);
	if (strcmp(vrs_cpu_isa(features), "ref") != 0)
		vrs_picture_kernels_init(&candidates[candidate_count++], features & ~(unsigned)VRS_CPU_AVX512);
	if (strcmp(vrs_cpu_isa(features), "avx512") == 0)
		vrs_picture_kernels_init(&candidates[candidate_count++], features);
	return 0;
}

#endif
