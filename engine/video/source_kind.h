/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kind of source provides.  A new kind is a file with one `const struct vrs_source_kind` and a choice in source_list.c. */
#ifndef VRS_VIDEO_SOURCE_KIND_H
#define VRS_VIDEO_SOURCE_KIND_H

#include "video/source.h"

struct vrs_av_reader;
struct vrs_color_profiles;

/* Each kind's state begins with this. */
struct vrs_source {
	const struct vrs_source_kind *kind;
	struct vrs_source_info info;  /* filled by open */
	struct vrs_av_reader *reader; /* (optional) NULL: no demuxer that a sink could copy from */
	struct vrs_color_profiles *profiles; /* of its pictures; (optional) NULL: they have none */
};

struct vrs_source_kind {
	size_t state_size;
	enum vrs_status (*open)(struct vrs_source *source, const char *path, const struct vrs_source_options *options, struct vrs_error *err);
	enum vrs_status (*read)(struct vrs_source *source, struct vrs_frame *ret_frame, struct vrs_error *err);
	enum vrs_status (*rewind)(struct vrs_source *source, struct vrs_error *err);
	void (*close)(struct vrs_source *source); /* also after a failed open; the state itself is freed by the list */
};

/* VRS_EFORMAT: an input without a frame from `start` on (seconds). */
enum vrs_status vrs_source_fail_start(const char *name, double start, struct vrs_error *err) VRS_MUST_CHECK;

extern const struct vrs_source_kind vrs_source_synth_kind; /* built-in moving people: "synth:..." */
extern const struct vrs_source_kind vrs_source_av_kind; /* FFmpeg: everything else */

#endif
