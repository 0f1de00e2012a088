/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of techniques, and of sweeps, from untrusted hands: no input harms, and what is accepted has whole pairs of options that exist, or a reason,
 * or axes with values.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/plan/sweep.h"
#include "bench/plan/technique.h"
#include "libfyaml_leak.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_side(const struct vrs_technique_side *side)
{
	require(side->count >= 1 && side->count <= VRS_TECHNIQUE_MAX_VALUES);
	for (int i = 0; i < side->count; i++)
		require(vrs_option_find(side->values[i].key) != NULL);
}

static void read_sweep(const uint8_t *data, size_t size)
{
	static struct vrs_sweep sweep;
	struct vrs_error err = {.status = VRS_OK};
	char path[64];
	int fd = memfd_create("sweep", MFD_CLOEXEC);
	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	sweep = (struct vrs_sweep){.filter = NULL};
	if (vrs_sweep_load(&sweep, path, &err) == VRS_OK) {
		require(sweep.axis_count >= 0 && sweep.axis_count <= VRS_SWEEP_MAX_AXES);
		for (int i = 0; i < sweep.axis_count; i++)
			require(sweep.axes[i].key[0] && sweep.axes[i].count >= 1 && sweep.axes[i].count <= VRS_SWEEP_MAX_VALUES);
	} else {
		require(err.text[0]);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct vrs_technique_list list;
	struct vrs_error err = {.status = VRS_OK};
	char *text = malloc(size + 1); /* no zero inside a promise: the parser gets the length */
	require(text != NULL);
	memcpy(text, data, size);
	text[size] = 0;
	if (vrs_technique_list_parse(&list, text, size, "techniques.yaml", &err) == VRS_OK) {
		require(list.count >= 1 && list.count <= VRS_TECHNIQUES_MAX);
		for (int i = 0; i < list.count; i++) {
			const struct vrs_technique *t = &list.items[i];
			require(t->name[0] && (t->kind == VRS_TECHNIQUE_PAIR) == (t->reason[0] == 0));
			if (t->kind == VRS_TECHNIQUE_PAIR) {
				check_side(&t->off);
				check_side(&t->on);
			}
		}
	} else {
		require(err.text[0]);
	}
	free(text);
	read_sweep(data, size);
	return 0;
}
