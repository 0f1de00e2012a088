/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The colour profiles (ICC) of a source's pictures, by their index: photos in a row have one each, of their own camera or edit.  The thread that
 * reads the source notes them, that of the encoder takes them.
 */
#ifndef VRS_VIDEO_COLOR_PROFILES_H
#define VRS_VIDEO_COLOR_PROFILES_H

#include <stdbool.h>

#include <libavcodec/packet.h>
#include <libavutil/frame.h>

#include <vrseg/status.h>

#define VRS_MOST_PROFILES 64 /* different ones; pictures with others have none */

struct vrs_color_profiles;

enum vrs_status vrs_color_profiles_create(struct vrs_color_profiles **ret_profiles);
void vrs_color_profiles_destroy(struct vrs_color_profiles *profiles); /* NULL is fine */
/* Of the picture of this index; data NULL: it has none.  An index not above those before, as after a rewind, is known already.  VRS_ENOMEM. */
enum vrs_status vrs_color_profiles_note(struct vrs_color_profiles *profiles, int64_t index, const uint8_t *data, size_t size) VRS_MUST_CHECK;
/* Has a picture one so far? */
bool vrs_color_profiles_any(struct vrs_color_profiles *profiles);
/* What the picture of this index has becomes the frame's: for encoders that write it. VRS_ENOMEM. */
enum vrs_status vrs_color_profiles_give(struct vrs_color_profiles *profiles, int64_t index, AVFrame *frame) VRS_MUST_CHECK;
/* The same for a JPEG picture that has none yet. */
enum vrs_status vrs_color_profiles_give_jpeg(struct vrs_color_profiles *profiles, int64_t index, AVPacket *jpeg) VRS_MUST_CHECK;

#endif
