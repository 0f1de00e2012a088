/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded with LD_PRELOAD, this moves the file REPLACE_BY onto REPLACE_FILE just before the call number REPLACE_AT that the program makes: of
 * av_write_trailer ("trailer 2"), or of those that look at the file ("stat 7").  tests/cli/vrseg/replaced_late.sh.
 */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libavformat/avformat.h>

static void reach(const char *what, atomic_int *count)
{
	const char *at = getenv("REPLACE_AT"), *by = getenv("REPLACE_BY"), *file = getenv("REPLACE_FILE");
	char here[64];

	(void)snprintf(here, sizeof here, "%s %d", what, 1 + atomic_fetch_add(count, 1));
	if (at && by && file && strcmp(at, here) == 0)
		(void)rename(by, file);
}

int av_write_trailer(AVFormatContext *muxer)
{
	static atomic_int count;
	int (*real)(AVFormatContext *);
	void *symbol = dlsym(RTLD_NEXT, "av_write_trailer");

	memcpy(&real, &symbol, sizeof real);
	reach("trailer", &count);
	return real(muxer);
}

int stat64(const char *path, struct stat64 *st)
{
	static atomic_int count;
	int (*real)(const char *, struct stat64 *);
	void *symbol = dlsym(RTLD_NEXT, "stat64");
	const char *file = getenv("REPLACE_FILE");

	memcpy(&real, &symbol, sizeof real);
	if (file && strcmp(path, file) == 0)
		reach("stat", &count);
	return real(path, st);
}
