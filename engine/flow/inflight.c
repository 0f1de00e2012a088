/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/inflight.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"

struct vrs_inflight {
	pthread_mutex_t lock;      /* guards all below */
	pthread_cond_t left;
	int limit, extra, frames, extra_frames;
	bool aborted;
};

enum vrs_status vrs_inflight_create(struct vrs_inflight **ret_flight, int limit, int extra)
{
	struct vrs_inflight *inflight = vrs_calloc(1, sizeof *inflight);
	if (!inflight)
		return VRS_ENOMEM;
	VRS_ASSERT(limit >= 0 && extra >= 0);
	inflight->limit = limit;
	inflight->extra = extra;
	pthread_mutex_init(&inflight->lock, NULL);
	pthread_cond_init(&inflight->left, NULL);
	*ret_flight = inflight;
	return VRS_OK;
}

void vrs_inflight_destroy(struct vrs_inflight *inflight)
{
	if (!inflight)
		return;
	pthread_cond_destroy(&inflight->left);
	pthread_mutex_destroy(&inflight->lock);
	vrs_free(inflight);
}

bool vrs_inflight_enter(struct vrs_inflight *inflight, int frames, uint64_t *wait_ns)
{
	pthread_mutex_lock(&inflight->lock);
	while (!inflight->aborted && inflight->limit && inflight->frames + frames > inflight->limit)
		vrs_cond_wait_timed(&inflight->left, &inflight->lock, wait_ns);
	bool entered = !inflight->aborted;
	if (entered)
		inflight->frames += frames;
	pthread_mutex_unlock(&inflight->lock);
	return entered;
}

int vrs_inflight_add(struct vrs_inflight *inflight, int frames)
{
	pthread_mutex_lock(&inflight->lock);
	int room = inflight->extra - inflight->extra_frames, added = inflight->aborted ? 0 : room < frames ? room : frames;
	inflight->extra_frames += added;
	pthread_mutex_unlock(&inflight->lock);
	return added;
}

void vrs_inflight_release(struct vrs_inflight *inflight, int frames)
{
	pthread_mutex_lock(&inflight->lock);
	VRS_ASSERT(frames >= 0 && frames <= inflight->extra_frames);
	inflight->extra_frames -= frames;
	pthread_mutex_unlock(&inflight->lock);
}

void vrs_inflight_leave(struct vrs_inflight *inflight, int frames)
{
	pthread_mutex_lock(&inflight->lock);
	VRS_ASSERT(frames >= 0 && frames <= inflight->frames);
	inflight->frames -= frames;
	pthread_cond_broadcast(&inflight->left);
	pthread_mutex_unlock(&inflight->lock);
}

void vrs_inflight_abort(struct vrs_inflight *inflight)
{
	pthread_mutex_lock(&inflight->lock);
	inflight->aborted = true;
	pthread_cond_broadcast(&inflight->left);
	pthread_mutex_unlock(&inflight->lock);
}
