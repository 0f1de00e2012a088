/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a runner finds out before it measures: program, machine, plan, input, side A, truth. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/libraries.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/plan/default_values.h"
#include "bench/run/runner_state.h"
#include "vrs_version.h"

static const double memory_share = 0.9; /* of what the process may use */
enum { DRAWN_FRAMES_MAX = 1000000000 }; /* of a drawn clip that never ends */

/* The program that answers --run-case: given, or the one that runs. */
static enum vrs_status find_program(struct vrs_runner *runner, const char *program, struct vrs_error *err)
{
	if (program)
		return vrs_strcpy(runner->program, sizeof runner->program, program) ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the program's name is too long");
	ssize_t n = readlink("/proc/self/exe", runner->program, sizeof runner->program - 1);
	if (n <= 0)
		return vrs_fail(err, VRS_EIO, "cannot find the running program: %m");
	runner->program[n] = 0;
	return VRS_OK;
}

/* How the program was built and what it is linked with: speed and bytes depend on it. */
static bool put_software(cJSON *root)
{
	struct vrs_library libraries[VRS_LIBRARIES];
	cJSON *to = vrs_json_put_object(root, "software");
	bool ok = to && vrs_json_put_string(to, "compiler", VRS_COMPILER) && vrs_json_put_string(to, "flags", VRS_BUILD_FLAGS) &&
		  vrs_json_put_string(to, "build_type", VRS_BUILD_TYPE) && vrs_json_put_string(to, "sanitizer", VRS_SANITIZE);
	vrs_libraries(libraries);
	for (int i = 0; i < VRS_LIBRARIES && ok; i++)
		ok = vrs_json_put_string(to, libraries[i].name, libraries[i].version);
	return ok;
}

static enum vrs_status describe_machine(struct vrs_runner *runner, void (*add_devices)(struct vrs_machine *machine), struct vrs_error *err)
{
	cJSON *json = NULL;
	runner->machine = vrs_calloc(1, sizeof *runner->machine);
	enum vrs_status status = runner->machine ? vrs_machine_detect(runner->machine, true) : VRS_ENOMEM;
	if (status == VRS_OK && add_devices)
		add_devices(runner->machine);
	if (status == VRS_OK)
		status = vrs_machine_json(runner->machine, &json);
	if (status == VRS_OK && !put_software(json)) {
		cJSON_Delete(json);
		status = VRS_ENOMEM;
	}
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot describe this machine: %s", vrs_status_str(status));
	char *text = vrs_json_print(json, false);
	cJSON_Delete(json);
	if (!text)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to describe this machine");
	bool fits = vrs_strcpy(runner->result->machine_json, sizeof runner->result->machine_json, text);
	if (!fits)
		runner->result->machine_json[0] = 0;
	vrs_json_free_text(text);
	runner->result->fingerprint = runner->machine->fingerprint;
	runner->input.cpus = runner->machine->allowed_threads;
	for (int i = 0; i < runner->machine->cl_count; i++)
		runner->input.has_opencl_gpu = runner->input.has_opencl_gpu || (runner->machine->cl[i].is_gpu && !runner->machine->cl[i].is_cpu);
	return VRS_OK;
}

/* What a process maps to write to and does not use: stacks, and states and buffers for what may come. */
#define RESERVED_BYTES (INT64_C(448) << 20)

static int64_t default_memory_limit(const struct vrs_machine *machine)
{
	uint64_t bytes = machine->memory_available_bytes ? machine->memory_available_bytes : machine->memory_bytes;
	return (int64_t)(memory_share * (double)bytes);
}

static void make_plan(struct vrs_runner *runner, const struct vrs_runner_options *options)
{
	struct vrs_run_plan *plan = &runner->plan;
	*plan = options->plan;
	plan->fingerprint = runner->machine->fingerprint;
	plan->device_fingerprint = runner->machine->device_fingerprint;
	if (plan->memory_limit_bytes <= 0)
		plan->memory_limit_bytes = default_memory_limit(runner->machine);
	runner->mapped_bytes = plan->memory_limit_bytes + RESERVED_BYTES;
	if (!(plan->timeout_seconds > 0))
		plan->timeout_seconds = 60 + 2 * (plan->rules.warmup_max_seconds + 3 * plan->rules.duration_seconds);
}

