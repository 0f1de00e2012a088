/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What options of a session can be. */
#ifndef VRS_SESSION_SESSION_OPTIONS_H
#define VRS_SESSION_SESSION_OPTIONS_H

#include <vrseg/session.h>

/* VRS_EINVAL: a value is out of range, or the precision needs a calibration that is not there; err says which and what is possible. Thread-safe. */
enum vrs_status vrs_session_options_check(const struct vrs_session_options *options, struct vrs_error *err);

#endif
