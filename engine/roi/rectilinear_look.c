/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/rectilinear_look.h"

#include <math.h>
#include <string.h>

#include "matte/preprocess.h"
#include "roi/state_warp.h"

#define FINER 1.5          /* the scaled part has so many times the pixels of the network's picture along each side */
#define LEAST_BEND 0.6     /* auto: parts that are bent less are seen as well as they are */
#define VIEWS 64           /* parts that are remembered */
#define MAPS 16            /* pairs of maps that are remembered */
#define NEUTRAL 16384      /* sample15 of chroma without colour */
#define TOP 65535.0f

/* A part of an eye, from its corner. */
struct known_view {
	bool used, is_plane;
	struct vrs_rect part;
	struct vrs_rectilinear_aim aim;
	struct vrs_rectilinear_view view;
};

/* What maps depend on. */
struct map_key {
	double camera_at[3], part[4], window[4], from[2];
	int around[2];
};

struct map_pair {
	struct map_key key;
	struct vrs_remap *to_window, *to_part; /* NULL: not made yet */
	uint64_t last_use;
};

struct vrs_rectilinear_look {
	const struct vrs_roi_plan *plan;
	struct vrs_preprocess *scaler[VRS_MAX_EYES];
	int width, height;         /* of the scaled part */
	uint16_t *scaled[3];       /* [height][width] sample15 */
	uint16_t *drawn[3];        /* [input_height][input_width] */
	uint16_t *matte[2];        /* [matte_height][matte_width] of the window and of the part, 65535: a person */
	struct known_view views[VIEWS];
	int next_view;
	struct map_pair maps[MAPS];
	uint64_t uses;
};

enum vrs_status vrs_rectilinear_look_plan(struct vrs_roi_plan *plan, struct vrs_error *err)
{
	const struct vrs_rect *eye = &plan->follow[0].eye;
	int wish = plan->settings->matte.view_projection;
	if (wish == VRS_VIEW_PROJECTION_SOURCE)
		return VRS_OK;
	bool asked = wish == VRS_VIEW_PROJECTION_GNOMONIC;
	if (plan->settings->matte.early_exit) /* the small network's pictures have another size; nobody asked for both, see config/option_rules.c */
		return VRS_OK;
	enum vrs_status status = vrs_rectilinear_eye_init(&plan->rectilinear_eye, plan->layout, eye->width, eye->height, asked ? err : NULL);
	/* fisheye pictures of people are hardly bent: networks see them no worse than through a camera */
	plan->rectilinear = status == VRS_OK && (asked || plan->layout->projection != VRS_PROJECTION_FISHEYE);
	return asked ? status : VRS_OK;
}

static enum vrs_status create_scaler(struct vrs_rectilinear_look *look, struct vrs_arena *arena, int eye)
{
	const struct vrs_roi_plan *plan = look->plan;
	const struct vrs_preprocess_options options = {.format = plan->format, .rect = plan->follow[eye].eye, .eye = plan->follow[eye].eye,
		.width = look->width, .height = look->height, .scale = {1, 1, 1}};
	return vrs_preprocess_create(&look->scaler[eye], arena, &options);
}

enum vrs_status vrs_rectilinear_look_create(struct vrs_rectilinear_look **ret_look, struct vrs_arena *arena, const struct vrs_roi_plan *plan)
{
	if (!plan->rectilinear)
		return VRS_OK;
	struct vrs_rectilinear_look *look = vrs_arena_calloc(arena, 1, sizeof *look);
	if (!look)
		return VRS_ENOMEM;
	look->plan = plan;
	look->width = (int)lrint(plan->shape.input_width * FINER);
	look->height = (int)lrint(plan->shape.input_height * FINER);
	/* networks' sizes are limited, so products fit; vectors read a little further than the last sample */
	size_t scaled = (size_t)look->width * (size_t)look->height + 32, drawn = (size_t)plan->shape.input_width * (size_t)plan->shape.input_height;
	for (int p = 0; p < 3; p++) {
		look->scaled[p] = vrs_arena_calloc(arena, scaled, sizeof(uint16_t));
		look->drawn[p] = vrs_arena_calloc(arena, drawn, sizeof(uint16_t));
	}
	for (int i = 0; i < 2; i++)
		look->matte[i] = vrs_arena_calloc(arena, plan->look_size + 32, sizeof(uint16_t));
	enum vrs_status status = arena->failed ? VRS_ENOMEM : VRS_OK;
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = create_scaler(look, arena, eye);
	*ret_look = look;
	return status;
}

