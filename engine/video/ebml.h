/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of EBML, of which Matroska and WebM files are made. */
#ifndef VRS_VIDEO_EBML_H
#define VRS_VIDEO_EBML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VRS_EBML_HEAD_BYTES 12 /* of an element: identifier and size */
#define VRS_MATROSKA_SEGMENT 0x18538067

struct vrs_ebml_element {
	uint32_t id;
	int64_t begin, end; /* of the payload */
};

/* An element at `at`, of which `count` bytes are known, inside of what ends at `end`.  False: it is none, does not fit, or does not tell its size. */
bool vrs_ebml_parse(const uint8_t *data, size_t count, int64_t at, int64_t end, struct vrs_ebml_element *ret);
/*
 * Where a Matroska file ends by its own word; 0: it is none, cannot be read, or does not say, as while it is written, and where it was written to a
 * pipe.
 */
int64_t vrs_matroska_stated_end(const char *path);

#endif
