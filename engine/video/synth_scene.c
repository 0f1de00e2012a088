/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/synth_scene.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "video/synth_figure.h"
#include "video/synth_shade.h"
#include "video/synth_stage.h"

#define PI 3.14159265358979323846
#define PHASES 16             /* drawings of one round of the movement */
#define ROUND_SECONDS 1.6
#define WALK_SECONDS 9.0      /* once to and fro */
#define WALK_DEGREES 14.0
#define PERSON_DEGREES 64.0   /* of height, in VR pictures */
#define PERSON_SHARE 0.86     /* of the picture's height, in flat ones */
#define DOWN_DEGREES 8.0      /* the middle of a person below the horizon */
#define APART_DEGREES 46.0    /* from person to person */
#define PERSON_PARALLAX 2.4   /* degrees: 6.4 cm seen from 1.5 m */
#define ROOM_PARALLAX 0.9     /* from 4 m */
#define DRAWN_HEIGHT 420      /* figures are drawn at this size and scaled */

/* A person in one moment at the size of the picture; chroma planes are 4:2:0. */
struct cutout {
	uint16_t *plane[3];
	uint8_t *cover[2];    /* of luma and of chroma samples */
};

struct vrs_synth_scene {
	struct vrs_synth_name name;
	struct vrs_picture_format format;
	int eyes;
	struct vrs_rect eye[2];
	double degree_x, degree_y; /* samples */
	int width, height;         /* of a cut-out; even */
	struct cutout cutouts[VRS_SYNTH_PEOPLE][PHASES];
	struct vrs_frame room;
	struct vrs_synth_stage *stage; /* of a scene with bodies, which has nothing else of this; else NULL */
};

static void set_eyes(struct vrs_synth_scene *scene)
{
	const struct vrs_synth_name *name = &scene->name;

	scene->eyes = vrs_synth_eyes(name, scene->eye);
	scene->degree_x = scene->eye[0].width / name->fov_degrees;
	scene->degree_y = scene->eye[0].height / (name->projection == VRS_PROJECTION_FISHEYE ? name->fov_degrees : 180);
	if (name->projection == VRS_PROJECTION_FLAT)
		scene->degree_y = scene->eye[0].height * PERSON_SHARE / PERSON_DEGREES;
}

static int even_between(double value, int least, int most)
{
	int even = (int)lrint(value / 2) * 2;

	return even < least ? least : even > most ? most & ~1 : even;
}

/* A wall with a window, a door and pictures, a plank floor; u and v are shares of an eye's picture. */
static void room_color(double u, double v, float rgb[3])
{
	static const float wall[3] = {0.66f, 0.63f, 0.58f}, planks[3] = {0.5f, 0.38f, 0.27f}, door[3] = {0.42f, 0.33f, 0.26f};
	static const float sky[3] = {0.8f, 0.88f, 0.95f}, frame[3] = {0.86f, 0.85f, 0.82f}, art[3] = {0.35f, 0.45f, 0.42f};
	const float *base = wall;
	double shade = 1 - 0.25 * fabs(u - 0.45) - 0.15 * v;

	if (v > 0.7) {
		double depth = 1 / (v - 0.55);

		base = planks;
		shade = 0.8 + 0.12 * sin(floor((u - 0.5) * depth * 6) * 2.3) - 0.1 * (v - 0.7);
	} else if (u > 0.08 && u < 0.24 && v > 0.28 && v < 0.55) {
		base = fabs(u - 0.16) < 0.004 || fabs(v - 0.41) < 0.006 || u < 0.088 || u > 0.232 ? frame : sky;
		shade = 1.02 - 0.2 * v;
	} else if (u > 0.78 && u < 0.92 && v > 0.3) {
		base = door;
		shade = fabs(u - 0.8) < 0.003 ? 0.7 : 0.95;
	} else if (u > 0.58 && u < 0.7 && v > 0.33 && v < 0.47) {
		base = u < 0.588 || u > 0.692 || v < 0.342 || v > 0.458 ? frame : art;
		shade = 0.8 + 0.2 * sin(u * 90) * sin(v * 70);
	}
	for (int i = 0; i < 3; i++)
		rgb[i] = fmaxf(0, fminf(1, base[i] * (float)shade));
}

