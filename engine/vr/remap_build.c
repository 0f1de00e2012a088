/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Making a map: lens positions are taken at every eighth sample of a row.  Three of five (0, 16 and 32) give the parabola of a run, the others tell
 * whether it is good: the error of a parabola through three points of a smooth curve is largest near the quarters.
 */
#include "vr/remap_table.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define RUN VRS_REMAP_RUN
#define FIXED_ONE 65536.0
#define TOLERANCE (FIXED_ONE / 64)
#define MAX_SIDE 16384          /* positions of such a plane fit s15.16, also continued beyond a seam */
#define PI 3.14159265358979323846

struct vrs_remap_place {
	double u, v;                    /* fixed-point units, not rounded */
	bool in_target;                 /* the target has such a sample */
	bool shown;                     /* and the source shows it */
	bool deep;                      /* well inside of what the source shows */
};

/* More than two samples off the rim of the source's picture: what lies between two such places is shown too. */
static bool is_deep(const struct vrs_remap *map, double u, double v)
{
	const struct vrs_lens *lens = &map->options.source;
	const double *step = map->options.source_grid.step;
	int side = lens->width < lens->height ? lens->width : lens->height;

	if (lens->projection == VRS_PROJECTION_FISHEYE)
		return hypot(u - lens->width / 2.0, v - lens->height / 2.0) < side / 2.0 - 2 * fmax(step[0], step[1]);
	return (map->wraps || (u > 2 * step[0] && u < lens->width - 2 * step[0])) && v > 2 * step[1] && v < lens->height - 2 * step[1];
}

/* Where target sample (i, j) lies in the source grid; also beyond the target's picture, so that runs can end outside. */
static struct vrs_remap_place look(const struct vrs_remap *map, int i, int j)
{
	const struct vrs_remap_grid *t = &map->options.target_grid, *s = &map->options.source_grid;
	struct vrs_remap_place place = {0};
	double d[3], u = 0, v = 0;

	place.in_target = vrs_lens_direction(&map->options.target, (i + 0.5) * t->step[0] + t->offset[0], (j + 0.5) * t->step[1] + t->offset[1], d);
	place.shown = vrs_lens_position(&map->options.source, d, &u, &v) && place.in_target;
	place.deep = place.shown && is_deep(map, u, v);
	place.u = ((u - s->offset[0]) / s->step[0] - 0.5) * FIXED_ONE;
	place.v = ((v - s->offset[1]) / s->step[1] - 0.5) * FIXED_ONE;
	return place;
}

/* The place nearest to `near` of those that a whole turn apart are the same. */
static void unwrap(const struct vrs_remap *map, struct vrs_remap_place *place, const struct vrs_remap_place *near)
{
	double turn = map->options.source_grid.width * FIXED_ONE;

	if (map->wraps)
		place->u -= turn * floor((place->u - near->u) / turn + 0.5);
}

static int32_t to_fixed(double value)
{
	double most = (2 * MAX_SIDE - 1) * FIXED_ONE;

	return (int32_t)lrint(value < -most ? -most : value > most ? most : value);
}

/* Parabola through samples 0, 16 and 32; the bend is rounded first, and the slope then made to fit the end. */
static void fit(int32_t *at, int32_t *slope, int32_t *bend, double first, double middle, double end)
{
	*bend = to_fixed((end - 2 * middle + first) / 256);
	*slope = to_fixed((end - first - 496.0 * *bend) / 32);
	*at = to_fixed(first);
}

static bool close_to(const struct vrs_remap_curve *c, const struct vrs_remap_place *place, int t)
{
	double steps = t * (t - 1) / 2, u = c->u + (double)t * c->du + steps * c->ddu, v = c->v + (double)t * c->dv + steps * c->ddv;

	return fabs(u - place->u) <= TOLERANCE && fabs(v - place->v) <= TOLERANCE;
}

/* Whether a run stays clear of both ends of a row, so that it can be sampled without turning around. */
static bool clear_of_seam(const struct vrs_remap *map, const struct vrs_remap_place places[5])
{
	double last = (map->options.source_grid.width - 1) * FIXED_ONE;

	for (int i = 0; i < 5; i++)
		if (map->wraps && !(places[i].u >= FIXED_ONE && places[i].u <= last - FIXED_ONE))
			return false;
	return true;
}

