/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search space: knobs made from the option rows that are marked tunable. */
#ifndef VRS_TUNER_SPACE_H
#define VRS_TUNER_SPACE_H

#include <vrseg/config.h>
#include <vrseg/pipeline.h>
#include <vrseg/status.h>

#include "bench/plan/bench_input.h"
#include "tuner/knobs.h"

/* VRS_ECONFIG names the word of `only` (as below) that no tunable option answers to. */
enum vrs_status vrs_space_check_only(const char *only, struct vrs_error *err);
/*
 * Build the space of a base configuration for an input, of which cpus and net_size count.
 * - A value that the user set (profile excepted) stays as it is, unless it is a range or a list: then the knob moves inside it.
 * - Thread and stream counts above its CPUs are left out; so is the value that is the default anyway.
 * - Values that the network cannot have, and options that nothing here can measure, are listed as rejected with the reason.
 * - only: space-separated keys or last parts of keys ("batch_size threads"); NULL: all.  VRS_ECONFIG: not a tunable option.
 */
enum vrs_status vrs_space_build(struct vrs_space *ret_space, const struct vrs_config *base, const struct vrs_bench_input *input, const char *only,
				struct vrs_error *err);
/*
 * Let knob k begin with a value, which it need not have had; before vrs_space_reject.  False: it is the default, outside of what the user gave, or
 * more workers than there are CPUs.
 */
bool vrs_space_prefer(struct vrs_space *space, int k, const char *value);
/* Stages whose work an option changes; a bit for each enum vrs_stage. */
unsigned vrs_knob_stages(const struct vrs_option *row);

#endif
