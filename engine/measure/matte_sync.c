/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/matte_sync.h"

#include "matte/matte_expand.h"
#include "matte/matte_motion.h"

#define SIDE 512         /* samples of an eye that are looked at: a shift of one sample is seen, noise of compression is averaged out */
#define LEAST_FRAMES 8
#define REACH 4          /* samples beside an outline */
#define LEAST_GAIN 1.05  /* another lag has to fit so much better than none */
#define LEAST_FIT 0.52   /* and so well: late truths reach 0.57; mattes that are too large or small fit another frame on one side, up to 0.47 */

enum vrs_status vrs_matte_sync_init(struct vrs_matte_sync_finder *f, struct vrs_arena *arena, int eyes, int width, int height)
{
	int larger = width > height ? width : height;
	enum vrs_status status = VRS_OK;
	*f = (struct vrs_matte_sync_finder){.factor = (larger + SIDE - 1) / SIDE, .eyes = eyes};
	int w = width / f->factor, h = height / f->factor;
	w = w < 1 ? 1 : w;
	h = h < 1 ? 1 : h;
	for (int i = 0; i < VRS_SYNC_FRAMES; i++)
		for (int eye = 0; eye < eyes && status == VRS_OK; eye++) {
			status = vrs_matte_init(&f->matte[i][eye], arena, w, h);
			if (status == VRS_OK)
				status = vrs_matte_init(&f->luma[i][eye], arena, w, h);
		}
	return status;
}

void vrs_matte_reduce(struct vrs_matte *dst, const struct vrs_matte *src, int factor)
{
	int across = src->width < factor ? src->width : factor, down = src->height < factor ? src->height : factor;
	for (int y = 0; y < dst->height; y++)
		for (int x = 0; x < dst->width; x++) {
			int sum = across * down / 2;
			for (int j = 0; j < down; j++)
				for (int i = 0; i < across; i++)
					sum += src->data[src->stride * (y * factor + j) + x * factor + i];
			dst->data[dst->stride * y + x] = (uint8_t)(sum / (across * down));
		}
}

/* The frame in the middle of those that are kept, on all of them. */
static enum vrs_status compare(struct vrs_matte_sync_finder *f)
{
	enum vrs_status status = VRS_OK;
	int64_t middle = f->frames - 1 - VRS_MATTE_MOST_LAG;
	for (int k = -VRS_MATTE_MOST_LAG; k <= VRS_MATTE_MOST_LAG; k++)
		for (int eye = 0; eye < f->eyes && status == VRS_OK; eye++) {
			struct vrs_outline_slope slope;
			status = vrs_outline_slope(&slope, &f->matte[middle % VRS_SYNC_FRAMES][eye], &f->luma[(middle + k) % VRS_SYNC_FRAMES][eye], REACH);
			f->slope[k + VRS_MATTE_MOST_LAG] += slope.at;
			f->near[k + VRS_MATTE_MOST_LAG] += slope.near;
		}
	f->compared++;
	return status;
}

enum vrs_status vrs_matte_sync_add(struct vrs_matte_sync_finder *f, const struct vrs_matte *mattes, const struct vrs_matte *lumas)
{
	int at = (int)(f->frames++ % VRS_SYNC_FRAMES);
	for (int eye = 0; eye < f->eyes; eye++) {
		vrs_matte_reduce(&f->matte[at][eye], &mattes[eye], f->factor);
		vrs_matte_reduce(&f->luma[at][eye], &lumas[eye], f->factor);
	}
	return f->frames < VRS_SYNC_FRAMES ? VRS_OK : compare(f);
}

struct vrs_matte_sync vrs_matte_sync_result(const struct vrs_matte_sync_finder *f)
{
	const double *own = &f->slope[VRS_MATTE_MOST_LAG];
	int best = 0;
	for (int k = -VRS_MATTE_MOST_LAG; k <= VRS_MATTE_MOST_LAG; k++)
		best = own[k] > own[best] ? k : best;
	if (f->compared < LEAST_FRAMES || !(own[0] > 0))
		return (struct vrs_matte_sync){.known = false};
	if (own[best] < LEAST_GAIN * own[0])
		best = 0;
	double fit = own[best] / f->near[best + VRS_MATTE_MOST_LAG];
	if (best != 0 && fit < LEAST_FIT)
		return (struct vrs_matte_sync){.known = false};
	return (struct vrs_matte_sync){true, -best, own[best] / own[0], fit}; /* a late matte fits pictures before its own */
}
