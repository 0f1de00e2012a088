/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/similarity.h"

#include <stddef.h>
#include <stdlib.h>

#define SIDE 16

static double block_difference(const uint8_t *a, const uint8_t *b, int stride, int width, int height)
{
	int sum = 0;
	for (int y = 0; y < height; y++, a += stride, b += stride)
		for (int x = 0; x < width; x++)
			sum += abs(a[x] - b[x]);
	return (double)sum / (width * height);
}

double vrs_similarity(const uint8_t *a, const uint8_t *b, int width, int height)
{
	double most = 0;
	for (int y = 0; y < height; y += SIDE)
		for (int x = 0; x < width; x += SIDE) {
			ptrdiff_t at = (ptrdiff_t)y * width + x;
			int w = width - x < SIDE ? width - x : SIDE, h = height - y < SIDE ? height - y : SIDE;
			double difference = block_difference(a + at, b + at, width, w, h);
			most = difference > most ? difference : most;
		}
	return 1 - most / 255;
}
