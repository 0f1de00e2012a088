/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Techniques as pairs of configurations, without (off) and with (on), from configs/sweeps/techniques.yaml or a file of the same form.
 * They become cases of one measurement: sides that are the base configuration, or equal to each other, are one case, so that n techniques
 * cost about n + 1 runs a round and every pair shares its rounds.
 */
#ifndef VRS_BENCH_TECHNIQUE_H
#define VRS_BENCH_TECHNIQUE_H

#include "bench/plan/case.h"

#define VRS_TECHNIQUES_MAX 64
#define VRS_TECHNIQUE_MAX_VALUES 6   /* of one side */
#define VRS_TECHNIQUE_DEFAULT_FILE "techniques"

/* What a technique is there for; its verdict rests on that metric. */
enum vrs_technique_goal { VRS_TECHNIQUE_SPEED, VRS_TECHNIQUE_LATENCY, VRS_TECHNIQUE_CPU, VRS_TECHNIQUE_MEMORY, VRS_TECHNIQUE_QUALITY,
			    VRS_TECHNIQUE_START };
/* A pair, or why there is none. */
enum vrs_technique_kind { VRS_TECHNIQUE_PAIR, VRS_TECHNIQUE_MISSING, VRS_TECHNIQUE_ALWAYS, VRS_TECHNIQUE_ELSEWHERE };

struct vrs_technique_side {
	int count;
	struct vrs_case_value values[VRS_TECHNIQUE_MAX_VALUES]; /* canonical keys, as the file has them */
};

struct vrs_technique {
	char name[48];
	enum vrs_technique_kind kind;
	bool has_goal;
	enum vrs_technique_goal goal;
	char where[256];                  /* in which work it matters */
	char reason[256];                 /* without a pair: why */
	double live_hz;                   /* measured live at so many frames a second; 0: offline */
	int eyes;                         /* 2: needs a stereo clip */
	struct vrs_technique_side off, on;
};

struct vrs_technique_list {
	int count;
	struct vrs_technique items[VRS_TECHNIQUES_MAX];
};

/* "speed", ...; "missing", ... */
const char *vrs_technique_goal_name(enum vrs_technique_goal goal);
const char *vrs_technique_kind_name(enum vrs_technique_kind kind);

/*
 * Read and check a file: a name in configs/sweeps or a path.  Every key must be an option that has an effect, with a value that it takes.
 * filter and skip (NULL: none) are POSIX extended expressions on names.  VRS_ECONFIG with the place and a sentence.  Free with vrs_free.
 */
enum vrs_status vrs_technique_list_load(struct vrs_technique_list **ret_list, const char *name_or_path, const char *filter, const char *skip,
					struct vrs_error *err);

/* The same checks on a text; name is used in messages. Also VRS_EFORMAT and VRS_ELIMIT of YAML. */
enum vrs_status vrs_technique_list_parse(struct vrs_technique_list *ret_list, const char *text, size_t size, const char *name, struct vrs_error *err);

/* What all pairs have in common besides the base configuration. */
struct vrs_technique_common {
	int width, height;                /* of the clip; 0 0: as it is */
	enum vrs_scope scope;
};

/* The cases of one technique; indices of the runner. */
struct vrs_technique_cases {
	int off, on;                      /* -1: none is measured */
	char unfit[256];                  /* why this clip or machine cannot show it; "" */
};

#endif
