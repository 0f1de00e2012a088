/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search space: knobs made from the option rows that are marked tunable. */
#ifndef VRS_TUNER_SPACE_H
#define VRS_TUNER_SPACE_H

#include <vrseg/config.h>
#include <vrseg/pipeline.h>
#include <vrseg/status.h>

#define VRS_SPACE_MAX_KNOBS 24
#define VRS_KNOB_MAX_VALUES 16

struct vrs_knob {
	const struct vrs_option *row;
	char values[VRS_KNOB_MAX_VALUES][VRS_NAME_MAX]; /* without the default */
	int count;
	char default_value[VRS_NAME_MAX];
	const char *list;         /* the user gave these values, "a,b,c"; the first is the default. NULL: none; of the configuration */
	bool is_range;            /* the user gave low-high; the default is low */
	int low, high;
};

struct vrs_space {
	struct vrs_knob knobs[VRS_SPACE_MAX_KNOBS];
	int count;
	int cpus;                 /* CPUs that the process may use */
	char fixed[512];          /* "engine.threads (flag), ...": what the user has set and the search leaves alone; "" : nothing */
	char moot[480];           /* "output.crf (output.bitrate decides)": what is not tried, and why; "": nothing */
};

/* VRS_ECONFIG names the word of `only` (as below) that no tunable option answers to. */
enum vrs_status vrs_space_check_only(const char *only, struct vrs_error *err);
/*
 * Build the space of a base configuration on a machine with `cpus` allowed CPUs.
 * - A value that the user set (profile excepted) stays as it is, unless it is a range or a list: then the knob moves inside it.
 * - Thread and stream counts above cpus are left out; so is the value that is the default anyway.
 * - only: space-separated keys or last parts of keys ("batch_size threads"); NULL: all.  VRS_ECONFIG: not a tunable option.
 */
enum vrs_status vrs_space_build(struct vrs_space *ret_space, const struct vrs_config *base, int cpus, const char *only, struct vrs_error *err);
/* Stages whose work an option changes; a bit for each enum vrs_stage. */
unsigned vrs_knob_stages(const struct vrs_option *row);
/* Keep at most max values of each knob, spread over its list, with the end of a range: a quick search. */
void vrs_space_thin(struct vrs_space *space, int max);

#endif