static enum vrs_status open_input(struct vrs_runner *runner, const char *input, struct vrs_error *err)
{
	struct vrs_clip_source *source = &runner->source;
	enum vrs_status status;
	if (!input || !input[0]) {
		status = vrs_clip_synthetic(source, err);
	} else if (strncmp(input, "synth:", 6) == 0) {
		source->synthetic = source->drawn = true;
		source->hash = vrs_hash_str(VRS_HASH_INIT, input);
		status = vrs_strcpy(source->path, sizeof source->path, input) ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name of the input is too long");
		vrs_strcpy(runner->plan.input, sizeof runner->plan.input, source->path);
	} else {
		char *real = realpath(input, NULL);
		if (!real)
			return vrs_fail(err, VRS_ENOTFOUND, "cannot open %s: %s", input, strerror(errno));
		bool fits = vrs_strcpy(source->path, sizeof source->path, real);
		free(real); /* libc: of realpath */
		if (!fits)
			return vrs_fail(err, VRS_ELIMIT, "the name of %s is too long", input);
		status = vrs_clip_hash(source->path, &source->hash, err);
		vrs_strcpy(runner->plan.input, sizeof runner->plan.input, source->path);
	}
	if (status != VRS_OK)
		return status;
	if (runner->plan.input_hash && runner->plan.input_hash != source->hash)
		return vrs_fail(err, VRS_ECONFIG, "%s has changed since the measurement began: start anew in another folder", source->path);
	runner->plan.input_hash = source->hash;
	return VRS_OK;
}

/* Ask a child what the job of a configuration makes of the input. program NULL: the runner's own. */
static enum vrs_status probe(struct vrs_runner *runner, const char *program, const struct vrs_config *config, struct vrs_run_reply *reply,
			     struct vrs_error *err)
{
	struct vrs_run_request request = {.program = program, .probe = true, .rules = runner->plan.rules, .output = "null:"};
	vrs_strcpy(request.input, sizeof request.input, runner->source.path);
	enum vrs_status status = vrs_runner_check_device(runner, vrs_config_settings(config), err);
	return status == VRS_OK ? vrs_run_process(runner, &request, config, reply, err) : status;
}

static enum vrs_status probe_input(struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_run_reply reply;
	enum vrs_status status = probe(runner, NULL, runner->base, &reply, err);
	if (status != VRS_OK)
		return status;
	if (reply.status != VRS_OK)
		return vrs_fail(err, reply.status, "%s", reply.run.reason);
	const struct vrs_run_info *info = &reply.info;
	runner->probe = *info;
	runner->source.width = info->width;
	runner->source.height = info->height;
	runner->source.fps = info->fps;
	runner->source.frames = info->frames;
	runner->view = strcmp(info->projection, "hequirect") == 0 || strcmp(info->projection, "fisheye") == 0 ? "centre" : "whole";
	struct vrs_bench_input *input = &runner->input;
	*input = (struct vrs_bench_input){.width = info->width, .height = info->height, .eyes = info->eyes, .batch = info->batch,
					   .net_size = {info->net_width, info->net_height},
					   .threads = info->threads, .streams = info->streams, .cpus = input->cpus,
					   .has_opencl_gpu = input->has_opencl_gpu,
					   .synthetic = runner->source.synthetic, .layout = info->layout,
					   .fps = info->fps};
	return VRS_OK;
}

/* Side A must be able to run before hours go by: its program answers, and its configuration suits the input. */
static enum vrs_status probe_side(struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_run_reply reply;
	const char *program = runner->plan.versus_program;
	enum vrs_status status = probe(runner, program[0] ? program : NULL, runner->side_a, &reply, err);
	if (status == VRS_OK && reply.status != VRS_OK && program[0])
		status = vrs_fail(err, VRS_ECONFIG, "%s cannot be compared with: it does not answer " VRS_RUN_CASE_FLAG " as this vrbench does (%.200s)", program,
				  reply.run.reason);
	else if (status == VRS_OK && reply.status != VRS_OK)
		status = vrs_fail(err, reply.status, "side A (%.200s): %.200s", runner->plan.versus, reply.run.reason);
	return status;
}

