/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognises an input file again, wherever it lies by then: by its size and a hash of all its bytes.  Where a large one lies and when it was changed,
 * with a hash over samples of it, tells that nobody has touched it since, so that it is not read again.
 */
#ifndef VRS_JOB_INPUT_IDENTITY_H
#define VRS_JOB_INPUT_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

#define VRS_INPUT_SMALL (INT64_C(64) << 20) /* up to this size files are always read: that takes 30 ms */

struct vrs_input_identity {
	int64_t size, mtime_ns;
	uint64_t content;       /* hash of all bytes; 0: not read */
	uint64_t sample;        /* hash of the ends and of sixteen places between */
	int64_t device, inode;
	int64_t ctime_ns;       /* of the last change of anything, which no program sets; 0: so late that another one may have the same */
};

/* All but the content. VRS_ENOTFOUND, VRS_EIO, VRS_EUNSUPPORTED: no regular file, or one that names others (base/playlist.h). */
enum vrs_status vrs_input_identity_look(struct vrs_input_identity *ret_identity, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The whole identity.  known: of this or another file, read before (NULL: none); if it is of this very file, and that is large and untouched, the
 * content comes from there; else the file is read.  Statuses of vrs_input_identity_look; VRS_EIO: also where it changes meanwhile; VRS_ESTOPPED.
 */
enum vrs_status vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path, const struct vrs_input_identity *known,
					struct vrs_error *err) VRS_MUST_CHECK;
/* Is it the same content? Both were read. */
bool vrs_input_identity_same(const struct vrs_input_identity *a, const struct vrs_input_identity *b);
/* Do two looks find the same: size, time and samples?  Enough for a file of our own making. */
bool vrs_input_identity_looks_same(const struct vrs_input_identity *a, const struct vrs_input_identity *b);

#endif
