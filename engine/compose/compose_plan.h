/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job composes, and how: the same for all workers; each has a composite of its own. */
#ifndef VRS_COMPOSE_COMPOSE_PLAN_H
#define VRS_COMPOSE_COMPOSE_PLAN_H

#include <vrseg/layout.h>
#include <vrseg/model.h>
#include <vrseg/options.h>

#include "compose/alpha_frame.h"
#include "compose/backdrop_feed.h"
#include "compose/frame_pool.h"
#include "compose/packer.h"
#include "flow/frame_task.h"
#include "matte/composite.h"
#include "vr/alpha_pack.h"

struct vrs_source_info;

/* The first part is set before vrs_compose_plan_prepare by whoever makes the job, the pointers of the last one are made by the functions below. */
struct vrs_compose_plan {
	const struct vrs_settings *settings;
	const struct vrs_layout *layout;
	struct vrs_picture_format format;     /* of the frames that workers get */
	int eyes, matte_width, matte_height;
	struct vrs_rect areas[VRS_MAX_EYES];  /* the largest part of an eye that its mattes can cover */
	bool foreground;                      /* soft edges get the people's own colours */
	bool prefer_pool;                     /* compose into pool frames even where the decoded frame could be changed */
	struct vrs_alpha_pack *pack;          /* composes instead of the composites; NULL: another mode; owned, as the backdrop */
	struct vrs_backdrop_feed *backdrop;   /* background from a file; NULL: a colour or the blurred surroundings */
	struct vrs_arena arena;               /* of the filler */
	struct vrs_composite *filler;         /* fills pool frames */
	struct vrs_alpha_frame *alpha_frame;  /* mode cutout: joins pictures with the pool's alpha planes */
	struct vrs_frame_pool *pool;
	struct vrs_frame_pool *recolored;     /* copies of pictures that are kept beside their mattes, with other colours at soft edges; NULL: none */
};

/* Does the background come from a file? */
bool vrs_background_is_file(const struct vrs_settings *settings);
/*
 * Open it, with so many decoder threads, for a source and the format of its frames; *ret_feed stays NULL where the settings name no file.
 * Statuses of vrs_backdrop_feed_create.
 */
enum vrs_status vrs_backdrop_open(struct vrs_backdrop_feed **ret_feed, const struct vrs_settings *settings, const struct vrs_layout *layout,
				  const struct vrs_source_info *source, const struct vrs_picture_format *format, int threads, struct vrs_error *err);
/* What the settings put behind the people, into the options of a composite whose format is set; feed may be NULL. */
void vrs_backdrop_plan(struct vrs_composite_options *ret, const struct vrs_settings *settings, const struct vrs_layout *layout,
		       const struct vrs_backdrop_feed *feed);
/* Do soft edges get the people's own colours with a network of that kind? */
bool vrs_foreground_wanted(const struct vrs_settings *settings, const struct vrs_manifest *manifest);
/* Edges at the size of the picture, as the settings want them. */
struct vrs_sharp_options vrs_sharp_plan(const struct vrs_settings *settings);

/* What fills frames, and what joins alpha planes. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_compose_plan_prepare(struct vrs_compose_plan *plan);
/* Do modes that keep the picture need another one of its size to change its colours in? Such frames are as many as those of the pool. */
bool vrs_compose_plan_recolors(const struct vrs_compose_plan *plan);
/* Format of the frames that are encoded, also before all is prepared, and of those in the pool (alpha planes alone in mode cutout). */
struct vrs_picture_format vrs_compose_plan_output(const struct vrs_compose_plan *plan);
struct vrs_picture_format vrs_compose_plan_pool(const struct vrs_compose_plan *plan);
/* Frames to compose into. VRS_ENOMEM. */
enum vrs_status vrs_compose_plan_make_pool(struct vrs_compose_plan *plan, int frames);
void vrs_compose_plan_fini(struct vrs_compose_plan *plan); /* all frames must be back */

/* The picture of a background video at a time, if there is one; in frame order, by one thread. */
enum vrs_status vrs_compose_behind(const struct vrs_compose_plan *plan, double seconds, struct vrs_frame *ret_behind, struct vrs_error *err);
/* Why it stays at its last picture, as it does in live jobs where it cannot be read on; NULL: it does not. By that thread, or after it. */
const struct vrs_error *vrs_compose_behind_broken(const struct vrs_compose_plan *plan);

/* What a thread composes with. */
struct vrs_compose_tools {
	struct vrs_composite *composite; /* NULL: pictures are packed as they are */
	struct vrs_packer *packer;       /* NULL: another mode than alpha */
};

/* On zeroed memory; the composite lies in the arena. VRS_EINVAL, VRS_ENOMEM, statuses of vrs_packer_create. */
enum vrs_status vrs_compose_tools_init(struct vrs_compose_tools *tools, struct vrs_arena *arena, const struct vrs_compose_plan *plan,
				       struct vrs_error *err);
void vrs_compose_tools_fini(struct vrs_compose_tools *tools);
/* The composed picture replaces the decoded one in the task; mattes and shown: of its eyes. Thread-safe with tools per thread. */
enum vrs_status vrs_compose_run(const struct vrs_compose_plan *plan, const struct vrs_compose_tools *tools, struct vrs_frame_task *task,
				const struct vrs_matte *mattes, const struct vrs_rect *shown, struct vrs_error *err);

#endif
