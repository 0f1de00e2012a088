/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the files of compiled programs: what was saved comes back whole; a file that is truncated, changed in any bit, of another key, of another
 * user or open to all counts as none and is replaced; the least recently used files go when all together are too large; without a folder nothing
 * fails.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "opencl/ocl_program_cache.h"
#include "scratch_folder.h"

static const char source[] = "__kernel void f(void) {}", options[] = "-cl-std=CL1.2";
static const struct vrs_ocl_caps caps = {.platform = "P", .name = "device", .version = "OpenCL 1.2", .driver = "1.0"};

static int set_up(void **state)
{
	char home[PATH_MAX];

	(void)state;
	return scratch_folder_enter("test_ocl_program_cache") != 0 || !getcwd(home, sizeof home) || setenv("XDG_CACHE_HOME", home, 1) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	return scratch_folder_remove("test_ocl_program_cache");
}

static void make_key(struct vrs_ocl_program_key *key, const struct vrs_ocl_caps *of)
{
	assert_true(vrs_ocl_program_key_make(key, of, options, source, strlen(source)));
}

/* The binary of the key is this one; NULL: there is none. */
static void expect(const struct vrs_ocl_program_key *key, const char *binary)
{
	size_t size = 0;
	char *found = vrs_ocl_program_cache_load(key, &size);

	if (!binary)
		assert_null(found);
	else if (!found || size != strlen(binary) || memcmp(found, binary, size) != 0)
		fail_msg("%s is not what was found", binary);
	vrs_free(found);
}

static void round_trip(void **state)
{
	struct vrs_ocl_program_key key;

	(void)state;
	make_key(&key, &caps);
	assert_true(vrs_ocl_program_cache_can_save(&key));
	assert_false(vrs_path_exists("vrseg")); /* asking makes no folder */
	expect(&key, NULL);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "binary", 6, NULL), VRS_OK);
	expect(&key, "binary");
	assert_int_equal(vrs_ocl_program_cache_save(&key, "another", 7, NULL), VRS_OK);
	expect(&key, "another");
	assert_int_equal(vrs_ocl_program_cache_save(&key, "", 0, NULL), VRS_ELIMIT); /* not a binary: nothing is replaced */
	expect(&key, "another");
}

/* Everything that a binary depends on leads to another file. */
static void keys(void **state)
{
	struct vrs_ocl_program_key key, other;
	struct vrs_ocl_caps changed;
	char long_options[3000];

	(void)state;
	make_key(&key, &caps);
	for (int i = 0; i < 4; i++) {
		changed = caps;
		*(i == 0 ? changed.platform : i == 1 ? changed.name : i == 2 ? changed.version : changed.driver) = 'x';
		make_key(&other, &changed);
		assert_string_not_equal(key.path, other.path);
		assert_string_not_equal(key.text, other.text);
	}
	assert_true(vrs_ocl_program_key_make(&other, &caps, "-cl-mad-enable", source, strlen(source)));
	assert_string_not_equal(key.path, other.path);
	assert_true(vrs_ocl_program_key_make(&other, &caps, options, source, strlen(source) - 1));
	assert_string_not_equal(key.path, other.path);
	make_key(&other, &caps);
	assert_string_equal(key.path, other.path);
	memset(long_options, 'x', sizeof long_options - 1);
	long_options[sizeof long_options - 1] = '\0';
	assert_false(vrs_ocl_program_key_make(&other, &caps, long_options, source, strlen(source)));
}

static void damage(void **state)
{
	struct vrs_ocl_program_key key;
	struct vrs_buf file;
	const void *binary;
	size_t size;

	(void)state;
	make_key(&key, &caps);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "some binary", 11, NULL), VRS_OK);
	assert_int_equal(vrs_file_read(key.path, 100000, &file, NULL), VRS_OK);
	assert_int_equal(vrs_ocl_program_cache_parse(file.data, file.len, key.text, &binary, &size), VRS_OK);
	assert_true(size == 11 && memcmp(binary, "some binary", 11) == 0);
	for (size_t length = 0; length < file.len; length++)
		assert_int_equal(vrs_ocl_program_cache_parse(file.data, length, key.text, &binary, &size), VRS_EFORMAT);
	for (size_t bit = 0; bit < 8 * file.len; bit++) {
		file.data[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(vrs_ocl_program_cache_parse(file.data, file.len, key.text, &binary, &size), VRS_EFORMAT);
		if (bit % 97 == 0) { /* the same through the disk */
			assert_int_equal(vrs_file_replace(key.path, file.data, file.len, NULL), VRS_OK);
			expect(&key, NULL);
		}
		file.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_int_equal(vrs_buf_append(&file, "x", 1), VRS_OK);
	assert_int_equal(vrs_ocl_program_cache_parse(file.data, file.len, key.text, &binary, &size), VRS_EFORMAT);
	vrs_buf_fini(&file);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "again", 5, NULL), VRS_OK);
	expect(&key, "again");
}

/* A file that has got the name of another one: a driver must not be given what was made for another. */
static void foreign(void **state)
{
	struct vrs_ocl_caps changed = caps;
	struct vrs_ocl_program_key key, other;

	(void)state;
	changed.driver[0] = '2';
	make_key(&key, &caps);
	make_key(&other, &changed);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "binary", 6, NULL), VRS_OK);
	assert_int_equal(rename(key.path, other.path), 0);
	expect(&other, NULL);
	expect(&key, NULL);
	assert_int_equal(vrs_ocl_program_cache_save(&other, "new", 3, NULL), VRS_OK);
	expect(&other, "new");
}

