/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/packer.h"

#include <math.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "compose/pack_tables.h"
#include "compose/pack_times.h"

#define TRIALS 4 /* frames each way, and one more of the device: its kernels are new to it in the first */

enum way { CPU, DEVICE, WAYS };

struct vrs_packer {
	struct vrs_packer_options options;
	const struct vrs_frame_device *device; /* NULL: the CPU packs everything */
	struct vrs_frame_device_info info;
	struct vrs_frame_work *work;
	bool chosen;                           /* false: both ways are still tried */
	int tried[WAYS];
	struct vrs_pack_times best;
};

static void drop_device(struct vrs_packer *packer)
{
	if (packer->device)
		packer->device->destroy(packer->work);
	packer->device = NULL;
	packer->work = NULL;
	packer->chosen = true;
}

static enum vrs_status create_work(struct vrs_packer *packer, struct vrs_error *err)
{
	const struct vrs_packer_options *o = &packer->options;
	struct vrs_frame_work_options work = {.device = o->settings->engine.device, .program_cache = o->settings->engine.program_cache,
		.pinned_memory = o->settings->engine.pinned_memory, .async_transfers = o->settings->engine.async_transfers, .mattes = o->eyes};
	struct vrs_arena arena = {0};
	enum vrs_status status = vrs_pack_tables(&work.pack, &arena, o->pack, o->matte_width, o->matte_height, err);

	work.memory_share = o->settings->engine.max_memory_fraction;
	if (status == VRS_OK)
		status = packer->device->create(&packer->work, &work, err);
	vrs_arena_free(&arena);
	return status;
}

static uint64_t hash_format(uint64_t hash, const struct vrs_picture_format *format)
{
	const int32_t fields[] = {format->width, format->height, format->planes, format->bit_depth, format->chroma_shift_x, format->chroma_shift_y};

	return vrs_hash(hash, fields, sizeof fields);
}

/* What the times of both ways depend on, beside CPU and device: how much is packed, how, and how many threads do so. */
static uint64_t work_key(const struct vrs_packer_options *o)
{
	const struct vrs_alpha_pack_parts parts = vrs_alpha_pack_parts(o->pack);
	const struct vrs_layout *layout = &parts.options->layout;
	const double angles[] = {layout->fov_degrees, parts.options->fov_degrees, layout->pixel_aspect};
	const int32_t fields[] = {
		o->eyes, o->matte_width, o->matte_height, (int32_t)layout->stereo, (int32_t)layout->projection, parts.options->colored,
		parts.eyes[0].width, parts.eyes[0].height, o->settings->engine.streams, o->settings->engine.async_transfers,
		o->settings->engine.pinned_memory,
	};
	uint64_t hash = hash_format(hash_format(VRS_HASH_INIT, &parts.options->format), vrs_alpha_pack_format(o->pack));

	return vrs_hash(vrs_hash(hash, angles, sizeof angles), fields, sizeof fields);
}

static bool device_is_faster(const struct vrs_pack_times *times)
{
	return times->device_ms < times->cpu_ms;
}

static void tell_choice(const struct vrs_packer *packer, enum vrs_log_level level, const char *whence)
{
	vrs_log(level, "frames are packed %s: %.1f ms each by %s, %.1f ms by the CPU (%s)",
		device_is_faster(&packer->best) ? "on the device" : "by the CPU", packer->best.device_ms, packer->info.name, packer->best.cpu_ms, whence);
}

/* What an earlier job found out. */
static bool recall(struct vrs_packer *packer)
{
	struct vrs_pack_times times;

	if (!packer->options.settings->engine.program_cache ||
	    !vrs_pack_times_find(&times, packer->info.environment, work_key(&packer->options)))
		return false;
	packer->best = times;
	tell_choice(packer, VRS_LOG_DEBUG, "remembered");
	return true;
}

/* Without the device where it is known to be of no help: its units are the CPU's, or an earlier job found it slower. */
static enum vrs_status begin_on_device(struct vrs_packer *packer, bool must, struct vrs_error *err)
{
	enum vrs_status status = packer->device->describe(&packer->info, packer->options.settings->engine.device, err);

	if (status != VRS_OK)
		return status;
	packer->chosen = must || (!packer->info.is_host && recall(packer));
	if (!must && (packer->info.is_host || (packer->chosen && !device_is_faster(&packer->best)))) {
		if (packer->info.is_host)
			vrs_log(VRS_LOG_DEBUG, "frames are packed by the CPU, whose units are those of %s", packer->info.name);
		drop_device(packer);
		return VRS_OK;
	}
	status = create_work(packer, err);
	if (status == VRS_OK)
		vrs_log(VRS_LOG_DEBUG, "%s packs frames%s", packer->info.name, packer->chosen ? "" : " by turns with the CPU until one is chosen");
	return status;
}

