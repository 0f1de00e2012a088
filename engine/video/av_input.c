/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_input.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "video/av_format.h"
#include "video/av_support.h"
#include "video/avi_end.h"
#include "video/codec_memory.h"
#include "video/ebml.h"
#include "video/hw_device.h"
#include "video/live_input.h"
#include "video/live_watch.h"
#include "video/picture_marks.h"
#include "video/sequence_gap.h"

/* Protocols that an input, or a file that it names, may use. */
#define PROTOCOLS "file,pipe,crypto,data"
/* More is not a video: the limit keeps damaged headers from asking for memory. */
#define MAX_STREAMS "256"
/*
 * A video that ends this much before its stated end was cut off: 2 % of its length, but at least two frames and a half and at most half a
 * second.  Rounding of time stamps stays below a frame.
 */
#define MISSING_SHARE 0.02
#define MISSING_FRAMES 2.5
#define MISSING_MAX_SECONDS 0.5
#define NO_FRAMES (INT64_C(1) << 30)
#define MOST_GROWTH 4 /* of the size of pictures over what the container says */
#define LARGEST_BLOCK 128 /* AV1's; of other codecs at most 64 */
#define SEQUENCE_FPS 25 /* as FFmpeg's tools */
/* FFmpeg looks for the first number of a sequence from 0 to here. */
#define LAST_START "100000"
#define URL_BYTES (PATH_MAX + 8)
/* In which audio that begins late is looked for; the packets are kept meanwhile. */
#define FAR_US INT64_C(600000000)
#define FAR_BYTES (INT64_C(64) << 20)

