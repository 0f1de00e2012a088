/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Built-in moving people with exact truth: "synth:3840x1920,sbs,hequirect"; with the word alpha, the truth itself. No file, the same bytes always. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "video/source_kind.h"
#include "video/synth_scene.h"

#define MOST_FRAMES 256 /* out at the same time */

struct slot {
	struct source_synth *source;
	struct vrs_frame frame;  /* owns the memory */
	int64_t drawn;           /* picture that it holds; -1: the empty room */
	struct slot *next_free;
};

/* All frames must be back before the source is closed. */
struct source_synth {
	struct vrs_source base;
	struct vrs_synth_name name;
	struct vrs_synth_scene *scene;
	pthread_mutex_t lock;    /* guards the slots */
	struct slot *slots[MOST_FRAMES], *free_list;
	int slot_count;
	int64_t zero;            /* picture at time 0 */
	int64_t start, next, end;
};

static void fill_info(struct source_synth *source)
{
	const struct vrs_synth_name *name = &source->name;
	struct vrs_source_info *info = &source->base.info;
	struct vrs_stereo_side_data *side = &info->side;
	double cut = name->projection == VRS_PROJECTION_HEQUIRECT || name->projection == VRS_PROJECTION_EQUIRECT ? (1 - name->fov_degrees / 360) / 2 : 0;

	info->format = *vrs_synth_scene_format(source->scene);
	snprintf(info->container, sizeof info->container, "synth");
	snprintf(info->codec, sizeof info->codec, "synth");
	info->fps_num = info->time_base_den = name->fps;
	info->fps_den = info->time_base_num = info->sar_num = info->sar_den = 1;
	info->frames = name->frames ? source->end - source->start : 0;
	info->first_seconds = (double)source->start / name->fps;
	info->duration_seconds = name->frames ? (double)name->frames / name->fps : 0;
	*side = (struct vrs_stereo_side_data){.has_stereo = true, .stereo = name->stereo, .inverted = name->right_eye_first, .has_spherical = true,
		.projection = name->projection, .bound_left = cut, .bound_right = cut,
		.fov_degrees = name->projection == VRS_PROJECTION_FISHEYE ? name->fov_degrees : 0};
}

static enum vrs_status synth_open(struct vrs_source *base, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
{
	struct source_synth *source = (struct source_synth *)base;
	enum vrs_status status = vrs_synth_name_parse(&source->name, path, err);

	(void)pthread_mutex_init(&source->lock, NULL); /* default attributes cannot fail on Linux */
	if (status != VRS_OK)
		return status;
	if (options->fps > 0 || (options->raw_format && options->raw_format[0]))
		return vrs_fail(err, VRS_ECONFIG, "--fps and --raw-format are not for %s; a rate goes into its name, as fps=25", path);
	status = vrs_synth_scene_create(&source->scene, &source->name);
	if (status != VRS_OK)
		return vrs_fail_nomem(err);
	double start = options->start_seconds * source->name.fps, length = options->duration_seconds * source->name.fps;
	source->start = source->zero = (int64_t)(start + 0.999999);
	source->end = source->name.frames ? source->name.frames : INT64_MAX / 2;
	if (length > 0 && (double)source->end > start + length)
		source->end = (int64_t)(start + length + 0.999999);
	if (options->skip > 0)
		source->start += options->skip;
	source->next = source->start;
	if (source->start >= source->end)
		return vrs_source_fail_start(path, options->start_seconds, err);
	fill_info(source);
	return VRS_OK;
}

static void return_slot(void *owner)
{
	struct slot *slot = owner;
	struct source_synth *source = slot->source;

	pthread_mutex_lock(&source->lock);
	slot->next_free = source->free_list;
	source->free_list = slot;
	pthread_mutex_unlock(&source->lock);
}

static enum vrs_status new_slot(struct source_synth *source, struct slot **ret_slot)
{
	struct slot *slot = source->slot_count < MOST_FRAMES ? vrs_calloc(1, sizeof *slot) : NULL;

	if (!slot)
		return source->slot_count < MOST_FRAMES ? VRS_ENOMEM : VRS_ELIMIT;
	enum vrs_status status = vrs_frame_alloc(&slot->frame, vrs_synth_scene_format(source->scene));
	if (status != VRS_OK) {
		vrs_free(slot);
		return status;
	}
	slot->source = source;
	slot->drawn = -1;
	vrs_synth_scene_clear(source->scene, &slot->frame);
	source->slots[source->slot_count++] = slot;
	*ret_slot = slot;
	return VRS_OK;
}

static enum vrs_status synth_read(struct vrs_source *base, struct vrs_frame *ret_frame, struct vrs_error *err)
{
	struct source_synth *source = (struct source_synth *)base;

	if (source->next >= source->end)
		return VRS_END;
	pthread_mutex_lock(&source->lock);
	struct slot *slot = source->free_list;
	if (slot)
		source->free_list = slot->next_free;
	pthread_mutex_unlock(&source->lock);
	enum vrs_status status = slot ? VRS_OK : new_slot(source, &slot);
	if (status != VRS_OK)
		return status == VRS_ELIMIT ? vrs_fail(err, status, "more than %d pictures are in use", MOST_FRAMES) : vrs_fail_nomem(err);
	vrs_synth_scene_draw(source->scene, &slot->frame, slot->drawn, source->next);
	slot->drawn = source->next;
	*ret_frame = slot->frame;
	ret_frame->pts = source->next - source->zero;
	ret_frame->duration = 1;
	ret_frame->index = source->next - source->start;
	ret_frame->writable = false; /* the room is put back only where people were */
	ret_frame->owner = slot;
	ret_frame->unref = return_slot;
	source->next++;
	return VRS_OK;
}

static enum vrs_status synth_rewind(struct vrs_source *base, struct vrs_error *err)
{
	struct source_synth *source = (struct source_synth *)base;

	(void)err;
	source->next = source->start;
	return VRS_OK;
}

static void synth_close(struct vrs_source *base)
{
	struct source_synth *source = (struct source_synth *)base;

	for (int i = 0; i < source->slot_count; i++) {
		vrs_frame_unref(&source->slots[i]->frame);
		vrs_free(source->slots[i]);
	}
	vrs_synth_scene_destroy(source->scene);
	pthread_mutex_destroy(&source->lock);
}

const struct vrs_source_kind vrs_source_synth_kind = {
	.state_size = sizeof(struct source_synth),
	.open = synth_open,
	.read = synth_read,
	.rewind = synth_rewind,
	.close = synth_close,
};
