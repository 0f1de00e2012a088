/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/matte_meter.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "matte/confidence.h"
#include "matte/disparity_agreement.h"
#include "matte/matte_expand.h"
#include "matte/matte_motion.h"
#include "matte/matte_shape.h"
#include "matte/person_box.h"
#include "matte/scene_cut.h"
#include "matte/truth_errors.h"
#include "measure/matte_sync.h"

#define MAX_EYES 2
#define PAIR_SIDE 256     /* samples of an eye in which pictures of both are matched */
#define REACH_SHARE 0.01  /* of the width: how far beside an outline its edge is looked for */
#define LEAST_REACH 3
#define REPEATED 2        /* alphas that differ by no more are the same matte, as codecs have it */
#define MOVING 0.1        /* of the outline: then a matte cannot stay the same */
#define GLITCH 0.03       /* of overlap: a frame that is so much less like its neighbours than they are like each other */
#define LATE 0.1          /* of overlap, at a cut */

/* The frames of one eye that are still needed. */
struct eye {
	struct vrs_matte matte, past, before;          /* of this frame, the one before, and that before it */
	struct vrs_matte luma, past_luma, truth, past_truth;
	struct vrs_matte small[2];                     /* matte and luma for comparing eyes */
};

struct vrs_matte_meter {
	struct vrs_matte_report *report;
	struct vrs_arena arena;
	bool circle;
	struct eye eye[MAX_EYES];
	struct vrs_shape_finder shape;
	struct vrs_truth_errors errors;                /* once there is a truth */
	const float *weight;
	float *alpha;                                  /* [eye_height * eye_width] */
	int factor;                                    /* of the small ones */
	struct vrs_matte_sync_finder sync;
	struct vrs_scene_signature signature, past_signature;
	uint16_t *row;
	struct vrs_truth_meter *truth;
	bool past_cut;                                 /* the frame before this one begins a scene */
};

static enum vrs_status init_eye(struct vrs_matte_meter *m, struct eye *e)
{
	int width = m->report->eye_width, height = m->report->eye_height;
	struct vrs_matte *mattes[] = {&e->matte, &e->past, &e->before, &e->luma, &e->past_luma, &e->truth, &e->past_truth};
	enum vrs_status status = VRS_OK;
	for (size_t i = 0; i < sizeof mattes / sizeof mattes[0] && status == VRS_OK; i++)
		status = vrs_matte_init(mattes[i], &m->arena, width, height);
	for (int i = 0; i < 2 && status == VRS_OK; i++)
		status = vrs_matte_init(&e->small[i], &m->arena, width < m->factor ? 1 : width / m->factor, height < m->factor ? 1 : height / m->factor);
	return status;
}

enum vrs_status vrs_matte_meter_create(struct vrs_matte_meter **ret_meter, struct vrs_matte_report *report, bool circle, const float *weight)
{
	int width = report->eye_width, height = report->eye_height, larger = width > height ? width : height;
	size_t size;
	if (report->eyes < 1 || report->eyes > MAX_EYES || width < 1 || height < 1 || !vrs_mul_size((size_t)width, (size_t)height, &size))
		return VRS_EINVAL;
	struct vrs_matte_meter *m = vrs_calloc(1, sizeof *m);
	if (!m)
		return VRS_ENOMEM;
	m->report = report;
	m->circle = circle;
	m->factor = (larger + PAIR_SIDE - 1) / PAIR_SIDE;
	m->alpha = vrs_arena_calloc(&m->arena, size, sizeof *m->alpha);
	m->row = vrs_arena_calloc(&m->arena, (size_t)width, sizeof *m->row);
	m->weight = weight;
	enum vrs_status status = m->arena.failed ? VRS_ENOMEM : vrs_shape_finder_init(&m->shape, &m->arena, width, height, circle);
	for (int i = 0; i < report->eyes && status == VRS_OK; i++)
		status = init_eye(m, &m->eye[i]);
	if (status == VRS_OK)
		status = vrs_matte_sync_init(&m->sync, &m->arena, report->eyes, width, height);
	if (status == VRS_OK)
		status = vrs_truth_meter_create(&m->truth, report->eyes, width, height, circle);
	report->weighted = weight != NULL;
	if (status == VRS_OK)
		*ret_meter = m;
	else
		vrs_matte_meter_destroy(m);
	return status;
}

