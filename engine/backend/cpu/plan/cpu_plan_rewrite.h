/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graph rewrites that are exact in real arithmetic and save work on the CPU backend. */
#ifndef VRS_BACKEND_CPU_PLAN_REWRITE_H
#define VRS_BACKEND_CPU_PLAN_REWRITE_H

#include "graph/ir.h"

enum vrs_status vrs_cpu_plan_rewrite(struct vrs_graph *graph, struct vrs_error *err);

#endif
