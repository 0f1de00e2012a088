/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the tables of operators: each in falling order of its own value with equal ones in order of execution, ten at most beside the whole list,
 * long names by their ends, networks side by side only where there are several, ceilings of the device that ran them, and what a profile of the job
 * cost or why there is none.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/operator_tables.h"
#include "analyzer/summary_parts.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "unit/analyzer/found.h"

enum { OPS = 12 };

/* Times rise with i but for the first two, which are the same; memory falls; even operators multiply, 100 times for each byte or more. */
static void fill(struct vrs_net_profile *p)
{
	p->ops = vrs_calloc(OPS, sizeof *p->ops);
	assert_non_null(p->ops);
	p->op_count = OPS;
	(void)vrs_strcpy(p->model, sizeof p->model, "net");
	(void)vrs_strcpy(p->backend, sizeof p->backend, "cpu");
	(void)vrs_strcpy(p->isa, sizeof p->isa, "avx2");
	p->precision = VRS_PRECISION_FP32;
	p->threads = 2;
	p->batch = 1;
	p->width = p->height = 256;
	p->runs = 40;
	p->ms = 12.5;
	for (int i = 0; i < OPS; i++) {
		struct vrs_op_row *op = &p->ops[i];
		snprintf(op->name, sizeof op->name, i == 5 ? "a/very/long/name/of/an/operator/conv_%d" : "op_%d", i);
		snprintf(op->kernel, sizeof op->kernel, "kernel_%d", i);
		op->ms = i < 2 ? 1.0 : i;
		op->share = op->ms / 67;
		op->bytes = (OPS - i) * 1024;
		op->weight_bytes = op->bytes / 4;
		op->macs = i % 2 ? 0 : op->bytes * (50 + i);
		op->gflops = i % 2 ? NAN : 10.0 + i;
		op->peak_share = i % 2 ? NAN : 0.5;
		op->gbps = 2;
		op->memory_share = 0.25;
	}
}

static struct vrs_result *profiled(void)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	struct vrs_net_profile *p = vrs_result_add_profile(result);
	assert_non_null(p);
	fill(p);
	return result;
}

