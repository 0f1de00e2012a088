/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops behind vrs_machine_ceilings, one set per instruction set.  They compute something that depends on every element, so that nothing can be
 * left out, and carry no sanitizer checks, which would be what is measured.  And the threads that run them together.
 */
#ifndef VRS_MACHINE_PROBE_H
#define VRS_MACHINE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#define VRS_PROBE_RAW __attribute__((no_sanitize("address", "undefined", "thread"), noinline))

struct vrs_probe_kernels {
	/* `rounds` rounds of independent multiply-adds in registers; returns the floating-point operations, *ret_sink depends on all of them. */
	uint64_t (*fma)(uint64_t rounds, float *ret_sink);
	/* a[i] = b[i] + s * c[i] for n floats, a multiple of 64, 64-byte aligned. */
	void (*triad)(float *a, const float *b, const float *c, float s, size_t n);
};

extern const struct vrs_probe_kernels vrs_probe_kernels_ref, vrs_probe_kernels_avx2, vrs_probe_kernels_avx512;

/*
 * Threads that repeat one piece of work in lockstep: call first(cookie, index) (NULL: nothing) once and then work(cookie, index) again and again,
 * on `threads` threads at the same time (the caller is index 0), until budget_ns are over; all start every pass together.  Returns the nanoseconds
 * of the fastest pass, from the common start to the end of the last thread; 0: the threads could not be made.
 */
uint64_t vrs_probe_team(int threads, void (*first)(void *cookie, int index), void (*work)(void *cookie, int index), void *cookie,
			uint64_t budget_ns);

#endif
