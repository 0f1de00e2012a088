/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job composes: the options of its composites, and the background behind the people. */
#include <string.h>

#include "pipeline/job.h"


/* The picture divided among the eyes without rest: what lies between or beside the eyes goes to the nearer one. */
static void divide(const struct vrs_layout *layout, const struct vrs_picture_format *format, struct vrs_rect parts[VRS_MAX_EYES])
{
	int eyes = vrs_layout_eyes(layout);
	struct vrs_rect eye[VRS_MAX_EYES];
	for (int i = 0; i < eyes; i++) {
		eye[i] = vrs_layout_eye(layout, format->width, format->height, i);
		parts[i] = (struct vrs_rect){.width = format->width, .height = format->height};
	}
	for (int i = 0; i < eyes && eyes > 1; i++) {
		const struct vrs_rect *other = &eye[1 - i];
		if (eye[i].x > other->x) {
			parts[i].x = eye[i].x;
			parts[i].width = format->width - eye[i].x;
		} else if (eye[i].x < other->x) {
			parts[i].width = other->x;
		} else if (eye[i].y > other->y) {
			parts[i].y = eye[i].y;
			parts[i].height = format->height - eye[i].y;
		} else {
			parts[i].height = other->y;
		}
	}
}

static enum vrs_backdrop_kind backdrop_kind(const struct vrs_settings *settings, const struct vrs_backdrop_feed *feed)
{
	const char *background = settings->output.background;
	if (settings->output.mode != VRS_MODE_GREEN || strcmp(background, "color") == 0)
		return VRS_BACKDROP_COLOR;
	if (strcmp(background, "blur") == 0)
		return VRS_BACKDROP_BLUR;
	return feed && vrs_backdrop_feed_picture(feed) ? VRS_BACKDROP_PICTURE : VRS_BACKDROP_VIDEO;
}

enum vrs_status vrs_backdrop_open(struct vrs_backdrop_feed **ret_feed, const struct vrs_settings *settings, const struct vrs_layout *layout,
				  const struct vrs_picture_format *format, struct vrs_error *err)
{
	struct vrs_backdrop_feed_options options = {.format = vrs_composite_format(format), .layout = layout, .eyes = vrs_layout_eyes(layout),
		.threads = settings->pipeline.decode_threads};
	*ret_feed = NULL;
	if (backdrop_kind(settings, NULL) != VRS_BACKDROP_VIDEO)
		return VRS_OK;
	divide(layout, format, options.parts);
	return vrs_backdrop_feed_create(ret_feed, settings->output.background, &options, err);
}

void vrs_backdrop_plan(struct vrs_composite_options *ret, const struct vrs_settings *settings, const struct vrs_layout *layout,
		       const struct vrs_backdrop_feed *feed)
{
	ret->backdrop = (struct vrs_backdrop_options){.kind = backdrop_kind(settings, feed), .part_count = vrs_layout_eyes(layout),
		.blur = settings->output.blur};
	divide(layout, &ret->format, ret->backdrop.parts);
	ret->backdrop.wraps = vrs_layout_is_whole_turn(layout);
	ret->despill = settings->output.mode == VRS_MODE_GREEN ? settings->matte.despill : 0;
	ret->picture = feed ? vrs_backdrop_feed_picture(feed) : NULL;
}

struct vrs_sharp_options vrs_sharp_plan(const struct vrs_settings *settings)
{
	if (!settings->matte.refine_full)
		return (struct vrs_sharp_options){0};
	return (struct vrs_sharp_options){settings->matte.refine_radius, settings->matte.refine_eps, settings->matte.refine_limit};
}

struct vrs_picture_format vrs_job_output_format(const struct vrs_job *job)
{
	if (job->pack)
		return *vrs_alpha_pack_format(job->pack);
	return job->cutout ? vrs_alpha_frame_format(&job->format) : vrs_composite_format(&job->format);
}

struct vrs_picture_format vrs_job_pool_format(const struct vrs_job *job)
{
	return job->cutout ? vrs_composite_alpha_format(&job->format) : vrs_job_output_format(job);
}

void vrs_job_composite_options(const struct vrs_job *job, struct vrs_composite_options *ret)
{
	/* mode alpha is packed, not composed */
	static const enum vrs_composite_mode modes[] = {[VRS_MODE_GREEN] = VRS_COMPOSITE_GREEN, [VRS_MODE_MATTE] = VRS_COMPOSITE_MATTE,
							[VRS_MODE_ALPHA] = VRS_COMPOSITE_MATTE, [VRS_MODE_CUTOUT] = VRS_COMPOSITE_CUTOUT};
	*ret = (struct vrs_composite_options){.format = job->format, .mode = modes[job->settings.output.mode],
		.view_count = job->eyes, .matte_width = job->info.matte_width, .matte_height = job->info.matte_height};
	memcpy(ret->color, job->settings.output.color, sizeof ret->color);
	for (int eye = 0; eye < job->eyes; eye++)
		ret->views[eye] = *vrs_job_area(job, eye);
	ret->sharp = vrs_sharp_plan(&job->settings);
	vrs_backdrop_plan(ret, &job->settings, &job->info.layout, job->backdrop);
}

enum vrs_status vrs_job_backdrop_at(struct vrs_job *job, struct vrs_frame_task *task, struct vrs_error *err)
{
	const struct vrs_source_info *source = vrs_source_info(job->source);
	if (!job->backdrop || vrs_backdrop_feed_picture(job->backdrop))
		return VRS_OK;
	return vrs_backdrop_feed_at(job->backdrop, (double)task->frame.pts * source->time_base_num / source->time_base_den, &task->behind, err);
}
