/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/sequencer.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"

struct vrs_sequencer {
	pthread_mutex_t lock;
	pthread_cond_t passed;
	uint64_t next;
	bool aborted;
};

enum vrs_status vrs_sequencer_create(struct vrs_sequencer **ret_sequencer)
{
	struct vrs_sequencer *sequencer = vrs_calloc(1, sizeof *sequencer);
	if (!sequencer)
		return VRS_ENOMEM;
	pthread_mutex_init(&sequencer->lock, NULL);
	pthread_cond_init(&sequencer->passed, NULL);
	*ret_sequencer = sequencer;
	return VRS_OK;
}

void vrs_sequencer_destroy(struct vrs_sequencer *sequencer)
{
	if (!sequencer)
		return;
	pthread_cond_destroy(&sequencer->passed);
	pthread_mutex_destroy(&sequencer->lock);
	vrs_free(sequencer);
}

bool vrs_sequencer_wait(struct vrs_sequencer *sequencer, uint64_t seq, uint64_t *wait_ns)
{
	pthread_mutex_lock(&sequencer->lock);
	VRS_ASSERT(sequencer->aborted || seq >= sequencer->next); /* a number that has passed would never come */
	while (!sequencer->aborted && sequencer->next != seq)
		vrs_cond_wait_timed(&sequencer->passed, &sequencer->lock, wait_ns);
	bool go = !sequencer->aborted;
	pthread_mutex_unlock(&sequencer->lock);
	return go;
}

bool vrs_sequencer_wait_past(struct vrs_sequencer *sequencer, uint64_t seq, uint64_t *wait_ns)
{
	pthread_mutex_lock(&sequencer->lock);
	while (!sequencer->aborted && sequencer->next <= seq)
		vrs_cond_wait_timed(&sequencer->passed, &sequencer->lock, wait_ns);
	bool go = !sequencer->aborted;
	pthread_mutex_unlock(&sequencer->lock);
	return go;
}

bool vrs_sequencer_is_at(struct vrs_sequencer *sequencer, uint64_t seq)
{
	pthread_mutex_lock(&sequencer->lock);
	bool at = sequencer->aborted || sequencer->next == seq;
	pthread_mutex_unlock(&sequencer->lock);
	return at;
}

void vrs_sequencer_done(struct vrs_sequencer *sequencer)
{
	pthread_mutex_lock(&sequencer->lock);
	sequencer->next++;
	pthread_cond_broadcast(&sequencer->passed);
	pthread_mutex_unlock(&sequencer->lock);
}

void vrs_sequencer_abort(struct vrs_sequencer *sequencer)
{
	pthread_mutex_lock(&sequencer->lock);
	sequencer->aborted = true;
	pthread_cond_broadcast(&sequencer->passed);
	pthread_mutex_unlock(&sequencer->lock);
}
