/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vr/rectilinear_view.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define CAMERA_SIDE 4096   /* pixels of the camera's whole picture: only a unit for windows */
#define CAMERA_FOV 140.0   /* degrees */
#define WIDEST 65.0        /* degrees from the axis; pixels there are 5.6 times as large as ahead */
#define STEPS 16           /* of the grids that parts and windows are looked at in */
#define MARGIN 0.5         /* of the part on each side: what the window shows beyond is not worth coarser pixels */
#define LESS_THAN_A_TURN 0.875
#define PERSON 0.3         /* alpha from here on is a person's */
#define LEAST_PLACES 4     /* of a person; fewer are noise */
#define PEOPLE_STEPS 64    /* places across a matte that are looked at */
#define PEOPLE_MARGIN 0.1  /* around people, of their size, on each side */
#define CUT_MARGIN 0.5     /* on a side where the window cuts them off */
#define BORDER 0.015       /* of the window: people this near to its border are cut off */
#define MUCH_SMALLER 0.75  /* of the window's area: worth another look */
#define TURN_STEP (PI / 72)
#define WINDOW_STEP 16.0   /* cameras hardly differ then from frame to frame, and their maps can be kept */

enum vrs_status vrs_rectilinear_eye_init(struct vrs_rectilinear_eye *ret_eye, const struct vrs_layout *layout, int width, int height,
					 struct vrs_error *err)
{
	if (layout->projection == VRS_PROJECTION_FLAT)
		return vrs_fail(err, VRS_ECONFIG, "the video is already flat; leave out --view-projection gnomonic");
	if (layout->projection == VRS_PROJECTION_UNKNOWN)
		return vrs_fail(err, VRS_ECONFIG, "--view-projection gnomonic needs to know the lens of the video: give --projection hequirect, equirect or "
		"fisheye:FOV");
	if (layout->projection == VRS_PROJECTION_FISHEYE && layout->pixel_aspect > 0 && layout->pixel_aspect != 1)
		return vrs_fail(err, VRS_ECONFIG, "fisheye circles squeezed to half their size cannot be drawn flat; leave out --view-projection gnomonic");
	ret_eye->is_circle = vrs_layout_is_whole_turn(layout);
	return vrs_lens_of_layout(&ret_eye->lens, layout, width, height, err);
}

/* Place (i, j) of a grid of STEPS by STEPS over a rectangle. */
static void grid_place(const double box[4], int i, int j, double *ret_x, double *ret_y)
{
	*ret_x = box[0] + (box[2] - box[0]) * i / STEPS;
	*ret_y = box[1] + (box[3] - box[1]) * j / STEPS;
}

static bool turn_camera(struct vrs_rectilinear_view *view, double yaw, double pitch)
{
	if (vrs_lens_init(&view->camera, VRS_PROJECTION_FLAT, CAMERA_FOV, CAMERA_SIDE, CAMERA_SIDE, NULL))
		return false;
	vrs_lens_turn(&view->camera, yaw, pitch);
	return true;
}

/* Yaw and pitch of a sum of directions; false when they cancel each other out. */
static bool angles_of(const double sum[3], double *ret_yaw, double *ret_pitch)
{
	double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);

	if (!(length > 1e-3))
		return false;
	*ret_yaw = atan2(sum[0], sum[2]);
	*ret_pitch = asin(fmax(-1, fmin(1, sum[1] / length)));
	return true;
}

/* Point the camera to the mean direction of the part's rim; false when it shows nothing. */
static bool point_at_part(struct vrs_rectilinear_view *view)
{
	double sum[3] = {0}, yaw, pitch;

	for (int j = 0; j <= STEPS; j++)
		for (int i = 0; i <= STEPS; i += j % STEPS ? STEPS : 1) {
			double x, y, d[3];
			grid_place(view->part, i, j, &x, &y);
			for (int k = 0; vrs_lens_direction(&view->source, x, y, d) && k < 3; k++)
				sum[k] += d[k];
		}
	return angles_of(sum, &yaw, &pitch) && turn_camera(view, yaw, pitch);
}

/* Where place (i, j) of the part lies in the camera's picture; false: not shown by the eye. Sets *wide where no window can hold it. */
static bool seen_at(const struct vrs_rectilinear_view *view, int i, int j, double *ret_u, double *ret_v, bool *wide)
{
	double x, y, d[3];

	grid_place(view->part, i, j, &x, &y);
	if (!vrs_lens_direction(&view->source, x, y, d))
		return false;
	*wide = *wide || !vrs_lens_position(&view->camera, d, ret_u, ret_v);
	return !*wide;
}

