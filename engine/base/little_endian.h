/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 64-bit words as files have them, little-endian, at any address. */
#ifndef VRS_BASE_LITTLE_ENDIAN_H
#define VRS_BASE_LITTLE_ENDIAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t vrs_load_le64(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return le64toh(word);
}

static inline void vrs_store_le64(unsigned char *p, uint64_t word)
{
	word = htole64(word);
	memcpy(p, &word, sizeof word);
}

#endif
