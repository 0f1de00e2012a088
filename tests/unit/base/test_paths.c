/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/paths: joining within limits, folders, and where data files and caches are looked for. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/file.h"

static char root[PATH_MAX]; /* scratch folder, absolute */

static int make_root(void **state)
{
	char name[] = "test_paths-XXXXXX";

	(void)state;
	if (!mkdtemp(name) || !realpath(name, root))
		return -1;
	setenv("HOME", root, 1);
	unsetenv("XDG_DATA_HOME");
	unsetenv("XDG_CACHE_HOME");
	setenv("XDG_DATA_DIRS", "/nonexistent", 1);
	return 0;
}

static int remove_root(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}

static const char *below(const char *tail)
{
	static char path[PATH_MAX];

	assert_int_equal(vrs_path_join(path, sizeof path, root, tail), VRS_OK);
	return path;
}

static void joining(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(vrs_path_join(buf, sizeof buf, "a", "b"), VRS_OK);
	assert_string_equal(buf, "a/b");
	assert_int_equal(vrs_path_join(buf, sizeof buf, "a/", "b"), VRS_OK);
	assert_string_equal(buf, "a/b");
	assert_int_equal(vrs_path_join(buf, sizeof buf, "", "b"), VRS_OK);
	assert_string_equal(buf, "b");
	assert_int_equal(vrs_path_join(buf, sizeof buf, "/", "b"), VRS_OK);
	assert_string_equal(buf, "/b");
	assert_int_equal(vrs_path_join(buf, sizeof buf, "abc", "def"), VRS_OK);
	assert_int_equal(vrs_path_join(buf, sizeof buf, "abc", "defg"), VRS_ELIMIT);
	assert_string_equal(buf, "abc/def");
	assert_int_equal(vrs_path_join(buf, sizeof buf, buf, ""), VRS_ELIMIT);
}

static void bases(void **state)
{
	(void)state;
	assert_string_equal(vrs_path_base("a/b.mp4"), "b.mp4");
	assert_string_equal(vrs_path_base("b.mp4"), "b.mp4");
	assert_string_equal(vrs_path_base("a/"), "");
	assert_string_equal(vrs_path_base(""), "");
}

static void folders_are_made(void **state)
{
	struct vrs_error err = {0};
	char path[PATH_MAX];

	(void)state;
	strcpy(path, below("a/b//c")); /* libc: same size */
	assert_int_equal(vrs_mkdirs(path, &err), VRS_OK);
	assert_true(vrs_path_is_dir(path));
	assert_int_equal(vrs_mkdirs(path, &err), VRS_OK);
	strcpy(path, below("a/b/d/")); /* libc: same size */
	assert_int_equal(vrs_mkdirs(path, &err), VRS_OK);
	assert_true(vrs_path_is_dir(path));
	assert_int_equal(vrs_file_replace(below("file"), "x", 1, NULL), VRS_OK);
	assert_true(vrs_path_exists(below("file")) && !vrs_path_is_dir(below("file")));
	assert_int_equal(vrs_mkdirs(below("file/sub"), &err), VRS_EIO);
	assert_non_null(strstr(err.text, "file"));
	assert_int_equal(vrs_mkdirs(below("file"), &err), VRS_EIO);
	assert_int_equal(vrs_mkdirs("", &err), VRS_OK);
	assert_int_equal(symlink("/nowhere", below("link")), 0);
	assert_int_equal(vrs_mkdirs(below("link"), &err), VRS_EIO);
	assert_non_null(strstr(err.text, strerror(EEXIST))); /* why it could not be made, not what a look at it said */
}

static void program_folder_is_found(void **state)
{
	char dir[PATH_MAX], path[PATH_MAX], tiny[2];

	(void)state;
	assert_int_equal(vrs_program_dir(dir, sizeof dir), VRS_OK);
	assert_int_equal(vrs_path_join(path, sizeof path, dir, "test_paths"), VRS_OK);
	assert_true(vrs_path_exists(path));
	assert_int_equal(vrs_program_dir(tiny, sizeof tiny), VRS_ELIMIT);
}

