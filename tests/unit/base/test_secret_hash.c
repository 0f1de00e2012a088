/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/secret_hash: the values of SipHash-2-4 that its authors publish, and keys that differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/secret_hash.h"

/* Key 00 01 .. 0f, data 00 01 .. of a length: vectors.h of the reference implementation, and appendix A of the paper. */
static void published_values(void **state)
{
	static const struct { size_t length; uint64_t hash; } cases[] = {{0, UINT64_C(0x726fdb47dd0e0e31)}, {15, UINT64_C(0xa129ca6149be45e5)}};
	const struct vrs_secret secret = {{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};
	unsigned char data[16];

	(void)state;
	for (unsigned i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)i;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(vrs_secret_hash(&secret, data, cases[i].length) == cases[i].hash);
}

static void keys_differ(void **state)
{
	struct vrs_secret a, b;

	(void)state;
	vrs_secret_init(&a);
	vrs_secret_init(&b);
	assert_true(a.key[0] != b.key[0] && a.key[1] != b.key[1]);
	assert_true(vrs_secret_hash(&a, "name", 4) != vrs_secret_hash(&b, "name", 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(published_values), cmocka_unit_test(keys_differ)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
