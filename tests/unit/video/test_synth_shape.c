/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where rays meet limbs and ellipsoids: the point met lies on the surface (by the distance to the shape, found by search), nothing of the
 * shape lies before it, and rays that are told to pass by do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "video/synth_shape.h"

/* Below 0 inside, above 0 outside: of a limb the distance, of an ellipsoid of the same sign. */
static double outside(const struct vrs_synth_shape *s, const double p[3])
{
	double least = 1e9;
	if (s->kind == VRS_SYNTH_BALL) {
		double sum = 0;
		for (int i = 0; i < 3; i++)
			sum += (p[i] - s->a[i]) / s->radii[i] * ((p[i] - s->a[i]) / s->radii[i]);
		return (sqrt(sum) - 1) * fmin(s->radii[0], fmin(s->radii[1], s->radii[2]));
	}
	for (int step = 0; step <= 4000; step++) {
		double t = step / 4000.0, sum = 0;
		for (int i = 0; i < 3; i++) {
			double d = p[i] - (s->a[i] + t * (s->b[i] - s->a[i]));
			sum += d * d;
		}
		least = fmin(least, sqrt(sum) - (s->ra + t * (s->rb - s->ra)));
	}
	return least;
}

static float between(struct vrs_rng *rng, double low, double high)
{
	return (float)(low + vrs_rng_unit(rng) * (high - low));
}

static struct vrs_synth_shape random_shape(struct vrs_rng *rng, bool ball)
{
	struct vrs_synth_shape s = {.kind = ball ? VRS_SYNTH_BALL : VRS_SYNTH_LIMB, .ra = between(rng, 0.02, 0.15), .rb = between(rng, 0.02, 0.15)};
	for (int i = 0; i < 3; i++) {
		s.a[i] = between(rng, -0.3, 0.3);
		s.b[i] = between(rng, -0.3, 0.3);
		s.radii[i] = ball ? between(rng, 0.02, 0.2) : 0;
	}
	vrs_synth_shape_bound(&s);
	return s;
}

static void check_ray(const struct vrs_synth_shape *s, const float o[3], const float d[3], int *met)
{
	struct vrs_synth_hit hit = {0};
	bool found = vrs_synth_shape_meet(s, o, d, &hit);
	double nearest = 1e9;
	for (int step = 0; step < 60; step++) {
		double t = found ? (double)hit.t * step / 60 * 0.98 : 2.0 * step / 60, p[3] = {o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]};
		nearest = fmin(nearest, outside(s, p));
	}
	assert_true(nearest > -2e-3); /* nothing before what was met; nothing at all where nothing was */
	if (!found)
		return;
	const double p[3] = {o[0] + hit.t * d[0], o[1] + hit.t * d[1], o[2] + hit.t * d[2]};
	double length = 0, towards = 0, off = 0;
	for (int i = 0; i < 3; i++) {
		length += hit.normal[i] * hit.normal[i];
		towards += hit.normal[i] * d[i];
		off += (p[i] - s->middle[i]) * (p[i] - s->middle[i]);
	}
	assert_true(fabs(outside(s, p)) < 2e-4);
	assert_true(fabs(length - 1) < 1e-3 && towards < 1e-3);
	assert_true(sqrt(off) <= s->bound + 1e-4);
	(*met)++;
}

static void test_rays(void **state)
{
	struct vrs_rng rng;
	int met = 0;
	(void)state;
	vrs_rng_init(&rng, 7);
	for (int i = 0; i < 600; i++) {
		const struct vrs_synth_shape s = random_shape(&rng, i % 3 == 0);
		float o[3] = {between(&rng, -1, 1), between(&rng, -1, 1), -1.2f}, d[3], length = 0;
		for (int k = 0; k < 3; k++) {
			d[k] = s.middle[k] + between(&rng, -0.2, 0.2) - o[k];
			length += d[k] * d[k];
		}
		for (int k = 0; k < 3; k++)
			d[k] /= sqrtf(length);
		check_ray(&s, o, d, &met);
	}
	assert_true(met > 200 && met < 550); /* both happen */
}

/* One end inside the other is a ball; what lies behind the eye is not seen. */
static void test_edges(void **state)
{
	const struct vrs_synth_shape nested = {.kind = VRS_SYNTH_LIMB, .a = {0, 0, 1}, .b = {0, 0.05f, 1}, .ra = 0.2f, .rb = 0.1f};
	const float ahead[3] = {0, 0, 1}, back[3] = {0, 0, -1}, eye[3] = {0, 0, 0};
	struct vrs_synth_hit hit;
	(void)state;
	assert_true(vrs_synth_shape_meet(&nested, eye, ahead, &hit));
	assert_true(fabsf(hit.t - 0.8f) < 1e-5f);
	assert_false(vrs_synth_shape_meet(&nested, eye, back, &hit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rays),
		cmocka_unit_test(test_edges),
	};
	return cmocka_run_group_tests_name("synth_shape", tests, NULL, NULL);
}
