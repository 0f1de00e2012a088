/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_parts.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"

#define KNOWN 0.6           /* share of a part with people that the view of somebody covers: it is them */
#define THE_SAME 0.8        /* share of a person's part that another person's covers: nobody else is seen there */
#define SHOWN_TOO 0.5       /* share of the people's pixels of such a part that the look at that person shows */
#define CROSSING 0.9        /* share of what crosses an edge of a view that the view of another person shows on the other side */
#define ASIDE 0.2           /* of a view, on each side: the rest is its middle */
#define LEAST 0.06          /* of an eye's width and height: views of people are no smaller, and less is no newcomer */
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

/* A matte that covers a view of an eye. */
struct seen_view {
	const float *alpha;
	int width, height;
	struct vrs_rect view;
	const struct vrs_follow *follow;
};

/* Edges of a view. */
enum edge { EDGE_LEFT, EDGE_RIGHT, EDGE_TOP, EDGE_BOTTOM, EDGES };

/* Does a person's pixel lie near that edge, `at` pixels along it? */
static bool is_crossed(const struct seen_view *seen, enum edge edge, int at)
{
	bool across = edge == EDGE_LEFT || edge == EDGE_RIGHT, far = edge == EDGE_RIGHT || edge == EDGE_BOTTOM;
	int pixels = across ? seen->width : seen->height, near = (int)ceil(VRS_FOLLOW_BORDER * pixels) + 1;
	bool crossed = false;
	for (int k = 0; k < near && k < pixels; k++) {
		int from = far ? pixels - 1 - k : k;
		crossed |= seen->alpha[across ? at * seen->width + from : from * seen->width + at] >= VRS_REGION_ALPHA;
	}
	return crossed;
}

/* Where the people of a part cross an edge of the view, as a strip beyond it; false where nobody does, or the eye ends there. */
static bool find_crossing(const struct seen_view *seen, const struct vrs_rect *part, enum edge edge, struct vrs_rect *ret_strip)
{
	const struct vrs_rect *view = &seen->view, *eye = &seen->follow->eye;
	bool across = edge == EDGE_LEFT || edge == EDGE_RIGHT;
	int count = across ? seen->height : seen->width, first = count, end = 0, step = across ? seen->follow->step_x : seen->follow->step_y;
	double scale = (double)(across ? view->height : view->width) / count;
	double from = across ? part->y - view->y : part->x - view->x, length = across ? part->height : part->width;
	for (int at = 0; at < count; at++) {
		double place = (at + 0.5) * scale - from;
		if (place <= 0 || place >= length || !is_crossed(seen, edge, at))
			continue;
		first = at < first ? at : first;
		end = at + 1;
	}
	int low = (int)(first * scale), high = (int)ceil(end * scale);
	if (across)
		*ret_strip = (struct vrs_rect){edge == EDGE_LEFT ? view->x - step : view->x + view->width, view->y + low, step, high - low};
	else
		*ret_strip = (struct vrs_rect){view->x + low, edge == EDGE_TOP ? view->y - step : view->y + view->height, high - low, step};
	return end > first && ret_strip->y >= eye->y && ret_strip->y < eye->y + eye->height &&
	       (seen->follow->circle || (ret_strip->x >= eye->x && ret_strip->x < eye->x + eye->width));
}

/* Does a person who was seen in the frame before, besides p, have a view that shows the strip? */
static bool others_show(const struct vrs_roi_worker *worker, int n, int eye, int p, const struct vrs_rect *strip)
{
	const struct vrs_people *people = &worker->batch.people[n];
	const struct vrs_regions *now = &worker->batch.now[n * worker->plan->eyes + eye];
	for (int q = 0; q < people->count && q < now->count; q++) {
		const struct vrs_person *other = &people->person[q];
		if (q != p && !other->gone && other->number && other->missing == 0 &&
		    vrs_region_share(strip, &now->rect[q], worker->plan->format.circle) >= CROSSING)
			return true;
	}
	return false;
}

/*
 * People who meet are connected in the matte, and a view around all of them would show each of them small.  What crosses an edge of a person's view
 * into that of another person is theirs: the part ends there.
 */
