/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/people.h"

#include <math.h>

#include "base/assert.h"
#include "base/wraparound.h"

#define OVERLAP 0.8         /* of the smaller view: worth one view instead of two, */
#define PARTING 0.6         /* and still for a newcomer, who came out of such a view: nobody parts and joins from frame to frame */
#define SAME 0.5            /* of the smaller view: the same people */
#define PATIENCE 15         /* frames that somebody behind something is looked for */
#define SAME_ROWS 0.5       /* of the rows of both together: they may be the same people */
#define MOST_DEBT 64        /* more than any search leaves (roi_arrivals.c) */
#define EDGE 0.02           /* of the eye's width: whoever is as near to its edge may be beyond it in the other eye */

static double area(const struct vrs_rect *r)
{
	return (double)r->width * r->height;
}

static int circle_of(const struct vrs_people_eyes *eyes)
{
	return eyes->follow[0].circle;
}

/* Middle of a view, counted from the corner of its eye. */
static double middle(const struct vrs_people_eyes *eyes, const struct vrs_rect *view, int eye)
{
	return view->x + view->width / 2.0 - eyes->follow[eye].eye.x;
}

/* Columns that the right eye's view is left of the left one's, counted from the corners of their eyes. */
static double disparity_of(const struct vrs_people_eyes *eyes, const struct vrs_person *person)
{
	double left = middle(eyes, &person->view[0], 0), right = middle(eyes, &person->view[1], 1);
	return left - right + vrs_wraparound_turn(left, 0, right, 0, circle_of(eyes));
}

/* Rows [top, bottom) of an eye and the columns around `middle`, at whole steps and inside the eye. */
static struct vrs_rect place(const struct vrs_follow *follow, double middle, int width, int top, int bottom)
{
	const struct vrs_rect *eye = &follow->eye;
	int step = follow->step_x, x = (int)lrint((middle - width / 2.0) / step) * step;
	struct vrs_rect view = {.y = eye->y + top, .width = width, .height = bottom - top};
	if (follow->circle) {
		vrs_wraparound_settle(eye->x + x, eye->x + x + width, eye->x, follow->circle, &view.x, &view.width);
		return view;
	}
	x = x + width > eye->width ? eye->width - width : x;
	view.x = eye->x + (x < 0 ? 0 : x);
	return view;
}

void vrs_person_align(const struct vrs_people_eyes *eyes, struct vrs_person *person)
{
	if (eyes->count < 2)
		return;
	struct vrs_rect *view = person->view;
	int width = 0, top = INT32_MAX, bottom = 0;
	for (int e = 0; e < 2; e++) {
		int first = view[e].y - eyes->follow[e].eye.y;
		width = view[e].width > width ? view[e].width : width;
		top = first < top ? first : top;
		bottom = first + view[e].height > bottom ? first + view[e].height : bottom;
	}
	for (int e = 0; e < 2; e++)
		view[e] = place(&eyes->follow[e], middle(eyes, &view[e], e), width, top, bottom);
}

void vrs_person_place(const struct vrs_people_eyes *eyes, const struct vrs_disparity *disparity, struct vrs_person *person, int from,
		      const struct vrs_rect *view)
{
	int top = view->y - eyes->follow[from].eye.y, width = view->width;
	double spread, shift;
	if (eyes->count == 2) {
		const struct vrs_follow *other = &eyes->follow[1 - from];
		shift = vrs_disparity_predict(disparity, (double)view->height / other->eye.height, &spread) * other->eye.width;
		if (person->paired)
			shift = disparity_of(eyes, person);
		else
			width += (int)ceil(2 * spread * other->eye.width / other->step_x) * other->step_x;
		width = width > other->eye.width ? other->eye.width : width;
		person->view[1 - from] = place(other, middle(eyes, view, from) + (from ? shift : -shift), width, top, top + view->height);
	}
	person->view[from] = *view;
}

bool vrs_person_at_edge(const struct vrs_people_eyes *eyes, const struct vrs_person *person, int eye)
{
	const struct vrs_rect *whole = &eyes->follow[eye].eye, *view = &person->view[eye];
	double near = EDGE * whole->width;
	return !circle_of(eyes) && (view->x < whole->x + near || view->x + view->width > whole->x + whole->width - near);
}

bool vrs_person_is_shown(const struct vrs_people_eyes *eyes, const struct vrs_person *person)
{
	if (person->gone || !person->seen)
		return false;
	for (int e = 0; e < eyes->count; e++)
		if (!(person->seen >> e & 1) && !person->paired && !vrs_person_at_edge(eyes, person, e))
			return false;
	return true;
}

