/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One frame through the network, shown as a contact sheet: a row per eye with input, matte and composite. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"
#include "pipeline/job.h"
#include "pipeline/job_input.h"
#include "pipeline/view.h"

#define CELL_MAX 640 /* larger side of a cell, pixels */
#define GAP 8        /* between cells and around them */
#define COLUMNS 3

struct preview {
	const struct vrs_settings *settings;
	const char *input;
	double seconds;
	struct vrs_source *source;
	struct vrs_backdrop_feed *backdrop; /* NULL: no file */
	struct vrs_frame frame;
	struct vrs_layout layout;
	int eyes;
	struct vrs_rect eye[VRS_MAX_EYES], view[VRS_MAX_EYES];
	struct vrs_network network;
	struct vrs_network_shape shape;
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_matte mattes[VRS_MAX_EYES];
	struct vrs_frame composed[2];  /* matte, composite: full size */
	struct vrs_frame sheet;        /* 4:4:4, 8 bits */
};

/* Whether the input is shorter than that; false when it cannot be told. */
static bool ends_before(const char *input, double seconds)
{
	const struct vrs_source_options options = {.threads = 1};
	struct vrs_source *source;
	if (vrs_source_open(&source, input, &options, NULL))
		return false;
	double duration = vrs_source_info(source)->duration_seconds;
	vrs_source_close(source);
	return duration > 0 && duration <= seconds;
}

static enum vrs_status read_frame(struct preview *p, const char *input, double seconds, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = p->settings->pipeline.decode_threads, .start_seconds = seconds};
	enum vrs_status status = vrs_source_open(&p->source, input, &options, err);
	if (!status)
		status = vrs_source_read(p->source, &p->frame, err);
	if (status == VRS_END || (status == VRS_EFORMAT && seconds > 0 && ends_before(input, seconds))) {
		*err = (struct vrs_error){0};
		return vrs_fail(err, VRS_ECONFIG, "%s ends before %g seconds", input, seconds);
	}
	if (status)
		return status;
	const struct vrs_picture_format *format = &p->frame.format;
	status = vrs_input_layout(&p->layout, p->settings, vrs_source_info(p->source), input, err);
	if (status)
		return status;
	p->eyes = vrs_layout_eyes(&p->layout);
	for (int i = 0; i < p->eyes; i++) {
		p->eye[i] = vrs_layout_eye(&p->layout, format->width, format->height, i);
		p->view[i] = vrs_view_rect(&p->layout, p->settings, format, i);
	}
	return VRS_OK;
}

/* Preprocess the view of one eye and run. */
static enum vrs_status look(struct preview *p, struct vrs_preprocess *pre, int eye, float *alpha, struct vrs_error *err)
{
	enum vrs_status status = vrs_preprocess_place(pre, &p->view[eye]);
	if (status)
		return status;
	vrs_preprocess_run(pre, &p->frame, vrs_head_input(p->head), NULL);
	vrs_head_begin(p->head, 0, eye, true);
	status = vrs_session_run(p->session, err);
	if (!status)
		vrs_head_end(p->head, 0, eye, alpha);
	return status;
}

/* From the network's alpha to the matte that is shown. */
static enum vrs_status finish_matte(struct preview *p, struct vrs_postprocess *post, int eye, const float *alpha)
{
	int width = p->shape.matte_width, height = p->shape.matte_height;
	struct vrs_luma_view view;
	enum vrs_status status = vrs_luma_view_init(&view, &p->frame.format, &p->view[eye], width, height);
	if (status)
		return status;
	uint8_t *luma = vrs_calloc((size_t)width * (size_t)height, 1);
	status = luma ? vrs_luma_view_get(&view, &p->frame, &p->view[eye], luma, NULL) : VRS_ENOMEM;
	const struct vrs_temporal_frame frame = {.alpha = alpha, .luma = luma, .view = &p->view[eye]};
	if (!status) {
		(void)vrs_postprocess_push(post, &frame);
		(void)vrs_postprocess_take(post, true, &p->mattes[eye], NULL);
	}
	vrs_luma_view_fini(&view);
	vrs_free(luma);
	return status;
}

