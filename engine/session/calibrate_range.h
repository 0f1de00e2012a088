/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms of activations and the ranges that 8 bits should cover. */
#ifndef VRS_SESSION_CALIBRATE_RANGE_H
#define VRS_SESSION_CALIBRATE_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "graph/quant.h"

#define VRS_HISTOGRAM_BINS 2048

/* First lo and hi over all samples, then the counts between them. */
struct vrs_histogram {
	float lo, hi;
	uint64_t values;
	uint64_t *bins; /* NULL: only lo and hi so far */
};

void vrs_histogram_extend(struct vrs_histogram *histogram, const float *values, size_t count);
/* Once lo and hi are final and bins are there. */
void vrs_histogram_add(struct vrs_histogram *histogram, const float *values, size_t count);
/*
 * lo <= 0 <= hi.  _minmax: all values.  _percentile: the part `inside` at each end.  _mse: the range whose rounding and clipping costs the least
 * squared error, of the candidates that clip up to half of an end away.
 */
struct vrs_quant_range vrs_histogram_minmax(const struct vrs_histogram *histogram);
struct vrs_quant_range vrs_histogram_percentile(const struct vrs_histogram *histogram, double inside);
struct vrs_quant_range vrs_histogram_mse(const struct vrs_histogram *histogram);

#endif
