/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: hardware counters count the threads that start later, counts that shared hardware are scaled, and what cannot be counted says why and is
 * never 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <vrseg/perf_events.h>

enum { PAGES = 300 };

/* Touch fresh pages: each is a fault. */
static void *touch(void *cookie)
{
	(void)cookie;
	size_t bytes = (size_t)PAGES * 4096;
	volatile char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	(void)madvise((void *)(uintptr_t)p, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		p[i] = 1;
	munmap((void *)(uintptr_t)p, bytes);
	return NULL;
}

static void threads_are_counted(void **state)
{
	(void)state;
	struct vrs_perf_events events;
	int64_t before[VRS_PERF_COUNT], after[VRS_PERF_COUNT];
	pthread_t thread;
	vrs_perf_events_open(&events);
	if (events.fd[VRS_PERF_PAGE_FAULTS] < 0) {
		assert_true(strlen(events.reason[VRS_PERF_PAGE_FAULTS]) > 10);
		vrs_perf_events_close(&events);
		skip(); /* counting is not allowed here at all */
	}
	vrs_perf_events_read(&events, before);
	assert_int_equal(pthread_create(&thread, NULL, touch, NULL), 0);
	pthread_join(thread, NULL);
	vrs_perf_events_read(&events, after);
	assert_true(before[VRS_PERF_PAGE_FAULTS] >= 0);
	assert_true(after[VRS_PERF_PAGE_FAULTS] - before[VRS_PERF_PAGE_FAULTS] >= PAGES);
	for (int i = 0; i < VRS_PERF_COUNT; i++) {
		/* absent and explained, or counted */
		assert_int_equal(events.fd[i] < 0, events.reason[i][0] != 0);
		assert_true(events.fd[i] >= 0 || after[i] == -1);
	}
	vrs_perf_events_close(&events);
	vrs_perf_events_read(&events, after);
	assert_int_equal(after[VRS_PERF_PAGE_FAULTS], -1);
}

static void a_recorded_machine_has_none(void **state)
{
	(void)state;
	struct vrs_perf_events events;
	setenv("VRSEG_ROOT", VRS_TEST_DIR "/machines/bare", 1);
	vrs_perf_events_open(&events);
	unsetenv("VRSEG_ROOT");
	assert_int_equal(events.fd[VRS_PERF_PAGE_FAULTS], -1);
	assert_string_equal(events.reason[VRS_PERF_CYCLES], "a recorded machine is replayed");
	vrs_perf_events_close(&events);
}

static void reasons(void **state)
{
	(void)state;
	char text[128];
	vrs_perf_reason(EACCES, 4, text, sizeof text);
	assert_string_equal(text, "perf_event_paranoid is 4; counting needs 2 or less");
	vrs_perf_reason(EPERM, 1, text, sizeof text);
	assert_non_null(strstr(text, "refuses perf_event_open"));
	vrs_perf_reason(EACCES, INT64_MIN, text, sizeof text);
	assert_non_null(strstr(text, "refuses perf_event_open"));
	vrs_perf_reason(ENOENT, 2, text, sizeof text);
	assert_non_null(strstr(text, "offers no such counter"));
	vrs_perf_reason(EMFILE, 2, text, sizeof text);
	assert_non_null(strstr(text, "perf_event_open failed: "));
}

static void scaling(void **state)
{
	(void)state;
	assert_int_equal(vrs_perf_scale(1000, 50, 50), 1000);
	assert_int_equal(vrs_perf_scale(1000, 100, 25), 4000); /* counted a quarter of the time */
	assert_int_equal(vrs_perf_scale(0, 100, 0), -1);       /* never ran: absent, not 0 */
	assert_int_equal(vrs_perf_scale(UINT64_MAX, 100, 1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_counted),
		cmocka_unit_test(a_recorded_machine_has_none),
		cmocka_unit_test(reasons),
		cmocka_unit_test(scaling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
