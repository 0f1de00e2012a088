/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/synth_cast.h"

#include <math.h>

#define PI 3.14159265358979323846
#define PART_SECONDS 1.5  /* between cuts */
#define EYE_HEIGHT 1.45f
#define STEP_METRES 0.7   /* half a round of the legs */
#define MEET_SECONDS 6.0  /* to and fro */
#define LATE_SECONDS 0.8  /* from one who enters to the next */
#define STAY_SECONDS 3.2

/* From person to person, middle 0: -1 .. 1. */
static double spread(int i, int people)
{
	return people > 1 ? 2.0 * i / (people - 1) - 1 : 0;
}

/* Somebody at an angle (radians, to the right) and distance, turned towards the camera and by `turn` more. */
static struct vrs_synth_actor stand_at(double angle, double distance, double turn)
{
	return (struct vrs_synth_actor){.x = (float)(distance * sin(angle)), .z = (float)(distance * cos(angle)), .yaw = (float)(turn - angle)};
}

static struct vrs_synth_actor stands(int i, int people, double t)
{
	double half = people > 1 ? fmin(0.5, 0.17 * people) : 0;
	struct vrs_synth_actor actor = stand_at(half * spread(i, people) + 0.05 * sin(t * 0.7 + i * 2), 1.4 + 0.35 * (i % 3), 0.35 * sin(t * 0.5 + i));
	actor.phase = (float)(2.2 * t + 1.3 * i);
	return actor;
}

/* Every second one from the left; each has a lane of its own, and nearer ones hide those behind. */
static struct vrs_synth_actor meets(int i, double t)
{
	double round = 2 * PI * t / MEET_SECONDS + 0.35 * i, side = i % 2 ? 1 : -1, reach = 1.25 + 0.12 * i, speed = sin(round);
	struct vrs_synth_actor actor = {.x = (float)(side * reach * cos(round)), .z = (float)(1.35 + 0.42 * ((i * 5 + 1) % 6)), .pose = VRS_SYNTH_WALKS,
		.phase = (float)(PI * side * reach * cos(round) / STEP_METRES)};
	actor.yaw = (float)(-side * atan(6 * speed) * 0.85); /* turns round where it stops */
	return actor;
}

static struct vrs_synth_actor far_or_near(int i, int people, double t)
{
	if (i == 0) {
		struct vrs_synth_actor actor = stand_at(-0.28 + 0.05 * sin(t), 0.8 + 0.2 * sin(t * 0.8), 0.3);
		actor.phase = (float)(2.2 * t);
		return actor;
	}
	double walk = 2 * PI * t / 9 + i * 2.1, across = people > 2 ? spread(i - 1, people - 1) : 0.4;
	struct vrs_synth_actor actor = stand_at(0.12 + 0.38 * across + 0.09 * sin(walk), 3 + 2.0 * i / people, cos(walk) > 0 ? 1.3 : -1.3);
	actor.pose = VRS_SYNTH_WALKS;
	actor.phase = (float)(PI * 0.09 * 4 * sin(walk) / STEP_METRES);
	return actor;
}

static struct vrs_synth_actor sits(int i, int people, double t)
{
	struct vrs_synth_actor actor = stand_at((people > 1 ? 0.62 : 0) * spread(i, people), 1.6 + 0.5 * (i % 2), 0.5 * sin(i * 2.0));
	actor.pose = VRS_SYNTH_SITS;
	actor.phase = (float)(1.7 * t + i);
	return actor;
}

static struct vrs_synth_actor shows_back(int i, int people, double t)
{
	struct vrs_synth_actor actor = stand_at((people > 1 ? 0.5 : 0.1) * spread(i, people) + 0.04 * sin(t + i), 1.3 + 0.45 * (i % 3) + 0.12 * t,
		PI + 0.5 * sin(i * 1.7));
	actor.pose = VRS_SYNTH_WALKS;
	actor.phase = (float)(PI * 0.12 * t / STEP_METRES + i);
	return actor;
}

/* From beside the camera to the middle, a while, and out on the other side. */
static struct vrs_synth_actor enters(int i, int people, double t)
{
	double begin = LATE_SECONDS * i - (i ? 0 : 2), at = t - begin, side = i % 2 ? 1 : -1, across = 0.55 * spread(i, people);
	double in = fmin(fmax(at / 1.6, 0), 1), out = i ? fmin(fmax((at - STAY_SECONDS) / 1.6, 0), 1) : 0;
	double x = side * 1.3 * (1 - in) + across * in * (1 - out) - side * 1.3 * out, z = -0.5 + (2.0 + 0.3 * (i % 3)) * (in - out);
	bool walks = (in > 0 && in < 1) || (out > 0 && out < 1);
	struct vrs_synth_actor actor = {.x = (float)x, .z = (float)z, .pose = walks ? VRS_SYNTH_WALKS : VRS_SYNTH_STANDS};
	actor.yaw = walks ? (float)(out > 0 ? -side * 0.9 : PI + side * 0.7) : (float)(0.3 * side);
	actor.phase = (float)(walks ? PI * (in + out) * 2.4 / STEP_METRES : 2.2 * t);
	return actor;
}

static struct vrs_synth_actor actor_at(const struct vrs_synth_play *play, int i, double t)
{
	switch (play->kind) {
	case VRS_SYNTH_SCENE_MEET:
		return meets(i, t);
	case VRS_SYNTH_SCENE_FAR:
		return far_or_near(i, play->people, t);
	case VRS_SYNTH_SCENE_SIT:
		return sits(i, play->people, t);
	case VRS_SYNTH_SCENE_BACK:
		return shows_back(i, play->people, t);
	case VRS_SYNTH_SCENE_ENTER:
		return enters(i, play->people, t);
	case VRS_SYNTH_SCENE_NONE:
	case VRS_SYNTH_SCENE_STAND:
		break;
	}
	return stands(i, play->people, t);
}

void vrs_synth_play_at(const struct vrs_synth_play *play, double seconds, struct vrs_synth_moment *moment)
{
	int part = play->extras & VRS_SYNTH_WITH_CUT ? (int)floor(seconds / PART_SECONDS) % 1000 : 0;
	double t = seconds + 2.3 * part + 0.7 * (play->seed % 16);
	bool pans = play->extras & VRS_SYNTH_WITH_PAN, changes = play->extras & VRS_SYNTH_WITH_LIGHT;
	if (play->kind == VRS_SYNTH_SCENE_ENTER || play->kind == VRS_SYNTH_SCENE_BACK)
		t = seconds;
	*moment = (struct vrs_synth_moment){.count = play->people, .number = part, .eye = {0, EYE_HEIGHT, 0},
		.light = changes ? (float)(0.62 + 0.38 * cos(1.9 * seconds)) : 1};
	if (part > 0) { /* another place of the camera, and another lamp */
		moment->eye[0] += 0.25f * (float)(part % 3 - 1);
		moment->eye[1] -= part % 2 ? 0.25f : 0;
		moment->light *= part % 2 ? 0.74f : 1;
	}
	if (pans) {
		moment->yaw = (float)(0.16 * sin(0.9 * seconds));
		moment->eye[0] += (float)(0.08 * sin(0.6 * seconds));
		moment->eye[1] += (float)(0.02 * sin(2.1 * seconds));
	}
	for (int i = 0; i < play->people; i++) {
		moment->actors[i] = actor_at(play, i, t);
		moment->actors[i].look = play->seed + 3 * part + i;
		if (part % 2) /* the other way round after a cut */
			moment->actors[i].x = -moment->actors[i].x;
	}
}
