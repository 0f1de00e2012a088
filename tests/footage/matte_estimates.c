/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * matte_estimates FRAMES CLIP TRUTH [MATTE...] [-- CLIP TRUTH [MATTE...]]...
 *
 * What the estimates of vranalyze matte are worth, which need no truth: rank correlation (Spearman) of each with errors against the truth.  For each
 * clip over mattes that are made worse from the truth in known ways, and over the matte videos given.  Prints Markdown for docs/matte-estimates.md.
 *
 * Exit code 2 for wrong usage, 3 for what cannot be read or measured.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "base/rng.h"
#include "matte/edges.h"
#include "matte/matte_expand.h"
#include "measure/matte_inputs.h"
#include "measure/matte_meter.h"

#define MOST_MATTES 128
#define MOST_SHIFT 4

enum damage {
	NONE, BLUR, GROW, MOVE, HOLES, ISLANDS, NOISE, BREATHE, LATE, REPEAT, LOSE, COARSE, HARD, PALE, CUT_OFF, EYE_LOST, EYE_GROWN, EYE_MOVED, DAMAGES
};

static const struct {
	const char *name;
	bool two_eyes;       /* there is nothing to damage with one */
	double amount[8];    /* of each variant; ends with 0, but for the first */
} damages[DAMAGES] = {
	[NONE] = {"truth", false, {1}},
	[BLUR] = {"blurred by N samples", false, {1, 2, 4, 8}},
	[GROW] = {"grown by N samples", false, {-8, -4, -2, -1, 1, 2, 4, 8}},
	[MOVE] = {"moved aside by N samples", false, {1, 2, 4, 8}},
	[HOLES] = {"N holes a frame", false, {1, 3, 9}},
	[ISLANDS] = {"N islands a frame", false, {1, 3, 9}},
	[NOISE] = {"noise of N levels", false, {10, 30, 60}},
	[BREATHE] = {"grown and shrunk by N samples, in turns", false, {0.5, 1, 2, 4}},
	[LATE] = {"late by N frames", false, {-4, -2, -1, 1, 2, 4}},
	[REPEAT] = {"each N-th frame repeats the one before", false, {2, 4, 8}},
	[LOSE] = {"each N-th frame empty", false, {5, 10, 20}},
	[COARSE] = {"in blocks of N samples", false, {2, 4, 8, 16}},
	[HARD] = {"without soft edges", false, {1}},
	[PALE] = {"N % of the opacity", false, {90, 70}},
	[CUT_OFF] = {"lower N % of people missing", false, {5, 15, 30}},
	[EYE_LOST] = {"one eye empty", true, {1}},
	[EYE_GROWN] = {"one eye grown by N samples", true, {-4, -2, 2, 4}},
	[EYE_MOVED] = {"one eye moved aside by N samples", true, {2, 4, 8}},
};

struct clip {
	struct vrs_arena arena;
	int eyes, width, height;
	int64_t frames;
	struct vrs_layout layout;
	double *seconds;
	struct vrs_matte *truth, *luma; /* [frames][2] */
	struct vrs_matte made[2];
	struct vrs_edges *edges;
};

#define OF(damage) (1u << (damage))
/* What each estimate is for. */
static const unsigned own_damages[VRS_MATTE_ESTIMATES] = {
	[VRS_MATTE_DOUBT] = OF(BLUR) | OF(NOISE) | OF(PALE) | OF(COARSE),
	[VRS_MATTE_SOFT] = OF(BLUR) | OF(NOISE) | OF(PALE) | OF(COARSE),
	[VRS_MATTE_EDGE_WIDTH] = OF(BLUR),
	[VRS_MATTE_HOLES] = OF(HOLES),
	[VRS_MATTE_ISLANDS] = OF(ISLANDS),
	[VRS_MATTE_MISFIT] = OF(GROW) | OF(MOVE) | OF(LATE) | OF(COARSE),
	[VRS_MATTE_FLICKER] = OF(NOISE) | OF(BREATHE) | OF(HOLES) | OF(ISLANDS),
	[VRS_MATTE_JUMP] = OF(LOSE) | OF(BREATHE),
	[VRS_MATTE_EYES] = OF(EYE_LOST) | OF(EYE_GROWN) | OF(EYE_MOVED),
};

