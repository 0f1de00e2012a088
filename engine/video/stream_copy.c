/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/stream_copy.h"

#include <inttypes.h>
#include <string.h>

#include <libavutil/avstring.h>
#include <libavutil/mem.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "video/av_input.h"
#include "video/av_side_data.h"
#include "video/av_support.h"
#include "video/mp4_spatial.h"
#include "video/sound_table.h"

#define MAX_CHAPTERS 10000
#define INTERLEAVE_SECONDS 2
#define MOST_AHEAD_S 10 /* the video, of sound that lies behind it in the file */
#define CUT_TOLD_S 0.1
#define MOST_SPATIAL 4096 /* bytes */
#define LOOK_ON_MS 2000 /* after a stop, for audio that lies far behind the video of its time */

/* Facts about the old file or its encoding; the muxer writes its own.  Tags of Matroska in a language have it behind their name: "BPS-eng". */
static bool is_stale(const char *key)
{
	static const char *const stale[] = {
		"encoder",	"creation_time",	 "major_brand",	 "minor_version", "compatible_brands", "DURATION",     "stereo_mode",
		"alpha_mode",	"vendor_id",		 "rotate",	 "BPS",		  "NUMBER_OF_FRAMES",  "NUMBER_OF_BYTES",
		"_STATISTICS_WRITING_APP", "_STATISTICS_WRITING_DATE_UTC", "_STATISTICS_TAGS",
	};

	for (size_t i = 0; i < sizeof stale / sizeof stale[0]; i++) {
		size_t length = strlen(stale[i]);

		if (av_strncasecmp(key, stale[i], length) == 0 && (key[length] == '\0' || key[length] == '-'))
			return true;
	}
	return false;
}

enum vrs_status vrs_stream_copy_tags(AVDictionary **to, const AVDictionary *from)
{
	const AVDictionaryEntry *tag = NULL;

	while ((tag = av_dict_get(from, "", tag, AV_DICT_IGNORE_SUFFIX)))
		if (!is_stale(tag->key) && av_dict_set(to, tag->key, tag->value, 0) < 0)
			return VRS_ENOMEM;
	return VRS_OK;
}

/* end: of the output, in the time base of the reader's stream. */
static enum vrs_status copy_chapters(const struct vrs_av_reader *reader, AVFormatContext *muxer, int64_t end)
{
	const AVFormatContext *demuxer = reader->demuxer;
	unsigned count = demuxer->nb_chapters < MAX_CHAPTERS ? demuxer->nb_chapters : MAX_CHAPTERS;

	if (count == 0)
		return VRS_OK;
	muxer->chapters = av_calloc(count, sizeof(AVChapter *)); /* freed by FFmpeg with the muxer */
	if (!muxer->chapters)
		return VRS_ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		const AVChapter *from = demuxer->chapters[i];
		int64_t origin = av_rescale_q(reader->seek.origin_us, AV_TIME_BASE_Q, from->time_base);
		int64_t own_end = end == INT64_MAX ? end : av_rescale_q(end, reader->stream->time_base, from->time_base);
		AVChapter *to;

		if (from->end <= origin || from->start - origin >= own_end)
			continue; /* lies before the start, or after the end */
		to = av_mallocz(sizeof *to);
		if (!to)
			return VRS_ENOMEM;
		muxer->chapters[muxer->nb_chapters++] = to;
		to->id = from->id;
		to->time_base = from->time_base;
		to->start = from->start > origin ? from->start - origin : 0;
		to->end = from->end - origin < own_end ? from->end - origin : own_end;
		if (av_dict_copy(&to->metadata, from->metadata, 0) < 0)
			return VRS_ENOMEM;
	}
	return VRS_OK;
}

enum fate { LEFT_OUT, COPIED, CONVERTED };

/* Fonts of subtitles. */
static enum fate fate_of_attachment(const AVStream *stream, const AVOutputFormat *muxer)
{
	if (strcmp(muxer->name, "matroska") == 0)
		return COPIED;
	vrs_log(VRS_LOG_INFO, "attachment stream %d is left out: a %s file cannot hold it; .mkv can", stream->index, muxer->name);
	return LEFT_OUT;
}

