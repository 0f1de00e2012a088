/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/calibrate_range.h"

#include <math.h>

#define CANDIDATES 64 /* widths from 1 down to 1/2 of an end */

void vrs_histogram_extend(struct vrs_histogram *h, const float *values, size_t count)
{
	float lo = h->lo, hi = h->hi;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		lo = values[i] < lo ? values[i] : lo;
		hi = values[i] > hi ? values[i] : hi;
	}
	h->lo = lo;
	h->hi = hi;
}

void vrs_histogram_add(struct vrs_histogram *h, const float *values, size_t count)
{
	float scale = (float)VRS_HISTOGRAM_BINS / (h->hi - h->lo);
	if (!(h->hi > h->lo))
		return;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		float at = (values[i] - h->lo) * scale;
		int bin = at > 0 ? at < VRS_HISTOGRAM_BINS - 1 ? (int)at : VRS_HISTOGRAM_BINS - 1 : 0;
		h->bins[bin]++;
		h->values++;
	}
}

static struct vrs_quant_range around_zero(float lo, float hi)
{
	return (struct vrs_quant_range){lo < 0 ? lo : 0, hi > 0 ? hi : 0};
}

struct vrs_quant_range vrs_histogram_minmax(const struct vrs_histogram *h)
{
	return around_zero(h->lo, h->hi);
}

static float bin_edge(const struct vrs_histogram *h, int bin)
{
	return h->lo + (h->hi - h->lo) * (float)bin / VRS_HISTOGRAM_BINS;
}

struct vrs_quant_range vrs_histogram_percentile(const struct vrs_histogram *h, double inside)
{
	uint64_t below = 0, above = 0, outside = (uint64_t)((1.0 - inside) * (double)h->values);
	int first = 0, last = VRS_HISTOGRAM_BINS;
	while (first < last && below + h->bins[first] <= outside)
		below += h->bins[first++];
	while (last > first && above + h->bins[last - 1] <= outside)
		above += h->bins[--last];
	return around_zero(bin_edge(h, first), bin_edge(h, last));
}

/* Squared error of 8 bits over lo..hi: step^2 / 12 within, the distance to the end outside. */
static double range_error(const struct vrs_histogram *h, double lo, double hi)
{
	double step = (hi - lo) / 255, rounding = step * step / 12, sum = 0, width = ((double)h->hi - (double)h->lo) / VRS_HISTOGRAM_BINS;
	for (int i = 0; i < VRS_HISTOGRAM_BINS; i++) {
		double x = (double)h->lo + (i + 0.5) * width, d = x < lo ? lo - x : x > hi ? x - hi : 0;
		if (x == 0 || h->bins[i] == 0)
			continue;
		/* Values that pile up at zero have no error: zero is a step of its own. */
		bool zero = fabs(x) <= width && (h->lo == 0 || h->hi == 0);
		sum += (double)h->bins[i] * (zero ? 0 : rounding + d * d);
	}
	return sum;
}

struct vrs_quant_range vrs_histogram_mse(const struct vrs_histogram *h)
{
	struct vrs_quant_range range = vrs_histogram_minmax(h);
	double full_lo = (double)range.lo, full_hi = (double)range.hi;
	/* One end after the other. */
	for (int end = 0; end < 2; end++) {
		double best = INFINITY, best_share = 1;
		for (int i = 0; i <= CANDIDATES; i++) {
			double share = 1 - 0.5 * i / CANDIDATES;
			double error = end ? range_error(h, full_lo * share, (double)range.hi) : range_error(h, (double)range.lo, full_hi * share);
			if (error < best) {
				best = error;
				best_share = share;
			}
		}
		if (end)
			range.lo = (float)(full_lo * best_share);
		else
			range.hi = (float)(full_hi * best_share);
	}
	return range;
}