/* Rows of an eye that two parts have in common, of those that either has. */
static double common_rows(const struct vrs_people_eyes *eyes, const struct vrs_rect *left, const struct vrs_rect *right)
{
	int a = left->y - eyes->follow[0].eye.y, b = right->y - eyes->follow[1].eye.y;
	int top = a > b ? a : b, a_end = a + left->height, b_end = b + right->height, bottom = a_end < b_end ? a_end : b_end;
	int first = a < b ? a : b, last = a_end > b_end ? a_end : b_end;
	return bottom > top ? (double)(bottom - top) / (last - first) : 0;
}

/* How far the two are from where they should be to each other, in shares of the eye's width; infinite: they are not the same people. */
static double distance_of(const struct vrs_people_eyes *eyes, const struct vrs_disparity *disparity, const struct vrs_rect *left,
			  const struct vrs_rect *right)
{
	const struct vrs_person both = {.view = {*left, *right}};
	const struct vrs_rect *eye = &eyes->follow[0].eye;
	double spread, wanted = vrs_disparity_predict(disparity, (double)left->height / eye->height, &spread);
	double distance = fabs(disparity_of(eyes, &both) / eye->width - wanted);
	double most = 2 * spread + 0.5 * left->width / eye->width;
	return distance > most || common_rows(eyes, left, right) < SAME_ROWS ? INFINITY : distance;
}

void vrs_people_pair(const struct vrs_people_eyes *eyes, const struct vrs_disparity *disparity, const struct vrs_regions parts[VRS_PEOPLE_EYES],
		     int ret_right[VRS_REGIONS_MAX])
{
	bool taken[VRS_REGIONS_MAX] = {false};
	for (int i = 0; i < VRS_REGIONS_MAX; i++)
		ret_right[i] = -1;
	for (;;) {
		double best = INFINITY;
		int left = -1, right = -1;
		for (int i = 0; i < parts[0].count; i++)
			for (int k = 0; k < parts[1].count; k++) {
				if (ret_right[i] >= 0 || taken[k])
					continue;
				double distance = distance_of(eyes, disparity, &parts[0].rect[i], &parts[1].rect[k]);
				if (distance >= best)
					continue;
				best = distance;
				left = i;
				right = k;
			}
		if (left < 0)
			return;
		ret_right[left] = right;
		taken[right] = true;
	}
}

/* The view around those of two people. */
static void widen(const struct vrs_people_eyes *eyes, struct vrs_person *a, const struct vrs_person *b)
{
	for (int e = 0; e < eyes->count; e++)
		a->view[e] = vrs_wraparound_around(&a->view[e], &b->view[e], circle_of(eyes));
	vrs_person_align(eyes, a);
}

/* Of the smaller view, in the eye where that is most. */
static double overlap_of(const struct vrs_people_eyes *eyes, const struct vrs_person *a, const struct vrs_person *b)
{
	double most = 0;
	for (int e = 0; e < eyes->count; e++) {
		const struct vrs_rect *va = &a->view[e], *vb = &b->view[e];
		double share = area(va) < area(vb) ? vrs_region_share(va, vb, circle_of(eyes)) : vrs_region_share(vb, va, circle_of(eyes));
		most = share > most ? share : most;
	}
	return most;
}

/* What one view for both costs more than two, in samples. */
static double growth_of(const struct vrs_people_eyes *eyes, const struct vrs_person *a, const struct vrs_person *b)
{
	struct vrs_rect both = vrs_wraparound_around(&a->view[0], &b->view[0], circle_of(eyes));
	return area(&both) - area(&a->view[0]) - area(&b->view[0]);
}

/* The pair that shares a view next; false when nobody needs to. */
static bool pair_to_join(const struct vrs_people_eyes *eyes, const struct vrs_people *people, int first, int most, int *ret_a, int *ret_b)
{
	double best = 0;
	bool found = false;
	int living = 0;
	for (int a = first; a < people->count; a++)
		living += !people->person[a].gone;
	for (int a = first; a < people->count; a++)
		for (int b = a + 1; b < people->count; b++) {
			const struct vrs_person *pa = &people->person[a], *pb = &people->person[b];
			double worth = pa->number && pb->number ? OVERLAP : PARTING;
			bool meet = !pa->guessed && !pb->guessed && !pa->apart && !pb->apart && overlap_of(eyes, pa, pb) >= worth;
			if (pa->gone || pb->gone || (living <= most && !meet))
				continue;
			double growth = growth_of(eyes, pa, pb);
			if (found && growth >= best)
				continue;
			found = true;
			best = growth;
			*ret_a = a;
			*ret_b = b;
		}
	return found;
}

void vrs_people_join(const struct vrs_people_eyes *eyes, struct vrs_people *people, int first, int most, bool changed[VRS_REGIONS_MAX])
{
	int a = 0, b = 0;
	while (pair_to_join(eyes, people, first, most, &a, &b)) {
		struct vrs_person *pa = &people->person[a], *pb = &people->person[b];
		bool takes_b = !pa->number && pb->number; /* who is known longer goes on */
		struct vrs_person *stays = takes_b ? pb : pa, *goes = takes_b ? pa : pb;
		widen(eyes, stays, goes);
		stays->seen |= goes->seen;
		stays->paired |= goes->paired;
		stays->missing = stays->missing < goes->missing ? stays->missing : goes->missing;
		goes->gone = true;
		if (changed)
			changed[stays - people->person] = true;
	}
}

