/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of a unit of the plan. */
#ifndef VRS_BACKEND_CPU_UNIT_H
#define VRS_BACKEND_CPU_UNIT_H

#include "backend/cpu/exec/cpu_rows.h"

/* Carry out the items of a unit of thread->plan, one after the other. */
void vrs_cpu_run_unit(struct vrs_cpu_thread *thread, const struct vrs_cpu_unit *unit);

#endif
