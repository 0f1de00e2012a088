/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Side A of an A/B: what `--versus WHAT` names. */
#ifndef VRS_BENCH_VERSUS_H
#define VRS_BENCH_VERSUS_H

#include <vrseg/config.h>

#include "bench/record/result.h"
#include "bench/record/words.h"

struct vrs_versus_side {
	char label[512];              /* for people and records */
	char program[VRS_PATH_MAX];   /* of another build; "": the same program */
	char input[VRS_PATH_MAX];     /* the clip of a results.json; "": none, or the synthetic one */
	enum vrs_scope scope;         /* of a results.json */
	int width, height;            /* of the case's clip; 0: not said */
	struct vrs_config *config;
};

/*
 * WHAT is, in this order:
 *   KEY=VALUE[,KEY=VALUE...]       `current` with these values
 *   a folder with results.json, or such a file   the configuration of one of its cases (NULL: the recommended one, else the default), which is
 *                                  measured again
 *   a build folder, or a program   `current` run by the vrbench of that build
 *   a file                         the configuration that it holds
 *   fast, balanced, quality        the profile
 *   default                        the built-in defaults
 * VRS_ECONFIG, VRS_ENOTFOUND or what the file's reader says.  Release with vrs_versus_side_fini.
 */
enum vrs_status vrs_versus_resolve(const char *what, const char *c, const struct vrs_config *current, struct vrs_versus_side *ret_side,
				   struct vrs_error *err);
void vrs_versus_side_fini(struct vrs_versus_side *side);
/*
 * What a case of a result starts from, without its own values: only keys that a record may set (vrs_option_is_recorded), since it may be a
 * stranger's.  path names the result in messages.  Statuses of vrs_config_load_text; the caller destroys *ret_base.
 */
enum vrs_status vrs_versus_base(const struct vrs_result *result, const struct vrs_case_result *c, const char *path, struct vrs_config **ret_base,
				struct vrs_error *err);

#endif
