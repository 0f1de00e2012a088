/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network on NumPy arrays: match arrays with inputs, make a session of their shapes, run, write the outputs. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "roi/network.h"

#include <vrseg/network_run.h>
#include <vrseg/log.h>
#include <vrseg/npy.h>

/* Longest text of a tensor's type and shape: "float32 [16777216, ...]". */
#define SHAPE_TEXT 160

struct array_job {
	const struct vrs_array_run *run;
	struct vrs_network network;
	struct vrs_session *session;
	struct vrs_arena arena;      /* of the arrays below */
	int inputs, outputs;
	bool turns;                  /* the session has maps as [N][H][W][C] where the arrays have [N][C][H][W] */
	const char **files;          /* per input: the array given for it */
	struct vrs_npy *arrays;      /* per input */
	struct vrs_shape *shapes;    /* per input */
	const void **values;         /* per input: the array's, when sizes follow from them; else NULL */
	char (*paths)[VRS_PATH_MAX]; /* per output */
};

/* "float32 [1, 3, ?, ?]"; a dim of -1 is open. */
static void shape_text(char *buf, size_t size, enum vrs_dtype dtype, int rank, const int64_t *dims)
{
	size_t used = (size_t)snprintf(buf, size, "%s [", vrs_dtype_name(dtype));
	for (int i = 0; i < rank && used < size; i++) {
		const char *comma = i > 0 ? ", " : "";
		if (dims[i] < 0)
			used += (size_t)snprintf(buf + used, size - used, "%s?", comma);
		else
			used += (size_t)snprintf(buf + used, size - used, "%s%lld", comma, (long long)dims[i]);
	}
	if (used < size)
		snprintf(buf + used, size - used, "]");
}

static void info_text(char *buf, size_t size, const struct vrs_tensor_info *info)
{
	shape_text(buf, size, info->dtype, info->rank, info->dims);
}

/* "a, b and c" of the inputs' names, for messages. */
static void input_names(const struct array_job *job, char *buf, size_t size)
{
	size_t used = 0;
	buf[0] = '\0';
	for (int i = 0; i < job->inputs && used < size; i++) {
		const char *between = i == 0 ? "" : i == job->inputs - 1 ? " and " : ", ";
		used += (size_t)snprintf(buf + used, size - used, "%s%s", between, vrs_model_input(job->network.model, i).name);
	}
}

/* The input that "NAME=FILE" names; names may hold "=" themselves, so each is tried. -1: none. */
static int find_input(const struct array_job *job, const char *tensor, const char **ret_file)
{
	int found = -1;
	size_t longest = 0;
	for (int i = 0; i < job->inputs; i++) {
		const char *name = vrs_model_input(job->network.model, i).name;
		size_t len = strlen(name);
		if (strncmp(tensor, name, len) != 0 || tensor[len] != '=' || (found >= 0 && len < longest))
			continue;
		found = i;
		longest = len;
		*ret_file = tensor + len + 1;
	}
	return found;
}

static enum vrs_status match_tensors(struct array_job *job, struct vrs_error *err)
{
	const char *network = job->network.manifest.name;
	char names[256];
	input_names(job, names, sizeof names);
	for (int i = 0; i < job->run->tensor_count; i++) {
		const char *tensor = job->run->tensors[i], *equals = strchr(tensor, '='), *file = NULL;
		int input = find_input(job, tensor, &file);
		if (!equals || equals == tensor || !equals[1])
			return vrs_fail(err, VRS_ECONFIG, "--tensor takes NAME=FILE.npy, not \"%.100s\"; the network has %s", tensor,
					job->inputs > 0 ? names : "no inputs");
		if (input < 0)
			return vrs_fail(err, VRS_ECONFIG, "--tensor %.100s: the network %s has no such input; it has %s", tensor, network,
					job->inputs > 0 ? names : "none");
		if (job->files[input])
			return vrs_fail(err, VRS_ECONFIG, "--tensor gives input %s twice: %s and %s", vrs_model_input(job->network.model, input).name,
					job->files[input], file);
		job->files[input] = file;
	}
	for (int i = 0; i < job->inputs; i++) {
		struct vrs_tensor_info info = vrs_model_input(job->network.model, i);
		char text[SHAPE_TEXT];
		info_text(text, sizeof text, &info);
		if (!job->files[i])
			return vrs_fail(err, VRS_ECONFIG, "input %s of the network %s is missing: --tensor %s=FILE.npy with %s", info.name, network, info.name,
					text);
	}
	return VRS_OK;
}

/* Dims must be those of the file, but for open ones and the batch of pictures. */
static bool shape_fits(const struct vrs_tensor_info *info, const struct vrs_npy *array)
{
	if (array->dtype != info->dtype || array->rank != info->rank)
		return false;
	for (int i = 0; i < info->rank; i++)
		if (info->dims[i] >= 0 && array->dims[i] != info->dims[i] && !(i == 0 && info->rank == 4))
			return false;
	return true;
}

