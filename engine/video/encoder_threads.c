/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encoders take the number of CPUs for the number of their threads, and with it cut pictures into slices, bound motion vectors or look ahead in
 * another way.  Told as a number it stays the same for all segments of a video, whichever machine or process makes them.
 */
#include "video/encoder_threads.h"

#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/common.h>

#include "video/codec_memory.h"

#define BLOCK 16            /* lines of a row of macroblocks */
#define FFMPEG_MOST 16      /* threads that FFmpeg's own encoders, and it for libvpx, choose at most */

/* One and a half for each CPU where each works on a picture, of which it has two rows at least. */
static int x264_threads(const struct vrs_picture_format *format, int cpus)
{
	bool share_picture = !vrs_x264_looks_ahead(vrs_frame_bytes(format));
	int rows = (format->height + BLOCK - 1) / BLOCK;

	return av_clip(share_picture ? cpus : cpus * 3 / 2, 1, av_clip(rows / 2, 1, VRS_MOST_ENCODER_THREADS));
}

/* FFmpeg's own that share a picture (MPEG-1, -2 and -4, H.263): a slice each. */
static int slice_threads(int height, int cpus)
{
	int busy = av_clip(cpus, 1, (height + BLOCK - 1) / BLOCK);

	return busy > 1 ? av_clip(busy + 1, 1, FFMPEG_MOST) : 1;
}

int vrs_encoder_own_threads(const char *encoder, const struct vrs_picture_format *format, int cpus)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(encoder);

	if (!codec || cpus < 1)
		return 0;
	if (strncmp(codec->name, "libx264", 7) == 0)
		return x264_threads(format, cpus);
	if (strcmp(codec->name, "libx265") == 0)
		return vrs_x265_frame_threads(cpus);
	if (strncmp(codec->name, "libvpx", 6) == 0)
		return av_clip(cpus, 1, FFMPEG_MOST);
	if (codec->capabilities & AV_CODEC_CAP_FRAME_THREADS) /* each picture stands for itself */
		return 0;
	return codec->capabilities & AV_CODEC_CAP_SLICE_THREADS ? slice_threads(format->height, cpus) : 0;
}
