/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assertions: invariants of our own code, checked in builds that look for faults.  Never for what a user, a file or the system may get wrong: such
 * errors are statuses, in every build.
 *
 * cmake/options.cmake defines VRS_ASSERTIONS for build type Debug or None, for sanitizers and for fuzzing.  Without it the condition is compiled, so
 * that it stays correct and its variables count as used, but it is not evaluated: it must have no side effects.
 */
#ifndef VRS_BASE_ASSERT_H
#define VRS_BASE_ASSERT_H

#ifdef VRS_ASSERTIONS
/* Writes "FILE:LINE: FUNCTION: assertion failed: CONDITION" to stderr and aborts. Thread-safe. */
#define VRS_ASSERT(condition) ((condition) ? (void)0 : vrs_assert_fail(#condition, __FILE__, __LINE__, __func__))
#else
#define VRS_ASSERT(condition) ((void)(0 && (condition)))
#endif

_Noreturn void vrs_assert_fail(const char *condition, const char *file, int line, const char *function) __attribute__((cold));

#endif
