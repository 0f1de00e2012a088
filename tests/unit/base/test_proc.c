/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/proc: a child that hangs, crashes, floods its output, eats memory, leaves children behind or does not exist cannot hurt
 * the one that started it, and what happened is told apart.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/stop.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static struct vrs_proc_result run_shell(const char *script, struct vrs_proc_options options)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	struct vrs_proc_result result;
	struct vrs_error err = {0};

	options.argv = argv;
	if (options.output_max == 0)
		options.output_max = 100000;
	if (vrs_proc_run(&options, &result, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return result;
}

static void output_and_code_are_captured(void **state)
{
	struct vrs_proc_result result = run_shell("echo out; echo err >&2; exit 7", (struct vrs_proc_options){0});

	(void)state;
	assert_int_equal(result.exit_code, 7);
	assert_int_equal(result.signal, 0);
	assert_false(result.timed_out || result.stopped);
	assert_string_equal(vrs_buf_str(&result.out), "out\n");
	assert_string_equal(vrs_buf_str(&result.err), "err\n");
	assert_true(result.wall_seconds > 0 && result.wall_seconds < 60);
	assert_true(result.minor_faults > 0);
	vrs_proc_result_fini(&result);
}

static void signals_are_told(void **state)
{
	struct vrs_proc_result result = run_shell("kill -SEGV $$", (struct vrs_proc_options){0});

	(void)state;
	assert_int_equal(result.exit_code, -1);
	assert_int_equal(result.signal, SIGSEGV);
	assert_false(result.timed_out);
	vrs_proc_result_fini(&result);
}

static void missing_programs_are_told(void **state)
{
	const char *const argv[] = {"vrs-no-such-program", NULL};
	struct vrs_proc_options options = {.argv = argv, .output_max = 100};
	struct vrs_proc_result result;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_proc_run(&options, &result, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "vrs-no-such-program"));
	const char *const folder[] = {"/", NULL};

	options.argv = folder;
	assert_int_equal(vrs_proc_run(&options, &result, &err), VRS_EIO);
	const char *const none[] = {NULL};

	options.argv = none;
	assert_int_equal(vrs_proc_run(&options, &result, &err), VRS_EINVAL);
}

static void late_children_are_ended(void **state)
{
	struct vrs_proc_result result = run_shell("sleep 30; exit 0", (struct vrs_proc_options){.timeout_seconds = 0.2});

	(void)state;
	assert_true(result.timed_out);
	assert_int_equal(result.signal, SIGTERM);
	assert_true(result.wall_seconds >= 0.2 && result.wall_seconds < 10);
	vrs_proc_result_fini(&result);
}

/* One that ignores SIGTERM, and its children, are killed after the grace time. */
static void stubborn_children_are_killed(void **state)
{
	struct vrs_proc_result result = run_shell("trap '' TERM; sleep 60 & echo $!; while :; do sleep 1; done",
						  (struct vrs_proc_options){.timeout_seconds = 3}); /* a busy machine takes a while to the trap */
	uint64_t deadline = vrs_now_ns() + 5000000000u;
	pid_t grandchild = (pid_t)strtol(vrs_buf_str(&result.out), NULL, 10);

	(void)state;
	assert_true(result.timed_out);
	assert_int_equal(result.signal, SIGKILL);
	assert_true(result.wall_seconds >= 5 && result.wall_seconds < 40);
	assert_true(grandchild > 0);
	/* Killed, but its new parent may take a moment to collect it: a zombie has no command line. */
	char path[64], byte;

	snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)grandchild);
	for (bool alive = true; alive;) {
		FILE *file = fopen(path, "r");

		alive = file && fread(&byte, 1, 1, file) == 1;
		if (file)
			fclose(file);
		assert_true(vrs_now_ns() < deadline);
	}
	vrs_proc_result_fini(&result);
}

/* A grandchild that keeps the pipes open must not keep us waiting. */
static void left_behind_children_do_not_block(void **state)
{
	uint64_t start = vrs_now_ns();
	struct vrs_proc_result result = run_shell("sleep 30 & echo done", (struct vrs_proc_options){0});

	(void)state;
	assert_int_equal(result.exit_code, 0);
	assert_string_equal(vrs_buf_str(&result.out), "done\n");
	assert_true(vrs_now_ns() - start < 10000000000u);
	vrs_proc_result_fini(&result);
}

