/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session_options.h"

#include <vrseg/calibration.h>

#include "machine/cpu_features.h"
#include "session/backend_list.h"

struct vrs_session_options vrs_session_options_default(void)
{
	return (struct vrs_session_options){
		.backend = "auto", .precision = VRS_PRECISION_FP32, .threads = 0, .batch = 1, .fusion = true, .deterministic = true,
		.half_min_bytes = -1, .program_cache = true, .pinned_memory = true, .async_transfers = true,
	};
}

enum vrs_precision vrs_precision_choose(const char *backend, const struct vrs_calibration *calibration, const char **ret_reason)
{
	const char *reason = "this CPU does not multiply in bf16";
	enum vrs_precision precision = VRS_PRECISION_FP32;
	const struct vrs_backend *found = NULL;

	if (vrs_backend_find(&found, backend, NULL) == VRS_OK && found->upload != NULL) {
		reason = "fp16 was no faster on a GPU: --precision fp16 asks for it";
	} else if (found != &vrs_backend_cpu) {
		reason = "backends other than cpu compute in fp32";
	} else if (calibration != NULL && vrs_calibration_info(calibration).passes) {
		reason = "the calibration passed its check";
		precision = VRS_PRECISION_INT8;
	} else if (vrs_cpu_features() & VRS_CPU_AVX512BF16) {
		reason = "this CPU multiplies in bf16";
		precision = VRS_PRECISION_BF16;
	}
	if (ret_reason != NULL)
		*ret_reason = reason;
	return precision;
}

static enum vrs_status check_device(const struct vrs_session_options *options, struct vrs_error *err)
{
	if (options->device_bytes_max < 0)
		return vrs_fail(err, VRS_EINVAL, "a limit of %lld bytes of device memory is not possible; use 0 for no limit, or more",
				(long long)options->device_bytes_max);
	if (!(options->device_memory_share >= 0 && options->device_memory_share <= 1))
		return vrs_fail(err, VRS_EINVAL, "a share of %g of the device's memory is not possible; use 0 for no limit, or up to 1",
				options->device_memory_share);
	if ((unsigned)options->device_tune > VRS_DEVICE_TUNE_FULL)
		return vrs_fail(err, VRS_EINVAL, "level %d of device tuning does not exist", (int)options->device_tune);
	if ((unsigned)options->device_math > VRS_DEVICE_MATH_DOT)
		return vrs_fail(err, VRS_EINVAL, "arithmetic %d of devices does not exist", (int)options->device_math);
	return VRS_OK;
}

enum vrs_status vrs_session_options_check(const struct vrs_session_options *options, struct vrs_error *err)
{
	if (options->threads < 0 || options->threads > 1024)
		return vrs_fail(err, VRS_EINVAL, "%d threads are not possible; use 1 to 1024, or 0 for every allowed CPU", options->threads);
	if ((unsigned)options->affinity > VRS_AFFINITY_CORES)
		return vrs_fail(err, VRS_EINVAL, "affinity %d does not exist", (int)options->affinity);
	if (options->batch < 1 || options->batch > 256)
		return vrs_fail(err, VRS_EINVAL, "a batch of %d is not possible; use 1 to 256", options->batch);
	if (options->input_width < 0 || options->input_height < 0)
		return vrs_fail(err, VRS_EINVAL, "an input size of %dx%d is not possible", options->input_width, options->input_height);
	if ((unsigned)options->precision > VRS_PRECISION_MIXED)
		return vrs_fail(err, VRS_EINVAL, "precision %d does not exist", (int)options->precision);
	if (options->precision > VRS_PRECISION_BF16 && !options->calibration)
		return vrs_fail(err, VRS_EINVAL, "precision %s needs a calibration of the network, and there is none: make one with vrseg --calibrate CLIP "
				"-m NETWORK, or use fp32, fp16 or bf16", vrs_precision_name(options->precision));
	return check_device(options, err);
}
