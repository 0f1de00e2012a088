/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person of a synthetic scene where they stand: rays in their frame, and the colour of what a ray meets. Samples of pictures. */
#ifndef VRS_VIDEO_SYNTH_SHADE_H
#define VRS_VIDEO_SYNTH_SHADE_H

#include <stdint.h>

#include <vrseg/frame.h>

#include "video/synth_body.h"

struct vrs_synth_person {
	struct vrs_synth_look look;
	struct vrs_synth_body body;
	float x, z, cosine, sine; /* of the yaw */
};

/* extras: bits of enum vrs_synth_extra. */
void vrs_synth_person_make(struct vrs_synth_person *ret_person, const struct vrs_synth_actor *actor, unsigned extras);
/* A ray of the room in the frame of the person. */
void vrs_synth_person_ray(const struct vrs_synth_person *person, const float origin[3], const float direction[3], float ret_origin[3],
			  float ret_direction[3]);
/* The colour (0..1) where such a ray meets one of the person's shapes; footprint: radians of a pixel. */
void vrs_synth_person_color(const struct vrs_synth_person *person, const struct vrs_synth_shape *shape, const float origin[3],
			    const float direction[3], const struct vrs_synth_hit *hit, float footprint, float rgb[3]);

/* R'G'B' 0..1 to BT.709 limited range samples. */
void vrs_synth_yuv(const float rgb[3], int bits, float ret[3]);
void vrs_synth_put(struct vrs_frame *frame, int plane, int x, int y, float value);
/* -0.5 .. 0.5, the same for a pixel always. */
float vrs_synth_grain(uint32_t x, uint32_t y);

#endif
