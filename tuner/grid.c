/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/grid.h"

#include <math.h>
#include <string.h>

#include <vrseg/pipeline.h>

#include "base/str_parse.h"

#define ID_REST 128 /* bytes of ids that no value of a point makes: size, mode, what the default has, a network's name for auto */

void vrs_grid_init(struct vrs_grid *ret_grid, const struct vrs_space *space)
{
	memset(ret_grid, 0, sizeof *ret_grid);
	ret_grid->space = space;
	ret_grid->count = space->count;
	for (int k = 0; k < space->count; k++)
		ret_grid->knobs[k] = k;
}

void vrs_grid_sort(struct vrs_grid *grid, const double *effects)
{
	for (int i = 1; i < grid->count; i++) {
		int knob = grid->knobs[i], at = i;
		for (; at > 0 && effects[grid->knobs[at - 1]] < effects[knob]; at--)
			grid->knobs[at] = grid->knobs[at - 1];
		grid->knobs[at] = knob;
	}
}

double vrs_grid_size(const struct vrs_grid *grid)
{
	double size = 1;
	for (int i = 0; i < grid->count; i++) {
		int knob = grid->knobs[i], open = 0;
		for (int level = 0; level <= grid->space->knobs[knob].count; level++)
			open += !grid->closed[knob][level];
		size *= open;
	}
	return size;
}

static const char *value_of(const struct vrs_knob *knob, int level)
{
	return level ? knob->values[level - 1] : knob->default_value;
}

/*
 * Threads times streams above the CPUs are known to lose without measuring; a default that has more of them is the user's, and others may be as many.
 */
static bool suits_cpus(const struct vrs_space *space, const struct vrs_point *point)
{
	int64_t product = 1, of_default = 1, number;
	for (int k = 0; k < space->count; k++) {
		const char *key = space->knobs[k].row->key;
		if (strcmp(key, "engine.threads") != 0 && strcmp(key, "engine.streams") != 0)
			continue;
		product *= vrs_parse_int(value_of(&space->knobs[k], point->level[k]), 1, 4096, &number) ? number : 1;
		of_default *= vrs_parse_int(space->knobs[k].default_value, 1, 4096, &number) ? number : 1;
	}
	return product <= space->cpus || product <= of_default;
}

/* A network is calibrated for one input size; at another one 8 bits would begin with minutes of calibrating. */
static bool suits_calibration(const struct vrs_space *space, const struct vrs_point *point)
{
	bool eight_bits = false, other_size = false;
	for (int k = 0; k < space->count; k++) {
		const char *key = space->knobs[k].row->key, *value = value_of(&space->knobs[k], point->level[k]);
		eight_bits |= point->level[k] && strcmp(key, "engine.precision") == 0 && (strcmp(value, "int8") == 0 || strcmp(value, "mixed") == 0);
		other_size |= strcmp(key, "engine.input_size") == 0 && point->level[k];
	}
	return !(eight_bits && other_size);
}

/* Presets and crf belong to encoders: a value of one goes with those that know it. */
static bool suits_encoder(const struct vrs_space *space, const struct vrs_point *point)
{
	const char *encoder = NULL;
	bool knows = true;
	for (int k = 0; k < space->count; k++)
		if (point->level[k] && strcmp(space->knobs[k].row->key, "output.encoder") == 0)
			encoder = value_of(&space->knobs[k], point->level[k]);
	for (int k = 0; encoder && k < space->count; k++) {
		const char *key = space->knobs[k].row->key;
		if (point->level[k] && (strcmp(key, "output.preset") == 0 || strcmp(key, "output.crf") == 0))
			knows = knows && vrs_job_has_encoder(encoder, key + strlen("output."));
	}
	return knows;
}

bool vrs_grid_names(const struct vrs_space *space, const struct vrs_point *point)
{
	size_t length = ID_REST;
	for (int k = 0; k < space->count; k++)
		if (point->level[k])
			length += vrs_case_id_part(space->knobs[k].row, value_of(&space->knobs[k], point->level[k]));
	return length < VRS_CASE_ID_MAX && vrs_point_changes(point) <= VRS_CASE_MAX_VALUES;
}

bool vrs_grid_has(const struct vrs_grid *grid, const struct vrs_point *point)
{
	bool moves[VRS_SPACE_MAX_KNOBS] = {false};
	for (int i = 0; i < grid->count; i++)
		moves[grid->knobs[i]] = true;
	for (int k = 0; k < grid->space->count; k++)
		if (grid->closed[k][point->level[k]] || (!moves[k] && point->level[k]))
			return false;
	return suits_cpus(grid->space, point) && suits_calibration(grid->space, point) && suits_encoder(grid->space, point) &&
	       vrs_grid_names(grid->space, point);
}

bool vrs_grid_next(const struct vrs_grid *grid, struct vrs_point *point)
{
	for (;;) {
		int i = 0;
		for (; i < grid->count; i++) {
			int knob = grid->knobs[i], level = point->level[knob] + 1, last = grid->space->knobs[knob].count;
			while (level <= last && grid->closed[knob][level]) /* most are, where a budget was short: their combinations are too many to visit */
				level++;
			point->level[knob] = (unsigned char)(level <= last ? level : 0);
			if (level <= last)
				break;
		}
		if (i == grid->count)
			return false;
		if (vrs_grid_has(grid, point))
			return true;
	}
}

void vrs_grid_random(const struct vrs_grid *grid, struct vrs_rng *rng, struct vrs_point *ret_point)
{
	memset(ret_point, 0, sizeof *ret_point);
	for (int i = 0; i < grid->count; i++) {
		int knob = grid->knobs[i];
		ret_point->level[knob] = (unsigned char)vrs_rng_below(rng, 1 + (uint64_t)grid->space->knobs[knob].count);
	}
}

double vrs_grid_position(const struct vrs_grid *grid, int knob, int level)
{
	const char *value = value_of(&grid->space->knobs[knob], level), *cross = strchr(value, 'x');
	char width[VRS_NAME_MAX];
	int64_t w, h;
	if (vrs_parse_int(value, 0, INT32_MAX, &w))
		return w > 0 ? log2((double)w) : -1;
	if (!cross)
		return NAN;
	memcpy(width, value, (size_t)(cross - value));
	width[cross - value] = '\0';
	if (!vrs_parse_int(width, 1, INT32_MAX, &w) || !vrs_parse_int(cross + 1, 1, INT32_MAX, &h))
		return NAN;
	return log2((double)w) + log2((double)h);
}

bool vrs_point_equal(const struct vrs_point *a, const struct vrs_point *b)
{
	return memcmp(a->level, b->level, sizeof a->level) == 0;
}

int vrs_point_changes(const struct vrs_point *point)
{
	int changes = 0;
	for (int k = 0; k < VRS_SPACE_MAX_KNOBS; k++)
		changes += point->level[k] != 0;
	return changes;
}

enum vrs_status vrs_grid_case(const struct vrs_grid *grid, const struct vrs_point *point, struct vrs_case *ret_case, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int k = 0; status == VRS_OK && k < grid->space->count; k++)
		if (point->level[k])
			status = vrs_case_set(ret_case, grid->space->knobs[k].row->key, value_of(&grid->space->knobs[k], point->level[k]), err);
	return status;
}
