/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of a cache whose files are named by a key in hexadecimal digits and an extension: the least recently used go first. */
#ifndef VRS_BASE_CACHE_FOLDER_H
#define VRS_BASE_CACHE_FOLDER_H

#include <stddef.h>

/* Mark a file as used now; only the order of removal depends on it. Failures are silent. */
void vrs_cache_touch(const char *path);
/*
 * Remove the least recently used files of the folder, named by `digits` hexadecimal digits and the extension (".bin"), until those that stay have at
 * most max_bytes together, and temporary files whose writers are gone.  Everything else there stays.  Failures are silent.  Thread-safe, also beside
 * other processes.
 */
void vrs_cache_trim(const char *folder, size_t digits, const char *extension, double max_bytes);

#endif
