/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "exact.h"
#include "text_number.h"

#define MAX_FILES 4096
#define MOST_BYTES 65536 /* as tests/fuzz/run.sh has it */
#define MOST_STEPS 6    /* changes of one input */

struct corpus {
	struct vrs_buf file[MAX_FILES];
	size_t count;
};

struct input {
	uint8_t bytes[MOST_BYTES];
	size_t size;
};

/* In the order of their names, so that a number means the same input on every machine. */
static bool read_folder(struct corpus *corpus, const char *folder)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, NULL, alphasort);
	bool good = n >= 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];
		struct vrs_buf *file = &corpus->file[corpus->count];

		if (good && entries[i]->d_name[0] != '.' && corpus->count < MAX_FILES) {
			good = vrs_path_join(path, sizeof path, folder, entries[i]->d_name) == VRS_OK &&
			       vrs_file_read(path, MOST_BYTES, file, NULL) == VRS_OK;
			corpus->count += good;
		}
		free(entries[i]); /* libc: of scandir */
	}
	free(entries); /* libc: of scandir */
	if (!good)
		fprintf(stderr, "cannot read the corpus %s\n", folder);
	return good;
}

static size_t below(struct vrs_rng *rng, size_t n)
{
	return n > 0 ? (size_t)vrs_rng_below(rng, n) : 0;
}

/* Room of `length` bytes at `at`, as much of it as there is. */
static size_t make_room(struct input *in, size_t at, size_t length)
{
	if (length > MOST_BYTES - in->size)
		length = MOST_BYTES - in->size;
	memmove(in->bytes + at + length, in->bytes + at, in->size - at);
	in->size += length;
	return length;
}

static void remove_block(struct input *in, size_t at, size_t length)
{
	memmove(in->bytes + at, in->bytes + at + length, in->size - at - length);
	in->size -= length;
}

/* A number that stands at an edge of some type, of 1, 2, 4 or 8 bytes. */
static void put_number(struct vrs_rng *rng, struct input *in)
{
	static const int64_t numbers[] = {0, 1, -1, 127, 128, 255, 256, 32767, 65535, 65536, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};
	int64_t number = numbers[below(rng, sizeof numbers / sizeof *numbers)];
	size_t width = (size_t)1 << below(rng, 4);

	if (in->size >= width)
		memcpy(in->bytes + below(rng, in->size - width + 1), &number, width); /* little endian, as the formats are */
}

/* A block of a file of the corpus put in, or over what is there. */
static void put_block(struct vrs_rng *rng, struct input *in, const struct corpus *corpus)
{
	const struct vrs_buf *from = &corpus->file[below(rng, corpus->count)];
	size_t begin = below(rng, from->len), length = below(rng, from->len - begin) + 1, at = below(rng, in->size + 1);

	if (from->len == 0)
		return;
	if (below(rng, 2))
		length = make_room(in, at, length);
	else if (length > in->size - at)
		length = in->size - at;
	if (length > 0)
		memcpy(in->bytes + at, from->data + begin, length);
}

static void change(struct vrs_rng *rng, struct input *in, const struct corpus *corpus)
{
	size_t at = below(rng, in->size), length = below(rng, in->size - at < 64 ? in->size - at : 64);

	switch (in->size > 0 ? below(rng, 8) : 7) {
	case 0:
		in->bytes[at] ^= (uint8_t)(1u << below(rng, 8));
		break;
	case 1:
		in->bytes[at] = (uint8_t)below(rng, 256);
		break;
	case 2:
		put_number(rng, in);
		break;
	case 3:
		remove_block(in, at, length);
		break;
	case 4:
		in->size = at;
		break;
	case 5:
		(void)make_room(in, at, length); /* the block stands there twice */
		break;
	case 6:
		in->size = change_text_number(rng, in->bytes, in->size, MOST_BYTES);
		break;
	default:
		put_block(rng, in, corpus);
	}
}

static void make_input(uint64_t number, const struct corpus *corpus, struct input *in)
{
	struct vrs_rng rng;

	vrs_rng_init(&rng, number);
	const struct vrs_buf *from = &corpus->file[below(&rng, corpus->count)];

	in->size = from->len;
	if (in->size > 0)
		memcpy(in->bytes, from->data, in->size);
	for (size_t steps = below(&rng, MOST_STEPS) + 1; steps > 0; steps--)
		change(&rng, in, corpus);
}

/* The content of an open file is these bytes. */
static bool note(int fd, const void *data, size_t size)
{
	return ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size;
}

static int open_state(const char *state, const char *suffix)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof path, "%s%s", state, suffix) >= sizeof path)
		return -1;
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}

static bool run_inputs(double seconds, const struct corpus *corpus, int next, int now)
{
	static struct input in;
	uint64_t end = vrs_cpu_ns() + (uint64_t)(seconds * 1e9), first, number;
	char text[32] = "";

	number = first = pread(next, text, sizeof text - 1, 0) > 0 ? strtoull(text, NULL, 10) : 0;
	while (vrs_cpu_ns() < end) {
		make_input(number, corpus, &in);
		int length = snprintf(text, sizeof text, "%" PRIu64 "\n", number);

		if (!note(next, text, (size_t)length) || !note(now, in.bytes, in.size))
			return false;
		run_exact(in.bytes, in.size, SIZE_MAX, 0);
		number++;
	}
	printf("inputs %" PRIu64 " to %" PRIu64 "\n", first, number);
	return note(next, text, (size_t)snprintf(text, sizeof text, "%" PRIu64 "\n", number));
}

bool mutate_for(double seconds, const char *state, char **folders, int count)
{
	static struct corpus corpus;
	int next = open_state(state, ".next"), now = open_state(state, ".input");
	bool good = next >= 0 && now >= 0;

	if (!good)
		fprintf(stderr, "cannot write %s.next and %s.input\n", state, state);
	for (int i = 0; good && i < count; i++)
		good = read_folder(&corpus, folders[i]);
	good = good && corpus.count > 0 && run_inputs(seconds, &corpus, next, now);
	for (size_t i = 0; i < corpus.count; i++)
		vrs_buf_fini(&corpus.file[i]);
	if (next >= 0)
		(void)close(next);
	if (now >= 0)
		(void)close(now);
	return good;
}
