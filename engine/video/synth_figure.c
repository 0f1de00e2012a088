/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coordinates: x to the right, y up (0 feet .. 1 top of the head), z towards the viewer.  A ray hits a shape at one (x, y): the z in front and its
 * normal follow from the sphere or ellipsoid there; the nearest shape wins.
 */
#include "video/synth_figure.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846
#define RAYS 3        /* each way in a pixel */
#define MOST_SHAPES 48
#define AMBIENT 0.42f

struct shape {
	float a[3], b[3];  /* limb from a to b; an ellipsoid has its centre in a */
	float ra, rb;      /* radii at a and b */
	float radii[3];    /* of an ellipsoid; 0: a limb */
	float color[3];
	float grain;       /* of cloth: share of the brightness that a weave changes */
	float low[2];      /* x and y that no ray outside of can hit it */
	float high[2];
};

struct body {
	struct shape shapes[MOST_SHAPES];
	int count;
};

static void ball(struct body *body, const float color[3], float x, float y, float z, float rx, float ry, float rz)
{
	body->shapes[body->count++] = (struct shape){.a = {x, y, z}, .radii = {rx, ry, rz}, .color = {color[0], color[1], color[2]}};
}

static void limb(struct body *body, const float color[3], const float a[3], const float b[3], float ra, float rb, float grain)
{
	body->shapes[body->count++] = (struct shape){.a = {a[0], a[1], a[2]}, .b = {b[0], b[1], b[2]}, .ra = ra, .rb = rb,
		.color = {color[0], color[1], color[2]}, .grain = grain};
}

static void build_head(struct body *body, const struct vrs_figure *f)
{
	static const float white[3] = {0.92f, 0.91f, 0.9f}, dark[3] = {0.12f, 0.09f, 0.08f};
	const float lips[3] = {f->skin[0] * 0.8f, f->skin[1] * 0.52f, f->skin[2] * 0.52f};

	ball(body, f->skin, 0, 0.912f, 0.005f, 0.058f, 0.08f, 0.075f);
	ball(body, f->skin, 0, 0.885f, 0.005f, 0.05f, 0.06f, 0.068f); /* jaw */
	ball(body, f->hair, 0, 0.94f, -0.025f, 0.067f, 0.066f, 0.08f);
	ball(body, f->hair, 0, 0.972f, 0.015f, 0.05f, 0.03f, 0.055f);
	for (int side = -1; side <= 1; side += 2) {
		float s = (float)side;

		ball(body, f->skin, s * 0.058f, 0.905f, -0.005f, 0.01f, 0.02f, 0.015f); /* ear */
		ball(body, white, s * 0.023f, 0.918f, 0.066f, 0.011f, 0.006f, 0.012f);
		ball(body, dark, s * 0.023f, 0.918f, 0.073f, 0.005f, 0.005f, 0.007f);
		ball(body, f->hair, s * 0.024f, 0.933f, 0.068f, 0.015f, 0.0035f, 0.009f); /* brow */
	}
	ball(body, f->skin, 0, 0.898f, 0.075f, 0.009f, 0.017f, 0.013f);
	ball(body, lips, 0, 0.864f, 0.063f, 0.021f, 0.006f, 0.012f);
	limb(body, f->skin, (float[]){0, 0.86f, -0.01f}, (float[]){0, 0.795f, -0.005f}, 0.034f, 0.038f, 0);
}

static void build_trunk(struct body *body, const struct vrs_figure *f)
{
	limb(body, f->shirt, (float[]){-0.085f, 0.772f, 0}, (float[]){0.085f, 0.772f, 0}, 0.045f, 0.045f, 0.05f);
	limb(body, f->shirt, (float[]){-0.035f, 0.72f, 0.01f}, (float[]){-0.035f, 0.56f, 0.005f}, 0.088f, 0.07f, 0.05f);
	limb(body, f->shirt, (float[]){0.035f, 0.72f, 0.01f}, (float[]){0.035f, 0.56f, 0.005f}, 0.088f, 0.07f, 0.05f);
	limb(body, f->trousers, (float[]){-0.03f, 0.51f, 0}, (float[]){0.03f, 0.51f, 0}, 0.077f, 0.077f, 0.04f);
}

