/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine can do at best. */
#ifndef VRS_BENCH_CEILINGS_H
#define VRS_BENCH_CEILINGS_H

#include <vrseg/peaks.h>

/* Measure it here and now; threads 0: all that the process may use. VRS_ENOMEM and the statuses of vrs_peaks_measure. */
enum vrs_status vrs_ceilings_probe(int threads, struct vrs_peaks *ret_peaks, struct vrs_error *err) VRS_MUST_CHECK;

#endif
