/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/hw_choice.h"

#include <string.h>
#include <sys/stat.h>

#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "video/av_input.h"
#include "video/av_reader.h"
#include "video/hw_device.h"
#include "video/live_input.h"

#define TRIAL_FRAMES 24

static const enum AVHWDeviceType auto_kinds[] = {AV_HWDEVICE_TYPE_CUDA, AV_HWDEVICE_TYPE_VAAPI};

/* The first frames through one decoder: how long, and the first picture into *first; false when it does not get that far. */
static bool try_decoder(const char *path, const struct vrs_source_options *options, const char *kind, AVFrame *first, uint64_t *ret_ns)
{
	struct vrs_source_options own = *options;
	struct vrs_av_reader reader;
	AVFrame *frame = av_frame_alloc();
	uint64_t begin = vrs_now_ns();
	int frames = 0;

	own.hwdecode = kind;
	if (frame && vrs_av_reader_open(&reader, path, &own, NULL) == VRS_OK) {
		while (frames < TRIAL_FRAMES && vrs_av_reader_next(&reader, frame, NULL) == VRS_OK) {
			if (frames++ == 0)
				av_frame_move_ref(first, frame);
			av_frame_unref(frame);
		}
		vrs_av_reader_close(&reader);
	}
	av_frame_free(&frame);
	*ret_ns = vrs_now_ns() - begin;
	return frames > 0;
}

/* Luma of two pictures; where the samples are of different kinds (10 bits in high places), sizes have to do. */
static bool same_picture(const AVFrame *a, const AVFrame *b)
{
	const AVPixFmtDescriptor *da = av_pix_fmt_desc_get(a->format), *db = av_pix_fmt_desc_get(b->format);

	if (a->width != b->width || a->height != b->height || !da || !db)
		return false;
	if (da->comp[0].depth != 8 || db->comp[0].depth != 8)
		return da->comp[0].depth == db->comp[0].depth;
	for (int y = 0; y < a->height; y++)
		if (memcmp(a->data[0] + y * a->linesize[0], b->data[0] + y * b->linesize[0], (size_t)a->width) != 0)
			return false;
	return true;
}

static bool is_better(const char *path, const struct vrs_source_options *options, const char *kind)
{
	AVFrame *hard = av_frame_alloc(), *soft = av_frame_alloc();
	uint64_t hard_ns, soft_ns;
	bool better = hard && soft && try_decoder(path, options, kind, hard, &hard_ns) && try_decoder(path, options, NULL, soft, &soft_ns) &&
		      same_picture(hard, soft) && hard_ns <= soft_ns;

	av_frame_free(&hard);
	av_frame_free(&soft);
	return better;
}

const char *vrs_hw_choose(const char *path, const struct vrs_source_options *options)
{
	const char *name = options->hwdecode;
	char cause[8]; /* not told */
	struct stat st;

	if (!name || !name[0] || strcmp(name, "off") == 0)
		return NULL;
	if (strcmp(name, "auto") != 0)
		return name;
	/* a trial reads twice: files only */
	if (vrs_live_input_is(path) || vrs_av_input_is_pictures(path, options) || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (size_t i = 0; i < sizeof auto_kinds / sizeof auto_kinds[0]; i++) {
		const char *kind = av_hwdevice_get_type_name(auto_kinds[i]);

		if (!kind || !vrs_hw_device_opens(auto_kinds[i], cause, sizeof cause))
			continue;
		if (is_better(path, options, kind)) {
			vrs_log_once(kind, VRS_LOG_INFO, "video is decoded on the %s device; --hwdecode off does it by software", kind);
			return kind;
		}
		vrs_log_once(kind, VRS_LOG_INFO, "the %s device is there but decodes this video no faster, or not the same; software does", kind);
	}
	return NULL;
}
