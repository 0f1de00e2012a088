/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/backdrop_feed.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "compose/frame_pool.h"
#include "video/frame_fit.h"
#include "video/source.h"

#define SAME_ASPECT 0.01 /* of samples, relative: what is left over where a size was rounded does not count */
#define SAME_TIME 1e-6 /* seconds; time stamps of two files that mean the same time may differ in their last bit */

#define MOST_TICKS (INT64_MAX / 8) /* of a time stamp and of all rounds; a time beyond is that one */

/* A picture that several frames of the video show. */
struct shared {
	atomic_int count;
	struct vrs_frame frame;
};

struct vrs_backdrop_feed {
	struct vrs_source *source;
	char path[1024];
	struct vrs_frame_fit_options fit_options;
	struct vrs_frame_fit *fit;        /* NULL: pictures fit as they are */
	struct vrs_frame_pool *pool;      /* of fitted pictures */
	struct vrs_frame still;           /* the one picture of an image */
	struct shared *now;               /* shown at the time of the latest call; NULL: none yet */
	struct vrs_frame next;            /* comes after it */
	int64_t base;                     /* ticks of all rounds before this one */
	int64_t round;                    /* ticks of a round; 0: not known before the first one is over */
	bool holds;
	struct vrs_error broken;          /* since then it stays at `now`; status VRS_OK: it goes on */
};

static void shared_unref(void *owner)
{
	struct shared *shared = owner;
	if (atomic_fetch_sub(&shared->count, 1) != 1)
		return;
	vrs_frame_unref(&shared->frame);
	vrs_free(shared);
}

static bool same_aspect(double a, double b)
{
	return fabs(a / b - 1) <= SAME_ASPECT;
}

/*
 * Shown width of a sample over its height.  An eye that is squeezed is so beside what the container says of samples, but for a container that says
 * just that.
 */
static double shown_aspect(const struct vrs_layout *layout, double sample)
{
	double squeezed = layout->pixel_aspect > 0 ? layout->pixel_aspect : 1;
	return same_aspect(sample, squeezed) ? squeezed : sample * squeezed;
}

/* Are pictures of the background those of the video, sample by sample?  Most pictures say nothing of the shape of their samples. */
static bool is_like(const struct vrs_source_info *info, const struct vrs_backdrop_feed_options *options)
{
	double aspect = vrs_source_sample_aspect(info);
	return info->format.width == options->format.width && info->format.height == options->format.height &&
	       (same_aspect(aspect, 1) || same_aspect(aspect, options->sample_aspect));
}

/* Where each eye finds its picture. */
static enum vrs_status choose_parts(struct vrs_backdrop_feed *feed, const struct vrs_backdrop_feed_options *options, struct vrs_error *err)
{
	const struct vrs_source_info *info = vrs_source_info(feed->source);
	int width = info->format.width, height = info->format.height;
	bool same = is_like(info, options);
	struct vrs_layout layout;
	enum vrs_status status = vrs_layout_decide(&layout, NULL, &info->side, feed->path, width, height, err);
	if (status != VRS_OK)
		return status;
	if (same) {
		layout = *options->layout;
	} else if (layout.source == VRS_LAYOUT_BY_SHAPE) { /* which alone proves nothing about a picture */
		layout.stereo = VRS_STEREO_MONO;
		layout.pixel_aspect = 1;
	}
	bool pair = vrs_layout_eyes(&layout) > 1;
	feed->fit_options = (struct vrs_frame_fit_options){.source = info->format, .target = options->format, .count = options->eyes,
		.source_aspect = shown_aspect(&layout, same ? options->sample_aspect : vrs_source_sample_aspect(info)),
		.target_aspect = shown_aspect(options->layout, options->sample_aspect)};
	for (int eye = 0; eye < options->eyes; eye++) {
		feed->fit_options.to[eye] = options->parts[eye];
		feed->fit_options.from[eye] = same ? options->parts[eye] : vrs_layout_eye(&layout, width, height, pair ? eye : 0);
	}
	const char *how = options->eyes == 1 ? pair ? "its left eye" : "one picture" : pair || same ? "an eye for each eye" : "the same for both eyes";
	vrs_log(VRS_LOG_INFO, "background %s: %dx%d, %s", feed->path, width, height, how);
	bool hdr = options->format.transfer == 16 || options->format.transfer == 18; /* PQ, HLG (H.273) */
	if (hdr && info->format.transfer != options->format.transfer)
		vrs_log(VRS_LOG_WARNING, "the video is HDR and the background is not: the background's colours may look wrong");
	return VRS_OK;
}

