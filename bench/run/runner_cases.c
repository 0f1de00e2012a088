/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of the runner: what a case becomes on this input and machine, and which cases cannot run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str_parse.h"
#include "bench/run/runner_state.h"

/* "device: ...; found are 0:0 NAME, 0:1 NAME": what a device backend would have had to run on. */
static void say_devices(const struct vrs_machine *machine, char *buf, size_t size)
{
	const char *found = machine->cl_count ? "found are" : "none is found";
	size_t used = (size_t)snprintf(buf, size, "device: networks do not run on OpenCL devices yet; %s", found);
	for (int i = 0; i < machine->cl_count && used + 48 < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s %d:%d %.32s", i ? "," : "", machine->cl[i].platform, machine->cl[i].device,
					 machine->cl[i].name);
	if (!machine->cl_count && machine->cl_reason[0] && used < size)
		snprintf(buf + used, size - used, ": %.120s", machine->cl_reason);
}

/* A value whose feature is not built yet makes the case a skipped one. */
static bool skip_planned(const struct vrs_machine *machine, const struct vrs_case *c, struct vrs_case_result *entry)
{
	for (int i = 0; i < c->value_count; i++) {
		const struct vrs_option *row = vrs_option_find(c->values[i].key);
		if (!row || !vrs_option_value_planned(row, c->values[i].value))
			continue;
		if (strcmp(row->key, "engine.backend") == 0 || strcmp(row->key, "engine.device") == 0)
			say_devices(machine, entry->skipped, sizeof entry->skipped);
		else
			snprintf(entry->skipped, sizeof entry->skipped, "%s %s is not built yet", row->key, c->values[i].value);
		return true;
	}
	return false;
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

/*
 * How much memory a case may need, before it is tried.  Frames are planar 4:2:0 in 8 bits, 1.5 bytes a pixel:
 *   decoder     one frame per thread in flight and up to 6 reference and reordered frames
 *   pipeline    two queues of queue_size frames, and what streams hold while they work
 *   encoder     lookahead, references and threads of x264 veryfast, each frame with half-size planes and motion vectors (x 1.4)
 * Measured on two CPUs: 344 MiB at 2048x1024 and 980 MiB at 3840x1920; this gives 367 and 978.
 * The network holds about 24 floats per input sample and channel (activations of the early, large layers), for each stream.
 */
static int64_t estimate_memory(int width, int height, int net_width, int net_height, int batch, int streams, int queue_size, int cpus, bool encodes)
{
	const double process = 88.0 * 1048576;
	int decode_threads = cpus < 1 ? 1 : cpus > 16 ? 16 : cpus;
	int group = (batch + 1) / 2 > 1 ? (batch + 1) / 2 : 1; /* frames that one call takes */
	if (streams < 1)
		streams = 1;
	double frame = 1.5 * width * height;
	double frames = decode_threads + 6 + 2.0 * queue_size + 2.0 * streams * group + (encodes ? (42 + 1.5 * (cpus < 1 ? 1 : cpus)) * 1.4 : 0);
	double network = 24.0 * 4 * 3 * net_width * net_height * (batch < 1 ? 2 : batch) * streams;
	return (int64_t)(process + frames * frame + network);
}

static void skip_for_memory(const struct vrs_runner *runner, const struct vrs_settings *s, struct vrs_case_result *entry)
{
	int nw = s->engine.input_size[0] ? s->engine.input_size[0] : runner->probe.net_width;
	int nh = s->engine.input_size[1] ? s->engine.input_size[1] : runner->probe.net_height;
	int streams = s->engine.streams ? s->engine.streams : runner->probe.streams;
	int batch = s->engine.batch_size ? s->engine.batch_size : runner->probe.batch;
	bool net_only = entry->scope == VRS_SCOPE_NET_ONLY; /* has no frames */
	entry->memory_estimate_bytes = estimate_memory(net_only ? 0 : entry->width, net_only ? 0 : entry->height, nw, nh, batch, net_only ? 1 : streams,
							      s->pipeline.queue_size, runner->input.cpus, entry->scope != VRS_SCOPE_NO_IO);
	entry->memory_limit_bytes = runner->plan.memory_limit_bytes;
	if (entry->memory_limit_bytes > 0 && entry->memory_estimate_bytes > entry->memory_limit_bytes)
		snprintf(entry->skipped, sizeof entry->skipped, "memory: needs about %.0f MiB, the limit is %.0f MiB",
			 (double)entry->memory_estimate_bytes / 1048576, (double)entry->memory_limit_bytes / 1048576);
}

/* Options that do not go together: no run could do it. Of the first case, from which the others start, that is a mistake. */
static enum vrs_status check_options(const struct vrs_runner *runner, const struct vrs_settings *settings, struct vrs_case_result *entry,
				     struct vrs_error *err)
{
	struct vrs_settings s = *settings;
	struct vrs_error why = {.status = VRS_OK};
	s.pipeline.live = entry->live_hz > 0; /* as runs set it */
	s.pipeline.live_fps = 0;
	if (vrs_settings_check(&s, &why) == VRS_OK)
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
	if (skip_planned(runner->machine, c, entry))
		return VRS_OK;
	if (entry->scope == VRS_SCOPE_NET_ONLY && entry->live_hz > 0) {
		vrs_strcpy(entry->skipped, sizeof entry->skipped, "the network alone has no frames that could be late: live goes with the other scopes");
		return VRS_OK;
	}
	struct vrs_config *config;
	enum vrs_status status = vrs_case_config(c, vrs_runner_case_base(runner, c), &config, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_settings *s = vrs_config_settings(config);
	status = check_options(runner, s, entry, err);
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

enum vrs_status vrs_runner_add(struct vrs_runner *runner, const struct vrs_case *c, int *ret_index, struct vrs_error *err)
{
	struct vrs_case_result entry;
	vrs_case_result_init(&entry);
	enum vrs_status status = vrs_case_id(c, vrs_runner_case_base(runner, c), runner->source.width,
						  runner->source.height, entry.id, sizeof entry.id, err);
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
	*ret_index = runner->result->case_count - 1;
	runner->cases[*ret_index] = *c;
	return VRS_OK;
}