/* Means over the eyes. */
struct row {
	char name[96];
	enum damage damage;
	double eyes;         /* 1 - agreement of the eyes, by the truths of both; NaN: one eye */
	double value[VRS_MATTE_METRICS];
	struct vrs_matte_sync sync;
	uint64_t events[VRS_MATTE_EVENT_KINDS];
};

static void copy(struct vrs_matte *to, const struct vrs_matte *from)
{
	for (int y = 0; y < from->height; y++)
		memcpy(to->data + to->stride * y, from->data + from->stride * y, (size_t)from->width);
}

static enum vrs_status keep(struct clip *c, struct vrs_matte *to, const struct vrs_matte *from)
{
	enum vrs_status status = vrs_matte_init(to, &c->arena, from->width, from->height);
	if (status == VRS_OK)
		copy(to, from);
	return status;
}

static enum vrs_status load_frames(struct clip *c, struct vrs_matte_inputs *in, int64_t most, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	while (c->frames < most && status == VRS_OK) {
		status = vrs_matte_inputs_read(in, err);
		if (status == VRS_END)
			return VRS_OK;
		if (status == VRS_OK)
			status = vrs_matte_inputs_draw(in);
		for (int eye = 0; eye < c->eyes && status == VRS_OK; eye++) {
			status = keep(c, &c->truth[2 * c->frames + eye], &in->matte[eye]);
			if (status == VRS_OK)
				status = keep(c, &c->luma[2 * c->frames + eye], &in->luma[eye]);
		}
		c->seconds[c->frames++] = in->mattes.seconds;
	}
	return status;
}

static enum vrs_status load(struct clip *c, const char *video, const char *truth, int64_t most, struct vrs_error *err)
{
	const struct vrs_matte_request request = {.file = truth, .source = video};
	struct vrs_matte_inputs in;
	memset(c, 0, sizeof *c);
	enum vrs_status status = vrs_matte_inputs_open(&in, &request, err);
	if (status == VRS_OK) {
		c->eyes = in.eyes;
		c->width = in.width;
		c->height = in.height;
		c->layout = in.mattes.layout;
		c->seconds = vrs_arena_calloc(&c->arena, (size_t)most, sizeof *c->seconds);
		c->truth = vrs_arena_calloc(&c->arena, 2 * (size_t)most, sizeof *c->truth);
		c->luma = vrs_arena_calloc(&c->arena, 2 * (size_t)most, sizeof *c->luma);
		status = c->arena.failed ? VRS_ENOMEM : load_frames(c, &in, most, err);
	}
	for (int eye = 0; eye < 2 && status == VRS_OK; eye++)
		status = vrs_matte_init(&c->made[eye], &c->arena, c->width, c->height);
	if (status == VRS_OK)
		status = vrs_edges_create(&c->edges, &c->arena, c->width, c->height);
	vrs_matte_inputs_close(&in);
	return status;
}

/* Rows and columns with people. */
static struct vrs_rect people(const struct vrs_matte *m)
{
	int left = m->width, right = 0, top = m->height, bottom = 0;
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++)
			if (m->data[m->stride * y + x] >= 128) {
				left = x < left ? x : left;
				right = x >= right ? x + 1 : right;
				top = y < top ? y : top;
				bottom = y + 1;
			}
	return right > left ? (struct vrs_rect){left, top, right - left, bottom - top} : (struct vrs_rect){0, 0, 0, 0};
}

static void draw_disc(struct vrs_matte *m, double cx, double cy, double r, uint8_t value)
{
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++)
			if (hypot(x - cx, y - cy) < r)
				m->data[m->stride * y + x] = value;
}

/* Discs of the opposite in random places: inside people, or beside them. */
static void draw_discs(struct vrs_matte *m, int count, bool holes, struct vrs_rng *rng)
{
	struct vrs_rect box = people(m);
	double radius = 0.02 * box.height;
	for (int tries = 0; count > 0 && tries < 1000 && box.width > 0; tries++) {
		double grow = holes ? 0 : 0.25, x = box.x - grow * box.width + vrs_rng_unit(rng) * box.width * (1 + 2 * grow);
		double y = box.y + vrs_rng_unit(rng) * box.height;
		if (x < 0 || x >= m->width || (m->data[m->stride * (int)y + (int)x] >= 128) != holes)
			continue;
		draw_disc(m, x, y, radius, holes ? 0 : 255);
		count--;
	}
}

