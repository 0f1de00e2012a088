/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as text tables for the terminal: rates, percentiles where the sample supports them, memory, stage shares, failures. */
#ifndef VRS_BENCH_RESULT_TABLE_H
#define VRS_BENCH_RESULT_TABLE_H

#include <stdio.h>

#include "bench/result.h"

/* Print everything. VRS_EIO. */
enum vrs_status vrs_result_print(const struct vrs_result *result, FILE *out);

#endif
