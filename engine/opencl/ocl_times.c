/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_times.h"

#include "base/assert.h"
#include "opencl/ocl_stream.h"

void vrs_ocl_times_begin(struct vrs_ocl_times *times)
{
	*times = (struct vrs_ocl_times){.known = false};
}

void vrs_ocl_times_add_span(struct vrs_ocl_times *times, enum vrs_device_queue queue, uint64_t begin_ns, uint64_t end_ns)
{
	struct vrs_device_span *span = &times->spans[queue];

	VRS_ASSERT(end_ns > begin_ns);
	if (span->commands == 0 || begin_ns < span->begin_ns)
		span->begin_ns = begin_ns;
	if (span->commands == 0 || end_ns > span->end_ns)
		span->end_ns = end_ns;
	span->busy_ns += end_ns - begin_ns;
	span->commands++;
}

uint64_t vrs_ocl_times_add(struct vrs_ocl_times *times, enum vrs_device_queue queue, cl_event event)
{
	uint64_t begin, end;

	if (!event || !vrs_ocl_event_times(event, &begin, &end))
		return 0;
	vrs_ocl_times_add_span(times, queue, begin, end);
	return end - begin;
}

void vrs_ocl_times_end(struct vrs_ocl_times *times, uint64_t now_ns)
{
	uint64_t last = 0;

	for (int q = 0; q < VRS_DEVICE_QUEUES; q++)
		if (times->spans[q].commands > 0 && times->spans[q].end_ns > last)
			last = times->spans[q].end_ns;
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++) {
		struct vrs_device_span *span = &times->spans[q];

		if (span->commands == 0)
			continue;
		span->begin_ns += now_ns - last; /* unsigned: right also where the device's clock is ahead */
		span->end_ns += now_ns - last;
		times->known = true;
	}
}

/* A device that runs two kernels of a queue at once is busy for longer than the span. */
uint64_t vrs_ocl_times_gaps(const struct vrs_ocl_times *times, enum vrs_device_queue queue)
{
	const struct vrs_device_span *span = &times->spans[queue];
	uint64_t length = span->end_ns - span->begin_ns;

	return length > span->busy_ns ? length - span->busy_ns : 0;
}
