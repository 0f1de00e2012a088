/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search space: knobs made from the option rows that are marked tunable. */
#ifndef VRS_TUNER_SPACE_H
#define VRS_TUNER_SPACE_H

#include <vrseg/config.h>
#include <vrseg/pipeline.h>
#include <vrseg/status.h>

#include "bench/plan/bench_input.h"
#include "bench/plan/case.h"

#define VRS_SPACE_MAX_KNOBS 32
#define VRS_SPACE_MAX_REJECTED 32
#define VRS_KNOB_MAX_VALUES 16

struct vrs_knob {
	const struct vrs_option *row;
	char values[VRS_KNOB_MAX_VALUES][VRS_NAME_MAX]; /* without the default */
	int count;
	char default_value[VRS_NAME_MAX];
	char start[VRS_NAME_MAX]; /* one of the values, to be tried first (vrs_space_prefer); "": none */
	const char *list;         /* the user gave these values, "a,b,c"; the first is the default. NULL: none; of the configuration */
	bool is_range;            /* the user gave low-high; the default is low */
	int low, high;
};

/* An option, or some of its values, that is not tried. */
struct vrs_rejected {
	char what[VRS_KNOB_MAX_VALUES * 16]; /* "output.crf", "engine.streams 2 4" */
	char why[224];                       /* "output.bitrate decides" */
};

struct vrs_space {
	struct vrs_knob knobs[VRS_SPACE_MAX_KNOBS];
	int count;
	int cpus;                 /* CPUs that the process may use */
	bool lacks_calibration;   /* int8 and mixed would be tried if the network were calibrated */
	char start[512];          /* what is tried first, and why, as a sentence; "": nothing */
	char fixed[512];          /* "engine.threads (flag), ...": what the user has set and the search leaves alone; "" : nothing */
	struct vrs_rejected rejected[VRS_SPACE_MAX_REJECTED];
	int rejected_count;
};

/* Can a case not be measured, or is it the default again?  *why (size bytes) says which in words. */
typedef enum vrs_rejection (*vrs_rejects_fn)(const void *cookie, const struct vrs_case *c, char *why, size_t size);

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
 * Leave out the values that `rejects` rejects when they are set alone, and options without any value left.  Where memory limits the batch, the
 * largest one that is not rejected takes the place of the values beyond it (bisection).
 */
void vrs_space_reject(struct vrs_space *space, vrs_rejects_fn rejects, const void *cookie);
/*
 * Let knob k begin with a value, which it need not have had; before vrs_space_reject.  False: it is the default, outside of what the user gave, or
 * more workers than there are CPUs.
 */
bool vrs_space_prefer(struct vrs_space *space, int k, const char *value);
/* Leave out the options that only cost time, for a search that asks for speed. */
void vrs_space_reject_costs(struct vrs_space *space);
/* Stages whose work an option changes; a bit for each enum vrs_stage. */
unsigned vrs_knob_stages(const struct vrs_option *row);
/* Keep at most max values of each knob, spread over its list, with the end of a range: a quick search. */
void vrs_space_thin(struct vrs_space *space, int max);

#endif
