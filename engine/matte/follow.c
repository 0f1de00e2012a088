/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/follow.h"

#include <math.h>
#include <string.h>

#define PERSON 0.3f         /* alpha from here on is a person's */
#define LEAST_SHARE 0.001   /* of the matte; less is noise */
#define LEAST_LINE 2        /* pixels of a row or column that belongs to people: one is noise */
#define MARGIN 0.1          /* around people, of their size, on each side */
#define CUT_MARGIN 0.5      /* on a side where the view cuts them off */
#define BORDER 0.008        /* of the view: people this near to its border are cut off */
#define MUCH_SMALLER 0.75   /* of the view's area: worth another look */
#define GRID 64             /* steps across an eye: small motion leaves the view where it is */

/* Sides in picture coordinates. */
struct box {
	double left, top, right, bottom;
};

static int step_of(int length, int chroma_shift)
{
	int unit = 1 << chroma_shift, step = length / GRID / unit * unit;
	return step < unit ? unit : step;
}

struct vrs_follow vrs_follow_make(const struct vrs_rect *eye, const struct vrs_rect *start, const struct vrs_picture_format *format)
{
	return (struct vrs_follow){.eye = *eye, .start = *start, .step_x = step_of(eye->width, format->chroma_shift_x),
		.step_y = step_of(eye->height, format->chroma_shift_y)};
}

static struct box box_of(const struct vrs_rect *r)
{
	return (struct box){r->x, r->y, r->x + r->width, r->y + r->height};
}

struct vrs_rect vrs_follow_widen(const struct vrs_follow *follow, const struct vrs_rect *view)
{
	struct box a = box_of(view), b = box_of(&follow->start);
	int left = (int)fmin(a.left, b.left), top = (int)fmin(a.top, b.top);
	return (struct vrs_rect){left, top, (int)fmax(a.right, b.right) - left, (int)fmax(a.bottom, b.bottom) - top};
}

/* First and last line with at least LEAST_LINE people's pixels; stride from pixel to pixel of a line and from line to line. Returns their number. */
static int span(const float *alpha, int lines, int pixels, ptrdiff_t pixel, ptrdiff_t line, int *first, int *last)
{
	int all = 0;
	*first = lines;
	*last = -1;
	for (int i = 0; i < lines; i++) {
		int count = 0;
		for (int k = 0; k < pixels; k++)
			count += alpha[i * line + k * pixel] >= PERSON;
		all += count;
		if (count < LEAST_LINE && pixels > LEAST_LINE)
			continue;
		*first = *first < i ? *first : i;
		*last = i;
	}
	return all;
}

bool vrs_follow_find(const float *alpha, int width, int height, struct vrs_follow_extent *ret_extent)
{
	int left, top, right, bottom;
	int count = span(alpha, height, width, 1, width, &top, &bottom);
	if (count < LEAST_SHARE * width * height || bottom < top)
		return false;
	(void)span(alpha, width, height, width, 1, &left, &right);
	if (right < left)
		return false;
	*ret_extent = (struct vrs_follow_extent){left, top, right + 1 - left, bottom + 1 - top};
	return true;
}

/* One axis: the people between `low` and `high` with their margins, rounded outwards, inside the eye. True when the view cuts them off. */
static bool around(double low, double high, const double view[2], const double eye[2], int step, double ret[2])
{
	double length = high - low, near = BORDER * (view[1] - view[0]);
	bool cut_low = low <= view[0] + near && view[0] > eye[0], cut_high = high >= view[1] - near && view[1] < eye[1];
	ret[0] = low - length * (cut_low ? CUT_MARGIN : MARGIN);
	ret[1] = high + length * (cut_high ? CUT_MARGIN : MARGIN);
	ret[0] = fmax(eye[0], eye[0] + floor((ret[0] - eye[0]) / step) * step);
	ret[1] = fmin(eye[1], eye[0] + ceil((ret[1] - eye[0]) / step) * step);
	return cut_low || cut_high;
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
	struct box v = box_of(view), e = box_of(&follow->eye);
	double sx = (double)view->width / width, sy = (double)view->height / height, x[2], y[2];
	double left = view->x + people->left * sx, top = view->y + people->top * sy;
	bool cut = around(left, left + people->width * sx, (double[]){v.left, v.right}, (double[]){e.left, e.right}, follow->step_x, x);
	cut = around(top, top + people->height * sy, (double[]){v.top, v.bottom}, (double[]){e.top, e.bottom}, follow->step_y, y) || cut;
	*ret_next = (struct vrs_rect){(int)x[0], (int)y[0], (int)(x[1] - x[0]), (int)(y[1] - y[0])};
	return cut;
}

enum vrs_follow_verdict vrs_follow_judge(const struct vrs_follow *follow, const struct vrs_rect *view, const float *alpha, int width, int height,
					 struct vrs_rect *ret_next)
{
	struct vrs_follow_extent people;
	if (!vrs_follow_find(alpha, width, height, &people)) {
		*ret_next = follow->start;
		return holds_start(follow, view) ? VRS_FOLLOW_GOOD : VRS_FOLLOW_AGAIN;
	}
	bool cut = vrs_follow_around(follow, view, &people, width, height, ret_next);
	bool smaller = (double)ret_next->width * ret_next->height < MUCH_SMALLER * view->width * view->height;
	return (cut || smaller) && !same_rect(ret_next, view) ? VRS_FOLLOW_AGAIN : VRS_FOLLOW_GOOD;
}
