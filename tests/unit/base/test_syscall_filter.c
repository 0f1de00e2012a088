/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/syscall_filter: behind it a child computes, writes and makes threads, and starts no process, opens no socket, makes no memory
 * executable, reaches no other process (neither by signals, also those of descriptors, nor its scheduling), types nothing into its terminal, empties
 * no file by name and changes no mode.  Calls of another architecture end it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/syscall_filter.h"

static char file[] = "/tmp/vrs_filter.XXXXXX";
static int failures;

#define NOBODY 0x7ffffffeu /* a user without processes */

static void expect(const char *what, long rc, int wanted)
{
	int got = rc == -1 ? errno : 0;

	if (got == wanted)
		return;
	dprintf(2, "%s: %s, expected %s\n", what, strerror(got), strerror(wanted));
	failures++;
}
#define EXPECT(call, wanted) expect(#call, (long)(call), (wanted))

static void *in_thread(void *cookie)
{
	(void)cookie;
	pthread_setname_np(pthread_self(), "worker");
	EXPECT(socket(AF_INET, SOCK_STREAM, 0), EPERM);
	return NULL;
}

static void refused(void)
{
	char *const argv[] = {(char *)(uintptr_t) "true", NULL};
	int ends[2];

	EXPECT(execve("/bin/true", argv, NULL), EPERM);
	EXPECT(syscall(SYS_fork), EPERM);
	EXPECT(syscall(SYS_vfork), EPERM);
	EXPECT(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), EPERM);
	EXPECT(syscall(SYS_clone3, NULL, 0), ENOSYS);
	EXPECT(syscall(SYS_unshare, 0x40000000), EPERM);
	EXPECT(socket(AF_INET, SOCK_DGRAM, 0), EPERM);
	EXPECT(socket(AF_UNIX, SOCK_STREAM, 0), EPERM);
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), EPERM);
	EXPECT(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EPERM);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(page, 0);
	EXPECT(mprotect(page, 4096, PROT_READ | PROT_EXEC), EPERM);
	EXPECT(mprotect(page, 4096, PROT_READ), 0);
	EXPECT(syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_EXEC, -1), EPERM);
	EXPECT(syscall(SYS_memfd_create, "x", 0), EPERM);
	EXPECT(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL), EPERM);
	EXPECT(kill(getppid(), 0), EPERM);
	EXPECT(kill(getpid(), 0), 0);
	EXPECT(prctl(PR_SET_DUMPABLE, 0), EPERM);
	EXPECT(ioctl(0, TIOCSTI, "x"), EPERM);
	EXPECT(truncate(file, 0), EPERM);
	EXPECT(open(file, O_RDONLY | O_TRUNC), EPERM);
	EXPECT(chmod(file, 0777), EPERM);
	EXPECT(chown(file, 0, 0), EPERM);
	EXPECT(symlink("/", "/tmp/vrs_filter_link"), EPERM);
	EXPECT(syscall(SYS_io_uring_setup, 1, NULL), EPERM);
	EXPECT(syscall(SYS_bpf, 0, NULL, 0), EPERM);
	EXPECT(syscall(SYS_openat2, AT_FDCWD, file, NULL, 0), ENOSYS);
}

/* A descriptor signals whom F_SETOWN names; locks and leases are nothing that a job needs. */
static void signals_of_descriptors(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	EXPECT(flags, 0);
	EXPECT(fcntl(fd, F_SETOWN, getppid()), EPERM);
	EXPECT(fcntl(fd, F_SETOWN, getpid()), EPERM);
	EXPECT(fcntl(fd, F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_PID, getppid()}), EPERM);
	EXPECT(fcntl(fd, F_SETSIG, SIGKILL), EPERM);
	EXPECT(fcntl(fd, F_SETFL, flags | O_ASYNC), EPERM);
	EXPECT(fcntl(fd, F_SETLEASE, F_RDLCK), EPERM);
	EXPECT(fcntl(fd, F_NOTIFY, DN_MODIFY), EPERM);
	EXPECT(ioctl(fd, FIOASYNC, &(int){1}), EPERM);
	EXPECT(ioctl(fd, FIOSETOWN, &(int){getppid()}), EPERM);
	EXPECT(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
	EXPECT(fcntl(fd, F_SETFD, FD_CLOEXEC), 0);
	EXPECT(fcntl(fd, F_GETFD), 0);
	EXPECT(fcntl(fd, F_DUPFD_CLOEXEC, 0), 0);
}

