/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vr/solid_angle.h"

#include <math.h>
#include <stddef.h>

static double angle_at(const struct vrs_lens *lens, double u, double v)
{
	double d[3], theta;
	if (!vrs_lens_direction(lens, u, v, d))
		return 0;
	switch (lens->projection) {
	case VRS_PROJECTION_HEQUIRECT:
	case VRS_PROJECTION_EQUIRECT: return sqrt(fmax(0, 1 - d[1] * d[1]));
	case VRS_PROJECTION_FISHEYE:
		theta = acos(fmin(fmax(d[2], -1), 1));
		return theta > 1e-9 ? sin(theta) / theta : 1;
	case VRS_PROJECTION_FLAT: return d[2] * d[2] * d[2];
	case VRS_PROJECTION_UNKNOWN: break;
	}
	return 0;
}

void vrs_solid_angles(const struct vrs_lens *lens, float *weight)
{
	double sum = 0;
	size_t shown = 0, size = (size_t)lens->width * (size_t)lens->height;
	for (size_t i = 0; i < size; i++) {
		double w = angle_at(lens, (double)(i % (size_t)lens->width) + 0.5, (double)(i / (size_t)lens->width) + 0.5);
		weight[i] = (float)w;
		sum += w;
		shown += w > 0;
	}
	for (size_t i = 0; i < size && sum > 0; i++)
		weight[i] = (float)((double)weight[i] * (double)shown / sum);
}