void vrs_rectilinear_look_fini(struct vrs_rectilinear_look *look)
{
	for (int i = 0; look && i < MAPS; i++) {
		vrs_remap_destroy(look->maps[i].to_window);
		vrs_remap_destroy(look->maps[i].to_part);
	}
}

static void make_view(struct known_view *known, const struct vrs_roi_plan *plan)
{
	bool always = plan->settings->matte.view_projection == VRS_VIEW_PROJECTION_GNOMONIC, aimed = known->aim.window[2] > known->aim.window[0];
	known->is_plane = (always || aimed) && vrs_rectilinear_view_make(&known->view, &plan->rectilinear_eye, &known->part, &known->aim) &&
			 (always || known->view.bend >= LEAST_BEND);
}

/* The camera for a part; NULL: it is looked at as it is. */
static const struct vrs_rectilinear_view *view_of(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *part,
						  const struct vrs_rectilinear_aim *aim)
{
	struct vrs_rect place = vrs_roi_in_eye(look->plan, eye, part);
	struct known_view *known = NULL;
	for (int i = 0; i < VIEWS && !known; i++)
		if (look->views[i].used && memcmp(&look->views[i].part, &place, sizeof place) == 0 && memcmp(&look->views[i].aim, aim, sizeof *aim) == 0)
			known = &look->views[i];
	if (!known) {
		known = &look->views[look->next_view];
		look->next_view = (look->next_view + 1) % VIEWS;
		known->used = true;
		known->part = place;
		known->aim = *aim;
		make_view(known, look->plan);
	}
	return known->is_plane ? &known->view : NULL;
}

static struct map_key key_of(const struct vrs_rectilinear_view *view)
{
	struct map_key key = {.from = {view->from[0], view->from[1]}, .around = {view->around.width, view->around.height}};
	memcpy(key.part, view->part, sizeof key.part);
	memcpy(key.window, view->window, sizeof key.window);
	memcpy(key.camera_at, view->camera.turn[2], sizeof key.camera_at);
	return key;
}

static enum vrs_status make_map(struct vrs_remap **map, const struct vrs_remap_options *options)
{
	return *map ? vrs_remap_change(*map, options, NULL) : vrs_remap_create(map, options, NULL);
}

/* The maps of a view: kept ones, or new ones instead of those that were not used for longest. NULL: no memory. */
static const struct map_pair *maps_of(struct vrs_rectilinear_look *look, const struct vrs_rectilinear_view *view)
{
	const struct vrs_network_shape *shape = &look->plan->shape;
	struct map_key key = key_of(view);
	struct map_pair *pair = &look->maps[0];
	for (int i = 0; i < MAPS; i++) {
		struct map_pair *each = &look->maps[i];
		if (each->last_use && memcmp(&each->key, &key, sizeof key) == 0) {
			each->last_use = ++look->uses;
			return each;
		}
		if (each->last_use < pair->last_use)
			pair = each;
	}
	const struct vrs_remap_options in = vrs_rectilinear_view_to_window(view, shape->input_width, shape->input_height, look->width, look->height);
	const struct vrs_remap_options out = vrs_rectilinear_view_to_part(view, shape->matte_width, shape->matte_height, shape->matte_width,
								   shape->matte_height);
	pair->last_use = 0;
	if (make_map(&pair->to_window, &in) || make_map(&pair->to_part, &out))
		return NULL;
	pair->key = key;
	pair->last_use = ++look->uses;
	return pair;
}

