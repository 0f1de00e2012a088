/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs in the form for devices that no machine of the tests has: whether a compiler takes them, which is clang with every extension. */
#ifndef TESTS_FORM_CHECK_H
#define TESTS_FORM_CHECK_H

#include "base/proc.h"
#include "op_check.h"
#include "opencl/ocl_planner.h"

/* The text of a graph's program, which the caller frees; a plan that fails fails the test. */
static inline char *form_text(const struct vrs_graph *graph, const struct vrs_ocl_caps *caps, const struct vrs_session_options *options)
{
	struct vrs_ocl_plan plan;
	struct vrs_error err = {0};
	if (vrs_ocl_plan_begin(&plan, graph, caps, options, &err) != VRS_OK || vrs_ocl_plan_complete(&plan, &err) != VRS_OK)
		fail_msg("%s", err.text);
	char *text = strdup(vrs_buf_str(&plan.source.text)); /* libc: test scratch */
	assert_non_null(text);
	vrs_ocl_plan_fini(&plan);
	return text;
}

/* standard: "-cl-std=CL1.2". Without a clang that knows SPIR nothing is checked. */
static inline void form_check(const char *text, const char *standard)
{
	const char *const argv[] = {
		"clang", "-x", "cl", standard, "-target", "spir64-unknown-unknown", "-Xclang", "-finclude-default-header", "-fsyntax-only", "-", NULL,
	};
	struct vrs_proc_options options = {.argv = argv, .stdin_text = "", .timeout_seconds = 300, .output_max = 4096};
	struct vrs_proc_result result = {0};
	bool works = vrs_proc_run(&options, &result, NULL) == VRS_OK && result.exit_code == 0;
	vrs_proc_result_fini(&result);
	if (!works)
		return;
	options.stdin_text = text;
	result = (struct vrs_proc_result){0};
	assert_int_equal(vrs_proc_run(&options, &result, NULL), VRS_OK);
	if (result.exit_code != 0)
		fail_msg("%s", vrs_buf_str(&result.err));
	vrs_proc_result_fini(&result);
}

#endif
