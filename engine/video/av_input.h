/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening of inputs: file checks, demuxer, choice of the stream, decoder, and whether the file is all there. */
#ifndef VRS_VIDEO_AV_INPUT_H
#define VRS_VIDEO_AV_INPUT_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "video/av_support.h"
#include "video/source.h"

/*
 * True for inputs without a container: sequences of still pictures (a name with %d, or a pattern with * ? [ that the shell was kept from expanding)
 * and raw video from a file or standard input.
 */
bool vrs_av_input_is_pictures(const char *path, const struct vrs_source_options *options);
/* Does a container that cannot seek (a pipe) list packets that all lie before what is read next, as MP4 with its index at the end? */
bool vrs_av_input_is_passed(const AVFormatContext *demuxer);
/*
 * Open a path ("-": standard input), a device, an address, or pictures where there are options (NULL: none), and read the stream headers.  Of files
 * only local ones are read: a play list cannot open a network address.  VRS_ENOTFOUND, VRS_EIO (no permission, folder), VRS_EFORMAT (empty,
 * unknown, damaged, truncated), VRS_ECONFIG (options that do not fit: no size, an unknown pixel format, a rate).  `name` is used in messages.
 * ret_cut (NULL: a truncated file is a failure) is set where the index, or a size that the file states, reaches beyond its end, and err says how far.
 */
enum vrs_status vrs_av_input_open(AVFormatContext **ret_demuxer, const char *path, const char *name, const struct vrs_source_options *options,
				  bool *ret_cut, struct vrs_error *err);
/* In place of avformat_close_input. */
void vrs_av_input_close(AVFormatContext **demuxer);
/* The video stream to use; cover pictures and text art do not count. VRS_EFORMAT. */
enum vrs_status vrs_av_input_stream(AVStream **ret_stream, AVFormatContext *demuxer, const char *name, struct vrs_error *err);
/* May stream `index` be copied beside the video?  Not where it lies in other programs alone: other channels, or variants of a playlist. */
bool vrs_av_input_accompanies(AVFormatContext *demuxer, int index, const AVStream *video);
/* All but the number of pictures, for which see source_probe.h. */
struct vrs_stream_shape vrs_av_input_shape(const AVCodecParameters *codec);
/*
 * An opened decoder with frame threads (low_delay: without, they hold frames back); threads 0: one for each allowed CPU; on a device of the kind
 * where one opens (NULL: by software).  What it says of its work, from whichever of its threads, goes into *notes, which must outlive it: error
 * lines, since the flags of a picture are not enough where another thread hands it out while they are still being set, and lack of memory, which
 * decoders call damage.  VRS_EUNSUPPORTED, VRS_EFORMAT, VRS_ENOMEM.
 */
enum vrs_status vrs_av_input_decoder(AVCodecContext **ret_decoder, const AVStream *stream, int threads, bool low_delay, const char *device_kind,
				     struct vrs_av_decoder_notes *notes, const char *name, struct vrs_error *err);
/*
 * Called at the end of the input, with the time at which the last frame ended (stream time base, the file's own clock): VRS_END when the
 * video is complete as far as the container tells, VRS_EFORMAT when it says that more should have come.
 */
enum vrs_status vrs_av_input_complete(const AVFormatContext *demuxer, const AVStream *stream, int64_t end, const char *name, struct vrs_error *err);

#endif
