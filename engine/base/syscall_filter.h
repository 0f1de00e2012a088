/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which system calls this process may make from now on (seccomp, by libseccomp): those that reading, computing and writing take.  None starts a
 * program or a process, opens a socket, makes memory executable, or reaches into another process.
 */
#ifndef VRS_BASE_SYSCALL_FILTER_H
#define VRS_BASE_SYSCALL_FILTER_H

#include <vrseg/status.h>

/*
 * For ever, for all threads.  A call that is not allowed fails with EPERM, one of another architecture kills the process.
 * VRS_EUNSUPPORTED: the kernel has no filters; VRS_ENOMEM.
 */
enum vrs_status vrs_syscall_filter_enter(struct vrs_error *err) VRS_MUST_CHECK;

#endif
