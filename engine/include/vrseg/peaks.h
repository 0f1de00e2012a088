/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The best that this machine was ever seen to do.  A probe on a busy or throttled machine measures the disturbance: rates of multiply-adds differed
 * by a factor of three within minutes.  So several short probes are taken, implausible ones are left out, the best is kept in the state folder,
 * STATE/peaks/FINGERPRINT-ISA-THREADS.json, and whoever computes a share of a peak takes the best known one.
 */
#ifndef VRSEG_PEAKS_H
#define VRSEG_PEAKS_H

#include <vrseg/machine.h>

#define VRS_PEAK_PROBES 3 /* before a measurement: a second and a half; a third of it where the first one comes near what is kept */

/* One probe: vrs_machine_ceilings, or what a test puts in its place. */
typedef enum vrs_status (*vrs_peak_probe)(const struct vrs_machine *machine, int threads, struct vrs_probe_memory *memory,
					  struct vrs_ceilings *ret_ceilings, struct vrs_error *err);

struct vrs_peaks {
	struct vrs_ceilings best;    /* of these probes and of those kept */
	double probed_fma_gflops_1;  /* best of these probes alone */
	double probed_triad_gbps;
	char note[192];              /* one sentence, where probes stayed far below what is kept or made no sense; "" */
};

/*
 * Take at most `probes` probes (1 to 16) with `threads` threads (0: machine->allowed_threads), until one comes near what is kept for this
 * fingerprint, instruction set and number of threads; take the best of them and of what is kept, and keep it when it is better.  A probe whose
 * threads together were slower than one of them is left out while there are others, and never kept.  A state folder that cannot be read or written
 * costs nothing but the memory.
 * Statuses of the probe; VRS_EINVAL: no probes. Any thread; processes may do this side by side.
 */
enum vrs_status vrs_peaks_measure(const struct vrs_machine *machine, int threads, int probes, vrs_peak_probe probe, struct vrs_peaks *ret_peaks,
				  struct vrs_error *err) VRS_MUST_CHECK;

#endif
