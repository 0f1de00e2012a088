/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a, 64 bits (Fowler, Noll, Vo), and the same over words. */
#include "base/hash.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <string.h>

#include "base/little_endian.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t vrs_hash(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		seed = (seed ^ bytes[i]) * FNV_PRIME;
	return seed;
}

/* Finalizer of MurmurHash3 (Appleby, public domain): every input bit changes every output bit with probability 1/2. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

uint64_t vrs_hash_block(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t lanes[4] = {seed, mix(seed + 1), mix(seed + 2), mix(seed + 3)};
	size_t left = len;

	for (; left >= 32; left -= 32, p += 32)
		for (int i = 0; i < 4; i++) {
			uint64_t x = (lanes[i] ^ vrs_load_le64(p + 8 * i)) * FNV_PRIME;

			lanes[i] = x ^ x >> 32; /* a product only carries upwards */
		}
	for (int i = 0; i < 4; i++)
		seed = mix(seed ^ lanes[i]);
	return mix(vrs_hash(seed, p, left) ^ len);
}

uint64_t vrs_hash_str(uint64_t seed, const char *s)
{
	return vrs_hash(seed, s, strlen(s));
}

void vrs_sha256_end(struct sha256_ctx *sum, char ret_hex[65])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sum, sizeof digest, digest);
	base16_encode_update(ret_hex, sizeof digest, digest);
	ret_hex[2 * sizeof digest] = '\0';
}

void vrs_sha256(const void *data, size_t len, char ret_hex[65])
{
	struct sha256_ctx sum;

	sha256_init(&sum);
	sha256_update(&sum, len, data);
	vrs_sha256_end(&sum, ret_hex);
}