/* A file that others can write, which counts as none. */
static void save_open(struct vrs_ocl_program_key *ret_key)
{
	make_key(ret_key, &caps);
	assert_int_equal(vrs_ocl_program_cache_save(ret_key, "binary", 6, NULL), VRS_OK);
	assert_int_equal(chmod(ret_key->path, 0666), 0);
	expect(ret_key, NULL);
}

static void not_trusted(void **state)
{
	struct vrs_ocl_program_key key;

	(void)state;
	save_open(&key);
	assert_int_equal(chmod(key.path, 0600), 0);
	expect(&key, "binary");
	if (geteuid() == 0) { /* only root can give files away */
		assert_int_equal(chown(key.path, 12345, 12345), 0);
		expect(&key, NULL);
	}
	assert_int_equal(unlink(key.path), 0);
	assert_int_equal(mkfifo(key.path, 0600), 0); /* nobody waits for its other end */
	expect(&key, NULL);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "in its place", 12, NULL), VRS_OK);
	expect(&key, "in its place");
}

/* One that is open to all is replaced by one that is not, and so is what a umask of 0 leaves to the program. */
static void open_to_all(void **state)
{
	struct vrs_ocl_program_key key;

	(void)state;
	save_open(&key);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "anew", 4, NULL), VRS_OK);
	expect(&key, "anew");
	mode_t mask = umask(0);

	assert_int_equal(unlink(key.path), 0);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "open", 4, NULL), VRS_OK);
	umask(mask);
	expect(&key, "open");
}

/* Files by name, of 100 MiB without content, one older than the other. */
static void make_old(const char *folder, const char *name, time_t age)
{
	struct timespec times[2];
	char path[PATH_MAX];

	assert_int_equal(vrs_path_join(path, sizeof path, folder, name), VRS_OK);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100 << 20), 0);
	times[0] = times[1] = (struct timespec){.tv_sec = 1700000000 - age};
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool is_there(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return vrs_path_join(path, sizeof path, folder, name) == VRS_OK && vrs_path_exists(path);
}

static void trimming(void **state)
{
	static const char *const names[] = {"00000000000000000000000000000001.bin", "00000000000000000000000000000002.bin",
					    "00000000000000000000000000000003.bin"};
	struct vrs_ocl_program_key key;
	char folder[PATH_MAX];

	(void)state;
	make_key(&key, &caps);
	vrs_path_folder(folder, key.path);
	assert_int_equal(vrs_ocl_program_cache_save(&key, "first", 5, NULL), VRS_OK);
	for (int i = 0; i < 3; i++)
		make_old(folder, names[i], 10 * i);
	make_old(folder, "notes.txt", 1000);
	make_old(folder, "0000.bin", 1000);
	expect(&key, "first"); /* used now: the newest of all, though it was made first */
	struct vrs_ocl_caps changed = caps;
	changed.name[0] = 'x';
	struct vrs_ocl_program_key other;
	make_key(&other, &changed);
	assert_int_equal(vrs_ocl_program_cache_save(&other, "second", 6, NULL), VRS_OK);
	assert_true(is_there(folder, names[0]) && is_there(folder, names[1]));
	assert_false(is_there(folder, names[2]));
	assert_true(is_there(folder, "notes.txt") && is_there(folder, "0000.bin")); /* whose they are is not known */
	expect(&key, "first");
	expect(&other, "second");
}

/* The reason names the folder. */
static void expect_not_kept(const struct vrs_ocl_program_key *key, const char *folder)
{
	struct vrs_error err = {0};

	assert_int_equal(vrs_ocl_program_cache_save(key, "binary", 6, &err), VRS_EIO);
	assert_non_null(strstr(err.text, folder));
}

static void no_folder(void **state)
{
	struct vrs_ocl_program_key key;
	char home[PATH_MAX];

	(void)state;
	make_key(&key, &caps);
	assert_int_equal(vrs_mkdirs("vrseg/programs", NULL), VRS_OK);
	assert_int_equal(remove_tree("vrseg"), 0);
	assert_int_equal(vrs_file_replace("vrseg", "a file", 6, NULL), VRS_OK); /* where a folder is wanted */
	assert_false(vrs_ocl_program_cache_can_save(&key));
	expect_not_kept(&key, "/vrseg");
	expect(&key, NULL);
	assert_int_equal(unlink("vrseg"), 0);
	assert_non_null(getcwd(home, sizeof home));
	assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/nowhere", 1), 0); /* as a medium that is read-only, also for root */
	make_key(&key, &caps);
	expect_not_kept(&key, "/proc/nowhere");
	expect(&key, NULL);
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	char *own = getenv("HOME");
	char *kept = own ? strdup(own) : NULL; /* libc: test scratch */
	assert_int_equal(unsetenv("HOME"), 0);
	assert_false(vrs_ocl_program_key_make(&key, &caps, options, source, strlen(source)));
	if (kept)
		assert_int_equal(setenv("HOME", kept, 1), 0);
	free(kept); /* libc */
	assert_int_equal(setenv("XDG_CACHE_HOME", home, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip), cmocka_unit_test(keys),     cmocka_unit_test(damage),    cmocka_unit_test(foreign),
		cmocka_unit_test(not_trusted), cmocka_unit_test(trimming), cmocka_unit_test(no_folder),
		cmocka_unit_test(open_to_all),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
