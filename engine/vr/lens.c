/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vr/lens.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double default_fov(enum vrs_projection projection)
{
	switch (projection) {
	case VRS_PROJECTION_FLAT: return 90;
	case VRS_PROJECTION_EQUIRECT: return 360;
	default: return 180;
	}
}

static double vertical_fov(enum vrs_projection projection, double h_fov, int width, int height)
{
	double share = (double)height / width;

	switch (projection) {
	case VRS_PROJECTION_FLAT: return 2 * atan(tan(h_fov / 2) * share);
	case VRS_PROJECTION_FISHEYE: return h_fov;
	default: return fmin(h_fov * share, PI);
	}
}

enum vrs_status vrs_lens_init(struct vrs_lens *ret_lens, enum vrs_projection projection, double fov_degrees, int width, int height,
			      struct vrs_error *err)
{
	double fov = fov_degrees > 0 ? fov_degrees : default_fov(projection), most = projection == VRS_PROJECTION_FLAT ? 170 : 360;

	if (projection == VRS_PROJECTION_UNKNOWN || width < 1 || height < 1)
		return vrs_fail(err, VRS_EINVAL, "no lens for a picture of %dx%d, %s", width, height, vrs_projection_name(projection));
	if (!(fov >= 1 && fov <= most))
		return vrs_fail(err, VRS_EINVAL, "a field of view of %g degrees; a %s picture shows 1 to %g", fov, vrs_projection_name(projection), most);
	memset(ret_lens, 0, sizeof *ret_lens);
	ret_lens->projection = projection;
	ret_lens->width = width;
	ret_lens->height = height;
	ret_lens->h_fov = fov * PI / 180;
	ret_lens->v_fov = vertical_fov(projection, ret_lens->h_fov, width, height);
	if (projection == VRS_PROJECTION_FLAT) {
		ret_lens->h_tan = tan(ret_lens->h_fov / 2);
		ret_lens->v_tan = tan(ret_lens->v_fov / 2);
	}
	vrs_lens_turn(ret_lens, 0, 0);
	return VRS_OK;
}

enum vrs_status vrs_lens_of_layout(struct vrs_lens *ret_lens, const struct vrs_layout *layout, int width, int height, struct vrs_error *err)
{
	enum vrs_status status = vrs_lens_init(ret_lens, layout->projection, layout->fov_degrees, width, height, err);

	if (status == VRS_OK && layout->projection != VRS_PROJECTION_FISHEYE && layout->pixel_aspect > 0)
		ret_lens->v_fov = fmin(ret_lens->h_fov * height / (width * layout->pixel_aspect), PI);
	return status;
}

void vrs_lens_turn(struct vrs_lens *lens, double yaw, double pitch)
{
	const double turn[3][3] = {
		{cos(yaw), 0, -sin(yaw)},                                     /* right */
		{-sin(yaw) * sin(pitch), cos(pitch), -cos(yaw) * sin(pitch)}, /* up */
		{sin(yaw) * cos(pitch), sin(pitch), cos(yaw) * cos(pitch)},   /* ahead */
	};

	memcpy(lens->turn, turn, sizeof turn);
}

/* Radius of the circle of a fisheye in pixels. */
static double circle(const struct vrs_lens *lens)
{
	return (lens->width < lens->height ? lens->width : lens->height) / 2.0;
}

static void sphere_direction(const struct vrs_lens *lens, double u, double v, double d[3])
{
	double lon = (u / lens->width - 0.5) * lens->h_fov, lat = (0.5 - v / lens->height) * lens->v_fov;

	d[0] = sin(lon) * cos(lat);
	d[1] = sin(lat);
	d[2] = cos(lon) * cos(lat);
}

static bool fisheye_direction(const struct vrs_lens *lens, double u, double v, double d[3])
{
	double right = u - lens->width / 2.0, up = lens->height / 2.0 - v, r = hypot(right, up);
	double theta = r / circle(lens) * lens->h_fov / 2;

	d[0] = r > 0 ? sin(theta) * right / r : 0;
	d[1] = r > 0 ? sin(theta) * up / r : 0;
	d[2] = cos(theta);
	return r <= circle(lens);
}

static void flat_direction(const struct vrs_lens *lens, double u, double v, double d[3])
{
	double right = (2 * u / lens->width - 1) * lens->h_tan, up = (1 - 2 * v / lens->height) * lens->v_tan;
	double length = sqrt(right * right + up * up + 1);

	d[0] = right / length;
	d[1] = up / length;
	d[2] = 1 / length;
}

bool vrs_lens_direction(const struct vrs_lens *lens, double u, double v, double ret_direction[3])
{
	bool inside = u >= 0 && v >= 0 && u <= lens->width && v <= lens->height;
	double d[3];

	if (lens->projection == VRS_PROJECTION_FISHEYE)
		inside = fisheye_direction(lens, u, v, d) && inside;
	else if (lens->projection == VRS_PROJECTION_FLAT)
		flat_direction(lens, u, v, d);
	else
		sphere_direction(lens, u, v, d);
	for (int i = 0; i < 3; i++)
		ret_direction[i] = d[0] * lens->turn[0][i] + d[1] * lens->turn[1][i] + d[2] * lens->turn[2][i];
	return inside;
}

static void fisheye_position(const struct vrs_lens *lens, const double d[3], double *ret_u, double *ret_v)
{
	double across = hypot(d[0], d[1]), r = atan2(across, d[2]) / (lens->h_fov / 2) * circle(lens);

	*ret_u = lens->width / 2.0 + (across > 0 ? r * d[0] / across : 0);
	*ret_v = lens->height / 2.0 - (across > 0 ? r * d[1] / across : 0);
}

bool vrs_lens_position(const struct vrs_lens *lens, const double direction[3], double *ret_u, double *ret_v)
{
	double d[3], u, v;

	for (int i = 0; i < 3; i++)
		d[i] = lens->turn[i][0] * direction[0] + lens->turn[i][1] * direction[1] + lens->turn[i][2] * direction[2];
	if (lens->projection == VRS_PROJECTION_FLAT) {
		if (!(d[2] > 0))
			return false;
		u = (d[0] / d[2] / lens->h_tan + 1) * lens->width / 2;
		v = (1 - d[1] / d[2] / lens->v_tan) * lens->height / 2;
	} else if (lens->projection == VRS_PROJECTION_FISHEYE) {
		fisheye_position(lens, d, &u, &v);
		if (hypot(u - lens->width / 2.0, v - lens->height / 2.0) > circle(lens) + 0.5)
			return false;
	} else {
		u = (atan2(d[0], d[2]) / lens->h_fov + 0.5) * lens->width;
		v = (0.5 - atan2(d[1], hypot(d[0], d[2])) / lens->v_fov) * lens->height;
	}
	*ret_u = u;
	*ret_v = v;
	return u >= -0.5 && v >= -0.5 && u <= lens->width + 0.5 && v <= lens->height + 0.5;
}
