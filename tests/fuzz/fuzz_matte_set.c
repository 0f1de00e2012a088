/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of mattes in the results folder of a stranger: no input harms, and a set that is taken has mattes of possible sizes, which can be compared
 * with those of a run wherever they lie.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/record/matte_score.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entry(const struct vrs_matte_entry *entry)
{
	size_t pixels = (size_t)entry->width * (size_t)entry->height, sum = 0;

	require(entry->index >= 0 && (entry->eye == 0 || entry->eye == 1) && entry->width >= 1 && entry->width <= VRS_MATTE_SET_SIDE &&
		entry->height >= 1 && entry->height <= VRS_MATTE_SET_SIDE && entry->covers.width >= 1 && entry->covers.height >= 1);
	for (size_t i = 0; i < pixels; i++)
		sum += entry->data[i]; /* a sanitizer sees what is not there */
	require(sum <= 255 * pixels);
}

/* The matte that this machine made of the first frame. */
static void compare(const struct vrs_matte_set *reference)
{
	static uint8_t pixels[48];
	const struct vrs_matte matte = {.width = 8, .height = 6, .stride = 8, .data = pixels};
	const struct vrs_rect covers = {3, 1, 60, 40};
	struct vrs_matte_set own;
	struct vrs_matte_score score;

	pixels[20] = pixels[21] = 255;
	vrs_matte_set_init(&own, 64, 48);
	for (int eye = 0; eye < 2; eye++)
		require(vrs_matte_set_add(&own, 0, eye, &matte, &covers) == VRS_OK);
	for (own.circle = 0; own.circle <= 64; own.circle += 64)
		if (vrs_matte_set_compare(&own, reference, &score) == VRS_OK)
			require(score.frames > 0 && score.iou >= 0 && score.iou <= 1 && score.mad >= 0 && score.mad <= 1);
	vrs_matte_set_fini(&own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_matte_set set;
	struct vrs_error err = {.status = VRS_OK};
	char path[64];
	int fd = memfd_create("mattes", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (vrs_matte_set_read(&set, path, &err) == VRS_OK) {
		for (size_t i = 0; i < set.count; i++)
			check_entry(&set.entries[i]);
		compare(&set);
		vrs_matte_set_fini(&set);
	} else {
		require(err.text[0]);
	}
	close(fd);
	return 0;
}
