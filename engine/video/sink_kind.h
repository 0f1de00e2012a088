/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kind of sink provides.  A new kind is a file with one `const struct vrs_sink_kind` and a row in sink_list.c. */
#ifndef VRS_VIDEO_SINK_KIND_H
#define VRS_VIDEO_SINK_KIND_H

#include "video/sink.h"

/* Each kind's state begins with this. */
struct vrs_sink {
	const struct vrs_sink_kind *kind;
	struct vrs_picture_format format; /* of every frame; checked by sink_list.c */
	int64_t frames;                   /* written */
	bool finished;
};

struct vrs_sink_kind {
	size_t state_size;
	bool is_virtual;                          /* never encodes */
	bool (*takes)(const char *target);        /* (optional) NULL: every target; kinds are asked in the order of the list */
	/* The others are NULL together: frames are forgotten. */
	enum vrs_status (*open)(struct vrs_sink *sink, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
				struct vrs_error *err);
	/* Owns the frame's reference in every case. */
	enum vrs_status (*write)(struct vrs_sink *sink, struct vrs_frame *frame, struct vrs_error *err);
	enum vrs_status (*finish)(struct vrs_sink *sink, struct vrs_error *err);
	void (*close)(struct vrs_sink *sink);     /* also after a failed open; without a finish it removes what was written */
};

extern const struct vrs_sink_kind vrs_sink_hash_kind;
extern const struct vrs_sink_kind vrs_sink_stream_kind;
extern const struct vrs_sink_kind vrs_sink_y4m_kind;
extern const struct vrs_sink_kind vrs_sink_picture_kind;
extern const struct vrs_sink_kind vrs_sink_av_kind;
bool vrs_sink_av_takes_segments(const char *target, const char *encoder); /* vrs_sink_takes_segments for files that FFmpeg muxes */

#endif
