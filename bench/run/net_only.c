/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/net_only.h"

#include <math.h>
#include <string.h>

#include <vrseg/model.h>
#include <vrseg/network_run.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/run/ceilings.h"
#include "bench/run/net_inputs.h"
#include "bench/run/run_request.h"
#include "bench/stats/stats.h"

enum {
	MIN_RUNS = 3,
	MAX_RUNS = 4000000,
};

enum vrs_status vrs_net_only_options_from(struct vrs_net_only_options *ret_options, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_settings settled = *settings;
	char reason[80];
	enum vrs_status status = vrs_precision_settle(&settled, reason, sizeof reason, err);
	if (status != VRS_OK)
		return status;
	struct vrs_net_only_options options = {.model = settings->engine.model, .session = vrs_session_options_default()};
	options.session.backend = settings->engine.backend;
	options.session.device = settings->engine.device;
	options.session.device_memory_share = settings->engine.max_memory_fraction;
	options.session.program_cache = settings->engine.program_cache;
	options.session.pinned_memory = settings->engine.pinned_memory;
	options.session.async_transfers = settings->engine.async_transfers;
	options.session.command_replay = settings->engine.command_replay;
	options.session.device_tune = (enum vrs_device_tune)settings->engine.device_tune;
	options.session.device_math = (enum vrs_device_math)settings->engine.device_math;
	options.session.precision = (enum vrs_precision)settled.engine.precision;
	options.session.threads = settings->engine.threads;
	options.session.affinity = (enum vrs_affinity)settings->engine.affinity;
	options.session.batch = settings->engine.batch_size ? settings->engine.batch_size : 1;
	options.session.input_width = settings->engine.input_size[0];
	options.session.input_height = settings->engine.input_size[1];
	options.session.fusion = settings->engine.fusion;
	options.session.deterministic = settings->engine.deterministic;
	options.session.autotune = settings->engine.autotune_kernels;
	*ret_options = options;
	return VRS_OK;
}

/* What is run. */
struct net {
	struct vrs_session *session;
	const float *inputs; /* VRS_NET_INPUTS pictures */
	int state_slots;     /* vrs_net_states_stay */
	bool has_past;       /* the slots hold what a run has made */
};

struct samples {
	double *ms;
	size_t capacity;
	long count;
};

/* One run on input number k, which goes on from the states of the one before; the copy into the tensor is not timed. */
static enum vrs_status run_once(struct net *net, long k, double *ret_ms, struct vrs_error *err)
{
	struct vrs_tensor_view in = vrs_session_input(net->session, 0);
	memcpy(in.data, net->inputs + (size_t)(k % VRS_NET_INPUTS) * in.elements, in.elements * sizeof *in.data);
	uint64_t start = vrs_now_ns();
	for (int e = 0; e < net->state_slots; e++)
		vrs_session_slot_use(net->session, net->has_past ? e : -1, e);
	enum vrs_status status = vrs_session_run(net->session, err);
	for (int e = 0; e < net->state_slots && status == VRS_OK; e++)
		vrs_session_slot_keep(net->session, e, e);
	net->has_past = true;
	*ret_ms = 1e-6 * (double)(vrs_now_ns() - start);
	return status;
}

/* Runs before the measurement: at least three, and a fifth of the duration but at most 1 s. */
static enum vrs_status warm_up(struct net *net, const struct vrs_net_only_options *options, struct vrs_net_only_result *result,
			       struct vrs_error *err)
{
	double seconds = fmin(1, options->duration_seconds / 5), ms;
	uint64_t begin = vrs_now_ns(), end = begin + (uint64_t)(1e9 * seconds);
	long most = options->max_runs > 0 ? options->max_runs / 5 : MAX_RUNS;
	enum vrs_status status = VRS_OK;
	while (status == VRS_OK && !vrs_stop_requested() &&
	       (result->warmup_runs < MIN_RUNS || (vrs_now_ns() < end && result->warmup_runs < most))) {
		status = run_once(net, result->warmup_runs, &ms, err);
		if (result->warmup_runs++ == 0)
			result->first_ms = ms;
	}
	result->warmup_seconds = 1e-9 * (double)(vrs_now_ns() - begin);
	return status;
}

static enum vrs_status measure(struct net *net, const struct vrs_net_only_options *options, struct samples *samples,
			       struct vrs_profile_sampler *sampler, struct vrs_error *err)
{
	uint64_t end = vrs_now_ns() + (uint64_t)(1e9 * options->duration_seconds);
	long most = options->max_runs > 0 ? options->max_runs : MAX_RUNS;
	enum vrs_status status = VRS_OK;
	while (status == VRS_OK && samples->count < most && (samples->count < MIN_RUNS || (vrs_now_ns() < end && !vrs_stop_requested()))) {
		void *items = samples->ms;
		status = vrs_array_grow(&items, &samples->capacity, (size_t)samples->count + 1, sizeof *samples->ms, MAX_RUNS);
		samples->ms = items;
		if (status == VRS_OK)
			status = run_once(net, samples->count, &samples->ms[samples->count], err);
		samples->count += status == VRS_OK;
		if (sampler->ops > 0)
			vrs_profile_sampler_add(sampler, net->session);
	}
	return status;
}

