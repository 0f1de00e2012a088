/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of planning, a file each, in the order in which cpu_plan.c takes them. */
#ifndef VRS_BACKEND_CPU_PLAN_STEPS_H
#define VRS_BACKEND_CPU_PLAN_STEPS_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Graph rewrites that are exact in real arithmetic and save work on the CPU backend. VRS_ENOMEM. */
enum vrs_status vrs_cpu_plan_rewrite(struct vrs_graph *graph, struct vrs_error *err);
/* Fill plan->values and plan->ops from plan->graph. VRS_ENOMEM, VRS_EUNSUPPORTED. */
enum vrs_status vrs_cpu_plan_lower(struct vrs_cpu_plan *plan, struct vrs_error *err);
/* A value that is stored in 16 bits when it goes from region to region, and weights that are. */
bool vrs_cpu_value_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value);
bool vrs_cpu_weights_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Which values live in the arena, until when, and which as halves; then the loads that regions need. */
void vrs_cpu_plan_place_values(struct vrs_cpu_plan *plan);
enum vrs_status vrs_cpu_plan_insert_loads(struct vrs_cpu_plan *plan);
/* Group the operations, add loads, and fill plan->regions, items and units. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_cpu_plan_regions(struct vrs_cpu_plan *plan, struct vrs_error *err);
/* Fill plan->weights and plan->half_weights, and the offsets of the operations. VRS_ENOMEM. */
enum vrs_status vrs_cpu_plan_pack_weights(struct vrs_cpu_plan *plan, struct vrs_error *err);
/* Pack weights and prepare the tables of op->u8, which is zeroed. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_cpu_u8_pack(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
void vrs_cpu_u8_free(struct vrs_cpu_u8 *u8); /* NULL is fine */
/* Fill plan->image_units where that pays: after weights are packed, before memory is planned. VRS_ENOMEM. */
enum vrs_status vrs_cpu_plan_images(struct vrs_cpu_plan *plan);

#endif