static enum vrs_status fit_picture(struct vrs_backdrop_feed *feed, struct vrs_frame *raw, struct vrs_frame *ret, struct vrs_error *err)
{
	struct vrs_composite_past *past;
	if (!feed->fit) {
		*ret = *raw;
		memset(raw, 0, sizeof *raw);
		return VRS_OK;
	}
	struct vrs_frame fitted = {0};
	enum vrs_status status = vrs_frame_pool_get(feed->pool, &fitted, &past);
	if (status == VRS_OK)
		status = vrs_frame_fit_run(feed->fit, raw, &fitted, err);
	vrs_frame_unref(raw);
	if (status != VRS_OK) {
		vrs_frame_unref(&fitted);
		return status == VRS_ENOMEM ? vrs_fail(err, status, "no memory for a picture of the background %s", feed->path) : status;
	}
	*ret = fitted;
	return VRS_OK;
}

static int64_t ticks_of(int64_t value)
{
	return value < -MOST_TICKS ? -MOST_TICKS : value > MOST_TICKS ? MOST_TICKS : value;
}

/* The next frame of the video, from the beginning again after the last. */
static enum vrs_status read_next(struct vrs_backdrop_feed *feed, struct vrs_error *err)
{
	int64_t end = ticks_of(feed->next.pts) + ticks_of(feed->next.duration > 0 ? feed->next.duration : 1);
	vrs_frame_unref(&feed->next);
	enum vrs_status status = vrs_source_read(feed->source, &feed->next, err);
	if (status != VRS_END)
		return status;
	feed->round = end > 0 ? ticks_of(end) : 1;
	feed->base = ticks_of(feed->base + feed->round);
	status = vrs_source_rewind(feed->source, err);
	if (status == VRS_OK)
		status = vrs_source_read(feed->source, &feed->next, err);
	return status == VRS_END ? vrs_fail(err, VRS_EFORMAT, "the background %s has no frame when it loops", feed->path) : status;
}

static double next_seconds(const struct vrs_backdrop_feed *feed)
{
	const struct vrs_source_info *info = vrs_source_info(feed->source);
	return (double)(feed->base + ticks_of(feed->next.pts)) * info->time_base_num / info->time_base_den;
}

/* The first frame, and whether there are more. */
static enum vrs_status begin(struct vrs_backdrop_feed *feed, const struct vrs_backdrop_feed_options *options, struct vrs_error *err)
{
	struct vrs_frame first = {0};
	enum vrs_status status = vrs_source_read(feed->source, &first, err);
	if (status == VRS_OK)
		status = vrs_source_read(feed->source, &feed->next, err);
	bool still = status == VRS_END;
	if (still)
		status = VRS_OK;
	if (status == VRS_OK && !vrs_frame_fit_is_identity(&feed->fit_options)) {
		status = vrs_frame_fit_create(&feed->fit, &feed->fit_options);
		if (status == VRS_OK)
			status = vrs_frame_pool_create(&feed->pool, &options->format, 1, NULL, NULL);
	}
	if (status == VRS_OK && still)
		status = fit_picture(feed, &first, &feed->still, err);
	if (status == VRS_OK && !still) {
		/* first is shown at time 0, whatever its time stamp: the video is read again from there */
		vrs_frame_unref(&feed->next);
		status = vrs_source_rewind(feed->source, err);
		if (status == VRS_OK)
			status = vrs_source_read(feed->source, &feed->next, err);
	}
	vrs_frame_unref(&first);
	return status;
}

enum vrs_status vrs_backdrop_feed_create(struct vrs_backdrop_feed **ret_feed, const char *path, const struct vrs_backdrop_feed_options *options,
					 struct vrs_error *err)
{
	const struct vrs_source_options source_options = {.threads = options->threads};
	struct vrs_error cause = {0};
	struct vrs_backdrop_feed *feed = vrs_calloc(1, sizeof *feed);
	if (!feed)
		return vrs_fail(err, VRS_ENOMEM, "no memory for the background %s", path);
	enum vrs_status status = strcmp(path, "-") == 0 ? vrs_fail(&cause, VRS_ECONFIG, "a background cannot come from standard input") : VRS_OK;
	feed->holds = options->holds;
	if (status == VRS_OK && !vrs_strcpy(feed->path, sizeof feed->path, path))
		status = VRS_ELIMIT;
	if (status == VRS_OK)
		status = vrs_source_open(&feed->source, path, &source_options, &cause);
	if (status == VRS_OK)
		status = choose_parts(feed, options, &cause);
	if (status == VRS_OK)
		status = begin(feed, options, &cause);
	if (status != VRS_OK) {
		vrs_backdrop_feed_destroy(feed);
		return vrs_fail(err, status, "the background cannot be used: %s", cause.text[0] ? cause.text : vrs_status_str(status));
	}
	*ret_feed = feed;
	return VRS_OK;
}

