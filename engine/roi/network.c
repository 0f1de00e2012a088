/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/network.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/str_parse.h"
#include "video/source.h"

#include <vrseg/network_run.h>
#include <vrseg/config.h>
#include <vrseg/log.h>

#define AUTO_REGIONS 12 /* of matte.max_regions auto: people beyond it are small */

/* A relative file of a manifest lies in the model folders, else where the user is. */
static void resolve_file(char *path, size_t size, const char *file)
{
	char relative[VRS_PATH_MAX];
	if (file[0] != '/' && vrs_path_join(relative, sizeof relative, "models", file) == VRS_OK && vrs_data_file(relative, path, size, NULL) == VRS_OK)
		return;
	(void)vrs_strcpy(path, size, file); /* same size as the manifest's field: nothing is cut */
}

static enum vrs_status check_size(const struct vrs_manifest *manifest, const int size[2], struct vrs_error *err)
{
	int multiple = manifest->size_multiple;
	if (!size[0] && !size[1])
		return VRS_OK;
	if (size[0] == manifest->input_width && size[1] == manifest->input_height)
		return VRS_OK;
	if (!multiple && manifest->input_width)
		return vrs_fail(err, VRS_ECONFIG, "the network %s takes only inputs of %dx%d, not %dx%d", manifest->name, manifest->input_width,
				manifest->input_height, size[0], size[1]);
	if (multiple && (size[0] < multiple || size[1] < multiple || size[0] % multiple || size[1] % multiple))
		return vrs_fail(err, VRS_ECONFIG, "input size %dx%d does not suit the network %s: width and height must be multiples of %d", size[0],
				size[1], manifest->name, multiple);
	return VRS_OK;
}

enum vrs_status vrs_network_open(struct vrs_network *network, const struct vrs_settings *settings, int threads, int batch, struct vrs_error *err)
{
	memset(network, 0, sizeof *network);
	enum vrs_status status = vrs_manifest_load(&network->manifest, settings->engine.model, err);
	if (status == VRS_OK)
		status = check_size(&network->manifest, settings->engine.input_size, err);
	if (status != VRS_OK)
		return status;
	char path[VRS_PATH_MAX];
	resolve_file(path, sizeof path, network->manifest.file);
	if (!vrs_path_exists(path))
		return vrs_fail(err, VRS_ENOTFOUND, "the network file %s is not installed: run scripts/setup.sh of the source, which fetches it", path);
	status = vrs_model_load_known(&network->model, path, network->manifest.sha256[0] ? network->manifest.sha256 : NULL, err);
	if (status != VRS_OK)
		return status;
	network->options = vrs_session_options_default();
	network->options.backend = settings->engine.backend;
	network->options.device = settings->engine.device;
	network->options.device_memory_share = settings->engine.max_memory_fraction;
	network->options.program_cache = settings->engine.program_cache;
	network->options.pinned_memory = settings->engine.pinned_memory;
	network->options.async_transfers = settings->engine.async_transfers;
	network->options.command_replay = settings->engine.command_replay;
	network->options.device_tune = (enum vrs_device_tune)settings->engine.device_tune;
	network->options.device_math = (enum vrs_device_math)settings->engine.device_math;
	network->options.precision = (enum vrs_precision)settings->engine.precision;
	network->options.threads = threads;
	network->options.affinity = (enum vrs_affinity)settings->engine.affinity;
	network->options.batch = batch;
	network->options.input_width = settings->engine.input_size[0];
	network->options.input_height = settings->engine.input_size[1];
	network->options.pictures_nhwc = true;
	network->options.fusion = settings->engine.fusion;
	network->options.profile = settings->report.profile;
	network->options.deterministic = settings->engine.deterministic;
	network->options.autotune = settings->engine.autotune_kernels;
	return vrs_network_take_calibration(network, err);
}

enum vrs_status vrs_network_load(struct vrs_network *network, const struct vrs_settings *settings, int threads, int batch, struct vrs_error *err)
{
	struct vrs_session_options *options = &network->options;
	enum vrs_status status = vrs_network_open(network, settings, threads, batch, err);
	if (status == VRS_OK)
		status = vrs_manifest_warn_size(&network->manifest, settings, settings->engine.input_size, err);
	if (status != VRS_OK)
		return status;
	status = vrs_model_inputs_find(&network->inputs, network->model, &network->manifest, batch, options->input_width, options->input_height, err);
	options->input_shapes = network->inputs.shapes;
	options->input_values = network->inputs.values;
	options->input_shape_count = network->inputs.count;
	options->outputs = vrs_model_wanted_outputs(network->model, &network->manifest);
	return status;
}

void vrs_network_fini(struct vrs_network *network)
{
	vrs_model_inputs_fini(&network->inputs);
	vrs_calibration_destroy(network->calibration);
	vrs_model_destroy(network->model);
	network->calibration = NULL;
	network->model = NULL;
}

uint64_t vrs_network_identity(const struct vrs_network *network)
{
	const uint64_t parts[] = {vrs_model_info(network->model).hash, network->manifest.content};
	return vrs_hash(VRS_HASH_INIT, parts, sizeof parts);
}

uint64_t vrs_network_content(const struct vrs_network *network)
{
	const uint64_t parts[] = {vrs_model_info(network->model).hash, network->manifest.content,
		network->calibration ? vrs_calibration_info(network->calibration).hash : 0};
	return vrs_hash(VRS_HASH_INIT, parts, sizeof parts);
}