static void draw_room(struct vrs_synth_scene *scene, int eye)
{
	const struct vrs_rect *r = &scene->eye[eye];
	double shift = scene->eyes > 1 ? (eye ? 0.5 : -0.5) * ROOM_PARALLAX * scene->degree_x / r->width : 0;
	int bits = scene->format.bit_depth;

	for (int y = 0; y < r->height; y++)
		for (int x = 0; x < r->width; x++) {
			float rgb[3], yuv[3];

			room_color((x + 0.5) / r->width + shift, (y + 0.5) / r->height, rgb);
			vrs_synth_yuv(rgb, bits, yuv);
			vrs_synth_put(&scene->room, 0, r->x + x, r->y + y, yuv[0] + 5 * vrs_synth_grain((uint32_t)x, (uint32_t)y) * (float)(1 << (bits - 8)));
			if (x & 1 || y & 1)
				continue;
			vrs_synth_put(&scene->room, 1, (r->x + x) / 2, (r->y + y) / 2, yuv[1]);
			vrs_synth_put(&scene->room, 2, (r->x + x) / 2, (r->y + y) / 2, yuv[2]);
		}
}

/* Bilinear sample of a drawing; colour weighted by coverage, so that nothing bleeds in from outside. */
static void sample_drawing(const float *drawing, int w, int h, double u, double v, float rgba[4])
{
	double x = u * w - 0.5, y = v * h - 0.5;
	int left = (int)floor(x), top = (int)floor(y);

	memset(rgba, 0, 4 * sizeof *rgba);
	for (int i = 0; i < 4; i++) {
		int px = left + (i & 1), py = top + (i >> 1);
		double weight = (1 - fabs(x - px)) * (1 - fabs(y - py));

		if (px < 0 || py < 0 || px >= w || py >= h)
			continue;
		const float *p = drawing + ((size_t)py * (size_t)w + (size_t)px) * 4;
		for (int c = 0; c < 3; c++)
			rgba[c] += (float)weight * p[3] * p[c];
		rgba[3] += (float)weight * p[3];
	}
	for (int c = 0; c < 3 && rgba[3] > 0; c++)
		rgba[c] /= rgba[3];
}

/* Samples of plane 0, or of both chroma planes, from the drawing. */
static void scale_planes(const struct vrs_synth_scene *scene, struct cutout *cutout, const float *drawing, int w, int h, bool chroma)
{
	int width = chroma ? scene->width / 2 : scene->width, height = chroma ? scene->height / 2 : scene->height;

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			size_t at = (size_t)y * (size_t)width + (size_t)x;
			float rgba[4], yuv[3];

			sample_drawing(drawing, w, h, (x + 0.5) / width, (y + 0.5) / height, rgba);
			vrs_synth_yuv(rgba, scene->format.bit_depth, yuv);
			cutout->cover[chroma][at] = (uint8_t)lrintf(rgba[3] * 255);
			for (int p = chroma; p < (chroma ? 3 : 1); p++)
				cutout->plane[p][at] = (uint16_t)lrintf(yuv[p]);
		}
}

static enum vrs_status make_cutout(struct vrs_synth_scene *scene, struct cutout *cutout, const struct vrs_figure *figure, float *drawing, int w,
				   int h)
{
	size_t pixels = (size_t)scene->width * (size_t)scene->height;

	for (int p = 0; p < 3; p++) {
		cutout->plane[p] = vrs_calloc(p ? pixels / 4 : pixels, sizeof *cutout->plane[p]);
		if (!cutout->plane[p])
			return VRS_ENOMEM;
	}
	cutout->cover[0] = vrs_calloc(pixels, 1);
	cutout->cover[1] = vrs_calloc(pixels / 4, 1);
	if (!cutout->cover[0] || !cutout->cover[1])
		return VRS_ENOMEM;
	vrs_figure_draw(figure, w, h, drawing);
	scale_planes(scene, cutout, drawing, w, h, false);
	scale_planes(scene, cutout, drawing, w, h, true);
	return VRS_OK;
}

static enum vrs_status make_people(struct vrs_synth_scene *scene)
{
	int h = scene->height < DRAWN_HEIGHT ? scene->height : DRAWN_HEIGHT;
	int w = (int)lrint(h * VRS_FIGURE_WIDTH / VRS_FIGURE_HEIGHT);
	float *drawing = vrs_calloc((size_t)w * (size_t)h * 4, sizeof *drawing);
	enum vrs_status status = drawing ? VRS_OK : VRS_ENOMEM;

