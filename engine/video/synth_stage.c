/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work goes by tiles: a cone around a tile's rays says which shapes they can meet.  A pixel takes four rays; where they do not agree, or loose hair
 * is near, twelve more.
 */
#include "video/synth_stage.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "video/synth_cast.h"
#include "video/synth_lens.h"
#include "video/synth_room.h"
#include "video/synth_shade.h"

#define TILE 16
#define FIRST_RAYS 4
#define RAYS 16
#define MARGIN 0.02f /* metres around shapes: eyes that turn with the direction move a little within a tile */

/* Where rays go through a pixel, in quarters and half: the first four lie in four rows and columns. */
static const uint8_t ray_places[RAYS][2] = {{1, 0}, {3, 1}, {0, 2}, {2, 3}, {0, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2},
	{0, 3}, {1, 3}, {3, 3}};

/* A shape that the rays of a tile can meet. */
struct candidate {
	const struct vrs_synth_shape *shape;
	int person;
};

struct tile {
	struct candidate candidates[VRS_SYNTH_CAST * VRS_SYNTH_SHAPES];
	int count;
	bool hair;       /* loose */
};

struct vrs_synth_stage {
	struct vrs_synth_name name;
	struct vrs_picture_format format;
	int eyes;
	struct vrs_rect eye[2];
	struct vrs_synth_moment moment;
	struct vrs_synth_room room;
	struct vrs_synth_person people[VRS_SYNTH_CAST];
	struct vrs_frame empty;     /* the room as the camera of `moment` sees it */
	bool has_empty;
};

enum vrs_status vrs_synth_stage_create(struct vrs_synth_stage **ret_stage, const struct vrs_synth_name *name, const struct vrs_picture_format *format)
{
	struct vrs_synth_stage *stage = vrs_calloc(1, sizeof *stage);
	if (!stage)
		return VRS_ENOMEM;
	stage->name = *name;
	stage->format = *format;
	stage->eyes = vrs_synth_eyes(name, stage->eye);
	enum vrs_status status = name->alpha ? VRS_OK : vrs_frame_alloc(&stage->empty, format);
	if (status != VRS_OK) {
		vrs_free(stage);
		return status;
	}
	*ret_stage = stage;
	return VRS_OK;
}

void vrs_synth_stage_destroy(struct vrs_synth_stage *stage)
{
	if (!stage)
		return;
	vrs_frame_unref(&stage->empty);
	vrs_free(stage);
}

static struct vrs_synth_lens lens_of(const struct vrs_synth_stage *stage, int eye)
{
	const struct vrs_synth_moment *m = &stage->moment;
	double side = stage->eyes == 1 ? 0 : eye ? 0.5 : -0.5;
	return (struct vrs_synth_lens){.projection = stage->name.projection, .width = stage->eye[eye].width, .height = stage->eye[eye].height,
		.fov = stage->name.fov_degrees * 3.14159265358979323846 / 180, .offset = side * VRS_SYNTH_EYES_APART,
		.camera = {m->eye[0], m->eye[1], m->eye[2]}, .yaw = m->yaw};
}

/* R'G'B' 0..1 of a pixel into luma, and a quarter of it into the chroma sums. */
struct pixel_sum {
	float u, v;
};

static void put_pixel(const struct vrs_synth_stage *stage, struct vrs_frame *frame, int x, int y, const float rgb[3], struct pixel_sum *chroma)
{
	float yuv[3];
	vrs_synth_yuv(rgb, stage->format.bit_depth, yuv);
	vrs_synth_put(frame, 0, x, y, yuv[0]);
	chroma[x / 2 % (TILE / 2)].u += yuv[1] / 4;
	chroma[x / 2 % (TILE / 2)].v += yuv[2] / 4;
	if (!(x & 1 && y & 1))
		return;
	vrs_synth_put(frame, 1, x / 2, y / 2, chroma[x / 2 % (TILE / 2)].u);
	vrs_synth_put(frame, 2, x / 2, y / 2, chroma[x / 2 % (TILE / 2)].v);
	chroma[x / 2 % (TILE / 2)] = (struct pixel_sum){0, 0};
}

/* The room at a pixel, with a grain that never moves. */
static void room_at(const struct vrs_synth_stage *stage, const struct vrs_synth_lens *lens, int x, int y, float rgb[3])
{
	float origin[3], direction[3], grain = 0.023f * vrs_synth_grain((uint32_t)x, (uint32_t)y);
	memset(rgb, 0, 3 * sizeof *rgb);
	if (!vrs_synth_lens_ray(lens, x + 0.5, y + 0.5, origin, direction))
		return;
	vrs_synth_room_color(&stage->room, origin, direction, (float)vrs_synth_lens_pixel(lens), rgb);
	for (int i = 0; i < 3; i++)
		rgb[i] = fmaxf(0, fminf(1, (rgb[i] + grain) * stage->moment.light));
}

