/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests at every instruction set level of this machine.  The level is chosen once per process, so each runs in a child: the test program again, with
 * VRSEG_CPU set and the level as its argument.  Included once, after cmocka.h.
 */
#ifndef TESTS_ISA_LEVEL_H
#define TESTS_ISA_LEVEL_H

#include <stdio.h>

#include "base/file.h"
#include "base/proc.h"

/* The child's answer: 0, or 77 where the machine lacks the level, which skips the test that calls. */
static void run_level(const char *level)
{
	char env[64];
	const char *argv[] = {"/proc/self/exe", level, NULL}, *extra[] = {env, NULL};
	struct vrs_proc_options options = {.argv = argv, .env = extra, .timeout_seconds = 250, .output_max = 1 << 16};
	struct vrs_proc_result result;
	struct vrs_error err = {0};

	snprintf(env, sizeof env, "VRSEG_CPU=%s", level);
	if (vrs_proc_run(&options, &result, &err) != VRS_OK)
		fail_msg("%s", err.text);
	print_message("%s%s", vrs_buf_str(&result.out), vrs_buf_str(&result.err));
	int code = result.exit_code;
	vrs_proc_result_fini(&result);
	if (code == 77)
		skip();
	assert_int_equal(code, 0);
}

#endif
