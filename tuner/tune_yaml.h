/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tuned configuration as a YAML file that vrseg -c reads, with what was found and how to check it as comments. */
#ifndef VRS_TUNER_TUNE_YAML_H
#define VRS_TUNER_TUNE_YAML_H

#include <vrseg/config.h>
#include <vrseg/machine.h>

#include "tuner/search.h"

/*
 * Write the chosen values, and what the user set beside them, atomically.  As comments: the default that each value beat, the gain, what the choice
 * costs, each limit with what is left of it, what ties with it, the machine, and the command that comes to the same verdict again.
 * VRS_ECONFIG, VRS_EIO (err names the file), VRS_ENOMEM.
 */
enum vrs_status vrs_tune_yaml_write(const struct vrs_search_result *result, const struct vrs_objective *objective, const struct vrs_config *base,
				    const struct vrs_machine *machine, const char *input, const char *path, struct vrs_error *err);

#endif
