/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_people.h"

#include <string.h>

#include "base/assert.h"
#include "roi/roi_states.h"

#define KNOWN 0.6           /* share of a part with people that the view of somebody covers: it is them */
#define PART_OF 0.1         /* of the area of a person's part: smaller parts beside it are theirs */
#define MUCH_SMALLER 0.75   /* of a view's area: worth another look */
#define COVERED 0.75        /* of where the other eye should show somebody: they would have been seen */

/* What the looks at an eye show. */
struct eye_parts {
	struct vrs_rect rect[VRS_REGIONS_MAX];      /* of each person, */
	bool seen[VRS_REGIONS_MAX], truncated[VRS_REGIONS_MAX];
	struct vrs_regions newcomers;               /* and others */
};

struct vrs_people_eyes vrs_roi_people_eyes(const struct vrs_roi_worker *worker)
{
	return (struct vrs_people_eyes){worker->plan->eyes, worker->plan->follow};
}

bool vrs_roi_people_is_anyone(const struct vrs_roi_worker *worker, const struct vrs_person *person)
{
	return person->number == 0 && memcmp(&person->view[0], &worker->plan->follow[0].start, sizeof person->view[0]) == 0;
}

/* The regions of people from `first` on are where they are. */
static void to_regions(struct vrs_roi_worker *worker, int n, int first)
{
	const struct vrs_people *people = &worker->batch.people[n];
	for (int e = 0; e < worker->plan->eyes; e++) {
		struct vrs_regions *now = &worker->batch.now[n * worker->plan->eyes + e];
		for (int r = first; r < people->count; r++) {
			now->who[r] = people->person[r].who[e];
			now->rect[r] = people->person[r].view[e];
		}
		now->count = people->count;
	}
}

void vrs_roi_people_to_regions(struct vrs_roi_worker *worker, int n)
{
	to_regions(worker, n, 0);
}

bool vrs_roi_people_begin(struct vrs_roi_worker *worker, int n, uint64_t *wait_ns)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_people *people = &worker->batch.people[n];
	if (!vrs_roi_past_people(worker->past, worker->batch.tasks[n], people, wait_ns))
		return false;
	if (people->count == 0) {
		people->count = 1;
		people->person[0] = (struct vrs_person){0};
		for (int e = 0; e < plan->eyes; e++)
			people->person[0].view[e] = plan->follow[e].start;
	}
	for (int e = 0; e < plan->eyes; e++)
		worker->batch.now[n * plan->eyes + e] = (struct vrs_regions){0};
	to_regions(worker, n, 0);
	return true;
}

/* Does the view of one of the people [first, end) hold the part of an eye? */
static bool is_of(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_rect *part, int first, int end)
{
	const struct vrs_people *people = &worker->batch.people[n];
	for (int p = first; p < end; p++) {
		const struct vrs_person *person = &people->person[p];
		if (!person->gone && !vrs_roi_people_is_anyone(worker, person) &&
		    vrs_region_share(part, &person->view[eye], worker->plan->format.circle) >= KNOWN)
			return true;
	}
	return false;
}

bool vrs_roi_people_is_known(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_rect *part, int but)
{
	int count = worker->batch.people[n].count, end = but < 0 ? count : but;
	return is_of(worker, n, eye, part, 0, end) || is_of(worker, n, eye, part, end + 1, count);
}

/* The person whose view of eye 0 grows least around another one. */
static struct vrs_person *nearest(struct vrs_roi_worker *worker, struct vrs_people *people, const struct vrs_person *to)
{
	struct vrs_person *best = NULL;
	double least = 0;
	for (int p = 0; p < people->count; p++) {
		struct vrs_rect both = {0};
		struct vrs_regions two = {.count = 2, .rect = {people->person[p].view[0], to->view[0]}};
		both = vrs_regions_around(&two, worker->plan->format.circle);
		double growth = (double)both.width * both.height - (double)two.rect[0].width * two.rect[0].height;
		if (people->person[p].gone || (best && growth >= least))
			continue;
		best = &people->person[p];
		least = growth;
	}
	return best;
}

