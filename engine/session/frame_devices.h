/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the devices of this build's backends do with whole frames.  Apart from backend_list.h, so that those who compose know nothing of graphs. */
#ifndef VRS_SESSION_FRAME_DEVICES_H
#define VRS_SESSION_FRAME_DEVICES_H

#include "backend/frame_device.h"

/* Those of a backend, by its name or "auto"; NULL: it has none, or there is no such backend. Thread-safe; it lives for ever. */
const struct vrs_frame_device *vrs_frame_device_find(const char *backend);

#endif
