/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/matte_score.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

enum { GRID_MAX = 2048 };

/* A region of the unit square of the frame. */
struct region {
	double x0, y0, x1, y1;
};

static struct region relative(const struct vrs_rect *rect, int width, int height)
{
	return (struct region){(double)rect->x / width, (double)rect->y / height, (double)(rect->x + rect->width) / width,
			       (double)(rect->y + rect->height) / height};
}

static int clamp_int(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

/* Matte value at a point in matte pixels, bilinear, edges repeated. */
static double sample(const struct vrs_matte_entry *e, double x, double y)
{
	int x0 = (int)floor(x), y0 = (int)floor(y);
	double fx = x - x0, fy = y - y0;
	int xa = clamp_int(x0, 0, e->width - 1), xb = clamp_int(x0 + 1, 0, e->width - 1);
	const uint8_t *top = e->data + (size_t)clamp_int(y0, 0, e->height - 1) * (size_t)e->width;
	const uint8_t *bottom = e->data + (size_t)clamp_int(y0 + 1, 0, e->height - 1) * (size_t)e->width;
	return (1 - fy) * ((1 - fx) * top[xa] + fx * top[xb]) + fy * ((1 - fx) * bottom[xa] + fx * bottom[xb]);
}

/* Draw a matte, which covers `covers`, onto a grid over `area`; points outside its cover are background. Columns repeat after a turn, if any. */
static void draw(const struct vrs_matte_entry *e, const struct region *covers, const struct region *area, double turn, struct vrs_matte *grid)
{
	double sx = e->width / (covers->x1 - covers->x0), sy = e->height / (covers->y1 - covers->y0);
	for (int y = 0; y < grid->height; y++) {
		double v = area->y0 + (y + 0.5) / grid->height * (area->y1 - area->y0);
		for (int x = 0; x < grid->width; x++) {
			double u = area->x0 + (x + 0.5) / grid->width * (area->x1 - area->x0);
			if (turn > 0)
				u -= floor((u - covers->x0) / turn) * turn;
			bool inside = u >= covers->x0 && u < covers->x1 && v >= covers->y0 && v < covers->y1;
			grid->data[y * grid->stride + x] =
				inside ? (uint8_t)lround(sample(e, (u - covers->x0) * sx - 0.5, (v - covers->y0) * sy - 0.5)) : 0;
		}
	}
}

static bool grid_alloc(struct vrs_matte *grid, int width, int height)
{
	*grid = (struct vrs_matte){.width = width, .height = height, .stride = width};
	grid->data = vrs_alloc((size_t)width * (size_t)height);
	return grid->data != NULL;
}

static bool same_region(const struct region *a, const struct region *b)
{
	const double eps = 1e-4;
	return fabs(a->x0 - b->x0) < eps && fabs(a->y0 - b->y0) < eps && fabs(a->x1 - b->x1) < eps && fabs(a->y1 - b->y1) < eps;
}

/* Grid points so that neither matte loses resolution. */
static int grid_side(double area, double span_a, int size_a, double span_b, int size_b)
{
	double side = fmax(area * size_a / span_a, area * size_b / span_b);
	return (int)fmin(fmax(ceil(side - 1e-6), 1), GRID_MAX); /* a file may say any pitch: no int holds each */
}

static enum vrs_status compare_drawn(const struct vrs_matte_entry *a, const struct region *ra, const struct vrs_matte_entry *b,
				     const struct region *rb, double turn, struct vrs_quality *ret)
{
	double shift = turn > 0 ? round((ra->x0 + ra->x1 - rb->x0 - rb->x1) / 2 / turn) * turn : 0;
	struct region area = {fmin(ra->x0, rb->x0 + shift), fmin(ra->y0, rb->y0), fmax(ra->x1, rb->x1 + shift), fmax(ra->y1, rb->y1)};
	if (turn > 0)
		area.x1 = fmin(area.x1, area.x0 + turn);
	int width = grid_side(area.x1 - area.x0, ra->x1 - ra->x0, a->width, rb->x1 - rb->x0, b->width);
	int height = grid_side(area.y1 - area.y0, ra->y1 - ra->y0, a->height, rb->y1 - rb->y0, b->height);
	struct vrs_matte ga = {0}, gb = {0};
	enum vrs_status status = VRS_ENOMEM;
	if (grid_alloc(&ga, width, height) && grid_alloc(&gb, width, height)) {
		draw(a, ra, &area, turn, &ga);
		draw(b, rb, &area, turn, &gb);
		status = vrs_quality_compare(ret, &ga, &gb);
	}
	vrs_free(ga.data);
	vrs_free(gb.data);
	return status;
}

static void score_add(struct vrs_matte_score *score, const struct vrs_quality *q)
{
	score->iou += q->iou;
	score->mad += q->mad;
	score->boundary_f += q->boundary_f;
	score->frames++;
}

static void score_finish(struct vrs_matte_score *score)
{
	double n = score->frames ? (double)score->frames : (double)NAN;
	score->iou /= n;
	score->mad /= n;
	score->boundary_f /= n;
}

static const struct vrs_matte_entry *find_entry(const struct vrs_matte_set *set, int64_t index, int eye)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->entries[i].index == index && set->entries[i].eye == eye)
			return &set->entries[i];
	return NULL;
}

