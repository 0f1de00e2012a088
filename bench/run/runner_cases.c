/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of the runner: what a case becomes on this input and machine, and which cases cannot run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str_parse.h"
#include "bench/run/runner_state.h"

#include <vrseg/memory_plan.h>
#include <vrseg/network_run.h>

enum vrs_status vrs_runner_check_device(const struct vrs_runner *runner, const struct vrs_settings *s, struct vrs_error *err)
{
	if (!runner->check_device || !vrs_backend_has_devices(s->engine.backend))
		return VRS_OK;
	return runner->check_device(runner->machine, s->engine.device, err);
}

/* A case whose backend or device is not here is a skipped one, and so is one whose device nobody reads: it would measure something else. */
static void skip_for_device(const struct vrs_runner *runner, const struct vrs_case *c, const struct vrs_settings *s, struct vrs_case_result *entry)
{
	const char *backend = vrs_backend_name(s->engine.backend);
	struct vrs_error why = {.status = VRS_OK};

	if (!backend)
		snprintf(entry->skipped, sizeof entry->skipped, "backend: this build has no %.60s", s->engine.backend);
	else if (vrs_runner_check_device(runner, s, &why) != VRS_OK)
		snprintf(entry->skipped, sizeof entry->skipped, "device: %.240s", why.text);
	else if (vrs_case_get(c, "engine.device") && !vrs_backend_has_devices(backend))
		snprintf(entry->skipped, sizeof entry->skipped, "device: the backend %.60s has none to choose; use --backend opencl", backend);
}

const struct vrs_config *vrs_runner_case_base(const struct vrs_runner *runner, const struct vrs_case *c)
{
	return c->side == 'A' && runner->side_a ? runner->side_a : runner->base;
}

/* Live: warm-up as it mostly is, the measured part (a minute of a long one), and a tenth for what is dropped at the beginning. */
struct vrs_clip_wish vrs_case_clip_wish(const struct vrs_runner *runner, const struct vrs_case_result *entry)
{
	const struct vrs_recorder_rules *rules = &runner->plan.rules;
	double seconds = rules->warmup_min_seconds + 4 + fmin(rules->duration_seconds, 60);
	return (struct vrs_clip_wish){.width = entry->width, .height = entry->height, .raw = entry->scope == VRS_SCOPE_NO_IO,
				      .frames = (int64_t)ceil(1.1 * seconds * entry->live_hz)};
}

static int at_least_1(int value, int known)
{
	return value > 0 ? value : known > 0 ? known : 1;
}

/* Bytes of an activation against those of the probe's precision, where the case needs more. */
static double wider(enum vrs_precision precision, enum vrs_precision probed)
{
	static const double bytes[] = {[VRS_PRECISION_FP32] = 4, [VRS_PRECISION_FP16] = 4, [VRS_PRECISION_BF16] = 4, [VRS_PRECISION_INT8] = 1,
		[VRS_PRECISION_MIXED] = 2};
	return fmax(1, bytes[precision] / bytes[probed]);
}

/* The network as the probe has it, made larger with its input. */
static void describe_network(const struct vrs_runner *runner, const struct vrs_settings *s, struct vrs_memory_work *work)
{
	const struct vrs_run_info *probe = &runner->probe;
	double width = at_least_1(s->engine.input_size[0], probe->net_width), height = at_least_1(s->engine.input_size[1], probe->net_height);
	double scale = width * height / at_least_1(probe->net_width, 1) / at_least_1(probe->net_height, 1);
	work->state_bytes = (uint64_t)(fmax(scale, 1) * (double)probe->state_bytes); /* of maps in fp32, mostly */
	struct vrs_settings base = *vrs_config_settings(runner->base);
	char reason[80];
	enum vrs_status status = vrs_precision_settle(&base, reason, sizeof reason, NULL);
	(void)status; /* an estimate */
	scale *= wider((enum vrs_precision)s->engine.precision, (enum vrs_precision)base.engine.precision);
	work->weight_bytes = (uint64_t)probe->weight_bytes;
	work->input_bytes = (uint64_t)(fmax(scale, 1) * (double)probe->input_bytes);
	work->knob[VRS_KNOB_BATCH] = at_least_1(s->engine.batch_size, probe->batch);
}