static void widen(double box[4], double x, double y)
{
	box[0] = fmin(box[0], x);
	box[1] = fmin(box[1], y);
	box[2] = fmax(box[2], x);
	box[3] = fmax(box[3], y);
}

/* A window that a plane shows well, and that is not empty. */
static bool window_is_good(const double window[4])
{
	double middle = CAMERA_SIDE / 2.0, most = middle * tan(WIDEST * PI / 180) / tan(CAMERA_FOV / 2 * PI / 180);

	return window[0] >= middle - most && window[1] >= middle - most && window[2] <= middle + most && window[3] <= middle + most &&
	       window[2] - window[0] > 1 && window[3] - window[1] > 1;
}

static void empty_box(double box[4])
{
	box[0] = box[1] = INFINITY;
	box[2] = box[3] = -INFINITY;
}

static bool frame_part(struct vrs_rectilinear_view *view)
{
	bool wide = false;

	empty_box(view->window);
	for (int j = 0; j <= STEPS; j++)
		for (int i = 0; i <= STEPS; i++) {
			double u, v;
			if (seen_at(view, i, j, &u, &v, &wide))
				widen(view->window, u, v);
		}
	return !wide && window_is_good(view->window);
}

/* Rows are as wide as far as the camera sees them. */
static double bend_of(const struct vrs_rectilinear_view *view)
{
	double widest = 0, narrowest = INFINITY;

	for (int j = 0; j <= STEPS; j++) {
		double box[4], u, v;
		empty_box(box);
		for (int i = 0; i <= STEPS; i++) {
			bool wide = false;
			if (seen_at(view, i, j, &u, &v, &wide))
				widen(box, u, v);
		}
		widest = fmax(widest, box[2] - box[0]);
		narrowest = box[2] >= box[0] ? fmin(narrowest, box[2] - box[0]) : narrowest;
	}
	return widest > 0 ? 1 - narrowest / widest : 0;
}

/* Outwards to multiples of four, so that chroma begins there too, inside the picture. */
static void settle(double low, double high, int most, bool endless, int *ret_at, int *ret_length)
{
	low = floor(low / 4) * 4;
	high = ceil(high / 4) * 4;
	if (endless && high - low > most)
		high = low + most;
	if (!endless) {
		low = fmax(low, 0);
		high = fmin(high, most);
	}
	*ret_at = (int)low;
	*ret_length = (int)(high - low);
}

/* The samples that the window shows; `left` is column 0 of the eye's picture in the source's. */
static void take_around(struct vrs_rectilinear_view *view, const struct vrs_rectilinear_eye *eye, double left)
{
	double box[4], reach[2] = {MARGIN * (view->part[2] - view->part[0]), MARGIN * (view->part[3] - view->part[1])};

	memcpy(box, view->part, sizeof box);
	for (int j = 0; j <= STEPS; j++)
		for (int i = 0; i <= STEPS; i++) {
			double u, v, d[3];
			grid_place(view->window, i, j, &u, &v);
			(void)vrs_lens_direction(&view->camera, u, v, d); /* inside: windows are */
			if (vrs_lens_position(&view->source, d, &u, &v))
				widen(box, u, v);
		}
	for (int axis = 0; axis < 2; axis++) {
		box[axis] = fmax(box[axis], view->part[axis] - reach[axis]);
		box[axis + 2] = fmin(box[axis + 2], view->part[axis + 2] + reach[axis]);
	}
	settle(box[0] - left, box[2] - left, eye->lens.width, eye->is_circle, &view->around.x, &view->around.width);
	settle(box[1], box[3], eye->lens.height, false, &view->around.y, &view->around.height);
	view->from[0] = view->around.x + left;
	view->from[1] = view->around.y;
}

/* The lens, and the part in its picture; returns where column 0 of the eye's picture is there. */
static double place_part(struct vrs_rectilinear_view *view, const struct vrs_rectilinear_eye *eye, const struct vrs_rect *part)
{
	double left = 0;

	view->source = eye->lens;
	if (eye->lens.projection != VRS_PROJECTION_FISHEYE) {
		/* less than a turn: places are on this side of the seam then, and nothing goes around */
		if (view->source.h_fov > 2 * PI * LESS_THAN_A_TURN) {
			view->source.width = (int)(eye->lens.width * LESS_THAN_A_TURN);
			view->source.h_fov = eye->lens.h_fov * view->source.width / eye->lens.width;
		}
		left = view->source.width / 2.0 - (part->x + part->width / 2.0);
	}
	view->part[0] = part->x + left;
	view->part[1] = part->y;
	view->part[2] = part->x + part->width + left;
	view->part[3] = part->y + part->height;
	return left;
}