static double supported_quantile(const struct samples *samples, double p)
{
	double value;
	if (samples->count < vrs_stats_quantile_min_n(p, 0.95) || vrs_stats_quantile(samples->ms, (int)samples->count, p, &value) != VRS_OK)
		return NAN;
	return value;
}

static enum vrs_status summarize(const struct samples *samples, struct vrs_net_only_result *result)
{
	int n = (int)samples->count;
	enum vrs_status status = vrs_stats_median(samples->ms, n, &result->median_ms);
	if (status == VRS_OK)
		status = vrs_stats_mean(samples->ms, n, &result->mean_ms);
	if (status == VRS_OK)
		status = vrs_stats_quantile(samples->ms, n, 0, &result->min_ms);
	if (status == VRS_OK)
		status = vrs_stats_quantile(samples->ms, n, 1, &result->max_ms);
	result->p90_ms = supported_quantile(samples, 0.90);
	result->p95_ms = supported_quantile(samples, 0.95);
	result->p99_ms = supported_quantile(samples, 0.99);
	result->runs = samples->count;
	result->gmacs_per_second = result->median_ms > 0 ? 1e-6 * (double)result->macs / result->median_ms : NAN;
	return status;
}

static void describe(struct vrs_session *session, double share, struct vrs_net_only_result *result)
{
	struct vrs_session_info info = vrs_session_info(session);
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	vrs_strcpy(result->backend, sizeof result->backend, info.backend);
	vrs_strcpy(result->isa, sizeof result->isa, info.isa);
	vrs_strcpy(result->device, sizeof result->device, info.device);
	vrs_strcpy(result->driver, sizeof result->driver, info.driver);
	result->device_bytes = (int64_t)info.device_bytes;
	result->device_limit_bytes = vrs_run_device_limit(info.device_memory_bytes, share);
	result->precision = info.precision;
	result->threads = info.threads;
	result->steps = info.steps;
	result->macs = info.macs;
	result->arena_bytes = info.arena_bytes;
	result->arena_lower_bound_bytes = info.arena_lower_bound_bytes;
	result->weight_bytes = info.weight_bytes;
	result->scratch_bytes = info.scratch_bytes;
	result->batch = in.dims[0];
	result->height = in.dims[1];
	result->width = in.dims[2];
}

static enum vrs_status check_output(struct vrs_session *session, struct vrs_net_only_result *result, struct vrs_error *err)
{
	struct vrs_tensor_view out = vrs_session_output(session, 0);
	double sum = 0;
	for (size_t i = 0; out.data && i < out.elements; i++)
		sum += (double)out.data[i];
	if (!isfinite(sum))
		return vrs_fail(err, VRS_EINTERNAL, "the network's output holds values that are not finite");
	result->output_mean = out.elements ? sum / (double)out.elements : 0;
	return VRS_OK;
}

static enum vrs_status measure_all(struct net *net, const struct vrs_net_only_options *options, struct vrs_net_only_result *result,
				   struct vrs_profile_sampler *sampler, struct vrs_error *err)
{
	struct samples samples = {0};
	enum vrs_status status = warm_up(net, options, result, err);
	if (status == VRS_OK && options->session.profile && vrs_profile_sampler_begin(sampler, net->session) == VRS_ENOMEM)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the times of the operators");
	uint64_t cpu = vrs_cpu_ns();
	if (status == VRS_OK)
		status = measure(net, options, &samples, sampler, err);
	result->cpu_seconds = 1e-9 * (double)(vrs_cpu_ns() - cpu);
	if (status == VRS_OK)
		status = summarize(&samples, result);
	if (status == VRS_OK)
		status = check_output(net->session, result, err);
	vrs_free(samples.ms);
	return status;
}

/* Of the device that runs the network, or of the CPU.  A device that cannot be measured costs only the shares. */
static enum vrs_status find_ceilings(struct vrs_session *session, const struct vrs_net_only_result *result, struct vrs_net_profile *profile,
				     struct vrs_error *err)
{
	struct vrs_device_ceilings device = {0};
	struct vrs_error why = {.status = VRS_OK};
	struct vrs_peaks peaks;
	if (result->device[0]) {
		if (vrs_session_ceilings(session, &device, &why) != VRS_OK)
			vrs_strcpy(profile->peak_note, sizeof profile->peak_note, why.text);
		vrs_net_profile_device(profile, result->device, &device);
		return VRS_OK;
	}
	enum vrs_status status = vrs_ceilings_probe(result->threads, &peaks, err);
	if (status == VRS_OK)
		vrs_net_profile_host(profile, &peaks);
	return status;
}