static bool fit_curve(const struct vrs_remap *map, struct vrs_remap_curve *c, const struct vrs_remap_place places[5])
{
	if (!clear_of_seam(map, places))
		return false;
	fit(&c->u, &c->du, &c->ddu, places[0].u, places[2].u, places[4].u);
	fit(&c->v, &c->dv, &c->ddv, places[0].v, places[2].v, places[4].v);
	for (int i = 1; i < 5; i++)
		if (!close_to(c, &places[i], 8 * i))
			return false;
	return true;
}

static bool grow(struct vrs_remap *map)
{
	if (map->position_count < map->position_room)
		return true;
	int32_t room = map->position_room < 256 ? 256 : map->position_room / 2 * 3;
	struct vrs_remap_positions *more = room < VRS_REMAP_SEAM ? vrs_realloc_array(map->positions, (size_t)room, sizeof *more) : NULL;
	if (!more)
		return false;
	map->positions = more;
	map->position_room = room;
	return true;
}

/* Sample by sample; across a seam positions lie in 0..width. */
static enum vrs_status add_exact(struct vrs_remap *map, int run, int y, size_t at)
{
	struct vrs_remap_grid *source = &map->options.source_grid;
	double turn = source->width * FIXED_ONE, last = turn - FIXED_ONE;
	bool seam = false;

	if (!grow(map))
		return VRS_ENOMEM;
	struct vrs_remap_positions *positions = &map->positions[map->position_count];
	memset(positions, 0, sizeof *positions);
	map->inside[at] = 0;
	for (int t = 0; t < RUN && run * RUN + t < map->options.target_grid.width; t++) {
		struct vrs_remap_place place = look(map, run * RUN + t, y);
		if (!place.shown)
			continue;
		if (map->wraps)
			place.u -= turn * floor(place.u / turn);
		seam = seam || (map->wraps && place.u > last);
		map->inside[at] |= 1u << t;
		positions->u[t] = to_fixed(place.u);
		positions->v[t] = to_fixed(place.v);
	}
	if (!map->inside[at])
		return VRS_OK;
	map->exact[at] = map->position_count++ | (seam ? VRS_REMAP_SEAM : 0);
	return VRS_OK;
}

static enum vrs_status add_run(struct vrs_remap *map, int run, int y, const struct vrs_remap_place places[5], bool sparse)
{
	size_t at = (size_t)y * (size_t)map->runs + (size_t)run;
	int deep = 0, in_target = 0, width = map->options.target_grid.width - run * RUN;

	map->exact[at] = VRS_REMAP_ON_CURVE;
	map->inside[at] = 0;
	for (int i = 0; i < 5; i++) {
		deep += places[i].deep;
		in_target += places[i].in_target;
	}
	if (deep == 5 && fit_curve(map, &map->curves[at], places))
		map->inside[at] = width >= RUN ? VRS_REMAP_ALL : (1u << width) - 1;
	else if (in_target > 0 || sparse)
		return add_exact(map, run, y, at);
	return VRS_OK;
}

static enum vrs_status add_row(struct vrs_remap *map, int y)
{
	struct vrs_remap_place *places = map->places;
	bool sparse = true; /* no sample of the target at every eighth place: its circle is tiny here, look at all */

	for (int i = 0; i <= 4 * map->runs; i++) {
		places[i] = look(map, 8 * i, y);
		sparse = sparse && !places[i].in_target;
	}
	for (int run = 0; run < map->runs; run++) {
		struct vrs_remap_place five[5];
		memcpy(five, places + 4 * run, sizeof five);
		for (int i = 1; i < 5; i++)
			unwrap(map, &five[i], &five[0]);
		enum vrs_status status = add_run(map, run, y, five, sparse);
		if (status != VRS_OK)
			return status;
	}
	const uint32_t *inside = map->inside + (size_t)y * (size_t)map->runs;
	int first = 0, end = map->runs;
	while (first < end && !inside[first])
		first++;
	while (end > first && !inside[end - 1])
		end--;
	map->span[y][0] = first;
	map->span[y][1] = end;
	return VRS_OK;
}