static void add_noise(struct vrs_matte *m, double levels, struct vrs_rng *rng)
{
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++) {
			uint8_t *a = &m->data[m->stride * y + x];
			double value = *a + (vrs_rng_unit(rng) + vrs_rng_unit(rng) - 1) * levels;
			*a = (uint8_t)fmin(fmax(value, 0), 255);
		}
}

static void move_aside(struct vrs_matte *m, int by)
{
	for (int y = 0; y < m->height; y++) {
		uint8_t *row = m->data + m->stride * y;
		memmove(row + by, row, (size_t)(m->width - by));
		memset(row, 0, (size_t)by);
	}
}

static void make_coarse(struct vrs_matte *m, int side)
{
	for (int y = 0; y < m->height; y += side)
		for (int x = 0; x < m->width; x += side) {
			int sum = 0, count = 0;
			for (int j = y; j < y + side && j < m->height; j++)
				for (int i = x; i < x + side && i < m->width; i++, count++)
					sum += m->data[m->stride * j + i];
			for (int j = y; j < y + side && j < m->height; j++)
				for (int i = x; i < x + side && i < m->width; i++)
					m->data[m->stride * j + i] = (uint8_t)(sum / count);
		}
}

static void scale_opacity(struct vrs_matte *m, double factor, bool hard)
{
	for (int y = 0; y < m->height; y++)
		for (int x = 0; x < m->width; x++) {
			uint8_t *a = &m->data[m->stride * y + x];
			*a = hard ? (*a >= 128 ? 255 : 0) : (uint8_t)(*a * factor);
		}
}

static void cut_off(struct vrs_matte *m, double share)
{
	struct vrs_rect box = people(m);
	for (int y = box.y + (int)((1 - share) * box.height); y < box.y + box.height; y++)
		memset(m->data + m->stride * y, 0, (size_t)m->width);
}

/* The frame whose truth is shown. */
static int64_t shown_frame(const struct clip *c, enum damage damage, int amount, int64_t frame)
{
	if (damage == REPEAT && frame % amount == amount - 1)
		return frame - 1;
	if (damage != LATE)
		return frame;
	frame -= amount;
	return frame < 0 ? 0 : frame >= c->frames ? c->frames - 1 : frame;
}

static void make(struct clip *c, enum damage damage, double amount, int64_t frame, int eye, struct vrs_rng *rng)
{
	struct vrs_matte *m = &c->made[eye];
	copy(m, &c->truth[2 * shown_frame(c, damage, (int)amount, frame) + eye]);
	switch (damage) {
	case BLUR: vrs_edges_feather(c->edges, m, amount, amount, false); break;
	case GROW: vrs_edges_grow(c->edges, m, amount, amount, false); break;
	case MOVE: move_aside(m, (int)amount); break;
	case HOLES:
	case ISLANDS: draw_discs(m, (int)amount, damage == HOLES, rng); break;
	case NOISE: add_noise(m, amount, rng); break;
	case BREATHE: vrs_edges_grow(c->edges, m, frame & 1 ? amount : -amount, frame & 1 ? amount : -amount, false); break;
	case LOSE:
		if (frame % (int)amount == (int)amount - 1)
			scale_opacity(m, 0, false);
		break;
	case COARSE: make_coarse(m, (int)amount); break;
	case HARD: scale_opacity(m, 0, true); break;
	case PALE: scale_opacity(m, amount / 100, false); break;
	case CUT_OFF: cut_off(m, amount / 100); break;
	case EYE_LOST:
		if (eye == 1)
			scale_opacity(m, 0, false);
		break;
	case EYE_GROWN:
		if (eye == 1)
			vrs_edges_grow(c->edges, m, amount, amount, false);
		break;
	case EYE_MOVED:
		if (eye == 1)
			move_aside(m, (int)amount);
		break;
	case NONE:
	case LATE:
	case REPEAT:
	case DAMAGES: break;
	}
}

static void take_values(struct row *row, const struct vrs_matte_report *r)
{
	for (int i = 0; i < VRS_MATTE_METRICS; i++) {
		const struct vrs_matte_value *left = &r->value[0][i], *right = &r->value[1][i];
		bool pair = r->eyes > 1 && !vrs_matte_metric_is_pair((enum vrs_matte_metric)i) && right->frames > 0;
		row->value[i] = left->frames == 0 ? (double)NAN : pair ? (left->mean + right->mean) / 2 : left->mean;
	}
	row->eyes = 1 - vrs_quality_figure(&r->truth, VRS_FIGURE_EYES);
	row->sync = r->sync;
	memcpy(row->events, r->event_total, sizeof row->events);
}