int vrs_roi_people_add(struct vrs_roi_worker *worker, struct vrs_people *people, struct vrs_person *newcomer)
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	vrs_person_align(&eyes, newcomer);
	int room = 0;
	while (room < people->count && !people->person[room].gone)
		room++;
	if (room < worker->plan->regions) {
		people->person[room] = *newcomer;
		people->count = room < people->count ? people->count : room + 1;
		return room;
	}
	struct vrs_person *near = nearest(worker, people, newcomer);
	VRS_ASSERT(near);
	for (int e = 0; e < eyes.count; e++) {
		struct vrs_regions two = {.count = 2, .rect = {near->view[e], newcomer->view[e]}};
		near->view[e] = vrs_regions_around(&two, worker->plan->format.circle);
	}
	vrs_person_align(&eyes, near);
	return (int)(near - people->person);
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

/* Which part is the person's: the largest that is not of those who come first in the list; -1: none. */
static int own_part(const struct vrs_roi_worker *worker, int n, int eye, int p, const struct vrs_regions *parts)
{
	int own = -1;
	for (int r = 0; r < parts->count; r++)
		if (!is_of(worker, n, eye, &parts->rect[r], 0, p) && (own < 0 || area(&parts->rect[r]) > area(&parts->rect[own])))
			own = r;
	return own;
}

static void read_look(struct vrs_roi_worker *worker, int n, int eye, int p, struct eye_parts *ret)
{
	struct vrs_regions parts;
	find_parts(worker, n, eye, p, &parts);
	int own = own_part(worker, n, eye, p, &parts), circle = worker->plan->format.circle;
	ret->seen[p] = own >= 0;
	if (own < 0)
		return;
	double most = area(&parts.rect[own]);
	struct vrs_regions theirs = {.count = 1, .rect = {parts.rect[own]}};
	ret->truncated[p] = parts.truncated[own];
	for (int r = 0; r < parts.count; r++) {
		if (r == own || vrs_roi_people_is_known(worker, n, eye, &parts.rect[r], p))
			continue;
		if (area(&parts.rect[r]) < PART_OF * most)
			theirs.rect[theirs.count++] = parts.rect[r];
		else if (ret->newcomers.count < VRS_REGIONS_MAX)
			ret->newcomers.rect[ret->newcomers.count++] = parts.rect[r];
	}
	ret->rect[p] = vrs_regions_around(&theirs, circle);
}

static void read_eye(struct vrs_roi_worker *worker, int n, int eye, struct eye_parts *ret)
{
	const struct vrs_people *people = &worker->batch.people[n];
	*ret = (struct eye_parts){0};
	for (int p = 0; p < people->count; p++)
		if (!people->person[p].gone)
			read_look(worker, n, eye, p, ret);
	if (ret->newcomers.count > 1)
		(void)vrs_regions_join(&ret->newcomers, VRS_REGIONS_MAX, worker->plan->format.circle);
}

/* Where the person is now. */
static void move(const struct vrs_roi_worker *worker, const struct vrs_people *people, const struct eye_parts parts[], int p,
		 struct vrs_person *person)
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	person->seen = 0;
	for (int e = 0; e < eyes.count && e < VRS_PEOPLE_EYES; e++)
		person->seen |= (unsigned)parts[e].seen[p] << e;
	bool all = person->seen == (1u << eyes.count) - 1;
	if (!person->seen)
		return;
	if (all)
		for (int e = 0; e < eyes.count; e++)
			person->view[e] = parts[e].rect[p];
	else
		vrs_person_place(&eyes, &people->disparity, person, person->seen >> 1, &parts[person->seen >> 1].rect[p]);
	person->paired |= all;
	vrs_person_align(&eyes, person);
}

/* Were the looks at a person's views so that others would show more? */
static bool wants_another(const struct vrs_roi_worker *worker, int n, const struct eye_parts parts[], int p)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_person *person = &worker->batch.people[n].person[p];
	bool differs = false, wants = false;
	for (int e = 0; e < plan->eyes; e++) {
		const struct vrs_rect *looked = &worker->batch.now[n * plan->eyes + e].rect[p], *next = &person->view[e];
		differs |= memcmp(looked, next, sizeof *next) != 0;
		wants |= parts[e].seen[p] && (parts[e].truncated[p] || area(next) < MUCH_SMALLER * area(looked));
		wants |= !parts[e].seen[p] && vrs_region_share(next, looked, plan->format.circle) < COVERED;
	}
	return person->seen && differs && wants;
}

