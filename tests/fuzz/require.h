/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold for every input, in builds without assertions as well: if it does not, the target ends as at a crash. */
#ifndef TESTS_FUZZ_REQUIRE_H
#define TESTS_FUZZ_REQUIRE_H

#include <stdbool.h>
#include <stdlib.h>

static inline void require(bool condition)
{
	if (!condition)
		abort();
}

#endif
