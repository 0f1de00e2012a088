/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A person-like figure, ray-cast from ellipsoids and tapered limbs with parallel rays: the cut-out of a moving person that the synth source puts into
 * its pictures, with exact coverage.
 */
#ifndef VRS_VIDEO_SYNTH_FIGURE_H
#define VRS_VIDEO_SYNTH_FIGURE_H


/* The figure is 1 high; pictures of it show this much, feet at the bottom. */
#define VRS_FIGURE_WIDTH 0.62
#define VRS_FIGURE_HEIGHT 1.02

/* Colours (RGB 0..1) and the moment of the movement. */
struct vrs_figure {
	float skin[3], hair[3], shirt[3], trousers[3], shoes[3];
	double phase; /* 0..1: once round the movement of the arms */
};

/* Person number `index` of a scene; the same number always looks the same. */
struct vrs_figure vrs_figure_make(int index, double phase);
/* Draw into width x height pixels of R, G, B, coverage (0..1 each, colour not multiplied by coverage); 9 rays a pixel. */
void vrs_figure_draw(const struct vrs_figure *figure, int width, int height, float *rgba);

#endif
