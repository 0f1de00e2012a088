/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises an input file again: its size, its time of change, and a hash over samples of its content. */
#ifndef VRS_JOB_INPUT_IDENTITY_H
#define VRS_JOB_INPUT_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_input_identity {
	int64_t size, mtime_ns;
	uint64_t sample;  /* hash of the ends and of sixteen places between */
};

/* VRS_ENOTFOUND, VRS_EIO, VRS_EUNSUPPORTED: no regular file, or one that names others (base/playlist.h). */
enum vrs_status vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
bool vrs_input_identity_same(const struct vrs_input_identity *a, const struct vrs_input_identity *b);

#endif
