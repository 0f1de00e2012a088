/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_parts.h"

#include <string.h>

#define KNOWN 0.6           /* share of a part with people that the view of somebody covers: it is them */
#define PART_OF 0.1         /* of the area of a person's part: smaller parts beside it are theirs */

bool vrs_roi_parts_is_anyone(const struct vrs_roi_worker *worker, const struct vrs_person *person)
{
	return person->number == 0 && memcmp(&person->view[0], &worker->plan->follow[0].start, sizeof person->view[0]) == 0;
}

bool vrs_roi_parts_is_known(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_rect *part)
{
	const struct vrs_people *people = &worker->batch.people[n];
	for (int p = 0; p < people->count; p++) {
		const struct vrs_person *person = &people->person[p];
		if (!person->gone && !vrs_roi_parts_is_anyone(worker, person) &&
		    vrs_region_share(part, &person->view[eye], worker->plan->format.circle) >= KNOWN)
			return true;
	}
	return false;
}

static double area(const struct vrs_rect *r)
{
	return (double)r->width * r->height;
}

/* Parts with people that the look at person p shows in an eye; unsure ones where there are no sure ones. */
static void find_parts(struct vrs_roi_worker *worker, int n, int eye, int p, struct vrs_regions *ret)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int i = n * plan->eyes + eye, width = plan->shape.matte_width, height = plan->shape.matte_height;
	const float *alpha = worker->looks.alpha + plan->look_size * (size_t)(i * plan->regions + p);
	const struct vrs_follow *follow = &plan->follow[eye];
	const struct vrs_rect *view = &worker->batch.now[i].rect[p];
	struct vrs_follow_extent people;
	vrs_region_find(worker->finder, follow, view, alpha, plan->regions, ret);
	if (ret->count > 0 || !vrs_follow_find(alpha, width, height, vrs_follow_is_whole_circle(follow, view), &people))
		return;
	ret->count = 1;
	ret->truncated[0] = vrs_follow_around(follow, view, &people, width, height, &ret->rect[0]);
}

/* Is the part that of somebody with a place before `end`, besides person `but`?  Views say too little: who is in two of them may be nobody's. */
static bool is_theirs(const struct vrs_roi_worker *worker, const struct vrs_roi_parts *parts, const struct vrs_rect *part, int end, int but)
{
	for (int p = 0; p < end; p++)
		if (p != but && parts->seen[p] && vrs_region_share(part, &parts->rect[p], worker->plan->format.circle) >= KNOWN)
			return true;
	return false;
}

/* The person's part is the largest that is not of those who come first in the list, if any. */
static void choose_own(const struct vrs_roi_worker *worker, const struct vrs_regions *shown, int p, struct vrs_roi_parts *ret)
{
	for (int r = 0; r < shown->count; r++) {
		if (is_theirs(worker, ret, &shown->rect[r], p, -1) || (ret->seen[p] && area(&shown->rect[r]) <= area(&ret->rect[p])))
			continue;
		ret->seen[p] = true;
		ret->rect[p] = shown->rect[r];
		ret->truncated[p] = shown->truncated[r];
	}
}

/* A part beside a person's belongs to it. */
static void widen(const struct vrs_roi_worker *worker, struct vrs_roi_parts *parts, int p, const struct vrs_rect *part, bool truncated)
{
	const struct vrs_regions both = {.count = 2, .rect = {parts->rect[p], *part}};
	parts->rect[p] = vrs_regions_around(&both, worker->plan->format.circle);
	parts->truncated[p] |= truncated;
}

/* So does one of the others. */
static void take_in(const struct vrs_roi_worker *worker, struct vrs_roi_parts *parts, int p, int r)
{
	const struct vrs_rect part = parts->others.rect[r];
	widen(worker, parts, p, &part, parts->others.truncated[r]);
	vrs_regions_remove(&parts->others, r);
}

/* What the look at person p shows beside all whose parts are known. */
static void find_others(const struct vrs_roi_worker *worker, const struct vrs_regions *shown, int p, struct vrs_roi_parts *ret)
{
	struct vrs_regions *others = &ret->others;
	const struct vrs_rect own = ret->rect[p];
	for (int r = 0; r < shown->count && ret->seen[p]; r++) {
		const struct vrs_rect *part = &shown->rect[r];
		if (memcmp(part, &own, sizeof own) == 0 || is_theirs(worker, ret, part, VRS_REGIONS_MAX, p))
			continue;
		if (area(part) < PART_OF * area(&own)) {
			widen(worker, ret, p, part, false);
		} else if (others->count == VRS_REGIONS_MAX) {
			widen(worker, ret, p, part, shown->truncated[r]);
		} else {
			others->truncated[others->count] = shown->truncated[r];
			others->who[others->count] = (uint32_t)p + 1;
			others->rect[others->count++] = *part;
		}
	}
}