static void end_at_others(const struct vrs_roi_worker *worker, int n, int eye, int p, const struct seen_view *seen, struct vrs_rect *part,
			  bool *truncated)
{
	const struct vrs_rect *view = &seen->view;
	int circle = seen->follow->circle, turn = vrs_wraparound_turn(part->x, part->width, view->x, view->width, circle);
	int from[2] = {part->x + turn, part->y}, to[2] = {from[0] + part->width, from[1] + part->height};
	const int low[2] = {view->x, view->y}, high[2] = {view->x + view->width, view->y + view->height};
	const struct vrs_rect near = {from[0], from[1], part->width, part->height};
	*truncated = false;
	for (int edge = 0; edge < EDGES; edge++) {
		struct vrs_rect strip;
		int axis = edge / 2;
		if (!find_crossing(seen, &near, (enum edge)edge, &strip))
			continue;
		if (!others_show(worker, n, eye, p, &strip))
			*truncated = true;
		else if (edge % 2)
			to[axis] = to[axis] < high[axis] ? to[axis] : high[axis];
		else
			from[axis] = from[axis] > low[axis] ? from[axis] : low[axis];
	}
	*part = (struct vrs_rect){from[0] - turn, from[1], to[0] - from[0], to[1] - from[1]};
	if (circle)
		vrs_wraparound_settle(from[0], to[0], seen->follow->eye.x, circle, &part->x, &part->width);
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
	const struct seen_view seen = {alpha, width, height, *view, follow};
	for (int r = 0; r < ret->count; r++)
		if (ret->truncated[r])
			end_at_others(worker, n, eye, p, &seen, &ret->rect[r], &ret->truncated[r]);
	if (ret->count > 0 || !vrs_follow_find(alpha, width, height, vrs_follow_is_whole_circle(follow, view), &people))
		return;
	ret->count = 1;
	ret->truncated[0] = vrs_follow_around(follow, view, &people, width, height, &ret->rect[0]);
}

/* Share of the people's pixels of a part that the look at person p shows in it, which the look at person q shows too. */
static double share_shown_by(const struct vrs_roi_worker *worker, int n, int eye, int p, const struct vrs_rect *part, int q)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int i = n * plan->eyes + eye, width = plan->shape.matte_width, height = plan->shape.matte_height, all = 0, shown = 0;
	const float *alpha = worker->looks.alpha + plan->look_size * (size_t)(i * plan->regions + p);
	const float *other = worker->looks.alpha + plan->look_size * (size_t)(i * plan->regions + q);
	const struct vrs_rect *view = &worker->batch.now[i].rect[p], *there = &worker->batch.now[i].rect[q];
	int turn = vrs_wraparound_turn(view->x, view->width, there->x, there->width, plan->format.circle);
	int part_turn = vrs_wraparound_turn(part->x, part->width, view->x, view->width, plan->format.circle);
	for (int y = 0; y < height; y++) {
		double row = view->y + (y + 0.5) * view->height / height, v = (row - there->y) * height / there->height;
		if (row < part->y || row >= part->y + part->height)
			continue;
		for (int x = 0; x < width; x++) {
			double column = view->x + (x + 0.5) * view->width / width, at = column - part->x - part_turn;
			double u = (column + turn - there->x) * width / there->width;
			if (at < 0 || at >= part->width || !(alpha[y * width + x] >= VRS_REGION_ALPHA))
				continue;
			all++;
			shown += u >= 0 && u < width && v >= 0 && v < height && other[(int)v * width + (int)u] >= VRS_REGION_ALPHA;
		}
	}
	return all ? (double)shown / all : 1;
}

/* Is the part that of somebody besides person `but`?  Views say too little: who is in two of them may be nobody's. */
static bool is_theirs(const struct vrs_roi_worker *worker, const struct vrs_roi_parts *parts, const struct vrs_rect *part, int but)
{
	for (int p = 0; p < VRS_REGIONS_MAX; p++)
		if (p != but && parts->seen[p] && vrs_region_share(part, &parts->rect[p], worker->plan->format.circle) >= KNOWN)
			return true;
	return false;
}

/* A side of a part, at least `least` long around its middle, at whole steps inside the eye. */
static void lengthen(int least, int step, int at, int length, int eye, int eye_length, int *ret_at, int *ret_length)
{
	int wanted = (least + step - 1) / step * step, from = at - (wanted - length) / 2 / step * step;
	*ret_at = at;
	*ret_length = length;
	if (length >= least || wanted > eye_length)
		return;
	from = from + wanted > eye + eye_length ? eye + eye_length - wanted : from;
	*ret_at = from < eye ? eye : from;
	*ret_length = wanted;
}

