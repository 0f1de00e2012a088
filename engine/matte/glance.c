/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/glance.h"

#include <math.h>
#include <string.h>

#define FADE 0.9f /* of motion, from glance to glance: it is forgotten after some twenty */

/* Does the part hold the middle of a cell? */
static bool holds(const struct vrs_rect *eye, const struct vrs_rect *part, int cell, int circle)
{
	double x = eye->x + (cell % VRS_SCENE_SIDE + 0.5) * eye->width / VRS_SCENE_SIDE - part->x;
	double y = eye->y + (cell / VRS_SCENE_SIDE + 0.5) * eye->height / VRS_SCENE_SIDE - part->y;
	if (circle && x < 0)
		x += circle;
	return x >= 0 && x < part->width && y >= 0 && y < part->height;
}

/* People reach into the cells around those whose middle their views hold. */
static bool is_covered(const struct vrs_rect *eye, const struct vrs_rect *views, int count, int cell, int circle)
{
	int dx = eye->width / VRS_SCENE_SIDE / 2, dy = eye->height / VRS_SCENE_SIDE / 2;
	for (int i = 0; i < count; i++) {
		const struct vrs_rect wide = {views[i].x - dx, views[i].y - dy, views[i].width + 2 * dx, views[i].height + 2 * dy};
		if (holds(eye, &wide, cell, circle))
			return true;
	}
	return false;
}

void vrs_glance_take(struct vrs_glance *glance, const struct vrs_scene_signature *signature, const struct vrs_rect *eye, const struct vrs_rect *views,
		     int count, int circle)
{
	for (int cell = 0; cell < VRS_GLANCE_CELLS && glance->known; cell++)
		glance->moved[cell] = fmaxf(FADE * glance->moved[cell], fabsf(signature->mean[cell] - glance->now[cell]));
	memcpy(glance->now, signature->mean, sizeof glance->now);
	if (!glance->known)
		memcpy(glance->searched, signature->mean, sizeof glance->searched);
	for (int cell = 0; cell < VRS_GLANCE_CELLS; cell++) {
		bool covered = is_covered(eye, views, count, cell, circle);
		if (covered || glance->covered[cell])
			glance->searched[cell] = glance->now[cell];
		glance->covered[cell] = covered;
	}
	glance->known = true;
}

bool vrs_glance_archive(struct vrs_glance *glance, struct vrs_archive *archive)
{
	bool good = vrs_archive_flag(archive, &glance->known) && vrs_archive_floats(archive, glance->searched, VRS_GLANCE_CELLS) &&
		    vrs_archive_floats(archive, glance->now, VRS_GLANCE_CELLS) && vrs_archive_floats(archive, glance->moved, VRS_GLANCE_CELLS);
	for (int cell = 0; good && cell < VRS_GLANCE_CELLS; cell++)
		good = vrs_archive_flag(archive, &glance->covered[cell]);
	return good;
}

double vrs_glance_change(const struct vrs_glance *glance, const struct vrs_rect *eye, const struct vrs_rect *part, int circle)
{
	double most = 0;
	for (int cell = 0; cell < VRS_GLANCE_CELLS; cell++)
		if (holds(eye, part, cell, circle))
			most = fmax(most, fabs((double)glance->now[cell] - glance->searched[cell]));
	return most;
}

double vrs_glance_motion(const struct vrs_glance *glance, const struct vrs_rect *eye, const struct vrs_rect *part, int circle)
{
	double most = 0;
	for (int cell = 0; cell < VRS_GLANCE_CELLS; cell++)
		if (holds(eye, part, cell, circle))
			most = fmax(most, glance->moved[cell]);
	return most;
}

void vrs_glance_searched(struct vrs_glance *glance, const struct vrs_rect *eye, const struct vrs_rect *part, int circle)
{
	for (int cell = 0; cell < VRS_GLANCE_CELLS; cell++)
		if (holds(eye, part, cell, circle))
			glance->searched[cell] = glance->now[cell];
}
