/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mattes meant are drawn in double precision straight from the lenses, at a fixed size per eye; the video's come through the decoder and the
 * table of tiles.  Packer and check share neither maps nor the form of the discs.
 */
#include <vrseg/pack_check.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/work_folder.h"
#include "matte/matte_expand.h"
#include "job/pack_places.h"
#include "job/packed_video.h"
#include "video/sink.h"
#include "video/source.h"

#define MATTES "mattes.mkv"
#define SIDE 256              /* of a compared matte */
#define MOST_MEAN_MAD 0.01
#define REACH 6               /* samples, of the search for shifts */
#define SHIFT_GAIN 0.5        /* a shift is real when it leaves less than this share of the difference */
#define LEAST_PEOPLE 400      /* pixels of a matte on which a shift can be told */

/* What an encoder may cost; shifts are looked for by themselves.  Red discs also lose their edge to the halved chroma of 4:2:0 (0.04 at crf 20). */
static const struct {
	double mean_iou, worst_iou;
} least[] = {[VRS_ALPHA_GREY] = {0.95, 0.90}, [VRS_ALPHA_RED] = {0.92, 0.85}};

struct vrs_pack_check {
	struct vrs_settings settings;
	struct vrs_work_folder folder;        /* of the mattes meant: beside the output, under a name that no output of ours has */
	char path[PATH_MAX];
	struct vrs_sink *sink;
	struct vrs_pack_place *places;        /* [SIDE][SIDE] */
	int eyes, width, height;              /* eyes of the source; size of the video */
	struct vrs_rect eye[2];
	struct vrs_frame frame;               /* that is being drawn: both eyes side by side */
	uint64_t frames;
	struct vrs_arena arena;
	struct vrs_matte seen;                /* unpacked, in the arena */
	bool shift_known[2];
	enum vrs_status status;
	struct vrs_error error;
};

enum vrs_status vrs_pack_check_create(struct vrs_pack_check **ret_check, const struct vrs_settings *settings, struct vrs_error *err)
{
	const char *file = settings->output.file;

	VRS_ASSERT(settings->output.mode == VRS_MODE_ALPHA);
	if (vrs_sink_is_virtual(file) || !vrs_sink_saves(file))
		return vrs_fail(err, VRS_ECONFIG, "--verify-pack reads the output again, and %s cannot be read; write a file", file);
	struct vrs_pack_check *check = vrs_calloc(1, sizeof *check);
	if (!check)
		return vrs_fail(err, VRS_ENOMEM, "no memory to check packed mattes");
	check->settings = *settings;
	*ret_check = check;
	return VRS_OK;
}

/* In a folder of our own no file of a user is in the way, and what a killed run has left is removed. */
static enum vrs_status open_mattes(struct vrs_pack_check *check, const struct vrs_sink_options *options, struct vrs_error *err)
{
	const char *file = check->settings.output.file;
	char name[VRS_PATH_MAX + 16];
	snprintf(name, sizeof name, "%s.mattes", strncmp(file, "y4m:", 4) == 0 ? file + 4 : file);
	enum vrs_status status = vrs_work_folder_open(&check->folder, name, err);
	if (status == VRS_OK && vrs_path_join(check->path, sizeof check->path, check->folder.path, MATTES) != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the name %.80s... is too long", file);
	if (status != VRS_OK)
		return status;
	vrs_work_folder_remove(&check->folder, MATTES);
	return vrs_sink_open(&check->sink, check->path, options, NULL, err);
}

enum vrs_status vrs_pack_check_attach(struct vrs_pack_check *check, const struct vrs_job_info *info, struct vrs_error *err)
{
	const struct vrs_sink_options options = {.encoder = "ffv1", .crf = -1, .threads = 1, .folder = &check->folder, .overwrite = true,
		.fps_num = 25, .fps_den = 1,
		.time_base_num = 1, .time_base_den = 25, .sar_num = 1, .sar_den = 1,
		.format = {.width = 2 * SIDE, .height = SIDE, .planes = 1, .bit_depth = 8, .range = VRS_RANGE_FULL, .primaries = 2, .transfer = 2}};