/* "gpmd" of bytes in this order; where they are no letters (MPEG-TS), they name nothing. */
static const char *tag_name(char ret_name[AV_FOURCC_MAX_STRING_SIZE], uint32_t tag)
{
	(void)av_fourcc_make_string(ret_name, tag);
	return strlen(ret_name) == sizeof tag ? ret_name : "unknown";
}

/*
 * Timed metadata: measurements of a camera (camm, gpmd), KLV.  The time code and the chapters of QuickTime are tracks too, and go into the output as
 * what FFmpeg makes of them.
 */
static void tell_data(const AVStream *stream)
{
	const AVCodecParameters *codec = stream->codecpar;
	bool has_name = codec->codec_id != AV_CODEC_ID_NONE && codec->codec_id != AV_CODEC_ID_BIN_DATA;
	char tag[AV_FOURCC_MAX_STRING_SIZE];

	if (codec->codec_tag != MKTAG('t', 'm', 'c', 'd') && codec->codec_tag != MKTAG('t', 'e', 'x', 't'))
		vrs_log(VRS_LOG_INFO, "data stream %d (%s) is left out: timed metadata are not copied", stream->index,
			has_name ? avcodec_get_name(codec->codec_id) : tag_name(tag, codec->codec_tag));
}

static enum fate fate_of(const AVStream *stream, const AVFormatContext *muxer, bool audio)
{
	enum AVCodecID codec = stream->codecpar->codec_id;
	const AVOutputFormat *format = muxer->oformat;
	bool is_audio = stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;

	if (stream->codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT)
		return fate_of_attachment(stream, format);
	if (stream->codecpar->codec_type == AVMEDIA_TYPE_DATA)
		tell_data(stream);
	if (!(is_audio && audio) && stream->codecpar->codec_type != AVMEDIA_TYPE_SUBTITLE)
		return LEFT_OUT;
	if (is_audio && stream->codecpar->sample_rate <= 0)
		return LEFT_OUT; /* who opened the input has said so */
	const char *refused = is_audio ? vrs_sound_refused(muxer, stream->codecpar) : "it";

	if (!refused || (!is_audio && avformat_query_codec(format, codec, FF_COMPLIANCE_UNOFFICIAL) == 1))
		return COPIED;
	if (!is_audio && vrs_subtitle_target(format, codec) != AV_CODEC_ID_NONE)
		return CONVERTED;
	vrs_log(VRS_LOG_WARNING, "%s stream %d (%s) is left out: a %s file cannot hold %s; .mkv can", is_audio ? "audio" : "subtitle", stream->index,
		avcodec_get_name(codec), format->name, refused);
	return LEFT_OUT;
}

static enum vrs_status describe_stream(struct vrs_copied_stream *copied, AVStream *to, const AVStream *from, const AVOutputFormat *muxer,
				       enum fate fate)
{
	enum AVCodecID target = vrs_subtitle_target(muxer, from->codecpar->codec_id);
	enum vrs_status status;

	if (fate == COPIED) {
		if (avcodec_parameters_copy(to->codecpar, from->codecpar) < 0)
			return VRS_ENOMEM;
		/* The tag of another container may mean something else here; the muxer knows its own. */
		to->codecpar->codec_tag = 0;
		return VRS_OK;
	}
	status = vrs_subtitle_convert_open(&copied->convert, from, target, to->codecpar);
	if (status == VRS_OK)
		vrs_log(VRS_LOG_INFO, "subtitle stream %d becomes %s, which a %s file can hold", from->index, avcodec_get_name(target), muxer->name);
	return status;
}

/* What the channels of ambisonics are, which FFmpeg does not write. */
static enum vrs_status take_spatial(struct vrs_copied_stream *copied, const struct vrs_av_reader *reader, const AVStream *from,
				    const AVOutputFormat *muxer)
{
	const char *path = reader->demuxer->url;
	enum vrs_status status;

	vrs_buf_init(&copied->spatial, MOST_SPATIAL);
	if (from->codecpar->codec_type != AVMEDIA_TYPE_AUDIO || !path || !strstr(reader->demuxer->iformat->name, "mp4"))
		return VRS_OK;
	(void)av_strstart(path, "file:", &path);
	status = vrs_mp4_spatial_read(&copied->spatial, path, (uint32_t)from->id);
	if (status != VRS_OK || copied->spatial.len == 0 || vrs_av_is_mp4(muxer))
		return status;
	vrs_log(VRS_LOG_WARNING, "audio stream %d: what its ambisonics mean (SA3D) is left out: a %s file cannot hold it; .mp4 can", from->index,
		muxer->name);
	vrs_buf_fini(&copied->spatial);
	return VRS_OK;
}