void vrs_matte_meter_destroy(struct vrs_matte_meter *m)
{
	if (!m)
		return;
	vrs_truth_meter_destroy(m->truth);
	vrs_arena_free(&m->arena);
	vrs_free(m);
}

/* A value of a frame; NaN: it has none. */
static void put(struct vrs_matte_report *report, int eye, enum vrs_matte_metric metric, int64_t frame, double value)
{
	struct vrs_matte_value *v = &report->value[eye][metric];
	if (isnan(value))
		return;
	struct vrs_truth_metric sum = {v->mean, v->worst, v->worst_frame};
	vrs_truth_metric_add(&sum, &(struct vrs_truth_metric){value, value, frame}, v->frames == 0, vrs_matte_metric_info(metric)->more_is_better);
	*v = (struct vrs_matte_value){v->frames + 1, sum.mean, sum.worst, sum.worst_frame};
}

/* What the matte alone tells. */
static double measure_shape(struct vrs_matte_meter *m, int eye, int64_t frame)
{
	struct vrs_matte_report *r = m->report;
	const struct vrs_matte *matte = &m->eye[eye].matte;
	struct vrs_matte_shape shape;
	size_t n = 0;
	for (int y = 0; y < matte->height; y++)
		for (int x = 0; x < matte->width; x++)
			m->alpha[n++] = (float)matte->data[matte->stride * y + x] / 255;
	put(r, eye, VRS_MATTE_DOUBT, frame, 1 - vrs_matte_confidence(m->alpha, n));
	vrs_shape_find(&m->shape, matte, &shape);
	if (!(shape.people > 0))
		return 0;
	put(r, eye, VRS_MATTE_SOFT, frame, shape.soft);
	put(r, eye, VRS_MATTE_EDGE_WIDTH, frame, shape.edge_width);
	put(r, eye, VRS_MATTE_HOLES, frame, shape.holes);
	put(r, eye, VRS_MATTE_ISLANDS, frame, shape.islands);
	return shape.people;
}

/* What the picture under the matte tells. */
static enum vrs_status measure_picture(struct vrs_matte_meter *m, int eye, int64_t frame, double *ret_moving)
{
	const struct eye *e = &m->eye[eye];
	struct vrs_outline_slope slope;
	struct vrs_rect box;
	int reach = (int)lround(REACH_SHARE * e->matte.width);
	enum vrs_status status = vrs_outline_slope(&slope, &e->matte, &e->luma, reach < LEAST_REACH ? LEAST_REACH : reach);
	if (status == VRS_OK)
		status = vrs_person_box(&box, &e->past, m->circle);
	if (status != VRS_OK)
		return status;
	put(m->report, eye, VRS_MATTE_MISFIT, frame, slope.near > 0 ? 1 - slope.at / slope.near : (double)NAN);
	if (frame == 0 || box.width == 0)
		return VRS_OK;
	const struct vrs_matte mattes[2] = {e->matte, e->past}, lumas[2] = {e->luma, e->past_luma};
	struct vrs_matte_stillness still = vrs_matte_stillness(mattes, lumas, vrs_person_box_area(&box, e->matte.width, e->matte.height, m->circle));
	put(m->report, eye, VRS_MATTE_FLICKER, frame, still.flicker);
	*ret_moving = still.moving > *ret_moving ? still.moving : *ret_moving;
	return VRS_OK;
}

static enum vrs_status measure_truth(struct vrs_matte_meter *m, int eye, int64_t frame)
{
	const struct eye *e = &m->eye[eye];
	const struct vrs_matte pair[2] = {e->matte, e->truth}, past[2] = {e->past, e->past_truth};
	struct vrs_truth_error_set set[2];
	enum vrs_status status = m->errors.components ? VRS_OK
						      : vrs_truth_errors_init(&m->errors, &m->arena, &m->shape.components, m->circle, m->weight);
	if (status == VRS_OK)
		status = vrs_truth_errors_measure(&m->errors, pair, frame > 0 ? past : NULL, set);
	if (status == VRS_OK)
		status = vrs_truth_meter_add(m->truth, frame, eye, &e->matte, &e->truth, true);
	for (int i = 0; i < 2 && status == VRS_OK; i++) {
		bool angle = i == 1;
		put(m->report, eye, angle ? VRS_MATTE_IOU_ANGLE : VRS_MATTE_IOU, frame, set[i].iou);
		put(m->report, eye, angle ? VRS_MATTE_BOUNDARY_IOU_ANGLE : VRS_MATTE_BOUNDARY_IOU, frame, set[i].boundary_iou);
		put(m->report, eye, angle ? VRS_MATTE_MAD_ANGLE : VRS_MATTE_MAD, frame, set[i].mad);
		put(m->report, eye, angle ? VRS_MATTE_MSE_ANGLE : VRS_MATTE_MSE, frame, set[i].mse);
		put(m->report, eye, angle ? VRS_MATTE_SAD_ANGLE : VRS_MATTE_SAD, frame, set[i].sad);
		put(m->report, eye, angle ? VRS_MATTE_GRAD_ANGLE : VRS_MATTE_GRAD, frame, set[i].grad);
		put(m->report, eye, angle ? VRS_MATTE_CONN_ANGLE : VRS_MATTE_CONN, frame, set[i].conn);
		put(m->report, eye, angle ? VRS_MATTE_DTSSD_ANGLE : VRS_MATTE_DTSSD, frame, set[i].dtssd);
	}
	return status;
}

