/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/follow.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"

#define PERSON 0.3f         /* alpha from here on is a person's */
#define LEAST_SHARE 0.001   /* of the matte; less is noise */
#define LEAST_LINE 2        /* pixels of a row or column that belongs to people: one is noise */
#define MARGIN 0.1          /* around people, of their size, on each side */
#define CUT_MARGIN 0.5      /* on a side where the view cuts them off */
#define MUCH_SMALLER 0.75   /* of the view's area: worth another look */
#define BLOCK 64            /* lines that are counted at once: columns in the order of memory */
#define GRID 64             /* steps across an eye: small motion leaves the view where it is */

static int step_of(int length, int chroma_shift)
{
	int unit = 1 << chroma_shift, step = length / GRID / unit * unit;
	return step < unit ? unit : step;
}

struct vrs_follow vrs_follow_make(const struct vrs_rect *eye, const struct vrs_rect *start, const struct vrs_picture_format *format)
{
	return (struct vrs_follow){.eye = *eye, .circle = format->circle, .start = *start, .step_x = step_of(eye->width, format->chroma_shift_x),
		.step_y = step_of(eye->height, format->chroma_shift_y)};
}

struct vrs_rect vrs_follow_widen(const struct vrs_follow *follow, const struct vrs_rect *view)
{
	return vrs_wraparound_around(view, &follow->start, follow->circle);
}

struct vrs_rect vrs_follow_wider(const struct vrs_follow *follow, const struct vrs_rect *view, double factor)
{
	const struct vrs_rect *eye = &follow->eye;
	int dx = (int)(view->width * (factor - 1) / 2) / follow->step_x * follow->step_x;
	int dy = (int)(view->height * (factor - 1) / 2) / follow->step_y * follow->step_y;
	int left = view->x - dx, right = view->x + view->width + dx;
	int top = view->y - dy < eye->y ? eye->y : view->y - dy, bottom = view->y + view->height + dy;
	bottom = bottom > eye->y + eye->height ? eye->y + eye->height : bottom;
	struct vrs_rect wider = {.y = top, .height = bottom - top};
	if (follow->circle) {
		vrs_wraparound_settle(left, right, eye->x, follow->circle, &wider.x, &wider.width);
		return wider;
	}
	wider.x = left < eye->x ? eye->x : left;
	wider.width = (right > eye->x + eye->width ? eye->x + eye->width : right) - wider.x;
	return wider;
}

bool vrs_follow_is_whole_circle(const struct vrs_follow *follow, const struct vrs_rect *view)
{
	return follow->circle && view->width == follow->circle;
}

/* Lines of a matte, along or across, and how many people's pixels a block of them has. */
struct lines {
	const float *alpha;
	int count, pixels;             /* lines, and pixels of each */
	ptrdiff_t pixel, line;         /* strides from pixel to pixel and from line to line */
	int block;                     /* the first line that is counted below */
	int people[BLOCK];
};

static struct lines rows_of(const float *alpha, int width, int height)
{
	return (struct lines){.alpha = alpha, .count = height, .pixels = width, .pixel = 1, .line = width, .block = -1};
}

static struct lines columns_of(const float *alpha, int width, int height)
{
	return (struct lines){.alpha = alpha, .count = width, .pixels = height, .pixel = width, .line = 1, .block = -1};
}

static void count_block(struct lines *lines)
{
	int n = lines->count - lines->block < BLOCK ? lines->count - lines->block : BLOCK;
	const float *from = lines->alpha + lines->block * lines->line;

	memset(lines->people, 0, sizeof lines->people);
	if (lines->line == 1) /* in the order of memory either way */
		for (int p = 0; p < lines->pixels; p++)
			for (int i = 0; i < n; i++)
				lines->people[i] += from[p * lines->pixel + i] >= PERSON;
	else
		for (int i = 0; i < n; i++)
			for (int p = 0; p < lines->pixels; p++)
				lines->people[i] += from[i * lines->line + p] >= PERSON;
}

static int people_in(struct lines *lines, int i)
{
	if (lines->block < 0 || i < lines->block || i >= lines->block + BLOCK) {
		lines->block = i / BLOCK * BLOCK;
		count_block(lines);
	}
	return lines->people[i - lines->block];
}

/*
 * First line with at least LEAST_LINE people's pixels, and how many there are to the last such one; lines are counted from `begin` on, around.
 * Returns the people's pixels.
 */
static int span(struct lines lines, int begin, int *ret_first, int *ret_count)
{
	int all = 0, first = lines.count, last = -1;
	for (int k = 0; k < lines.count; k++) {
		int count = people_in(&lines, k + begin < lines.count ? k + begin : k + begin - lines.count);
		all += count;
		if (count < LEAST_LINE && lines.pixels > LEAST_LINE)
			continue;
		first = first < k ? first : k;
		last = k;
	}
	*ret_first = (first + begin) % lines.count;
	*ret_count = last + 1 - first;
	return all;
}

int vrs_follow_cut(const float *alpha, int width, int height)
{
	struct lines columns = columns_of(alpha, width, height);
	int cut = 0, most = 0, run = 0;
	for (int k = 0; k < 2 * width; k++) { /* twice around: the longest run may go across the edge */
		run = people_in(&columns, k % width) < LEAST_LINE ? run + 1 : 0;
		if (run > most && run < width) {
			most = run;
			cut = (k + 1) % width;
		}
	}
	return cut;
}

bool vrs_follow_find(const float *alpha, int width, int height, bool whole_circle, struct vrs_follow_extent *ret_extent)
{
	struct vrs_follow_extent people;
	int count = span(rows_of(alpha, width, height), 0, &people.top, &people.height);
	if (count < LEAST_SHARE * width * height || people.height < 1)
		return false;
	(void)span(columns_of(alpha, width, height), whole_circle ? vrs_follow_cut(alpha, width, height) : 0, &people.left, &people.width);
	if (people.width < 1)
		return false;
	*ret_extent = people;
	return true;
}

