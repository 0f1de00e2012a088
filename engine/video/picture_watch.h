/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the pictures of a stream are: the first one decides what all become, later ones may be of another size, format, range or matrix.  A stream
 * need not say its colours with every picture: what one leaves open is as in the first, if size and format are the same.
 */
#ifndef VRS_VIDEO_PICTURE_WATCH_H
#define VRS_VIDEO_PICTURE_WATCH_H

#include <libavcodec/avcodec.h>

#include "video/av_convert.h"

struct vrs_picture_watch {
	const char *name; /* of the input, in messages */
	enum AVCodecID codec;
	struct vrs_picture_format picture; /* of all pictures, converted or not */
	enum AVPixelFormat format;         /* the same */
	struct vrs_av_shape now;           /* of the decoded picture that was looked at last */
	bool as_is;                        /* its samples are those of `picture` */
	struct vrs_picture_tags {
		enum AVPixelFormat format;
		int width, height;
		enum AVColorSpace space;
		enum AVColorRange range;
		enum AVColorPrimaries primaries;
		enum AVColorTransferCharacteristic transfer;
	} tags; /* the same */
	bool told_change, told_colours, told_matrix;
};

/* The first picture. VRS_EUNSUPPORTED: its format cannot be read. */
enum vrs_status vrs_picture_watch_begin(struct vrs_picture_watch *watch, const char *name, enum AVCodecID codec, const AVFrame *first,
					struct vrs_error *err);
/* As after that, of a stream whose first picture became one of this format, and is not read again. */
void vrs_picture_watch_resume(struct vrs_picture_watch *watch, const char *name, enum AVCodecID codec, const struct vrs_picture_format *first);
/*
 * Another one: now and as_is.  Each kind of change is told once in a warning.  index: of the picture; negative: not known.  VRS_EUNSUPPORTED as
 * above.
 */
enum vrs_status vrs_picture_watch_look(struct vrs_picture_watch *watch, const AVFrame *frame, int64_t index, struct vrs_error *err);

#endif