/* Of itself, but of no other process: that is what 0 stands for.  A filter that lets these calls through changes the policy of this test at most. */
static void scheduling(void)
{
	struct sched_param param = {.sched_priority = 0};
	int nice_here = getpriority(PRIO_PROCESS, 0), policy_there = sched_getscheduler(getppid());
	cpu_set_t set;

	EXPECT(sched_getaffinity(0, sizeof set, &set), 0);
	EXPECT(sched_setaffinity(0, sizeof set, &set), 0);
	EXPECT(sched_setaffinity(getppid(), sizeof set, &set), EPERM);
	EXPECT(sched_setscheduler(0, SCHED_BATCH, &param), 0);
	EXPECT(sched_setscheduler(getppid(), SCHED_BATCH, &param), 0); /* but it is not done */
	EXPECT(sched_setscheduler(getpid(), SCHED_OTHER, &param), 0);
	errno = EINVAL;
	EXPECT(sched_getscheduler(getppid()) == policy_there ? 0 : -1, 0);
	EXPECT(sched_getscheduler(0) == SCHED_BATCH ? 0 : -1, 0);
	EXPECT(sched_setparam(0, &param), 0);
	EXPECT(sched_setparam(getppid(), &param), EPERM);
	EXPECT(setpriority(PRIO_PROCESS, 0, nice_here), 0);
	EXPECT(setpriority(PRIO_PROCESS, (id_t)getppid(), nice_here), EPERM);
	EXPECT(setpriority(PRIO_PGRP, 0, nice_here), EPERM); /* alone in it */
	EXPECT(setpriority(PRIO_USER, NOBODY, nice_here), EPERM);
}

/* What a descriptor for reading must not change: mode, owner and times, but for "used now". */
static void files_for_reading(void)
{
	const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	EXPECT(fd, 0);
	EXPECT(fchmod(fd, 04777), EPERM);
	EXPECT(fchmod(fd, 0600), EPERM);
	EXPECT(fchown(fd, getuid(), getgid()), EPERM);
	EXPECT(futimens(fd, old), EPERM);
	EXPECT(futimens(fd, NULL), 0);
}

static int confined(void)
{
	struct vrs_error err = {0};
	struct rlimit limit;
	pthread_t thread;

	(void)setpgid(0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || vrs_syscall_filter_enter(&err) != VRS_OK) {
		dprintf(2, "%s\n", err.text);
		return 1;
	}
	int ends[2];
	EXPECT(pipe(ends), 0);
	refused();
	signals_of_descriptors(ends[0]);
	scheduling();
	files_for_reading();
	EXPECT(open(file, O_RDONLY | O_CLOEXEC), 0);
	EXPECT(open(file, O_RDWR | O_TRUNC | O_CLOEXEC), 0);
	EXPECT(getrlimit(RLIMIT_AS, &limit), 0);
	errno = pthread_create(&thread, NULL, in_thread, NULL);
	EXPECT(errno ? -1 : 0, 0);
	if (errno == 0)
		pthread_join(thread, NULL);
	return failures;
}

static int run(int (*child_main)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(child_main());
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void jobs_work_and_attacks_fail(void **state)
{
	(void)state;
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(run(confined), 0);
	unlink(file);
}

#ifdef __x86_64__
/* getpid as a 32-bit program calls it. */
static int call_by_int80(void)
{
	struct vrs_error err = {0};
	long result = 20;
	struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || vrs_syscall_filter_enter(&err) != VRS_OK)
		return 1;
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory");
	return 0;
}

static void other_architectures_end_it(void **state)
{
	int status = run(call_by_int80);
	(void)state;

	/* a kernel without 32-bit programs faults */
	assert_true(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_work_and_attacks_fail),
#ifdef __x86_64__
		cmocka_unit_test(other_architectures_end_it),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
