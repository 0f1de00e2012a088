/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void vrs_assert_fail(const char *condition, const char *file, int line, const char *function)
{
	/* Not through the log, whose lock or level may be what failed. */
	fprintf(stderr, "%s:%d: %s: assertion failed: %s\n", file, line, function, condition); /* libc: the process ends here */
	abort(); /* libc: a broken invariant leaves nothing to return to */
}