/* One axis: the people between `low` and `high` with their margins. True when the view cuts them off. */
static bool around(double low, double high, const double view[2], const double eye[2], double ret[2])
{
	double length = high - low, near = VRS_FOLLOW_BORDER * (view[1] - view[0]);
	bool cut_low = low <= view[0] + near && view[0] > eye[0], cut_high = high >= view[1] - near && view[1] < eye[1];
	ret[0] = low - length * (cut_low ? CUT_MARGIN : MARGIN);
	ret[1] = high + length * (cut_high ? CUT_MARGIN : MARGIN);
	return cut_low || cut_high;
}

/* Rounded outwards to steps, inside the eye. */
static void place(double low, double high, int eye, int length, int step, int *ret_at, int *ret_length)
{
	double end = eye + length;
	low = fmax(eye, eye + floor((low - eye) / step) * step);
	high = fmin(end, eye + ceil((high - eye) / step) * step);
	*ret_at = (int)low;
	*ret_length = (int)(high - low);
}

/* The same around the circle; steps are counted from the left edge of the eye that the part begins in. */
static void place_around(const struct vrs_follow *follow, double low, double high, int *ret_x, int *ret_width)
{
	double before = floor((low - follow->eye.x) / follow->circle) * follow->circle, step = follow->step_x;
	low = floor((low - before - follow->eye.x) / step) * step;
	high = ceil((high - before - follow->eye.x) / step) * step;
	vrs_wraparound_settle(follow->eye.x + (int)low, follow->eye.x + (int)high, follow->eye.x, follow->circle, ret_x, ret_width);
}

struct vrs_rect vrs_follow_padded(const struct vrs_follow *follow, const struct vrs_rect *view, int pad)
{
	const struct vrs_rect *eye = &follow->eye;
	double left = view->x - pad, right = left + view->width + 2 * pad, top = view->y - pad, bottom = top + view->height + 2 * pad;
	struct vrs_rect padded;
	place(top, bottom, eye->y, eye->height, follow->step_y, &padded.y, &padded.height);
	if (follow->circle)
		place_around(follow, left, right, &padded.x, &padded.width);
	else
		place(left, right, eye->x, eye->width, follow->step_x, &padded.x, &padded.width);
	return padded;
}

static bool same_rect(const struct vrs_rect *a, const struct vrs_rect *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

static bool holds_start(const struct vrs_follow *follow, const struct vrs_rect *view)
{
	struct vrs_rect wide = vrs_follow_widen(follow, view);
	return same_rect(&wide, view);
}

bool vrs_follow_around(const struct vrs_follow *follow, const struct vrs_rect *view, const struct vrs_follow_extent *people, int width, int height,
		       struct vrs_rect *ret_next)
{
	const struct vrs_rect *eye = &follow->eye;
	double sx = (double)view->width / width, sy = (double)view->height / height, x[2], y[2];
	double left = view->x + people->left * sx, top = view->y + people->top * sy;
	const double across[2] = {view->x, view->x + view->width}, down[2] = {view->y, view->y + view->height};
	const double eye_across[2] = {eye->x, eye->x + eye->width}, eye_down[2] = {eye->y, eye->y + eye->height};
	const double endless[2] = {-INFINITY, INFINITY};
	bool whole = vrs_follow_is_whole_circle(follow, view);
	bool cut = around(left, left + people->width * sx, across, whole ? across : follow->circle ? endless : eye_across, x);
	cut = around(top, top + people->height * sy, down, eye_down, y) || cut;
	place(y[0], y[1], eye->y, eye->height, follow->step_y, &ret_next->y, &ret_next->height);
	if (follow->circle)
		place_around(follow, x[0], x[1], &ret_next->x, &ret_next->width);
	else
		place(x[0], x[1], eye->x, eye->width, follow->step_x, &ret_next->x, &ret_next->width);
	return cut;
}

/* Along one axis: how far inside of the view at hand the next one ends. */
static bool is_near(const struct vrs_follow *follow, int step, int at, int length, int next, int next_length)
{
	int low = next - at, high = at + length - next - next_length, least = -follow->outside * step, most = follow->still * step;
	return low >= least && low <= most && high >= least && high <= most;
}

bool vrs_follow_stays(const struct vrs_follow *follow, const struct vrs_rect *view, const struct vrs_rect *next)
{
	int x = next->x + vrs_wraparound_turn(next->x, next->width, view->x, view->width, follow->circle);
	return is_near(follow, follow->step_x, view->x, view->width, x, next->width) &&
	       is_near(follow, follow->step_y, view->y, view->height, next->y, next->height);
}

enum vrs_follow_verdict vrs_follow_judge(const struct vrs_follow *follow, const struct vrs_rect *view, const float *alpha, int width, int height,
					 struct vrs_rect *ret_next)
{
	struct vrs_follow_extent people;
	if (!vrs_follow_find(alpha, width, height, vrs_follow_is_whole_circle(follow, view), &people)) {
		*ret_next = follow->start;
		return holds_start(follow, view) ? VRS_FOLLOW_GOOD : VRS_FOLLOW_AGAIN;
	}
	bool cut = vrs_follow_around(follow, view, &people, width, height, ret_next);
	bool smaller = (double)ret_next->width * ret_next->height < MUCH_SMALLER * view->width * view->height;
	if ((cut || smaller) && !same_rect(ret_next, view))
		return VRS_FOLLOW_AGAIN;
	if (vrs_follow_stays(follow, view, ret_next))
		*ret_next = *view;
	return VRS_FOLLOW_GOOD;
}
