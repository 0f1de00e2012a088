/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/synth_lens.h"

#include <math.h>

#define PI 3.14159265358979323846

/* In the camera's frame: x to the right, y up, z ahead. */
static bool direction_of(const struct vrs_synth_lens *lens, double x, double y, double d[3])
{
	double u = x / lens->width - 0.5, v = 0.5 - y / lens->height;
	if (lens->projection == VRS_PROJECTION_FLAT) {
		double reach = 2 * tan(lens->fov / 2), length;
		d[0] = u * reach;
		d[1] = v * reach * lens->height / lens->width;
		length = sqrt(d[0] * d[0] + d[1] * d[1] + 1);
		d[0] /= length;
		d[1] /= length;
		d[2] = 1 / length;
		return true;
	}
	if (lens->projection == VRS_PROJECTION_FISHEYE) {
		double reach = hypot(u, v), off = reach * lens->fov, side = reach > 0 ? sin(off) / reach : 0;
		d[0] = u * side;
		d[1] = v * side;
		d[2] = cos(off);
		return reach <= 0.5;
	}
	double lon = u * lens->fov, lat = v * PI;
	d[0] = cos(lat) * sin(lon);
	d[1] = sin(lat);
	d[2] = cos(lat) * cos(lon);
	return true;
}

bool vrs_synth_lens_ray(const struct vrs_synth_lens *lens, double x, double y, float origin[3], float direction[3])
{
	double d[3], c = cos(lens->yaw), s = sin(lens->yaw);
	bool seen = direction_of(lens, x, y, d);
	double world_x = c * d[0] + s * d[2], world_z = c * d[2] - s * d[0], right_x = c, right_z = -s;
	if (lens->projection == VRS_PROJECTION_EQUIRECT) { /* beside the direction, not beside the camera */
		double flat = hypot(world_x, world_z);
		right_x = flat > 1e-9 ? world_z / flat : 0;
		right_z = flat > 1e-9 ? -world_x / flat : 0;
	}
	origin[0] = lens->camera[0] + (float)(lens->offset * right_x);
	origin[1] = lens->camera[1];
	origin[2] = lens->camera[2] + (float)(lens->offset * right_z);
	direction[0] = (float)world_x;
	direction[1] = (float)d[1];
	direction[2] = (float)world_z;
	return seen;
}

double vrs_synth_lens_pixel(const struct vrs_synth_lens *lens)
{
	return lens->projection == VRS_PROJECTION_FLAT ? 2 * tan(lens->fov / 2) / lens->width : lens->fov / lens->width;
}