/* Preprocess one eye, run, and make its matte. The session has a batch of one. */
static enum vrs_status run_eye(struct preview *p, int eye, struct vrs_error *err)
{
	const struct vrs_manifest *manifest = &p->network.manifest;
	bool follows = p->settings->matte.follow && manifest->state_count == 0;
	struct vrs_follow follow = vrs_follow_make(&p->eye[eye], &p->view[eye], &p->frame.format);
	struct vrs_preprocess_options options = {.format = p->frame.format, .rect = follows ? p->eye[eye] : p->view[eye], .width = p->shape.input_width,
		.height = p->shape.input_height, .bgr = manifest->bgr};
	memcpy(options.mean, manifest->mean, sizeof options.mean);
	memcpy(options.scale, manifest->scale, sizeof options.scale);
	struct vrs_postprocess_options post_options = vrs_matte_stage_options(p->settings, p->shape.matte_width, p->shape.matte_height);
	post_options.smoothing = post_options.window = post_options.stride = 1; /* there is one frame */
	struct vrs_preprocess *pre = NULL;
	struct vrs_postprocess *post = NULL;
	size_t n = (size_t)p->shape.matte_width * (size_t)p->shape.matte_height;
	float *alpha = vrs_calloc(n, sizeof *alpha);
	uint8_t *pixels = vrs_calloc(n, 1);
	p->mattes[eye] = (struct vrs_matte){.width = p->shape.matte_width, .height = p->shape.matte_height, .stride = p->shape.matte_width,
		.data = pixels};
	enum vrs_status status = alpha && pixels ? vrs_preprocess_create(&pre, &options) : VRS_ENOMEM;
	if (!status)
		status = vrs_postprocess_create(&post, &post_options);
	for (int looks = 1; !status; looks++) {
		status = look(p, pre, eye, alpha, err);
		struct vrs_rect next;
		if (status || !follows || looks == VRS_FOLLOW_MOST_LOOKS ||
		    vrs_follow_judge(&follow, &p->view[eye], alpha, p->shape.matte_width, p->shape.matte_height, &next) == VRS_FOLLOW_GOOD)
			break;
		p->view[eye] = next;
	}
	if (!status)
		status = finish_matte(p, post, eye, alpha);
	vrs_preprocess_destroy(pre);
	vrs_postprocess_destroy(post);
	vrs_free(alpha);
	return status;
}

static enum vrs_status run_network(struct preview *p, struct vrs_error *err)
{
	enum vrs_status status = vrs_network_load(&p->network, p->settings, p->settings->engine.threads, 1, err);
	if (!status)
		status = vrs_network_need_calibration(&p->network, p->settings, p->input, err);
	if (!status)
		status = vrs_session_create(&p->session, p->network.model, &p->network.options, err);
	if (!status)
		status = vrs_head_create(&p->head, &p->network.manifest, p->session, p->eyes, err);
	if (!status)
		p->shape = *vrs_head_shape(p->head);
	for (int i = 0; i < p->eyes && !status; i++)
		status = run_eye(p, i, err);
	return status;
}

/* The people before what the settings put behind them at that time. */
static enum vrs_status compose_one(struct preview *p, const struct vrs_composite_options *options, struct vrs_frame *dst, struct vrs_error *err)
{
	struct vrs_composite *composite = NULL;
	struct vrs_frame behind = {0};
	enum vrs_status status = vrs_composite_create(&composite, options);
	if (!status && options->backdrop.kind == VRS_BACKDROP_VIDEO) {
		status = vrs_backdrop_feed_at(p->backdrop, p->seconds, &behind, err);
		if (!status)
			vrs_composite_behind(composite, &behind);
	}
	if (!status)
		vrs_composite_run(composite, dst, &p->frame, p->mattes, NULL);
	vrs_composite_destroy(composite);
	vrs_frame_unref(&behind);
	return status;
}

static enum vrs_status compose(struct preview *p, struct vrs_error *err)
{
	struct vrs_picture_format format = vrs_composite_format(&p->frame.format);
	enum vrs_status status = vrs_backdrop_open(&p->backdrop, p->settings, &p->layout, &p->frame.format, err);
	for (int i = 0; i < 2 && !status; i++) {
		struct vrs_composite_options options = {.format = p->frame.format, .mode = i == 0 ? VRS_COMPOSITE_MATTE : VRS_COMPOSITE_GREEN,
			.view_count = p->eyes, .matte_width = p->shape.matte_width, .matte_height = p->shape.matte_height};
		memcpy(options.color, p->settings->output.color, sizeof options.color);
		memcpy(options.views, p->view, sizeof options.views);
		if (i == 1)
			vrs_backdrop_plan(&options, p->settings, &p->layout, p->backdrop);
		status = vrs_frame_alloc(&p->composed[i], &format);
		if (!status)
			status = compose_one(p, &options, &p->composed[i], err);
	}
	return status;
}

