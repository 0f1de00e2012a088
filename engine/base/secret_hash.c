/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/secret_hash.h"

#include <sys/random.h>

#include "base/little_endian.h"

void vrs_secret_init(struct vrs_secret *secret)
{
	if (getrandom(secret->key, sizeof secret->key, 0) == sizeof secret->key)
		return;
	secret->key[0] = (uint64_t)(uintptr_t)secret; /* no random numbers: places in memory are better than nothing */
	secret->key[1] = (uint64_t)(uintptr_t)&getrandom;
}

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
	for (int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32) + v[3];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

uint64_t vrs_secret_hash(const struct vrs_secret *secret, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t k0 = secret->key[0], k1 = secret->key[1], word = (uint64_t)len << 56;
	uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d), k0 ^ UINT64_C(0x6c7967656e657261),
		k1 ^ UINT64_C(0x7465646279746573)};
	size_t left = len;

	for (; left >= 8; left -= 8, p += 8) {
		uint64_t x = vrs_load_le64(p);

		v[3] ^= x;
		mix(v, 2);
		v[0] ^= x;
	}
	for (size_t i = 0; i < left; i++)
		word |= (uint64_t)p[i] << 8 * i;
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