static enum vrs_status run_session(struct vrs_session *session, const struct vrs_net_only_options *options, struct vrs_net_only_result *result,
				   struct vrs_net_profile *profile, struct vrs_error *err)
{
	struct vrs_profile_sampler sampler = {0};
	if (!vrs_session_input(session, 0).data)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the first input of the network is not a float32 tensor; it cannot be measured with pictures");
	struct net net = {.session = session, .state_slots = vrs_net_states_stay(session)};
	describe(session, options->session.device_memory_share, result); /* with memory for states */
	enum vrs_status status = profile && options->session.profile ? find_ceilings(session, result, profile, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	float *inputs = vrs_net_inputs_make(vrs_session_input(session, 0).elements);
	net.inputs = inputs;
	if (!inputs)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the input tensors");
	vrs_net_inputs_fill_others(session);
	status = measure_all(&net, options, result, &sampler, err);
	if (status == VRS_OK && profile && sampler.ops > 0 && vrs_net_profile_fill(profile, &sampler, session) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the profile");
	if (profile)
		profile->call_ms = result->median_ms;
	vrs_profile_sampler_fini(&sampler);
	vrs_free(inputs);
	return status;
}

static void name_profile(const struct vrs_net_only_result *r, enum vrs_precision precision, struct vrs_net_profile *profile)
{
	vrs_strcpy(profile->model, sizeof profile->model, r->model);
	profile->precision = precision;
	vrs_strcpy(profile->backend, sizeof profile->backend, r->backend);
	vrs_strcpy(profile->isa, sizeof profile->isa, r->isa);
	profile->threads = r->threads;
	profile->batch = r->batch;
	profile->width = r->width;
	profile->height = r->height;
}

/* A name becomes a manifest's network; a path is used as it is. */
static enum vrs_status load_model(const char *name, struct vrs_model **ret_model, struct vrs_manifest *manifest, char *shown, size_t shown_size,
				  struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	enum vrs_status status = vrs_manifest_load(manifest, name, err);
	if (status != VRS_OK)
		return status;
	vrs_strcpy(path, sizeof path, manifest->file);
	if (!vrs_path_exists(path)) {
		char relative[VRS_PATH_MAX];
		status = vrs_path_join(relative, sizeof relative, "models", manifest->file);
		if (status == VRS_OK && vrs_data_file(relative, path, sizeof path, NULL) != VRS_OK)
			vrs_strcpy(path, sizeof path, manifest->file);
	}
	vrs_strcpy(shown, shown_size, manifest->name[0] ? manifest->name : vrs_path_base(path));
	return vrs_model_load_known(ret_model, path, manifest->sha256[0] ? manifest->sha256 : NULL, err);
}

/* Sizes, constants and outputs that a manifest gives; the bare path of a network file has none, and its further inputs take random numbers. */
static enum vrs_status use_manifest(struct vrs_session_options *options, struct vrs_model_inputs *inputs, const struct vrs_model *model,
				    const struct vrs_manifest *manifest, struct vrs_error *err)
{
	if (!manifest->source[0])
		return VRS_OK;
	enum vrs_status status = vrs_model_inputs_find(inputs, model, manifest, options->batch, options->input_width, options->input_height, err);
	options->input_shapes = inputs->shapes;
	options->input_values = inputs->values;
	options->input_shape_count = inputs->count;
	options->outputs = vrs_model_wanted_outputs(model, manifest);
	return status;
}

enum vrs_status vrs_net_only_run(const struct vrs_net_only_options *options, struct vrs_net_only_result *ret, struct vrs_net_profile *ret_profile,
				 struct vrs_error *err)
{
	struct vrs_net_only_result result = {.runs = 0};
	struct vrs_model *model = NULL;
	struct vrs_session *session = NULL;
	struct vrs_manifest manifest;
	struct vrs_model_inputs inputs = {0};
	struct vrs_calibration *calibration = NULL;
	if (ret_profile)
		vrs_net_profile_init(ret_profile);
	if (!(options->duration_seconds >= 0.01 && options->duration_seconds <= 86400))
		return vrs_fail(err, VRS_EINVAL, "the duration must lie between 0.01 s and one day");
	uint64_t start = vrs_now_ns();
	enum vrs_status status = load_model(options->model, &model, &manifest, result.model, sizeof result.model, err);
	if (status != VRS_OK)
		return status;
	result.load_ms = 1e-6 * (double)(vrs_now_ns() - start);
	struct vrs_session_options wanted = options->session;
	wanted.pictures_nhwc = true;
	status = use_manifest(&wanted, &inputs, model, &manifest, err);
	if (status == VRS_OK)
		status = vrs_net_calibrate(&calibration, &result.calibration, model, manifest.content, &wanted, err);
	wanted.calibration = calibration;
	start = vrs_now_ns();
	if (status == VRS_OK)
		status = vrs_session_create(&session, model, &wanted, err);
	result.create_ms = 1e-6 * (double)(vrs_now_ns() - start);
	if (status == VRS_OK)
		status = run_session(session, options, &result, ret_profile, err);
	if (status == VRS_OK && ret_profile)
		name_profile(&result, options->session.precision, ret_profile);
	vrs_session_destroy(session);
	vrs_calibration_destroy(calibration);
	vrs_model_inputs_fini(&inputs);
	vrs_model_destroy(model);
	if (status == VRS_OK)
		*ret = result;
	return status;
}
