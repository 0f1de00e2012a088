/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the watch over a running flow: after a wish to stop, threads that wait for frames in flight come back, without an error; a stage that does
 * not end fails the flow with a sentence that names it, but not one that is patient, or that moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/stop.h"
#include "flow/flow_watch.h"

#define LIMIT_SECONDS 0.4
#define LONGER_US 1000000

static void begin(struct vrs_flow *flow, struct vrs_flow_watch *watch)
{
	*flow = (struct vrs_flow){0};
	vrs_flow_init(flow);
	assert_int_equal(vrs_stage_queue_create(&flow->decoded, 2), VRS_OK);
	assert_int_equal(vrs_stage_queue_create(&flow->composed, 2), VRS_OK);
	assert_int_equal(vrs_sequencer_create(&flow->postprocess), VRS_OK);
	assert_int_equal(vrs_inflight_create(&flow->inflight, 0, 0), VRS_OK);
	assert_true(vrs_flow_begin(flow, 0, 0));
	watch->flow = flow;
	assert_int_equal(vrs_flow_watch_begin(watch, NULL), VRS_OK);
}

static void end(struct vrs_flow *flow, struct vrs_flow_watch *watch)
{
	vrs_flow_watch_end(watch);
	vrs_flow_fini(flow);
}

static void waits_end_after_a_wish(void **state)
{
	struct vrs_flow flow;
	struct vrs_flow_watch watch = {0};
	void *item;
	uint64_t wait_ns = 0;
	(void)state;
	begin(&flow, &watch);
	atomic_store(&flow.stop, true);
	assert_int_equal(vrs_stage_queue_pop(flow.composed, &item, 1, &wait_ns), 0); /* which nobody feeds */
	assert_false(vrs_sequencer_wait(flow.postprocess, 5, &wait_ns));
	assert_true(wait_ns > VRS_STOP_FLIGHT_MS / 2 * UINT64_C(1000000));
	assert_true(vrs_flow_is_over(&flow) && flow.stopped);
	vrs_flow_fail(&flow, VRS_ESTOPPED, NULL); /* an inference that was dropped */
	assert_int_equal(flow.status, VRS_OK);
	vrs_flow_fail(&flow, VRS_EIO, NULL);
	assert_int_equal(flow.status, VRS_EIO);
	end(&flow, &watch);
}

static void a_stage_that_hangs_is_named(void **state)
{
	struct vrs_flow flow;
	struct vrs_flow_watch watch = {.limit_seconds = LIMIT_SECONDS};
	uint64_t wait_ns = 0;
	(void)state;
	begin(&flow, &watch);
	vrs_flow_work_begin(&flow, VRS_STAGE_INFERENCE);
	assert_false(vrs_sequencer_wait(flow.postprocess, 5, &wait_ns));
	assert_int_equal(flow.status, VRS_ETIMEOUT);
	assert_non_null(strstr(flow.error.text, "more than 0.4 s: inference does not end"));
	end(&flow, &watch);
}

static void others_may_take_their_time(void **state)
{
	struct vrs_flow flow;
	struct vrs_flow_watch watch = {.limit_seconds = LIMIT_SECONDS, .patient = 1u << VRS_STAGE_ENCODE};
	(void)state;
	begin(&flow, &watch);
	usleep(LONGER_US); /* nothing is at work */
	assert_int_equal(flow.status, VRS_OK);
	vrs_flow_work_begin(&flow, VRS_STAGE_ENCODE);
	usleep(LONGER_US);
	vrs_flow_work_end(&flow, VRS_STAGE_ENCODE);
	assert_int_equal(flow.status, VRS_OK);
	end(&flow, &watch);
}

static void slow_work_that_moves_goes_on(void **state)
{
	struct vrs_flow flow;
	struct vrs_flow_watch watch = {.limit_seconds = 4 * LIMIT_SECONDS};
	(void)state;
	begin(&flow, &watch);
	for (int i = 0; i < 10; i++) {
		vrs_flow_work_begin(&flow, VRS_STAGE_COMPOSE);
		usleep(LONGER_US / 5);
		vrs_flow_work_end(&flow, VRS_STAGE_COMPOSE);
		vrs_flow_account(&flow, VRS_STAGE_COMPOSE, &(struct vrs_stage_stats){.frames = 1});
	}
	assert_int_equal(flow.status, VRS_OK);
	end(&flow, &watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_end_after_a_wish),
		cmocka_unit_test(a_stage_that_hangs_is_named),
		cmocka_unit_test(others_may_take_their_time),
		cmocka_unit_test(slow_work_that_moves_goes_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
