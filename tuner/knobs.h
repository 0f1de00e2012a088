/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that a search moves, with their values, and what it leaves out. */
#ifndef VRS_TUNER_KNOBS_H
#define VRS_TUNER_KNOBS_H

#include <vrseg/config.h>
#include <vrseg/status.h>

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
	bool ends_at_memory;      /* the last value is the largest that memory holds, found by bisection */
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
	char start[512];          /* what is to be tried first, and why, as a sentence; "": nothing */
	char fixed[512];          /* "engine.threads (flag), ...": what the user has set and the search leaves alone; "" : nothing */
	struct vrs_rejected rejected[VRS_SPACE_MAX_REJECTED];
	int rejected_count;
};

/* Can a case not be measured, or is it the default again?  *why (size bytes) says which in words. */
typedef enum vrs_rejection (*vrs_rejects_fn)(const void *cookie, const struct vrs_case *c, char *why, size_t size);

#endif
