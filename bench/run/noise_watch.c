/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two samples of the clock a second cost some microseconds for each processor; a sample after the run would see the clock of an idle machine.
 * Without a readable clock there is no thread.
 */
#include <math.h>
#include <pthread.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/run/runner_state.h"
#include "bench/stats/stats.h"

#define SAMPLES_MAX 4096  /* 34 minutes; a longer run is known well enough by then */
#define SAMPLE_NS UINT64_C(500000000)

struct vrs_noise_watch {
	struct vrs_noise_reading before;
	double cpu_seconds;
	pthread_t thread;
	bool has_thread, stop; /* stop and mhz: under lock */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	double mhz[SAMPLES_MAX];
	int count;
};

static double used_seconds(int who)
{
	struct rusage usage;
	if (getrusage(who, &usage) != 0)
		return NAN;
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void *sample(void *cookie)
{
	struct vrs_noise_watch *w = cookie;
	uint64_t at = vrs_now_ns();
	pthread_mutex_lock(&w->lock);
	while (!w->stop && w->count < SAMPLES_MAX) {
		bool in_time = true;
		at += SAMPLE_NS;
		while (!w->stop && in_time)
			in_time = vrs_cond_wait_until(&w->wake, &w->lock, at);
		if (w->stop)
			break;
		pthread_mutex_unlock(&w->lock);
		double mhz = vrs_noise_clock_mhz();
		pthread_mutex_lock(&w->lock);
		if (isfinite(mhz))
			w->mhz[w->count++] = mhz;
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void start_thread(struct vrs_noise_watch *w)
{
	pthread_mutex_init(&w->lock, NULL);
	vrs_cond_init(&w->wake);
	if (!isnan(w->before.clock_mhz))
		w->has_thread = pthread_create(&w->thread, NULL, sample, w) == 0;
}

struct vrs_noise_watch *vrs_noise_watch_begin(void)
{
	struct vrs_noise_watch *w = vrs_calloc(1, sizeof *w);
	if (!w)
		return NULL;
	vrs_noise_read(&w->before);
	w->cpu_seconds = used_seconds(RUSAGE_SELF) + used_seconds(RUSAGE_CHILDREN);
	start_thread(w);
	return w;
}

bool vrs_noise_watch_end(struct vrs_noise_watch *w, struct vrs_noise_seen *ret_seen)
{
	if (!w)
		return false;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (w->has_thread)
		pthread_join(w->thread, NULL);
	*ret_seen = (struct vrs_noise_seen){.before = w->before, .clock_mhz = NAN, .best_mhz = NAN, .partner_mhz = NAN};
	vrs_noise_read(&ret_seen->after);
	ret_seen->own_cpu_seconds = used_seconds(RUSAGE_SELF) + used_seconds(RUSAGE_CHILDREN) - w->cpu_seconds;
	double median;
	if (w->count > 0 && vrs_stats_median(w->mhz, w->count, &median) == VRS_OK)
		ret_seen->clock_mhz = median;
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	vrs_free(w);
	return true;
}
