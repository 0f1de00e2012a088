/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_people.h"

#include <string.h>

#include "base/assert.h"
#include "roi/roi_parts.h"
#include "roi/roi_states.h"

#define MUCH_SMALLER 0.75   /* of a view's area: worth another look */
#define COVERED 0.75        /* of where the other eye should show somebody: they would have been seen */
#define SHOWN 0.95          /* of a view: a look that covers it shows all of it */

struct vrs_people_eyes vrs_roi_people_eyes(const struct vrs_roi_worker *worker)
{
	return (struct vrs_people_eyes){worker->plan->eyes, worker->plan->follow};
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
	if (room < VRS_REGIONS_MAX) {
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

/* A place of somebody gone, best of one who has no number: others must hear that those with numbers are gone. */
static int free_place(const struct vrs_people *people, int first, int places)
{
	int free = -1;
	for (int p = first; p < places; p++)
		if (people->person[p].gone && (free < 0 || people->person[p].number == 0))
			free = p;
	VRS_ASSERT(free >= 0);
	return free;
}

void vrs_roi_people_fit(struct vrs_roi_worker *worker, struct vrs_people *people, int first, bool fresh[VRS_REGIONS_MAX],
			bool joined[VRS_REGIONS_MAX])
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	int places = worker->plan->regions;
	vrs_people_join(&eyes, people, first, places - first, joined);
	for (int p = places; p < people->count; p++) {
		if (people->person[p].gone)
			continue;
		int to = free_place(people, first, places);
		people->person[to] = people->person[p];
		fresh[to] = fresh[p];
		joined[to] = joined[p];
	}
	people->count = people->count < places ? people->count : places;
}

static double area(const struct vrs_rect *r)
{
	return (double)r->width * r->height;
}

/* Does somebody else's view overlap that of person p? */
static bool meets_others(const struct vrs_people_eyes *eyes, const struct vrs_people *people, int p)
{
	for (int q = 0; q < people->count; q++)
		for (int e = 0; e < eyes->count && q != p && !people->person[q].gone; e++)
			if (vrs_region_share(&people->person[p].view[e], &people->person[q].view[e], eyes->follow[e].circle) > 0)
				return true;
	return false;
}

/* Does anything move in the views of a person? */
static bool moves(const struct vrs_people_eyes *eyes, const struct vrs_people *people, const struct vrs_person *person)
{
	for (int e = 0; e < eyes->count; e++)
		if (vrs_glance_motion(&people->glance[e], &eyes->follow[e].eye, &person->view[e], eyes->follow[e].circle) > VRS_GLANCE_STILL)
			return true;
	return false;
}

/*
 * Views that show the person well, and of which all are nearly where they were, stay: states of a recurrent network are calmest there.  Whoever comes
 * nearer to a side of theirs would be cut off soon.  Of people who meet, parts end at others' views, which says little about where they go; and where
 * nothing moves, two views could give each other by turns.
 */
static void keep_still(const struct vrs_people_eyes *eyes, const struct vrs_people *people, const struct vrs_roi_parts parts[], int p,
		       const struct vrs_person *before, struct vrs_person *person)
{
	bool waits = meets_others(eyes, people, p) || !moves(eyes, people, before);
	for (int e = 0; e < eyes->count; e++) {
		struct vrs_follow follow = eyes->follow[e];
		follow.still *= eyes->count; /* each eye's motion moves both */
		follow.outside = waits ? follow.still : 0;
		if (parts[e].truncated[p] || !vrs_follow_stays(&follow, &before->view[e], &person->view[e]))
			return;
	}
	memcpy(person->view, before->view, sizeof person->view);
}

/* Where the person is now. */
static void move(const struct vrs_roi_worker *worker, const struct vrs_people *people, const struct vrs_roi_parts parts[], int p,
		 struct vrs_person *person)
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	const struct vrs_person before = *person;
	bool apart = false;
	person->seen = 0;
	person->guessed = false;
	for (int e = 0; e < eyes.count && e < VRS_PEOPLE_EYES; e++) {
		person->guessed |= parts[e].seen[p] && parts[e].truncated[p];
		apart |= parts[e].apart[p];
		person->seen |= (unsigned)parts[e].seen[p] << e;
	}
	bool all = person->seen == (1u << eyes.count) - 1;
	if (!person->seen)
		return;
	person->apart = apart;
	if (all)
		for (int e = 0; e < eyes.count; e++)
			person->view[e] = parts[e].rect[p];
	else
		vrs_person_place(&eyes, &people->disparity, person, person->seen >> 1, &parts[person->seen >> 1].rect[p]);
	person->paired |= all;
	vrs_person_align(&eyes, person);
	keep_still(&eyes, people, parts, p, &before, person);
}

