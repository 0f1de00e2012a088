/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observes the machine while one run lasts: a reading before, clock samples from a thread, a reading after. */
#ifndef VRS_BENCH_NOISE_WATCH_H
#define VRS_BENCH_NOISE_WATCH_H

#include "bench/judge/noise_gate.h"

struct vrs_noise_watch; /* opaque */

/* Begin. NULL: out of memory or no thread; the run goes on unobserved. The caller ends it with vrs_noise_watch_end. */
struct vrs_noise_watch *vrs_noise_watch_begin(void);
/* End and release. *ret_seen holds all but best_mhz and partner_mhz, which are NaN. False: watch was NULL. */
bool vrs_noise_watch_end(struct vrs_noise_watch *watch, struct vrs_noise_seen *ret_seen);

#endif
