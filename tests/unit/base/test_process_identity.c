/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/process_identity.c: who is alive is told from who is gone, a number that was given to another process included; of other PID
 * namespaces and other machines nothing is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/process_identity.h"

static void tells_the_living(void **state)
{
	struct vrs_process_identity own, other;

	(void)state;
	vrs_process_identity_own(&own);
	assert_int_equal(own.pid, getpid());
	assert_true(own.boot[0] && own.pid_namespace && own.start);
	assert_int_equal(vrs_process_presence(&own), VRS_PRESENCE_ALIVE);
	other = own;
	other.start++; /* the number was given anew */
	assert_int_equal(vrs_process_presence(&other), VRS_PRESENCE_GONE);
	other.start = 0; /* not known */
	assert_int_equal(vrs_process_presence(&other), VRS_PRESENCE_ALIVE);
	other = own;
	other.pid = 0;
	assert_int_equal(vrs_process_presence(&other), VRS_PRESENCE_UNKNOWN);
	other = own;
	other.pid_namespace++;
	assert_int_equal(vrs_process_presence(&other), VRS_PRESENCE_UNKNOWN);
	assert_true(vrs_process_same_kernel(&own, &other));
	other = own;
	other.boot[0] = other.boot[0] == 'a' ? 'b' : 'a';
	assert_int_equal(vrs_process_presence(&other), VRS_PRESENCE_UNKNOWN);
	assert_false(vrs_process_same_kernel(&own, &other));
	own.boot[0] = other.boot[0] = '\0'; /* not known, of both */
	assert_false(vrs_process_same_kernel(&own, &other));
}

/* One that has ended and was not waited for does nothing any more. */
static void tells_the_dead(void **state)
{
	struct vrs_process_identity child = {.pid = 0};
	siginfo_t info;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	if (pid == 0) {
		vrs_process_identity_own(&child);
		_exit(write(ends[1], &child, sizeof child) != sizeof child);
	}
	assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
	assert_int_equal(child.pid, pid);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(vrs_process_presence(&child), VRS_PRESENCE_GONE);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(vrs_process_presence(&child), VRS_PRESENCE_GONE);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_living),
		cmocka_unit_test(tells_the_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
