/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_slots.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

#define LEAST_OVERLAP 0.2 /* of two views of the same people, one frame apart */

/* Slots that regions know by name. Returns them, bit by bit. */
static uint32_t assign_known(const struct vrs_roi_slots *slots, const struct vrs_regions *regions, int ret_slot[VRS_REGIONS_MAX])
{
	uint32_t taken = 0;
	for (int r = 0; r < regions->count; r++) {
		ret_slot[r] = -1;
		for (int s = 0; s < slots->count && regions->who[r] && ret_slot[r] < 0; s++)
			if (slots->slot[s].who == regions->who[r] && !(taken >> s & 1))
				ret_slot[r] = s;
		if (ret_slot[r] >= 0)
			taken |= UINT32_C(1) << ret_slot[r];
	}
	return taken;
}

/* Is a left of b, or else above it? Of slots that overlap a region equally that one is taken, whatever numbers they have. */
static bool comes_first(const struct vrs_rect *a, const struct vrs_rect *b)
{
	return a->x != b->x ? a->x < b->x : a->y < b->y;
}

/* The share of each that the other one covers, the smaller one. */
static double overlap_of(const struct vrs_rect *a, const struct vrs_rect *b, int circle)
{
	return fmin(vrs_region_share(a, b, circle), vrs_region_share(b, a, circle));
}

/* The pair of a nameless region and a slot of somebody that overlap most; false when none does. */
static bool best_pair(const struct vrs_roi_slots *slots, const struct vrs_regions *regions, const int slot[VRS_REGIONS_MAX], uint32_t taken,
		      int *ret_r, int *ret_s)
{
	double best = LEAST_OVERLAP;
	bool found = false;
	for (int r = 0; r < regions->count; r++)
		for (int s = 0; s < slots->count; s++) {
			if (slot[r] >= 0 || regions->who[r] || !slots->slot[s].who || taken >> s & 1)
				continue;
			double overlap = overlap_of(&regions->rect[r], &slots->slot[s].at, slots->circle);
			bool equal = found && overlap == best && r == *ret_r && comes_first(&slots->slot[s].at, &slots->slot[*ret_s].at);
			if (overlap <= best && !equal)
				continue;
			best = overlap;
			*ret_r = r;
			*ret_s = s;
			found = true;
		}
	return found;
}

/* For somebody new: a free slot, or else one that nobody claims. */
static int free_slot(const struct vrs_roi_slots *slots, uint32_t taken)
{
	int unclaimed = -1;
	for (int s = slots->count - 1; s >= 0; s--)
		if (!(taken >> s & 1) && (unclaimed < 0 || !slots->slot[s].who || slots->slot[unclaimed].who))
			unclaimed = s;
	VRS_ASSERT(unclaimed >= 0);
	return unclaimed;
}

void vrs_roi_slots_assign(struct vrs_roi_slots *slots, struct vrs_regions *regions, int ret_slot[VRS_REGIONS_MAX])
{
	int r = 0, s = 0;
	VRS_ASSERT(regions->count <= slots->count && slots->count <= VRS_REGIONS_MAX);
	uint32_t taken = assign_known(slots, regions, ret_slot);
	while (best_pair(slots, regions, ret_slot, taken, &r, &s)) {
		ret_slot[r] = s;
		regions->who[r] = slots->slot[s].who;
		taken |= UINT32_C(1) << s;
	}
	for (r = 0; r < regions->count; r++) {
		if (ret_slot[r] >= 0)
			continue;
		ret_slot[r] = free_slot(slots, taken);
		taken |= UINT32_C(1) << ret_slot[r];
		if (!regions->who[r])
			regions->who[r] = ++slots->last_who ? slots->last_who : ++slots->last_who;
	}
}

uint32_t vrs_roi_slots_settle(struct vrs_roi_slots *slots, const struct vrs_regions *regions, const int slot[VRS_REGIONS_MAX])
{
	uint32_t changed = 0, taken = 0;
	for (int r = 0; r < regions->count; r++) {
		int s = slot[r];
		VRS_ASSERT(s >= 0 && s < slots->count && !(taken >> s & 1));
		taken |= UINT32_C(1) << s;
		if (slots->slot[s].who != regions->who[r])
			changed |= UINT32_C(1) << s;
		slots->slot[s].who = regions->who[r];
		slots->slot[s].at = regions->rect[r];
	}
	for (int s = 0; s < slots->count; s++)
		if (!(taken >> s & 1)) {
			changed |= UINT32_C(1) << s;
			slots->slot[s].who = 0;
		}
	return changed;
}

void vrs_roi_slots_clear(struct vrs_roi_slots *slots)
{
	memset(slots->slot, 0, sizeof slots->slot);
}

bool vrs_roi_slots_archive(struct vrs_roi_slots *slots, struct vrs_archive *archive, const struct vrs_rect *eye)
{
	bool good = vrs_archive_u32(archive, &slots->last_who);
	for (int s = 0; good && s < slots->count; s++)
		good = vrs_archive_u32(archive, &slots->slot[s].who) &&
		       (!slots->slot[s].who || vrs_archive_part(archive, &slots->slot[s].at, eye, slots->circle));
	return good;
}