	for (int person = 0; person < scene->name.play.people; person++)
		for (int phase = 0; phase < PHASES && status == VRS_OK; phase++) {
			struct vrs_figure figure = vrs_figure_make(person, (double)phase / PHASES);

			status = make_cutout(scene, &scene->cutouts[person][phase], &figure, drawing, w, h);
		}
	vrs_free(drawing);
	return status;
}

static void set_format(struct vrs_synth_scene *scene)
{
	const struct vrs_synth_name *name = &scene->name;

	scene->format = (struct vrs_picture_format){.width = name->width, .height = name->height, .planes = 3, .chroma_shift_x = 1,
		.chroma_shift_y = 1, .bit_depth = name->bits, .matrix = VRS_MATRIX_BT709, .range = VRS_RANGE_LIMITED, .primaries = 1, .transfer = 1};
	if (!name->alpha)
		return;
	scene->format.planes = 1;
	scene->format.chroma_shift_x = scene->format.chroma_shift_y = 0;
	scene->format.bit_depth = 8;
	scene->format.range = VRS_RANGE_FULL;
}

/* Cut-outs of people, and the room behind them. */
static enum vrs_status make_cutouts(struct vrs_synth_scene *scene)
{
	const struct vrs_synth_name *name = &scene->name;
	enum vrs_status status;

	set_eyes(scene);
	scene->height = even_between(PERSON_DEGREES * scene->degree_y, 2, scene->eye[0].height);
	scene->width = even_between(PERSON_DEGREES * VRS_FIGURE_WIDTH / VRS_FIGURE_HEIGHT *
		(name->projection == VRS_PROJECTION_FLAT ? scene->degree_y : scene->degree_x), 2, scene->eye[0].width);
	status = make_people(scene);
	if (status == VRS_OK && !name->alpha) {
		status = vrs_frame_alloc(&scene->room, &scene->format);
		for (int i = 0; i < scene->eyes && status == VRS_OK; i++)
			draw_room(scene, i);
	}
	return status;
}

enum vrs_status vrs_synth_scene_create(struct vrs_synth_scene **ret_scene, const struct vrs_synth_name *name)
{
	struct vrs_synth_scene *scene = vrs_calloc(1, sizeof *scene);
	enum vrs_status status;

	if (!scene)
		return VRS_ENOMEM;
	scene->name = *name;
	set_format(scene);
	status = name->play.kind == VRS_SYNTH_SCENE_NONE ? make_cutouts(scene) : vrs_synth_stage_create(&scene->stage, name, &scene->format);
	if (status != VRS_OK) {
		vrs_synth_scene_destroy(scene);
		return status;
	}
	*ret_scene = scene;
	return VRS_OK;
}

void vrs_synth_scene_destroy(struct vrs_synth_scene *scene)
{
	if (!scene)
		return;
	for (int person = 0; person < VRS_SYNTH_PEOPLE; person++)
		for (int phase = 0; phase < PHASES; phase++) {
			struct cutout *cutout = &scene->cutouts[person][phase];

			for (int p = 0; p < 3; p++)
				vrs_free(cutout->plane[p]);
			vrs_free(cutout->cover[0]);
			vrs_free(cutout->cover[1]);
		}
	vrs_frame_unref(&scene->room);
	vrs_synth_stage_destroy(scene->stage);
	vrs_free(scene);
}

const struct vrs_picture_format *vrs_synth_scene_format(const struct vrs_synth_scene *scene)
{
	return &scene->format;
}

/* A rectangle of even corners in the samples of a plane. */
static struct vrs_rect in_plane(const struct vrs_rect *r, int plane)
{
	int by = plane ? 2 : 1;

	return (struct vrs_rect){r->x / by, r->y / by, r->width / by, r->height / by};
}

/* The room into a rectangle of even corners, or nothing for coverage. */
static void restore(const struct vrs_synth_scene *scene, struct vrs_frame *frame, const struct vrs_rect *r)
{
	int bytes = scene->format.bit_depth > 8 ? 2 : 1;

	for (int p = 0; p < scene->format.planes; p++) {
		const struct vrs_rect part = in_plane(r, p);
		size_t length = (size_t)(part.width * bytes);

		for (int y = part.y; y < part.y + part.height; y++) {
			uint8_t *to = frame->data[p] + y * frame->stride_bytes[p] + part.x * bytes;

			if (scene->name.alpha)
				memset(to, 0, length);
			else
				memcpy(to, scene->room.data[p] + y * scene->room.stride_bytes[p] + part.x * bytes, length);
		}
	}
}

