/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allow-list.  Refused calls fail instead of killing the process: libraries that only try something go on, and a job that cannot ends with a
 * message.
 */
#include "base/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <seccomp.h>

/* Flags of clone that would make more than a thread. */
#define NEW_NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* Whatever their arguments: Landlock judges names, and descriptors were opened under it. */
static const int always[] = {
	/* files by descriptor */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(pwritev),
	SCMP_SYS(close), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(fstatfs), SCMP_SYS(getdents64), SCMP_SYS(flock), SCMP_SYS(fsync),
	SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fadvise64), SCMP_SYS(sync_file_range),
	SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(eventfd2), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(sendfile), SCMP_SYS(copy_file_range),
	/* names */
	SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd), SCMP_SYS(creat), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
	SCMP_SYS(rmdir), SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link),
	SCMP_SYS(linkat), SCMP_SYS(umask),
	/* memory */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(mincore), SCMP_SYS(msync), SCMP_SYS(mlock), SCMP_SYS(mlock2),
	SCMP_SYS(munlock), SCMP_SYS(mbind), SCMP_SYS(get_mempolicy), SCMP_SYS(set_mempolicy),
	/* threads */
	SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address), SCMP_SYS(membarrier),
	SCMP_SYS(gettid), SCMP_SYS(getcpu), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_getparam), SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min),
	SCMP_SYS(getpriority), SCMP_SYS(exit), SCMP_SYS(exit_group),
	/* time, signals, and what this process is */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(times), SCMP_SYS(setitimer), SCMP_SYS(alarm), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(pause),
	SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getpgrp), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
	SCMP_SYS(getrlimit), SCMP_SYS(setrlimit), SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getrandom),
};

/* Only where (argument & mask) == value, twice where there is a second mask; several rows of a call are alternatives. */
static const struct {
	int call;
	struct {
		unsigned argument;
		uint64_t mask, value;
	} is[2];
} some[] = {
	/* O_RDONLY with O_TRUNC empties a file that only reading was granted of, before Landlock's version 3 */
	{SCMP_SYS(openat), {{2, O_TRUNC, 0}}},
	{SCMP_SYS(openat), {{2, O_ACCMODE, O_WRONLY}}},
	{SCMP_SYS(openat), {{2, O_ACCMODE, O_RDWR}}},
	{SCMP_SYS(open), {{1, O_TRUNC, 0}}},
	{SCMP_SYS(open), {{1, O_ACCMODE, O_WRONLY}}},
	{SCMP_SYS(open), {{1, O_ACCMODE, O_RDWR}}},
	/* no memory that code could be written to */
	{SCMP_SYS(mmap), {{2, PROT_EXEC, 0}}},
	{SCMP_SYS(mprotect), {{2, PROT_EXEC, 0}}},
	/* threads, no processes */
	{SCMP_SYS(clone), {{0, CLONE_THREAD | NEW_NAMESPACES, CLONE_THREAD}}},
	{SCMP_SYS(prctl), {{0, UINT64_MAX, PR_SET_NAME}}},
	{SCMP_SYS(prctl), {{0, UINT64_MAX, PR_GET_NAME}}},
	{SCMP_SYS(prlimit64), {{0, UINT64_MAX, 0}}}, /* of this process */
	/* what a terminal is asked and set to; TIOCSTI would type commands into it */
	{SCMP_SYS(ioctl), {{1, UINT32_MAX, TCGETS}}},
	{SCMP_SYS(ioctl), {{1, UINT32_MAX, TCSETS}}},
	{SCMP_SYS(ioctl), {{1, UINT32_MAX, TCSETSW}}},
	{SCMP_SYS(ioctl), {{1, UINT32_MAX, TCSETSF}}},
	{SCMP_SYS(ioctl), {{1, UINT32_MAX, TIOCGWINSZ}}},
	{SCMP_SYS(ioctl), {{1, UINT32_MAX, FIONREAD}}},
	{SCMP_SYS(utimensat), {{1, UINT64_MAX, 0}, {2, UINT64_MAX, 0}}}, /* of an open file, to now */
	/* no owner, no signal: what happens to a descriptor must not signal another process */
	{SCMP_SYS(fcntl), {{1, UINT32_MAX, F_DUPFD}}},
	{SCMP_SYS(fcntl), {{1, UINT32_MAX, F_DUPFD_CLOEXEC}}},
	{SCMP_SYS(fcntl), {{1, UINT32_MAX, F_GETFD}}},
	{SCMP_SYS(fcntl), {{1, UINT32_MAX, F_SETFD}}},
	{SCMP_SYS(fcntl), {{1, UINT32_MAX, F_GETFL}}},
	{SCMP_SYS(fcntl), {{1, UINT32_MAX, F_SETFL}, {2, O_ASYNC, 0}}},
	/* of the calling thread: identifiers of this process's threads cannot be told from those of others */
	{SCMP_SYS(sched_setaffinity), {{0, UINT32_MAX, 0}}},
	{SCMP_SYS(sched_setscheduler), {{0, UINT32_MAX, 0}}},
	{SCMP_SYS(sched_setparam), {{0, UINT32_MAX, 0}}},
	{SCMP_SYS(setpriority), {{0, UINT32_MAX, PRIO_PROCESS}, {1, UINT32_MAX, 0}}},
};

/* The C library does without these when the kernel seems not to have them; their arguments lie in memory, where no filter can look. */
static const int unknown[] = {SCMP_SYS(clone3), SCMP_SYS(openat2)};

/*
 * Answered as if it were done, which it is not: libsvtav1 asks this of its threads as root, for priority over all of the machine, and complains for
 * each past the log.  Nobody's scheduling changes.
 */
static const int ignored_of_threads = SCMP_SYS(sched_setscheduler);

/* Signals to this process, such as abort() sends. */
static const int to_self[] = {SCMP_SYS(kill), SCMP_SYS(tgkill)};

#define COUNT(array) (sizeof (array) / sizeof (array)[0])

static int allow_some(scmp_filter_ctx filter, size_t row)
{
	struct scmp_arg_cmp is[2];
	unsigned count = 0;

	for (; count < COUNT(is) && some[row].is[count].mask; count++)
		is[count] = SCMP_CMP64(some[row].is[count].argument, SCMP_CMP_MASKED_EQ, some[row].is[count].mask, some[row].is[count].value);
	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, some[row].call, count, is);
}

static int fill(scmp_filter_ctx filter)
{
	int rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);

	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree instead of a list */
	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	for (size_t i = 0; rc == 0 && i < COUNT(always); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, always[i], 0);
	for (size_t i = 0; rc == 0 && i < COUNT(some); i++)
		rc = allow_some(filter, i);
	for (size_t i = 0; rc == 0 && i < COUNT(to_self); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, to_self[i], 1, SCMP_CMP64(0, SCMP_CMP_EQ, (uint64_t)getpid(), 0));
	for (size_t i = 0; rc == 0 && i < COUNT(unknown); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), unknown[i], 0);
	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(0), ignored_of_threads, 1, SCMP_CMP64(0, SCMP_CMP_NE, 0, 0));
	return rc;
}

enum vrs_status vrs_syscall_filter_enter(struct vrs_error *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = filter ? fill(filter) : -ENOMEM;

	if (rc == 0)
		rc = seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
	if (rc == -ENOMEM)
		return vrs_fail_nomem(err);
	return rc == 0 ? VRS_OK
		       : vrs_fail(err, VRS_EUNSUPPORTED, "--sandbox needs system call filters (seccomp), which this kernel does not offer (%s); leave "
				  "--sandbox out", strerror(-rc));
}
