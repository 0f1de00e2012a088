/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/picture_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "video/av_format.h"

static struct vrs_picture_tags tags_of(const AVFrame *frame)
{
	return (struct vrs_picture_tags){frame->format, frame->width, frame->height, frame->colorspace, frame->color_range, frame->color_primaries,
					 frame->color_trc};
}

static bool same_tags(const struct vrs_picture_tags *a, const struct vrs_picture_tags *b)
{
	return a->format == b->format && a->width == b->width && a->height == b->height && a->space == b->space && a->range == b->range &&
	       a->primaries == b->primaries && a->transfer == b->transfer;
}

/* Words for " at frame N", where it is known. */
static const char *place(char text[40], int64_t index)
{
	text[0] = '\0';
	if (index >= 0)
		snprintf(text, 40, " at frame %" PRId64, index);
	return text;
}

static bool same_colours(const struct vrs_picture_format *a, const struct vrs_picture_format *b)
{
	return a->range == b->range && (a->matrix == b->matrix || a->planes == 1); /* grey has no use for a matrix */
}

static void put_kind(char text[128], const struct vrs_picture_format *format, bool colours)
{
	int length = snprintf(text, 128, "%dx%d %s", format->width, format->height, av_get_pix_fmt_name(vrs_av_format_of(format)));

	if (colours)
		snprintf(text + length, (size_t)(128 - length), " (%s range, %s)", format->range == VRS_RANGE_FULL ? "full" : "limited",
			 av_color_space_name(vrs_av_matrix(format->matrix)));
}

static void tell_change(struct vrs_picture_watch *watch, const struct vrs_picture_format *now, int64_t index)
{
	bool colours = !same_colours(now, &watch->picture);
	char before[128], after[128], at[40];

	if (watch->told_change)
		return;
	watch->told_change = true;
	put_kind(before, &watch->picture, colours);
	put_kind(after, now, colours);
	vrs_log(VRS_LOG_WARNING, "%s changes from %s to %s%s; pictures are converted to the first kind", watch->name, before, after, place(at, index));
}

/* These have one curve. */
static enum AVColorTransferCharacteristic curve(enum AVColorTransferCharacteristic transfer)
{
	bool is_bt709 = transfer == AVCOL_TRC_SMPTE170M || transfer == AVCOL_TRC_BT2020_10 || transfer == AVCOL_TRC_BT2020_12;

	return is_bt709 ? AVCOL_TRC_BT709 : transfer;
}

/* Light and primaries are of the whole video: nothing converts a part of it. */
static void tell_colours(struct vrs_picture_watch *watch, const struct vrs_picture_tags *tags, int64_t index)
{
	int first_primaries = watch->picture.primaries, first_transfer = watch->picture.transfer;
	bool known_primaries = first_primaries != AVCOL_PRI_UNSPECIFIED && tags->primaries != AVCOL_PRI_UNSPECIFIED;
	bool known_transfer = first_transfer != AVCOL_TRC_UNSPECIFIED && tags->transfer != AVCOL_TRC_UNSPECIFIED;
	bool changed = (known_primaries && (int)tags->primaries != first_primaries) || (known_transfer && curve(tags->transfer) != curve(first_transfer)) ||
		       (vrs_av_is_hdr(tags->transfer) && !vrs_av_is_hdr(first_transfer));
	char at[40];

	if (watch->told_colours || !changed)
		return;
	watch->told_colours = true;
	vrs_log(VRS_LOG_WARNING, "%s changes from primaries %s and transfer %s to %s and %s%s, which is not converted: colours will differ", watch->name,
		av_color_primaries_name(first_primaries), av_color_transfer_name(first_transfer), av_color_primaries_name(tags->primaries),
		av_color_transfer_name(tags->transfer), place(at, index));
}

static void tell_matrix(struct vrs_picture_watch *watch, const AVFrame *frame)
{
	if (watch->told_matrix || vrs_av_matrix_is_known(frame))
		return;
	watch->told_matrix = true;
	vrs_log(VRS_LOG_WARNING, "%s has the colour matrix %s, which is taken for %s: colours will differ", watch->name,
		av_color_space_name(frame->colorspace), av_color_space_name(vrs_av_matrix(watch->now.matrix)));
}

static enum vrs_status describe(const struct vrs_picture_watch *watch, struct vrs_picture_format *ret, const AVFrame *frame, struct vrs_error *err)
{
	if (vrs_av_picture_target(ret, frame, watch->codec))
		return VRS_OK;
	return vrs_fail(err, VRS_EUNSUPPORTED, "%s has pictures of format %s, which cannot be read", watch->name, av_get_pix_fmt_name(frame->format));
}

static void take(struct vrs_picture_watch *watch, const AVFrame *frame, const struct vrs_picture_format *format)
{
	const struct vrs_picture_format *picture = &watch->picture;

	watch->tags = tags_of(frame);
	watch->now = (struct vrs_av_shape){frame->format, frame->width, frame->height, format->matrix, format->range};
	watch->as_is = (frame->format == watch->format || vrs_av_format_yuvj(watch->format) == (enum AVPixelFormat)frame->format) &&
		       frame->width == picture->width && frame->height == picture->height && same_colours(format, picture);
}

enum vrs_status vrs_picture_watch_begin(struct vrs_picture_watch *watch, const char *name, enum AVCodecID codec, const AVFrame *first,
					struct vrs_error *err)
{
	*watch = (struct vrs_picture_watch){.name = name, .codec = codec};
	enum vrs_status status = describe(watch, &watch->picture, first, err);

	if (status != VRS_OK)
		return status;
	watch->format = vrs_av_format_of(&watch->picture);
	take(watch, first, &watch->picture);
	tell_matrix(watch, first);
	return VRS_OK;
}

void vrs_picture_watch_resume(struct vrs_picture_watch *watch, const char *name, enum AVCodecID codec, const struct vrs_picture_format *first)
{
	*watch = (struct vrs_picture_watch){.name = name, .codec = codec, .picture = *first, .format = vrs_av_format_of(first)};
	watch->tags.format = AV_PIX_FMT_NONE; /* the next one is looked at, whatever it is */
}

enum vrs_status vrs_picture_watch_look(struct vrs_picture_watch *watch, const AVFrame *frame, int64_t index, struct vrs_error *err)
{
	struct vrs_picture_tags tags = tags_of(frame);
	struct vrs_picture_format now;
	enum vrs_status status;
	bool same_kind;

	if (same_tags(&tags, &watch->tags))
		return VRS_OK;
	status = describe(watch, &now, frame, err);
	if (status != VRS_OK)
		return status;
	same_kind = vrs_av_format_of(&now) == watch->format && now.width == watch->picture.width && now.height == watch->picture.height;
	if (same_kind && tags.range == AVCOL_RANGE_UNSPECIFIED && !vrs_av_format_is_yuvj(tags.format))
		now.range = watch->picture.range;
	if (same_kind && tags.space == AVCOL_SPC_UNSPECIFIED)
		now.matrix = watch->picture.matrix;
	take(watch, frame, &now);
	if (!same_kind || !same_colours(&now, &watch->picture))
		tell_change(watch, &now, index);
	tell_colours(watch, &tags, index);
	tell_matrix(watch, frame);
	return VRS_OK;
}