static enum vrs_status measure_made(struct clip *c, enum damage damage, double amount, struct row *row)
{
	struct vrs_matte_report report = {.eyes = c->eyes, .eye_width = c->width, .eye_height = c->height, .layout = c->layout};
	struct vrs_matte_meter *meter = NULL;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 17);
	enum vrs_status status = vrs_matte_meter_create(&meter, &report, false, NULL);
	for (int64_t i = 0; i < c->frames && status == VRS_OK; i++) {
		struct vrs_matte_sample sample = {i, c->seconds[i], c->made, &c->luma[2 * i], &c->truth[2 * i]};
		for (int eye = 0; eye < c->eyes; eye++)
			make(c, damage, amount, i, eye, &rng);
		status = vrs_matte_meter_add(meter, &sample);
	}
	if (status == VRS_OK) {
		vrs_matte_meter_finish(meter);
		take_values(row, &report);
		row->damage = damage;
		snprintf(row->name, sizeof row->name, "%s, N = %g", damages[damage].name, amount);
	}
	vrs_matte_meter_destroy(meter);
	vrs_free(report.seconds);
	vrs_free(report.events);
	return status;
}

static const enum vrs_matte_metric errors[] = {VRS_MATTE_IOU, VRS_MATTE_BOUNDARY_IOU, VRS_MATTE_CONTOUR_F, VRS_MATTE_MAD, VRS_MATTE_GRAD,
	VRS_MATTE_CONN, VRS_MATTE_DTSSD};
#define ERRORS (int)(sizeof errors / sizeof errors[0])

/* Larger where worse; error ERRORS is that of the eyes. */
static double error_of(const struct row *row, int error)
{
	return error == ERRORS ? row->eyes : row->value[errors[error]] * (vrs_matte_metric_info(errors[error])->more_is_better ? -1 : 1);
}

/* Of the estimate with the error, over the rows of those damages that have both. */
static double correlate(const struct row *rows, int count, unsigned of, int estimate, int error, int *ret_n)
{
	double x[MOST_MATTES], y[MOST_MATTES], work[2 * MOST_MATTES];
	int n = 0;
	for (int i = 0; i < count; i++) {
		if (!(of & OF(rows[i].damage)) || isnan(rows[i].value[estimate]) || isnan(error_of(&rows[i], error)))
			continue;
		x[n] = rows[i].value[estimate];
		y[n++] = error_of(&rows[i], error);
	}
	*ret_n = n;
	return n > 3 ? gsl_stats_spearman(x, 1, y, 1, (size_t)n, work) : (double)NAN;
}

/* own: each estimate over the truth and what it is for. */
static void print_correlations(const char *what, const struct row *rows, int count, bool own)
{
	printf("\n%s:\n\n| estimate | n |", what);
	for (int e = 0; e < ERRORS; e++)
		printf(" %s |", vrs_matte_metric_info(errors[e])->key);
	printf(" eyes by truth |\n|---|---|");
	for (int e = 0; e <= ERRORS; e++)
		printf("---|");
	for (int i = 0; i < VRS_MATTE_ESTIMATES; i++) {
		int n = 0;
		unsigned of = own ? OF(NONE) | own_damages[i] : ~0u;
		(void)correlate(rows, count, of, i, 0, &n);
		if (n < 4)
			continue;
		printf("\n| %s | %d |", vrs_matte_metric_info((enum vrs_matte_metric)i)->key, n);
		for (int e = 0; e <= ERRORS; e++) {
			double r = correlate(rows, count, of, i, e, &n);
			printf(isnan(r) ? "  |" : " %.2f |", r);
		}
	}
	printf("\n");
}

