/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backends of this build. */
#ifndef VRS_SESSION_BACKEND_LIST_H
#define VRS_SESSION_BACKEND_LIST_H

#include "backend/backend.h"

/*
 * The backend of a name; NULL and "auto": the first of the list.  VRS_ENOTFOUND: there is none, err names those that are there.  Thread-safe; the
 * backend lives for ever.
 */
enum vrs_status vrs_backend_find(const struct vrs_backend **ret_backend, const char *name, struct vrs_error *err);
#endif