static void floods_are_cut(void **state)
{
	struct vrs_proc_result result = run_shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo end",
						  (struct vrs_proc_options){.output_max = 1000});

	(void)state;
	assert_int_equal(result.exit_code, 0);
	assert_int_equal(result.out.len, 1000);
	assert_int_equal(result.err.len, 1000);
	vrs_proc_result_fini(&result);
}

static void input_is_given(void **state)
{
	size_t size = 300000; /* more than a pipe holds */
	char *text = malloc(size + 1); /* libc: test data */

	(void)state;
	assert_non_null(text);
	memset(text, 'i', size);
	text[size] = '\0';
	struct vrs_proc_result result = run_shell("wc -c", (struct vrs_proc_options){.stdin_text = text});

	assert_int_equal(strtol(vrs_buf_str(&result.out), NULL, 10), size);
	vrs_proc_result_fini(&result);
	/* One that does not read it. */
	signal(SIGPIPE, SIG_IGN);
	result = run_shell("exec <&-; sleep 0.1; echo fine", (struct vrs_proc_options){.stdin_text = text});
	assert_string_equal(vrs_buf_str(&result.out), "fine\n");
	vrs_proc_result_fini(&result);
	free(text); /* libc: test data */
	result = run_shell("wc -c", (struct vrs_proc_options){0});
	assert_int_equal(strtol(vrs_buf_str(&result.out), NULL, 10), 0);
	vrs_proc_result_fini(&result);
}

static void environment_is_extended(void **state)
{
	const char *const env[] = {"VRS_TEST_NEW=1", "VRS_TEST_OLD=changed", NULL};

	(void)state;
	setenv("VRS_TEST_OLD", "old", 1);
	setenv("VRS_TEST_OLDER", "kept", 1);
	struct vrs_proc_result result = run_shell("echo $VRS_TEST_NEW $VRS_TEST_OLD $VRS_TEST_OLDER; env | grep -c VRS_TEST_OLD=",
						  (struct vrs_proc_options){.env = env});

	assert_string_equal(vrs_buf_str(&result.out), "1 changed kept\n1\n");
	vrs_proc_result_fini(&result);
}

static void memory_is_limited(void **state)
{
	const char *const argv[] = {"/proc/self/exe", "--eat-memory", NULL};
	struct vrs_proc_options options = {.argv = argv, .output_max = 1000, .memory_limit_bytes = 256u << 20};
	struct vrs_proc_result result;

	(void)state;
	if (SANITIZED) /* the sanitizers reserve terabytes of addresses */
		skip();
	assert_int_equal(vrs_proc_run(&options, &result, NULL), VRS_OK);
	assert_int_equal(result.exit_code, 9);
	vrs_proc_result_fini(&result);
	options.memory_limit_bytes = 0;
	assert_int_equal(vrs_proc_run(&options, &result, NULL), VRS_OK);
	assert_int_equal(result.exit_code, 8);
	vrs_proc_result_fini(&result);
}

static void processor_time_is_counted(void **state)
{
	struct vrs_proc_result result = run_shell("i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done", (struct vrs_proc_options){0});

	(void)state;
	assert_true(result.user_seconds > 0.001);
	assert_true(result.user_seconds <= result.wall_seconds * 1.5 + 0.05);
	vrs_proc_result_fini(&result);
}

static void on_alarm(int number)
{
	(void)number;
	vrs_stop_request();
}

static void stop_requests_reach_the_child(void **state)
{
	(void)state;
	signal(SIGALRM, on_alarm);
	ualarm(200000, 0);
	struct vrs_proc_result result = run_shell("sleep 30", (struct vrs_proc_options){.timeout_seconds = 60});

	vrs_stop_reset();
	signal(SIGALRM, SIG_DFL);
	assert_true(result.stopped);
	assert_false(result.timed_out);
	assert_int_equal(result.signal, SIGTERM);
	assert_true(result.wall_seconds < 10);
	vrs_proc_result_fini(&result);
}