	check->eyes = info->eyes;
	check->width = info->output_width;
	check->height = info->output_height;
	for (int i = 0; i < info->eyes; i++)
		check->eye[i] = vrs_layout_eye(&info->layout, info->width, info->height, i);
	check->places = vrs_calloc(SIDE * SIDE, sizeof *check->places);
	if (!check->places)
		return vrs_fail(err, VRS_ENOMEM, "no memory to check packed mattes");
	enum vrs_status status = vrs_pack_places(check->places, &info->layout, check->settings.output.fov, check->eye[0].width, check->eye[0].height,
						 SIDE, err);
	if (status == VRS_OK)
		status = vrs_matte_init(&check->seen, &check->arena, SIDE, SIDE) ? vrs_fail(err, VRS_ENOMEM, "no memory to check packed mattes") : VRS_OK;
	return status != VRS_OK ? status : open_mattes(check, &options, err);
}

static void draw(struct vrs_pack_check *check, int half, const struct vrs_matte *matte, const struct vrs_rect *view)
{
	for (int i = 0; i < SIDE * SIDE; i++) {
		uint8_t *row = check->frame.data[0] + check->frame.stride_bytes[0] * (i / SIDE);
		row[half * SIDE + i % SIDE] = vrs_pack_alpha_at(matte, view, &check->places[i]);
	}
}

void vrs_pack_check_add(struct vrs_pack_check *check, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	const struct vrs_rect view = {.x = covers->x - check->eye[eye].x, .y = covers->y - check->eye[eye].y, .width = covers->width,
		.height = covers->height};
	const struct vrs_picture_format format = {.width = 2 * SIDE, .height = SIDE, .planes = 1, .bit_depth = 8, .range = VRS_RANGE_FULL,
		.primaries = 2, .transfer = 2};

	(void)index; /* in order, as the video's frames */
	if (!check->status && eye == 0)
		check->status = vrs_frame_alloc(&check->frame, &format);
	if (check->status)
		return;
	draw(check, eye, matte, &view);
	if (check->eyes == 1)
		draw(check, 1, matte, &view);
	if (eye + 1 < check->eyes)
		return;
	check->frame.pts = check->frame.index = (int64_t)check->frames++;
	check->frame.duration = 1;
	check->status = vrs_sink_write(check->sink, &check->frame, &check->error);
	memset(&check->frame, 0, sizeof check->frame); /* the sink took the reference */
}

static double difference(const struct vrs_matte *a, const struct vrs_matte *b)
{
	int64_t sum = 0;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			sum += labs((long)a->data[a->stride * y + x] - b->data[b->stride * y + x]);
	return (double)sum / (SIDE * SIDE);
}

static int people(const struct vrs_matte *matte)
{
	int count = 0;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			count += matte->data[matte->stride * y + x] >= 128;
	return count;
}

/* On the first frame with enough people: do tiles lie beside their places, or in the other eye's? */
static void find_shift(struct vrs_pack_check *check, const struct vrs_frame *video, int eye, const struct vrs_matte *meant,
		       struct vrs_pack_result *result)
{
	if (check->shift_known[eye] || people(meant) < LEAST_PEOPLE)
		return;
	check->shift_known[eye] = true;
	vrs_packed_video_matte(&check->seen, video, eye, 0, 0);
	double limit = difference(&check->seen, meant) * SHIFT_GAIN, best = limit;
	int best_dx = 0, best_dy = 0;
	for (int dy = -REACH; dy <= REACH; dy++)
		for (int dx = -REACH; dx <= REACH; dx++) {
			vrs_packed_video_matte(&check->seen, video, eye, dx, dy);
			double here = difference(&check->seen, meant);
			if (here < best) {
				best = here;
				best_dx = dx;
				best_dy = dy;
			}
		}
	vrs_packed_video_matte(&check->seen, video, !eye, 0, 0);
	if (result->reason[0])
		return;
	if (check->eyes == 2 && difference(&check->seen, meant) < best)
		snprintf(result->reason, sizeof result->reason, "the mattes of the two eyes are swapped");
	else if (best < limit && abs(best_dx) < REACH && abs(best_dy) < REACH) /* at the end of the reach it is something else */
		snprintf(result->reason, sizeof result->reason, "the %s eye's matte lies %d pixels to the %s and %d %s of its place in a %dx%d video",
			 eye ? "right" : "left", abs(best_dx), best_dx < 0 ? "left" : "right", abs(best_dy), best_dy < 0 ? "up" : "down",
			 video->format.width, video->format.height);
}

static enum vrs_status compare(struct vrs_pack_check *check, const struct vrs_frame *video, const struct vrs_frame *meant,
			       struct vrs_pack_result *result)
{
	for (int eye = 0; eye < 2; eye++) {
		const struct vrs_matte truth = {.width = SIDE, .height = SIDE, .stride = meant->stride_bytes[0], .data = meant->data[0] + eye * SIDE};
		struct vrs_quality quality;
		find_shift(check, video, eye, &truth, result);
		vrs_packed_video_matte(&check->seen, video, eye, 0, 0);
		enum vrs_status status = vrs_quality_compare(&quality, &check->seen, &truth);
		if (status != VRS_OK)
			return status;
		int64_t frame = (int64_t)result->frames;
		vrs_truth_metric_add(&result->iou[eye], &(struct vrs_truth_metric){quality.iou, quality.iou, frame}, frame == 0, true);
		vrs_truth_metric_add(&result->mad[eye], &(struct vrs_truth_metric){quality.mad, quality.mad, frame}, frame == 0, false);
	}
	result->frames++;
	return VRS_OK;
}

static void judge(const struct vrs_pack_check *check, bool video_ended, struct vrs_pack_result *result)
{
	int color = check->settings.output.alpha_color;
	for (int eye = 0; eye < 2 && result->frames; eye++) {
		result->iou[eye].mean /= (double)result->frames;
		result->mad[eye].mean /= (double)result->frames;
		if (!result->reason[0] && (result->iou[eye].mean < least[color].mean_iou || result->iou[eye].worst < least[color].worst_iou ||
					   result->mad[eye].mean > MOST_MEAN_MAD))
			snprintf(result->reason, sizeof result->reason, "the %s eye's mattes differ from those that were meant, in place; the encoder may cost "
				 "too much (a lower --crf, or grey discs)", eye ? "right" : "left");
	}
	if (result->frames != check->frames || !video_ended)
		snprintf(result->reason, sizeof result->reason, "the video has %s frames than the %llu that were packed",
			 video_ended ? "fewer" : "more", (unsigned long long)check->frames);
	result->passed = !result->reason[0];
}

static enum vrs_status compare_all(struct vrs_pack_check *check, struct vrs_source *video, struct vrs_source *mattes, struct vrs_pack_result *result,
				   struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	bool video_ended = false;

	while (status == VRS_OK) {
		struct vrs_frame a = {0}, b = {0};
		if (vrs_stop_requested())
			return vrs_fail(err, VRS_ESTOPPED, "stopped before all mattes of %s were compared", check->settings.output.file);
		status = vrs_source_read(video, &a, err);
		video_ended = status == VRS_END;
		enum vrs_status other = vrs_source_read(mattes, &b, err);
		status = status != VRS_OK ? status : other;
		if (status == VRS_OK)
			status = compare(check, &a, &b, result);
		vrs_frame_unref(&a);
		vrs_frame_unref(&b);
	}
	if (status != VRS_END)
		return status;
	judge(check, video_ended, result);
	return VRS_OK;
}

enum vrs_status vrs_pack_check_run(struct vrs_pack_check *check, const char *file, struct vrs_pack_result *ret_result, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = 0};
	struct vrs_source *video = NULL, *mattes = NULL;

