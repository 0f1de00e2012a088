/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drawn person of tests/golden/README.md: integers only, the same bytes everywhere. */
#ifndef TESTS_GOLDEN_PICTURE_H
#define TESTS_GOLDEN_PICTURE_H

#include <stdint.h>

struct golden_ellipse {
	int cx, cy, rx, ry;
	int rgb[3];
};

static const struct golden_ellipse golden_figure[] = {
	{512, 1080, 340, 420, {40, 60, 130}},   /* shoulders */
	{512, 640, 80, 120, {190, 145, 115}},   /* neck */
	{512, 380, 160, 210, {60, 40, 30}},     /* hair */
	{512, 430, 135, 190, {215, 170, 140}},  /* face */
	{457, 390, 26, 14, {245, 245, 245}},    /* eye, pupil, brow; twice */
	{457, 390, 11, 11, {50, 40, 30}},
	{457, 355, 34, 7, {70, 50, 40}},
	{567, 390, 26, 14, {245, 245, 245}},
	{567, 390, 11, 11, {50, 40, 30}},
	{567, 355, 34, 7, {70, 50, 40}},
	{512, 450, 16, 40, {200, 150, 120}},    /* nose */
	{512, 535, 45, 14, {180, 80, 80}},      /* mouth */
};

static inline void golden_pixel(int width, int height, int shift, int x, int y, int rgb[3])
{
	int64_t X = (2 * x + 1) * 512 / width, Y = (2 * y + 1) * 512 / height;
	uint32_t n = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u;

	rgb[0] = (int)(90 + X / 16);
	rgb[1] = (int)(110 + Y / 12);
	rgb[2] = (int)(120 + (X + Y) / 24);
	for (unsigned i = 0; i < sizeof golden_figure / sizeof *golden_figure; i++) {
		const struct golden_ellipse *e = &golden_figure[i];
		int64_t dx = (X - e->cx - shift) * e->ry, dy = (Y - e->cy) * e->rx, r = (int64_t)e->rx * e->ry;

		for (int c = 0; c < 3 && dx * dx + dy * dy <= r * r; c++)
			rgb[c] = e->rgb[c];
	}
	n = (n ^ n >> 13) * 0x5bd1e995u;
	for (int c = 0; c < 3; c++) {
		rgb[c] += (int)(n >> 24 & 7);
		rgb[c] = rgb[c] > 255 ? 255 : rgb[c];
	}
}

/* Fill [height][width][3] with value / 255. */
static inline void golden_draw(float *data, int width, int height, int shift)
{
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int rgb[3];

			golden_pixel(width, height, shift, x, y, rgb);
			for (int c = 0; c < 3; c++)
				*data++ = (float)rgb[c] / 255.0f;
		}
}

#endif
