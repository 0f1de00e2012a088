/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies are built 1 high, with the proportions of grown-ups, and scaled to metres at the end. */
#include "video/synth_body.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

struct joint {
	float at[3];
};

static void add(struct vrs_synth_body *body, const struct vrs_synth_shape *shape)
{
	VRS_ASSERT(body->count < VRS_SYNTH_SHAPES);
	body->shapes[body->count++] = *shape;
}

static void ball(struct vrs_synth_body *body, enum vrs_synth_material material, float x, float y, float z, float rx, float ry, float rz)
{
	add(body, &(struct vrs_synth_shape){.kind = VRS_SYNTH_BALL, .material = material, .a = {x, y, z}, .radii = {rx, ry, rz}});
}

static void limb(struct vrs_synth_body *body, enum vrs_synth_material material, const struct joint *a, const struct joint *b, float ra, float rb)
{
	add(body, &(struct vrs_synth_shape){.kind = VRS_SYNTH_LIMB, .material = material, .a = {a->at[0], a->at[1], a->at[2]},
		.b = {b->at[0], b->at[1], b->at[2]}, .ra = ra, .rb = rb});
}

static void build_face(struct vrs_synth_body *body)
{
	for (int side = -1; side <= 1; side += 2) {
		float s = (float)side;
		ball(body, VRS_SYNTH_SKIN, s * 0.045f, 0.932f, -0.002f, 0.008f, 0.017f, 0.012f); /* ear */
		ball(body, VRS_SYNTH_EYE_WHITE, s * 0.018f, 0.938f, 0.051f, 0.009f, 0.0048f, 0.009f);
		ball(body, VRS_SYNTH_EYE, s * 0.018f, 0.938f, 0.0565f, 0.0042f, 0.0042f, 0.005f);
		ball(body, VRS_SYNTH_HAIR, s * 0.019f, 0.95f, 0.0525f, 0.0125f, 0.0027f, 0.0065f); /* brow */
	}
	ball(body, VRS_SYNTH_SKIN, 0, 0.922f, 0.06f, 0.0075f, 0.015f, 0.011f);
	ball(body, VRS_SYNTH_LIPS, 0, 0.897f, 0.051f, 0.0165f, 0.0048f, 0.009f);
}

static void build_head(struct vrs_synth_body *body, const struct vrs_synth_look *look)
{
	static const struct joint chin = {{0, 0.885f, -0.006f}}, throat = {{0, 0.83f, -0.006f}}, crown = {{0, 0.955f, -0.032f}};
	static const struct joint nape = {{0, 0.80f, -0.05f}};
	ball(body, VRS_SYNTH_SKIN, 0, 0.934f, 0.004f, 0.046f, 0.064f, 0.058f);
	ball(body, VRS_SYNTH_SKIN, 0, 0.911f, 0.006f, 0.039f, 0.046f, 0.05f); /* jaw */
	ball(body, VRS_SYNTH_HAIR, 0, 0.952f, -0.013f, 0.0515f, 0.055f, 0.059f);
	ball(body, VRS_SYNTH_HAIR, 0, 0.98f, 0.016f, 0.039f, 0.023f, 0.04f);
	if (look->long_hair) {
		limb(body, VRS_SYNTH_HAIR, &crown, &nape, 0.05f, 0.042f);
		for (int side = -1; side <= 1; side += 2) {
			const struct joint top = {{(float)side * 0.04f, 0.95f, -0.005f}}, end = {{(float)side * 0.052f, 0.835f, -0.012f}};
			limb(body, VRS_SYNTH_HAIR, &top, &end, 0.02f, 0.016f);
		}
	}
	if (look->fringe)
		add(body, &(struct vrs_synth_shape){.kind = VRS_SYNTH_FRINGE, .material = VRS_SYNTH_HAIR, .a = {0, 0.95f, -0.012f},
			.radii = {0.086f, 0.092f, 0.096f}});
	build_face(body);
	limb(body, VRS_SYNTH_SKIN, &chin, &throat, 0.028f, 0.033f);
}