	memset(ret_result, 0, sizeof *ret_result);
	if (check->status && !check->error.text[0])
		return vrs_fail(err, check->status, "cannot keep the mattes in %s: %s", check->path, vrs_status_str(check->status));
	if (check->status) {
		if (err)
			*err = check->error;
		return check->status;
	}
	enum vrs_status status = vrs_sink_finish(check->sink, err);
	if (status == VRS_OK)
		status = vrs_source_open(&video, file, &options, err);
	if (status == VRS_OK)
		status = vrs_source_open(&mattes, check->path, &options, err);
	const struct vrs_picture_format *f = status != VRS_OK ? NULL : &vrs_source_info(video)->format;
	if (f && (f->width != check->width || f->height != check->height))
		snprintf(ret_result->reason, sizeof ret_result->reason, "the video has %dx%d pixels, %dx%d were packed: tiles lie in the wrong places",
			 f->width, f->height, check->width, check->height);
	else if (f)
		status = compare_all(check, video, mattes, ret_result, err);
	vrs_source_close(video);
	vrs_source_close(mattes);
	return status;
}

void vrs_pack_check_close(struct vrs_pack_check *check)
{
	if (!check)
		return;
	vrs_sink_close(check->sink);
	if (check->folder.lease) {
		vrs_work_folder_remove(&check->folder, MATTES);
		vrs_work_folder_forget_output(&check->folder);
	}
	vrs_work_folder_close(&check->folder);
	vrs_frame_unref(&check->frame);
	vrs_arena_free(&check->arena);
	vrs_free(check->places);
	vrs_free(check);
}
