/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits of the control groups that this process is in, versions 1 and 2, the tightest of its group and all groups above.
 * Kernel documentation: admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst, cgroup-v1/memory.rst, filesystems/proc.rst (mountinfo).
 */
#ifndef VRS_MACHINE_CGROUP_H
#define VRS_MACHINE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct vrs_cgroup {
	bool cpu_known, memory_known;   /* a control group file was readable; false: limits are not observable */
	double cpu_quota;               /* CPUs; 0: no limit */
	uint64_t memory_limit_bytes;    /* UINT64_MAX: no limit */
	uint64_t memory_headroom_bytes; /* limit less what is used and cannot be dropped; UINT64_MAX: no limit */
};

/* Reads below the root of machine/sysfs.h. */
void vrs_cgroup_read(struct vrs_cgroup *ret_cgroup);

/* Processes of our group that the kernel has killed for lack of memory so far (memory.events, memory.oom_control); -1: not known. */
int64_t vrs_cgroup_oom_kills(void);

#endif
