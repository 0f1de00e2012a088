/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: a wait ends at its deadline and not before, at once where that is past, and early when it is signalled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

#define MS UINT64_C(1000000)

struct flag {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool set;
};

static void flag_init(struct flag *flag)
{
	pthread_mutex_init(&flag->lock, NULL);
	vrs_cond_init(&flag->cond);
	flag->set = false;
}

static void flag_fini(struct flag *flag)
{
	pthread_cond_destroy(&flag->cond);
	pthread_mutex_destroy(&flag->lock);
}

static void the_time_comes(void **state)
{
	(void)state;
	struct flag flag;
	flag_init(&flag);
	pthread_mutex_lock(&flag.lock);
	uint64_t end = vrs_now_ns() + 20 * MS;
	while (vrs_cond_wait_until(&flag.cond, &flag.lock, end)) /* it may wake for nothing */
		;
	assert_true(vrs_now_ns() >= end);
	assert_false(vrs_cond_wait_until(&flag.cond, &flag.lock, end - 10 * MS)); /* past already */
	pthread_mutex_unlock(&flag.lock);
	flag_fini(&flag);
}

static void *set_flag(void *cookie)
{
	struct flag *flag = cookie;
	pthread_mutex_lock(&flag->lock);
	flag->set = true;
	pthread_cond_signal(&flag->cond);
	pthread_mutex_unlock(&flag->lock);
	return NULL;
}

static void a_signal_wakes(void **state)
{
	(void)state;
	struct flag flag;
	pthread_t thread;
	bool in_time = true;
	flag_init(&flag);
	pthread_mutex_lock(&flag.lock);
	assert_int_equal(pthread_create(&thread, NULL, set_flag, &flag), 0);
	uint64_t end = vrs_now_ns() + 60000 * MS; /* a minute: nothing a loaded machine takes for this */
	while (!flag.set && in_time)
		in_time = vrs_cond_wait_until(&flag.cond, &flag.lock, end);
	assert_true(flag.set && in_time);
	pthread_mutex_unlock(&flag.lock);
	pthread_join(thread, NULL);
	flag_fini(&flag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_time_comes), cmocka_unit_test(a_signal_wakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
