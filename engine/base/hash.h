/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 64-bit content hash (FNV-1a), for keys and change detection; not for security; and SHA-256, for what must be that very content. */
#ifndef VRS_BASE_HASH_H
#define VRS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct sha256_ctx; /* of libnettle */

#define VRS_HASH_INIT UINT64_C(0xcbf29ce484222325)
uint64_t vrs_hash(uint64_t seed, const void *data, size_t len);
uint64_t vrs_hash_str(uint64_t seed, const char *s);
/* Another hash, for large blocks: reads 32 bytes at a time (own construction: FNV steps on 64-bit words with an avalanche at the end). */
uint64_t vrs_hash_block(uint64_t seed, const void *data, size_t len);
/* SHA-256 as 64 lower-case hexadecimal digits. */
void vrs_sha256(const void *data, size_t len, char ret_hex[65]);
/* The same of what was given to sha256_update of libnettle so far; sum begins anew. */
void vrs_sha256_end(struct sha256_ctx *sum, char ret_hex[65]);

#endif
