/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VRS_BENCH_SETTINGS_JSON_H
#define VRS_BENCH_SETTINGS_JSON_H

#include <vrseg/config.h>

#include "base/json.h"

/*
 * Values of a configuration that are not the built-in defaults as a JSON object of texts, and back: run requests and the journal hold them.
 * Writing: VRS_ENOMEM, VRS_ELIMIT. Reading sets them as if given as flags; VRS_EFORMAT names the key in name.
 */
enum vrs_status vrs_config_to_json(const struct vrs_config *config, cJSON *object);
enum vrs_status vrs_config_from_json(const cJSON *object, struct vrs_config *config, const char *name, struct vrs_error *err);

#endif