static void draw_room(struct vrs_synth_stage *stage)
{
	for (int eye = 0; eye < stage->eyes; eye++) {
		const struct vrs_rect *r = &stage->eye[eye];
		const struct vrs_synth_lens lens = lens_of(stage, eye);
		for (int y = 0; y < r->height; y += 2)
			for (int x = 0; x < r->width; x += 2) {
				struct pixel_sum chroma[TILE / 2] = {{0, 0}};
				for (int i = 0; i < 4; i++) {
					float rgb[3];
					room_at(stage, &lens, x + i % 2, y + i / 2, rgb);
					put_pixel(stage, &stage->empty, r->x + x + i % 2, r->y + y + i / 2, rgb, chroma);
				}
			}
	}
}

/* The room is drawn again when the camera, the light or the room is another one. */
static void enter_moment(struct vrs_synth_stage *stage, int64_t index)
{
	const struct vrs_synth_moment before = stage->moment;
	vrs_synth_play_at(&stage->name.play, (double)index / stage->name.fps, &stage->moment);
	const struct vrs_synth_moment *m = &stage->moment;
	stage->room = vrs_synth_room_make(stage->name.play.seed + m->number, (stage->name.play.extras & VRS_SYNTH_WITH_PATTERN) != 0);
	for (int i = 0; i < m->count; i++)
		vrs_synth_person_make(&stage->people[i], &m->actors[i], stage->name.play.extras);
	for (int i = 0; i < m->count && stage->room.pattern; i += 2) /* every second one wears the wallpaper */
		memcpy(stage->people[i].look.color[VRS_SYNTH_SHIRT], stage->room.wall, sizeof stage->room.wall);
	if (stage->name.alpha || (stage->has_empty && before.number == m->number && before.yaw == m->yaw && before.light == m->light &&
				  memcmp(before.eye, m->eye, sizeof m->eye) == 0))
		return;
	draw_room(stage);
	stage->has_empty = true;
}

/* Can rays around `direction`, within an angle whose cosine and sine are given, meet the ball? */
static bool cone_meets(const float origin[3], const float direction[3], float cosine, float sine, const float middle[3], float radius)
{
	const float q[3] = {middle[0] - origin[0], middle[1] - origin[1], middle[2] - origin[2]};
	float along = q[0] * direction[0] + q[1] * direction[1] + q[2] * direction[2], square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
	float beside = sqrtf(fmaxf(square - along * along, 0));
	radius += MARGIN;
	return square <= radius * radius || cosine * beside - sine * along <= radius;
}

/* The widest angle between the middle ray of a tile and its corners. */
static void cone_of(const struct vrs_synth_lens *lens, const struct vrs_rect *at, const float direction[3], float *ret_cosine, float *ret_sine)
{
	float least = 1;
	for (int i = 0; i < 4; i++) {
		float origin[3], corner[3];
		(void)vrs_synth_lens_ray(lens, at->x + (i % 2) * at->width, at->y + (i / 2) * at->height, origin, corner);
		least = fminf(least, corner[0] * direction[0] + corner[1] * direction[1] + corner[2] * direction[2]);
	}
	*ret_cosine = least;
	*ret_sine = sqrtf(fmaxf(0, 1 - least * least));
}

static void find_candidates(const struct vrs_synth_stage *stage, const struct vrs_synth_lens *lens, const struct vrs_rect *at, struct tile *tile)
{
	float origin[3], direction[3], cosine, sine;
	tile->count = 0;
	tile->hair = false;
	(void)vrs_synth_lens_ray(lens, at->x + at->width / 2.0, at->y + at->height / 2.0, origin, direction);
	cone_of(lens, at, direction, &cosine, &sine);
	for (int i = 0; i < stage->moment.count; i++) {
		const struct vrs_synth_person *person = &stage->people[i];
		float o[3], d[3];
		vrs_synth_person_ray(person, origin, direction, o, d);
		if (!cone_meets(o, d, cosine, sine, (const float[]){0, person->body.middle_y, 0}, person->body.bound))
			continue;
		for (int k = 0; k < person->body.count; k++) {
			const struct vrs_synth_shape *shape = &person->body.shapes[k];
			if (!cone_meets(o, d, cosine, sine, shape->middle, shape->bound))
				continue;
			tile->candidates[tile->count++] = (struct candidate){shape, i};
			tile->hair = tile->hair || shape->kind == VRS_SYNTH_FRINGE;
		}
	}
}