static void print_rows(const char *what, const struct row *rows, int count)
{
	static const int shown[] = {VRS_MATTE_DOUBT, VRS_MATTE_EDGE_WIDTH, VRS_MATTE_MISFIT, VRS_MATTE_FLICKER, VRS_MATTE_JUMP,
		VRS_MATTE_EYES, VRS_MATTE_IOU, VRS_MATTE_CONTOUR_F, VRS_MATTE_DTSSD};
	printf("\n%s:\n\n| matte |", what);
	for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++)
		printf(" %s |", vrs_matte_metric_info((enum vrs_matte_metric)shown[k])->key);
	printf(" lag | repeated | glitches |\n|---|");
	for (size_t k = 0; k < sizeof shown / sizeof shown[0] + 3; k++)
		printf("---|");
	for (int i = 0; i < count; i++) {
		printf("\n| %s |", rows[i].name);
		for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++)
			printf(isnan(rows[i].value[shown[k]]) ? "  |" : " %.3f |", rows[i].value[shown[k]]);
		if (rows[i].sync.known)
			printf(" %d |", rows[i].sync.lag);
		else
			printf(" unknown |");
		printf(" %llu | %llu |", (unsigned long long)rows[i].events[VRS_MATTE_EVENT_REPEATED],
		       (unsigned long long)rows[i].events[VRS_MATTE_EVENT_GLITCH]);
	}
	printf("\n");
}

static enum vrs_status measure_damaged(struct clip *c, struct row *rows, int *ret_count)
{
	enum vrs_status status = VRS_OK;
	*ret_count = 0;
	for (int damage = 0; damage < DAMAGES && status == VRS_OK; damage++)
		for (int i = 0; i < 8 && damages[damage].amount[i] != 0 && status == VRS_OK && (c->eyes > 1 || !damages[damage].two_eyes); i++) {
			status = measure_made(c, (enum damage)damage, damages[damage].amount[i], &rows[*ret_count]);
			(*ret_count)++;
		}
	return status;
}

static enum vrs_status measure_file(const char *video, const char *truth, const char *matte, int64_t most, struct row *row, struct vrs_error *err)
{
	const struct vrs_matte_request request = {.file = matte, .source = video, .truth = truth, .most_frames = most};
	struct vrs_matte_report *report = NULL;
	enum vrs_status status = vrs_matte_measure(&report, &request, err);
	if (status != VRS_OK)
		return status;
	const char *base = strrchr(matte, '/');
	take_values(row, report);
	row->damage = NONE;
	snprintf(row->name, sizeof row->name, "%.*s", (int)strcspn(base ? base + 1 : matte, "."), base ? base + 1 : matte);
	vrs_matte_report_destroy(report);
	return VRS_OK;
}

static enum vrs_status run_clip(char **words, int count, int64_t most, struct vrs_error *err)
{
	static struct row rows[MOST_MATTES];
	struct clip clip;
	int made = 0, files = 0;
	const char *base = strrchr(words[0], '/');
	enum vrs_status status = load(&clip, words[0], words[1], most, err);
	printf("\n### %s, %lld frames\n", base ? base + 1 : words[0], (long long)clip.frames);
	if (status == VRS_OK)
		status = measure_damaged(&clip, rows, &made);
	if (status == VRS_OK) {
		print_correlations("Truth made worse in all ways", rows, made, false);
		print_correlations("Each estimate over the faults that it is for", rows, made, true);
		print_rows("What was done, and what it does to the figures", rows, made);
	}
	for (int i = 2; i < count && files < MOST_MATTES && status == VRS_OK; i++)
		status = measure_file(words[0], words[1], words[i], most, &rows[files++], err);
	if (status == VRS_OK && files > 0) {
		print_correlations("Mattes of networks and settings", rows, files, false);
		print_rows("Their figures", rows, files);
	}
	vrs_arena_free(&clip.arena);
	return status;
}

int main(int argc, char **argv)
{
	struct vrs_error err = {.status = VRS_OK};
	enum vrs_status status = VRS_OK;
	long long most = argc > 3 ? atoll(argv[1]) : 0;
	if (most < 2 * MOST_SHIFT) {
		fprintf(stderr, "usage: matte_estimates FRAMES CLIP TRUTH [MATTE...] [-- CLIP TRUTH [MATTE...]]...\n");
		return 2;
	}
	for (int first = 2; first + 1 < argc && status == VRS_OK;) {
		int end = first;
		while (end < argc && strcmp(argv[end], "--") != 0)
			end++;
		if (end - first >= 2)
			status = run_clip(argv + first, end - first, most, &err);
		first = end + 1;
	}
	if (status == VRS_OK)
		return 0;
	fprintf(stderr, "matte_estimates: %s\n", err.text[0] ? err.text : vrs_status_str(status));
	return 3;
}
