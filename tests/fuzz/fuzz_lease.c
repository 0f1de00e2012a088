/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lease file that anybody may have left in a folder: the lease is taken or refused with a sentence.  Refused, the file is as it was; taken and
 * given back, nothing is left of either.  @host, @boot, @space, @pid, @start and @device in the input become those of this process, so that files
 * of a holder that can be seen from here are reached: a holder that lives keeps its lease.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lease.h"
#include "base/process_identity.h"
#include "require.h"
#include "scratch.h"

#define MAX_BYTES 5000 /* more than a lease file may have */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct word {
	const char *name;
	char value[80];
};

/* What the words stand for on this machine. */
static const struct word *own_words(const char *folder, size_t *ret_count)
{
	static struct word words[] = {{"@host", ""}, {"@boot", ""}, {"@space", ""}, {"@pid", ""}, {"@start", ""}, {"@device", ""}};
	struct vrs_process_identity own;
	struct stat st;

	*ret_count = sizeof words / sizeof *words;
	if (words[3].value[0] != '\0')
		return words;
	vrs_process_identity_own(&own);
	require(stat(folder, &st) == 0);
	(void)snprintf(words[0].value, sizeof words[0].value, "%s", own.host);
	(void)snprintf(words[1].value, sizeof words[1].value, "%s", own.boot);
	(void)snprintf(words[2].value, sizeof words[2].value, "%" PRIu64, own.pid_namespace);
	(void)snprintf(words[3].value, sizeof words[3].value, "%" PRId64, own.pid);
	(void)snprintf(words[4].value, sizeof words[4].value, "%" PRIu64, own.start);
	(void)snprintf(words[5].value, sizeof words[5].value, "%" PRIu64, (uint64_t)st.st_dev);
	return words;
}

/* The input with its words replaced. */
static void fill_in(const uint8_t *data, size_t size, const char *folder, struct vrs_buf *out)
{
	size_t count;
	const struct word *words = own_words(folder, &count);

	for (size_t at = 0; at < size;) {
		size_t length = 1, w = 0;

		for (; w < count; w++) {
			length = strlen(words[w].name);
			if (size - at >= length && memcmp(data + at, words[w].name, length) == 0)
				break;
		}
		if (w < count)
			require(vrs_buf_append(out, words[w].value, strlen(words[w].value)) == VRS_OK);
		else
			require(vrs_buf_append(out, data + at, length = 1) == VRS_OK);
		at += length;
	}
}

/* What a lease file with this text says of its holder is that this process holds it, without a lock that could be looked at. */
static bool says_own_without_lock(const struct vrs_buf *text, const char *folder)
{
	static const char own[] = "{\"host\":\"@host\",\"boot\":\"@boot\",\"pid_namespace\":@space,\"pid\":@pid,"
				  "\"start\":@start,\"device\":@device,\"locked\":false}";
	struct vrs_buf want;
	bool same;

	vrs_buf_init(&want, MAX_BYTES);
	fill_in((const uint8_t *)own, sizeof own - 1, folder, &want);
	same = text->len == want.len && memcmp(vrs_buf_str(text), vrs_buf_str(&want), want.len) == 0;
	vrs_buf_fini(&want);
	return same;
}

static void check_refused(const char *path, const struct vrs_buf *before, const struct vrs_error *err)
{
	struct vrs_error read_error = {0};
	struct vrs_buf after;

	require(err->text[0] != '\0');
	require(vrs_file_read(path, 1 << 20, &after, &read_error) == VRS_OK);
	require(after.len == before->len && (after.len == 0 || memcmp(vrs_buf_str(&after), vrs_buf_str(before), after.len) == 0));
	vrs_buf_fini(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_error err = {0};
	struct vrs_lease *lease = NULL;
	char folder[256], path[300];
	struct vrs_buf text;

	if (size > MAX_BYTES)
		return 0;
	scratch_path(folder, sizeof folder, "lease");
	require(mkdir(folder, 0700) == 0);
	(void)snprintf(path, sizeof path, "%s/" VRS_LEASE_PREFIX "000007", folder);
	vrs_buf_init(&text, 1 << 20);
	fill_in(data, size, folder, &text);
	scratch_write(path, vrs_buf_str(&text), text.len);
	enum vrs_status status = vrs_lease_take(&lease, folder, "out.mp4", &err);

	if (status == VRS_OK) {
		require(!says_own_without_lock(&text, folder));
		require(vrs_lease_check(lease, &err) == VRS_OK);
		vrs_lease_return(lease);
	} else {
		require(status == VRS_EEXIST);
		check_refused(path, &text, &err);
		require(unlink(path) == 0);
	}
	vrs_buf_fini(&text);
	require(rmdir(folder) == 0); /* fails where anything is left */
	return 0;
}
