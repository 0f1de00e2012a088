/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status values and error context.
 *
 * Every fallible function returns enum vrs_status.  Functions that can say more take a last argument `struct vrs_error *err`
 * (may be NULL): on failure it holds one clear sentence, and for parsers the file, line and column.  Out parameters (`ret_x`)
 * are written only on success.
 */
#ifndef VRSEG_STATUS_H
#define VRSEG_STATUS_H

#ifdef __GNUC__
#define VRS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define VRS_MUST_CHECK __attribute__((warn_unused_result))
#else
#define VRS_PRINTF(fmt, args)
#define VRS_MUST_CHECK
#endif

enum vrs_status {
#define X(name, value, text) name = value,
#include <vrseg/status_list.h>
#undef X
};

#define VRS_STATUS_LAST VRS_ENOSPC /* the list counts down */

/* Returns the fixed English text of a status; never NULL. Thread-safe. */
const char *vrs_status_str(enum vrs_status status);
/* Returns the identifier, for example "VRS_EIO"; never NULL. Thread-safe. */
const char *vrs_status_name(enum vrs_status status);

/* VRS_EIO, VRS_ENOSPC, VRS_ENOMEM: the next attempt may succeed, so no other way of making an output is chosen for it.  Thread-safe. */
static inline int vrs_status_may_pass(enum vrs_status status)
{
	return status == VRS_EIO || status == VRS_ENOSPC || status == VRS_ENOMEM;
}

/* What went wrong, where.  Plain data, no ownership: `text` is a complete sentence without final newline. */
struct vrs_error {
	enum vrs_status status;
	int line;   /* 1-based; 0: not known */
	int column; /* 1-based; 0: not known */
	char file[256];
	char text[512];
};

/*
 * Fill err (NULL is allowed) and return status, so that callers write `return vrs_fail(err, VRS_EIO, "cannot ...")`.
 * Secrets of addresses in the sentence (rtsp://user:password@host) are hidden.  Leaves file, line and column alone unless err->status was VRS_OK,
 * in which case it clears them.
 */
enum vrs_status vrs_fail(struct vrs_error *err, enum vrs_status status, const char *fmt, ...) VRS_PRINTF(3, 4);

/* Same with a place; line and column may be 0. */
enum vrs_status vrs_fail_at(struct vrs_error *err, enum vrs_status status, const char *file, int line, int column, const char *fmt, ...)
	VRS_PRINTF(6, 7);
/* Same as vrs_fail for VRS_ENOMEM: lack of memory reads the same everywhere. */
enum vrs_status vrs_fail_nomem(struct vrs_error *err);

/*
 * Render err as "file:line:column: text" (parts that are not known are left out) into buf, always terminated.
 * Returns buf.
 */
const char *vrs_error_str(const struct vrs_error *err, char *buf, unsigned long size);

/*
 * The exit code (vrseg/exit_codes.h) that a program returns for a status: usage for VRS_ECONFIG, VRS_EINVAL and VRS_EEXIST, stopped for
 * VRS_ESTOPPED, failure for every other one.  Thread-safe.
 */
int vrs_exit_code(enum vrs_status status);

#endif
