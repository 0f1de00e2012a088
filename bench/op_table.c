/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/op_table.h"

#include <stdlib.h>

#include "base/mem.h"

static int slower_first(const void *a, const void *b)
{
	const struct vrs_op_profile *const *x = a, *const *y = b;
	if ((*x)->total_ns != (*y)->total_ns)
		return (*x)->total_ns < (*y)->total_ns ? 1 : -1;
	return (*x > *y) - (*x < *y); /* both point into one array: keeps the order of execution */
}

enum vrs_status vrs_op_table_print(const struct vrs_op_profile *rows, int count, FILE *out)
{
	const struct vrs_op_profile **order = vrs_realloc_array(NULL, (size_t)count + 1, sizeof *order);
	if (!order)
		return VRS_ENOMEM;
	double total_ms = 0;
	for (int i = 0; i < count; i++) {
		order[i] = &rows[i];
		total_ms += rows[i].runs ? 1e-6 * (double)rows[i].total_ns / (double)rows[i].runs : 0;
	}
	qsort(order, (size_t)count, sizeof *order, slower_first);
	fprintf(out, "%9s %6s %9s %10s  %-34s %s\n", "ms/run", "share", "GMAC/s", "KiB/run", "kernel", "operator");
	for (int i = 0; i < count; i++) {
		const struct vrs_op_profile *op = order[i];
		double ms = op->runs ? 1e-6 * (double)op->total_ns / (double)op->runs : 0;
		fprintf(out, "%9.4f %5.1f%% %9.1f %10.0f  %-34s %s\n", ms, total_ms > 0 ? 100 * ms / total_ms : 0,
			ms > 0 ? 1e-6 * (double)op->macs / ms : 0, (double)op->bytes / 1024, op->kernel, op->name);
	}
	fprintf(out, "%9.4f %5.1f%%  all %d steps; profiling itself costs time, so compare shares, not sums\n", total_ms, count ? 100.0 : 0.0, count);
	vrs_free(order);
	return ferror(out) ? VRS_EIO : VRS_OK;
}