static bool grid_is_possible(const struct vrs_remap_grid *grid, int least)
{
	return grid->width >= least && grid->height >= least && grid->width <= MAX_SIDE && grid->height <= MAX_SIDE && grid->step[0] > 0 &&
	       grid->step[1] > 0;
}

static enum vrs_status allocate(struct vrs_remap *map)
{
	size_t height = (size_t)map->options.target_grid.height, n = height * (size_t)map->runs; /* 2^14 * 2^9 at most */

	map->curves = vrs_calloc(n, sizeof *map->curves);
	map->inside = vrs_calloc(n, sizeof *map->inside);
	map->exact = vrs_calloc(n, sizeof *map->exact);
	map->span = vrs_calloc(height, sizeof *map->span);
	map->places = vrs_calloc((size_t)map->runs * 4 + 1, sizeof *map->places);
	return map->curves && map->inside && map->exact && map->span && map->places ? VRS_OK : VRS_ENOMEM;
}

static enum vrs_status check_grids(const struct vrs_remap_options *options, struct vrs_error *err)
{
	const struct vrs_remap_grid *target = &options->target_grid, *source = &options->source_grid;

	if (!grid_is_possible(target, 1) || !grid_is_possible(source, 2))
		return vrs_fail(err, VRS_EINVAL, "pictures of %dx%d cannot be drawn from pictures of %dx%d samples", target->width, target->height,
				source->width, source->height);
	return VRS_OK;
}

static enum vrs_status make(struct vrs_remap *map, const struct vrs_remap_options *options)
{
	enum vrs_status status = VRS_OK;

	map->options = *options;
	map->wraps = (options->source.projection == VRS_PROJECTION_EQUIRECT || options->source.projection == VRS_PROJECTION_HEQUIRECT) &&
		     options->source.h_fov > 2 * PI - 1e-6;
	map->position_count = 0;
	for (int y = 0; y < options->target_grid.height && status == VRS_OK; y++)
		status = add_row(map, y);
	return status;
}

enum vrs_status vrs_remap_create(struct vrs_remap **ret_map, const struct vrs_remap_options *options, struct vrs_error *err)
{
	enum vrs_status status = check_grids(options, err);

	if (status != VRS_OK)
		return status;
	struct vrs_remap *map = vrs_calloc(1, sizeof *map);
	if (!map)
		return vrs_fail_nomem(err);
	map->options = *options;
	map->runs = (options->target_grid.width + RUN - 1) / RUN;
	status = allocate(map);
	if (status == VRS_OK)
		status = make(map, options);
	if (status != VRS_OK) {
		vrs_remap_destroy(map);
		return vrs_fail_nomem(err);
	}
	*ret_map = map;
	return VRS_OK;
}

enum vrs_status vrs_remap_change(struct vrs_remap *map, const struct vrs_remap_options *options, struct vrs_error *err)
{
	const struct vrs_remap_grid *before = &map->options.target_grid, *target = &options->target_grid;
	enum vrs_status status = check_grids(options, err);

	if (status != VRS_OK)
		return status;
	if (target->width != before->width || target->height != before->height)
		return vrs_fail(err, VRS_EINVAL, "a map of %dx%d samples cannot become one of %dx%d", before->width, before->height, target->width,
				target->height);
	return make(map, options) ? vrs_fail_nomem(err) : VRS_OK;
}

void vrs_remap_destroy(struct vrs_remap *map)
{
	if (!map)
		return;
	vrs_free(map->curves);
	vrs_free(map->inside);
	vrs_free(map->exact);
	vrs_free(map->span);
	vrs_free(map->positions);
	vrs_free(map->places);
	vrs_free(map);
}

struct vrs_remap_tables vrs_remap_tables(const struct vrs_remap *map)
{
	const struct vrs_remap_grid *target = &map->options.target_grid, *source = &map->options.source_grid;

	return (struct vrs_remap_tables){.width = target->width, .height = target->height, .runs = map->runs, .source_width = source->width,
		.source_height = source->height, .curves = map->curves, .inside = map->inside, .kinds = map->exact,
		.positions = map->positions ? map->positions->u : NULL, .position_count = map->position_count};
}