static void read_eye(struct vrs_roi_worker *worker, int n, int eye, struct vrs_roi_parts *ret)
{
	const struct vrs_people *people = &worker->batch.people[n];
	struct vrs_regions shown[VRS_REGIONS_MAX];
	for (int p = 0; p < people->count; p++) {
		shown[p].count = 0;
		if (people->person[p].gone)
			continue;
		find_parts(worker, n, eye, p, &shown[p]);
		choose_own(worker, &shown[p], p, ret);
	}
	for (int p = 0; p < people->count; p++)
		find_others(worker, &shown[p], p, ret);
	if (ret->others.count > 1)
		(void)vrs_regions_join(&ret->others, VRS_REGIONS_MAX, worker->plan->format.circle);
}

/* Where the other eye shows what the look at person p shows there: the views of both show the same. */
static struct vrs_rect in_other_eye(const struct vrs_roi_worker *worker, int n, int eye, int p, struct vrs_rect part)
{
	const struct vrs_rect *view = worker->batch.people[n].person[p].view;
	part.x += view[1 - eye].x - view[eye].x;
	return part;
}

/* The share of each that the other one covers, the smaller one. */
static double likeness(const struct vrs_rect *a, const struct vrs_rect *b, int circle)
{
	double of_a = vrs_region_share(a, b, circle), of_b = vrs_region_share(b, a, circle);
	return of_a < of_b ? of_a : of_b;
}

/* Of several parts that the right eye's look at a person shows, theirs is the one most like the left eye's. */
static void choose_alike(const struct vrs_roi_worker *worker, int n, struct vrs_roi_parts parts[VRS_PEOPLE_EYES], int p)
{
	int circle = worker->plan->format.circle;
	struct vrs_roi_parts *right = &parts[1];
	const struct vrs_rect wanted = in_other_eye(worker, n, 0, p, parts[0].rect[p]);
	for (int r = 0; r < right->others.count; r++) {
		const struct vrs_rect own = right->rect[p], other = right->others.rect[r];
		bool truncated = right->truncated[p];
		if (right->others.who[r] != (uint32_t)p + 1 || likeness(&other, &wanted, circle) <= likeness(&own, &wanted, circle))
			continue;
		right->rect[p] = other;
		right->truncated[p] = right->others.truncated[r];
		right->others.rect[r] = own;
		right->others.truncated[r] = truncated;
	}
}

/* Eyes part people alike: whom one of them sees as one, the other one does not part. */
static void agree(const struct vrs_roi_worker *worker, int n, struct vrs_roi_parts parts[VRS_PEOPLE_EYES])
{
	int count = worker->batch.people[n].count;
	for (int p = 0; p < count; p++)
		if (parts[0].seen[p] && parts[1].seen[p])
			choose_alike(worker, n, parts, p);
	for (int e = 0; e < VRS_PEOPLE_EYES; e++)
		for (int r = parts[e].others.count - 1; r >= 0; r--) {
			int p = (int)parts[e].others.who[r] - 1;
			const struct vrs_rect there = in_other_eye(worker, n, e, p, parts[e].others.rect[r]);
			if (parts[1 - e].seen[p] && vrs_region_share(&there, &parts[1 - e].rect[p], worker->plan->format.circle) >= KNOWN)
				take_in(worker, &parts[e], p, r);
		}
}

/* No look follows: who might part stays in the view that shows them. */
static void keep_together(const struct vrs_roi_worker *worker, struct vrs_roi_parts *parts)
{
	for (int r = parts->others.count - 1; r >= 0; r--)
		take_in(worker, parts, (int)parts->others.who[r] - 1, r);
}

void vrs_roi_parts_read(struct vrs_roi_worker *worker, int n, bool last, struct vrs_roi_parts ret_parts[VRS_PEOPLE_EYES])
{
	int eyes = worker->plan->eyes;
	memset(ret_parts, 0, VRS_PEOPLE_EYES * sizeof *ret_parts);
	for (int e = 0; e < eyes; e++)
		read_eye(worker, n, e, &ret_parts[e]);
	if (eyes == 2)
		agree(worker, n, ret_parts);
	for (int e = 0; e < eyes && last; e++)
		keep_together(worker, &ret_parts[e]);
}
