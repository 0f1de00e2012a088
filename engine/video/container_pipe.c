/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/container_pipe.h"

#include <libavutil/avstring.h>

#include "base/file.h"
#include "video/av_support.h"

/* Does FFmpeg begin such a file in memory, if one can go back there or not? */
static bool begins(const AVOutputFormat *format, const AVCodecContext *encoder, bool goes_back)
{
	AVFormatContext *muxer = NULL;
	uint8_t *bytes = NULL;
	bool ret = false;

	if (avformat_alloc_output_context2(&muxer, format, NULL, NULL) < 0)
		return false;
	AVStream *video = avformat_new_stream(muxer, NULL);
	if (video && avcodec_parameters_from_context(video->codecpar, encoder) >= 0 && avio_open_dyn_buf(&muxer->pb) >= 0) {
		video->time_base = encoder->time_base;
		video->avg_frame_rate = encoder->framerate;
		muxer->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
		muxer->pb->seekable = goes_back ? AVIO_SEEKABLE_NORMAL : 0;
		vrs_av_capture_begin(); /* what is wrong otherwise is said when the file is begun */
		ret = avformat_write_header(muxer, NULL) >= 0;
		vrs_av_capture_end();
		avio_close_dyn_buf(muxer->pb, &bytes);
		av_free(bytes);
		muxer->pb = NULL;
	}
	avformat_free_context(muxer);
	return ret;
}

/* AVI and IVF begin with their lengths (of 0.2 s a reader finds 22, and 335544), WTV with the place of an index, and FFmpeg does not mind. */
enum vrs_status vrs_container_check_pipe(const AVOutputFormat *format, const AVCodecContext *encoder, const char *path, struct vrs_error *err)
{
	bool goes_back = av_match_name(format->name, "avi,ivf,wtv") > 0 || (!begins(format, encoder, false) && begins(format, encoder, true));

	return goes_back ? vrs_fail(err, VRS_ECONFIG, "a %s file (%s) cannot be written to a pipe; name it .mkv or .ts", format->name, vrs_path_base(path))
			 : VRS_OK;
}
