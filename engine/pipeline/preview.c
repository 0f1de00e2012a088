/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One frame through the network, shown as a contact sheet: a row per eye with input, matte and composite. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "matte/matte_expand.h"
#include "matte/tonemap.h"
#include "video/source.h"
#include "compose/compose_plan.h"
#include "compose/tonemap_step.h"
#include "job/contact_sheet.h"
#include "job/job_request.h"

#include <vrseg/config.h>

#define CELL_MAX 640 /* larger side of a cell, pixels */
#define COLUMNS 3

struct preview {
	const struct vrs_settings *settings;
	const char *input;
	double seconds;
	struct vrs_source *source;
	struct vrs_manifest manifest;  /* of the network */
	struct vrs_backdrop_feed *backdrop; /* NULL: no file */
	struct vrs_frame frame;
	struct vrs_layout layout;
	int eyes;
	struct vrs_rect eye[VRS_MAX_EYES], view[VRS_MAX_EYES];
	struct vrs_arena arena;        /* of the mattes */
	struct vrs_matte mattes[VRS_MAX_EYES];
	struct vrs_frame composed[2];  /* matte, composite: full size */
	struct vrs_contact_sheet sheet;
};

/* Whether the input is shorter than that; false when it cannot be told. */
static bool ends_before(const struct vrs_settings *settings, const char *input, double seconds)
{
	struct vrs_source_options options = vrs_input_options(settings, 1);
	struct vrs_source *source;
	options.start_seconds = options.duration_seconds = 0;
	if (vrs_source_open(&source, input, &options, NULL))
		return false;
	double duration = vrs_source_info(source)->duration_seconds;
	vrs_source_close(source);
	return duration > 0 && duration <= seconds;
}

/* The sheet has 8 bits. */
static enum vrs_status make_sdr(struct preview *p)
{
	struct vrs_tonemap *tonemap = NULL;
	struct vrs_frame mapped;
	enum vrs_status status = vrs_tonemap_for(&tonemap, p->settings, vrs_source_info(p->source), true);
	if (!tonemap)
		return status;
	struct vrs_picture_format target = vrs_tonemap_format(&p->frame.format);
	status = vrs_frame_alloc(&mapped, &target);
	if (status == VRS_OK) {
		vrs_tonemap_run(tonemap, &mapped, &p->frame);
		vrs_frame_unref(&p->frame);
		p->frame = mapped;
	}
	vrs_tonemap_destroy(tonemap);
	return status;
}

static enum vrs_status read_frame(struct preview *p, const char *input, double seconds, struct vrs_error *err)
{
	struct vrs_source_options options = vrs_input_options(p->settings, p->settings->pipeline.decode_threads);
	options.start_seconds = seconds;
	options.duration_seconds = 0;
	enum vrs_status status = vrs_source_open(&p->source, input, &options, err);
	if (status == VRS_OK)
		status = vrs_source_read(p->source, &p->frame, err);
	if (status == VRS_END || (status == VRS_EFORMAT && seconds > 0 && ends_before(p->settings, input, seconds))) {
		*err = (struct vrs_error){0};
		return vrs_fail(err, VRS_EFORMAT, "%s ends before %g seconds", input, seconds);
	}
	if (status == VRS_OK)
		status = make_sdr(p);
	if (status != VRS_OK)
		return status;
	const struct vrs_picture_format *format = &p->frame.format;
	status = vrs_input_layout(&p->layout, p->settings, vrs_source_info(p->source), input, err);
	if (status != VRS_OK)
		return status;
	p->frame.format.circle = vrs_layout_circle(&p->layout, format); /* as in a job: views of the mattes may cross the seam */
	p->eyes = vrs_layout_eyes(&p->layout);
	for (int i = 0; i < p->eyes; i++)
		p->eye[i] = vrs_layout_eye(&p->layout, format->width, format->height, i);
	return VRS_OK;
}

/* The one frame's matte of an eye, and where it lies. */
static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct preview *p = cookie;
	(void)index;
	p->view[eye] = *covers;
	if (vrs_matte_init(&p->mattes[eye], &p->arena, matte->width, matte->height) != VRS_OK)
		return;
	for (int y = 0; y < matte->height; y++)
		memcpy(p->mattes[eye].data + p->mattes[eye].stride * y, matte->data + matte->stride * y, (size_t)matte->width);
}

