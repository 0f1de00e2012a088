/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the queue between stages: order with several producers and consumers, the bound, close, abort while everybody waits, and turns.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "flow/sequencer.h"
#include "flow/stage_queue.h"

#define ITEMS 20000
#define PRODUCERS 4

static int items[ITEMS];

struct producer {
	struct vrs_stage_queue *queue;
	_Atomic int *next;
	_Atomic int *ahead; /* pushed and not popped */
	pthread_t thread;
};

/* Takes the next number, then pushes it: numbers reach the queue out of order. */
static void *produce(void *arg)
{
	struct producer *p = arg;
	uint64_t wait = 0;
	for (;;) {
		int i = atomic_fetch_add(p->next, 1);
		if (i >= ITEMS)
			return NULL;
		if (i % 7 == 0)
			usleep(1);
		if (!vrs_stage_queue_push(p->queue, (uint64_t)i, &items[i], &wait))
			return NULL;
		atomic_fetch_add(p->ahead, 1);
	}
}

static void test_order_and_bound(void **state)
{
	(void)state;
	struct vrs_stage_queue *queue;
	assert_int_equal(vrs_stage_queue_create(&queue, 3), VRS_OK);
	struct producer producers[PRODUCERS];
	_Atomic int next = 0, ahead = 0;
	for (int i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){.queue = queue, .next = &next, .ahead = &ahead};
		assert_int_equal(pthread_create(&producers[i].thread, NULL, produce, &producers[i]), 0);
	}
	uint64_t wait = 0;
	int got = 0;
	while (got < ITEMS) {
		void *batch[5];
		int want = 1 + got % 5, n = vrs_stage_queue_pop(queue, batch, want < ITEMS - got ? want : ITEMS - got, &wait);
		assert_true(n > 0);
		for (int i = 0; i < n; i++)
			assert_ptr_equal(batch[i], &items[got + i]);
		got += n;
		/* three inside, and one that each producer has pushed but not counted yet */
		assert_true(atomic_fetch_sub(&ahead, n) - n <= 3 + PRODUCERS);
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i].thread, NULL);
	vrs_stage_queue_close(queue);
	void *item;
	assert_int_equal(vrs_stage_queue_pop(queue, &item, 1, &wait), 0);
	vrs_stage_queue_destroy(queue);
}

struct consumer {
	struct vrs_stage_queue *queue;
	pthread_t thread;
	_Atomic int *total;
	_Atomic int *broken;
};

static void *consume(void *arg)
{
	struct consumer *c = arg;
	void *batch[4];
	uint64_t wait = 0;
	int n;
	while ((n = vrs_stage_queue_pop(c->queue, batch, 4, &wait)) > 0) {
		for (int i = 1; i < n; i++)
			if ((int *)batch[i] != (int *)batch[i - 1] + 1)
				atomic_fetch_add(c->broken, 1);
		atomic_fetch_add(c->total, n);
	}
	return NULL;
}

/* Groups stay consecutive with several consumers, and closing delivers the incomplete last group. */
static void test_groups_of_consumers(void **state)
{
	(void)state;
	struct vrs_stage_queue *queue;
	assert_int_equal(vrs_stage_queue_create(&queue, 2), VRS_OK);
	struct consumer consumers[3];
	_Atomic int total = 0, broken = 0;
	for (int i = 0; i < 3; i++) {
		consumers[i] = (struct consumer){.queue = queue, .total = &total, .broken = &broken};
		assert_int_equal(pthread_create(&consumers[i].thread, NULL, consume, &consumers[i]), 0);
	}
	uint64_t wait = 0;
	for (int i = 0; i < 4003; i++)
		assert_true(vrs_stage_queue_push(queue, (uint64_t)i, &items[i], &wait));
	vrs_stage_queue_close(queue);
	for (int i = 0; i < 3; i++)
		pthread_join(consumers[i].thread, NULL);
	assert_int_equal(total, 4003);
	assert_int_equal(broken, 0);
	vrs_stage_queue_destroy(queue);
}