static struct vrs_findings *find(struct vrs_result *result)
{
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_operator_tables(result, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	return f;
}

static void by_time(void **state)
{
	(void)state;
	struct vrs_result *result = profiled();
	struct vrs_findings *f = find(result);
	assert_int_equal(f->table_count, 1); /* the job was not profiled, and there is one network */
	assert_int_equal(f->note_count, 0);
	const struct vrs_table *t = found_table(f, "operators");
	assert_int_equal(t->rows, OPS + 1);
	assert_string_equal(found_cell(t, 0, "operator"), "op_11");
	assert_string_equal(found_cell(t, 0, "GFLOP/s"), ""); /* nothing is multiplied */
	assert_string_equal(found_cell(t, 1, "GFLOP/s"), "20.0");
	assert_string_equal(found_cell(t, 1, "of peak (%)"), "50.0");
	assert_string_equal(found_cell(t, 6, "operator"), "../of/an/operator/conv_5"); /* 24 characters: the end tells them apart */
	assert_string_equal(found_cell(t, 10, "operator"), "op_0");
	assert_string_equal(found_cell(t, 11, "operator"), "op_1");
	assert_string_equal(found_cell(t, 12, "operator"), "all 12");
	assert_string_equal(found_cell(t, 12, "ms/run"), "12.5000");
	assert_non_null(strstr(t->caption, "net 256x256, batch 1, fp32, cpu avx2, 2 threads, 40 runs."));
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

static void by_other_values(void **state)
{
	(void)state;
	struct vrs_result *result = profiled();
	struct vrs_profile_run *run = &result->profile_run;
	(void)vrs_strcpy(run->case_id, sizeof run->case_id, "a case");
	(void)vrs_strcpy(run->trace_file, sizeof run->trace_file, "profile/trace.json");
	run->pairs = 3;
	run->overhead_percent = 1;
	run->overhead_low = -1;
	run->overhead_high = 2;
	struct vrs_findings *f = find(result);
	const struct vrs_table *t = found_table(f, "operators-memory");
	assert_int_equal(t->rows, 10);
	assert_string_equal(found_cell(t, 0, "operator"), "op_0");
	assert_string_equal(found_cell(t, 0, "KiB/run"), "12.0");
	assert_string_equal(found_cell(t, 9, "KiB/run"), "3.000");
	assert_string_equal(found_cell(t, 0, "weights (KiB)"), "3.0");
	assert_string_equal(found_cell(t, 0, "activations (KiB)"), "9.0");
	assert_non_null(strstr(t->caption, "The first 10 of 12 operators."));
	t = found_table(f, "operators-peak");
	assert_int_equal(t->rows, OPS / 2);
	assert_string_equal(found_cell(t, 0, "operator"), "op_10"); /* 10 ms at half the peak */
	assert_string_equal(found_cell(t, 0, "lost (ms/run)"), "5.000");
	t = found_table(f, "operators-memory");
	t = found_table(f, "operators-intensity");
	assert_int_equal(t->rows, OPS / 2); /* those that multiply */
	assert_string_equal(found_cell(t, 0, "operator"), "op_10");
	assert_string_equal(found_cell(t, 0, "FLOP/byte"), "120.0");
	assert_int_equal(f->note_count, 1);
	assert_non_null(strstr(f->notes[0].text, "The profile of a case is profile/trace.json"));
	assert_non_null(strstr(f->notes[0].evidence, "over 3 pairs, not told from 0)"));
	vrs_findings_destroy(f);
	run->overhead_low = 0.5;
	f = find(result);
	assert_null(strstr(f->notes[0].evidence, "not told from 0"));
	vrs_findings_destroy(f);
	run->pairs = 0;
	(void)vrs_strcpy(run->reason, sizeof run->reason, "the disk was full");
	f = find(result);
	assert_string_equal(f->notes[0].text, "There is no profile of a case: the disk was full.");
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

static void several_networks(void **state)
{
	(void)state;
	struct vrs_result *result = profiled();
	struct vrs_net_profile *p = vrs_result_add_profile(result);
	assert_non_null(p);
	(void)vrs_strcpy(p->model, sizeof p->model, "other");
	p->ms = 3;
	struct vrs_findings *f = find(result);
	const struct vrs_table *t = found_table(f, "networks");
	assert_int_equal(t->rows, 2);
	assert_string_equal(found_cell(t, 0, "ms/run"), "12.500");
	assert_string_equal(found_cell(t, 1, "ms/run"), "3.000");
	assert_non_null(strstr(found_cell(t, 1, "network"), "other "));
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

/* Shares of a device are of the device: the caption and the roof name it, and no thread of the CPU. */
static void on_a_device(void **state)
{
	(void)state;
	struct vrs_result *result = profiled();
	struct vrs_net_profile *p = &result->profiles[0];
	(void)vrs_strcpy(p->backend, sizeof p->backend, "opencl");
	vrs_net_profile_device(p, "Test GPU", &(struct vrs_device_ceilings){.fma_gflops = 9000, .copy_gbps = 400, .upload_gbps = 12, .download_gbps = 13,
									    .launch_us = 5});
	struct vrs_findings *f = find(result);
	const char *caption = found_table(f, "operators")->caption;
	assert_non_null(strstr(caption, "net 256x256, batch 1, fp32, opencl on Test GPU, 40 runs. Peak of the device: 9000.0 GFLOP/s, memory "
					"400.00 GB/s, up 12.00, down 13.00 GB/s, 5.0 us from kernel to kernel."));
	assert_null(strstr(caption, "thread"));
	vrs_roofline_graph(result, f);
	assert_int_equal(f->graph_count, 1);
	assert_string_equal(f->graphs[0].title, "Operators and the roof of Test GPU");
	assert_non_null(strstr(f->graphs[0].caption, "net, Test GPU: 9000 GFLOP/s, 400.0 GB/s measured."));
	assert_float_equal(f->graphs[0].series[0].y[59], 9000, 1e-9); /* the roof is flat at the peak */
	vrs_findings_destroy(f);
	p->peak_gflops = NAN;
	f = find(result);
	assert_non_null(strstr(found_table(f, "operators")->caption, "The device gave no times for its ceilings."));
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

/* A file may say anything: ceilings that leave no range to draw give no graph, instead of one with infinite points. */
static void ceilings_without_a_roof(void **state)
{
	static const double ceilings[][2] = {{95, 1e-320}, {1e300, 1e-300}, {1e-320, 1e300}, {-95, -10}, {95, 0}, {0, 10}, {NAN, 10}, {95, NAN}};
	(void)state;
	struct vrs_result *result = profiled();
	for (size_t i = 0; i < sizeof ceilings / sizeof ceilings[0]; i++) {
		struct vrs_findings *f = vrs_findings_create();
		assert_non_null(f);
		result->profiles[0].peak_gflops = ceilings[i][0];
		result->profiles[0].triad_gbps = ceilings[i][1];
		vrs_roofline_graph(result, f);
		assert_int_equal(f->graph_count, 0);
		vrs_findings_destroy(f);
	}
	vrs_result_destroy(result);
}

static void without_memory(void **state)
{
	(void)state;
	struct vrs_result *result = profiled();
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_mem_fail_after(1, true);
	vrs_operator_tables(result, f);
	enum vrs_status status = vrs_findings_finish(f);
	vrs_mem_fail_after(0, false);
	assert_int_equal(status, VRS_ENOMEM);
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time),
		cmocka_unit_test(by_other_values),
		cmocka_unit_test(several_networks),
		cmocka_unit_test(on_a_device),
		cmocka_unit_test(ceilings_without_a_roof),
		cmocka_unit_test(without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
