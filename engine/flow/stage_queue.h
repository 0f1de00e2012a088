/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounded queue between two stages.  Items leave in the order of their sequence numbers, whatever order they came in, so that several workers can
 * feed one consumer.  A producer waits while its item is more than the capacity ahead of the consumer; the item that the consumer needs next always
 * fits, so workers cannot lock each other out.
 *
 * close: no more items will come; what is there is still delivered.  abort: everybody returns at once.
 */
#ifndef VRS_FLOW_STAGE_QUEUE_H
#define VRS_FLOW_STAGE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_stage_queue;

/* VRS_EINVAL: capacity below 1; VRS_ENOMEM. */
enum vrs_status vrs_stage_queue_create(struct vrs_stage_queue **ret_queue, int capacity);
/* Items still inside are forgotten, not freed. NULL is fine. */
void vrs_stage_queue_destroy(struct vrs_stage_queue *queue);
/* Put item (not NULL) at place seq (0, 1, 2 ..; each once). Adds the time spent waiting. False when aborted: the item stays the caller's. */
bool vrs_stage_queue_push(struct vrs_stage_queue *queue, uint64_t seq, void *item, uint64_t *wait_ns);
/*
 * For queues whose items are all put this way: put item behind those inside; where there is no room the oldest one leaves into *ret_old (else NULL)
 * and is the caller's.  Never waits.  False when aborted: the item stays the caller's.
 */
bool vrs_stage_queue_replace(struct vrs_stage_queue *queue, void *item, void **ret_old);
/*
 * Take the next `max` items, fewer only when the queue was closed.  0: closed and empty, or aborted.  The items of one call are consecutive, also
 * with several consumers.
 */
int vrs_stage_queue_pop(struct vrs_stage_queue *queue, void **items, int max, uint64_t *wait_ns);
/* Items inside at this moment. */
int vrs_stage_queue_depth(struct vrs_stage_queue *queue);
/* The same, but waits at most within_ns (0: for ever) after the first item. *ret_first: items that were taken before these. */
int vrs_stage_queue_pop_within(struct vrs_stage_queue *queue, void **items, int max, uint64_t within_ns, uint64_t *ret_first, uint64_t *wait_ns);
/*
 * The same; where more than `keep` items are inside at first, the oldest ones beyond those come in addition to the `max` next ones, at most *late of
 * them.  *late: how many came so; they are the first of those returned, so none where nothing is.
 */
int vrs_stage_queue_pop_late(struct vrs_stage_queue *queue, void **items, int max, int keep, int *late, uint64_t within_ns, uint64_t *ret_first,
			     uint64_t *wait_ns);
/* The oldest item leaves without a place in the sequence where more than `keep` are inside; else NULL. For queues of vrs_stage_queue_replace. */
void *vrs_stage_queue_shed(struct vrs_stage_queue *queue, int keep);
/* For items that consumers take: `place` counts them, in their order. */
typedef void vrs_stage_queue_taken_fn(void *cookie, void *item, uint64_t place);
/* Call it for each item, before any consumer has it, and never for two at once.  Set before the threads begin. */
void vrs_stage_queue_on_taken(struct vrs_stage_queue *queue, vrs_stage_queue_taken_fn *call, void *cookie);
void vrs_stage_queue_close(struct vrs_stage_queue *queue);
void vrs_stage_queue_abort(struct vrs_stage_queue *queue);
/* After all threads are gone: any item left inside, NULL when there are none. */
void *vrs_stage_queue_drain(struct vrs_stage_queue *queue);

#endif
