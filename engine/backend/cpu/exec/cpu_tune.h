/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Timed choice of how convolutions are computed (engine.autotune_kernels).  Each candidate of a layer runs alone, in a plan of one operation on one
 * thread; the choice is kept in the plan cache, so that a network is timed once on each machine.
 *
 * Candidates are the direct kernel and Winograd tiles of several sizes and batches.  A deterministic session keeps the algorithm that the
 * model of cpu_plan_conv.c chooses, since another one rounds differently, and times only what gives the same bits: the number of tiles in a batch.
 */
#ifndef VRS_BACKEND_CPU_TUNE_H
#define VRS_BACKEND_CPU_TUNE_H

#include <vrseg/session.h>

#include "backend/cpu/plan/cpu_plan_data.h"

/* vrs_cpu_plan_init, with timed choices where the options ask for them. */
enum vrs_status vrs_cpu_tune_plan(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				  const struct vrs_session_options *options, struct vrs_error *err);

#endif
