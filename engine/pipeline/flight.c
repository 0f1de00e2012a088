/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/flight.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/mem.h"

struct vrs_flight {
	pthread_mutex_t lock;      /* guards all below */
	pthread_cond_t left;
	int limit, extra, frames, riders;
	bool aborted;
};

enum vrs_status vrs_flight_create(struct vrs_flight **ret_flight, int limit, int extra)
{
	struct vrs_flight *flight = vrs_calloc(1, sizeof *flight);
	if (!flight)
		return VRS_ENOMEM;
	flight->limit = limit;
	flight->extra = extra;
	pthread_mutex_init(&flight->lock, NULL);
	pthread_cond_init(&flight->left, NULL);
	*ret_flight = flight;
	return VRS_OK;
}

void vrs_flight_destroy(struct vrs_flight *flight)
{
	if (!flight)
		return;
	pthread_cond_destroy(&flight->left);
	pthread_mutex_destroy(&flight->lock);
	vrs_free(flight);
}

bool vrs_flight_enter(struct vrs_flight *flight, int frames, uint64_t *wait_ns)
{
	pthread_mutex_lock(&flight->lock);
	while (!flight->aborted && flight->limit && flight->frames + frames > flight->limit) {
		uint64_t begin = vrs_now_ns();
		pthread_cond_wait(&flight->left, &flight->lock);
		*wait_ns += vrs_now_ns() - begin;
	}
	bool entered = !flight->aborted;
	if (entered)
		flight->frames += frames;
	pthread_mutex_unlock(&flight->lock);
	return entered;
}

int vrs_flight_ride(struct vrs_flight *flight, int frames)
{
	pthread_mutex_lock(&flight->lock);
	int room = flight->extra - flight->riders, riding = flight->aborted ? 0 : room < frames ? room : frames;
	flight->riders += riding;
	pthread_mutex_unlock(&flight->lock);
	return riding;
}

void vrs_flight_alight(struct vrs_flight *flight, int frames)
{
	pthread_mutex_lock(&flight->lock);
	flight->riders -= frames;
	pthread_mutex_unlock(&flight->lock);
}

void vrs_flight_leave(struct vrs_flight *flight, int frames)
{
	pthread_mutex_lock(&flight->lock);
	flight->frames -= frames;
	pthread_cond_broadcast(&flight->left);
	pthread_mutex_unlock(&flight->lock);
}

void vrs_flight_abort(struct vrs_flight *flight)
{
	pthread_mutex_lock(&flight->lock);
	flight->aborted = true;
	pthread_cond_broadcast(&flight->left);
	pthread_mutex_unlock(&flight->lock);
}
