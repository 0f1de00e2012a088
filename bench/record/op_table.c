/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as a text table. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bench/record/net_profile.h"

static int slower_first(const void *a, const void *b)
{
	const struct vrs_op_row *const *x = a, *const *y = b;
	if ((*x)->ms > (*y)->ms || (*x)->ms < (*y)->ms)
		return (*x)->ms < (*y)->ms ? 1 : -1;
	return (*x > *y) - (*x < *y); /* both point into one array: keeps the order of execution */
}

/* Rates and shares; a dash where there is none. */
static void print_rates(double gflops, double peak_share, double gbps, double memory_share, FILE *out)
{
	if (isnan(gflops))
		fprintf(out, " %9s %7s", "-", "-");
	else
		fprintf(out, " %9.1f %6.1f%%", gflops, 100 * peak_share);
	if (isnan(gbps))
		fprintf(out, " %8s %7s", "-", "-");
	else
		fprintf(out, " %8.2f %6.1f%%", gbps, 100 * memory_share);
}

static void print_head(const struct vrs_net_profile *p, FILE *out)
{
	fprintf(out, "%s %dx%d, batch %d, %s, %s %s, %d thread%s, %lld profiled runs\n", p->model, p->width, p->height, p->batch, p->precision, p->backend,
		p->isa, p->threads, p->threads == 1 ? "" : "s", (long long)p->runs);
	fprintf(out, "peak: %.1f GFLOP/s a thread, %.1f together (all threads at once make %.1f); memory %.2f GB/s%s%s\n",
		p->fma_gflops_1, p->peak_gflops, p->fma_gflops_all, p->triad_gbps, p->peak_note[0] ? "; " : "", p->peak_note);
	fprintf(out, "%9s %6s %9s %7s %8s %7s %9s  %-34s %s\n", "ms/run", "share", "GFLOP/s", "of peak", "GB/s", "of mem", "KiB/run", "kernel", "operator");
}

enum vrs_status vrs_net_profile_print(const struct vrs_net_profile *profile, int most_rows, FILE *out)
{
	int shown = most_rows > 0 && most_rows < profile->op_count ? most_rows : profile->op_count;
	const struct vrs_op_row **order = vrs_realloc_array(NULL, (size_t)profile->op_count + 1, sizeof *order);
	if (!order)
		return VRS_ENOMEM;
	for (int i = 0; i < profile->op_count; i++)
		order[i] = &profile->ops[i];
	qsort(order, (size_t)profile->op_count, sizeof *order, slower_first);
	print_head(profile, out);
	for (int i = 0; i < shown; i++) {
		const struct vrs_op_row *op = order[i];
		fprintf(out, "%9.4f %5.1f%%", op->ms, 100 * op->share);
		print_rates(op->gflops, op->peak_share, op->gbps, op->memory_share, out);
		fprintf(out, " %9.0f  %-34s %s\n", (double)op->bytes / 1024, op->kernel, op->name);
	}
	fprintf(out, "%9.4f %5.1f%%", profile->ms, profile->op_count ? 100.0 : 0.0);
	print_rates(profile->gflops, profile->peak_share, profile->gbps, profile->memory_share, out);
	fprintf(out, " %9.0f  all %d steps%s; profiling itself costs time, so compare shares, not sums\n", (double)profile->bytes / 1024,
		profile->op_count, shown < profile->op_count ? ", the slowest above" : "");
	vrs_free(order);
	return ferror(out) ? VRS_EIO : VRS_OK;
}
