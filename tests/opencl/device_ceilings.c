/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a device can do at best, as one line of JSON, for scripts/measure-gpu.sh:   device_ceilings [DEVICE]
 * DEVICE as vrseg's --device.
 */
#include <stdio.h>

#include "opencl/ocl_ceilings.h"

int main(int argc, char **argv)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_device_ceilings c = {0};
	struct vrs_error err = {0};
	enum vrs_status status = vrs_ocl_context_open(&context, argc > 1 ? argv[1] : "", true, &err);

	if (status == VRS_OK)
		status = vrs_ocl_ceilings(context, &c, &err);
	if (status != VRS_OK) {
		fprintf(stderr, "device_ceilings: %s\n", err.text);
		return 1;
	}
	printf("{\"device\": \"%s\", \"driver\": \"%s\", \"platform\": \"%s\", \"is_cpu\": %s, ", context->caps.name, context->caps.driver,
	       context->caps.platform, context->caps.is_cpu ? "true" : "false");
	printf("\"fma_gflops\": %.1f, \"copy_gbps\": %.2f, \"upload_gbps\": %.2f, \"download_gbps\": %.2f, \"launch_us\": %.2f}\n", c.fma_gflops,
	       c.copy_gbps, c.upload_gbps, c.download_gbps, c.launch_us);
	vrs_ocl_context_close(context);
	return 0;
}