/* The pictures of both eyes tell where each part of one lies in the other. */
static void measure_eyes(struct vrs_matte_meter *m, int64_t frame)
{
	struct vrs_matte mattes[2], lumas[2];
	for (int i = 0; i < 2; i++) {
		vrs_matte_reduce(&m->eye[i].small[0], &m->eye[i].matte, m->factor);
		vrs_matte_reduce(&m->eye[i].small[1], &m->eye[i].luma, m->factor);
		mattes[i] = m->eye[i].small[0];
		lumas[i] = m->eye[i].small[1];
	}
	put(m->report, 0, VRS_MATTE_EYES, frame, 1 - vrs_disparity_agreement(lumas, mattes, m->circle).mattes);
}

/* Does the picture begin a new scene? */
static bool find_cut(struct vrs_matte_meter *m, int64_t frame)
{
	const struct vrs_matte *luma = &m->eye[0].luma;
	m->past_signature = m->signature;
	vrs_scene_signature_begin(&m->signature);
	for (int y = 0; y < luma->height; y++) {
		for (int x = 0; x < luma->width; x++)
			m->row[x] = (uint16_t)(luma->data[luma->stride * y + x] << 7);
		vrs_scene_signature_row(&m->signature, m->row, y, luma->width, luma->height);
	}
	vrs_scene_signature_end(&m->signature);
	return frame > 0 && vrs_scene_cut(&m->past_signature, &m->signature);
}

/* The frame before this one, now that both its neighbours are there. */
static enum vrs_status measure_past(struct vrs_matte_meter *m, int64_t frame)
{
	enum vrs_status status = VRS_OK;
	double glitch = 0, late = 0;
	for (int eye = 0; eye < m->report->eyes; eye++) {
		const struct eye *e = &m->eye[eye];
		double to_past = vrs_matte_overlap(&e->before, &e->past), to_next = vrs_matte_overlap(&e->past, &e->matte);
		double jump = fmax(0, vrs_matte_overlap(&e->before, &e->matte) - fmax(to_past, to_next));
		put(m->report, eye, VRS_MATTE_JUMP, frame - 1, jump);
		glitch = fmax(glitch, jump);
		late = fmax(late, to_past - to_next);
	}
	if (m->past_cut && late > LATE)
		status = vrs_matte_event_add(m->report, VRS_MATTE_EVENT_LATE_CUT, frame - 1, late);
	else if (glitch > GLITCH)
		status = vrs_matte_event_add(m->report, VRS_MATTE_EVENT_GLITCH, frame - 1, glitch);
	return status;
}

/* The matte of the frame before once more? */
static enum vrs_status measure_repeat(struct vrs_matte_meter *m, int64_t frame, double moving)
{
	for (int eye = 0; eye < m->report->eyes; eye++)
		if (vrs_matte_largest_change(&m->eye[eye].matte, &m->eye[eye].past) > REPEATED)
			return VRS_OK;
	m->report->identical++;
	return moving > MOVING ? vrs_matte_event_add(m->report, VRS_MATTE_EVENT_REPEATED, frame, moving) : VRS_OK;
}

static void shift(struct vrs_matte *newest, struct vrs_matte *past, const struct vrs_matte *from)
{
	struct vrs_matte oldest = *past;
	*past = *newest;
	*newest = oldest;
	for (int y = 0; y < from->height; y++)
		memcpy(newest->data + newest->stride * y, from->data + from->stride * y, (size_t)from->width);
}