enum vrs_status vrs_matte_set_compare(const struct vrs_matte_set *set, const struct vrs_matte_set *reference, struct vrs_matte_score *ret_score)
{
	struct vrs_matte_score score = {0};
	for (size_t i = 0; i < set->count; i++) {
		const struct vrs_matte_entry *a = &set->entries[i], *b = find_entry(reference, a->index, a->eye);
		if (!b)
			continue;
		struct region ra = relative(&a->covers, set->frame_width, set->frame_height);
		struct region rb = relative(&b->covers, reference->frame_width, reference->frame_height);
		struct vrs_quality q;
		enum vrs_status status;
		if (a->width == b->width && a->height == b->height && same_region(&ra, &rb)) {
			const struct vrs_matte ma = {a->width, a->height, a->width, a->data}, mb = {b->width, b->height, b->width, b->data};
			status = vrs_quality_compare(&q, &ma, &mb);
		} else {
			status = compare_drawn(a, &ra, b, &rb, (double)set->circle / set->frame_width, &q);
		}
		if (status != VRS_OK)
			return status;
		score_add(&score, &q);
	}
	if (score.frames == 0)
		return VRS_EINVAL;
	score_finish(&score);
	*ret_score = score;
	return VRS_OK;
}

/* Exact truth while it is compared with: one picture of it is in memory. */
struct truth_reader {
	const struct vrs_truth_file *truth;
	FILE *file;
	uint8_t *picture;
	int64_t loaded;            /* -1: none */
	struct vrs_matte grid;     /* an eye, as drawn from its matte */
	struct vrs_truth_meter *meter;
	struct vrs_matte_prefixes *prefixes; /* NULL: nobody wants them */
};

static enum vrs_status load_truth(struct truth_reader *r, int64_t frame, struct vrs_error *err)
{
	size_t bytes = (size_t)r->truth->width * (size_t)r->truth->height;
	if (r->loaded == frame)
		return VRS_OK;
	r->loaded = -1;
	if (fseeko(r->file, (off_t)(frame * (int64_t)bytes), SEEK_SET) != 0 || fread(r->picture, 1, bytes, r->file) != bytes)
		return vrs_fail(err, VRS_EIO, "cannot read frame %lld of %s", (long long)frame, r->truth->path);
	r->loaded = frame;
	return VRS_OK;
}

/* An eye in pictures of truth, of the size of the grid. */
static struct vrs_rect eye_in_truth(const struct vrs_matte_set *set, const struct truth_reader *r, const struct vrs_rect *eye)
{
	struct region area = relative(eye, set->frame_width, set->frame_height);
	int x = (int)lround(area.x0 * r->truth->width), y = (int)lround(area.y0 * r->truth->height);
	return (struct vrs_rect){clamp_int(x, 0, r->truth->width - r->grid.width), clamp_int(y, 0, r->truth->height - r->grid.height), r->grid.width,
				 r->grid.height};
}

/*
 * Where a frame of the video lies.  Both begin anew, each for itself: a clip may hold the one that the truth is of several times, and in part last.
 */
struct truth_place {
	int64_t frame;   /* of the truth */
	int64_t jumps;   /* times that one of both has begun anew before, or more */
};

static struct truth_place place_of(const struct vrs_matte_set *set, const struct vrs_truth_file *truth, int64_t index)
{
	int64_t loop = set->loop_frames > 0 ? index / set->loop_frames : 0, inside = index - loop * set->loop_frames;
	return (struct truth_place){inside % truth->frames, loop * (1 + set->loop_frames / truth->frames) + inside / truth->frames};
}

