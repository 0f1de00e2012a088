/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/stage_queue.h"

#include <errno.h>
#include <pthread.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"

struct vrs_stage_queue {
	pthread_mutex_t lock;         /* guards all below */
	pthread_cond_t came, left;    /* an item came, or the end; room was made, or the end */
	uint64_t next;                /* sequence number that leaves next */
	uint64_t taken;               /* items that consumers took */
	bool closed, aborted;
	bool popping;                 /* a consumer is collecting its items */
	int capacity, depth;          /* depth: items inside */
	void **slots;                 /* [capacity], place seq % capacity; NULL: empty */
	vrs_stage_queue_taken_fn *on_taken; /* NULL: nobody asks */
	void *cookie;
};

/* For assertions: somebody holds the lock, which the caller of a function "under the lock" does. */
static bool is_held(pthread_mutex_t *lock)
{
	return pthread_mutex_trylock(lock) == EBUSY;
}

enum vrs_status vrs_stage_queue_create(struct vrs_stage_queue **ret_queue, int capacity)
{
	if (capacity < 1)
		return VRS_EINVAL;
	struct vrs_stage_queue *queue = vrs_calloc(1, sizeof *queue);
	void **slots = vrs_calloc((size_t)capacity, sizeof *slots);
	if (!queue || !slots) {
		vrs_free(queue);
		vrs_free(slots);
		return VRS_ENOMEM;
	}
	queue->capacity = capacity;
	queue->slots = slots;
	pthread_mutex_init(&queue->lock, NULL);
	vrs_cond_init(&queue->came);
	pthread_cond_init(&queue->left, NULL);
	*ret_queue = queue;
	return VRS_OK;
}

void vrs_stage_queue_destroy(struct vrs_stage_queue *queue)
{
	if (!queue)
		return;
	VRS_ASSERT(!queue->popping); /* nobody is inside any more */
	pthread_cond_destroy(&queue->left);
	pthread_cond_destroy(&queue->came);
	pthread_mutex_destroy(&queue->lock);
	vrs_free(queue->slots);
	vrs_free(queue);
}

void vrs_stage_queue_on_taken(struct vrs_stage_queue *queue, vrs_stage_queue_taken_fn *call, void *cookie)
{
	queue->on_taken = call;
	queue->cookie = cookie;
}

bool vrs_stage_queue_push(struct vrs_stage_queue *queue, uint64_t seq, void *item, uint64_t *wait_ns)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->aborted && seq >= queue->next + (uint64_t)queue->capacity)
		vrs_cond_wait_timed(&queue->left, &queue->lock, wait_ns);
	bool taken = !queue->aborted;
	if (taken) {
		VRS_ASSERT(item && seq >= queue->next && !queue->slots[seq % (uint64_t)queue->capacity]);
		queue->slots[seq % (uint64_t)queue->capacity] = item;
		queue->depth++;
		pthread_cond_broadcast(&queue->came);
	}
	pthread_mutex_unlock(&queue->lock);
	return taken;
}

/* The oldest item leaves and gets no place in the sequence; under the lock, not empty. */
static void *leave_oldest(struct vrs_stage_queue *queue)
{
	void **slot = &queue->slots[queue->next % (uint64_t)queue->capacity], *item = *slot;
	VRS_ASSERT(is_held(&queue->lock));
	VRS_ASSERT(item && queue->depth > 0);
	*slot = NULL;
	queue->next++;
	queue->depth--;
	return item;
}

bool vrs_stage_queue_replace(struct vrs_stage_queue *queue, void *item, void **ret_old)
{
	uint64_t capacity = (uint64_t)queue->capacity;
	*ret_old = NULL;
	pthread_mutex_lock(&queue->lock);
	bool taken = !queue->aborted;
	if (taken) {
		if (queue->depth == queue->capacity)
			*ret_old = leave_oldest(queue);
		VRS_ASSERT(!queue->slots[(queue->next + (uint64_t)queue->depth) % capacity]);
		queue->slots[(queue->next + (uint64_t)queue->depth) % capacity] = item;
		queue->depth++;
		pthread_cond_broadcast(&queue->came);
	}
	pthread_mutex_unlock(&queue->lock);
	return taken;
}