static enum vrs_status read_arrays(struct array_job *job, struct vrs_error *err)
{
	for (int i = 0; i < job->inputs; i++) {
		struct vrs_tensor_info info = vrs_model_input(job->network.model, i);
		struct vrs_npy *array = &job->arrays[i];
		enum vrs_status status = vrs_npy_read(array, job->files[i], err);
		if (status != VRS_OK)
			return status;
		if (!shape_fits(&info, array)) {
			char wanted[SHAPE_TEXT], given[SHAPE_TEXT];
			info_text(wanted, sizeof wanted, &info);
			shape_text(given, sizeof given, array->dtype, array->rank, array->dims);
			return vrs_fail(err, VRS_ECONFIG, "%s holds %s, but input %s takes %s", job->files[i], given, info.name, wanted);
		}
		job->shapes[i].rank = array->rank;
		memcpy(job->shapes[i].dims, array->dims, sizeof job->shapes[i].dims);
		if (vrs_model_input_gives_sizes(job->network.model, i))
			job->values[i] = array->data;
	}
	return VRS_OK;
}

/* D/NAME.npy for each output, all different, none in the way. */
static enum vrs_status name_outputs(struct array_job *job, struct vrs_error *err)
{
	for (int i = 0; i < job->outputs; i++) {
		const char *output = vrs_model_output(job->network.model, i).name;
		char name[160];
		snprintf(name, sizeof name, "%s.npy", output[0] ? output : "_");
		for (char *c = name; *c; c++)
			if (*c == '/')
				*c = '_';
		if (vrs_path_join(job->paths[i], sizeof job->paths[i], job->run->output_dir, name))
			return vrs_fail(err, VRS_ELIMIT, "the name of the output folder %.100s is too long", job->run->output_dir);
		for (int k = 0; k < i; k++)
			if (strcmp(job->paths[k], job->paths[i]) == 0)
				return vrs_fail(err, VRS_ECONFIG, "the outputs %s and %s of the network would both be written as %s",
						vrs_model_output(job->network.model, k).name, output, job->paths[i]);
		bool found;
		enum vrs_status status = vrs_path_find(job->paths[i], &found, err);
		if (status != VRS_OK)
			return status;
		if (found && !job->run->settings->output.overwrite)
			return vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", job->paths[i]);
	}
	return VRS_OK;
}

/* Elements [n][planes][pixels] of `size` bytes become [n][pixels][planes]. */
static void turn(void *to, const void *from, int64_t n, int64_t planes, int64_t pixels, size_t size)
{
	char *out = to;
	for (int64_t i = 0; i < n; i++)
		for (int64_t p = 0; p < pixels; p++)
			for (int64_t c = 0; c < planes; c++, out += size)
				memcpy(out, (const char *)from + (size_t)((i * planes + c) * pixels + p) * size, size);
}

static void fill_input(const struct array_job *job, const struct vrs_tensor_view *view, const struct vrs_npy *array)
{
	const int64_t *dims = array->dims;
	if (job->turns && array->rank == 4)
		turn(view->raw, array->data, dims[0], dims[1], dims[2] * dims[3], vrs_dtype_size(view->dtype));
	else if (view->bytes > 0)
		memcpy(view->raw, array->data, view->bytes);
}

/*
 * Arrays are in the layout of the model, and so is the session.  But a calibration belongs to the network as pictures go through it, whose maps are
 * [N][H][W][C]: for 8 bits the arrays are turned instead.
 */
static enum vrs_status run_session(struct array_job *job, struct vrs_error *err)
{
	job->network.options.pictures_nhwc = job->network.calibration != NULL;
	job->turns = job->network.options.pictures_nhwc && vrs_model_info(job->network.model).nchw;
	job->network.options.input_shapes = job->shapes;
	job->network.options.input_values = job->values;
	job->network.options.input_shape_count = job->inputs;
	enum vrs_status status = vrs_session_create(&job->session, job->network.model, &job->network.options, err);
	if (status != VRS_OK)
		return status;
	struct vrs_session_info info = vrs_session_info(job->session);
	vrs_log(VRS_LOG_INFO, "network %s on %s %s, precision %s", job->network.manifest.name, info.backend, info.device[0] ? info.device : info.isa,
		vrs_precision_name(job->network.options.precision));
	for (int i = 0, at = 0; i < job->inputs; i++) {
		if (job->values[i])
			continue;
		struct vrs_tensor_view view = vrs_session_input(job->session, at++);
		if (view.bytes != job->arrays[i].bytes)
			return vrs_fail(err, VRS_EINTERNAL, "input %s takes %zu bytes, the array has %zu", view.name, view.bytes, job->arrays[i].bytes);
		fill_input(job, &view, &job->arrays[i]);
	}
	return vrs_session_run(job->session, err);
}

