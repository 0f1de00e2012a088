/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a ticker's thread works when its time has come and not before, at once when it is woken, and ends at once when it is asked to, also where
 * it waits for a time that never comes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/ticker.h"

#define MS UINT64_C(1000000)

struct counter {
	struct vrs_ticker ticker;
	uint64_t begin_ns, step_ns; /* 0: it only wakes */
	atomic_int ticks, early, ended;
};

static void *count(void *cookie)
{
	struct counter *c = cookie;
	uint64_t next = c->step_ns > 0 ? c->begin_ns + c->step_ns : UINT64_MAX;
	while (vrs_ticker_wait(&c->ticker, next)) {
		if (c->step_ns > 0 && vrs_now_ns() < next)
			atomic_fetch_add(&c->early, 1);
		atomic_fetch_add(&c->ticks, 1);
		next += c->step_ns;
	}
	atomic_store(&c->ended, 1);
	return NULL;
}

static void start(struct counter *c, uint64_t step_ns)
{
	struct vrs_error err = {0};
	*c = (struct counter){.begin_ns = vrs_now_ns(), .step_ns = step_ns};
	assert_int_equal(vrs_ticker_start(&c->ticker, count, c, &err), VRS_OK);
}

/* Up to ten seconds, on a machine that is busy. */
static bool reaches(atomic_int *value, int want)
{
	for (int i = 0; i < 10000 && atomic_load(value) < want; i++)
		vrs_sleep_until_ns(vrs_now_ns() + MS);
	return atomic_load(value) >= want;
}

static void times_come(void **state)
{
	(void)state;
	struct counter c;
	start(&c, 5 * MS);
	assert_true(reaches(&c.ticks, 5));
	assert_true(vrs_now_ns() >= c.begin_ns + 25 * MS);
	vrs_ticker_end(&c.ticker);
	assert_int_equal(atomic_load(&c.early), 0);
	assert_int_equal(atomic_load(&c.ended), 1);
}

static void a_wake_is_not_lost(void **state)
{
	(void)state;
	struct counter c;
	start(&c, 0);
	for (int i = 1; i <= 20; i++) {
		vrs_ticker_wake(&c.ticker); /* it may not wait yet */
		assert_true(reaches(&c.ticks, i));
	}
	vrs_ticker_end(&c.ticker);
	assert_int_equal(atomic_load(&c.ticks), 20);
}

static void ends_when_asked(void **state)
{
	(void)state;
	struct counter c;
	start(&c, 0);
	vrs_ticker_ask(&c.ticker);
	assert_true(reaches(&c.ended, 1));
	vrs_ticker_end(&c.ticker);
	assert_int_equal(atomic_load(&c.ticks), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_come),
		cmocka_unit_test(a_wake_is_not_lost),
		cmocka_unit_test(ends_when_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