static void data_files_come_from_the_first_folder(void **state)
{
	char path[PATH_MAX];
	struct vrs_error err = {0};

	(void)state;
	setenv("XDG_DATA_HOME", below("home"), 1);
	char dirs[3 * PATH_MAX];

	snprintf(dirs, sizeof dirs, "%s/one:%s/two", root, root);
	setenv("XDG_DATA_DIRS", dirs, 1);
	assert_int_equal(vrs_mkdirs(below("two/vrseg/models"), NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(below("two/vrseg/models/unit-test.yaml"), "2", 1, NULL), VRS_OK);
	assert_int_equal(vrs_data_file("models/unit-test.yaml", path, sizeof path, &err), VRS_OK);
	assert_string_equal(path, below("two/vrseg/models/unit-test.yaml"));
	assert_int_equal(vrs_mkdirs(below("home/vrseg/models"), NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(below("home/vrseg/models/unit-test.yaml"), "1", 1, NULL), VRS_OK);
	assert_int_equal(vrs_data_file("models/unit-test.yaml", path, sizeof path, &err), VRS_OK);
	assert_string_equal(path, below("home/vrseg/models/unit-test.yaml"));
	assert_int_equal(vrs_data_file("models/unit-test.yaml", path, 10, &err), VRS_ELIMIT);
	assert_int_equal(vrs_data_file("models/unit-none.yaml", path, sizeof path, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "models/unit-none.yaml"));
}

static void data_folders_are_listed_once_each(void **state)
{
	char path[PATH_MAX], tail[PATH_MAX] = "";
	int n = 0;

	(void)state;
	assert_int_equal(vrs_mkdirs(below(".local/share/vrseg"), NULL), VRS_OK);
	while (vrs_data_dir(n, path, sizeof path)) {
		assert_true(vrs_path_is_dir(path));
		strcpy(tail, path); /* libc: same size */
		n++;
		assert_true(n < 10);
	}
	assert_true(n >= 1);
	assert_string_equal(tail, below(".local/share/vrseg"));
}

/* A name from a configuration file must not lead out of the data folders. */
static void data_names_stay_inside(void **state)
{
	static const char *const bad[] = {"", "/etc/passwd", "..", "../x", "models/../../x", "models/.."};
	char path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(vrs_data_file(bad[i], path, sizeof path, NULL), VRS_ENOTFOUND);
}

/* An installed program takes PREFIX/share/vrseg and never looks three folders up; one in a build folder takes the clone's configs. */
static void clone_and_installed_layouts(void **state)
{
	char command[8 * PATH_MAX];

	(void)state;
	assert_int_equal(vrs_mkdirs(below("clone/build/release/bin"), NULL), VRS_OK);
	assert_int_equal(vrs_mkdirs(below("clone/configs"), NULL), VRS_OK);
	assert_int_equal(vrs_mkdirs(below("clone/build/share/vrseg"), NULL), VRS_OK);
	assert_int_equal(vrs_mkdirs(below("prefix/bin"), NULL), VRS_OK);
	assert_int_equal(vrs_mkdirs(below("prefix/share/vrseg"), NULL), VRS_OK);
	assert_int_equal(vrs_mkdirs(below("configs"), NULL), VRS_OK); /* three up from prefix/share/bin: must not be taken */
	assert_int_equal(vrs_file_replace(below("clone/build/release/CMakeCache.txt"), "", 0, NULL), VRS_OK);
	static const char *const places[] = {"clone/build/release/bin", "prefix/bin"};
	static const char *const expected[] = {"/clone/configs\n/clone/build/share/vrseg\n", "/prefix/share/vrseg\n"};

	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof command,
			 "cp /proc/%ld/exe '%s/%s/test_paths' && '%s/%s/test_paths' --list-data-folders | sed 's|^%s||' > '%s/list'", (long)getpid(), root,
			 places[i], root, places[i], root, root);
		assert_int_equal(system(command), 0);
		struct vrs_buf buf;

		assert_int_equal(vrs_file_read(below("list"), PATH_MAX, &buf, NULL), VRS_OK);
		assert_string_equal(vrs_buf_str(&buf), expected[i]);
		vrs_buf_fini(&buf);
	}
}

static void cache_folder(void **state)
{
	char path[PATH_MAX];
	struct vrs_error err = {0};

	(void)state;
	setenv("XDG_CACHE_HOME", below("caches/deep"), 1);
	assert_int_equal(vrs_cache_dir(path, sizeof path, &err), VRS_OK);
	assert_string_equal(path, below("caches/deep/vrseg"));
	assert_true(vrs_path_is_dir(path));
	setenv("XDG_CACHE_HOME", "relative", 1);
	assert_int_equal(vrs_cache_dir(path, sizeof path, &err), VRS_OK);
	assert_string_equal(path, below(".cache/vrseg"));
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_int_equal(vrs_cache_dir(path, sizeof path, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "XDG_CACHE_HOME"));
	setenv("HOME", root, 1);
	assert_int_equal(vrs_cache_dir(path, 5, &err), VRS_ELIMIT);
}

