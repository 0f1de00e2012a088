/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input sizes that a network was trained for ("trained_sizes" of its manifest).  At others it runs as well, and its mattes fall apart in silence. */
#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>

bool vrs_manifest_is_trained(const struct vrs_manifest *manifest, const int size[2])
{
	int width = size[0] ? size[0] : manifest->input_width, height = size[1] ? size[1] : manifest->input_height;

	for (int i = 0; i < manifest->trained_count; i++)
		if (manifest->trained[i][0] == width && manifest->trained[i][1] == height)
			return true;
	return manifest->trained_count == 0;
}

enum vrs_status vrs_manifest_warn_size(const struct vrs_manifest *manifest, const struct vrs_settings *settings, const int size[2],
				       struct vrs_error *err)
{
	char which[64];

	if (vrs_manifest_is_trained(manifest, size))
		return VRS_OK;
	(void)snprintf(which, sizeof which, "input size %dx%d", size[0] ? size[0] : manifest->input_width, size[1] ? size[1] : manifest->input_height);
	return vrs_manifest_warn_untrained(manifest, settings, which, err);
}

enum vrs_status vrs_manifest_warn_untrained(const struct vrs_manifest *manifest, const struct vrs_settings *settings, const char *which,
					    struct vrs_error *err)
{
	char id[96], sizes[VRS_MANIFEST_MAX_TRAINED * 12 + 1] = "";

	for (int i = 0; i < manifest->trained_count; i++) {
		size_t used = strlen(sizes);

		(void)snprintf(sizes + used, sizeof sizes - used, "%s%dx%d", i ? ", " : "", manifest->trained[i][0], manifest->trained[i][1]);
	}
	(void)snprintf(id, sizeof id, "untrained %s", manifest->name);
	return vrs_config_warn(settings, id, err, "%s: the network %s was not trained for that, so expect worse mattes; sizes that suit it: %s", which,
			       manifest->name, sizes);
}