static void *push_two(void *arg)
{
	struct vrs_stage_queue *queue = arg;
	uint64_t wait = 0;
	return vrs_stage_queue_push(queue, 0, &items[0], &wait) && !vrs_stage_queue_push(queue, 1, &items[1], &wait) && wait > 0 ? arg : NULL;
}

static void *pop_one(void *arg)
{
	void *item;
	uint64_t wait = 0;
	return vrs_stage_queue_pop(arg, &item, 1, &wait) == 0 ? arg : NULL;
}

/* Waiting producers and consumers leave at once; what is inside can be fetched. */
static void test_abort(void **state)
{
	(void)state;
	struct vrs_stage_queue *full, *empty;
	assert_int_equal(vrs_stage_queue_create(&full, 1), VRS_OK);
	assert_int_equal(vrs_stage_queue_create(&empty, 1), VRS_OK);
	assert_int_equal(vrs_stage_queue_create(&full, 0), VRS_EINVAL);
	pthread_t pusher, popper;
	assert_int_equal(pthread_create(&pusher, NULL, push_two, full), 0);
	assert_int_equal(pthread_create(&popper, NULL, pop_one, empty), 0);
	usleep(20000);
	vrs_stage_queue_abort(full);
	vrs_stage_queue_abort(empty);
	void *result;
	pthread_join(pusher, &result);
	assert_ptr_equal(result, full);
	pthread_join(popper, &result);
	assert_ptr_equal(result, empty);
	assert_ptr_equal(vrs_stage_queue_drain(full), &items[0]);
	assert_null(vrs_stage_queue_drain(full));
	vrs_stage_queue_destroy(full);
	vrs_stage_queue_destroy(empty);
	vrs_stage_queue_destroy(NULL);
}

/* What nobody got was not late, either: callers give back room for the rest. */
static void test_late_after_abort(void **state)
{
	(void)state;
	struct vrs_stage_queue *queue;
	void *got[4];
	uint64_t wait = 0, first;
	int late = 3;
	assert_int_equal(vrs_stage_queue_create(&queue, 4), VRS_OK);
	for (int i = 0; i < 4; i++)
		assert_true(vrs_stage_queue_push(queue, (uint64_t)i, &items[i], &wait));
	vrs_stage_queue_abort(queue);
	assert_int_equal(vrs_stage_queue_pop_late(queue, got, 1, 1, &late, 0, &first, &wait), 0);
	assert_int_equal(late, 0);
	while (vrs_stage_queue_drain(queue))
		;
	vrs_stage_queue_destroy(queue);
}

struct turn_taker {
	struct vrs_sequencer *turn;
	uint64_t first;
	uint64_t *order;
	uint64_t *count;  /* only changed by the one whose turn it is */
	pthread_t thread;
};

static void *take_turns(void *arg)
{
	struct turn_taker *t = arg;
	uint64_t wait = 0;
	for (uint64_t seq = t->first; seq < 3000; seq += 3) {
		if (!vrs_sequencer_wait(t->turn, seq, &wait))
			return NULL;
		t->order[(*t->count)++] = seq;
		vrs_sequencer_done(t->turn);
	}
	return arg;
}

static void test_turns(void **state)
{
	(void)state;
	struct vrs_sequencer *turn;
	assert_int_equal(vrs_sequencer_create(&turn), VRS_OK);
	static uint64_t order[3000];
	uint64_t count = 0, wait = 0;
	struct turn_taker takers[3];
	for (int i = 0; i < 3; i++) {
		takers[i] = (struct turn_taker){.turn = turn, .first = (uint64_t)i, .order = order, .count = &count};
		assert_int_equal(pthread_create(&takers[i].thread, NULL, take_turns, &takers[i]), 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(takers[i].thread, NULL);
	assert_int_equal(count, 3000);
	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(order[i], i);
	vrs_sequencer_abort(turn);
	assert_false(vrs_sequencer_wait(turn, 9999, &wait));
	vrs_sequencer_destroy(turn);
	vrs_sequencer_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_bound),
		cmocka_unit_test(test_groups_of_consumers),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_late_after_abort),
		cmocka_unit_test(test_turns),
	};
	return cmocka_run_group_tests_name("stage_queue", tests, NULL, NULL);
}
