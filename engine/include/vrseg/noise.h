/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What disturbs a measurement, as counters at one moment: read it before and after a run, and compare.
 *
 * What cannot be observed is NaN, -1 or "": it never means that there was none.  Reads go below $VRSEG_ROOT as in vrseg/machine.h; the two
 * clocks are always those of the running system.
 */
#ifndef VRSEG_NOISE_H
#define VRSEG_NOISE_H

#include <stdint.h>

struct vrs_noise_reading {
	uint64_t monotonic_ns, boottime_ns; /* they drift apart by the time that the system slept */
	int cpus;                  /* processors that this process may use; the two times below are theirs. 0: not observable */
	double busy_seconds;       /* of all processes and the kernel since boot, resolution 10 ms; NaN */
	double steal_seconds;      /* taken by the hypervisor since boot; NaN where none was ever reported */
	double clock_mhz;          /* the fastest processor now; NaN */
	int64_t swapped_in_pages;  /* since boot, all processes; -1 */
	int64_t oom_kills;         /* since boot; -1 */
	int64_t throttle_events;   /* of cores and packages since boot; -1 */
	char governor[24];         /* "mixed" where processors differ; "" */
	int turbo, battery;        /* 1, 0; -1: not observable */
};

/* Read all of it, in a millisecond or so. Any thread. */
void vrs_noise_read(struct vrs_noise_reading *ret_reading);
/* clock_mhz alone, for samples during a run; NaN: not observable. */
double vrs_noise_clock_mhz(void);

#endif
