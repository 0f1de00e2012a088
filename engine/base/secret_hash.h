/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012): 64 bits under a secret key, for tables whose keys come from files.  Without the key nobody can choose
 * keys that meet in one slot.  Its values differ from run to run: not for keys that are stored (base/hash.h).
 */
#ifndef VRS_BASE_SECRET_HASH_H
#define VRS_BASE_SECRET_HASH_H

#include <stddef.h>
#include <stdint.h>

struct vrs_secret {
	uint64_t key[2];
};
/* A random key, one for each table. */
void vrs_secret_init(struct vrs_secret *secret);
uint64_t vrs_secret_hash(const struct vrs_secret *secret, const void *data, size_t len);

#endif
