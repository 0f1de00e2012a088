/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calibration needs of a run on the CPU beside the interface of backends. */
#ifndef VRS_BACKEND_BACKEND_CPU_H
#define VRS_BACKEND_BACKEND_CPU_H

#include "backend/cpu/exec/cpu_rows.h"

struct vrs_backend_run;

/* Have finished values of a run on the CPU shown to fn, by one thread (the run must have been created with one). */
void vrs_cpu_observe(struct vrs_backend_run *run, vrs_cpu_observe_fn fn, void *cookie);
/* Of a run on the CPU, which owns it. */
const struct vrs_cpu_plan *vrs_cpu_backend_plan(const struct vrs_backend_run *run);

#endif
