/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiled programs of devices on disk: one file for each device, driver, build options and source text, in the folder `programs` of the cache
 * folder.  A file is only an advice: one that is foreign, truncated or changed is as good as none, and failures to read cost a line of the debug
 * log.  The binary in it may be native code, so files that belong to another user, or that everybody may write, are not taken.
 *
 * Format, little-endian: "VRSCLBIN", uint64 version (1), uint64 bytes of the key, uint64 bytes of the binary, the key, the binary, at the end the
 * uint64 vrs_hash_block of everything before.
 */
#ifndef VRS_OPENCL_OCL_PROGRAM_CACHE_H
#define VRS_OPENCL_OCL_PROGRAM_CACHE_H

#include <limits.h>

#include "opencl/ocl_context.h"

#define VRS_OCL_BINARY_MAX (UINT64_C(64) << 20)   /* bytes of one program */
#define VRS_OCL_PROGRAMS_MAX (UINT64_C(256) << 20) /* bytes of all files: the least recently used are removed */

struct vrs_ocl_program_key {
	char text[2048];      /* platform, device, device version, driver version, build options, SHA-256 of the source: a line each */
	char path[PATH_MAX];  /* the file */
};

/* False: there is no cache folder (neither XDG_CACHE_HOME nor HOME), or a text is too long. Makes no folder. Thread-safe. */
bool vrs_ocl_program_key_make(struct vrs_ocl_program_key *ret_key, const struct vrs_ocl_caps *caps, const char *options, const char *source,
			      size_t length);
/* The binary of the key, which the caller frees (vrs_free); NULL: there is none. Thread-safe, also beside other processes. */
void *vrs_ocl_program_cache_load(const struct vrs_ocl_program_key *key, size_t *ret_size);
/* Can the key's folder be written to, or be made?  Makes none; what else may fail shows when something is saved.  Thread-safe. */
bool vrs_ocl_program_cache_can_save(const struct vrs_ocl_program_key *key);
/*
 * Keep, or replace; makes room for it.  VRS_ELIMIT: the binary is empty, or above VRS_OCL_BINARY_MAX; VRS_ENOMEM; statuses of vrs_mkdirs and
 * vrs_file_replace_own.  Thread-safe, also beside other processes.
 */
enum vrs_status vrs_ocl_program_cache_save(const struct vrs_ocl_program_key *key, const void *binary, size_t size, struct vrs_error *err);
/*
 * The binary inside the bytes of a file.  VRS_EFORMAT: not a whole, unchanged file of this key (key: the text of struct vrs_ocl_program_key).
 * Thread-safe.
 */
enum vrs_status vrs_ocl_program_cache_parse(const void *data, size_t size, const char *key, const void **ret_binary, size_t *ret_size);

#endif