/* From the hips up: two sides, and a middle that hides their seam. */
static void build_trunk(struct vrs_synth_body *body)
{
	static const struct joint breast = {{0, 0.742f, 0.004f}}, belly = {{0, 0.6f, 0.004f}}, loin = {{0, 0.52f, -0.004f}}, seat = {{0, 0.49f, -0.003f}};
	limb(body, VRS_SYNTH_SHIRT, &breast, &belly, 0.083f, 0.067f);
	limb(body, VRS_SYNTH_SHIRT, &belly, &loin, 0.067f, 0.073f);
	limb(body, VRS_SYNTH_TROUSERS, &loin, &seat, 0.07f, 0.066f);
	for (int side = -1; side <= 1; side += 2) {
		float s = (float)side;
		const struct joint neck = {{s * 0.02f, 0.822f, -0.004f}}, shoulder = {{s * 0.098f, 0.803f, -0.002f}};
		const struct joint chest = {{s * 0.042f, 0.735f, 0.006f}}, waist = {{s * 0.034f, 0.6f, 0.002f}}, hip = {{s * 0.04f, 0.525f, -0.004f}};
		limb(body, VRS_SYNTH_SHIRT, &neck, &shoulder, 0.034f, 0.036f);
		limb(body, VRS_SYNTH_SHIRT, &chest, &waist, 0.073f, 0.058f);
		limb(body, VRS_SYNTH_SHIRT, &waist, &hip, 0.058f, 0.066f);
		limb(body, VRS_SYNTH_TROUSERS, &hip, &(struct joint){{s * 0.042f, 0.48f, -0.002f}}, 0.064f, 0.063f);
	}
}

static void build_leg(struct vrs_synth_body *body, const struct vrs_synth_look *look, float side, float thigh, float knee_bend)
{
	const struct joint hip = {{side * 0.048f, 0.49f, 0}};
	const struct joint knee = {{side * 0.054f, hip.at[1] - 0.225f * cosf(thigh), 0.225f * sinf(thigh)}};
	float shin = thigh - knee_bend;
	const struct joint ankle = {{side * 0.056f, knee.at[1] - 0.225f * cosf(shin), knee.at[2] + 0.225f * sinf(shin)}};
	const struct joint heel = {{ankle.at[0], ankle.at[1] - 0.022f, ankle.at[2] - 0.012f}};
	const struct joint toe = {{ankle.at[0] * 1.15f, ankle.at[1] - 0.026f, ankle.at[2] + 0.085f}};
	bool bare = look->skirt;
	limb(body, VRS_SYNTH_TROUSERS, &hip, &knee, 0.058f, 0.041f);
	limb(body, bare ? VRS_SYNTH_SKIN : VRS_SYNTH_TROUSERS, &knee, &ankle, bare ? 0.034f : 0.042f, bare ? 0.021f : 0.031f);
	limb(body, VRS_SYNTH_SHOES, &heel, &toe, 0.024f, 0.019f);
}

/* A skirt hangs between the knees. */
static void build_skirt(struct vrs_synth_body *body)
{
	static const struct joint waist = {{0, 0.52f, 0}};
	for (int side = -1; side <= 1; side += 2) {
		const struct joint hem = {{(float)side * 0.045f, 0.3f, 0.005f}};
		limb(body, VRS_SYNTH_TROUSERS, &waist, &hem, 0.075f, 0.07f);
	}
}