/* Wait for an item until `until` (0: for ever) and add the time; false when it is over. */
static bool wait_for_item(struct vrs_stage_queue *queue, uint64_t until, uint64_t *wait_ns)
{
	if (!until) {
		vrs_cond_wait_timed(&queue->came, &queue->lock, wait_ns);
		return true;
	}
	uint64_t begin = vrs_now_ns();
	bool in_time = vrs_cond_wait_until(&queue->came, &queue->lock, until);
	*wait_ns += vrs_now_ns() - begin;
	return in_time;
}

void *vrs_stage_queue_shed(struct vrs_stage_queue *queue, int keep)
{
	pthread_mutex_lock(&queue->lock);
	void *item = queue->depth > keep && !queue->aborted ? leave_oldest(queue) : NULL;
	pthread_mutex_unlock(&queue->lock);
	return item;
}

int vrs_stage_queue_pop_late(struct vrs_stage_queue *queue, void **items, int max, int keep, int *late, uint64_t within_ns, uint64_t *ret_first,
			     uint64_t *wait_ns)
{
	int count = 0;
	uint64_t until = 0;
	bool in_time = true;
	pthread_mutex_lock(&queue->lock);
	while (queue->popping && !queue->aborted)
		vrs_cond_wait_timed(&queue->came, &queue->lock, wait_ns);
	queue->popping = true;
	if (*late > queue->depth - keep)
		*late = queue->depth > keep ? queue->depth - keep : 0;
	max += *late;
	*ret_first = queue->taken;
	while (count < max && !queue->aborted) {
		void **slot = &queue->slots[queue->next % (uint64_t)queue->capacity];
		if (*slot) {
			items[count] = leave_oldest(queue);
			if (queue->on_taken)
				queue->on_taken(queue->cookie, items[count], queue->taken);
			count++;
			queue->taken++;
			pthread_cond_broadcast(&queue->left);
			if (count == 1 && within_ns)
				until = vrs_now_ns() + within_ns;
		} else if (queue->closed || !in_time) {
			break;
		} else {
			in_time = wait_for_item(queue, until, wait_ns);
		}
	}
	if (*late > count) /* aborted, or closed, before they came */
		*late = count;
	VRS_ASSERT(count <= max && (queue->popping || queue->aborted));
	queue->popping = false;
	pthread_cond_broadcast(&queue->came);
	pthread_mutex_unlock(&queue->lock);
	return count;
}

int vrs_stage_queue_pop_within(struct vrs_stage_queue *queue, void **items, int max, uint64_t within_ns, uint64_t *ret_first, uint64_t *wait_ns)
{
	int late = 0;
	return vrs_stage_queue_pop_late(queue, items, max, 0, &late, within_ns, ret_first, wait_ns);
}

int vrs_stage_queue_pop(struct vrs_stage_queue *queue, void **items, int max, uint64_t *wait_ns)
{
	uint64_t first;
	return vrs_stage_queue_pop_within(queue, items, max, 0, &first, wait_ns);
}

int vrs_stage_queue_depth(struct vrs_stage_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	int depth = queue->depth;
	pthread_mutex_unlock(&queue->lock);
	return depth;
}

void vrs_stage_queue_close(struct vrs_stage_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->came);
	pthread_mutex_unlock(&queue->lock);
}

void vrs_stage_queue_abort(struct vrs_stage_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->aborted = true;
	pthread_cond_broadcast(&queue->came);
	pthread_cond_broadcast(&queue->left);
	pthread_mutex_unlock(&queue->lock);
}

void *vrs_stage_queue_drain(struct vrs_stage_queue *queue)
{
	void *item = NULL;
	pthread_mutex_lock(&queue->lock);
	for (int i = 0; i < queue->capacity && !item; i++) {
		item = queue->slots[i];
		queue->slots[i] = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	return item;
}
