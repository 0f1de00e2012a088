/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/device_space.h"

#include <stdio.h>
#include <string.h>

#include <vrseg/pipeline.h>

const char *vrs_device_space_against(const struct vrs_option *row, const struct vrs_config *base, const struct vrs_bench_input *input, char *buf,
				     size_t size)
{
	const char *backend = vrs_backend_name(vrs_config_settings(base)->engine.backend);
	if (vrs_config_list(base, row->key) || vrs_config_is_fixed(base, row->key))
		return NULL;
	if (strcmp(row->key, "engine.backend") == 0)
		return input->has_opencl_gpu ? NULL : "no OpenCL GPU was found; ref and null are for comparisons";
	if (strcmp(row->key, "engine.threads") == 0 && backend && vrs_backend_has_devices(backend))
		return "a device computes the network, with threads of its own";
	if (!row->backend || !backend || strcmp(row->backend, backend) == 0)
		return NULL;
	(void)snprintf(buf, size, "it is for --backend %s", row->backend);
	return buf;
}