static enum vrs_status add_stream(struct vrs_stream_copy *copy, const AVStream *from, AVFormatContext *muxer, enum fate fate)
{
	struct vrs_copied_stream *copied = &copy->streams[copy->count];
	AVStream *to = avformat_new_stream(muxer, NULL);
	bool alone = !copy->reader->clock.active || from->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
	int64_t jump = alone ? av_rescale_q(10, (AVRational){1, 1}, from->time_base) : INT64_MAX; /* a subtitle says nothing of the clock */
	enum vrs_status status = to ? describe_stream(copied, to, from, muxer->oformat, fate) : VRS_ENOMEM;

	if (status != VRS_OK)
		return status;
	to->time_base = from->time_base;
	to->disposition = from->disposition;
	copied->input = from->index;
	copied->output = to->index;
	vrs_ts_repair_init(&copied->ts, jump, 1);
	copied->ts.may_repeat = true; /* subtitles may begin together; TrueHD has packets of 0.8 ms, and Matroska times in whole milliseconds */
	copied->written = AV_NOPTS_VALUE;
	copied->last = -1;
	if (from->codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
		vrs_sound_fill_init(&copied->fill, from->codecpar, muxer->oformat);
	if (copied->fill.frame > 0)
		to->codecpar->block_align = 0; /* else AVI counts bytes of a constant rate, which silence has not */
	copy->count++;
	status = take_spatial(copied, copy->reader, from, muxer->oformat);
	return status != VRS_OK ? status : vrs_stream_copy_tags(&to->metadata, from->metadata);
}

static enum vrs_status add_streams(struct vrs_stream_copy *copy, AVFormatContext *muxer, bool audio)
{
	AVFormatContext *demuxer = copy->reader->demuxer;
	bool *chosen = vrs_calloc(demuxer->nb_streams, sizeof *chosen);
	enum vrs_status status = chosen ? VRS_OK : VRS_ENOMEM;

	for (unsigned i = 0; status == VRS_OK && i < demuxer->nb_streams; i++) {
		bool belongs = vrs_av_input_accompanies(demuxer, (int)i, copy->reader->stream);
		enum fate fate = belongs ? fate_of(demuxer->streams[i], muxer, audio) : LEFT_OUT;

		chosen[i] = fate != LEFT_OUT && copy->count < VRS_COPY_MAX_STREAMS;
		if (fate != LEFT_OUT && !chosen[i])
			vrs_log(VRS_LOG_WARNING, "stream %u is left out: %d streams are copied at most", i, VRS_COPY_MAX_STREAMS);
		if (chosen[i])
			status = add_stream(copy, demuxer->streams[i], muxer, fate);
	}
	if (status == VRS_OK && !vrs_packet_relay_claim(copy->reader->relay, chosen) && copy->count > 0)
		vrs_log(VRS_LOG_WARNING, "%s: audio and subtitles are left out: reading began before the output was opened, or more than %"
			PRIu64 " MiB of them lie before the first picture", copy->reader->name, VRS_RELAY_MAX_BYTES >> 20);
	vrs_free(chosen);
	return status;
}

enum vrs_status vrs_stream_copy_open(struct vrs_stream_copy *copy, struct vrs_av_reader *reader, AVFormatContext *muxer, bool audio, int64_t end,
				     struct vrs_error *err)
{
	enum vrs_status status;