/* Those whom looks at others show. again[p]: person p, who may be new, has a view that was not looked at. */
static void add_newcomers(struct vrs_roi_worker *worker, int n, const struct eye_parts parts[], bool again[])
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	struct vrs_people *people = &worker->batch.people[n];
	struct vrs_regions found[VRS_PEOPLE_EYES] = {parts[0].newcomers};
	int right[VRS_REGIONS_MAX] = {0};
	bool taken[VRS_REGIONS_MAX] = {false};
	if (eyes.count == 2) {
		found[1] = parts[1].newcomers;
		vrs_people_pair(&eyes, &people->disparity, found, right);
	}
	for (int e = 0; e < eyes.count; e++)
		for (int r = 0; r < found[e].count; r++) {
			struct vrs_person newcomer = {0};
			if (e == 1 && taken[r])
				continue;
			vrs_person_place(&eyes, &people->disparity, &newcomer, e, &found[e].rect[r]);
			if (eyes.count == 2 && e == 0 && right[r] >= 0) {
				newcomer.view[1] = found[1].rect[right[r]];
				taken[right[r]] = true;
			}
			again[vrs_roi_people_add(worker, people, &newcomer)] = true;
		}
}

/*
 * Nobody is where they were looked for the first time; whoever was known may be behind something.  Newcomers (again, not seen) were not yet looked
 * for, wherever they are in the list.
 */
static void let_go(const struct vrs_roi_worker *worker, struct vrs_people *people, const bool again[])
{
	int seen = 0;
	for (int p = 0; p < people->count; p++)
		seen += !people->person[p].gone && (people->person[p].seen || again[p]);
	for (int p = 0; p < people->count; p++) {
		struct vrs_person *person = &people->person[p];
		if (!person->seen && !again[p] && person->number == 0 && (seen > 0 || !vrs_roi_people_is_anyone(worker, person)))
			person->gone = true;
	}
}

static int open_again(struct vrs_roi_worker *worker, int n, const bool again[], int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_people *people = &worker->batch.people[n];
	int count = 0;
	to_regions(worker, n, worker->batch.now[n * plan->eyes].count);
	for (int e = 0; e < plan->eyes; e++) {
		int i = n * plan->eyes + e;
		for (int p = 0; p < people->count; p++) {
			if (!again[p] || people->person[p].gone)
				continue;
			worker->batch.now[i].rect[p] = worker->looks.rects[i * plan->regions + p] = people->person[p].view[e];
			open[count++] = i * plan->regions + p;
		}
		if (count > 0)
			vrs_roi_states_assign(worker->states, e, &worker->batch.now[i]);
	}
	return count;
}

int vrs_roi_people_judge(struct vrs_roi_worker *worker, int n, bool last, int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	struct vrs_people *people = &worker->batch.people[n];
	struct eye_parts parts[VRS_PEOPLE_EYES] = {0};
	bool again[VRS_REGIONS_MAX] = {false};
	int before = people->count;
	for (int e = 0; e < plan->eyes; e++)
		read_eye(worker, n, e, &parts[e]);
	for (int p = 0; p < before; p++) {
		if (people->person[p].gone)
			continue;
		move(worker, people, parts, p, &people->person[p]);
		again[p] = wants_another(worker, n, parts, p);
	}
	if (last)
		return 0;
	add_newcomers(worker, n, parts, again);
	let_go(worker, people, again);
	vrs_people_join(&eyes, people, plan->regions, again);
	return open_again(worker, n, again, open);
}

void vrs_roi_people_end(struct vrs_roi_worker *worker, int n)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_people *people = &worker->batch.people[n];
	for (int e = 0; e < plan->eyes; e++)
		for (int p = 0; p < people->count; p++)
			people->person[p].who[e] = worker->batch.now[n * plan->eyes + e].who[p];
}

bool vrs_roi_people_is_shown(const struct vrs_roi_worker *worker, int i, int r)
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	const struct vrs_person *person = &worker->batch.people[i / eyes.count].person[r];
	return person->seen >> (i % eyes.count) & 1 && vrs_person_is_shown(&eyes, person);
}