/* Say what is wrong with a path before FFmpeg does, in words of files. */
static enum vrs_status check_path(const char *path, const char *name, struct vrs_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return vrs_fail(err, errno == ENOENT || errno == ENOTDIR ? VRS_ENOTFOUND : VRS_EIO, "cannot open %s: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return vrs_fail(err, VRS_EIO, "%s is a folder; name a video file", name);
	if (S_ISREG(st.st_mode) && st.st_size == 0)
		return vrs_fail(err, VRS_EFORMAT, "%s is empty (0 bytes)", name);
	if (access(path, R_OK) < 0)
		return vrs_fail(err, VRS_EIO, "cannot open %s: %s", name, strerror(errno));
	return VRS_OK;
}

/* Of what a file says of its size in front: its index stands behind the pictures. */
static enum vrs_status check_stated_end(const AVFormatContext *demuxer, const char *path, int64_t size, const char *name, struct vrs_error *err)
{
	bool is_avi = strcmp(demuxer->iformat->name, "avi") == 0;
	int64_t stated = is_avi ? vrs_avi_stated_end(path) : strstr(demuxer->iformat->name, "matroska") ? vrs_matroska_stated_end(path) : 0;

	if (stated > size + (is_avi ? VRS_AVI_SLACK : 0))
		return vrs_fail(err, VRS_EFORMAT, "%s is truncated: by its header it has %" PRId64 " bytes, the file has %" PRId64, name, stated, size);
	return VRS_OK;
}

/* The demuxer's index against the size of the file: a copy that broke off is found before any work is done. */
static enum vrs_status check_index(AVFormatContext *demuxer, const char *path, const char *name, struct vrs_error *err)
{
	int64_t size = demuxer->pb && (demuxer->pb->seekable & AVIO_SEEKABLE_NORMAL) ? avio_size(demuxer->pb) : -1;
	int64_t needed = 0;

	for (unsigned i = 0; size > 0 && i < demuxer->nb_streams; i++) {
		AVStream *stream = demuxer->streams[i];
		int entries = avformat_index_get_entries_count(stream);

		for (int k = 0; k < entries; k++) {
			const AVIndexEntry *entry = avformat_index_get_entry(stream, k);

			if (entry && entry->pos + entry->size > needed)
				needed = entry->pos + entry->size;
		}
	}
	if (needed > size && size > 0)
		return vrs_fail(err, VRS_EFORMAT, "%s is truncated: its index reaches to byte %" PRId64 ", the file has %" PRId64 " bytes", name,
				needed, size);
	return size > 0 ? check_stated_end(demuxer, path, size, name, err) : VRS_OK;
}

bool vrs_av_input_is_passed(const AVFormatContext *demuxer)
{
	int64_t end = 0;

	if (!demuxer->pb || (demuxer->pb->seekable & AVIO_SEEKABLE_NORMAL))
		return false;
	for (unsigned i = 0; i < demuxer->nb_streams; i++) {
		int count = avformat_index_get_entries_count(demuxer->streams[i]);
		const AVIndexEntry *last = count > 0 ? avformat_index_get_entry(demuxer->streams[i], count - 1) : NULL;

		end = last ? FFMAX(end, last->pos + last->size) : end;
	}
	return end > 0 && avio_tell(demuxer->pb) > end;
}

/* Where an input is read: an address for FFmpeg, and what is our own of it. */
struct place {
	char url[URL_BYTES];
	int fd;             /* of a pipe; -1: none */
	AVIOContext *bytes; /* of a socket or terminal; NULL: none */
};

/* "file:", so that a colon in the name is no protocol; a pipe is read by a descriptor of our own, and what else may fall silent by our own reads. */
static enum vrs_status find_place(struct place *ret, const char *protocol, const char *path, struct vrs_error *err)
{
	bool standard = strcmp(path, "-") == 0;

	*ret = (struct place){.fd = -1};
	if (!standard && snprintf(ret->url, URL_BYTES, "%s%s", protocol, path) >= URL_BYTES)
		return vrs_fail(err, VRS_ELIMIT, "the name of the input is too long");
	ret->fd = vrs_live_pipe_open(path);
	ret->bytes = vrs_live_bytes_open(path);
	if (standard || ret->fd >= 0)
		snprintf(ret->url, URL_BYTES, "pipe:%d", ret->fd >= 0 ? ret->fd : STDIN_FILENO);
	return VRS_OK;
}

/* vrs_av_open, and the demuxer takes over what is ours of the place. */
static int open_place(AVFormatContext **ret_demuxer, struct place *place, const AVInputFormat *format, AVDictionary **settings)
{
	bool waits = strncmp(place->url, "pipe:", 5) == 0;
	int rc = waits || place->bytes ? vrs_av_open(ret_demuxer, place->url, format, settings, waits ? &vrs_live_interrupt : NULL, place->bytes)
				       : vrs_live_watch_open(ret_demuxer, place->url, format, settings, true);

	if (rc < 0)
		vrs_live_bytes_close(place->bytes);
	if (rc < 0 && place->fd >= 0)
		close(place->fd);
	else if (place->fd >= 0)
		(*ret_demuxer)->opaque = (void *)((intptr_t)place->fd + 1);
	return rc;
}

void vrs_av_input_close(AVFormatContext **demuxer)
{
	int fd = *demuxer ? (int)(intptr_t)(*demuxer)->opaque - 1 : -1;
	AVIOContext *bytes = *demuxer && ((*demuxer)->flags & AVFMT_FLAG_CUSTOM_IO) ? (*demuxer)->pb : NULL;
	struct vrs_live_watch *watch = vrs_live_watch_of(*demuxer);

	vrs_live_watch_leave(watch);
	avformat_close_input(demuxer);
	vrs_live_watch_destroy(watch);
	vrs_live_bytes_close(bytes); /* FFmpeg leaves it, and the descriptors of pipes, open */
	if (fd >= 0)
		close(fd);
}

static enum vrs_status fail_open(int rc, const char *name, const char *what, struct vrs_error *err)
{
	if (rc == AVERROR_EXIT)
		return vrs_fail(err, VRS_ESTOPPED, "stopped before %s sent anything", name);
	return vrs_av_fail(err, VRS_OK, rc, "cannot read %s%s", name, what);
}

bool vrs_source_is_sequence(const char *path)
{
	return (av_filename_number_test(path) || strpbrk(path, "*?[")) && access(path, F_OK) != 0 && !vrs_live_input_is(path);
}

/* image2 itself takes a pattern without a match for a sequence of nothing. */
static bool has_match(const char *pattern)
{
	glob_t found;
	bool any = glob(pattern, GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc > 0;

	globfree(&found);
	return any;
}

static bool is_raw(const struct vrs_source_options *options)
{
	return options->raw_format && options->raw_format[0];
}

bool vrs_av_input_is_pictures(const char *path, const struct vrs_source_options *options)
{
	return is_raw(options) || vrs_source_is_sequence(path);
}

static enum vrs_status raw_settings(AVDictionary **settings, const char *name, const struct vrs_source_options *options, struct vrs_error *err)
{
	char size[32];

	if (av_get_pix_fmt(options->raw_format) == AV_PIX_FMT_NONE)
		return vrs_fail(err, VRS_ECONFIG, "--raw-format: FFmpeg knows no pixel format \"%s\"; try yuv420p or nv12", options->raw_format);
	if (options->raw_size[0] < 1 || options->raw_size[1] < 1)
		return vrs_fail(err, VRS_ECONFIG, "raw video does not tell its size; give --raw-size WIDTHxHEIGHT for %s", name);
	snprintf(size, sizeof size, "%dx%d", options->raw_size[0], options->raw_size[1]);
	av_dict_set(settings, "pixel_format", options->raw_format, 0);
	av_dict_set(settings, "video_size", size, 0);
	return VRS_OK;
}

/* FFmpeg's image2 and rawvideo demuxers read them; the rate comes from the options. */
static enum vrs_status open_pictures(AVFormatContext **ret_demuxer, const char *path, const char *name, const struct vrs_source_options *options,
				     struct vrs_error *err)
{
	bool raw = is_raw(options), told = options->fps > 0;
	AVDictionary *settings = NULL;
	char rate[32];
	struct place place;
	int rc = 0;
	enum vrs_status status = raw ? raw_settings(&settings, name, options, err) : VRS_OK;

	snprintf(rate, sizeof rate, "%.9g", told ? options->fps : SEQUENCE_FPS);
	av_dict_set(&settings, "framerate", rate, 0);
	av_dict_set(&settings, "protocol_whitelist", "file,pipe", 0);
	if (!raw) {
		av_dict_set(&settings, "pattern_type", av_filename_number_test(path) ? "sequence" : "glob", 0);
		av_dict_set(&settings, "start_number_range", LAST_START, 0);
		rc = av_filename_number_test(path) || has_match(path) ? 0 : AVERROR(ENOENT);
		status = av_filename_number_test(path) ? vrs_sequence_check(path, err) : status;
	}
	/* image2 makes the names of its files itself: no protocol in front of the pattern, but what no protocol begins with */
	if (status == VRS_OK && rc == 0)
		status = find_place(&place, raw ? "file:" : path[0] == '/' ? "" : "./", path, err);
	if (status == VRS_OK && rc == 0)
		rc = open_place(ret_demuxer, &place, av_find_input_format(raw ? "rawvideo" : "image2"), &settings);
	if (rc == AVERROR(ENOENT))
		status = vrs_fail(err, VRS_ENOTFOUND, "no picture matches %s", name);
	else if (rc < 0)
		status = fail_open(rc, name, "", err);
	else if (status == VRS_OK && !told)
		vrs_log(VRS_LOG_INFO, "%s: no frame rate given, assuming %d frames/s; set it with --fps", name, SEQUENCE_FPS);
	vrs_av_capture_end();
	av_dict_free(&settings);
	return status;
}

static enum vrs_status open_once(AVFormatContext **ret_demuxer, const char *path, const char *name, bool looks_far, struct vrs_error *err)
{
	AVDictionary *settings = NULL;
	struct place place;
	enum vrs_status status = find_place(&place, "file:", path, err);
	int rc;

	if (status != VRS_OK)
		return status;
	av_dict_set(&settings, "protocol_whitelist", PROTOCOLS, 0);
	av_dict_set(&settings, "max_streams", MAX_STREAMS, 0);
	av_dict_set(&settings, "pattern_type", "none", 0); /* a '%' in the name of a picture is just a character */
	if (looks_far) {
		av_dict_set_int(&settings, "analyzeduration", FAR_US, 0);
		av_dict_set_int(&settings, "probesize", FAR_BYTES, 0);
	}
	rc = open_place(ret_demuxer, &place, NULL, &settings);
	return rc < 0 ? fail_open(rc, name, " as a video", err) : VRS_OK;
}

/* The first stream of audio of which only its codec is known; -1: none. */
static int unknown_audio(const AVFormatContext *demuxer)
{
	for (unsigned i = 0; i < demuxer->nb_streams; i++)
		if (demuxer->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO && demuxer->streams[i]->codecpar->sample_rate <= 0)
			return (int)i;
	return -1;
}

/*
 * MPEG-TS lists its streams, and says what audio is like in its packets alone.  FFmpeg looks for them in the first seconds; where sound begins later,
 * a file is looked at once more, and further.
 */
static enum vrs_status open_file(AVFormatContext **ret_demuxer, const char *path, const char *name, struct vrs_error *err)
{
	bool standard = strcmp(path, "-") == 0; /* also where there is a file of that name */
	enum vrs_status status = standard ? VRS_OK : check_path(path, name, err);
	struct stat st;

	if (status == VRS_OK)
		status = open_once(ret_demuxer, path, name, false, err);
	if (status != VRS_OK || unknown_audio(*ret_demuxer) < 0)
		return status;
	if (!standard && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		vrs_av_input_close(ret_demuxer);
		status = open_once(ret_demuxer, path, name, true, err);
	}
	int unknown = status == VRS_OK ? unknown_audio(*ret_demuxer) : -1;

	if (unknown >= 0)
		vrs_log_once(name, VRS_LOG_WARNING, "%s: audio stream %d begins so late that nothing is known of it; it cannot be copied", name, unknown);
	return status;
}

enum vrs_status vrs_av_input_open(AVFormatContext **ret_demuxer, const char *path, const char *name, const struct vrs_source_options *options,
				  bool *ret_cut, struct vrs_error *err)
{
	AVFormatContext *demuxer = NULL;
	enum vrs_status status;

	path = vrs_path_opened(path);
	if (options && vrs_av_input_is_pictures(path, options))
		return open_pictures(ret_demuxer, path, name, options, err);
	if (options && options->fps > 0)
		return vrs_fail(err, VRS_ECONFIG, "--fps is for picture sequences and raw video; %s has its own rate", name);
	if (vrs_live_input_is(path))
		return vrs_live_input_open(ret_demuxer, path, err);
	status = open_file(&demuxer, path, name, err);
	if (status != VRS_OK)
		return status;
	status = check_index(demuxer, path, name, err);
	if (status != VRS_OK && ret_cut) {
		*ret_cut = true;
		status = VRS_OK;
	}
	if (status != VRS_OK)
		vrs_av_input_close(&demuxer);
	else
		*ret_demuxer = demuxer;
	return status;
}

static bool is_film(const AVStream *stream)
{
	switch (stream->codecpar->codec_id) {
	case AV_CODEC_ID_ANSI: /* FFmpeg draws text files as pictures */
	case AV_CODEC_ID_BINTEXT:
	case AV_CODEC_ID_XBIN:
	case AV_CODEC_ID_IDF:
		return false;
	default:
		return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !(stream->disposition & AV_DISPOSITION_ATTACHED_PIC);
	}
}

static int64_t pixels_of(const AVStream *stream)
{
	return (int64_t)stream->codecpar->width * stream->codecpar->height;
}

enum vrs_status vrs_av_input_stream(AVStream **ret_stream, AVFormatContext *demuxer, const char *name, struct vrs_error *err)
{
	int best = av_find_best_stream(demuxer, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0), films = 0;

	if (best >= 0 && !is_film(demuxer->streams[best]))
		best = -1;
	/* of several, the largest picture: the others are previews */
	for (unsigned i = 0; i < demuxer->nb_streams; i++) {
		if (!is_film(demuxer->streams[i]))
			continue;
		films++;
		if (best < 0 || pixels_of(demuxer->streams[i]) > pixels_of(demuxer->streams[best]))
			best = (int)i;
	}
	if (best < 0)
		return vrs_fail(err, VRS_EFORMAT, "%s has no video stream (it is %s%s)", name, demuxer->iformat->long_name,
				av_find_best_stream(demuxer, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0) >= 0 ? " with audio" : "");
	if (films > 1)
		vrs_log_once(name, VRS_LOG_INFO, "%s has %d video streams; stream %d (%dx%d) is used", name, films, best,
			     demuxer->streams[best]->codecpar->width, demuxer->streams[best]->codecpar->height);
	*ret_stream = demuxer->streams[best];
	return VRS_OK;
}

static bool holds(const AVProgram *program, int index)
{
	for (unsigned i = 0; i < program->nb_stream_indexes; i++)
		if (program->stream_index[i] == (unsigned)index)
			return true;
	return false;
}

bool vrs_av_input_accompanies(AVFormatContext *demuxer, int index, const AVStream *video)
{
	AVProgram *program = NULL;
	bool in_any = av_find_program_from_stream(demuxer, NULL, index) && av_find_program_from_stream(demuxer, NULL, video->index);

	while (in_any && (program = av_find_program_from_stream(demuxer, program, video->index)))
		if (holds(program, index))
			return true;
	return !in_any;
}

/* Of a picture of whole blocks. 0: its size is not known, as where a stream was joined between two key frames. */
static uint64_t stated_bytes(const AVCodecParameters *codec, int block)
{
	enum AVPixelFormat format = codec->format >= 0 ? codec->format : AV_PIX_FMT_YUV420P10;

	if (codec->width < 1 || codec->height < 1)
		return 0;
	return vrs_av_picture_bytes(format, FFALIGN(codec->width, block), FFALIGN(codec->height, block));
}

struct vrs_stream_shape vrs_av_input_shape(const AVCodecParameters *codec)
{
	struct vrs_stream_shape shape = {.codec = avcodec_get_name(codec->codec_id), .width = codec->width, .height = codec->height,
					 .level = codec->level, .frame_bytes = stated_bytes(codec, 1)};

	(void)vrs_av_stream_target(&shape.format, codec); /* may not be known */
	if (codec->format >= 0) {
		enum AVPixelFormat nearest = vrs_av_format_nearest(codec->format);

		shape.converted = nearest != (enum AVPixelFormat)codec->format && vrs_av_format_yuvj(nearest) != (enum AVPixelFormat)codec->format;
	}
	return shape;
}

/* Is the picture larger than the container says, and takes its decoder more than there is?  Frame threads of the decoder may ask at a time. */
static bool is_too_large(const AVCodecContext *decoder, const AVFrame *frame)
{
	struct vrs_av_decoder_notes *notes = decoder->opaque;
	const struct vrs_large_picture large = {frame->width, frame->height, decoder->level,
						vrs_av_picture_bytes(frame->format, frame->width, frame->height)};
	int references;

	if (notes->spare_bytes == UINT64_MAX || large.frame_bytes <= notes->frame_bytes)
		return false;
	references = vrs_decoder_references(avcodec_get_name(decoder->codec_id), large.width, large.height, large.level);
	if (vrs_decoder_memory(references, decoder->thread_count, 0, large.frame_bytes) <= notes->spare_bytes)
		return false;
	if (!atomic_flag_test_and_set(&notes->has_large)) {
		notes->large = large;
		notes->too_large = true;
	}
	return true;
}

static void note_largest(struct vrs_av_decoder_notes *notes, uint64_t bytes)
{
	uint64_t before = atomic_load(&notes->largest);

	while (bytes > before && !atomic_compare_exchange_weak(&notes->largest, &before, bytes))
		;
}

/* With the edges, which decoders predict from as well. */
static void clear_picture(AVFrame *frame)
{
	const ptrdiff_t lines[4] = {frame->linesize[0], frame->linesize[1], frame->linesize[2], frame->linesize[3]};

	for (int i = 0; i < AV_NUM_DATA_POINTERS && frame->buf[i]; i++)
		memset(frame->buf[i]->data, 0, frame->buf[i]->size);
	(void)av_image_fill_black(frame->data, lines, frame->format, frame->color_range, frame->width, frame->height);
}

/* FFmpeg's own, and a note where there is no memory: most decoders go on without the picture. */
static int get_picture(AVCodecContext *decoder, AVFrame *frame, int flags)
{
	struct vrs_av_decoder_notes *notes = decoder->opaque;
	int rc = is_too_large(decoder, frame) ? AVERROR(EINVAL) : avcodec_default_get_buffer2(decoder, frame, flags);

	if (rc >= 0 && notes->clears)
		clear_picture(frame);
	if (rc >= 0 && notes->marks && decoder->codec_id == AV_CODEC_ID_HEVC && !frame->hw_frames_ctx && frame->data[0])
		vrs_picture_marks_set(notes->marks, frame, decoder->reordered_opaque);
	note_largest(notes, rc >= 0 ? vrs_av_picture_bytes(frame->format, frame->width, frame->height) : 0);
	/* damaged data may ask for a picture of any size: that is damage */
	if (rc == AVERROR(ENOMEM) && (int64_t)frame->width * frame->height <= MOST_GROWTH * notes->pixels)
		notes->no_memory = true;
	return rc;
}

static void watch_memory(AVCodecContext *decoder)
{
	decoder->get_buffer2 = get_picture;
#if LIBAVCODEC_VERSION_MAJOR < 60
	/* deprecated, since later versions take it for granted: without it frame threads would wait for the caller with each picture */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	decoder->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}

enum vrs_status vrs_av_input_decoder(AVCodecContext **ret_decoder, const AVStream *stream, int threads, bool low_delay, const char *device_kind,
				     struct vrs_av_decoder_notes *notes, const char *name, struct vrs_error *err)
{
	const AVCodec *codec = avcodec_find_decoder(stream->codecpar->codec_id);
	AVCodecContext *decoder;
	int rc;

	if (!codec)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s: there is no decoder for %s in this FFmpeg", name,
				avcodec_get_name(stream->codecpar->codec_id));
	decoder = avcodec_alloc_context3(codec);
	rc = decoder ? avcodec_parameters_to_context(decoder, stream->codecpar) : AVERROR(ENOMEM);
	if (rc >= 0) {
		decoder->pkt_timebase = stream->time_base;
		decoder->thread_count = threads;
		decoder->thread_type = low_delay ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
		decoder->flags |= low_delay ? AV_CODEC_FLAG_LOW_DELAY : 0;
		decoder->max_pixels = VRS_AV_MAX_PIXELS;
		notes->pixels = pixels_of(stream);
		notes->frame_bytes = stated_bytes(stream->codecpar, LARGEST_BLOCK); /* decoders ask for whole blocks */
		decoder->opaque = notes; /* see count_error of av_support.c */
		watch_memory(decoder);
		decoder->hw_device_ctx = device_kind ? vrs_hw_device_open(device_kind) : NULL; /* the decoder's from here on */
		if (decoder->hw_device_ctx)
			decoder->get_format = vrs_hw_get_format;
		vrs_av_capture_begin();
		rc = avcodec_open2(decoder, codec, NULL);
	}
	if (rc < 0) {
		avcodec_free_context(&decoder);
		return vrs_av_fail(err, VRS_OK, rc, "cannot start the %s decoder for %s", codec->name, name);
	}
	vrs_av_capture_end();
	*ret_decoder = decoder;
	return VRS_OK;
}

/* Matroska's DURATION tag of a track, "00:01:02.500000000"; false when there is none. */
static bool tagged_end(const AVStream *stream, double *ret_seconds)
{
	const AVDictionaryEntry *tag = av_dict_get(stream->metadata, "DURATION", NULL, 0);
	char text[32];

	return tag && vrs_strcpy(text, sizeof text, tag->value) && vrs_parse_duration(text, ret_seconds);
}

/* In AVI it is the number of frames, which time stamps count; where FFmpeg has written that to a pipe, it is a number that none has. */
static bool stated_end(const AVFormatContext *demuxer, const AVStream *stream, double *ret_seconds)
{
	int64_t units = 0;

	if (tagged_end(stream, ret_seconds))
		return true;
	if (strcmp(demuxer->iformat->name, "avi") == 0 && stream->nb_frames < NO_FRAMES)
		units = stream->nb_frames;
	else if (strcmp(demuxer->iformat->name, "mxf") == 0 && stream->duration != AV_NOPTS_VALUE)
		units = stream->duration;
	*ret_seconds = (double)units * av_q2d(stream->time_base);
	return units > 0;
}

enum vrs_status vrs_av_input_complete(const AVFormatContext *demuxer, const AVStream *stream, int64_t end, const char *name, struct vrs_error *err)
{
	double end_seconds = (double)end * av_q2d(stream->time_base);
	double frame_seconds = stream->avg_frame_rate.num > 0 ? 1 / av_q2d(stream->avg_frame_rate) : 0;
	double stated, slack;

	if (!stated_end(demuxer, stream, &stated))
		return VRS_END;
	slack = fmin(fmax(MISSING_SHARE * stated, MISSING_FRAMES * frame_seconds), MISSING_MAX_SECONDS);
	if (end_seconds + slack >= stated)
		return VRS_END;
	return vrs_fail(err, VRS_EFORMAT, "%s is truncated: it ends after %.2f of %.2f seconds", name, end_seconds, stated);
}