/* Part rect of the frame, scaled into the cell of the sheet at (x, y). */
static enum vrs_status draw_cell(struct preview *p, const struct vrs_frame *frame, const struct vrs_rect *rect, const struct vrs_rect *cell)
{
	uint16_t *row = vrs_calloc((size_t)cell->width, sizeof *row);
	enum vrs_status status = row ? VRS_OK : VRS_ENOMEM;
	for (int plane = 0; plane < 3 && !status; plane++) {
		struct vrs_plane_scaler scaler;
		bool neutral = plane > 0 && frame->format.planes == 1;
		if (!neutral)
			status = vrs_plane_scaler_init(&scaler, &frame->format, plane, rect, cell->width, cell->height);
		for (int y = 0; y < cell->height && !status; y++) {
			uint8_t *dst = p->sheet.data[plane] + p->sheet.stride_bytes[plane] * (cell->y + y) + cell->x;
			if (!neutral)
				vrs_plane_scaler_row(&scaler, frame, y, row);
			for (int x = 0; x < cell->width; x++) {
				int value = neutral ? 128 : (row[x] + 64) >> 7; /* sample15 to 8 bits */
				dst[x] = (uint8_t)(value > 255 ? 255 : value);
			}
		}
		if (!neutral && !status)
			vrs_plane_scaler_fini(&scaler);
	}
	vrs_free(row);
	return status;
}

static enum vrs_status draw_sheet(struct preview *p)
{
	const struct vrs_rect *eye = &p->eye[0];
	int larger = eye->width > eye->height ? eye->width : eye->height, size = larger < CELL_MAX ? larger : CELL_MAX;
	int width = (int)((int64_t)eye->width * size / larger), height = (int)((int64_t)eye->height * size / larger);
	width = width < 1 ? 1 : width;
	height = height < 1 ? 1 : height;
	struct vrs_picture_format format = p->frame.format;
	format.width = COLUMNS * (width + GAP) + GAP;
	format.height = p->eyes * (height + GAP) + GAP;
	format.planes = 3;
	format.chroma_shift_x = format.chroma_shift_y = format.chroma_location = 0;
	format.bit_depth = 8;
	enum vrs_status status = vrs_frame_alloc(&p->sheet, &format);
	if (status)
		return status;
	for (int plane = 0; plane < 3; plane++)
		for (int y = 0; y < format.height; y++)
			memset(p->sheet.data[plane] + p->sheet.stride_bytes[plane] * y, plane ? 128 : vrs_luma_from_grey(&format, 64),
			       (size_t)format.width);
	const struct vrs_frame *pictures[COLUMNS] = {&p->frame, &p->composed[0], &p->composed[1]};
	for (int i = 0; i < p->eyes; i++)
		for (int column = 0; column < COLUMNS && !status; column++) {
			struct vrs_rect cell = {.x = GAP + column * (width + GAP), .y = GAP + i * (height + GAP), .width = width, .height = height};
			status = draw_cell(p, pictures[column], &p->eye[i], &cell);
		}
	return status;
}

static enum vrs_status write_sheet(struct preview *p, const char *path, struct vrs_error *err)
{
	struct vrs_sink *sink = NULL;
	const struct vrs_sink_options options = {.crf = -1, .threads = 1, .overwrite = p->settings->output.overwrite, .format = p->sheet.format,
		.fps_num = 1, .fps_den = 1, .time_base_num = 1, .time_base_den = 1, .sar_num = 1, .sar_den = 1};
	enum vrs_status status = vrs_sink_open(&sink, path, &options, NULL, err);
	if (status)
		return status;
	p->sheet.pts = 0;
	status = vrs_sink_write(sink, &p->sheet, err);
	memset(&p->sheet, 0, sizeof p->sheet); /* the sink took the reference */
	if (!status)
		status = vrs_sink_finish(sink, err);
	vrs_sink_close(sink);
	return status;
}

static void preview_fini(struct preview *p)
{
	vrs_frame_unref(&p->frame);
	for (int i = 0; i < 2; i++)
		vrs_frame_unref(&p->composed[i]);
	vrs_frame_unref(&p->sheet);
	for (int i = 0; i < VRS_MAX_EYES; i++)
		vrs_free(p->mattes[i].data);
	vrs_head_destroy(p->head);
	vrs_session_destroy(p->session);
	vrs_network_fini(&p->network);
	vrs_backdrop_feed_destroy(p->backdrop);
	vrs_source_close(p->source);
}

static bool is_png(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && strcasecmp(path + n - 4, ".png") == 0;
}

enum vrs_status vrs_job_preview(const char *input, const struct vrs_settings *settings, double seconds, const char *path, struct vrs_error *err)
{
	struct preview p = {.settings = settings, .input = input, .seconds = seconds};
	struct vrs_error local = {0};
	if (!is_png(path))
		return vrs_fail(err, VRS_ECONFIG, "a preview is a PNG picture; %s does not end in .png", path);
	enum vrs_status status = read_frame(&p, input, seconds, &local);
	if (!status)
		status = run_network(&p, &local);
	if (!status)
		status = compose(&p, &local);
	if (!status)
		status = draw_sheet(&p);
	if (!status)
		status = write_sheet(&p, path, &local);
	preview_fini(&p);
	if (status && err) {
		if (!local.text[0])
			vrs_fail(&local, status, "cannot make the preview of %s: %s", input, vrs_status_str(status));
		*err = local;
	}
	return status;
}
