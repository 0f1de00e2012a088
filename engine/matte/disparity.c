/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/disparity.h"

#include <math.h>

#define DECAY 0.99          /* of what was seen before, for each person that is seen in both eyes */
#define UNSURE 0.05         /* of the eye's width: before anybody was seen; people from 0.4 m on in a half sphere */
#define LEAST_SPREAD 0.01   /* of the eye's width: people are not all equally tall */
#define MOST_SUM 200.0      /* twice the n that DECAY allows */
#define RIDGE 0.02          /* holds the slope at none where all have the same height; squared heights */

void vrs_disparity_learn(struct vrs_disparity *disparity, double height, double shift)
{
	disparity->n = disparity->n * DECAY + 1;
	disparity->h = disparity->h * DECAY + height;
	disparity->d = disparity->d * DECAY + shift;
	disparity->hh = disparity->hh * DECAY + height * height;
	disparity->hd = disparity->hd * DECAY + height * shift;
}

double vrs_disparity_predict(const struct vrs_disparity *disparity, double height, double *ret_spread)
{
	double n = disparity->n;
	*ret_spread = fmax(LEAST_SPREAD, UNSURE / (1 + n));
	if (!(n > 0))
		return 0;
	double mean_h = disparity->h / n, mean_d = disparity->d / n;
	double slope = (disparity->hd / n - mean_h * mean_d) / (disparity->hh / n - mean_h * mean_h + RIDGE / n);
	return mean_d + slope * (height - mean_h);
}

/* Sums that heights of 0..1 and shifts of at most a width cannot make would place views far outside. */
bool vrs_disparity_archive(struct vrs_disparity *disparity, struct vrs_archive *archive)
{
	double *n = &disparity->n, *h = &disparity->h, *d = &disparity->d, *hh = &disparity->hh, *hd = &disparity->hd;
	return vrs_archive_double(archive, n, 0, MOST_SUM) && vrs_archive_double(archive, h, 0, MOST_SUM) &&
	       vrs_archive_double(archive, d, -2 * MOST_SUM, 2 * MOST_SUM) && vrs_archive_double(archive, hh, 0, MOST_SUM) &&
	       vrs_archive_double(archive, hd, -2 * MOST_SUM, 2 * MOST_SUM) &&
	       vrs_archive_require(archive, (*n >= 1 || (*n == 0 && *h == 0)) && *h <= *n && fabs(*d) <= 2 * *n && fabs(*hd) <= 2 * *n &&
				   *hh <= *h && *hh * *n - *h * *h >= -1e-6);
}
