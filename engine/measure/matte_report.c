/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report keeps: events in the order of their frames. */
#include "measure/matte_meter.h"

#include "base/mem.h"

enum vrs_status vrs_matte_event_add(struct vrs_matte_report *report, enum vrs_matte_event_kind kind, int64_t frame, double value)
{
	uint64_t n = report->event_count;
	report->event_total[kind]++;
	if (n >= VRS_MATTE_MOST_EVENTS)
		return VRS_OK;
	if ((n & (n - 1)) == 0) { /* room is a power of two */
		struct vrs_matte_event *grown = vrs_realloc_array(report->events, n ? 2 * n : 1, sizeof *grown);
		if (!grown)
			return VRS_ENOMEM;
		report->events = grown;
	}
	while (n > 0 && report->events[n - 1].frame > frame) { /* a glitch is known one frame later */
		report->events[n] = report->events[n - 1];
		n--;
	}
	report->events[n] = (struct vrs_matte_event){kind, frame, value};
	report->event_count++;
	return VRS_OK;
}

void vrs_matte_report_destroy(struct vrs_matte_report *report)
{
	if (!report)
		return;
	vrs_free(report->seconds);
	vrs_free(report->events);
	vrs_free(report);
}