static bool fits(const struct vrs_matte_meter *m, const struct vrs_matte *mattes)
{
	for (int i = 0; mattes && i < m->report->eyes; i++)
		if (mattes[i].width != m->report->eye_width || mattes[i].height != m->report->eye_height || !mattes[i].data)
			return false;
	return true;
}

/* What was new is past, and the sample is new. */
static void take(struct vrs_matte_meter *m, const struct vrs_matte_sample *s)
{
	for (int i = 0; i < m->report->eyes; i++) {
		struct eye *e = &m->eye[i];
		struct vrs_matte oldest = e->before;
		e->before = e->past;
		e->past = oldest;
		shift(&e->matte, &e->past, &s->matte[i]);
		if (s->luma)
			shift(&e->luma, &e->past_luma, &s->luma[i]);
		if (s->truth)
			shift(&e->truth, &e->past_truth, &s->truth[i]);
	}
}

static enum vrs_status remember_time(struct vrs_matte_report *r, double seconds)
{
	uint64_t n = r->frames;
	if ((n & (n - 1)) == 0) {
		double *grown = vrs_realloc_array(r->seconds, n ? 2 * n : 1, sizeof *grown);
		if (!grown)
			return VRS_ENOMEM;
		r->seconds = grown;
	}
	r->seconds[r->frames++] = seconds;
	return VRS_OK;
}

static enum vrs_status measure_frame(struct vrs_matte_meter *m, int64_t frame, bool has_luma, bool has_truth)
{
	int eyes = m->report->eyes;
	double people = 0, moving = 0;
	enum vrs_status status = VRS_OK;
	for (int eye = 0; eye < eyes && status == VRS_OK; eye++) {
		people += measure_shape(m, eye, frame);
		if (has_luma)
			status = measure_picture(m, eye, frame, &moving);
		if (status == VRS_OK && has_truth)
			status = measure_truth(m, eye, frame);
	}
	if (status == VRS_OK && eyes > 1 && people > 0 && has_luma)
		measure_eyes(m, frame);
	if (status == VRS_OK && frame > 1)
		status = measure_past(m, frame);
	if (status == VRS_OK && frame > 0 && people > 0)
		status = measure_repeat(m, frame, moving);
	return status;
}

enum vrs_status vrs_matte_meter_add(struct vrs_matte_meter *m, const struct vrs_matte_sample *s)
{
	struct vrs_matte_report *r = m->report;
	if (s->index != (int64_t)r->frames || !s->matte || !fits(m, s->matte) || !fits(m, s->luma) || !fits(m, s->truth))
		return VRS_EINVAL;
	take(m, s);
	enum vrs_status status = remember_time(r, s->seconds);
	if (status == VRS_OK)
		status = measure_frame(m, s->index, s->luma != NULL, s->truth != NULL);
	if (status == VRS_OK && s->luma)
		status = vrs_matte_sync_add(&m->sync, s->matte, s->luma);
	m->past_cut = s->luma && find_cut(m, s->index);
	r->cuts += m->past_cut;
	r->has_picture = s->luma != NULL;
	r->has_truth = s->truth != NULL;
	return status;
}

/* Those of vrs_truth_meter, which vrseg --truth prints too. */
static void take_truth(struct vrs_matte_report *r, int eye, enum vrs_matte_metric metric, const struct vrs_truth_metric *from, uint64_t frames)
{
	r->value[eye][metric] = (struct vrs_matte_value){frames, from->mean, from->worst, from->worst_frame};
}

void vrs_matte_meter_finish(struct vrs_matte_meter *m)
{
	struct vrs_matte_report *r = m->report;
	struct vrs_truth_result result;
	for (int eye = 0; eye < MAX_EYES; eye++)
		for (int i = 0; i < VRS_MATTE_METRICS; i++)
			if (r->value[eye][i].frames > 0)
				r->value[eye][i].mean /= (double)r->value[eye][i].frames;
	r->sync = vrs_matte_sync_result(&m->sync);
	vrs_truth_meter_sums(m->truth, &r->truth);
	vrs_truth_sums_result(&r->truth, &result);
	for (int eye = 0; eye < r->eyes; eye++) {
		const struct vrs_truth_score *score = &result.frame_size[eye];
		take_truth(r, eye, VRS_MATTE_BOUNDARY_F, &score->boundary_f, score->frames);
		take_truth(r, eye, VRS_MATTE_CONTOUR_F, &score->contour_f, score->frames);
	}
}