/* The camera for a part, and its maps. *ret_view NULL: it is looked at as it is. */
static enum vrs_status look_up(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *part, const struct vrs_rectilinear_aim *aim,
			       const struct vrs_rectilinear_view **ret_view, const struct map_pair **ret_maps)
{
	*ret_view = look ? view_of(look, eye, part, aim) : NULL;
	*ret_maps = *ret_view ? maps_of(look, *ret_view) : NULL;
	return *ret_view && !*ret_maps ? VRS_ENOMEM : VRS_OK;
}

/* What the window shows, as a part of the frame. */
static struct vrs_rect around_in_frame(const struct vrs_roi_plan *plan, int eye, const struct vrs_rectilinear_view *view)
{
	const struct vrs_rect *whole = &plan->follow[eye].eye;
	struct vrs_rect around = view->around;
	if (plan->format.circle)
		around.x -= (int)floor((double)around.x / plan->format.circle) * plan->format.circle;
	around.x += whole->x;
	around.y += whole->y;
	return around;
}

enum vrs_status vrs_rectilinear_look_draw(struct vrs_rectilinear_look *look, const struct vrs_frame *frame, int eye, const struct vrs_rect *part,
				    const struct vrs_rectilinear_aim *aim, struct vrs_preprocess *colors, float *dst,
				    struct vrs_scene_signature *ret_signature, bool *ret_drawn)
{
	const struct vrs_rectilinear_view *view;
	const struct map_pair *maps;
	enum vrs_status status = look_up(look, eye, part, aim, &view, &maps);
	*ret_drawn = view;
	if (!view || status != VRS_OK)
		return status;
	const struct vrs_roi_plan *plan = look->plan;
	struct vrs_rect around = around_in_frame(plan, eye, view);
	(void)vrs_preprocess_place(look->scaler[eye], &around); /* inside the eye always */
	vrs_preprocess_scale(look->scaler[eye], frame, look->scaled);
	for (int p = 0; p < 3; p++) {
		const struct vrs_remap_plane plane = {.data = look->scaled[p], .stride_bytes = look->width * 2, .width = look->width,
			.height = look->height};
		const struct vrs_remap_canvas canvas = {.data = look->drawn[p], .stride_bytes = plan->shape.input_width * 2, .sample_bytes = 2};
		vrs_remap_draw(maps->to_window, &canvas, &plane, p ? NEUTRAL : 0, 0, plan->shape.input_height);
	}
	const uint16_t *const drawn[3] = {look->drawn[0], look->drawn[1], look->drawn[2]};
	vrs_preprocess_color(colors, drawn, dst, ret_signature);
	return VRS_OK;
}

enum vrs_status vrs_rectilinear_look_back(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *part,
					  const struct vrs_rectilinear_aim *aim, float *alpha)
{
	const struct vrs_rectilinear_view *view;
	const struct map_pair *maps;
	enum vrs_status status = look_up(look, eye, part, aim, &view, &maps);
	if (!view || status != VRS_OK)
		return status;
	const struct vrs_roi_plan *plan = look->plan;
	int width = plan->shape.matte_width, height = plan->shape.matte_height;
	for (size_t i = 0; i < plan->look_size; i++)
		look->matte[0][i] = (uint16_t)(alpha[i] * TOP + 0.5f);
	const struct vrs_remap_plane plane = {.data = look->matte[0], .stride_bytes = width * 2, .width = width, .height = height};
	const struct vrs_remap_canvas canvas = {.data = look->matte[1], .stride_bytes = width * 2, .sample_bytes = 2};
	vrs_remap_draw(maps->to_part, &canvas, &plane, 0, 0, height);
	for (size_t i = 0; i < plan->look_size; i++)
		alpha[i] = (float)look->matte[1][i] * (1 / TOP);
	return VRS_OK;
}