/* Were the looks at a person's views so that others would show more?  joined: they share them with others now. */
static bool wants_another(const struct vrs_roi_worker *worker, int n, const struct vrs_roi_parts parts[], int p, bool joined)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_person *person = &worker->batch.people[n].person[p];
	bool differs = false, wants = false;
	for (int e = 0; e < plan->eyes; e++) {
		const struct vrs_rect *looked = &worker->batch.now[n * plan->eyes + e].rect[p], *next = &person->view[e];
		double shown = vrs_region_share(next, looked, plan->format.circle);
		differs |= memcmp(looked, next, sizeof *next) != 0;
		wants |= parts[e].seen[p] && (parts[e].truncated[p] || area(next) < MUCH_SMALLER * area(looked));
		wants |= (!parts[e].seen[p] && shown < COVERED) || (joined && shown < SHOWN);
	}
	return person->seen && differs && wants;
}

/* Those whom looks at others show. fresh[]: whoever is at that place was not looked at. */
static void add_newcomers(struct vrs_roi_worker *worker, int n, const struct vrs_roi_parts parts[], bool fresh[])
{
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	struct vrs_people *people = &worker->batch.people[n];
	struct vrs_regions found[VRS_PEOPLE_EYES] = {parts[0].others};
	int right[VRS_REGIONS_MAX] = {0};
	bool taken[VRS_REGIONS_MAX] = {false};
	if (eyes.count == 2) {
		found[1] = parts[1].others;
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
			fresh[vrs_roi_people_add(worker, people, &newcomer)] = true;
		}
}

/*
 * Nobody is where they were looked for the first time; whoever was known may be behind something.  Newcomers (fresh) were not yet looked
 * for, wherever they are in the list.
 */
static void let_go(const struct vrs_roi_worker *worker, struct vrs_people *people, const bool fresh[])
{
	int seen = 0;
	for (int p = 0; p < people->count; p++)
		seen += !people->person[p].gone && (people->person[p].seen || fresh[p]);
	for (int p = 0; p < people->count; p++) {
		struct vrs_person *person = &people->person[p];
		if (!person->seen && !fresh[p] && person->number == 0 && (seen > 0 || !vrs_roi_parts_is_anyone(worker, person)))
			person->gone = true;
	}
}

static int open_again(struct vrs_roi_worker *worker, int n, const bool fresh[], const bool again[], int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_people *people = &worker->batch.people[n];
	int count = 0, before = worker->batch.now[n * plan->eyes].count;
	to_regions(worker, n, before);
	for (int e = 0; e < plan->eyes; e++) {
		int i = n * plan->eyes + e;
		for (int p = 0; p < people->count; p++) {
			if (!again[p] || people->person[p].gone)
				continue;
			worker->batch.now[i].rect[p] = worker->looks.rects[i * plan->regions + p] = people->person[p].view[e];
			if (fresh[p])
				worker->batch.now[i].who[p] = 0; /* not whoever had the place */
			open[count++] = i * plan->regions + p;
		}
		if (count > 0 || worker->batch.now[i].count > before) /* whoever is new has a place, also one who shares the view of another */
			vrs_roi_states_assign(worker->states, e, &worker->batch.now[i]);
	}
	return count;
}

int vrs_roi_people_judge(struct vrs_roi_worker *worker, int n, bool last, int *open)
{
	struct vrs_people *people = &worker->batch.people[n];
	struct vrs_roi_parts parts[VRS_PEOPLE_EYES];
	bool fresh[VRS_REGIONS_MAX] = {false}, joined[VRS_REGIONS_MAX] = {false}, again[VRS_REGIONS_MAX] = {false};
	int before = people->count;
	vrs_roi_parts_read(worker, n, last, parts);
	for (int p = 0; p < before; p++)
		if (!people->person[p].gone)
			move(worker, people, parts, p, &people->person[p]);
	if (last)
		return 0;
	add_newcomers(worker, n, parts, fresh);
	let_go(worker, people, fresh);
	vrs_roi_people_fit(worker, people, 0, fresh, joined);
	for (int p = 0; p < people->count; p++)
		again[p] = fresh[p] || (p < before && wants_another(worker, n, parts, p, joined[p]));
	return open_again(worker, n, fresh, again, open);
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
