/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: resident memory follows what is touched, the peak stays; a child's figure is its own, and not that of the large process which started it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/proc.h"

#define MIB ((uint64_t)1 << 20)

/* Straight from the kernel, so that giving it back is certain. */
static char *touched(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED);
	memset(p, 1, bytes);
	return p;
}

static void the_peak_stays(void **state)
{
	(void)state;
	uint64_t before = vrs_rss_bytes();
	assert_true(before > MIB && vrs_peak_rss_bytes() >= before - MIB); /* the kernel counts in batches for each thread */
	char *p = touched(100 * MIB);
	uint64_t with = vrs_rss_bytes();
	assert_true(with >= before + 95 * MIB);
	munmap(p, 100 * MIB);
	assert_true(vrs_rss_bytes() <= with - 90 * MIB);
	assert_true(vrs_peak_rss_bytes() >= with - 5 * MIB);
}

static uint64_t max_rss_of(const char *command)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	const struct vrs_proc_options options = {.argv = argv, .output_max = 1000};
	struct vrs_proc_result result;
	assert_int_equal(vrs_proc_run(&options, &result, NULL), VRS_OK);
	assert_int_equal(result.exit_code, 0);
	uint64_t bytes = result.max_rss_bytes;
	vrs_proc_result_fini(&result);
	return bytes;
}

static void a_child_is_not_its_parent(void **state)
{
	(void)state;
	char *p = touched(200 * MIB);
	assert_int_equal(max_rss_of(":"), 0);
	munmap(p, 200 * MIB);
	uint64_t large = vrs_rss_bytes() + 300 * MIB; /* builds with sanitizers hold more themselves */
	char command[100];
	snprintf(command, sizeof command, "exec dd if=/dev/zero of=/dev/null count=1 bs=%" PRIu64 " 2>/dev/null", large);
	uint64_t found = max_rss_of(command);
	assert_true(found >= large && found < large + 50 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_stays),
		cmocka_unit_test(a_child_is_not_its_parent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