void vrs_backdrop_feed_destroy(struct vrs_backdrop_feed *feed)
{
	if (!feed)
		return;
	if (feed->now)
		shared_unref(feed->now);
	vrs_frame_unref(&feed->next);
	vrs_frame_unref(&feed->still);
	vrs_frame_pool_destroy(feed->pool);
	vrs_frame_fit_destroy(feed->fit);
	vrs_source_close(feed->source);
	vrs_free(feed);
}

const struct vrs_frame *vrs_backdrop_feed_picture(const struct vrs_backdrop_feed *feed)
{
	return feed->still.data[0] ? &feed->still : NULL;
}

static enum vrs_status show(struct vrs_backdrop_feed *feed, struct vrs_frame *raw, struct vrs_error *err)
{
	struct shared *shared = vrs_calloc(1, sizeof *shared);
	if (!shared) {
		vrs_frame_unref(raw);
		return VRS_ENOMEM;
	}
	enum vrs_status status = fit_picture(feed, raw, &shared->frame, err);
	if (status != VRS_OK) {
		vrs_free(shared);
		return status;
	}
	atomic_init(&shared->count, 1);
	if (feed->now)
		shared_unref(feed->now);
	feed->now = shared;
	return VRS_OK;
}

/* A video that begins late, or has a gap, goes over many rounds of a short video: whole ones need not be read. */
static void skip_rounds(struct vrs_backdrop_feed *feed, double seconds)
{
	const struct vrs_source_info *info = vrs_source_info(feed->source);
	if (feed->round == 0)
		return;
	double round = (double)feed->round * info->time_base_num / info->time_base_den, rounds = floor((seconds - next_seconds(feed)) / round);
	int64_t most = (MOST_TICKS - feed->base) / feed->round;
	if (most > 0 && rounds >= 1)
		feed->base += (rounds < (double)most ? (int64_t)rounds : most) * feed->round;
}

/* A time that rounds can reach. */
static double reachable(const struct vrs_backdrop_feed *feed, double seconds)
{
	const struct vrs_source_info *info = vrs_source_info(feed->source);
	return fmin(seconds, (double)(MOST_TICKS / 4) * info->time_base_num / info->time_base_den);
}

const struct vrs_error *vrs_backdrop_feed_broken(const struct vrs_backdrop_feed *feed)
{
	return feed->broken.status != VRS_OK ? &feed->broken : NULL;
}

/* What cannot be read on: VRS_OK where its last picture stays. */
static enum vrs_status break_off(struct vrs_backdrop_feed *feed, enum vrs_status status, const struct vrs_error *why, struct vrs_error *err)
{
	const char *words = why->text[0] ? why->text : vrs_status_str(status);
	if (!feed->holds || status == VRS_ESTOPPED)
		return vrs_fail(err, status, "%s", words);
	(void)vrs_fail(&feed->broken, status, "%s", words);
	vrs_log(VRS_LOG_WARNING, "%s; the background stays at its last picture", words);
	return VRS_OK;
}

/* The picture of that time becomes *raw, unless it is the one that is shown already. */
static enum vrs_status find(struct vrs_backdrop_feed *feed, double seconds, struct vrs_frame *raw, struct vrs_error *err)
{
	struct vrs_error why = {0};
	enum vrs_status status = VRS_OK;
	seconds = reachable(feed, seconds);
	skip_rounds(feed, seconds);
	while (status == VRS_OK && ((!feed->now && !raw->data[0]) || seconds + SAME_TIME >= next_seconds(feed))) {
		int64_t pts = feed->next.pts, duration = feed->next.duration;
		vrs_frame_unref(raw);
		*raw = feed->next;
		feed->next = (struct vrs_frame){.pts = pts, .duration = duration}; /* the samples have gone on, the times are needed */
		status = read_next(feed, &why);
		if (status == VRS_OK)
			skip_rounds(feed, seconds); /* the first round may just have told its length */
	}
	return status == VRS_OK ? VRS_OK : break_off(feed, status, &why, err);
}

enum vrs_status vrs_backdrop_feed_at(struct vrs_backdrop_feed *feed, double seconds, struct vrs_frame *ret_picture, struct vrs_error *err)
{
	struct vrs_frame raw = {0};
	enum vrs_status status = vrs_backdrop_feed_broken(feed) ? VRS_OK : find(feed, seconds, &raw, err);
	if (status != VRS_OK)
		vrs_frame_unref(&raw);
	else if (raw.data[0])
		status = show(feed, &raw, err);
	if (status != VRS_OK)
		return status;
	*ret_picture = feed->now->frame;
	ret_picture->writable = false;
	ret_picture->owner = feed->now;
	ret_picture->unref = shared_unref;
	atomic_fetch_add(&feed->now->count, 1);
	return VRS_OK;
}
