/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the hash of segment files: other bytes anywhere give another one, and of a file beyond a GiB those at both ends and in the blocks between
 * that are read; what is not there has none.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "segments/segment_files.h"

#define MIB ((off_t)1 << 20)

static char path[] = "/tmp/vrs-segment-XXXXXX";

static int64_t hash_with(int fd, off_t at, char byte)
{
	int64_t hash = 0;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	assert_int_equal(vrs_segment_file_hash(path, &hash, NULL), VRS_OK);
	assert_true(hash > 0);
	return hash;
}

static void assert_seen(int fd, off_t at)
{
	int64_t before = hash_with(fd, at, 0);
	assert_true(hash_with(fd, at, 1) != before);
	assert_int_equal(hash_with(fd, at, 0), before);
}

static void test_every_byte(void **state)
{
	const off_t bytes = 2 * MIB + 100;
	int fd = mkstemp(path);
	int64_t hash;
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(vrs_segment_file_hash(path, &hash, NULL), VRS_OK); /* empty */
	assert_int_equal(ftruncate(fd, bytes), 0);
	for (off_t at = 0; at < bytes; at += bytes / 19)
		assert_seen(fd, at);
	assert_seen(fd, bytes - 1);
	assert_int_equal(ftruncate(fd, bytes + 1), 0);
	int64_t longer = hash_with(fd, 0, 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_true(hash_with(fd, 0, 0) != longer);
	close(fd);
	unlink(path);
	assert_int_equal(vrs_segment_file_hash(path, &hash, NULL), VRS_ENOTFOUND);
	assert_int_equal(hash, 0);
}

/* Sparse: 4096 blocks, of which every fourth is read. */
static void test_large(void **state)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096 * MIB), 0);
	int64_t before = hash_with(fd, 0, 0);
	int64_t end = hash_with(fd, 4096 * MIB - 1, 1);
	assert_true(end != before);
	assert_true(hash_with(fd, (off_t)500 * 4095 / 1023 * MIB + 77, 1) != end); /* block 500 of those that are read */
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_byte), cmocka_unit_test(test_large)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
