/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Per-operator times of a profiled session as a text table, the slowest first. */
#ifndef VRS_BENCH_OP_TABLE_H
#define VRS_BENCH_OP_TABLE_H

#include <stdio.h>

#include <vrseg/session.h>

/* VRS_ENOMEM, VRS_EIO. Columns: ms per run, share, GMAC/s, bytes per run, kernel, operator. */
enum vrs_status vrs_op_table_print(const struct vrs_op_profile *rows, int count, FILE *out);

#endif
