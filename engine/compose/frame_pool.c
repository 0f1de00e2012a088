/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/frame_pool.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/mem.h"

struct pool_entry {
	struct vrs_frame_pool *pool;
	struct vrs_frame frame;    /* owns the memory */
	struct vrs_composite_past past;
	struct pool_entry *next_free;
};

struct vrs_frame_pool {
	pthread_mutex_t lock;      /* guards all below */
	struct pool_entry *entries[VRS_FRAME_POOL_MAX];
	struct pool_entry *free_list;
	int count;
	struct vrs_picture_format format;
	vrs_frame_prepare_fn prepare;
	void *cookie;
};

static enum vrs_status entry_create(struct vrs_frame_pool *pool, struct pool_entry **ret_entry)
{
	struct pool_entry *entry = vrs_calloc(1, sizeof *entry);
	if (!entry)
		return VRS_ENOMEM;
	enum vrs_status status = vrs_frame_alloc(&entry->frame, &pool->format);
	if (status != VRS_OK) {
		vrs_free(entry);
		return status;
	}
	entry->pool = pool;
	if (pool->prepare)
		pool->prepare(pool->cookie, &entry->frame);
	*ret_entry = entry;
	return VRS_OK;
}

enum vrs_status vrs_frame_pool_create(struct vrs_frame_pool **ret_pool, const struct vrs_picture_format *format, int count,
				      vrs_frame_prepare_fn prepare, void *cookie)
{
	if (count < 0 || count > VRS_FRAME_POOL_MAX)
		return VRS_EINVAL;
	struct vrs_frame_pool *pool = vrs_calloc(1, sizeof *pool);
	if (!pool)
		return VRS_ENOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	pool->format = *format;
	pool->prepare = prepare;
	pool->cookie = cookie;
	for (; pool->count < count; pool->count++) {
		struct pool_entry *entry;
		enum vrs_status status = entry_create(pool, &entry);
		if (status != VRS_OK) {
			vrs_frame_pool_destroy(pool);
			return status;
		}
		entry->next_free = pool->free_list;
		pool->free_list = pool->entries[pool->count] = entry;
	}
	*ret_pool = pool;
	return VRS_OK;
}

static void entry_return(void *owner)
{
	struct pool_entry *entry = owner;
	struct vrs_frame_pool *pool = entry->pool;
	pthread_mutex_lock(&pool->lock);
	VRS_ASSERT(entry != pool->free_list); /* not twice */
	entry->next_free = pool->free_list;
	pool->free_list = entry;
	pthread_mutex_unlock(&pool->lock);
}

enum vrs_status vrs_frame_pool_get(struct vrs_frame_pool *pool, struct vrs_frame *ret_frame, struct vrs_composite_past **ret_past)
{
	enum vrs_status status = VRS_OK;
	pthread_mutex_lock(&pool->lock);
	struct pool_entry *entry = pool->free_list;
	if (entry) {
		pool->free_list = entry->next_free;
	} else if (pool->count == VRS_FRAME_POOL_MAX) {
		status = VRS_ELIMIT;
	} else {
		status = entry_create(pool, &entry);
		if (status == VRS_OK)
			pool->entries[pool->count++] = entry;
	}
	pthread_mutex_unlock(&pool->lock);
	if (status != VRS_OK)
		return status;
	VRS_ASSERT(entry->pool == pool);
	*ret_frame = entry->frame;
	*ret_past = &entry->past;
	ret_frame->owner = entry;
	ret_frame->unref = entry_return;
	return VRS_OK;
}

int vrs_frame_pool_size(struct vrs_frame_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	int count = pool->count;
	pthread_mutex_unlock(&pool->lock);
	return count;
}

void vrs_frame_pool_destroy(struct vrs_frame_pool *pool)
{
	if (!pool)
		return;
	for (int i = 0; i < pool->count; i++) {
		vrs_frame_unref(&pool->entries[i]->frame);
		vrs_free(pool->entries[i]);
	}
	pthread_mutex_destroy(&pool->lock);
	vrs_free(pool);
}
