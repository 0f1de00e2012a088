/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ticker.h"

#include <string.h>

#include "base/clock.h"

static void destroy(struct vrs_ticker *ticker)
{
	pthread_cond_destroy(&ticker->changed);
	pthread_mutex_destroy(&ticker->lock);
}

enum vrs_status vrs_ticker_start(struct vrs_ticker *ticker, void *(*main)(void *cookie), void *cookie, struct vrs_error *err)
{
	ticker->over = ticker->woken = false;
	pthread_mutex_init(&ticker->lock, NULL);
	vrs_cond_init(&ticker->changed);
	int failed = pthread_create(&ticker->thread, NULL, main, cookie);

	if (failed == 0)
		return VRS_OK;
	destroy(ticker);
	return vrs_fail(err, VRS_EINTERNAL, "cannot start a thread: %s", strerror(failed));
}

bool vrs_ticker_wait(struct vrs_ticker *ticker, uint64_t t_ns)
{
	bool in_time = true;

	pthread_mutex_lock(&ticker->lock);
	while (!ticker->over && !ticker->woken && in_time)
		in_time = vrs_cond_wait_until(&ticker->changed, &ticker->lock, t_ns);
	ticker->woken = false;
	bool go_on = !ticker->over;
	pthread_mutex_unlock(&ticker->lock);
	return go_on;
}

static void tell(struct vrs_ticker *ticker, bool *what)
{
	pthread_mutex_lock(&ticker->lock);
	*what = true;
	pthread_cond_signal(&ticker->changed);
	pthread_mutex_unlock(&ticker->lock);
}

void vrs_ticker_wake(struct vrs_ticker *ticker)
{
	tell(ticker, &ticker->woken);
}

void vrs_ticker_ask(struct vrs_ticker *ticker)
{
	tell(ticker, &ticker->over);
}

void vrs_ticker_end(struct vrs_ticker *ticker)
{
	vrs_ticker_ask(ticker);
	pthread_join(ticker->thread, NULL);
	destroy(ticker);
}
