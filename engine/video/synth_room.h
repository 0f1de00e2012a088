/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The room of a synthetic scene: a box with a plank floor, wallpaper, a window, a door, pictures and a cupboard, looked at from within. */
#ifndef VRS_VIDEO_SYNTH_ROOM_H
#define VRS_VIDEO_SYNTH_ROOM_H

#include <stdbool.h>

/* Lengths in metres; colours R'G'B', 0..1. */
struct vrs_synth_room {
	float wall[3], stripe[3], floor[3], wood[3], art[3];
	float window_x, picture_x; /* on the wall ahead */
	bool pattern;              /* wallpaper with checks, as on clothes */
};

/* Room number `seed`. */
struct vrs_synth_room vrs_synth_room_make(int seed, bool pattern);
/* What a ray from inside sees; footprint: radians that a pixel covers. Directions have length 1. */
void vrs_synth_room_color(const struct vrs_synth_room *room, const float origin[3], const float direction[3], float footprint, float rgb[3]);
/* The pattern of wallpaper and clothes at (u, v) metres: 0..1; width: metres that a pixel covers. */
float vrs_synth_pattern(float u, float v, float width);

#endif
