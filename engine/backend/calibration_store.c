/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where calibrations are kept: the folder `calibrations` of the cache folder, a file for each network and input size. */
#include <vrseg/calibration.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/file.h"

enum vrs_status vrs_calibration_store_path(const struct vrs_model *model, int width, int height, char *ret_path, size_t size, struct vrs_error *err)
{
	char cache[PATH_MAX], folder[PATH_MAX], name[64];
	struct vrs_model_info info = vrs_model_info(model);
	enum vrs_status status = vrs_cache_dir(cache, sizeof cache, err);
	snprintf(name, sizeof name, "%016" PRIx64 "-%dx%d.json", info.hash, width ? width : info.input_width, height ? height : info.input_height);
	if (status != VRS_OK)
		return status;
	if (vrs_path_join(folder, sizeof folder, cache, "calibrations") != VRS_OK || vrs_path_join(ret_path, size, folder, name) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the cache folder is too long");
	return vrs_mkdirs(folder, err);
}