static void remove_at(struct vrs_people *people, int i)
{
	people->count--;
	for (; i < people->count; i++)
		people->person[i] = people->person[i + 1];
}

/* Whoever is known by that number, or for newcomers at that place and not by a number that the frame has; -1: nobody. */
static int find_known(const struct vrs_people_eyes *eyes, const struct vrs_people *known, const struct vrs_people *frame,
		      const struct vrs_person *who)
{
	for (int k = 0; k < known->count; k++)
		if (who->number && known->person[k].number == who->number)
			return k;
	for (int k = 0; k < known->count; k++) {
		bool named = false;
		for (int i = 0; i < frame->count; i++)
			named |= frame->person[i].number == known->person[k].number;
		if (!named && overlap_of(eyes, &known->person[k], who) >= SAME)
			return k;
	}
	return -1;
}

static void merge_one(const struct vrs_people_eyes *eyes, struct vrs_people *known, const struct vrs_people *frame, const struct vrs_person *who)
{
	if (!who->number && (!who->seen || who->gone))
		return; /* a place where nobody is */
	int k = find_known(eyes, known, frame, who);
	if (k < 0 && (!who->seen || who->gone || known->count == VRS_REGIONS_MAX))
		return;
	if (k >= 0 && who->gone) {
		if (known->person[k].number == who->number)
			remove_at(known, k);
		return;
	}
	if (k < 0) {
		k = known->count++;
		known->person[k] = (struct vrs_person){.number = who->number ? who->number : ++known->last_number};
	}
	struct vrs_person *person = &known->person[k];
	uint32_t number = person->number;
	int missing = person->missing + 1;
	bool paired = person->paired || who->paired;
	*person = *who;
	person->number = number;
	person->paired = paired;
	person->missing = vrs_person_is_shown(eyes, person) ? 0 : missing;
	if (who->seen == 3 && eyes->count == 2)
		vrs_disparity_learn(&known->disparity, (double)who->view[0].height / eyes->follow[0].eye.height,
				    disparity_of(eyes, who) / eyes->follow[0].eye.width);
}

void vrs_people_merge(const struct vrs_people_eyes *eyes, struct vrs_people *known, const struct vrs_people *frame, int most)
{
	VRS_ASSERT(most >= 1 && most <= VRS_REGIONS_MAX);
	for (int i = 0; i < frame->count; i++)
		merge_one(eyes, known, frame, &frame->person[i]);
	for (int e = 0; e < eyes->count; e++)
		if (frame->glanced[e]) {
			known->glance[e] = frame->glance[e];
			known->search_debt = frame->search_debt;
		}
	for (int k = known->count - 1; k >= 0; k--)
		if (known->person[k].missing > PATIENCE)
			remove_at(known, k);
	vrs_people_join(eyes, known, 0, most, NULL);
	for (int k = known->count - 1; k >= 0; k--) {
		known->person[k].guessed = false;
		if (known->person[k].gone)
			remove_at(known, k);
	}
}

static bool archive_person(const struct vrs_people_eyes *eyes, struct vrs_person *person, struct vrs_archive *archive)
{
	int seen = (int)person->seen;
	bool good = vrs_archive_u32(archive, &person->number) && vrs_archive_int(archive, &seen, 0, (1 << eyes->count) - 1) &&
		    vrs_archive_flag(archive, &person->paired) && vrs_archive_flag(archive, &person->apart) &&
		    vrs_archive_int(archive, &person->missing, 0, PATIENCE);
	for (int e = 0; good && e < eyes->count; e++)
		good = vrs_archive_part(archive, &person->view[e], &eyes->follow[e].eye, circle_of(eyes)) &&
		       vrs_archive_u32(archive, &person->who[e]);
	person->seen = (unsigned)seen;
	return good;
}

bool vrs_people_archive(const struct vrs_people_eyes *eyes, struct vrs_people *known, struct vrs_archive *archive, int most)
{
	bool good = vrs_archive_int(archive, &known->count, 0, most) && vrs_archive_u32(archive, &known->last_number) &&
		    vrs_disparity_archive(&known->disparity, archive) && vrs_archive_int(archive, &known->search_debt, 0, MOST_DEBT);
	for (int i = 0; good && i < known->count; i++)
		good = archive_person(eyes, &known->person[i], archive);
	for (int e = 0; good && e < eyes->count; e++)
		good = vrs_glance_archive(&known->glance[e], archive);
	return good;
}
