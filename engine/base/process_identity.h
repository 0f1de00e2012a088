/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which process made something that lies on a disk, so that another one can tell whether it is still alive: also from another PID namespace of the
 * same kernel, where its number says nothing, and from another machine that shares the disk.
 */
#ifndef VRS_BASE_PROCESS_IDENTITY_H
#define VRS_BASE_PROCESS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct vrs_process_identity {
	char host[65];
	char boot[40];          /* of the kernel, anew at each boot; "": not known */
	uint64_t pid_namespace; /* 0: not known */
	int64_t pid;            /* in that namespace */
	uint64_t start;         /* clock ticks after the boot; 0: not known */
};

enum vrs_presence {
	VRS_PRESENCE_ALIVE,
	VRS_PRESENCE_GONE,
	VRS_PRESENCE_UNKNOWN, /* it cannot be seen from here */
};

/* The boot is read once: a sandbox that is closed after the first call leaves it known. */
void vrs_process_identity_own(struct vrs_process_identity *ret);
/* True where both run under one kernel, since its last boot. */
bool vrs_process_same_kernel(const struct vrs_process_identity *a, const struct vrs_process_identity *b);
/* By number and start time, for processes of our own PID namespace. */
enum vrs_presence vrs_process_presence(const struct vrs_process_identity *process);

#endif
