/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of this process and of the machine's sensors. */
#ifndef VRS_MONITOR_MACHINE_METRICS_H
#define VRS_MONITOR_MACHINE_METRICS_H

#include <vrseg/machine.h>
#include <vrseg/metrics.h>

/*
 * Write temperatures, clocks, power and devices, where there are such sensors; prefix begins the names.  machine: zeroed before the first call, and
 * the same each time; devices_listed says whether drivers of devices may be asked.  One call at a time.
 */
void vrs_machine_metrics_write(struct vrs_machine *machine, const char *prefix, struct vrs_metric_writer *writer);

#endif
