/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/synth_room.h"

#include <math.h>
#include <string.h>

#define LEFT -3.4f
#define RIGHT 3.4f
#define BACK -3.0f
#define AHEAD 5.8f
#define CEILING 2.7f
#define CHECK 0.11f /* metres of a check */

enum side { SIDE_X, SIDE_Y, SIDE_Z };

struct vrs_synth_room vrs_synth_room_make(int seed, bool pattern)
{
	static const float walls[][3] = {{0.66f, 0.63f, 0.58f}, {0.55f, 0.6f, 0.62f}, {0.7f, 0.62f, 0.52f}, {0.5f, 0.55f, 0.48f}};
	static const float floors[][3] = {{0.5f, 0.38f, 0.27f}, {0.42f, 0.4f, 0.38f}, {0.35f, 0.26f, 0.2f}};
	struct vrs_synth_room room = {.wood = {0.42f, 0.33f, 0.26f}, .art = {0.35f, 0.45f, 0.42f}, .pattern = pattern};
	unsigned n = (unsigned)seed;
	memcpy(room.wall, walls[n % 4], sizeof room.wall);
	memcpy(room.floor, floors[n % 3], sizeof room.floor);
	for (int i = 0; i < 3; i++)
		room.stripe[i] = room.wall[i] * (i == (int)(n % 3) ? 0.8f : 0.62f);
	room.window_x = -2.1f + 0.7f * (float)(n % 4);
	room.picture_x = 1.9f - 0.5f * (float)(n / 2 % 3);
	return room;
}

/* 0 below the edge, 1 above it, smooth over a pixel. */
static float above(float at, float edge, float width)
{
	float t = (at - edge) / fmaxf(width, 1e-4f) + 0.5f;
	return t <= 0 ? 0 : t >= 1 ? 1 : t;
}

static float inside(float at, float low, float high, float width)
{
	return above(at, low, width) * (1 - above(at, high, width));
}

static void mix(float rgb[3], const float to[3], float share)
{
	for (int i = 0; i < 3; i++)
		rgb[i] += share * (to[i] - rgb[i]);
}

float vrs_synth_pattern(float u, float v, float width)
{
	float a = u / CHECK - floorf(u / CHECK), b = v / CHECK - floorf(v / CHECK), w = width / CHECK;
	float lines = fmaxf(inside(a, 0.08f, 0.3f, w), inside(b, 0.08f, 0.3f, w)) + 0.35f * inside(a, 0.5f, 0.95f, w);
	return lines > 1 ? 1 : lines;
}

/* The wall ahead has a window and a picture. */
static void add_things_ahead(const struct vrs_synth_room *room, float u, float v, float width, float rgb[3])
{
	static const float frame[3] = {0.86f, 0.85f, 0.82f}, sky[3] = {0.8f, 0.88f, 0.95f}, trees[3] = {0.33f, 0.42f, 0.28f};
	float x = u - room->window_x, p = u - room->picture_x, q = v - 1.55f;
	mix(rgb, frame, inside(x, -0.62f, 0.62f, width) * inside(v, 0.85f, 2.2f, width));
	float pane = inside(fabsf(x), 0.03f, 0.56f, width) * inside(v, 0.91f, 2.14f, width) * (1 - inside(v, 1.5f, 1.55f, width));
	mix(rgb, sky, pane);
	mix(rgb, trees, pane * (1 - above(v, 1.3f + 0.12f * sinf(x * 9) + 0.05f * sinf(x * 31), 0.03f)));
	mix(rgb, frame, inside(p, -0.45f, 0.45f, width) * inside(q, -0.35f, 0.35f, width));
	const float art[3] = {room->art[0] + 0.2f * sinf(p * 14), room->art[1] + 0.15f * sinf(q * 17 + p * 5), room->art[2] + 0.15f * sinf(p * q * 60)};
	mix(rgb, art, inside(p, -0.4f, 0.4f, width) * inside(q, -0.3f, 0.3f, width));
}

