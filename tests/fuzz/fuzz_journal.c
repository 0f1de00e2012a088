/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Journals as a crash, a full disk or an editor leaves them: every complete line is delivered once and in order, only the bytes behind
 * the last newline count as torn, cutting leaves exactly the complete lines, and a line appended afterwards is read back.
 * The first byte of the input chooses the line limit.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct expectation {
	const char *text;
	size_t offset;
	long lines;
};

static enum vrs_status on_line(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct expectation *expected = cookie;
	size_t len = strlen(line);

	(void)err;
	require(number == ++expected->lines);
	require(memcmp(expected->text + expected->offset, line, len) == 0 && expected->text[expected->offset + len] == '\n');
	expected->offset += len + 1;
	return VRS_OK;
}

static void check_cut(int fd, const char *path, const char *text, size_t good, size_t max_line)
{
	struct expectation expected = {.text = text};
	struct stat st;
	size_t torn = 0;
	char *grown = malloc(good + 3); /* libc: an exact block for the sanitizer */

	require(grown != NULL);
	require(vrs_journal_read(path, max_line, true, on_line, &expected, &torn, NULL) == VRS_OK && expected.offset == good);
	require(fstat(fd, &st) == 0 && (size_t)st.st_size == good);
	require(vrs_journal_append(path, "x", NULL) == VRS_OK);
	memcpy(grown, text, good);
	memcpy(grown + good, "x\n", 3);
	expected = (struct expectation){.text = grown};
	require(vrs_journal_read(path, max_line, false, on_line, &expected, &torn, NULL) == VRS_OK && torn == 0 && expected.offset == good + 2);
	free(grown); /* libc: see above */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[256];
	struct vrs_error err = {0};
	size_t torn = SIZE_MAX, good = 0;

	if (size < 1)
		return 0;
	size_t max_line = 1 + (size_t)data[0] * 4;
	const char *text = (const char *)data + 1;
	struct expectation expected = {.text = text};

	size--;
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\n')
			good = i + 1;
	int fd = open(scratch_path(path, sizeof path, "journal"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	require(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	enum vrs_status status = vrs_journal_read(path, max_line, false, on_line, &expected, &torn, &err);

	if (status == VRS_OK) {
		require(expected.offset == good && torn == size - good);
		check_cut(fd, path, text, good, max_line);
	} else {
		require((status == VRS_ELIMIT || status == VRS_EFORMAT) && err.line > 0 && err.text[0]);
	}
	close(fd);
	return 0;
}
