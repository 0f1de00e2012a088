/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of layouts and projections, and projections as the user writes them. */
#include <vrseg/layout.h>

#include <string.h>

#include "base/str_parse.h"

static const enum vrs_projection projections[] = {VRS_PROJECTION_FLAT, VRS_PROJECTION_HEQUIRECT, VRS_PROJECTION_EQUIRECT, VRS_PROJECTION_FISHEYE};

const char *vrs_stereo_name(enum vrs_stereo stereo)
{
	switch (stereo) {
	case VRS_STEREO_MONO: return "mono";
	case VRS_STEREO_SBS: return "sbs";
	case VRS_STEREO_TB: return "tb";
	default: return "auto";
	}
}

const char *vrs_projection_name(enum vrs_projection projection)
{
	switch (projection) {
	case VRS_PROJECTION_FLAT: return "flat";
	case VRS_PROJECTION_HEQUIRECT: return "hequirect";
	case VRS_PROJECTION_EQUIRECT: return "equirect";
	case VRS_PROJECTION_FISHEYE: return "fisheye";
	default: return "unknown";
	}
}

bool vrs_projection_parse(const char *text, enum vrs_projection *ret_projection, double *ret_fov_degrees)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	if (strcmp(text, "auto") == 0) {
		*ret_projection = VRS_PROJECTION_UNKNOWN;
		*ret_fov_degrees = 0;
		return true;
	}
	for (size_t i = 0; i < sizeof projections / sizeof projections[0]; i++) {
		const char *name = vrs_projection_name(projections[i]);
		double fov = 0;

		if (strlen(name) != length || strncmp(name, text, length) != 0)
			continue;
		if (colon && !vrs_parse_double(colon + 1, 1, projections[i] == VRS_PROJECTION_FLAT ? 170 : 360, &fov))
			return false;
		*ret_projection = projections[i];
		*ret_fov_degrees = fov;
		return true;
	}
	return false;
}