static enum vrs_status begin(struct vrs_packer *packer, struct vrs_error *err)
{
	const struct vrs_settings *settings = packer->options.settings;
	bool must = settings->engine.device_frames == VRS_DEVICE_FRAMES_ON;
	struct vrs_error why = {.status = VRS_OK};

	packer->device = settings->engine.device_frames == VRS_DEVICE_FRAMES_OFF ? NULL : packer->options.device;
	packer->chosen = !packer->device;
	enum vrs_status status = packer->device ? begin_on_device(packer, must, &why) : VRS_OK;
	if (status != VRS_OK && must) {
		if (err)
			*err = why;
		return status;
	}
	if (status != VRS_OK) {
		vrs_log(VRS_LOG_INFO, "frames are packed by the CPU: %s", why.text);
		drop_device(packer);
	}
	return VRS_OK;
}

enum vrs_status vrs_packer_create(struct vrs_packer **ret_packer, const struct vrs_packer_options *options, struct vrs_error *err)
{
	struct vrs_packer *packer = vrs_calloc(1, sizeof *packer);

	if (!packer)
		return vrs_fail_nomem(err);
	packer->options = *options;
	packer->best = (struct vrs_pack_times){INFINITY, INFINITY};
	enum vrs_status status = begin(packer, err);
	if (status != VRS_OK) {
		vrs_packer_destroy(packer);
		return status;
	}
	*ret_packer = packer;
	return VRS_OK;
}

void vrs_packer_destroy(struct vrs_packer *packer)
{
	if (!packer)
		return;
	drop_device(packer);
	vrs_free(packer);
}

/* False: the device failed, or does not take such a frame, and dst holds nothing. */
static bool pack_on_device(struct vrs_packer *packer, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
			   const struct vrs_rect *views)
{
	struct vrs_device_disc_place places[2];
	struct vrs_error err = {.status = VRS_OK};

	for (int i = 0; i < packer->options.eyes; i++)
		places[i] = vrs_pack_place(packer->options.pack, &mattes[i], &views[i], i);
	enum vrs_status status = packer->device->pack(packer->work, dst, src, mattes, places, &err);
	if (status != VRS_OK && status != VRS_EINVAL) { /* of another size: this frame only */
		vrs_log(VRS_LOG_WARNING, "frames are packed by the CPU from now on: %s", err.text);
		drop_device(packer);
	}
	return status == VRS_OK;
}

/* Both ways have been tried: the faster one packs the rest. */
static void choose(struct vrs_packer *packer)
{
	bool device = device_is_faster(&packer->best);

	tell_choice(packer, device ? VRS_LOG_INFO : VRS_LOG_DEBUG, "measured");
	if (packer->options.settings->engine.program_cache)
		vrs_pack_times_keep(&packer->best, packer->info.environment, work_key(&packer->options));
	packer->chosen = true;
	if (!device)
		drop_device(packer);
}

/* The device first, whose first frame does not count, then by turns. */
static enum way next_way(const struct vrs_packer *packer)
{
	return packer->tried[DEVICE] <= packer->tried[CPU] ? DEVICE : CPU;
}

static void note_trial(struct vrs_packer *packer, enum way way, double ms)
{
	double *best = way == CPU ? &packer->best.cpu_ms : &packer->best.device_ms;

	if (way == CPU || packer->tried[DEVICE] > 0)
		*best = fmin(*best, ms);
	packer->tried[way]++;
	if (packer->tried[CPU] == TRIALS && packer->tried[DEVICE] > TRIALS)
		choose(packer);
}

void vrs_packer_run(struct vrs_packer *packer, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
		    const struct vrs_rect *views)
{
	enum way way = !packer->device ? CPU : packer->chosen ? DEVICE : next_way(packer);
	uint64_t begin = vrs_now_ns();

	bool trying = !packer->chosen;
	if (way == CPU || !pack_on_device(packer, dst, src, mattes, views)) {
		trying = trying && way == CPU; /* what the device did not finish says nothing of the CPU */
		vrs_alpha_pack_run(packer->options.pack, dst, src, mattes, views);
	}
	if (trying && packer->device)
		note_trial(packer, way, (double)(vrs_now_ns() - begin) / 1e6);
}