/* A picture sequence is a pattern of glob(3): its number stands for digits, and what glob would take for a wildcard beside it is itself. */
static void patterns_of_sequences(void **state)
{
	static const char *const rows[][2] = {{"p%03d.png", "p[0-9]*.png"}, {"%d", "[0-9]*"}, {"a*[1]%d?.png", "a\\*\\[1][0-9]*\\?.png"},
		{"50%_%d.png", "50%_[0-9]*.png"}, {"*.png", "*.png"}, {"p?[12].png", "p?[12].png"}};
	char pattern[32];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_true(vrs_sequence_pattern(rows[i][0], pattern, sizeof pattern));
		assert_string_equal(pattern, rows[i][1]);
	}
	assert_false(vrs_sequence_pattern("plain.png", pattern, sizeof pattern));
	assert_false(vrs_sequence_pattern("a name that is too long for it %d.png", pattern, sizeof pattern));
}

/* It is granted to --sandbox: nothing above what the name has in any case. */
static void folders_of_sequences(void **state)
{
	static const char *const rows[][2] = {{"p%03d.png", "."}, {"a/b/p%03d.png", "a/b/"}, {"/p*.png", "/"}, {"a/b?/c/*.png", "a/"},
		{"a[1]/%d.png", "a[1]/"}, {"a[1]/*.png", "."}, {"a/\\[1]/*.png", "a/"}, {"a/%d/p.png", "a/"}, {"a/b*", "a/"}};
	char folder[PATH_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		vrs_sequence_folder(folder, rows[i][0]);
		assert_string_equal(folder, rows[i][1]);
	}
}

static void what_lies_below(void **state)
{
	(void)state;
	assert_string_equal(vrs_path_below("/a/b/c", "/a"), "b/c");
	assert_string_equal(vrs_path_below("/a/b", "/"), "a/b");
	assert_null(vrs_path_below("/ab", "/a"));
	assert_null(vrs_path_below("/a", "/a"));
	assert_null(vrs_path_below("/b/a/c", "/a"));
}

/* Names of one file, which may not be there yet, are one; behind what is there stands what is typed. */
static void real_names(void **state)
{
	char here[PATH_MAX], plain[PATH_MAX], other[PATH_MAX];
	(void)state;
	assert_non_null(realpath(".", here));
	assert_int_equal(mkdir("real", 0700), 0);
	assert_int_equal(symlink("real", "link"), 0);
	static const char *const same[][2] = {{"real/new.mp4", "link/new.mp4"}, {"real/new.mp4", "./real//../link/new.mp4"}, {"real", "link/"},
		{"real/a/b.mp4", "link/a/b.mp4"}, {"new.mp4", "real/../new.mp4"}, {"/", "//"}};
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		assert_true(vrs_path_real(same[i][0], plain) && vrs_path_real(same[i][1], other));
		assert_string_equal(plain, other);
	}
	assert_true(vrs_path_real("real/a/b.mp4", plain));
	assert_string_equal(vrs_path_below(plain, here), "real/a/b.mp4");
	assert_true(vrs_path_real("/no such folder/a", plain));
	assert_string_equal(plain, "/no such folder/a");
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(rmdir("real"), 0);
}

int main(int argc, char **argv)
{
#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joining),
		cmocka_unit_test(bases),
		cmocka_unit_test(patterns_of_sequences),
		cmocka_unit_test(folders_of_sequences),
		cmocka_unit_test(what_lies_below),
		WITH_ROOT(real_names),
		WITH_ROOT(folders_are_made),
		cmocka_unit_test(program_folder_is_found),
		WITH_ROOT(data_files_come_from_the_first_folder),
		WITH_ROOT(data_folders_are_listed_once_each),
		WITH_ROOT(data_names_stay_inside),
		WITH_ROOT(clone_and_installed_layouts),
		WITH_ROOT(cache_folder),
	};
	char path[PATH_MAX];

	if (argc > 1 && strcmp(argv[1], "--list-data-folders") == 0) {
		for (int i = 0; vrs_data_dir(i, path, sizeof path); i++)
			puts(path);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
