/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings for tests of whole jobs: as tests/small_network.sh is for commands. */
#ifndef VRS_TESTS_SMALL_NETWORK_H
#define VRS_TESTS_SMALL_NETWORK_H

#include <vrseg/config.h>

/* Set the small network and plain edges, whatever they are by default. */
static inline bool small_network_config(struct vrs_config *config)
{
	return vrs_config_set(config, "engine.model", "selfie_segmentation", VRS_SOURCE_FLAG, NULL, NULL) == VRS_OK &&
	       vrs_config_set(config, "matte.refine", "false", VRS_SOURCE_FLAG, NULL, NULL) == VRS_OK;
}

/* The defaults, but for that.  False: no memory, and *ret_settings is as it was. */
static inline bool small_network_settings(struct vrs_settings *ret_settings)
{
	struct vrs_config *config;

	if (vrs_config_create(&config) != VRS_OK)
		return false;
	bool set = small_network_config(config);
	if (set)
		*ret_settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	return set;
}

#endif
