/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tuned configuration as a YAML file that vrseg -c reads, with what was found and how to check it as comments. */
#ifndef VRS_TUNER_TUNE_YAML_H
#define VRS_TUNER_TUNE_YAML_H

#include <vrseg/config.h>
#include <vrseg/machine.h>

#include "tuner/search.h"

/*
 * Write the base configuration's changed values plus the chosen ones, atomically.  VRS_ECONFIG, VRS_EIO (err names the file), VRS_ENOMEM.
 * verify: the command that measures the choice against the default again.
 */
enum vrs_status vrs_tune_yaml_write(const struct vrs_search_result *result, const struct vrs_config *base, const struct vrs_machine *machine,
				    const char *input, const char *verify, const char *path, struct vrs_error *err);

#endif