/* The memory plan of jobs (vrseg/memory_plan.h), for what a run of this case does. */
static struct vrs_memory_work describe_work(const struct vrs_runner *runner, const struct vrs_settings *s, const struct vrs_case_result *entry)
{
	const struct vrs_run_info *probe = &runner->probe;
	double pixels = (double)entry->width * entry->height, probed = (double)probe->width * probe->height;
	double bytes = probe->frame_bytes > 0 && probed > 0 ? (double)probe->frame_bytes / probed : 1.5;
	int cpus = at_least_1(runner->input.cpus, 1);
	struct vrs_memory_work work = {.eyes = probe->eyes, .net_threads = at_least_1(s->engine.threads, probe->threads), .knob = {1, 1, 1, 1, 1}};
	describe_network(runner, s, &work);
	if (entry->scope == VRS_SCOPE_NET_ONLY)
		return work;
	work.frame_bytes = work.output_bytes = (uint64_t)(bytes * pixels);
	work.output_width = entry->width;
	work.output_height = entry->height;
	work.references = at_least_1(probe->references, 6);
	work.live = entry->live_hz > 0;
	work.knob[VRS_KNOB_QUEUE] = s->pipeline.queue_size;
	work.knob[VRS_KNOB_STREAMS] = at_least_1(s->engine.streams, probe->streams);
	work.knob[VRS_KNOB_DECODE] = at_least_1(s->pipeline.decode_threads, cpus < 16 ? cpus + 1 : 16);
	if (entry->scope == VRS_SCOPE_NO_IO) /* raw frames in, nothing out */
		return work;
	vrs_strcpy(work.codec, sizeof work.codec, "h264");
	vrs_strcpy(work.preset, sizeof work.preset, s->output.preset);
	work.cpus = vrs_memory_encoder_cpus(s->pipeline.encode_threads);
	vrs_strcpy(work.encoder, sizeof work.encoder, s->output.encoder[0] && strcmp(s->output.encoder, "auto") != 0 ? s->output.encoder : "libx264");
	return work;
}

static bool needs_too_much(const struct vrs_case_result *entry)
{
	return entry->memory_limit_bytes > 0 && entry->memory_estimate_bytes > entry->memory_limit_bytes;
}

static void skip_for_memory(const struct vrs_runner *runner, const struct vrs_settings *s, struct vrs_case_result *entry)
{
	const struct vrs_memory_work work = describe_work(runner, s, entry);
	entry->memory_estimate_bytes = (int64_t)vrs_memory_plan_make(&work).bytes;
	entry->memory_limit_bytes = runner->plan.memory_limit_bytes;
	if (needs_too_much(entry))
		snprintf(entry->skipped, sizeof entry->skipped, "memory: needs about %.0f MiB, the limit is %.0f MiB",
			 (double)entry->memory_estimate_bytes / 1048576, (double)entry->memory_limit_bytes / 1048576);
}

/* Options that do not go together: no run could do it. Of the first case, from which the others start, that is a mistake. */
static enum vrs_status check_options(const struct vrs_runner *runner, const struct vrs_case *c, const struct vrs_settings *settings,
				     struct vrs_case_result *entry, struct vrs_error *err)
{
	struct vrs_settings s = *settings;
	struct vrs_error why = {.status = VRS_OK};
	s.pipeline.live = entry->live_hz > 0; /* as runs set it */
	s.pipeline.live_fps = 0;
	if (!s.pipeline.live && !vrs_case_get(c, "pipeline.late_frames")) /* a live job's configuration, offline */
		s.pipeline.late_frames = VRS_LATE_REUSE;
	if (vrs_settings_check(&s, &why) == VRS_OK && vrs_case_check_network(c, vrs_runner_case_base(runner, c), runner->probe.eyes, &why) == VRS_OK)
		return VRS_OK;
	if (runner->result->case_count == 0)
		return vrs_fail(err, VRS_ECONFIG, "%s", why.text);
	vrs_strcpy(entry->skipped, sizeof entry->skipped, why.text);
	return VRS_OK;
}

static enum vrs_precision precision_of(const struct vrs_case *c, const struct vrs_settings *base)
{
	const char *own = vrs_case_get(c, "engine.precision");
	int value = base->engine.precision;
	return own && !vrs_name_find(&vrs_precision_names, own, &value) ? VRS_PRECISION_NOT_KNOWN : (enum vrs_precision)value;
}