static enum vrs_status write_output(const struct array_job *job, int i, struct vrs_error *err)
{
	struct vrs_tensor_view view = vrs_session_output(job->session, i);
	const void *data = view.raw;
	void *turned = NULL;
	int64_t dims[VRS_MAX_RANK];
	char text[SHAPE_TEXT], line[VRS_PATH_MAX + SHAPE_TEXT + 4];
	for (int k = 0; k < view.rank; k++)
		dims[k] = view.dims[k];
	if (job->turns && view.rank == 4) {
		data = turned = vrs_alloc(view.bytes);
		if (!turned)
			return vrs_fail_nomem(err);
		turn(turned, view.raw, dims[0], dims[1] * dims[2], dims[3], vrs_dtype_size(view.dtype));
		dims[1] = view.dims[3];
		dims[2] = view.dims[1];
		dims[3] = view.dims[2];
	}
	enum vrs_status status = vrs_npy_write(job->paths[i], view.dtype, view.rank, dims, data, err);
	vrs_free(turned);
	if (status != VRS_OK || !job->run->line)
		return status;
	shape_text(text, sizeof text, view.dtype, view.rank, dims);
	snprintf(line, sizeof line, "%s: %s", job->paths[i], text);
	job->run->line(job->run->cookie, line);
	return VRS_OK;
}

static enum vrs_status write_outputs(const struct array_job *job, struct vrs_error *err)
{
	enum vrs_status status = vrs_mkdirs(job->run->output_dir, err);
	for (int i = 0; i < job->outputs && status == VRS_OK; i++)
		status = write_output(job, i, err);
	return status;
}

static enum vrs_status allocate(struct array_job *job, struct vrs_error *err)
{
	struct vrs_model_info info = vrs_model_info(job->network.model);
	job->inputs = info.inputs;
	job->outputs = info.outputs;
	job->files = vrs_arena_calloc(&job->arena, (size_t)job->inputs, sizeof *job->files);
	job->arrays = vrs_arena_calloc(&job->arena, (size_t)job->inputs, sizeof *job->arrays);
	job->shapes = vrs_arena_calloc(&job->arena, (size_t)job->inputs, sizeof *job->shapes);
	job->values = vrs_arena_calloc(&job->arena, (size_t)job->inputs, sizeof *job->values);
	job->paths = vrs_arena_calloc(&job->arena, (size_t)job->outputs, sizeof *job->paths);
	return job->arena.failed ? vrs_fail_nomem(err) : VRS_OK;
}

static void finish(struct array_job *job)
{
	for (int i = 0; i < job->inputs && job->arrays; i++)
		vrs_npy_fini(&job->arrays[i]);
	vrs_session_destroy(job->session);
	vrs_network_fini(&job->network);
	vrs_arena_free(&job->arena);
}

/* Who looks at numbers wants those of the file: auto is fp32 on every machine. */
static struct vrs_settings exact(const struct vrs_settings *settings)
{
	struct vrs_settings result = *settings;
	if (result.engine.precision == VRS_PRECISION_AUTO)
		result.engine.precision = VRS_PRECISION_FP32;
	return result;
}

enum vrs_status vrs_array_run(const struct vrs_array_run *run, struct vrs_error *err)
{
	struct array_job job = {.run = run};
	const struct vrs_settings settings = exact(run->settings); /* which the network points into */
	enum vrs_status status = vrs_network_open(&job.network, &settings, settings.engine.threads, 1, err);
	if (status == VRS_OK)
		status = allocate(&job, err);
	if (status == VRS_OK)
		status = match_tensors(&job, err);
	if (status == VRS_OK)
		status = name_outputs(&job, err);
	if (status == VRS_OK)
		status = read_arrays(&job, err);
	if (status == VRS_OK)
		status = run_session(&job, err);
	if (status == VRS_OK)
		status = write_outputs(&job, err);
	finish(&job);
	return status;
}

enum vrs_status vrs_array_describe(const struct vrs_settings *settings, vrs_array_line_fn line, void *cookie, struct vrs_error *err)
{
	struct vrs_network network;
	char text[SHAPE_TEXT], all[VRS_PATH_MAX + SHAPE_TEXT];
	enum vrs_status status = vrs_network_open(&network, settings, 1, 1, err);
	if (status == VRS_OK) {
		struct vrs_model_info info = vrs_model_info(network.model);
		snprintf(all, sizeof all, "%s: %s, %d nodes, %llu parameters", vrs_path_base(info.path), info.format, info.nodes,
			 (unsigned long long)info.parameters);
		line(cookie, all);
		for (int i = 0; i < info.inputs + info.outputs; i++) {
			bool is_input = i < info.inputs;
			struct vrs_tensor_info tensor = is_input ? vrs_model_input(network.model, i) : vrs_model_output(network.model, i - info.inputs);
			info_text(text, sizeof text, &tensor);
			snprintf(all, sizeof all, "%-6s %-32s %s", is_input ? "input" : "output", tensor.name, text);
			line(cookie, all);
		}
	}
	vrs_network_fini(&network);
	return status;
}