/* What one ray meets first: -1 nothing, else the person, or VRS_SYNTH_CAST for a thing; its colour. */
static int trace(const struct vrs_synth_stage *stage, const struct vrs_synth_lens *lens, const struct tile *tile, double x, double y, float rgb[3])
{
	float origin[3], direction[3], o[3] = {0}, d[3] = {0};
	struct vrs_synth_hit nearest = {.t = 1e9f}, hit;
	const struct candidate *front = NULL;
	if (!vrs_synth_lens_ray(lens, x, y, origin, direction))
		return -1;
	for (int i = 0, person = -1; i < tile->count; i++) {
		const struct candidate *c = &tile->candidates[i];
		if (c->person != person)
			vrs_synth_person_ray(&stage->people[c->person], origin, direction, o, d);
		person = c->person;
		if (!vrs_synth_shape_meet(c->shape, o, d, &hit) || hit.t >= nearest.t)
			continue;
		nearest = hit;
		front = c;
	}
	if (!front)
		return -1;
	const struct vrs_synth_person *person = &stage->people[front->person];
	if (!stage->name.alpha) {
		vrs_synth_person_ray(person, origin, direction, o, d);
		vrs_synth_person_color(person, front->shape, o, d, &nearest, (float)vrs_synth_lens_pixel(lens), rgb);
	}
	return front->shape->material == VRS_SYNTH_PROP ? VRS_SYNTH_CAST : front->person;
}

/* Rays of a pixel: how many were sent, met a person, met anything; sum of the colours of what they met. */
struct rays {
	int sent, person, any;
	float rgb[3];
};

static void send_rays(const struct vrs_synth_stage *stage, const struct vrs_synth_lens *lens, const struct tile *tile, int x, int y,
		      struct rays *rays)
{
	int first = 0;
	bool same = !tile->hair;
	*rays = (struct rays){0};
	for (int i = 0; i < RAYS; i++) {
		float rgb[3] = {0};
		if (i == FIRST_RAYS && same)
			break;
		int met = trace(stage, lens, tile, x + (ray_places[i][0] + 0.5) / 4, y + (ray_places[i][1] + 0.5) / 4, rgb);
		if (i == 0)
			first = met;
		same = same && met == first;
		rays->sent++;
		rays->person += met >= 0 && met < VRS_SYNTH_CAST;
		rays->any += met >= 0;
		for (int k = 0; k < 3; k++)
			rays->rgb[k] += rgb[k] * stage->moment.light;
	}
}

static void draw_pixel(const struct vrs_synth_stage *stage, struct vrs_frame *frame, int eye, const struct vrs_synth_lens *lens,
		       const struct tile *tile, int x, int y, struct pixel_sum *chroma)
{
	const struct vrs_rect *r = &stage->eye[eye];
	struct rays rays;
	float room[3];
	send_rays(stage, lens, tile, x, y, &rays);
	if (stage->name.alpha) {
		frame->data[0][(r->y + y) * frame->stride_bytes[0] + r->x + x] = (uint8_t)lrintf(255.0f * (float)rays.person / (float)rays.sent);
		return;
	}
	room_at(stage, lens, x, y, room);
	for (int k = 0; k < 3; k++)
		room[k] = fminf(1, (rays.rgb[k] + (float)(rays.sent - rays.any) * room[k]) / (float)rays.sent);
	put_pixel(stage, frame, r->x + x, r->y + y, room, chroma);
}

static void draw_tile(const struct vrs_synth_stage *stage, struct vrs_frame *frame, int eye, const struct vrs_synth_lens *lens,
		      const struct vrs_rect *at, struct tile *tile)
{
	struct pixel_sum chroma[TILE / 2] = {{0, 0}};
	find_candidates(stage, lens, at, tile);
	if (tile->count == 0)
		return;
	for (int y = at->y; y < at->y + at->height; y++)
		for (int x = at->x; x < at->x + at->width; x++)
			draw_pixel(stage, frame, eye, lens, tile, x, y, chroma);
}

static void draw_background(const struct vrs_synth_stage *stage, struct vrs_frame *frame)
{
	int bytes = stage->format.bit_depth > 8 ? 2 : 1;
	for (int p = 0; p < stage->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&stage->format, p); y++) {
			size_t length = (size_t)(vrs_plane_width(&stage->format, p) * bytes);
			uint8_t *to = frame->data[p] + y * frame->stride_bytes[p];
			if (stage->name.alpha)
				memset(to, 0, length);
			else
				memcpy(to, stage->empty.data[p] + y * stage->empty.stride_bytes[p], length);
		}
}

void vrs_synth_stage_draw(struct vrs_synth_stage *stage, struct vrs_frame *frame, int64_t index)
{
	struct tile tile;
	enter_moment(stage, index);
	draw_background(stage, frame);
	for (int eye = 0; eye < stage->eyes; eye++) {
		const struct vrs_synth_lens lens = lens_of(stage, eye);
		for (int y = 0; y < lens.height; y += TILE)
			for (int x = 0; x < lens.width; x += TILE) {
				const struct vrs_rect at = {x, y, lens.width - x < TILE ? lens.width - x : TILE, lens.height - y < TILE ? lens.height - y : TILE};
				draw_tile(stage, frame, eye, &lens, &at, &tile);
			}
	}
}