static enum vrs_status find_truth(struct vrs_runner *runner, struct vrs_error *err)
{
	if (runner->plan.quality_frames <= 0)
		return VRS_OK;
	const struct vrs_clip_source *source = &runner->source;
	struct vrs_truth_file *truth = &runner->truth;
	enum vrs_status status = vrs_truth_file_provide(source, runner->plan.quality_frames, runner->truth_path, truth, err);
	if (status == VRS_OK && source->drawn) /* again as long as it is */
		truth->frames = source->frames > 0 ? source->frames : DRAWN_FRAMES_MAX;
	else if (status == VRS_OK) /* a shorter one is no turn of the clip */
		truth->loops = source->frames == truth->frames;
	return status == VRS_ENOTFOUND ? VRS_OK : status;
}

/* YAML of what a configuration changes, for records. False: it does not fit. */
static bool config_text(const struct vrs_config *config, char *buf, size_t size)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	bool ok = out && vrs_config_write(config, out, VRS_WRITE_CHANGED, NULL) == VRS_OK && fflush(out) == 0 && vrs_strcpy(buf, size, text);
	if (out)
		fclose(out);
	free(text); /* libc: of open_memstream */
	return ok;
}

static void describe_result(struct vrs_runner *runner)
{
	struct vrs_result *result = runner->result;
	snprintf(result->tool_version, sizeof result->tool_version, "%s (%s)", VRS_VERSION, VRS_COMMIT);
	if (!runner->plan.started_utc[0]) /* else a journal says when: runs of that time are in the result */
		vrs_utc_text(runner->plan.started_utc, sizeof runner->plan.started_utc);
	vrs_strcpy(result->started_utc, sizeof result->started_utc, runner->plan.started_utc);
	vrs_strcpy(result->command, sizeof result->command, runner->plan.command);
	vrs_strcpy(result->input, sizeof result->input, runner->source.synthetic && !runner->source.drawn ? "synthetic" : runner->source.path);
	result->input_hash = runner->source.hash;
	result->quick = runner->plan.quick;
	result->rounds = runner->plan.rounds;
	result->seed = runner->plan.seed;
	if (!config_text(runner->base, result->base_config, sizeof result->base_config))
		result->base_config[0] = 0; /* half of it would be another configuration */
	if (vrs_default_values_own_id(runner->base, &runner->input, result->own_case, NULL) != VRS_OK)
		result->own_case[0] = 0; /* a case that needs this says what is wrong */
}

static enum vrs_status plan_side(struct vrs_runner *runner, const struct vrs_runner_side *side, struct vrs_error *err)
{
	struct vrs_run_plan *plan = &runner->plan;
	if (!side)
		return VRS_OK;
	enum vrs_status status = vrs_config_check_write(side->config, VRS_WRITE_CHANGED, err);
	if (status != VRS_OK)
		return status;
	bool fits = vrs_strcpy(plan->versus, sizeof plan->versus, side->label) &&
		    vrs_strcpy(plan->versus_program, sizeof plan->versus_program, side->program ? side->program : "");
	if (!fits || !plan->versus[0] || !config_text(side->config, plan->versus_config, sizeof plan->versus_config))
		return vrs_fail(err, VRS_ELIMIT, "the configuration or the names of side A are too long to be recorded");
	return side->program ? vrs_file_sha256(side->program, plan->versus_hash, err) : VRS_OK;
}

/* A journal starts no program: the one that made the runs of side A is typed again, and must be the same. */
static enum vrs_status take_program(struct vrs_runner *runner, const struct vrs_runner_side *side, struct vrs_error *err)
{
	struct vrs_run_plan *plan = &runner->plan;
	char hash[sizeof plan->versus_hash];
	if (!plan->versus_program[0])
		return !side ? VRS_OK : vrs_fail(err, VRS_ECONFIG, "%s measures with no other program: leave --versus out", runner->folder);
	if (!side || !side->program)
		return vrs_fail(err, VRS_ECONFIG, "%s measures with another program: name it with --versus %s, if you trust that file", runner->folder,
				plan->versus_program);
	enum vrs_status status = vrs_file_sha256(side->program, hash, err);
	if (status == VRS_OK && strcmp(hash, plan->versus_hash) != 0)
		status = vrs_fail(err, VRS_ECONFIG, "%s is not the program that the measurement in %s began with: start anew in another folder",
				  side->program, runner->folder);
	vrs_strcpy(plan->versus_program, sizeof plan->versus_program, side->program);
	return status;
}