static void build_legs(struct body *body, const struct vrs_figure *f, double swing)
{
	for (int side = -1; side <= 1; side += 2) {
		float s = (float)side, step = (float)(0.03 * swing) * s;
		const float hip[3] = {s * 0.05f, 0.49f, 0}, knee[3] = {s * 0.06f, 0.27f, 0.02f + step}, ankle[3] = {s * 0.065f, 0.055f, step};

		limb(body, f->trousers, hip, knee, 0.062f, 0.046f, 0.04f);
		limb(body, f->trousers, knee, ankle, 0.046f, 0.033f, 0.04f);
		ball(body, f->shoes, s * 0.07f, 0.024f, step + 0.035f, 0.034f, 0.024f, 0.06f);
	}
}

/* Bent from the shoulder by `lift` (0 hangs, PI / 2 sideways) and from there in the elbow. */
static void build_arm(struct body *body, const struct vrs_figure *f, float side, double lift, double bend)
{
	const float shoulder[3] = {side * 0.13f, 0.77f, 0};
	const float elbow[3] = {shoulder[0] + side * (float)(0.16 * sin(lift)), shoulder[1] - (float)(0.16 * cos(lift)), 0.02f};
	const float wrist[3] = {elbow[0] + side * (float)(0.135 * sin(lift + bend)), elbow[1] - (float)(0.135 * cos(lift + bend)), 0.05f};
	const float hand[3] = {wrist[0] + side * (float)(0.035 * sin(lift + bend)), wrist[1] - (float)(0.035 * cos(lift + bend)), 0.055f};

	limb(body, f->shirt, shoulder, elbow, 0.042f, 0.036f, 0.05f);
	limb(body, f->skin, elbow, wrist, 0.031f, 0.023f, 0);
	limb(body, f->skin, wrist, hand, 0.022f, 0.026f, 0);
}

/* z and normal of the front of a shape at (x, y); false: the ray passes by. */
static bool hit(const struct shape *shape, float x, float y, float *ret_z, float normal[3])
{
	if (shape->radii[0] > 0) {
		float u = (x - shape->a[0]) / shape->radii[0], v = (y - shape->a[1]) / shape->radii[1], w = 1 - u * u - v * v;

		if (w <= 0)
			return false;
		w = sqrtf(w);
		*ret_z = shape->a[2] + w * shape->radii[2];
		normal[0] = u / shape->radii[0];
		normal[1] = v / shape->radii[1];
		normal[2] = w / shape->radii[2];
	} else {
		float dx = shape->b[0] - shape->a[0], dy = shape->b[1] - shape->a[1];
		float t = ((x - shape->a[0]) * dx + (y - shape->a[1]) * dy) / (dx * dx + dy * dy);

		t = t < 0 ? 0 : t > 1 ? 1 : t;
		float px = x - (shape->a[0] + t * dx), py = y - (shape->a[1] + t * dy), r = shape->ra + t * (shape->rb - shape->ra);
		float w = r * r - px * px - py * py;

		if (w <= 0)
			return false;
		w = sqrtf(w);
		*ret_z = shape->a[2] + t * (shape->b[2] - shape->a[2]) + w;
		normal[0] = px;
		normal[1] = py;
		normal[2] = w;
	}
	float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	for (int i = 0; i < 3; i++)
		normal[i] /= length;
	return true;
}

/* Where a shape can be hit, a little too wide, so that rounding never decides. */
static void find_bounds(struct body *body)
{
	const float margin = 1e-4f;

	for (int i = 0; i < body->count; i++) {
		struct shape *s = &body->shapes[i];

		for (int k = 0; k < 2; k++) {
			bool ball = s->radii[0] > 0;
			float radius = (ball ? s->radii[k] : fmaxf(s->ra, s->rb)) + margin;

			s->low[k] = (ball ? s->a[k] : fminf(s->a[k], s->b[k])) - radius;
			s->high[k] = (ball ? s->a[k] : fmaxf(s->a[k], s->b[k])) + radius;
		}
	}
}

