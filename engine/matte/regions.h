/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several parts of an eye that are looked at, each around people of its own: people far apart are small in one view around all of them.
 */
#ifndef VRS_MATTE_REGIONS_H
#define VRS_MATTE_REGIONS_H

#include <stdint.h>

#include "base/archive.h"
#include "base/mem.h"
#include "matte/follow.h"

#define VRS_REGIONS_MAX 16
#define VRS_REGION_ALPHA 0.5f /* alpha of a group's pixels: more than in follow.c, since people who stand side by side are parted by unsure pixels */

struct vrs_regions {
	int count;
	struct vrs_rect rect[VRS_REGIONS_MAX];
	uint32_t who[VRS_REGIONS_MAX]; /* who is in each, the same number from frame to frame; 0: not known */
	bool truncated[VRS_REGIONS_MAX]; /* of those that vrs_region_find makes: by the view */
	double aim[6];       /* of the only part: how a camera looks at it (struct vrs_rectilinear_aim); all 0 for several, and where it is not known */
};

/* Finds groups of connected pixels; one thread at a time. */
struct vrs_region_finder;

/* For mattes of that size. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_region_finder_create(struct vrs_region_finder **ret_finder, struct vrs_arena *arena, int width, int height);
/*
 * Where the people of a matte are to be looked at, in at most `most` parts, from left to right: one around each group of people that has space around
 * it.  *ret has none when there are no people, and one when several would not be much smaller together.
 */
void vrs_region_find(struct vrs_region_finder *finder, const struct vrs_follow *follow, const struct vrs_rect *view, const float *alpha, int most,
		     struct vrs_regions *ret);
/*
 * Regions that overlap become one, and then the nearest ones until there are at most `most`.  True if any did; it goes on as the larger of the two.
 * circle: of the picture's format.
 */
bool vrs_regions_join(struct vrs_regions *regions, int most, int circle);
/* At least one region, at most `most`, inside the eye. */
bool vrs_regions_archive(struct vrs_regions *regions, struct vrs_archive *archive, const struct vrs_rect *eye, int circle, int most);
/* Region i is no more; the order of the others stays. */
void vrs_regions_remove(struct vrs_regions *regions, int i);
/* Share of part a that b covers. */
double vrs_region_share(const struct vrs_rect *a, const struct vrs_rect *b, int circle);
/* The part around all of them; count at least 1. */
struct vrs_rect vrs_regions_around(const struct vrs_regions *regions, int circle);

#endif
