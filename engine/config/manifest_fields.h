/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a model manifest. */
#ifndef VRS_CONFIG_MANIFEST_FIELDS_H
#define VRS_CONFIG_MANIFEST_FIELDS_H

#include <vrseg/config.h>
#include <vrseg/yaml.h>

/* One entry into the manifest. VRS_ECONFIG with its place in the file: an unknown key, a value that does not fit. */
enum vrs_status vrs_manifest_read(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_manifest *manifest,
				  struct vrs_error *err);
/* After all entries: is everything there, and does it fit together? VRS_ECONFIG. */
enum vrs_status vrs_manifest_check(const struct vrs_yaml *yaml, const struct vrs_manifest *manifest, struct vrs_error *err);

#endif
