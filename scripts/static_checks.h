/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Included before every file by clang-tidy and gcc -fanalyzer, which follow calls within one file only: these functions return the status that they
 * are given.  Without that they take every failure for a possible success, after which nothing has been written.
 */
#ifndef VRS_SCRIPTS_STATIC_CHECKS_H
#define VRS_SCRIPTS_STATIC_CHECKS_H

#include <vrseg/status.h>

static inline enum vrs_status vrs_given(enum vrs_status returned, enum vrs_status given)
{
	(void)returned;
	return given;
}

#define vrs_fail(err, status, ...) vrs_given(vrs_fail(err, status, __VA_ARGS__), status)
#define vrs_fail_at(err, status, ...) vrs_given(vrs_fail_at(err, status, __VA_ARGS__), status)
#define vrs_fail_nomem(err) vrs_given(vrs_fail_nomem(err), VRS_ENOMEM)

#endif