	memset(copy, 0, sizeof *copy);
	if (!reader)
		return VRS_OK;
	copy->reader = reader;
	copy->start_base = (AVRational){1, 1};
	copy->packet = av_packet_alloc();
	status = copy->packet ? vrs_stream_copy_tags(&muxer->metadata, reader->demuxer->metadata) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = copy_chapters(reader, muxer, end);
	if (status == VRS_OK)
		status = add_streams(copy, muxer, audio);
	return status != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

static void tell_cut(const struct vrs_stream_copy *copy, const struct vrs_copied_stream *copied)
{
	double seconds = copied->fill.cut > 0 ? (double)copied->fill.cut * av_q2d(copied->fill.base) : 0;

	if (seconds >= CUT_TOLD_S)
		vrs_log(VRS_LOG_WARNING, "%s: %.1f s of audio stream %d are left out: they lie before the first picture or over other sound, for which this "
			"container has no time; .mkv has", copy->reader->name, seconds, copied->input);
}

void vrs_stream_copy_close(struct vrs_stream_copy *copy)
{
	if (copy->damaged > 1)
		vrs_log(VRS_LOG_WARNING, "%s: %" PRIu64 " damaged packets of audio and subtitles are left out in all", copy->reader->name,
			copy->damaged);
	copy->damaged = 0;
	av_packet_free(&copy->packet);
	for (int i = 0; i < copy->count; i++)
		tell_cut(copy, &copy->streams[i]);
	for (int i = 0; i < VRS_COPY_MAX_STREAMS; i++) {
		vrs_subtitle_convert_close(copy->streams[i].convert);
		vrs_sound_fill_fini(&copy->streams[i].fill);
		av_packet_free(&copy->streams[i].hidden);
		vrs_buf_fini(&copy->streams[i].spatial);
	}
	memset(copy->streams, 0, sizeof copy->streams);
	copy->reader = NULL;
	copy->count = 0;
}

/*
 * Matroska says how much a decoder drops at first (Opus), and readers take that from all times, as FFmpeg's demuxer does; its muxer does not add it.
 * Rounded as a reader rounds it: what is copied several times stays where it is.
 */
static int64_t codec_delay(const AVStream *to, const AVOutputFormat *muxer)
{
	const AVCodecParameters *par = to->codecpar;
	bool has_delay = par->codec_type == AVMEDIA_TYPE_AUDIO && par->initial_padding > 0 && par->sample_rate > 0 && vrs_av_is_matroska(muxer);

	return has_delay ? av_rescale_q(par->initial_padding, (AVRational){1, par->sample_rate}, to->time_base) : 0;
}

/* Time stamps into order and into the output's time base; the distance of presentation to decoding stays. */
static void restamp(struct vrs_copied_stream *copied, AVPacket *pkt, AVRational from, const AVFormatContext *muxer)
{
	AVRational to = muxer->streams[copied->output]->time_base;
	bool may_repeat = muxer->oformat->flags & AVFMT_TS_NONSTRICT;
	int64_t delay = pkt->pts != AV_NOPTS_VALUE && pkt->dts != AV_NOPTS_VALUE ? pkt->pts - pkt->dts : 0;
	int64_t dts = pkt->dts != AV_NOPTS_VALUE ? pkt->dts : pkt->pts;

	dts = vrs_ts_repair_next(&copied->ts, dts, pkt->duration);
	pkt->dts = dts;
	pkt->pts = dts + delay;
	av_packet_rescale_ts(pkt, from, to);
	bool known = pkt->dts != AV_NOPTS_VALUE && pkt->pts != AV_NOPTS_VALUE; /* not of damaged files, where they do not fit */
	int64_t later = known ? codec_delay(muxer->streams[copied->output], muxer->oformat) : 0;

	pkt->dts = av_sat_add64(pkt->dts, later);
	pkt->pts = av_sat_add64(pkt->pts, later);
	if (known && copied->written != AV_NOPTS_VALUE && pkt->dts <= copied->written && !may_repeat) { /* two of the input's units are one here */
		pkt->pts += copied->written + 1 - pkt->dts;
		pkt->dts = copied->written + 1;
	}
	copied->written = known ? pkt->dts : copied->written;
	pkt->stream_index = copied->output;
	pkt->pos = -1;
}

/* Muxers look into packets, and refuse those that a lost datagram has damaged. */
static bool is_damage(const AVFormatContext *muxer, int rc)
{
	return (rc == AVERROR_INVALIDDATA || rc == AVERROR_PATCHWELCOME) && (!muxer->pb || muxer->pb->error >= 0);
}

/* Where the first picture is at 0 nothing can begin earlier: half a packet of sound may, or a subtitle. */
static void count_from_start(const struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVPacket *pkt, AVRational base)
{
	int64_t start = av_rescale_q(copy->start, copy->start_base, base), late;

	if (start == 0 || pkt->dts == AV_NOPTS_VALUE)
		return;
	vrs_av_packet_advance(pkt, start);
	late = pkt->dts > copied->last ? 0 : av_sat_sub64(copied->last + 1, pkt->dts);
	vrs_av_packet_advance(pkt, -late);
	copied->last = pkt->dts;
}

/* Codes of FFmpeg, whose cause is kept for vrs_av_fail. */
static int write_packet(struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVFormatContext *muxer, AVPacket *pkt)
{
	enum AVMediaType type = muxer->streams[pkt->stream_index]->codecpar->codec_type;
	int rc;

	count_from_start(copy, copied, pkt, muxer->streams[pkt->stream_index]->time_base);
	vrs_av_capture_begin();
	rc = av_interleaved_write_frame(muxer, pkt);
	if (rc < 0 && !is_damage(muxer, rc))
		return rc;
	vrs_av_capture_end();
	if (rc < 0 && copy->damaged++ == 0)
		vrs_log(VRS_LOG_WARNING, "%s: damaged %s after frame %" PRIu64 " (%s); it is left out", copy->reader->name,
			av_get_media_type_string(type), (uint64_t)copy->reader->frames, av_err2str(rc));
	return 0;
}

/*
 * Is it sound that the edit list of an MP4 or MOV file hides, which the output does not?  It would be heard there, with the pictures behind it.
 * The last packet is kept, out of which a decoder makes the beginning of what follows; codecs without a loss need no such
 * thing.  1: it is; 0: it is not; below 0: code of FFmpeg.
 */
static int hide(const struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVPacket *pkt, const AVOutputFormat *muxer)
{
	const AVCodecParameters *par = copy->reader->demuxer->streams[copied->input]->codecpar;
	const AVCodecDescriptor *codec = avcodec_descriptor_get(par->codec_id);

	if (par->codec_type != AVMEDIA_TYPE_AUDIO || !(pkt->flags & AV_PKT_FLAG_DISCARD) ||
	    vrs_av_is_mp4(muxer)) /* which has an edit list of its own */
		return 0;
	if (codec && !(codec->props & AV_CODEC_PROP_LOSSY))
		return 1;
	if (!copied->hidden)
		copied->hidden = av_packet_alloc();
	if (!copied->hidden)
		return AVERROR(ENOMEM);
	av_packet_unref(copied->hidden);
	av_packet_move_ref(copied->hidden, pkt);
	return 1;
}

void vrs_stream_copy_begin(struct vrs_stream_copy *copy, int64_t start, AVRational time_base)
{
	copy->start = start;
	copy->start_base = time_base;
	for (int i = 0; i < copy->count; i++)
		vrs_sound_fill_begin(&copy->streams[i].fill, start, time_base);
}

/* So many samples of silence; codes of FFmpeg. */
static int write_silence(struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVFormatContext *muxer, int64_t samples)
{
	AVPacket *silence = samples > 0 ? av_packet_alloc() : NULL;
	int64_t end = copied->fill.next + samples;
	int rc = samples > 0 && !silence ? AVERROR(ENOMEM) : 0;

	while (rc >= 0 && copied->fill.next < end) {
		rc = vrs_sound_fill_make(&copied->fill, end - copied->fill.next, silence, muxer->streams[copied->output]->time_base);
		if (rc < 0)
			break;
		silence->stream_index = copied->output;
		vrs_stop_moved();
		rc = write_packet(copy, copied, muxer, silence);
	}
	av_packet_free(&silence);
	return rc;
}

/* What is missing before this time; codes of FFmpeg. */
static int fill_gap(struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVFormatContext *muxer, int64_t until, AVRational time_base)
{
	int64_t missing = vrs_sound_fill_missing(&copied->fill, until, time_base, false);

	if (missing == 0 || vrs_sound_fill_can(&copied->fill, missing))
		return write_silence(copy, copied, muxer, missing);
	if (copied->gap_told)
		return 0;
	copied->gap_told = true;
	vrs_log(VRS_LOG_WARNING, "%s: nothing comes in audio stream %d for %.3f s, and silence of that kind or length cannot be put into this container: "
		"what follows is that much early; .mkv keeps its time", copy->reader->name, copied->input, (double)missing * av_q2d(copied->fill.base));
	return 0;
}

/* A packet of the stream into the output; codes of FFmpeg. */
static int copy_packet(struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVPacket *pkt, AVFormatContext *muxer)
{
	AVRational time_base = muxer->streams[copied->output]->time_base;
	int rc;

	restamp(copied, pkt, copy->reader->demuxer->streams[copied->input]->time_base, muxer);
	rc = fill_gap(copy, copied, muxer, pkt->pts, time_base);
	if (rc < 0 || !vrs_sound_fill_place(&copied->fill, pkt, time_base))
		return rc;
	return write_packet(copy, copied, muxer, pkt);
}

/* What the relay has handed over: copied, given to the converter, or kept for the next one. */
static int pass_on(struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVFormatContext *muxer)
{
	int rc = hide(copy, copied, copy->packet, muxer->oformat);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (copied->hidden && copied->hidden->data) {
		rc = copy_packet(copy, copied, copied->hidden, muxer);
		av_packet_unref(copied->hidden);
		if (rc < 0)
			return rc;
	}
	return copied->convert ? vrs_subtitle_convert_put(copied->convert, copy->packet) : copy_packet(copy, copied, copy->packet, muxer);
}

/* Converted subtitles that are complete before the limit, in the input's time base; INT64_MAX: all. */
static int write_converted(struct vrs_stream_copy *copy, struct vrs_copied_stream *copied, AVFormatContext *muxer, int64_t limit)
{
	int rc = 1;

	while (copied->convert && (rc = vrs_subtitle_convert_take(copied->convert, limit, copy->packet)) > 0) {
		rc = copy_packet(copy, copied, copy->packet, muxer);
		av_packet_unref(copy->packet);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : 0;
}

/*
 * A muxer that waits for each of its tracks keeps the video in memory until sound comes.  Where none has come so long after the pictures of its time,
 * there is none.
 */
static int fill_behind(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base)
{
	int64_t behind = av_sat_sub64(limit, av_rescale_q(MOST_AHEAD_S, (AVRational){1, 1}, time_base));
	int rc = 0;

	for (int i = 0; i < copy->count && rc >= 0 && limit != INT64_MAX; i++)
		if (copy->streams[i].fill.to_end)
			rc = fill_gap(copy, &copy->streams[i], muxer, behind, time_base);
	return rc;
}

int vrs_stream_copy_write(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base)
{
	for (int i = 0; i < copy->count; i++) {
		struct vrs_copied_stream *copied = &copy->streams[i];
		AVRational from = copy->reader->demuxer->streams[copied->input]->time_base;
		int64_t own_limit = limit == INT64_MAX ? limit : av_rescale_q(limit, time_base, from);

		while (vrs_packet_relay_take(copy->reader->relay, copied->input, own_limit, copy->packet, NULL)) {
			int rc = pass_on(copy, copied, muxer);

			av_packet_unref(copy->packet);
			if (rc < 0)
				return rc;
		}
		if (!copied->convert)
			continue;
		/* what is all for now may not be all that comes */
		int rc = write_converted(copy, copied, muxer, limit == INT64_MAX ? vrs_subtitle_convert_latest(copied->convert) : own_limit);
		if (rc < 0)
			return rc;
	}
	return fill_behind(copy, muxer, limit, time_base);
}

/* The video has been read so far that audio of the limit would have come before, where both are interleaved. */
static bool video_is_past(const struct vrs_av_reader *reader, int64_t limit, AVRational time_base)
{
	AVRational own = reader->stream->time_base;
	int64_t ts = reader->read_ts;

	return ts != AV_NOPTS_VALUE && av_compare_ts(ts - reader->seek.origin - av_rescale_q(INTERLEAVE_SECONDS, (AVRational){1, 1}, own), own, limit,
						     time_base) >= 0;
}

static bool is_audio(const struct vrs_stream_copy *copy, int i)
{
	return copy->reader->demuxer->streams[copy->streams[i].input]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
}

/* True when every audio stream has shown a packet at or after the limit; the next subtitle may be an hour away. */
static bool limit_reached(struct vrs_stream_copy *copy, int64_t limit, AVRational time_base)
{
	for (int i = 0; i < copy->count; i++) {
		AVRational own = copy->reader->demuxer->streams[copy->streams[i].input]->time_base;
		bool waiting = false;

		if (!is_audio(copy, i))
			continue;
		(void)vrs_packet_relay_take(copy->reader->relay, copy->streams[i].input, av_rescale_q(limit, time_base, own), copy->packet,
					    &waiting); /* everything before the limit was taken already */
		if (!waiting)
			return false;
	}
	return true;
}

/*
 * The same where nothing after the limit is wanted any more: it makes room for what is still to come.  Where there is no audio, the video tells how
 * far subtitles have been read.
 */
static bool drop_after_limit(struct vrs_stream_copy *copy, int64_t limit, AVRational time_base)
{
	bool all = true, has_audio = false;

	for (int i = 0; i < copy->count; i++) {
		while (vrs_packet_relay_take(copy->reader->relay, copy->streams[i].input, INT64_MAX, copy->packet, NULL)) {
			copy->streams[i].past_limit = true;
			av_packet_unref(copy->packet);
		}
		all = all && (copy->streams[i].past_limit || !is_audio(copy, i));
		has_audio = has_audio || is_audio(copy, i);
	}
	return has_audio ? all : video_is_past(copy->reader, limit, time_base);
}

/* Another packet, which is a step for who waits for the end. */
static bool pump(struct vrs_stream_copy *copy)
{
	vrs_stop_moved();
	return vrs_av_reader_pump(copy->reader);
}

int vrs_stream_copy_catch_up(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base)
{
	int rc = vrs_stream_copy_write(copy, muxer, limit, time_base);

	/* one of the streams may be over already, or its packets lie elsewhere in the file */
	while (rc >= 0 && copy->count > 0 && !limit_reached(copy, limit, time_base) && !video_is_past(copy->reader, limit, time_base) &&
	       vrs_packet_relay_has_room(copy->reader->relay) && pump(copy))
		rc = vrs_stream_copy_write(copy, muxer, limit, time_base);
	return rc;
}

/*
 * May what lies before the limit still come?  In a file it may lie anywhere, but one of the streams may be over, and who asked for a stop does not
 * wait for the rest of a file on a slow disk.
 */
static bool looks_on(const struct vrs_stream_copy *copy, int64_t limit, AVRational time_base, uint64_t *stop_ns)
{
	const AVIOContext *io = copy->reader->demuxer->pb;
	bool is_file = io && (io->seekable & AVIO_SEEKABLE_NORMAL), past = video_is_past(copy->reader, limit, time_base);

	if (past && !is_file)
		return false;
	if (!vrs_stop_requested())
		return true;
	if (*stop_ns == 0)
		*stop_ns = vrs_now_ns();
	return vrs_now_ns() - *stop_ns < (uint64_t)(past ? LOOK_ON_MS : VRS_STOP_FLUSHING_MS) * 1000000;
}

int vrs_stream_copy_finish(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base)
{
	int rc = vrs_stream_copy_write(copy, muxer, limit, time_base);
	uint64_t stop_ns = 0;

	while (rc >= 0 && copy->count > 0 && limit != INT64_MAX && !drop_after_limit(copy, limit, time_base) &&
	       looks_on(copy, limit, time_base, &stop_ns) && pump(copy))
		rc = vrs_stream_copy_write(copy, muxer, limit, time_base);
	for (int i = 0; rc >= 0 && i < copy->count; i++)
		rc = write_converted(copy, &copy->streams[i], muxer, INT64_MAX);
	return rc;
}

int vrs_stream_copy_pad(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t end, AVRational time_base)
{
	int rc = 0;

	for (int i = 0; i < copy->count && rc >= 0; i++) {
		struct vrs_copied_stream *copied = &copy->streams[i];

		if (copied->fill.to_end)
			rc = write_silence(copy, copied, muxer, vrs_sound_fill_missing(&copied->fill, end, time_base, true));
	}
	return rc;
}

enum vrs_status vrs_stream_copy_complete(const struct vrs_stream_copy *copy, const char *path, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int i = 0; status == VRS_OK && i < copy->count; i++) {
		const struct vrs_copied_stream *copied = &copy->streams[i];

		if (copied->spatial.len > 0) /* the muxer numbers its tracks from 1 */
			status = vrs_mp4_spatial_insert(path, (uint32_t)copied->output + 1, &copied->spatial, err);
		if (status != VRS_EUNSUPPORTED)
			continue;
		vrs_log(VRS_LOG_WARNING, "audio stream %d: what its ambisonics mean (SA3D) is left out: %s", copied->input, err->text);
		status = VRS_OK;
	}
	return status;
}
