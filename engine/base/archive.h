/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values into a file, and out of it again: one routine of an object names its values, and writes or reads them, so that both sides cannot differ.
 *
 * Whoever wrote what is read may mean harm: values of another range than the routine states make the archive damaged, and nothing more is read then.
 * A damaged archive leaves an object half filled, which is good for nothing but being destroyed.  Values lie as the machine has them in memory, so
 * that archives are for the build that wrote them.  One thread at a time.
 */
#ifndef VRS_BASE_ARCHIVE_H
#define VRS_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vrseg/frame.h>

struct vrs_archive {
	FILE *to;                /* NULL: values are read */
	const uint8_t *from;     /* [size], where they are read */
	size_t size, at;         /* at: bytes so far */
	bool damaged;            /* or what was written did not fit on the disk */
};

struct vrs_archive vrs_archive_writer(FILE *to);
struct vrs_archive vrs_archive_reader(const void *from, size_t size);

/* All of these are false once the archive is damaged. Values that are written lie in the range that is stated. */
bool vrs_archive_flag(struct vrs_archive *archive, bool *value);
bool vrs_archive_int(struct vrs_archive *archive, int *value, int min, int max);
bool vrs_archive_u32(struct vrs_archive *archive, uint32_t *value);
bool vrs_archive_u64(struct vrs_archive *archive, uint64_t *value, uint64_t max);
/* min less than max: no NaN either. */
bool vrs_archive_double(struct vrs_archive *archive, double *value, double min, double max);
/* n floats of any value. */
bool vrs_archive_floats(struct vrs_archive *archive, float *values, size_t n);
/* n alphas: 0..1, and what rounding adds. */
bool vrs_archive_alpha(struct vrs_archive *archive, float *values, size_t n);
bool vrs_archive_bytes(struct vrs_archive *archive, uint8_t *values, size_t n);
/* A part of an eye, which begins in it and goes on at its left edge where that is a circle (of the picture's format). */
bool vrs_archive_part(struct vrs_archive *archive, struct vrs_rect *part, const struct vrs_rect *eye, int circle);
/* A rule about values that were read; those that are written keep it. */
bool vrs_archive_require(struct vrs_archive *archive, bool holds);
/* A place that has to be the same on both sides: routines that differ are noticed. */
bool vrs_archive_mark(struct vrs_archive *archive, uint32_t mark);
/* All was read, or written; a stream is flushed. */
bool vrs_archive_end(struct vrs_archive *archive);

#endif
