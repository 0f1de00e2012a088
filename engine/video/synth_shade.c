/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/synth_shade.h"

#include <math.h>
#include <string.h>

#include "video/synth_cast.h"
#include "video/synth_room.h"

#define AMBIENT 0.42f

void vrs_synth_person_make(struct vrs_synth_person *person, const struct vrs_synth_actor *actor, unsigned extras)
{
	vrs_synth_look_make(&person->look, actor->look);
	person->look.fringe = (extras & VRS_SYNTH_WITH_HAIR) != 0;
	person->look.pattern = (extras & VRS_SYNTH_WITH_PATTERN) != 0;
	vrs_synth_body_build(&person->body, &person->look, actor->pose, actor->phase);
	person->x = actor->x;
	person->z = actor->z;
	person->cosine = cosf(actor->yaw);
	person->sine = sinf(actor->yaw);
}

/* The person's side is (cos, 0, sin), their front (sin, 0, -cos). */
static void turn(const struct vrs_synth_person *p, const float v[3], float ret[3])
{
	ret[0] = p->cosine * v[0] + p->sine * v[2];
	ret[1] = v[1];
	ret[2] = p->sine * v[0] - p->cosine * v[2];
}

void vrs_synth_person_ray(const struct vrs_synth_person *person, const float origin[3], const float direction[3], float ret_origin[3],
			  float ret_direction[3])
{
	turn(person, (const float[]){origin[0] - person->x, origin[1], origin[2] - person->z}, ret_origin);
	turn(person, direction, ret_direction);
}

static bool is_cloth(enum vrs_synth_material material)
{
	return material == VRS_SYNTH_SHIRT || material == VRS_SYNTH_TROUSERS;
}

/* Folds and the weave change the brightness of cloth, strands that of hair. */
static float relief(enum vrs_synth_material material, const float p[3], float width)
{
	float fine = fmaxf(0, 1 - width * 300); /* what a pixel cannot show fades */
	if (is_cloth(material))
		return 1 + 0.07f * sinf(p[1] * 24 + 5 * sinf(p[0] * 11 + p[2] * 7)) + 0.05f * fine * sinf(p[0] * 310) * sinf(p[1] * 270);
	if (material == VRS_SYNTH_HAIR)
		return 1 + 0.18f * sinf(90 * atan2f(p[0], p[2] + 0.02f) + p[1] * 14);
	return 1;
}

void vrs_synth_person_color(const struct vrs_synth_person *person, const struct vrs_synth_shape *shape, const float origin[3],
			    const float direction[3], const struct vrs_synth_hit *hit, float footprint, float rgb[3])
{
	static const float lamp[3] = {-0.46f, 0.58f, -0.67f}; /* towards it, from the left behind the camera */
	float light[3], p[3], width = footprint * hit->t;
	turn(person, lamp, light);
	for (int i = 0; i < 3; i++)
		p[i] = origin[i] + hit->t * direction[i];
	float lit = hit->normal[0] * light[0] + hit->normal[1] * light[1] + hit->normal[2] * light[2];
	float shade = (AMBIENT + 0.1f * hit->normal[1] + (1 - AMBIENT) * fmaxf(lit, 0)) * relief(shape->material, p, width);
	const float *color = person->look.color[shape->material];
	float stripe = person->look.pattern && is_cloth(shape->material) ? 0.35f * vrs_synth_pattern(p[0] + 0.6f * p[2], p[1], width) : 0;
	for (int i = 0; i < 3; i++)
		rgb[i] = fmaxf(0, fminf(1, color[i] * (1 - stripe) * shade));
}

void vrs_synth_yuv(const float rgb[3], int bits, float ret[3])
{
	float scale = (float)(1 << (bits - 8)), y = 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2];
	ret[0] = (16 + 219 * y) * scale;
	ret[1] = (128 + 224 * (rgb[2] - y) / 1.8556f) * scale;
	ret[2] = (128 + 224 * (rgb[0] - y) / 1.5748f) * scale;
}

float vrs_synth_grain(uint32_t x, uint32_t y)
{
	uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u;
	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	h ^= h >> 13;
	return (float)(h & 255) / 255 - 0.5f;
}

void vrs_synth_put(struct vrs_frame *frame, int plane, int x, int y, float value)
{
	uint8_t *row = frame->data[plane] + y * frame->stride_bytes[plane];
	if (frame->format.bit_depth > 8)
		((uint16_t *)(void *)row)[x] = (uint16_t)lrintf(value);
	else
		row[x] = (uint8_t)lrintf(value);
}
