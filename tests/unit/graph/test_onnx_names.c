/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the names of an ONNX file: each is found, and names that a file chose to meet in one slot of a table lie apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hash.h"
#include "graph/onnx_build.h"

enum { COUNT = 4000, BITS = 12 };

/* Names whose FNV-1a hashes end in BITS zeros. */
static void make_names(char (*names)[12], int count)
{
	for (uint32_t i = 0, made = 0; made < (uint32_t)count; i++) {
		snprintf(names[made], sizeof *names, "n%u", i);
		made += (vrs_hash_str(VRS_HASH_INIT, names[made]) & ((1u << BITS) - 1)) == 0;
	}
}

/* The most slots in a row that are taken: what a search may have to pass. */
static size_t longest_run(const struct vrs_onnx_names *names)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < 2 * names->size; i++) { /* twice: a run may go on at the start */
		run = names->slots[i & (names->size - 1)].name != NULL ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void names_of_one_slot(void **state)
{
	static char names[COUNT][12];
	struct vrs_onnx_names table = {0};

	(void)state;
	make_names(names, COUNT);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(vrs_onnx_names_put(&table, names[i], i, NULL), VRS_OK);
	assert_true(longest_run(&table) < 300); /* by chance about 50 */
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(vrs_onnx_names_find(&table, names[i]), i);
	assert_int_equal(vrs_onnx_names_find(&table, "n"), -1);
	assert_int_equal(vrs_onnx_names_put(&table, names[7], 1, NULL), VRS_EFORMAT);
	vrs_onnx_names_hide(&table, names[7]);
	assert_int_equal(vrs_onnx_names_find(&table, names[7]), -1);
	assert_int_equal(vrs_onnx_names_put(&table, names[7], 1, NULL), VRS_OK);
	vrs_onnx_names_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_one_slot)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
