/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measured with FFmpeg 5.1, x264 164 and x265 3.5 as peaks of resident memory, in pictures (docs/performance.md has a table).  Factors lie a few
 * percent above what was measured, since these figures decide whether a job may begin.
 */
#include "video/codec_memory.h"

#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/cpu.h>
#include <libavutil/pixdesc.h>

#include "base/file.h"
#include "video/av_format.h"
#include "video/encoder_query.h"

#define MIB (UINT64_C(1) << 20)
#define LARGE_PICTURE (32 * MIB) /* above 6720x3360 in 8-bit 4:2:0 */

struct level {
	int level;
	int64_t size; /* H.264: macroblocks of all references; HEVC: luma samples of a picture */
};

/* H.264 (ISO 14496-10, table A-1), MaxDpbMbs. */
static const struct level avc_levels[] = {{30, 8100}, {31, 18000}, {32, 20480}, {41, 32768}, {42, 34816}, {50, 110400}, {52, 184320}, {62, 696320}};
/* HEVC (ISO 23008-2, table A.8), MaxLumaPs; levels are stored times 30. */
static const struct level hevc_levels[] = {{90, 552960}, {93, 983040}, {123, 2228224}, {156, 8912896}, {186, 35651584}};

static int64_t size_at(const struct level *levels, size_t count, int level)
{
	for (size_t i = 0; i < count; i++)
		if (level <= levels[i].level)
			return levels[i].size;
	return levels[count - 1].size;
}

static int at_most_16(int64_t frames)
{
	return frames < 1 ? 1 : frames > 16 ? 16 : (int)frames;
}

int vrs_decoder_references(const char *codec, int width, int height, int level)
{
	int64_t pixels = (int64_t)width * height, blocks = (int64_t)((width + 15) / 16) * ((height + 15) / 16);
	if (strcmp(codec, "h264") == 0)
		return level < 1 || blocks < 1 ? 16 : at_most_16(size_at(avc_levels, sizeof avc_levels / sizeof *avc_levels, level) / blocks);
	if (strcmp(codec, "hevc") == 0) {
		int64_t most = size_at(hevc_levels, sizeof hevc_levels / sizeof *hevc_levels, level);
		return level < 1 ? 16 : pixels <= most / 4 ? 16 : pixels <= most / 2 ? 12 : pixels <= most / 4 * 3 ? 8 : 6;
	}
	if (strcmp(codec, "vp9") == 0 || strcmp(codec, "av1") == 0)
		return 8;
	if (strcmp(codec, "vp8") == 0)
		return 4;
	const AVCodecDescriptor *known = avcodec_descriptor_get_by_name(codec);
	return known && (known->props & AV_CODEC_PROP_INTRA_ONLY) ? 0 : 2;
}

uint64_t vrs_decoder_memory(int references, int threads, int64_t pictures, uint64_t frame_bytes)
{
	int64_t held = references + 1 + (references ? 2 : 1) * (threads < 1 ? 1 : threads);

	return (uint64_t)(pictures > 0 && pictures < held ? pictures : held) * frame_bytes + (uint64_t)threads * MIB;
}

/* What a preset of x264 and x265 means. */
struct preset {
	const char *name;
	int b_frames, references, lookahead;
};

static const struct preset x264_presets[] = {{"medium", 3, 3, 40}, {"ultrafast", 0, 1, 0}, {"superfast", 3, 1, 0}, {"veryfast", 3, 1, 10},
	{"faster", 3, 2, 20}, {"fast", 3, 2, 30}, {"slow", 3, 5, 50}, {"slower", 3, 8, 60}, {"veryslow", 8, 16, 60}, {"placebo", 16, 16, 60},
	{.name = NULL}};
static const struct preset x265_presets[] = {{"medium", 4, 3, 20}, {"ultrafast", 3, 1, 5}, {"superfast", 3, 1, 10}, {"veryfast", 4, 2, 15},
	{"faster", 4, 2, 15}, {"fast", 4, 3, 15}, {"slow", 4, 4, 25}, {"slower", 8, 5, 40}, {"veryslow", 8, 5, 40}, {"placebo", 8, 5, 60},
	{.name = NULL}};

static struct preset preset_of(const struct preset *presets, const char *name)
{
	for (int i = 1; name && presets[i].name; i++)
		if (strcmp(presets[i].name, name) == 0)
			return presets[i];
	return presets[0];
}

bool vrs_x264_looks_ahead(uint64_t frame_bytes)
{
	return frame_bytes <= LARGE_PICTURE;
}