bool vrs_rectilinear_look_aim(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *part, const struct vrs_rectilinear_aim *aim,
			      const struct vrs_rect *next, const float *alpha, struct vrs_rectilinear_aim *ret_aim)
{
	static const struct vrs_rectilinear_aim all;
	struct vrs_rectilinear_view now;
	*ret_aim = all;
	if (!look)
		return false;
	const struct vrs_roi_plan *plan = look->plan;
	struct vrs_rect here = vrs_roi_in_eye(plan, eye, part), there = vrs_roi_in_eye(plan, eye, next);
	const struct vrs_rectilinear_view *view = view_of(look, eye, part, aim);
	if (view)
		now = *view; /* what comes next may take its place */
	struct vrs_rectilinear_aim found;
	bool again = vrs_rectilinear_view_aim(&found, &plan->rectilinear_eye, &here, &there, view ? &now : NULL, alpha, plan->shape.matte_width,
		plan->shape.matte_height);
	if (!view_of(look, eye, next, &found))
		return false;
	*ret_aim = found;
	return again && found.window[2] > found.window[0];
}

/* What a network's picture shows: a part of the eye as it is, or (view not NULL) as a camera sees it. */
struct shown {
	struct vrs_rect part;
	const struct vrs_rectilinear_view *view;
};

/* The place in the eye's picture that a place (0..1 across) of the network's picture shows; false: none. */
static bool place_in_eye(const struct shown *shown, const double at[2], double *ret_x, double *ret_y)
{
	const struct vrs_rectilinear_view *view = shown->view;
	double direction[3];
	if (!view) {
		*ret_x = shown->part.x + at[0] * shown->part.width;
		*ret_y = shown->part.y + at[1] * shown->part.height;
		return true;
	}
	const double *w = view->window;
	if (!vrs_lens_direction(&view->camera, w[0] + at[0] * (w[2] - w[0]), w[1] + at[1] * (w[3] - w[1]), direction) ||
	    !vrs_lens_position(&view->source, direction, ret_x, ret_y))
		return false;
	*ret_x += shown->part.x - view->part[0];
	return true;
}

/* The other way round; columns of a circle are the next ones to the part. */
static bool place_in_picture(const struct shown *shown, int circle, double x, double y, float ret[2])
{
	const struct vrs_rectilinear_view *view = shown->view;
	double direction[3], u, v, middle = shown->part.x + shown->part.width / 2.0;
	if (circle > 0)
		x -= floor((x - middle) / circle + 0.5) * circle;
	if (!view) {
		ret[0] = (float)((x - shown->part.x) / shown->part.width);
		ret[1] = (float)((y - shown->part.y) / shown->part.height);
		return true;
	}
	const double *w = view->window;
	if (!vrs_lens_direction(&view->source, x + view->part[0] - shown->part.x, y, direction) || !vrs_lens_position(&view->camera, direction, &u, &v))
		return false;
	ret[0] = (float)((u - w[0]) / (w[2] - w[0]));
	ret[1] = (float)((v - w[1]) / (w[3] - w[1]));
	return true;
}

bool vrs_rectilinear_look_map(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *from, const struct vrs_rectilinear_aim *from_aim,
			      const struct vrs_rect *to, const struct vrs_rectilinear_aim *to_aim, struct vrs_state_map *map)
{
	struct vrs_rectilinear_view seen;
	const struct vrs_rectilinear_view *view = look ? view_of(look, eye, from, from_aim) : NULL;
	if (!look)
		return false;
	const struct shown old = {vrs_roi_in_eye(look->plan, eye, from), view ? &seen : NULL};
	if (view)
		seen = *view; /* what comes next may take its place */
	const struct shown new = {vrs_roi_in_eye(look->plan, eye, to), view_of(look, eye, to, to_aim)};
	if (!old.view && !new.view)
		return false;
	map->same = memcmp(from, to, sizeof *from) == 0 && memcmp(from_aim, to_aim, sizeof *from_aim) == 0;
	map->turn = 0;
	for (int j = 0; j <= VRS_STATE_GRID; j++)
		for (int i = 0; i <= VRS_STATE_GRID; i++) {
			const double at[2] = {(double)i / VRS_STATE_GRID, (double)j / VRS_STATE_GRID};
			double x, y;
			if (!place_in_eye(&new, at, &x, &y) || !place_in_picture(&old, look->plan->format.circle, x, y, map->at[j][i]))
				map->at[j][i][0] = map->at[j][i][1] = -1; /* not shown */
		}
	return true;
}
