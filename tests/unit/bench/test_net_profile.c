/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the sums of a device's profile: kernels, gaps, transfers both ways and operators of the host are told apart by their rows; shares are of the
 * kernels alone and of the device's ceilings, and absent without them; a profile of the host has none of it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/record/net_profile.h"

struct row {
	const char *name, *kernel;
	double ms;
	int64_t macs, bytes, items;
};

static void fill(struct vrs_net_profile *p, const struct row *rows, int count)
{
	vrs_net_profile_init(p);
	p->ops = vrs_calloc((size_t)count, sizeof *p->ops);
	assert_non_null(p->ops);
	for (p->op_count = 0; p->op_count < count; p->op_count++) {
		struct vrs_op_row *op = &p->ops[p->op_count];
		const struct row *row = &rows[p->op_count];
		(void)vrs_strcpy(op->name, sizeof op->name, row->name);
		(void)vrs_strcpy(op->kernel, sizeof op->kernel, row->kernel);
		op->ms = row->ms;
		op->macs = row->macs;
		op->bytes = row->bytes;
		op->items = row->items;
	}
}

static const struct row rows[] = {
	{"conv", "conv_a", 2, 1000000000, 40000000, 4096}, {"add", "add_a", 1, 0, 20000000, 100}, {"resize", "host", 0, 0, 1000, -1},
	{"conv", "conv_b", 1, 500000000, 20000000, 99},   {"upload x", "transfer", 0.5, 0, 3000, -1},
	{"download upload", "transfer", 0.25, 0, 3000, -1}, {"download y", "transfer", 0.25, 0, 3000, -1}, {"gaps between kernels", "gap", 1.5, 0, 0, -1},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void of_a_device(void **state)
{
	struct vrs_net_profile p;
	(void)state;
	fill(&p, rows, ROWS);
	vrs_net_profile_device(&p, "Test GPU", &(struct vrs_device_ceilings){.fma_gflops = 1500, .copy_gbps = 100, .upload_gbps = 12, .launch_us = 5,
									     .full_items = 1000});
	vrs_net_profile_sum_device(&p);
	assert_string_equal(p.device, "Test GPU");
	assert_int_equal(p.kernels, 3);
	assert_int_equal(p.host_ops, 1);
	assert_true(fabs(p.kernel_ms - 4) < 1e-9 && fabs(p.gap_ms - 1.5) < 1e-9);
	assert_true(fabs(p.upload_ms - 0.5) < 1e-9 && fabs(p.download_ms - 0.5) < 1e-9);
	assert_true(fabs(p.kernel_peak_share - 750.0 / 1500) < 1e-9);   /* 3 GFLOP in 4 ms */
	assert_true(fabs(p.kernel_memory_share - 20.0 / 100) < 1e-9);   /* 80 MB in 4 ms */
	assert_true(fabs(p.small_share - 0.5) < 1e-9);                  /* 2 of 4 ms */
	assert_true(fabs(p.peak_gflops - 1500) < 1e-9 && fabs(p.triad_gbps - 100) < 1e-9 && isnan(p.fma_gflops_1));
	assert_true(isnan(p.download_gbps)); /* the device gave no time */
	vrs_net_profile_fini(&p);
}

static void without_ceilings(void **state)
{
	struct vrs_net_profile p;
	(void)state;
	fill(&p, rows, ROWS);
	vrs_net_profile_device(&p, "Test GPU", &(struct vrs_device_ceilings){.fma_gflops = 0});
	vrs_net_profile_sum_device(&p);
	assert_true(fabs(p.kernel_ms - 4) < 1e-9);
	assert_true(isnan(p.kernel_peak_share) && isnan(p.kernel_memory_share) && isnan(p.small_share) && isnan(p.peak_gflops));
	assert_int_equal(p.full_items, -1);
	vrs_net_profile_fini(&p);
}

static void of_the_host(void **state)
{
	struct vrs_net_profile p;
	const struct vrs_peaks peaks = {.best = {.threads = 2, .fma_gflops_1 = 50, .fma_gflops_all = 90, .triad_gbps = 8}, .note = "slow today"};
	(void)state;
	fill(&p, rows, ROWS);
	vrs_net_profile_host(&p, &peaks);
	vrs_net_profile_sum_device(&p);
	assert_true(fabs(p.peak_gflops - 100) < 1e-9 && fabs(p.triad_gbps - 8) < 1e-9);
	assert_string_equal(p.peak_note, "slow today");
	assert_true(isnan(p.kernel_ms) && isnan(p.upload_gbps));
	assert_int_equal(p.kernels, -1);
	vrs_net_profile_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_device), cmocka_unit_test(without_ceilings), cmocka_unit_test(of_the_host)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
