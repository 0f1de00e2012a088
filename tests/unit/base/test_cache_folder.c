/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the trimming of cache folders: the least recently used files go, only as many as needed, and nothing that is not named by a key. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cache_folder.h"
#include "base/file.h"
#include "scratch_folder.h"

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("test_cache_folder");
}

static int tear_down(void **state)
{
	(void)state;
	return scratch_folder_remove("test_cache_folder");
}

/* 100 bytes, used at that second. */
static void make(const char *name, time_t used)
{
	const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static void by_use(void **state)
{
	(void)state;
	make("aaaa.bin", 1000);
	make("bbbb.bin", 999);
	make("0123.bin", 1001);
	make("abc.bin", 1); /* other names: short, no digits, another extension, another place */
	make("zzzz.bin", 1);
	make("cccc.binary", 1);
	assert_int_equal(symlink("0123.bin", "dddd.bin"), 0);
	vrs_cache_trim(".", 4, ".bin", 300);
	assert_true(vrs_path_exists("aaaa.bin") && vrs_path_exists("bbbb.bin") && vrs_path_exists("0123.bin"));
	vrs_cache_trim(".", 4, ".bin", 299);
	assert_false(vrs_path_exists("bbbb.bin"));
	assert_true(vrs_path_exists("aaaa.bin") && vrs_path_exists("0123.bin"));
	vrs_cache_touch("aaaa.bin");
	vrs_cache_trim(".", 4, ".bin", 100);
	assert_true(vrs_path_exists("aaaa.bin"));
	assert_false(vrs_path_exists("0123.bin"));
	assert_true(vrs_path_exists("abc.bin") && vrs_path_exists("zzzz.bin") && vrs_path_exists("cccc.binary"));
	vrs_cache_trim(".", 4, ".bin", 0);
	assert_false(vrs_path_exists("aaaa.bin"));
	vrs_cache_touch("missing");
	assert_false(vrs_path_exists("missing"));
	vrs_cache_trim("missing", 4, ".bin", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(by_use)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
