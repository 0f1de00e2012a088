/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as text tables for the terminal: rates, percentiles where the sample supports them, memory, stage shares, failures. */
#ifndef VRS_BENCH_RESULT_TABLE_H
#define VRS_BENCH_RESULT_TABLE_H

#include <stdio.h>

#include "bench/record/result.h"

/* Print everything but soaks. VRS_EIO. */
enum vrs_status vrs_result_print(const struct vrs_result *result, FILE *out);
/* Trends and verdicts of soaks, whose windows lie in folder; false: there is none. */
bool vrs_result_print_soak(const struct vrs_result *result, const char *folder, FILE *out);

#endif