bool vrs_rectilinear_view_make(struct vrs_rectilinear_view *ret_view, const struct vrs_rectilinear_eye *eye, const struct vrs_rect *part,
			       const struct vrs_rectilinear_aim *aim)
{
	struct vrs_rectilinear_view view = {0};
	double left = place_part(&view, eye, part);

	if (aim->window[2] > aim->window[0]) {
		memcpy(view.window, aim->window, sizeof view.window);
		if (!turn_camera(&view, aim->yaw, aim->pitch) || !window_is_good(view.window))
			return false;
	} else if (!point_at_part(&view) || !frame_part(&view)) {
		return false;
	}
	view.bend = bend_of(&view);
	take_around(&view, eye, left);
	*ret_view = view;
	return view.around.width >= 4 && view.around.height >= 4;
}

/* What is looked at of a matte, and where people are. */
struct people {
	struct vrs_lens lens;
	double part[4];
	const float *alpha;
	int width, height;
	int count;
	double at[PEOPLE_STEPS * PEOPLE_STEPS][3];
};

/* The pixel of place i of PEOPLE_STEPS across a matte. */
static int pixel_at(int i, int pixels)
{
	return (2 * i + 1) * pixels / (2 * PEOPLE_STEPS);
}

/* Is place (i, j) a person's? */
static bool is_person(const struct people *people, int i, int j)
{
	return people->alpha[pixel_at(j, people->height) * people->width + pixel_at(i, people->width)] >= (float)PERSON;
}

/* Where the pixel of place i lies between two sides of a part that `pixels` of a matte cover. */
static double place_across(double from, double to, int i, int pixels)
{
	return from + (pixel_at(i, pixels) + 0.5) * (to - from) / pixels;
}

/* Directions of all places of people that the eye shows. */
static void find_people(struct people *people)
{
	const struct vrs_lens *lens = &people->lens;
	const double *part = people->part;
	double column[PEOPLE_STEPS][3], row[PEOPLE_STEPS][3], u[PEOPLE_STEPS], v[PEOPLE_STEPS];
	bool is_sphere = lens->projection != VRS_PROJECTION_FISHEYE, inside[2][PEOPLE_STEPS];

	for (int i = 0; i < PEOPLE_STEPS; i++) {
		u[i] = place_across(part[0], part[2], i, people->width);
		v[i] = place_across(part[1], part[3], i, people->height);
		inside[0][i] = vrs_lens_direction(lens, u[i], lens->height / 2.0, column[i]);
		inside[1][i] = vrs_lens_direction(lens, lens->width / 2.0, v[i], row[i]);
	}
	people->count = 0;
	for (int j = 0; j < PEOPLE_STEPS; j++)
		for (int i = 0; i < PEOPLE_STEPS; i++) {
			double *d = people->at[people->count];
			if (!is_person(people, i, j))
				continue;
			if (is_sphere) { /* a place is the longitude of its column at the latitude of its row */
				d[0] = column[i][0] * row[j][2];
				d[1] = row[j][1];
				d[2] = column[i][2] * row[j][2];
			}
			people->count += is_sphere ? inside[0][i] && inside[1][j] : vrs_lens_direction(lens, u[i], v[j], d);
		}
}

/* The box around people in a camera's picture, and their number; 0 where one of them is beyond it. */
static int box_of(const struct people *people, const struct vrs_lens *camera, double box[4])
{
	empty_box(box);
	for (int n = 0; n < people->count; n++) {
		double u, v;
		if (!vrs_lens_position(camera, people->at[n], &u, &v))
			return 0;
		widen(box, u, v);
	}
	return people->count;
}

static bool aim_at(struct vrs_rectilinear_view *view, struct vrs_rectilinear_aim *aim, const struct people *people)
{
	double sum[3] = {0};

	for (int n = 0; n < people->count; n++)
		for (int k = 0; k < 3; k++)
			sum[k] += people->at[n][k];
	if (!angles_of(sum, &aim->yaw, &aim->pitch))
		return false;
	aim->yaw = round(aim->yaw / TURN_STEP) * TURN_STEP;
	aim->pitch = round(aim->pitch / TURN_STEP) * TURN_STEP;
	return turn_camera(view, aim->yaw, aim->pitch);
}

/* On which sides people end at the border of the window that they were seen in; false everywhere without a camera. */
static bool find_cuts(struct people *people, const struct vrs_rectilinear_view *now, bool cut[4])
{
	double box[4], size[2];

	memset(cut, 0, 4 * sizeof *cut);
	if (!now)
		return false;
	find_people(people);
	if (!box_of(people, &now->camera, box))
		return false;
	for (int axis = 0; axis < 2; axis++) {
		size[axis] = now->window[axis + 2] - now->window[axis];
		cut[axis] = box[axis] < now->window[axis] + BORDER * size[axis];
		cut[axis + 2] = box[axis + 2] > now->window[axis + 2] - BORDER * size[axis];
	}
	return cut[0] || cut[1] || cut[2] || cut[3];
}