/* The upper arm swings to the front and lifts to the side; the elbow bends to the front. */
static void build_arm(struct vrs_synth_body *body, const struct vrs_synth_look *look, float side, float swing, float lift, float bend)
{
	const struct joint shoulder = {{side * 0.112f, 0.795f, -0.002f}};
	float down = cosf(lift), fore = swing + bend;
	const struct joint elbow = {{shoulder.at[0] + side * 0.165f * sinf(lift), shoulder.at[1] - 0.165f * down * cosf(swing),
		0.165f * down * sinf(swing)}};
	const struct joint wrist = {{elbow.at[0] + side * 0.14f * sinf(lift) * 0.5f, elbow.at[1] - 0.14f * cosf(fore),
		elbow.at[2] + 0.14f * sinf(fore)}};
	const struct joint hand = {{wrist.at[0], wrist.at[1] - 0.045f * cosf(fore), wrist.at[2] + 0.045f * sinf(fore)}};
	bool sleeve = look->long_sleeves;
	limb(body, VRS_SYNTH_SHIRT, &shoulder, &elbow, 0.038f, 0.031f);
	limb(body, sleeve ? VRS_SYNTH_SHIRT : VRS_SYNTH_SKIN, &elbow, &wrist, sleeve ? 0.031f : 0.025f, sleeve ? 0.025f : 0.018f);
	limb(body, VRS_SYNTH_SKIN, &wrist, &hand, 0.018f, 0.022f);
}

/* A stool under somebody who sits. */
static void build_stool(struct vrs_synth_body *body)
{
	static const struct joint seat = {{0, 0.2f, -0.01f}}, foot = {{0, 0.02f, -0.01f}};
	ball(body, VRS_SYNTH_PROP, 0, 0.213f, -0.01f, 0.12f, 0.012f, 0.12f);
	limb(body, VRS_SYNTH_PROP, &seat, &foot, 0.016f, 0.016f);
	ball(body, VRS_SYNTH_PROP, 0, 0.01f, -0.01f, 0.1f, 0.01f, 0.1f);
}

static void walk(struct vrs_synth_body *body, const struct vrs_synth_look *look, float phase)
{
	for (int side = -1; side <= 1; side += 2) {
		float turn = phase + (side > 0 ? 3.14159265f : 0), swing = 0.42f * sinf(turn);
		build_leg(body, look, (float)side, swing, 0.12f + 0.45f * fmaxf(0, sinf(turn + 1.9f)));
		build_arm(body, look, (float)side, -0.45f * sinf(turn), 0.08f, 0.3f + 0.15f * sinf(turn));
	}
}

static void stand(struct vrs_synth_body *body, const struct vrs_synth_look *look, float phase)
{
	for (int side = -1; side <= 1; side += 2)
		build_leg(body, look, (float)side, 0.03f * (float)side, 0.05f);
	build_arm(body, look, -1, 0.1f + 0.1f * sinf(phase), 0.12f, 0.25f + 0.1f * sinf(phase));
	build_arm(body, look, 1, 0.25f + 0.2f * sinf(phase + 1), 0.25f + 0.15f * sinf(phase), 1.2f + 0.6f * sinf(2 * phase));
}

static void sit(struct vrs_synth_body *body, const struct vrs_synth_look *look, float phase)
{
	for (int side = -1; side <= 1; side += 2)
		build_leg(body, look, (float)side, 1.45f, 1.5f);
	build_arm(body, look, -1, 0.35f, 0.1f, 0.75f);
	build_arm(body, look, 1, 0.4f + 0.15f * sinf(phase), 0.12f, 0.9f + 0.5f * sinf(phase + 0.7f));
}

/* To metres; what is above the stool goes down by `drop`. */
static void finish(struct vrs_synth_body *body, float height, float drop)
{
	float low = 10, high = 0, side = 0;
	for (int i = 0; i < body->count; i++) {
		struct vrs_synth_shape *s = &body->shapes[i];
		float down = s->material == VRS_SYNTH_PROP ? 0 : drop;
		s->a[1] -= down;
		s->b[1] -= down;
		for (int k = 0; k < 3; k++) {
			s->a[k] *= height;
			s->b[k] *= height;
			s->radii[k] *= height;
		}
		s->ra *= height;
		s->rb *= height;
		vrs_synth_shape_bound(s);
		low = fminf(low, s->middle[1] - s->bound);
		high = fmaxf(high, s->middle[1] + s->bound);
		side = fmaxf(side, hypotf(s->middle[0], s->middle[2]) + s->bound);
	}
	body->middle_y = (low + high) / 2;
	body->bound = hypotf((high - low) / 2, side);
}