void vrs_synth_scene_clear(const struct vrs_synth_scene *scene, struct vrs_frame *frame)
{
	if (scene->stage) /* draws whole frames */
		return;
	restore(scene, frame, &(struct vrs_rect){0, 0, scene->format.width, scene->format.height});
}

/* Where the people of picture `index` are in each eye: rectangles [eye * VRS_SYNTH_PEOPLE + person], even, inside the eye. */
static void scene_places(const struct vrs_synth_scene *scene, int64_t index, struct vrs_rect places[2 * VRS_SYNTH_PEOPLE])
{
	double seconds = (double)index / scene->name.fps;

	for (int eye = 0; eye < scene->eyes; eye++)
		for (int person = 0; person < scene->name.play.people; person++) {
			const struct vrs_rect *r = &scene->eye[eye];
			double parallax = scene->eyes > 1 ? (eye ? -0.5 : 0.5) * PERSON_PARALLAX : 0;
			double lon = WALK_DEGREES * sin(2 * PI * (seconds / WALK_SECONDS + person * 0.29)) +
				     APART_DEGREES * (person - (scene->name.play.people - 1) / 2.0) + parallax;
			double lat = -DOWN_DEGREES + 0.4 * sin(2 * PI * seconds / ROUND_SECONDS);

			places[eye * VRS_SYNTH_PEOPLE + person] = (struct vrs_rect){
				.x = r->x + even_between(r->width / 2.0 + lon * scene->degree_x - scene->width / 2.0, 0, r->width - scene->width),
				.y = r->y + even_between(r->height / 2.0 - lat * scene->degree_y - scene->height / 2.0, 0, r->height - scene->height),
				.width = scene->width, .height = scene->height};
		}
}

/* to = (cover * from + (255 - cover) * to) / 255, rounded. */
static void blend_row8(uint8_t *restrict to, const uint16_t *restrict from, const uint8_t *restrict cover, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = (uint8_t)((from[i] * cover[i] + to[i] * (255 - cover[i]) + 127) / 255);
}

static void blend_row16(uint16_t *restrict to, const uint16_t *restrict from, const uint8_t *restrict cover, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = (uint16_t)(((unsigned)from[i] * cover[i] + (unsigned)to[i] * (255u - cover[i]) + 127) / 255);
}

/* Coverage of one behind another. */
static void cover_row(uint8_t *restrict to, const uint8_t *restrict cover, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = (uint8_t)(255 - ((255 - to[i]) * (255 - cover[i]) + 127) / 255);
}

static void draw_person(const struct vrs_synth_scene *scene, struct vrs_frame *frame, const struct cutout *cutout, const struct vrs_rect *r)
{
	for (int p = 0; p < scene->format.planes; p++) {
		const struct vrs_rect part = in_plane(r, p);

		for (int i = 0; i < part.height; i++) {
			uint8_t *row = frame->data[p] + (part.y + i) * frame->stride_bytes[p];
			const uint8_t *cover = cutout->cover[p > 0] + (size_t)i * (size_t)part.width;
			const uint16_t *from = cutout->plane[p] + (size_t)i * (size_t)part.width;

			if (scene->name.alpha)
				cover_row(row + part.x, cover, part.width);
			else if (scene->format.bit_depth > 8)
				blend_row16((uint16_t *)(void *)row + part.x, from, cover, part.width);
			else
				blend_row8(row + part.x, from, cover, part.width);
		}
	}
}

void vrs_synth_scene_draw(const struct vrs_synth_scene *scene, struct vrs_frame *frame, int64_t before, int64_t index)
{
	struct vrs_rect places[2 * VRS_SYNTH_PEOPLE];

	if (scene->stage) {
		vrs_synth_stage_draw(scene->stage, frame, index);
		return;
	}
	if (before >= 0) {
		scene_places(scene, before, places);
		for (int eye = 0; eye < scene->eyes; eye++)
			for (int person = 0; person < scene->name.play.people; person++)
				restore(scene, frame, &places[eye * VRS_SYNTH_PEOPLE + person]);
	}
	scene_places(scene, index, places);
	int phase = (int)((index * PHASES * 10 / (int64_t)(ROUND_SECONDS * 10 * scene->name.fps)) % PHASES);
	for (int eye = 0; eye < scene->eyes; eye++)
		for (int person = 0; person < scene->name.play.people; person++)
			draw_person(scene, frame, &scene->cutouts[person][(phase + 5 * person) % PHASES],
				    &places[eye * VRS_SYNTH_PEOPLE + person]);
}
