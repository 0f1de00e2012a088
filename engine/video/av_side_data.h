/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stereo and spherical side data of FFmpeg <-> struct vrs_stereo_side_data. */
#ifndef VRS_VIDEO_AV_SIDE_DATA_H
#define VRS_VIDEO_AV_SIDE_DATA_H

#include <libavformat/avformat.h>

#include <vrseg/layout.h>

/* Read what the stream says; where it says nothing, what the frame says (H.264 and HEVC frame packing messages). frame may be NULL. */
void vrs_av_side_read(struct vrs_stereo_side_data *ret, const AVStream *stream, const AVFrame *frame);
/* Mastering display and light levels that only the frame tells of (messages in the coded video) become those of the stream. VRS_ENOMEM. */
enum vrs_status vrs_av_side_adopt(AVStream *stream, const AVFrame *frame);
/*
 * VRS_EUNSUPPORTED: the colours are Dolby Vision's own (IPT), which decoders deliver as if they were YCbCr.  Of other profiles the base layer has
 * ordinary ones.
 */
enum vrs_status vrs_av_side_check_colors(const AVStream *stream, const char *name, struct vrs_error *err);
/* The colour profile that the container has for all pictures. NULL: none. */
const uint8_t *vrs_av_profile(const AVStream *stream, size_t *ret_size);
/* The stream's display matrix of nine numbers, NULL: none. */
int32_t *vrs_av_display_matrix(const AVStream *stream);
/*
 * That of a photo, which its frame has from EXIF.  False: none, or a codec whose frames need others: what a frame tells then may hold for those
 * behind it, which a reader that begins there cannot know.
 */
bool vrs_av_photo_matrix(int32_t ret_matrix[9], const AVStream *stream, const AVFrame *frame);
/*
 * Write side data to an output stream of a muxer.  Some containers hold none, or only parts: what is lost is logged as a warning that names
 * it.  `raw` (optional) is the source's stream: projections without a name here (cube maps) and the display matrix, light levels and
 * mastering colour volume are copied from it, the last two not from HDR into SDR.  VRS_ENOMEM.
 */
enum vrs_status vrs_av_side_write(AVStream *stream, const AVOutputFormat *muxer, const struct vrs_stereo_side_data *side, const AVStream *raw);

/* Matroska and WebM, which hold in elements of their own what other containers have elsewhere. */
bool vrs_av_is_matroska(const AVOutputFormat *muxer);
/* MP4 and its relatives, QuickTime among them, which have tables of times and edit lists. */
bool vrs_av_is_mp4(const AVOutputFormat *muxer);
/* Brightest light of an HDR video in nits: its content light level, else its mastering display's; 0: it does not say. */
double vrs_av_peak_read(const AVStream *stream, const AVFrame *frame);

#endif
