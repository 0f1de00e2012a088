/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A limb is the union of balls around c(s) = a + s (b - a) with radii r(s) = ra + s (rb - ra), 0 <= s <= 1.  With p = o + t d - a, e = b - a,
 * g = rb - ra and k = e.e - g g, the balls touch p where F(s) = |p - s e|^2 - (ra + s g)^2 = 0 and F'(s) = 0: s = (e.p + ra g) / k, and so
 * k (p.p - ra^2) = (e.p + ra g)^2, which is quadratic in t, where s lies in 0..1.  The balls at both ends are met beside that.
 */
#include "video/synth_shape.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define CORE 0.6f      /* of the radii: hair is dense within */
#define LOWEST -0.3f   /* of the radii: no loose hair before the neck */
#define STRANDS 420.0f /* around the head */

static float dot(const float a[3], const float b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void vrs_synth_shape_bound(struct vrs_synth_shape *s)
{
	float half = 0;
	if (s->kind == VRS_SYNTH_LIMB) {
		for (int i = 0; i < 3; i++) {
			s->middle[i] = (s->a[i] + s->b[i]) / 2;
			half += (s->b[i] - s->a[i]) * (s->b[i] - s->a[i]) / 4;
		}
		s->bound = sqrtf(half) + fmaxf(s->ra, s->rb);
	} else {
		memcpy(s->middle, s->a, sizeof s->middle);
		s->bound = fmaxf(s->radii[0], fmaxf(s->radii[1], s->radii[2]));
	}
}

static bool meet_ball(const float middle[3], float radius, const float origin[3], const float direction[3], struct vrs_synth_hit *hit)
{
	const float q[3] = {origin[0] - middle[0], origin[1] - middle[1], origin[2] - middle[2]};
	float b = dot(q, direction), root = b * b - dot(q, q) + radius * radius;
	if (root <= 0 || (hit->t = -b - sqrtf(root)) <= 0)
		return false;
	for (int i = 0; i < 3; i++)
		hit->normal[i] = (q[i] + hit->t * direction[i]) / radius;
	return true;
}

/* Where the ray enters the side of a limb, between its ends; q is the origin from a. */
static bool meet_side(const struct vrs_synth_shape *s, const float q[3], const float e[3], const float direction[3], struct vrs_synth_hit *hit)
{
	float g = s->rb - s->ra, k = dot(e, e) - g * g, ed = dot(e, direction), eq = dot(e, q) + s->ra * g;
	float a = k - ed * ed, b = k * dot(q, direction) - eq * ed, c = k * (dot(q, q) - s->ra * s->ra) - eq * eq, root = b * b - a * c;
	if (k <= 0 || root <= 0 || fabsf(a) <= 1e-6f * k) /* one end inside the other; passes by; along the side */
		return false;
	root = sqrtf(root);
	float first = (-b - root) / a, second = (-b + root) / a, from = (eq + first * ed) / k;
	hit->t = first;
	if (a < 0) /* steeper than the side: the roots are the other way round, and one may belong to the cone's mirror image */
		hit->t = from >= 0 && from <= 1 ? fminf(first, second) : second;
	float at = (eq + hit->t * ed) / k, radius = s->ra + at * g;
	for (int i = 0; i < 3; i++)
		hit->normal[i] = (q[i] + hit->t * direction[i] - at * e[i]) / radius;
	return hit->t > 0 && at >= 0 && at <= 1 && dot(hit->normal, direction) <= 0;
}

/* What is met first of both ends and the side. */
static bool meet_limb(const struct vrs_synth_shape *s, const float origin[3], const float direction[3], struct vrs_synth_hit *hit)
{
	const float q[3] = {origin[0] - s->a[0], origin[1] - s->a[1], origin[2] - s->a[2]};
	const float e[3] = {s->b[0] - s->a[0], s->b[1] - s->a[1], s->b[2] - s->a[2]};
	struct vrs_synth_hit other;
	bool met = meet_side(s, q, e, direction, hit);
	if (meet_ball(s->a, s->ra, origin, direction, &other) && (!met || other.t < hit->t)) {
		*hit = other;
		met = true;
	}
	if (meet_ball(s->b, s->rb, origin, direction, &other) && (!met || other.t < hit->t)) {
		*hit = other;
		met = true;
	}
	return met;
}

/* Origin and direction where the ellipsoid is a ball of radius 1. */
static void into_ball(const struct vrs_synth_shape *s, const float origin[3], const float direction[3], float q[3], float v[3])
{
	for (int i = 0; i < 3; i++) {
		q[i] = (origin[i] - s->a[i]) / s->radii[i];
		v[i] = direction[i] / s->radii[i];
	}
}

static bool meet_ellipsoid(const struct vrs_synth_shape *s, const float origin[3], const float direction[3], struct vrs_synth_hit *hit)
{
	float q[3], v[3], length = 0;
	into_ball(s, origin, direction, q, v);
	float a = dot(v, v), b = dot(q, v), root = b * b - a * (dot(q, q) - 1);
	if (root <= 0 || (hit->t = (-b - sqrtf(root)) / a) <= 0)
		return false;
	for (int i = 0; i < 3; i++) {
		hit->normal[i] = (q[i] + hit->t * v[i]) / s->radii[i];
		length += hit->normal[i] * hit->normal[i];
	}
	length = sqrtf(length);
	for (int i = 0; i < 3; i++)
		hit->normal[i] /= length;
	return true;
}

/* 0..1 from a whole number. */
static float noise(int32_t n)
{
	uint32_t h = (uint32_t)n * 0x9e3779b1u;
	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	h ^= h >> 12;
	return (float)(h & 0xffff) / 65535;
}

/* Strands stand out around the outline as the ray sees it, each as far as its number says, and thin towards its end. */
static bool meet_fringe(const struct vrs_synth_shape *s, const float origin[3], const float direction[3], struct vrs_synth_hit *hit)
{
	float q[3], v[3];
	into_ball(s, origin, direction, q, v);
	hit->t = -dot(q, v) / dot(v, v);
	const float p[3] = {q[0] + hit->t * v[0], q[1] + hit->t * v[1], q[2] + hit->t * v[2]};
	float reach = sqrtf(dot(p, p)), side = p[0] * direction[2] - p[2] * direction[0];
	if (reach >= 1 || reach <= CORE || p[1] < LOWEST || hit->t <= 0)
		return false;
	float turn = (atan2f(p[1], side) / 6.2831853f + 0.5f) * STRANDS + 3 * sinf(reach * 18);
	int strand = (int)floorf(turn);
	float out = (reach - CORE) / (1 - CORE), length = noise(strand) * noise(strand + 7919) * (0.3f + 0.7f * noise(strand / 13)) + 0.08f;
	if (out > length || fabsf(turn - (float)strand - 0.5f) > 0.45f * (1 - out / length) + 0.05f)
		return false;
	for (int i = 0; i < 3; i++)
		hit->normal[i] = p[i] / reach;
	return true;
}

bool vrs_synth_shape_meet(const struct vrs_synth_shape *shape, const float origin[3], const float direction[3], struct vrs_synth_hit *ret_hit)
{
	switch (shape->kind) {
	case VRS_SYNTH_BALL:
		return meet_ellipsoid(shape, origin, direction, ret_hit);
	case VRS_SYNTH_LIMB:
		return meet_limb(shape, origin, direction, ret_hit);
	case VRS_SYNTH_FRINGE:
		return meet_fringe(shape, origin, direction, ret_hit);
	}
	return false;
}
