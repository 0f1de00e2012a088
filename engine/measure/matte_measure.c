/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <vrseg/matte_measure.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"
#include "measure/matte_inputs.h"
#include "measure/matte_meter.h"
#include "vr/solid_angle.h"

struct measuring {
	struct vrs_matte_inputs inputs;
	struct vrs_matte_meter *meter;
	struct vrs_matte_report *report;
	float *weight;              /* NULL: none */
	int64_t past_source;        /* frame of the source that the matte before is paired with, counted from 1; 0: none */
	double past_seconds;
};

/* Flat pictures have no weights: how wide they look is not known. */
static enum vrs_status make_weights(struct measuring *m, struct vrs_error *err)
{
	const struct vrs_layout *layout = &m->inputs.mattes.layout;
	struct vrs_lens lens;
	if (layout->projection == VRS_PROJECTION_UNKNOWN || layout->projection == VRS_PROJECTION_FLAT)
		return VRS_OK;
	enum vrs_status status = vrs_lens_of_layout(&lens, layout, m->inputs.width, m->inputs.height, err);
	if (status != VRS_OK)
		return status;
	m->weight = vrs_calloc((size_t)m->inputs.width * (size_t)m->inputs.height, sizeof *m->weight);
	if (!m->weight)
		return vrs_fail_nomem(err);
	vrs_solid_angles(&lens, m->weight);
	return VRS_OK;
}

static enum vrs_status begin(struct measuring *m, const struct vrs_matte_request *request, struct vrs_error *err)
{
	const struct vrs_matte_video *mattes = &m->inputs.mattes;
	struct vrs_matte_report *r = m->report;
	enum vrs_status status = vrs_matte_inputs_open(&m->inputs, request, err);
	if (status == VRS_OK)
		status = make_weights(m, err);
	if (status != VRS_OK)
		return status;
	r->kind = mattes->kind;
	memcpy(r->kind_reason, mattes->reason, sizeof r->kind_reason);
	r->layout = mattes->layout;
	r->width = mattes->width;
	r->height = mattes->height;
	r->eyes = m->inputs.eyes;
	r->eye_width = m->inputs.width;
	r->eye_height = m->inputs.height;
	status = vrs_matte_meter_create(&m->meter, r, m->inputs.circle > 0, m->weight);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "no memory to measure mattes of %dx%d", r->eye_width, r->eye_height);
}

/* Frames that are missing: by the source where there is one, else by the rate. */
static enum vrs_status check_times(struct measuring *m, int64_t index)
{
	const struct vrs_matte_video *mattes = &m->inputs.mattes, *source = &m->inputs.source;
	double step = vrs_matte_video_step(mattes), missing = 0;
	enum vrs_status status = VRS_OK;
	if (m->inputs.has_source) {
		double off = fabs(source->seconds - mattes->seconds), source_step = vrs_matte_video_step(source);
		double every = step > 0 && source_step > 0 ? fmax(1, round(step / source_step)) : 1; /* --every-nth makes fewer on purpose */
		missing = index > 0 ? round((double)(source->frames - m->past_source) / every) - 1 : 0;
		if (step > 0 && off > step / 2)
			status = vrs_matte_event_add(m->report, VRS_MATTE_EVENT_UNPAIRED, index, off);
	} else if (index > 0 && step > 0) {
		missing = round((mattes->seconds - m->past_seconds) / step) - 1;
	}
	if (status == VRS_OK && missing > 0)
		status = vrs_matte_event_add(m->report, VRS_MATTE_EVENT_GAP, index, missing);
	m->past_source = source->frames;
	m->past_seconds = mattes->seconds;
	return status;
}

static enum vrs_status measure_frames(struct measuring *m, struct vrs_error *err)
{
	struct vrs_matte_inputs *in = &m->inputs;
	enum vrs_status status = VRS_OK;
	for (int64_t i = 0; in->request->most_frames == 0 || i < in->request->most_frames; i++) {
		if (vrs_stop_requested())
			return vrs_fail(err, VRS_ESTOPPED, "stopped after %lld frames", (long long)i);
		status = vrs_matte_inputs_read(in, err);
		if (status != VRS_OK)
			break;
		struct vrs_matte_sample sample = {i, in->mattes.seconds, in->matte, in->has_picture ? in->luma : NULL, in->has_truth ? in->truths : NULL};
		status = vrs_matte_inputs_draw(in);
		if (status == VRS_OK)
			status = check_times(m, i);
		if (status == VRS_OK)
			status = vrs_matte_meter_add(m->meter, &sample);
		if (status != VRS_OK)
			return vrs_fail(err, status, "cannot measure frame %lld of %s: %s", (long long)i, in->mattes.path, vrs_status_str(status));
		vrs_stop_moved();
	}
	return status == VRS_END ? VRS_OK : status;
}

/* Does the source have frames that no matte was made of? */
static enum vrs_status check_end(struct measuring *m, struct vrs_error *err)
{
	struct vrs_matte_video *source = &m->inputs.source;
	if (!m->inputs.has_source)
		return VRS_OK;
	m->report->source_frames = (uint64_t)source->frames;
	if (m->inputs.request->most_frames > 0 && (int64_t)m->report->frames >= m->inputs.request->most_frames)
		return VRS_OK;
	enum vrs_status status = vrs_matte_video_read(source, err);
	m->report->source_goes_on = status == VRS_OK;
	return status == VRS_END ? VRS_OK : status;
}

enum vrs_status vrs_matte_measure(struct vrs_matte_report **ret_report, const struct vrs_matte_request *request, struct vrs_error *err)
{
	struct measuring *m = vrs_calloc(1, sizeof *m);
	if (m)
		m->report = vrs_calloc(1, sizeof *m->report);
	if (!m || !m->report) {
		vrs_free(m);
		return vrs_fail_nomem(err);
	}
	enum vrs_status status = begin(m, request, err);
	if (status == VRS_OK)
		status = measure_frames(m, err);
	if (status == VRS_OK)
		status = check_end(m, err);
	if (status == VRS_OK) {
		vrs_matte_meter_finish(m->meter);
		*ret_report = m->report;
	} else {
		vrs_matte_report_destroy(m->report);
	}
	vrs_matte_meter_destroy(m->meter);
	vrs_matte_inputs_close(&m->inputs);
	vrs_free(m->weight);
	vrs_free(m);
	return status;
}