/* Our own handlers and ignored signals are not handed down. */
static void signal_handling_is_not_inherited(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	struct vrs_proc_result result = run_shell("kill -PIPE $$; exit 5", (struct vrs_proc_options){0});

	assert_int_equal(result.signal, SIGPIPE);
	vrs_proc_result_fini(&result);
	result = run_shell("kill -HUP $$; exit 5", (struct vrs_proc_options){0});
	assert_int_equal(result.signal, SIGHUP);
	vrs_proc_result_fini(&result);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

/* Who ignores SIGCHLD has no child to wait for when it has ended: that is an end all the same, and no success. The child does not ignore it. */
static void ends_that_nobody_sees_are_ends(void **state)
{
	unsigned long long ignored = 0;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	alarm(60); /* else it waits for ever */
	struct vrs_proc_result result = run_shell("grep SigIgn /proc/self/status", (struct vrs_proc_options){.timeout_seconds = 30});

	alarm(0);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(result.exit_code, -1);
	assert_int_equal(result.signal, 0);
	assert_false(result.timed_out || result.stopped);
	assert_true(result.wall_seconds < 20);
	assert_int_equal(sscanf(vrs_buf_str(&result.out), "SigIgn: %llx", &ignored), 1);
	assert_true((ignored & 1ull << (SIGCHLD - 1)) == 0);
	vrs_proc_result_fini(&result);
}

static void lack_of_memory_is_reported(void **state)
{
	const char *const argv[] = {"echo", "text", NULL};
	struct vrs_proc_options options = {.argv = argv, .output_max = 1000};
	struct vrs_mem_stats before = vrs_mem_stats();

	(void)state;
	for (uint64_t n = 1; n <= 2; n++) { /* the environment, then the output buffer */
		struct vrs_proc_result result;

		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_proc_run(&options, &result, NULL);

		assert_true(vrs_mem_fault_fired());
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, VRS_ENOMEM);
	}
	assert_true(vrs_mem_stats().live_bytes == before.live_bytes);
}

static int count_descriptors(bool inherited_only)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++) {
		int flags = fcntl(fd, F_GETFD);

		n += flags >= 0 && (!inherited_only || !(flags & FD_CLOEXEC));
	}
	return n;
}

static void descriptors_do_not_leak(void **state)
{
	const char *const argv[] = {"ls", "/proc/self/fd", NULL};
	struct vrs_proc_options options = {.argv = argv, .output_max = 10000, .stdin_text = ""};
	int before = count_descriptors(false);

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct vrs_proc_result result;
		int lines = 0;

		assert_int_equal(vrs_proc_run(&options, &result, NULL), VRS_OK);
		for (const char *c = vrs_buf_str(&result.out); *c; c++)
			lines += *c == '\n';
		/* What every child of ours gets, and the folder that ls reads: none of the pipes' other ends. */
		assert_int_equal(lines, count_descriptors(true) + 1);
		vrs_proc_result_fini(&result);
	}
	missing_programs_are_told(state);
	assert_int_equal(count_descriptors(false), before);
}

static int eat_memory(void)
{
	/* libc: the limit on addresses is what is tested */
	void *p = mmap(NULL, 512u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? 9 : 8;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_code_are_captured),
		cmocka_unit_test(signals_are_told),
		cmocka_unit_test(missing_programs_are_told),
		cmocka_unit_test(late_children_are_ended),
		cmocka_unit_test(stubborn_children_are_killed),
		cmocka_unit_test(left_behind_children_do_not_block),
		cmocka_unit_test(floods_are_cut),
		cmocka_unit_test(input_is_given),
		cmocka_unit_test(environment_is_extended),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(processor_time_is_counted),
		cmocka_unit_test(stop_requests_reach_the_child),
		cmocka_unit_test(signal_handling_is_not_inherited),
		cmocka_unit_test(ends_that_nobody_sees_are_ends),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(descriptors_do_not_leak),
	};

	if (argc > 1 && strcmp(argv[1], "--eat-memory") == 0)
		return eat_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
