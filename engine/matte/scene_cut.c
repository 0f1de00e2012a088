/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/scene_cut.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Thresholds: mean change of a thumbnail cell, in grey levels, after the change of the mean brightness is taken off; and half the sum of absolute
 * histogram differences (0: equal, 1: disjoint).
 */
#define CUT_CELL_CHANGE 18.0f
#define CUT_HISTOGRAM_CHANGE 0.3f
#define BIN (32768 / VRS_SCENE_BINS) /* sample15 of a bin of the histogram */
#define BLOCK 16 /* samples along a side whose mean change counts for similarity */

void vrs_scene_signature_begin(struct vrs_scene_signature *signature)
{
	memset(signature, 0, sizeof *signature);
}

void vrs_scene_signature_row(struct vrs_scene_signature *signature, const uint16_t *row, int i, int width, int height)
{
	if (i & 1)
		return;
	int cell_row = i * VRS_SCENE_SIDE / height * VRS_SCENE_SIDE;
	for (int cell = 0; cell < VRS_SCENE_SIDE; cell++) {
		int begin = cell * width / VRS_SCENE_SIDE, end = (cell + 1) * width / VRS_SCENE_SIDE;
		uint32_t sum = 0, count = 0;
		for (int x = begin + (begin & 1); x < end; x += 2, count++) {
			int bin = row[x] / BIN;
			sum += row[x] >> 7;
			signature->bins[bin < VRS_SCENE_BINS ? bin : VRS_SCENE_BINS - 1]++;
		}
		signature->sum[cell_row + cell] += sum;
		signature->count[cell_row + cell] += count;
		signature->samples += count;
	}
}

void vrs_scene_signature_end(struct vrs_scene_signature *signature)
{
	for (int i = 0; i < VRS_SCENE_SIDE * VRS_SCENE_SIDE; i++)
		signature->mean[i] = signature->count[i] ? (float)signature->sum[i] / (float)signature->count[i] : 0.0f;
	for (int i = 0; i < VRS_SCENE_BINS && signature->samples; i++)
		signature->histogram[i] = (float)signature->bins[i] / (float)signature->samples;
}

bool vrs_scene_signature_archive(struct vrs_scene_signature *signature, struct vrs_archive *archive)
{
	return vrs_archive_floats(archive, signature->mean, sizeof signature->mean / sizeof signature->mean[0]) &&
	       vrs_archive_floats(archive, signature->histogram, VRS_SCENE_BINS);
}

bool vrs_scene_cut(const struct vrs_scene_signature *a, const struct vrs_scene_signature *b)
{
	float shift = 0, cells = 0, bins = 0;
	const int n = VRS_SCENE_SIDE * VRS_SCENE_SIDE;
	for (int i = 0; i < n; i++)
		shift += b->mean[i] - a->mean[i];
	shift /= (float)n;
	for (int i = 0; i < n; i++)
		cells += fabsf(b->mean[i] - a->mean[i] - shift);
	for (int i = 0; i < VRS_SCENE_BINS; i++)
		bins += fabsf(b->histogram[i] - a->histogram[i]);
	return cells / (float)n > CUT_CELL_CHANGE && bins / 2 > CUT_HISTOGRAM_CHANGE;
}

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
	for (int y = 0; y < height; y += BLOCK)
		for (int x = 0; x < width; x += BLOCK) {
			ptrdiff_t at = (ptrdiff_t)y * width + x;
			int w = width - x < BLOCK ? width - x : BLOCK, h = height - y < BLOCK ? height - y : BLOCK;
			double difference = block_difference(a + at, b + at, width, w, h);
			most = difference > most ? difference : most;
		}
	return 1 - most / 255;
}