static enum vrs_status add_entry(const struct vrs_matte_set *set, const struct vrs_matte_entry *e, struct truth_reader *r, const struct vrs_rect *eye,
				 bool counts, struct vrs_error *err)
{
	const struct vrs_truth_file *truth = r->truth;
	struct vrs_rect at = eye_in_truth(set, r, eye);
	struct region area = relative(&at, truth->width, truth->height), covers = relative(&e->covers, set->frame_width, set->frame_height);
	const struct truth_place place = place_of(set, truth, e->index);
	enum vrs_status status = load_truth(r, place.frame, err);
	if (status != VRS_OK)
		return status;
	draw(e, &covers, &area, (double)set->circle / set->frame_width, &r->grid);
	const struct vrs_matte exact = {at.width, at.height, truth->width, r->picture + (size_t)at.y * (size_t)truth->width + (size_t)at.x};
	/* a looped clip jumps where it begins anew: one number is left out there, so that this is no change to speak of */
	status = vrs_truth_meter_add(r->meter, e->number + place.jumps, e->eye, &r->grid, &exact, counts);
	return status == VRS_OK ? status : vrs_fail(err, status, "cannot compare a matte with %s: %s", truth->path, vrs_status_str(status));
}

/* What was compared so far, before a frame that counts, and at the end. */
static void add_prefix(struct truth_reader *r, int mattes)
{
	struct vrs_truth_sums sums;
	if (!r->prefixes || mattes == 0)
		return;
	vrs_truth_meter_sums(r->meter, &sums);
	vrs_matte_prefixes_add(r->prefixes, mattes, &sums);
}

static enum vrs_status add_entries(const struct vrs_matte_set *set, const struct vrs_rect eyes[2], int eye_count, int step, struct truth_reader *r,
				   int *ret_mattes, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int64_t last = -1;
	*ret_mattes = 0;
	for (size_t i = 0; i < set->count && status == VRS_OK; i++) {
		const struct vrs_matte_entry *e = &set->entries[i];
		int64_t number = e->number;
		bool counts = number % step == 0;
		if (e->eye >= eye_count || (!counts && (number + 1) % step != 0) || (!r->truth->loops && e->index >= r->truth->frames))
			continue;
		if (counts && number != last)
			add_prefix(r, *ret_mattes);
		last = counts ? number : last;
		status = add_entry(set, e, r, &eyes[e->eye], counts, err);
		*ret_mattes += counts;
	}
	add_prefix(r, *ret_mattes);
	return status;
}

/* Room for a picture of truth and one eye of it. */
static enum vrs_status reader_init(struct truth_reader *r, const struct vrs_matte_set *set, const struct vrs_rect *eye, int eye_count)
{
	const struct vrs_truth_file *truth = r->truth;
	struct region area = relative(eye, set->frame_width, set->frame_height);
	int width = clamp_int((int)lround((area.x1 - area.x0) * truth->width), 1, truth->width);
	int height = clamp_int((int)lround((area.y1 - area.y0) * truth->height), 1, truth->height);
	r->picture = vrs_alloc((size_t)truth->width * (size_t)truth->height);
	if (!r->picture || !grid_alloc(&r->grid, width, height))
		return VRS_ENOMEM;
	return vrs_truth_meter_create(&r->meter, eye_count, width, height, set->circle > 0);
}

enum vrs_status vrs_matte_set_score(const struct vrs_matte_set *set, const struct vrs_truth_file *truth, const struct vrs_rect eyes[2], int eye_count,
				    int step, struct vrs_matte_prefixes *prefixes, struct vrs_truth_sums *ret_sums, int *ret_mattes,
				    struct vrs_error *err)
{
	if (truth->width < 1 || truth->height < 1 || truth->width > VRS_MATTE_SET_SIDE || truth->height > VRS_MATTE_SET_SIDE || truth->frames < 1 ||
	    step < 1)
		return vrs_fail(err, VRS_EINVAL, "%s has an impossible size", truth->path);
	struct truth_reader r = {.truth = truth, .loaded = -1, .prefixes = prefixes};
	enum vrs_status status = vrs_file_open_stream(truth->path, &r.file, err);
	if (status != VRS_OK)
		return status;
	status = reader_init(&r, set, &eyes[0], eye_count);
	if (status == VRS_OK)
		status = add_entries(set, eyes, eye_count, step, &r, ret_mattes, err);
	else
		(void)vrs_fail(err, status, "cannot compare with a frame of %s: %s", truth->path, vrs_status_str(status));
	if (status == VRS_OK)
		vrs_truth_meter_sums(r.meter, ret_sums);
	vrs_truth_meter_destroy(r.meter);
	vrs_free(r.grid.data);
	vrs_free(r.picture);
	fclose(r.file);
	return status;
}