/* The shapes that rays between two heights can hit, in the order of the body: of equal depths the first wins. */
static void shapes_between(struct body *row, const struct body *body, double low, double high)
{
	row->count = 0;
	for (int i = 0; i < body->count; i++)
		if (body->shapes[i].high[1] >= low && body->shapes[i].low[1] <= high)
			row->shapes[row->count++] = body->shapes[i];
}

/* Colour at (x, y) added to rgb; false: nothing there. */
static bool trace(const struct body *body, float x, float y, float rgb[3])
{
	static const float light[3] = {-0.43f, 0.55f, 0.71f};
	const struct shape *front = NULL;
	float z = -1e9f, normal[3] = {0};

	for (int i = 0; i < body->count; i++) {
		const struct shape *shape = &body->shapes[i];
		float own_z, own_normal[3];

		if (x < shape->low[0] || x > shape->high[0] || !hit(shape, x, y, &own_z, own_normal) || own_z <= z)
			continue;
		z = own_z;
		front = shape;
		memcpy(normal, own_normal, sizeof normal);
	}
	if (!front)
		return false;
	float lit = normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2];
	float shade = AMBIENT + (1 - AMBIENT) * (lit > 0 ? lit : 0);
	shade *= 1 + front->grain * sinf(x * 260) * sinf(y * 200);
	for (int i = 0; i < 3; i++)
		rgb[i] += fminf(front->color[i] * shade, 1);
	return true;
}

static void draw_pixel(const struct body *body, int width, int height, int px, int py, float rgba[4])
{
	int hits = 0;

	memset(rgba, 0, 4 * sizeof *rgba);
	for (int ray = 0; ray < RAYS * RAYS; ray++) {
		double x = ((px + (ray % RAYS + 0.5) / RAYS) / width - 0.5) * VRS_FIGURE_WIDTH;
		double y = (1 - (py + (ray / RAYS + 0.5) / RAYS) / height) * VRS_FIGURE_HEIGHT;

		hits += trace(body, (float)x, (float)y, rgba);
	}
	for (int i = 0; hits && i < 3; i++)
		rgba[i] /= (float)hits;
	rgba[3] = (float)hits / (RAYS * RAYS);
}

struct vrs_figure vrs_figure_make(int index, double phase)
{
	static const float skins[][3] = {{0.93f, 0.72f, 0.6f}, {0.62f, 0.43f, 0.32f}, {0.85f, 0.65f, 0.5f}, {0.45f, 0.3f, 0.22f}};
	static const float hairs[][3] = {{0.2f, 0.13f, 0.09f}, {0.08f, 0.07f, 0.07f}, {0.45f, 0.3f, 0.16f}, {0.1f, 0.08f, 0.07f}};
	static const float shirts[][3] = {{0.2f, 0.34f, 0.68f}, {0.7f, 0.25f, 0.22f}, {0.25f, 0.5f, 0.36f}, {0.85f, 0.82f, 0.75f}};
	struct vrs_figure figure = {.trousers = {0.19f, 0.2f, 0.26f}, .shoes = {0.12f, 0.1f, 0.1f}, .phase = phase};

	memcpy(figure.skin, skins[index & 3], sizeof figure.skin);
	memcpy(figure.hair, hairs[index & 3], sizeof figure.hair);
	memcpy(figure.shirt, shirts[index & 3], sizeof figure.shirt);
	return figure;
}

void vrs_figure_draw(const struct vrs_figure *figure, int width, int height, float *rgba)
{
	double turn = 2 * PI * figure->phase;
	struct body body = {.count = 0};

	build_head(&body, figure);
	build_trunk(&body, figure);
	build_legs(&body, figure, sin(turn));
	build_arm(&body, figure, -1, 0.25 + 0.1 * sin(turn), 0.15);
	build_arm(&body, figure, 1, 0.55 + 0.25 * sin(turn + 1), 0.5 + 0.35 * sin(2 * turn));
	find_bounds(&body);
	for (int py = 0; py < height; py++) {
		struct body row;

		shapes_between(&row, &body, (1 - (py + 1.0) / height) * VRS_FIGURE_HEIGHT, (1 - (double)py / height) * VRS_FIGURE_HEIGHT);
		for (int px = 0; px < width; px++, rgba += 4)
			draw_pixel(&row, width, height, px, py, rgba);
	}
}
