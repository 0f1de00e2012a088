/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C library makes the limit of the stack the size of every thread's: 64 KiB is too little for a decoder, and the usual 8 MiB of address space
 * for each of the threads of decoder and encoder do not fit under a small RLIMIT_AS.
 */
#include "base/stacks.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <vrseg/exit_codes.h>

struct program {
	int (*run)(int argc, char **argv);
	int argc, code;
	char **argv;
};

static void *run(void *arg)
{
	struct program *program = arg;

	program->code = program->run(program->argc, program->argv);
	return NULL;
}

/* The size of threads to come; 0, or an error number. */
static int set_thread_stacks(void)
{
	pthread_attr_t attr;
	int failed = pthread_attr_init(&attr);

	if (failed)
		return failed;
	failed = pthread_attr_setstacksize(&attr, VRS_STACK_BYTES);
	if (!failed)
		failed = pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
	return failed;
}

/*
 * Where the hard limit allows it.  The kernel looks at the limit whenever the stack grows, and keeps 128 MiB of addresses below it free, whatever the
 * limit was when the program began (mmap_base).
 */
static bool raise_limit(struct rlimit *io_limit)
{
	struct rlimit raised = {.rlim_cur = VRS_STACK_BYTES, .rlim_max = io_limit->rlim_max};

	if (io_limit->rlim_max < VRS_STACK_BYTES || setrlimit(RLIMIT_STACK, &raised) != 0)
		return false;
	*io_limit = raised;
	return true;
}

bool vrs_stack_is_limited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < VRS_STACK_BYTES;
}

int vrs_run_program(int (*program)(int argc, char **argv), int argc, char **argv)
{
	struct program all = {.run = program, .argc = argc, .argv = argv};
	struct rlimit limit;
	pthread_t thread;
	int failed = set_thread_stacks();

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= VRS_STACK_BYTES || raise_limit(&limit))
		return program(argc, argv);
	if (!failed)
		failed = pthread_create(&thread, NULL, run, &all);
	if (failed) {
		fprintf(stderr, /* libc: the log has not begun */
			"the stack is limited to %llu KiB, and there is no memory for a larger one (%s): raise it with ulimit -s\n",
			(unsigned long long)limit.rlim_cur / 1024, strerror(failed));
		return VRS_EXIT_FAILURE;
	}
	pthread_join(thread, NULL);
	return all.code;
}
