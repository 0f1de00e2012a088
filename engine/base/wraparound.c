/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/wraparound.h"

#define WHOLE 3 /* parts begin and end at whole chroma samples, which are up to four luma samples wide */

int vrs_wraparound_spans(const struct vrs_rect *part, int circle, struct vrs_rect ret_pieces[2])
{
	int beyond = circle > 0 ? part->x + part->width - (part->x / circle + 1) * circle : 0;
	ret_pieces[0] = ret_pieces[1] = *part;
	if (beyond <= 0)
		return 1;
	ret_pieces[0].width -= beyond;
	ret_pieces[1].x = part->x / circle * circle;
	ret_pieces[1].width = beyond;
	return 2;
}

int vrs_wraparound_turn(double at, double length, double to, double to_length, int circle)
{
	double distance = to + to_length / 2 - at - length / 2;
	return distance > circle / 2.0 ? circle : distance < -circle / 2.0 ? -circle : 0;
}

void vrs_wraparound_settle(int left, int right, int eye, int circle, int *ret_x, int *ret_width)
{
	if (right - left > circle) {
		left += (right - left - circle) / 2 & ~WHOLE;
		right = left + circle;
	}
	int at = (left - eye) % circle;
	*ret_x = eye + (at < 0 ? at + circle : at);
	*ret_width = right - left;
}

struct vrs_rect vrs_wraparound_around(const struct vrs_rect *a, const struct vrs_rect *b, int circle)
{
	int b_left = b->x + vrs_wraparound_turn(b->x, b->width, a->x, a->width, circle), b_right = b_left + b->width;
	int left = a->x < b_left ? a->x : b_left, right = a->x + a->width > b_right ? a->x + a->width : b_right;
	int top = a->y < b->y ? a->y : b->y, bottom = a->y + a->height > b->y + b->height ? a->y + a->height : b->y + b->height;
	struct vrs_rect around = {left, top, right - left, bottom - top};
	if (circle == 0)
		return around;
	if (around.width >= circle) {
		left = a->x - ((circle - a->width) / 2 & ~WHOLE);
		right = left + circle;
	}
	vrs_wraparound_settle(left, right, a->x / circle * circle, circle, &around.x, &around.width);
	return around;
}
