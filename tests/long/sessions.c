/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a program that makes, runs and destroys sessions for days does not grow.  Loads a network, makes a session, runs and destroys both, N
 * times, over all networks that are named, both backends, three precisions and one to three threads: afterwards our own allocations, threads and
 * descriptors are those from before, and resident memory has grown by less than 1 % + 1 MiB since the first tenth.
 *     sessions N MODEL...
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/session.h>

#include "base/mem.h"

struct held {
	uint64_t live_bytes, rss_bytes;
	int threads, descriptors;
};

static int entries(const char *folder)
{
	DIR *dir = opendir(folder);
	int count = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

static struct held held_now(void)
{
	return (struct held){vrs_mem_stats().live_bytes, vrs_rss_bytes(), entries("/proc/self/task"), entries("/proc/self/fd")};
}

static void write_ones(struct vrs_session *session)
{
	for (int k = 0; vrs_session_input(session, k).elements > 0; k++) {
		struct vrs_tensor_view in = vrs_session_input(session, k);

		for (size_t i = 0; in.data && i < in.elements; i++)
			in.data[i] = 1;
	}
}

static enum vrs_status one_session(int number, const char *path, struct vrs_error *err)
{
	static const enum vrs_precision precisions[] = {VRS_PRECISION_FP32, VRS_PRECISION_FP16, VRS_PRECISION_BF16};
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_model *model = NULL;
	enum vrs_status status = vrs_model_load(&model, path, err);

	options.backend = number % 16 == 15 ? "ref" : "cpu";
	options.precision = number % 16 == 15 ? VRS_PRECISION_FP32 : precisions[number / 16 % 3];
	options.threads = 1 + number % 3;
	if (status == VRS_OK)
		status = vrs_session_create(&session, model, &options, err);
	if (status == VRS_OK) {
		write_ones(session);
		status = vrs_session_run(session, err);
	}
	vrs_session_destroy(session);
	vrs_model_destroy(model);
	return status;
}

static int judge(int sessions, const struct held *first, const struct held *last)
{
	bool flat = last->live_bytes == first->live_bytes && last->threads == first->threads && last->descriptors == first->descriptors &&
		    (double)last->rss_bytes <= (double)first->rss_bytes * 1.01 + (1 << 20);

	printf("%s: %d sessions: %.1f to %.1f MiB resident, %llu to %llu bytes allocated, %d to %d threads, %d to %d descriptors\n",
	       flat ? "flat" : "GROWN", sessions, (double)first->rss_bytes / (1 << 20), (double)last->rss_bytes / (1 << 20),
	       (unsigned long long)first->live_bytes, (unsigned long long)last->live_bytes, first->threads, last->threads, first->descriptors,
	       last->descriptors);
	return flat ? 0 : 1;
}

int main(int argc, char **argv)
{
	int sessions = argc > 2 ? atoi(argv[1]) : 0;
	struct held first = {0};
	struct vrs_error err = {0};

	if (sessions < 10) {
		fputs("usage: sessions N MODEL..., with N of at least 10\n", stderr);
		return 2;
	}
	for (int i = 0; i < sessions; i++) {
		if (i == sessions / 10)
			first = held_now();
		if (one_session(i, argv[2 + i % (argc - 2)], &err) != VRS_OK) {
			fprintf(stderr, "session %d: %s\n", i, err.text);
			return 1;
		}
	}
	struct held last = held_now();
	return judge(sessions, &first, &last);
}