/* Side walls have a door and shelves; the wall behind only its paper. */
static void add_things_aside(const struct vrs_synth_room *room, bool right, float u, float v, float width, float rgb[3])
{
	if (right) {
		const float dark[3] = {room->wood[0] * 0.7f, room->wood[1] * 0.7f, room->wood[2] * 0.7f};
		mix(rgb, dark, inside(u, 2.0f, 3.0f, width) * (1 - above(v, 2.08f, width)));
		mix(rgb, room->wood, inside(u, 2.06f, 2.94f, width) * (1 - above(v, 2.02f, width)));
		return;
	}
	mix(rgb, room->wood, inside(u, 1.2f, 3.0f, width) * inside(v, 0.3f, 2.0f, width));
	float shelf = v / 0.42f - floorf(v / 0.42f), book = u * 17 + 3 * floorf(v / 0.42f), tint = sinf(floorf(book) * 12.9898f) * 0.5f + 0.5f;
	const float spine[3] = {0.25f + 0.4f * tint, 0.3f + 0.25f * sinf(tint * 9), 0.45f - 0.2f * tint};
	mix(rgb, spine, inside(u, 1.26f, 2.94f, width) * inside(v, 0.42f, 1.9f, width) * (1 - above(shelf, 0.6f + 0.25f * tint, width / 0.42f)));
}

static void color_wall(const struct vrs_synth_room *room, enum side side, float u, float v, bool positive, float width, float rgb[3])
{
	static const float skirting[3] = {0.85f, 0.84f, 0.8f};
	memcpy(rgb, room->wall, 3 * sizeof *rgb);
	if (room->pattern)
		mix(rgb, room->stripe, vrs_synth_pattern(u, v, width));
	else
		mix(rgb, room->stripe, 0.25f * inside(u / 0.3f - floorf(u / 0.3f), 0.4f, 0.6f, width / 0.3f));
	if (side == SIDE_Z && positive)
		add_things_ahead(room, u, v, width, rgb);
	else if (side == SIDE_X)
		add_things_aside(room, positive, u, v, width, rgb);
	mix(rgb, skirting, 1 - above(v, 0.09f, width));
}

static void color_floor(const struct vrs_synth_room *room, float u, float v, float width, float rgb[3])
{
	static const float joint[3] = {0.2f, 0.16f, 0.13f};
	float plank = floorf(u / 0.16f), along = v / 1.4f + 0.37f * plank, tone = 0.9f + 0.12f * sinf(plank * 2.3f + floorf(along) * 4.1f);
	for (int i = 0; i < 3; i++)
		rgb[i] = room->floor[i] * (tone + 0.03f * sinf(v * 40 + 9 * sinf(u * 70)));
	float seam = inside(u / 0.16f - plank, 0, 0.03f, width / 0.16f) + inside(along - floorf(along), 0, 0.004f, width / 1.4f);
	mix(rgb, joint, 0.6f * fminf(seam, 1));
}

/* Metres to the wall of one direction, and which of the two it is. */
static float way_to(float origin, float direction, float low, float high, bool *ret_positive)
{
	*ret_positive = direction > 0;
	return fabsf(direction) < 1e-6f ? 1e9f : ((direction > 0 ? high : low) - origin) / direction;
}

void vrs_synth_room_color(const struct vrs_synth_room *room, const float o[3], const float d[3], float footprint, float rgb[3])
{
	bool x_positive, y_positive, z_positive;
	float tx = way_to(o[0], d[0], LEFT, RIGHT, &x_positive), ty = way_to(o[1], d[1], 0, CEILING, &y_positive);
	float tz = way_to(o[2], d[2], BACK, AHEAD, &z_positive), t = fminf(tx, fminf(ty, tz));
	const float p[3] = {o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]};
	float width = footprint * t, shade;
	if (ty <= tx && ty <= tz) {
		static const float white[3] = {0.8f, 0.79f, 0.76f};
		width /= fmaxf(fabsf(d[1]), 0.05f);
		if (y_positive)
			memcpy(rgb, white, sizeof white);
		else
			color_floor(room, p[0], p[2], width, rgb);
		shade = 1 - 0.06f * fabsf(p[2] - 1.5f) - 0.04f * fabsf(p[0]);
	} else if (tz <= tx) {
		color_wall(room, SIDE_Z, p[0], p[1], z_positive, width / fmaxf(fabsf(d[2]), 0.05f), rgb);
		shade = 0.95f - 0.05f * fabsf(p[0]);
	} else {
		color_wall(room, SIDE_X, p[2], p[1], x_positive, width / fmaxf(fabsf(d[0]), 0.05f), rgb);
		shade = (x_positive ? 0.92f : 0.8f) - 0.03f * fabsf(p[2]);
	}
	for (int i = 0; i < 3; i++)
		rgb[i] = fmaxf(0, fminf(1, rgb[i] * shade));
}