void vrs_synth_body_build(struct vrs_synth_body *body, const struct vrs_synth_look *look, enum vrs_synth_pose pose, float phase)
{
	body->count = 0;
	build_head(body, look);
	build_trunk(body);
	if (pose == VRS_SYNTH_WALKS)
		walk(body, look, phase);
	else if (pose == VRS_SYNTH_SITS)
		sit(body, look, phase);
	else
		stand(body, look, phase);
	if (look->skirt && pose != VRS_SYNTH_SITS)
		build_skirt(body);
	if (pose == VRS_SYNTH_SITS)
		build_stool(body);
	finish(body, look->height, pose == VRS_SYNTH_SITS ? 0.215f : 0);
}

void vrs_synth_look_make(struct vrs_synth_look *ret_look, int number)
{
	static const float skins[][3] = {{0.9f, 0.7f, 0.58f}, {0.58f, 0.4f, 0.3f}, {0.84f, 0.63f, 0.5f}, {0.4f, 0.27f, 0.2f}, {0.93f, 0.75f, 0.64f}};
	static const float hairs[][3] = {{0.2f, 0.13f, 0.09f}, {0.07f, 0.06f, 0.06f}, {0.5f, 0.36f, 0.2f}, {0.1f, 0.08f, 0.07f}, {0.42f, 0.41f, 0.4f},
		{0.35f, 0.17f, 0.09f}};
	static const float shirts[][3] = {{0.19f, 0.3f, 0.6f}, {0.66f, 0.2f, 0.2f}, {0.18f, 0.19f, 0.22f}, {0.83f, 0.8f, 0.74f},
		{0.22f, 0.44f, 0.32f}, {0.75f, 0.58f, 0.22f}, {0.45f, 0.3f, 0.5f}};
	static const float trousers[][3] = {{0.17f, 0.18f, 0.24f}, {0.2f, 0.29f, 0.45f}, {0.4f, 0.35f, 0.28f}, {0.1f, 0.1f, 0.11f}};
	static const float heights[] = {1.76f, 1.65f, 1.83f, 1.7f, 1.6f, 1.79f};
	unsigned n = (unsigned)number;
	*ret_look = (struct vrs_synth_look){.height = heights[n % 6], .long_hair = n % 3 == 1, .long_sleeves = n % 5 != 1, .skirt = n % 6 == 4};
	memcpy(ret_look->color[VRS_SYNTH_SKIN], skins[n * 3 % 5], sizeof skins[0]);
	memcpy(ret_look->color[VRS_SYNTH_HAIR], hairs[n % 6], sizeof hairs[0]);
	memcpy(ret_look->color[VRS_SYNTH_SHIRT], shirts[n % 7], sizeof shirts[0]);
	memcpy(ret_look->color[VRS_SYNTH_TROUSERS], trousers[n % 4], sizeof trousers[0]);
	memcpy(ret_look->color[VRS_SYNTH_SHOES], (const float[]){0.13f, 0.1f, 0.09f}, sizeof skins[0]);
	memcpy(ret_look->color[VRS_SYNTH_EYE_WHITE], (const float[]){0.9f, 0.89f, 0.88f}, sizeof skins[0]);
	memcpy(ret_look->color[VRS_SYNTH_EYE], (const float[]){0.12f, 0.09f, 0.08f}, sizeof skins[0]);
	memcpy(ret_look->color[VRS_SYNTH_PROP], (const float[]){0.46f, 0.33f, 0.2f}, sizeof skins[0]);
	for (int i = 0; i < 3; i++)
		ret_look->color[VRS_SYNTH_LIPS][i] = ret_look->color[VRS_SYNTH_SKIN][i] * (i ? 0.55f : 0.85f);
}
