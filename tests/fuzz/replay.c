/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target without a fuzzing engine: once for each file of the folders given, and for small files also once for each
 * truncation and each single changed byte; files of folders behind --whole only as they are: they come from a fuzzer, which has tried their
 * neighbours.  A folder that is absent or empty is an error, since a test of nothing must not pass.
 * With --mutate it runs inputs made of those files instead (mutate.h).
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "exact.h"
#include "mutate.h"

#define MAX_FILE_BYTES (64u << 20)
#define SMALL_BYTES 2048 /* up to here every truncation and every byte is tried */

static bool replay_file(const char *path, bool whole)
{
	static const uint8_t masks[] = {0x01, 0x20, 0x80, 0xff};
	struct vrs_error err = {0};
	struct vrs_buf buf;
	char text[1024];

	if (vrs_file_read(path, MAX_FILE_BYTES, &buf, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", vrs_error_str(&err, text, sizeof text));
		return false;
	}
	const char *data = vrs_buf_str(&buf);

	run_exact(data, buf.len, SIZE_MAX, 0);
	if (!whole && buf.len <= SMALL_BYTES) {
		for (size_t size = 0; size < buf.len; size++)
			run_exact(data, size, SIZE_MAX, 0);
		for (size_t i = 0; i < buf.len; i++)
			run_exact(data, buf.len, i, masks[i % sizeof masks]);
	}
	vrs_buf_fini(&buf);
	return true;
}

/* Number of files replayed; -1 after an error. */
static int replay_folder(const char *folder, bool whole)
{
	char path[PATH_MAX];
	int files = 0;
	DIR *dir = opendir(folder);

	if (!dir) {
		fprintf(stderr, "cannot open the folder %s\n", folder);
		return -1;
	}
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		struct stat st;

		if (vrs_path_join(path, sizeof path, folder, entry->d_name) != VRS_OK || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (!replay_file(path, whole)) {
			files = -1;
			break;
		}
		files++;
	}
	closedir(dir);
	if (files == 0) {
		fprintf(stderr, "the folder %s holds no file\n", folder);
		return -1;
	}
	return files;
}

int main(int argc, char **argv)
{
	int total = 0;
	bool whole = false;

	if (argc > 4 && strcmp(argv[1], "--mutate") == 0)
		return mutate_for(atof(argv[2]), argv[3], argv + 4, argc - 4) ? 0 : 1;
	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER... [--whole FOLDER...]\n       %s --mutate SECONDS STATE FOLDER...\n", argv[0], argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--whole") == 0) {
			whole = true;
			continue;
		}
		int files = replay_folder(argv[i], whole);

		if (files < 0)
			return 1;
		total += files;
	}
	printf("%d files replayed\n", total);
	return 0;
}