/* A speck is all that is seen of somebody: a view as small as that would show nothing else in the next frame. */
static void keep_size(const struct vrs_follow *follow, struct vrs_rect *part)
{
	const struct vrs_rect *eye = &follow->eye;
	lengthen((int)(LEAST * eye->height), follow->step_y, part->y, part->height, eye->y, eye->height, &part->y, &part->height);
	if (part->x + part->width <= eye->x + eye->width) /* else it goes on at the left edge of a circle */
		lengthen((int)(LEAST * eye->width), follow->step_x, part->x, part->width, eye->x, eye->width, &part->x, &part->width);
}

/* Is a part that the look at person p shows so small in the view of person q that the look there does not show it? */
static bool is_lost_in(const struct vrs_roi_worker *worker, int n, int eye, int p, const struct vrs_rect *part, int q)
{
	const struct vrs_rect *view = &worker->batch.now[n * worker->plan->eyes + eye].rect[q];
	return area(part) < VRS_ROI_FAR_SMALLER * area(view) && share_shown_by(worker, n, eye, p, part, q) < SHOWN_TOO;
}

/* Does the part belong to somebody who comes first in the list? */
static bool is_of_former(const struct vrs_roi_worker *worker, const struct vrs_roi_parts *parts, int n, int eye, int p, const struct vrs_rect *part)
{
	for (int q = 0; q < p; q++)
		if (parts->seen[q] && vrs_region_share(part, &parts->rect[q], worker->plan->format.circle) >= THE_SAME &&
		    !is_lost_in(worker, n, eye, p, part, q))
			return true;
	return false;
}

/* Does person p need a view of their own, since they are lost in that of another one? */
static bool is_apart(const struct vrs_roi_worker *worker, const struct vrs_roi_parts *parts, int n, int eye, int p)
{
	const struct vrs_regions *now = &worker->batch.now[n * worker->plan->eyes + eye];
	for (int q = 0; q < worker->batch.people[n].count && parts->seen[p]; q++)
		if (q != p && parts->seen[q] && vrs_region_share(&parts->rect[p], &now->rect[q], worker->plan->format.circle) >= KNOWN &&
		    is_lost_in(worker, n, eye, p, &parts->rect[p], q))
			return true;
	return false;
}

/*
 * The person's part is the one that fills most of the middle of their view and is not of those who come first in the list, if any; a start view
 * has no middle.
 */
static void choose_own(const struct vrs_roi_worker *worker, const struct vrs_regions *shown, int n, int eye, int p, struct vrs_roi_parts *ret)
{
	const struct vrs_rect *view = &worker->batch.now[n * worker->plan->eyes + eye].rect[p];
	double aside = vrs_roi_parts_is_anyone(worker, &worker->batch.people[n].person[p]) ? 0 : ASIDE, most = 0;
	int dx = (int)(view->width * aside), dy = (int)(view->height * aside);
	const struct vrs_rect middle = {view->x + dx, view->y + dy, view->width - 2 * dx, view->height - 2 * dy};
	for (int r = 0; r < shown->count; r++) {
		double fills = vrs_region_share(&middle, &shown->rect[r], worker->plan->format.circle);
		if ((ret->seen[p] && fills <= most) || is_of_former(worker, ret, n, eye, p, &shown->rect[r]))
			continue;
		most = fills;
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
static void find_others(const struct vrs_roi_worker *worker, const struct vrs_regions *shown, int eye, int p, struct vrs_roi_parts *ret)
{
	struct vrs_regions *others = &ret->others;
	const struct vrs_rect own = ret->rect[p], *eye_rect = &worker->plan->follow[eye].eye;
	for (int r = 0; r < shown->count && ret->seen[p]; r++) {
		const struct vrs_rect *part = &shown->rect[r];
		if (memcmp(part, &own, sizeof own) == 0 || is_theirs(worker, ret, part, p))
			continue;
		bool is_speck = part->width < LEAST * eye_rect->width && part->height < LEAST * eye_rect->height;
		if (is_speck || area(part) < PART_OF * area(&own)) {
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
		choose_own(worker, &shown[p], n, eye, p, ret);
	}
	for (int p = 0; p < people->count; p++) {
		ret->apart[p] = is_apart(worker, ret, n, eye, p);
		find_others(worker, &shown[p], eye, p, ret);
	}
	for (int p = 0; p < people->count; p++)
		if (ret->seen[p])
			keep_size(&worker->plan->follow[eye], &ret->rect[p]);
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