/* Do people end at a border of the part that is not one of the eye's? Somebody may go on there. */
static bool part_cuts(const struct people *people, const struct vrs_rectilinear_eye *eye, const struct vrs_rect *part)
{
	int last = PEOPLE_STEPS - 1;
	bool open[4] = {eye->is_circle || part->x > 0, part->y > 0, eye->is_circle || part->x + part->width < eye->lens.width,
			part->y + part->height < eye->lens.height};

	for (int k = 0; k < PEOPLE_STEPS; k++)
		if ((open[0] && is_person(people, 0, k)) || (open[1] && is_person(people, k, 0)) || (open[2] && is_person(people, last, k)) ||
		    (open[3] && is_person(people, k, last)))
			return true;
	return false;
}

bool vrs_rectilinear_view_aim(struct vrs_rectilinear_aim *ret_aim, const struct vrs_rectilinear_eye *eye, const struct vrs_rect *part,
			      const struct vrs_rect *next, const struct vrs_rectilinear_view *now, const float *alpha, int width, int height)
{
	struct people people;
	struct vrs_rectilinear_view view;
	struct vrs_rectilinear_aim aim;
	double box[4];
	bool cut[4];

	memset(ret_aim, 0, sizeof *ret_aim);
	(void)place_part(&view, eye, part);
	people.alpha = alpha; /* the list of places is large: not cleared */
	people.width = width;
	people.height = height;
	people.lens = view.source;
	memcpy(people.part, view.part, sizeof people.part);
	if (!now && part_cuts(&people, eye, part))
		return false;
	bool is_cut = find_cuts(&people, now, cut);
	double left = place_part(&view, eye, next), turn = eye->is_circle ? eye->lens.width : 0; /* from here on as seen from the next part */
	left += turn > 0 ? turn * round((next->x + next->width / 2.0 - part->x - part->width / 2.0) / turn) : 0;
	people.part[0] = part->x + left;
	people.part[2] = part->x + part->width + left;
	find_people(&people);
	if (!aim_at(&view, &aim, &people) || box_of(&people, &view.camera, box) < LEAST_PLACES)
		return false;
	for (int axis = 0; axis < 2; axis++) {
		double length = fmax(box[axis + 2] - box[axis], WINDOW_STEP);
		box[axis] -= length * (cut[axis] ? CUT_MARGIN : PEOPLE_MARGIN);
		box[axis + 2] += length * (cut[axis + 2] ? CUT_MARGIN : PEOPLE_MARGIN);
		aim.window[axis] = floor(box[axis] / WINDOW_STEP) * WINDOW_STEP;
		aim.window[axis + 2] = ceil(box[axis + 2] / WINDOW_STEP) * WINDOW_STEP;
	}
	if (!window_is_good(aim.window))
		return false;
	*ret_aim = aim;
	double area = (aim.window[2] - aim.window[0]) * (aim.window[3] - aim.window[1]);
	return is_cut || !now || area < MUCH_SMALLER * (now->window[2] - now->window[0]) * (now->window[3] - now->window[1]);
}

/* So many samples across a rectangle of a lens's picture. */
static struct vrs_remap_grid grid_over(const double from[2], double width, double height, int columns, int rows)
{
	return (struct vrs_remap_grid){.width = columns, .height = rows, .step = {width / columns, height / rows}, .offset = {from[0], from[1]}};
}

struct vrs_remap_options vrs_rectilinear_view_to_window(const struct vrs_rectilinear_view *view, int width, int height, int around_width,
							int around_height)
{
	const double *w = view->window;
	return (struct vrs_remap_options){.target = view->camera, .source = view->source,
		.target_grid = grid_over(w, w[2] - w[0], w[3] - w[1], width, height),
		.source_grid = grid_over(view->from, view->around.width, view->around.height, around_width, around_height)};
}

struct vrs_remap_options vrs_rectilinear_view_to_part(const struct vrs_rectilinear_view *view, int width, int height, int window_width,
						      int window_height)
{
	const double *w = view->window, *p = view->part;
	return (struct vrs_remap_options){.target = view->source, .source = view->camera,
		.target_grid = grid_over(p, p[2] - p[0], p[3] - p[1], width, height),
		.source_grid = grid_over(w, w[2] - w[0], w[3] - w[1], window_width, window_height)};
}