int vrs_network_regions(const struct vrs_settings *settings, const struct vrs_manifest *manifest)
{
	int asked = settings->matte.max_regions;
	if (!settings->matte.follow)
		return 1;
	return asked ? asked : manifest->state_count > 0 ? AUTO_REGIONS : 1;
}

enum vrs_status vrs_network_settle_name(struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	if (strcmp(settings->engine.model, VRS_MODEL_AUTO) != 0)
		return VRS_OK;
	enum vrs_status status = vrs_manifest_load(&manifest, VRS_MODEL_AUTO, err);
	if (status != VRS_OK)
		return status;
	memcpy(settings->engine.model, manifest.name, sizeof manifest.name); /* shorter than a path */
	if (strcmp(manifest.name, VRS_MODEL_BEST) == 0)
		return VRS_OK;
	return vrs_config_warn(settings, "no " VRS_MODEL_BEST, err, "the network " VRS_MODEL_BEST " is not installed, so %s is used, which misses people "
			       "who are far away or in dim light and is coarser at hair and hands; scripts/setup.sh of the source fetches it",
			       manifest.name);
}

enum vrs_status vrs_network_settle_processes(struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	if (!settings->pipeline.processes)
		return VRS_OK;
	enum vrs_status status = vrs_manifest_load(&manifest, settings->engine.model, err);
	if (status == VRS_OK && manifest.state_count > 0)
		settings->pipeline.processes = false;
	return status;
}

/* Who names a network knows what it can do; with one that auto found, options of old commands stay good. */
static enum vrs_status keep_bound(const struct vrs_settings *settings, const char *network, bool is_named, int *value, int most, const char *what,
				  struct vrs_error *err)
{
	int asked = *value;
	if (asked <= most)
		return VRS_OK;
	if (is_named)
		return vrs_fail(err, VRS_ECONFIG, "the network %s is recurrent, so %s can be at most %d", network, what, most);
	*value = most;
	return vrs_config_warn(settings, what, err, "the network %s is recurrent, so %s is %d instead of %d", network, what, most, asked);
}

enum vrs_status vrs_network_constrain(struct vrs_settings *settings, bool is_named, int eyes, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	enum vrs_status status = vrs_manifest_load(&manifest, settings->engine.model, err);
	if (status == VRS_OK)
		status = check_size(&manifest, settings->engine.input_size, err);
	if (status != VRS_OK || manifest.state_count == 0)
		return status;
	status = keep_bound(settings, manifest.name, is_named, &settings->engine.streams, 1, "frames cannot run in parallel; engine.streams", err);
	int most = eyes * vrs_network_regions(settings, &manifest);
	if (status == VRS_OK)
		status = keep_bound(settings, manifest.name, is_named, &settings->engine.batch_size, most,
				    "a batch holds regions of one frame; engine.batch_size", err);
	if (status == VRS_OK)
		settings->engine.streams = 1;
	return status;
}

static bool needs_calibration(const struct vrs_network *network)
{
	return network->options.precision == VRS_PRECISION_INT8 || network->options.precision == VRS_PRECISION_MIXED;
}

enum vrs_status vrs_network_take_calibration(struct vrs_network *network, struct vrs_error *err)
{
	const struct vrs_session_options *options = &network->options;
	char path[VRS_PATH_MAX];
	bool is_kept = false;
	if (!needs_calibration(network) || network->calibration)
		return VRS_OK;
	enum vrs_status status = vrs_calibration_store_path(network->model, network->manifest.content, options, path, sizeof path, err);
	if (status == VRS_OK)
		status = vrs_path_find(path, &is_kept, err);
	if (status == VRS_OK && is_kept && !vrs_path_may_read(path))
		status = vrs_fail(err, VRS_EUNSUPPORTED, "this user may not read the calibration %s; make it readable, or remove it", path);
	if (status == VRS_OK && is_kept)
		status = vrs_calibration_load(&network->calibration, path, network->model, err);
	network->options.calibration = network->calibration;
	return status;
}

enum vrs_status vrs_network_need_calibration(struct vrs_network *network, const struct vrs_settings *settings, const char *input,
					     struct vrs_error *err)
{
	const char *precision = vrs_precision_name(network->options.precision), *name = network->manifest.name;
	struct vrs_calibration_report report;
	if (!needs_calibration(network) || network->calibration)
		return VRS_OK;
	enum vrs_status status = vrs_backend_check(&network->options, err); /* what is refused anyhow leaves no calibration for other jobs */
	if (status != VRS_OK)
		return status;
	if (vrs_source_reads_once(input))
		return vrs_fail(err, VRS_ECONFIG, "precision %s needs a calibration of the network %s, and %s cannot be read twice; make one with "
				"vrseg --calibrate CLIP -m %s", precision, name, vrs_source_words(input), name);
	vrs_log(VRS_LOG_INFO, "precision %s: no stored calibration of %s; calibrating with %s first", precision, name, input);
	status = vrs_calibrate_input(settings, input, &report, err);
	if (status != VRS_OK)
		return status;
	bool int8 = network->options.precision == VRS_PRECISION_INT8;
	vrs_log(VRS_LOG_INFO, "calibrated: IoU %.4f with fp32, stored in %s", int8 ? report.int8_iou : report.mixed_iou, report.path);
	return vrs_network_take_calibration(network, err);
}