/* A job over one frame makes the mattes. */
static enum vrs_status make_mattes(struct preview *p, struct vrs_error *err)
{
	const struct vrs_job_callbacks callbacks = {.cookie = p, .on_matte = on_matte};
	struct vrs_settings *settings = vrs_alloc(sizeof *settings);
	struct vrs_job *job = NULL;
	if (!settings)
		return VRS_ENOMEM;
	*settings = *p->settings;
	snprintf(settings->output.file, sizeof settings->output.file, "null:");
	snprintf(settings->output.background, sizeof settings->output.background, "color");
	settings->output.mode = VRS_MODE_GREEN;
	settings->output.fov = 0;
	settings->input.start = p->seconds;
	settings->input.duration = 0;
	settings->pipeline.max_frames = settings->pipeline.every_nth = 1;
	settings->pipeline.live = false;
	settings->pipeline.frames_in_flight = 0;
	settings->report.trace[0] = 0;
	enum vrs_status status = vrs_manifest_load(&p->manifest, settings->engine.model, err);
	if (status == VRS_OK)
		status = vrs_job_create(&job, p->input, settings, 1, &callbacks, err);
	if (status == VRS_OK)
		status = vrs_job_run(job, err);
	vrs_job_destroy(job);
	vrs_free(settings);
	for (int eye = 0; eye < p->eyes && status == VRS_OK; eye++)
		if (!p->mattes[eye].data)
			status = VRS_ENOMEM;
	return status;
}

/* The people before what the settings put behind them at that time. */
static enum vrs_status compose_one(struct preview *p, const struct vrs_composite_options *options, struct vrs_frame *dst, struct vrs_error *err)
{
	struct vrs_arena arena = {0};
	struct vrs_composite *composite;
	struct vrs_frame behind = {0};
	enum vrs_status status = vrs_composite_create(&composite, &arena, options);
	if (status == VRS_OK && options->backdrop.kind == VRS_BACKDROP_VIDEO) {
		status = vrs_backdrop_feed_at(p->backdrop, p->seconds, &behind, err);
		if (status == VRS_OK)
			vrs_composite_behind(composite, &behind);
	}
	if (status == VRS_OK)
		vrs_composite_run(composite, dst, &p->frame, p->mattes, NULL);
	vrs_arena_free(&arena);
	vrs_frame_unref(&behind);
	return status;
}

static enum vrs_status compose(struct preview *p, struct vrs_error *err)
{
	struct vrs_picture_format format = vrs_composite_format(&p->frame.format);
	enum vrs_status status = vrs_backdrop_open(&p->backdrop, p->settings, &p->layout, vrs_source_info(p->source), &p->frame.format,
						   p->settings->pipeline.decode_threads, err);
	for (int i = 0; i < 2 && status == VRS_OK; i++) {
		struct vrs_composite_options options = {.format = p->frame.format, .mode = i == 0 ? VRS_COMPOSITE_MATTE : VRS_COMPOSITE_GREEN,
			.view_count = p->eyes, .matte_width = p->mattes[0].width, .matte_height = p->mattes[0].height,
			.sharp = vrs_sharp_plan(p->settings)};
		memcpy(options.color, p->settings->output.color, sizeof options.color);
		memcpy(options.views, p->view, sizeof options.views);
		if (i == 1) {
			vrs_backdrop_plan(&options, p->settings, &p->layout, p->backdrop);
			options.foreground = vrs_foreground_wanted(p->settings, &p->manifest);
		}
		status = vrs_frame_alloc(&p->composed[i], &format);
		if (status == VRS_OK)
			status = compose_one(p, &options, &p->composed[i], err);
	}
	return status;
}

static enum vrs_status draw_sheet(struct preview *p)
{
	const struct vrs_frame *pictures[COLUMNS] = {&p->frame, &p->composed[0], &p->composed[1]};
	enum vrs_status status = vrs_contact_sheet_init(&p->sheet, &p->frame.format, p->eyes, COLUMNS, p->eye[0].width, p->eye[0].height, CELL_MAX);
	for (int i = 0; i < p->eyes; i++)
		for (int column = 0; column < COLUMNS && status == VRS_OK; column++)
			status = vrs_contact_sheet_draw(&p->sheet, i, column, pictures[column], &p->eye[i]);
	return status;
}

static void preview_fini(struct preview *p)
{
	vrs_frame_unref(&p->frame);
	for (int i = 0; i < 2; i++)
		vrs_frame_unref(&p->composed[i]);
	vrs_contact_sheet_fini(&p->sheet);
	vrs_arena_free(&p->arena);
	vrs_backdrop_feed_destroy(p->backdrop);
	vrs_source_close(p->source);
}

enum vrs_status vrs_job_preview(const char *input, const struct vrs_settings *settings, double seconds, const char *path, struct vrs_error *err)
{
	struct preview p = {.settings = settings, .input = input, .seconds = seconds};
	struct vrs_error local = {0};
	enum vrs_status status = vrs_contact_sheet_check("a preview", path, err);
	if (status == VRS_OK)
		status = vrs_source_check_again(input, "a preview reads the input twice", err);
	if (status != VRS_OK)
		return status;
	status = read_frame(&p, input, seconds, &local);
	if (status == VRS_OK)
		status = make_mattes(&p, &local);
	if (status == VRS_OK)
		status = compose(&p, &local);
	if (status == VRS_OK)
		status = draw_sheet(&p);
	if (status == VRS_OK)
		status = vrs_contact_sheet_write(&p.sheet, path, settings->output.overwrite, &local);
	preview_fini(&p);
	if (status != VRS_OK && err) {
		if (!local.text[0])
			vrs_fail(&local, status, "cannot make the preview of %s: %s", input, vrs_status_str(status));
		*err = local;
	}
	return status;
}
