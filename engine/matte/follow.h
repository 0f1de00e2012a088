/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where to look for the people of one eye: the part of the picture around those of an earlier matte.  A network of a few hundred pixels sees a person
 * that fills its input far better than one in the middle of a half sphere, and does not mind that width and height are scaled differently.
 *
 * The frame's own matte is the judge: people who are cut off by the view, or who turn out to be much smaller than it, give the view that the frame
 * is to be looked at again with (vrs_follow_judge).
 */
#ifndef VRS_MATTE_FOLLOW_H
#define VRS_MATTE_FOLLOW_H

#include <stdbool.h>

#include <vrseg/frame.h>

#define VRS_FOLLOW_BORDER 0.008 /* of the view: people this near to its border are cut off */
/* At one frame, whatever the verdict. */
#define VRS_FOLLOW_MOST_LOOKS 4

struct vrs_follow {
	struct vrs_rect eye;   /* views stay inside, or go on at its left edge where that is a circle */
	int circle;            /* of the picture's format */
	struct vrs_rect start; /* where to look when nothing is known; inside the eye */
	int step_x, step_y;    /* views begin and end at multiples of these, or at the border of the eye */
	int still, outside;    /* a good view stays where each side of the next one is at most so many steps inside, or outside; 0 from vrs_follow_make */
};

/* People in a matte, in its pixels; of one that covers the whole circle they may go on at its left edge. */
struct vrs_follow_extent {
	int left, top, width, height;
};

enum vrs_follow_verdict {
	VRS_FOLLOW_GOOD,       /* keep this matte; *ret_next is where to look in a later frame */
	VRS_FOLLOW_AGAIN,      /* look at this frame again, at *ret_next */
};

/* start must lie in eye; steps come from the eye's size and the chroma sampling of the format. */
struct vrs_follow vrs_follow_make(const struct vrs_rect *eye, const struct vrs_rect *start, const struct vrs_picture_format *format);
/* The view and the start as one: newcomers are seen, and nobody is lost. The whole circle is cut opposite of the view. */
struct vrs_rect vrs_follow_widen(const struct vrs_follow *follow, const struct vrs_rect *view);
/* A view by a factor larger around the same middle, inside the eye, beginning and ending at even places. */
struct vrs_rect vrs_follow_wider(const struct vrs_follow *follow, const struct vrs_rect *view, double factor);
/* The view with `pad` samples more on each side, as far as the eye goes, out to the next steps. */
struct vrs_rect vrs_follow_padded(const struct vrs_follow *follow, const struct vrs_rect *view, int pad);
/* The box around the people of a matte of width x height alphas, which covers a part of the eye or the whole circle; false when there are none. */
bool vrs_follow_find(const float *alpha, int width, int height, bool whole_circle, struct vrs_follow_extent *ret_extent);
/* Where a matte of the whole circle is best cut: the first column after the most in a row that nobody is in. */
int vrs_follow_cut(const float *alpha, int width, int height);
/* True if the view is the whole circle. */
bool vrs_follow_is_whole_circle(const struct vrs_follow *follow, const struct vrs_rect *view);
/* Where to look for those people of a matte that covers the view: around them, with a margin. True when the view cuts them off. */
bool vrs_follow_around(const struct vrs_follow *follow, const struct vrs_rect *view, const struct vrs_follow_extent *people, int width, int height,
		       struct vrs_rect *ret_next);
/*
 * Does a view stay, though the next one would fit a little better (follow->still)?  Where follow->outside is 0, not when people come nearer to one of
 * its sides: a view that waits until they are cut off there costs another inference.
 */
bool vrs_follow_stays(const struct vrs_follow *follow, const struct vrs_rect *view, const struct vrs_rect *next);
/*
 * Is the matte of width x height alphas (0..1, row by row), which covers the view, one to keep?  An empty one counts only when it covers the start.
 */
enum vrs_follow_verdict vrs_follow_judge(const struct vrs_follow *follow, const struct vrs_rect *view, const float *alpha, int width, int height,
					 struct vrs_rect *ret_next);

#endif
