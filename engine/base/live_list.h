/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playlists (base/playlist.h) that a recorder still writes: FFmpeg reads them again and again, and waits for what they are going to name. */
#ifndef VRS_BASE_LIVE_LIST_H
#define VRS_BASE_LIVE_LIST_H

#include <stdbool.h>

/*
 * True for an HLS playlist without an end mark, for a DASH manifest of type dynamic, and for a playlist that names such a one.  path: as
 * vrs_path_opened takes it.  False also for what cannot be read, or has more than 16 MiB, by itself or with what it names.  Thread-safe.
 */
bool vrs_live_list_is(const char *path);

#endif