/* Pictures that x264 holds; threads that take a picture each hold references and motion of their own. */
static double x264_pictures(const struct vrs_encoder_work *work, int cpus)
{
	struct preset p = preset_of(x264_presets, work->preset);
	if (work->low_delay || !vrs_x264_looks_ahead(work->frame_bytes))
		return 1.06 * (8 + 3.5 * p.references);
	return 1.06 * (2 + 1.9 * p.lookahead + 5 * (1.5 * cpus) + 3.5 * p.references + 10 * p.b_frames);
}

int vrs_x265_frame_threads(int cpus)
{
	return cpus >= 32 ? 6 : cpus >= 16 ? 5 : cpus >= 8 ? 3 : cpus >= 4 ? 2 : 1;
}

static double x265_pictures(const struct vrs_encoder_work *work, int cpus)
{
	struct preset p = preset_of(x265_presets, work->preset);
	return 30 + 6 * vrs_x265_frame_threads(cpus) + 2.7 * p.lookahead + 6 * p.b_frames + 4 * p.references;
}

/*
 * Encoders that know the pictures that they are given, each of several threads with one, its packet and what it was converted from.  Where the
 * threads share one picture (MPEG-2) or there is but one (GIF), it is the same with any number of processors.
 */
static double picture_threads(const char *encoder, int cpus, int most, int64_t pictures)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(encoder);
	if (codec && !(codec->capabilities & AV_CODEC_CAP_FRAME_THREADS))
		cpus = 1;
	double held = 4 + 3 * (cpus + 1 > most ? most : cpus + 1), each = 4; /* and what is written of it */

	return pictures > 0 && each * (double)pictures < held ? each * (double)pictures : held;
}

/* Beside the picture that is made: YUV of another matrix goes through RGB, of 8 or 16 bits. */
static uint64_t converter_bytes(const struct vrs_encoder_format *chosen, const struct vrs_picture_format *format)
{
	enum AVPixelFormat between = av_pix_fmt_desc_get(chosen->format)->comp[0].depth > 8 ? AV_PIX_FMT_BGRA64 : AV_PIX_FMT_BGRA;

	if (!chosen->convert)
		return 0;
	return vrs_av_picture_bytes(chosen->format, format->width, format->height) +
	       (chosen->matrix != format->matrix ? vrs_av_picture_bytes(between, format->width, format->height) : 0);
}

uint64_t vrs_encoder_frame_bytes(const char *encoder, const char *file, const struct vrs_picture_format *format, uint64_t *ret_converter_bytes)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(encoder);
	struct vrs_encoder_format chosen;

	*ret_converter_bytes = 0;
	if (!codec || vrs_encoder_format_find(&chosen, codec, av_guess_format(NULL, vrs_path_base(file), NULL), format, NULL) != VRS_OK)
		return 0;
	*ret_converter_bytes = converter_bytes(&chosen, format);
	return vrs_av_picture_bytes(chosen.format, format->width, format->height);
}

/* Without what converts the frames. */
static uint64_t encoder_bytes(const struct vrs_encoder_work *work)
{
	const char *name = work->encoder;
	int cpus = work->cpus > 0 ? work->cpus : av_cpu_count();
	double pixels = (double)work->width * work->height, frame = (double)work->frame_bytes, taken = (double)work->taken_bytes, packet = 148 * pixels;
	if (strncmp(name, "libx264", 7) == 0)
		return (uint64_t)(x264_pictures(work, cpus) * frame);
	if (strcmp(name, "libx265") == 0)
		return (uint64_t)(x265_pictures(work, cpus) * frame);
	if (strcmp(name, "ffv1") == 0) /* a packet of the largest size that could be: FFmpeg ends at 2 GiB */
		return (uint64_t)(8 * frame + (packet < 2048.0 * MIB ? packet : 2048.0 * MIB));
	if (strncmp(name, "libvpx", 6) == 0)
		return (uint64_t)((100 + 3 * cpus) * frame);
	if (strcmp(name, "libsvtav1") == 0 || strcmp(name, "libaom-av1") == 0)
		return (uint64_t)((120 + 5 * cpus) * frame);
	if (strncmp(name, "prores", 6) == 0)
		return (uint64_t)(picture_threads(name, cpus, 16, work->pictures) * 6 * pixels);
	return (uint64_t)(picture_threads(name, cpus, 16, work->pictures) * (taken < 1 ? 4 * pixels : taken > frame ? taken : frame));
}

uint64_t vrs_encoder_memory(const struct vrs_encoder_work *work)
{
	return work->encoder && work->encoder[0] ? encoder_bytes(work) + work->converter_bytes : 0;
}

int vrs_encoder_threads(int cpus)
{
	return (cpus > 0 ? cpus : av_cpu_count()) * 3 / 2 + 1;
}