/* Side A as the plan has it, whether it was planned now or is resumed. */
static enum vrs_status make_side(struct vrs_runner *runner, struct vrs_error *err)
{
	const struct vrs_run_plan *plan = &runner->plan;
	enum vrs_status status = vrs_config_create(&runner->side_a);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot set up side A: %s", vrs_status_str(status));
	if (plan->versus_config[0])
		status = vrs_config_load_text(runner->side_a, plan->versus_config, strlen(plan->versus_config), "side A", VRS_SOURCE_FILE, err);
	vrs_config_keep_recorded(runner->side_a);
	vrs_strcpy(runner->result->versus, sizeof runner->result->versus, plan->versus);
	runner->result->injected_slowdown = plan->slowdown > 0 ? plan->slowdown : NAN;
	vrs_strcpy(runner->result->versus_config, sizeof runner->result->versus_config, plan->versus_config);
	return status;
}

/* The plan, made or resumed, and whether its input and sides can run. */
static enum vrs_status look_at_input(struct vrs_runner *runner, const struct vrs_runner_options *options, struct vrs_error *err)
{
	make_plan(runner, options);
	enum vrs_status status = options->resume ? vrs_runner_load(runner, false, err) : plan_side(runner, options->versus, err);
	if (status == VRS_OK && options->resume)
		status = take_program(runner, options->versus, err);
	if (status == VRS_OK && runner->plan.versus[0])
		status = make_side(runner, err);
	if (status == VRS_OK)
		status = open_input(runner, options->resume ? runner->plan.input : options->input, err);
	if (status == VRS_OK)
		status = probe_input(runner, err);
	if (status == VRS_OK && runner->side_a)
		status = probe_side(runner, err);
	if (status == VRS_OK)
		status = find_truth(runner, err);
	return status;
}

/* Runs have no sandbox, whatever a configuration that serves vrseg says, and that is told. */
static enum vrs_status leave_sandbox(struct vrs_config *base, struct vrs_error *err)
{
	if (!vrs_config_settings(base)->pipeline.sandbox)
		return VRS_OK;
	enum vrs_status status = vrs_config_warn(vrs_config_settings(base), "sandbox of runs", err,
						 "%s: jobs are measured without a sandbox; do not measure files that you do not trust",
						 vrs_config_where(base, "pipeline.sandbox"));
	return status == VRS_OK ? vrs_config_set(base, "pipeline.sandbox", "false", VRS_SOURCE_FLAG, "runs", err) : status;
}

enum vrs_status vrs_runner_set_up(struct vrs_runner *runner, const struct vrs_runner_options *options, const struct vrs_config *base,
				  struct vrs_error *err)
{
	enum vrs_status status = vrs_result_create(&runner->result);
	if (status == VRS_OK)
		status = options->resume ? vrs_config_create(&runner->base) : vrs_config_copy(&runner->base, base);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot set up a measurement: %s", vrs_status_str(status));
	vrs_config_settle_ranges(runner->base); /* runs and ids have values */
	status = leave_sandbox(runner->base, err);
	if (status != VRS_OK)
		return status;
	runner->check_device = options->check_device;
	status = vrs_config_check_write(runner->base, VRS_WRITE_CHANGED, err); /* known before anything is measured */
	if (status == VRS_OK)
		status = find_program(runner, options->program, err);
	if (status == VRS_OK)
		status = vrs_runner_folder_open(runner, options, err);
	if (status == VRS_OK)
		status = describe_machine(runner, options->add_devices, err);
	if (status == VRS_OK)
		status = look_at_input(runner, options, err);
	if (status != VRS_OK)
		return status;
	/* An older result goes only now that the new measurement can begin. */
	if (runner->folder[0] && !options->resume)
		vrs_runner_folder_remove_results(runner);
	describe_result(runner);
	return options->resume ? vrs_runner_load(runner, true, err) : VRS_OK;
}