static enum vrs_status fill_case(const struct vrs_runner *runner, const struct vrs_case *c, struct vrs_case_result *entry, struct vrs_error *err)
{
	const struct vrs_run_info *probe = &runner->probe;
	entry->width = c->width ? c->width : runner->source.width;
	entry->height = c->height ? c->height : runner->source.height;
	vrs_strcpy(entry->axis, sizeof entry->axis, c->axis);
	entry->scope = c->scope != VRS_SCOPE_END_TO_END ? c->scope : runner->plan.scope;
	entry->live_hz = c->live_hz > 0 ? c->live_hz : runner->plan.live_hz;
	bool own = entry->width == runner->source.width && entry->height == runner->source.height && entry->scope != VRS_SCOPE_NO_IO;
	bool synthetic = runner->source.synthetic || entry->scope == VRS_SCOPE_NET_ONLY; /* the network alone gets numbers, not pictures */
	entry->input_kind = synthetic ? VRS_INPUT_SYNTHETIC : own ? VRS_INPUT_CLIP : VRS_INPUT_DERIVED;
	entry->layout = probe->layout;
	vrs_strcpy(entry->model, sizeof entry->model, probe->model);
	vrs_strcpy(entry->backend, sizeof entry->backend, probe->backend);
	vrs_strcpy(entry->isa, sizeof entry->isa, probe->isa);
	entry->precision = precision_of(c, vrs_config_settings(vrs_runner_case_base(runner, c)));
	if (entry->scope == VRS_SCOPE_NET_ONLY && entry->live_hz > 0) {
		vrs_strcpy(entry->skipped, sizeof entry->skipped, "the network alone has no frames that could be late: live goes with the other scopes");
		return VRS_OK;
	}
	struct vrs_config *config;
	enum vrs_status status = vrs_case_config(c, vrs_runner_case_base(runner, c), &config, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_settings *s = vrs_config_settings(config);
	skip_for_device(runner, c, s, entry);
	if (!vrs_case_result_is_skipped(entry))
		status = check_options(runner, c, s, entry, err);
	if (status != VRS_OK || vrs_case_result_is_skipped(entry)) {
		vrs_config_destroy(config);
		return status;
	}
	entry->batch = s->engine.batch_size ? s->engine.batch_size : probe->batch;
	entry->threads = s->engine.threads ? s->engine.threads : probe->threads;
	entry->streams = s->engine.streams ? s->engine.streams : probe->streams;
	entry->net_width = s->engine.input_size[0] ? s->engine.input_size[0] : probe->net_width;
	entry->net_height = s->engine.input_size[1] ? s->engine.input_size[1] : probe->net_height;
	skip_for_memory(runner, s, entry);
	vrs_config_destroy(config);
	return VRS_OK;
}

/* Does the case set nothing but what comes to the numbers that auto has here? */
static bool is_as_auto(const struct vrs_case *c, const struct vrs_case_result *a, const struct vrs_case_result *base)
{
	for (int i = 0; i < c->value_count; i++) {
		const struct vrs_option *row = vrs_option_find(c->values[i].key);
		if (!row || !row->id_letter || !strchr("btsn", row->id_letter)) /* batch, threads, streams, input size */
			return false;
	}
	return c->value_count > 0 && a->batch == base->batch && a->threads == base->threads && a->streams == base->streams &&
	       a->net_width == base->net_width && a->net_height == base->net_height;
}

enum vrs_rejection vrs_runner_rejects(const struct vrs_runner *runner, const struct vrs_case *c, char *why, size_t size)
{
	const struct vrs_case first = {.width = c->width, .height = c->height};
	struct vrs_case_result entry, base;
	struct vrs_error err = {.status = VRS_OK};
	vrs_case_result_init(&entry);
	vrs_case_result_init(&base);
	if (fill_case(runner, c, &entry, &err) != VRS_OK || vrs_case_result_is_skipped(&entry))
		(void)vrs_strcpy(why, size, err.status != VRS_OK ? err.text : entry.skipped);
	else if (fill_case(runner, &first, &base, &err) == VRS_OK && is_as_auto(c, &entry, &base))
		snprintf(why, size, "that is what auto is here");
	else
		return VRS_REJECTION_NONE;
	return needs_too_much(&entry) ? VRS_REJECTION_MEMORY : VRS_REJECTION_OTHER;
}

enum vrs_status vrs_runner_add(struct vrs_runner *runner, const struct vrs_case *wanted, int *ret_index, struct vrs_error *err)
{
	struct vrs_case_result entry;
	struct vrs_case settled = *wanted;
	const struct vrs_case *c = &settled;
	vrs_case_result_init(&entry);
	enum vrs_status status = vrs_case_settle(&settled, vrs_runner_case_base(runner, c), c->side == 'A' ? NULL : runner->input.net_size, err);
	if (status == VRS_OK)
		status = vrs_case_id(c, vrs_runner_case_base(runner, c), runner->source.width, runner->source.height, entry.id, sizeof entry.id, err);
	if (status != VRS_OK)
		return status;
	struct vrs_case_result *known = vrs_result_find_case(runner->result, entry.id);
	if (known) {
		*ret_index = (int)(known - runner->result->cases);
		return VRS_OK;
	}
	status = fill_case(runner, c, &entry, err);
	if (status != VRS_OK)
		return status;
	void *items = runner->cases;
	status = vrs_array_grow(&items, &runner->case_capacity, (size_t)runner->result->case_count + 1, sizeof *runner->cases, VRS_RESULT_MAX_CASES);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot add a case: %s", vrs_status_str(status));
	runner->cases = items;
	struct vrs_case_result *added = vrs_result_add_case(runner->result);
	if (!added)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for another case");
	*added = entry;
	if (vrs_case_result_is_default(added) && !runner->result->default_case[0])
		(void)vrs_strcpy(runner->result->default_case, sizeof runner->result->default_case, added->id);
	*ret_index = runner->result->case_count - 1;
	runner->cases[*ret_index] = *c;
	return VRS_OK;
}
