/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open(2); kernel documentation: admin-guide/perf-security.rst, admin-guide/sysctl/kernel.rst (perf_event_paranoid). */
#include <vrseg/perf_events.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "machine/sysfs.h"

static const struct {
	uint32_t type;
	uint64_t config;
} event_table[VRS_PERF_COUNT] = {
	[VRS_PERF_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[VRS_PERF_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[VRS_PERF_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	[VRS_PERF_PAGE_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

/* One counter of this thread on every processor; an inherited one sums over all threads, and cannot be read in a group. */
static int open_event(enum vrs_perf_kind kind, bool user_only)
{
	struct perf_event_attr attr = {.type = event_table[kind].type, .size = sizeof attr, .config = event_table[kind].config,
				       .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
	attr.inherit = 1;
	attr.exclude_kernel = attr.exclude_hv = user_only;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void vrs_perf_reason(int error, int64_t paranoid, char *buf, size_t size)
{
	bool denied = error == EACCES || error == EPERM;
	if (denied && paranoid > 2)
		snprintf(buf, size, "perf_event_paranoid is %lld; counting needs 2 or less", (long long)paranoid);
	else if (denied || error == ENOSYS)
		snprintf(buf, size, "the system refuses perf_event_open (a container's filter, or a kernel without it)");
	else if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL)
		snprintf(buf, size, "the processor, or the virtual machine around it, offers no such counter");
	else
		snprintf(buf, size, "perf_event_open failed: %s", strerror(error));
}

void vrs_perf_events_open(struct vrs_perf_events *ret_events)
{
	struct vrs_perf_events events = {.user_only = false};
	int64_t paranoid = INT64_MIN;
	(void)vrs_sysfs_int(&paranoid, "/proc/sys/kernel/perf_event_paranoid");
	for (int i = 0; i < VRS_PERF_COUNT; i++) {
		events.fd[i] = vrs_sysfs_replay() ? -1 : open_event((enum vrs_perf_kind)i, events.user_only);
		if (events.fd[i] < 0 && (errno == EACCES || errno == EPERM) && !events.user_only && !vrs_sysfs_replay()) {
			events.fd[i] = open_event((enum vrs_perf_kind)i, true);
			events.user_only = events.fd[i] >= 0;
		}
		if (vrs_sysfs_replay())
			snprintf(events.reason[i], sizeof events.reason[i], "a recorded machine is replayed");
		else if (events.fd[i] < 0)
			vrs_perf_reason(errno, paranoid, events.reason[i], sizeof events.reason[i]);
	}
	*ret_events = events;
}

int64_t vrs_perf_scale(uint64_t count, uint64_t enabled_ns, uint64_t running_ns)
{
	if (running_ns == 0)
		return -1;
	double scaled = (double)count * ((double)enabled_ns / (double)running_ns);
	return scaled < 9e14 ? (int64_t)(scaled + 0.5) : -1;
}

void vrs_perf_events_read(const struct vrs_perf_events *events, int64_t ret_counts[VRS_PERF_COUNT])
{
	for (int i = 0; i < VRS_PERF_COUNT; i++) {
		uint64_t value[3]; /* count, time enabled, time running */
		ret_counts[i] = -1;
		if (events->fd[i] >= 0 && read(events->fd[i], value, sizeof value) == (ssize_t)sizeof value)
			ret_counts[i] = vrs_perf_scale(value[0], value[1], value[2]);
	}
}

void vrs_perf_events_close(struct vrs_perf_events *events)
{
	for (int i = 0; i < VRS_PERF_COUNT; i++) {
		if (events->fd[i] >= 0)
			close(events->fd[i]);
		events->fd[i] = -1;
	}
}
