/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards that weights of samples are in proportion to the solid angle that lies between their corners' directions, in every projection. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vr/solid_angle.h"

static void corner(const struct vrs_lens *lens, double u, double v, double d[3])
{
	assert_true(vrs_lens_direction(lens, u, v, d));
}

/* Area of the parallelogram between neighbouring directions: the solid angle of a small sample. */
static double measured(const struct vrs_lens *lens, double u, double v)
{
	const double h = 1e-3;
	double a[3], b[3], c[3], p[3], q[3];
	corner(lens, u, v, a);
	corner(lens, u + h, v, b);
	corner(lens, u, v + h, c);
	for (int i = 0; i < 3; i++) {
		p[i] = (b[i] - a[i]) / h;
		q[i] = (c[i] - a[i]) / h;
	}
	double x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2], z = p[0] * q[1] - p[1] * q[0];
	return sqrt(x * x + y * y + z * z);
}

static void test_projections(void **state)
{
	(void)state;
	static const struct {
		enum vrs_projection projection;
		double fov;
	} lenses[] = {{VRS_PROJECTION_HEQUIRECT, 0}, {VRS_PROJECTION_EQUIRECT, 0}, {VRS_PROJECTION_FISHEYE, 180}, {VRS_PROJECTION_FISHEYE, 200},
		      {VRS_PROJECTION_FLAT, 90}};
	for (size_t k = 0; k < sizeof lenses / sizeof lenses[0]; k++) {
		int width = lenses[k].projection == VRS_PROJECTION_EQUIRECT ? 80 : 40, height = 40, shown = 0;
		struct vrs_lens lens;
		float weight[80 * 40];
		double sum = 0, scale = 0;
		assert_int_equal(vrs_lens_init(&lens, lenses[k].projection, lenses[k].fov, width, height, NULL), VRS_OK);
		vrs_solid_angles(&lens, weight);
		for (int i = 0; i < width * height; i++) {
			double u = i % width + 0.5, v = i / width + 0.5;
			sum += (double)weight[i];
			shown += weight[i] > 0;
			if (!(weight[i] > 0) || hypot(u - width / 2.0, v - height / 2.0) > 18) /* the circle's rim has no neighbours */
				continue;
			double ratio = measured(&lens, u, v) / (double)weight[i];
			scale = scale > 0 ? scale : ratio;
			assert_true(fabs(ratio / scale - 1) < 2e-3);
		}
		assert_true(fabs(sum / shown - 1) < 1e-5);
		assert_true(lenses[k].projection != VRS_PROJECTION_FISHEYE || weight[0] == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_projections)};
	return cmocka_run_group_tests_name("solid_angle", tests, NULL, NULL);
}
