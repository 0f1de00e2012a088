/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration: the network runs in float over all samples, twice (ranges, then histograms), the ranges of 8 bits are chosen, and precision int8 is
 * measured.  For precision mixed every layer runs as the only one in 8 bits; layers then go back to float, the one with the largest error first,
 * until the output error is the wanted part of that of int8.
 */
#include <vrseg/calibration.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cpu/exec/backend_cpu.h"
#include "backend/cpu/plan/cpu_plan_u8.h"
#include "base/buf.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "session/calibrate_range.h"
#include "session/session_graph.h"
#include "session/session_options.h"

#define MAX_SAMPLES 512
#define MAX_SAMPLE_BYTES ((size_t)1 << 30)
#define SENSITIVITY_SAMPLES 6 /* of all, evenly, for the run of every layer alone */

struct vrs_calibrator {
	struct vrs_graph graph;
	struct vrs_session_options options;
	uint64_t model_hash;
	struct vrs_backend_run *run;     /* float, whose inputs the caller writes */
	float **samples;                 /* all inputs of a sample, one after the other */
	float **wanted;                  /* outputs of the float run */
	int sample_count;
	size_t sample_cap, wanted_cap, input_floats, output_floats;
	/* During finish: */
	int32_t tensor_count, node_count;
	uint64_t structure;
	struct vrs_histogram *histograms; /* [tensor] */
	bool counting;
	uint8_t *possible;               /* [node] can run in 8 bits */
};

struct vrs_calibration_settings vrs_calibration_settings_default(void)
{
	return (struct vrs_calibration_settings){.method = VRS_RANGE_MSE, .percentile = 0.9999, .find_mixed = true, .mixed_part = 0.4};
}

static enum vrs_status no_memory(struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOMEM, "out of memory while the network is calibrated; use fewer samples");
}

static enum vrs_status ends_size(const struct vrs_graph *graph, const int32_t *ends, int32_t count, size_t *ret_floats, struct vrs_error *err)
{
	*ret_floats = 0;
	for (int32_t i = 0; i < count; i++) {
		if (graph->tensors[ends[i]].dtype != VRS_F32)
			return vrs_fail(err, VRS_EUNSUPPORTED, "a network whose input or output %s is not float cannot be calibrated", graph->tensors[ends[i]].name);
		*ret_floats += vrs_tensor_elements(&graph->tensors[ends[i]]);
	}
	return VRS_OK;
}

enum vrs_status vrs_calibrator_create(struct vrs_calibrator **ret_calibrator, const struct vrs_model *model,
				      const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_calibrator *c = vrs_calloc(1, sizeof *c);
	if (!c)
		return no_memory(err);
	c->options = *options;
	c->options.threads = 1;
	c->options.profile = false;
	c->options.precision = VRS_PRECISION_FP32;
	c->options.calibration = NULL;
	c->model_hash = vrs_model_info(model).hash;
	enum vrs_status status = vrs_session_options_check(&c->options, err);
	c->options.precision = VRS_PRECISION_INT8; /* planned like int8, but without a calibration all float */
	if (status == VRS_OK)
		status = vrs_session_graph(&c->graph, model, &c->options, err);
	if (status == VRS_OK)
		status = ends_size(&c->graph, c->graph.inputs, c->graph.input_count, &c->input_floats, err);
	if (status == VRS_OK)
		status = ends_size(&c->graph, c->graph.outputs, c->graph.output_count, &c->output_floats, err);
	if (status == VRS_OK)
		status = vrs_backend_cpu.create(&c->run, &c->graph, &c->options, err);
	if (status != VRS_OK) {
		vrs_calibrator_destroy(c);
		return status;
	}
	*ret_calibrator = c;
	return VRS_OK;
}

static void free_histograms(struct vrs_calibrator *c)
{
	for (int32_t i = 0; c->histograms && i < c->tensor_count; i++)
		vrs_free(c->histograms[i].bins);
	vrs_free(c->histograms);
	vrs_free(c->possible);
	c->histograms = NULL;
	c->possible = NULL;
}

void vrs_calibrator_destroy(struct vrs_calibrator *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->sample_count; i++) {
		vrs_free(c->samples[i]);
		vrs_free(c->wanted[i]);
	}
	vrs_free(c->samples);
	vrs_free(c->wanted);
	free_histograms(c);
	if (c->run)
		vrs_backend_cpu.destroy(c->run);
	vrs_graph_fini(&c->graph);
	vrs_free(c);
}

struct vrs_tensor_view vrs_calibrator_input(struct vrs_calibrator *c, int index)
{
	if (index < 0 || index >= c->graph.input_count)
		return (struct vrs_tensor_view){0};
	return vrs_session_view(&c->graph, c->graph.inputs[index], vrs_backend_cpu.input(c->run, index));
}

/* All inputs (or outputs) of a run to one array, or back. */
static void copy_inputs(const struct vrs_calibrator *c, struct vrs_backend_run *run, float *sample, bool store)
{
	for (int32_t i = 0; i < c->graph.input_count; i++) {
		size_t n = vrs_tensor_elements(&c->graph.tensors[c->graph.inputs[i]]);
		float *input = vrs_backend_cpu.input(run, i);
		memcpy(store ? sample : input, store ? input : sample, n * sizeof *sample);
		sample += n;
	}
}

static void copy_outputs(const struct vrs_calibrator *c, struct vrs_backend_run *run, float *outputs)
{
	for (int32_t i = 0; i < c->graph.output_count; i++) {
		size_t n = vrs_tensor_elements(&c->graph.tensors[c->graph.outputs[i]]);
		memcpy(outputs, vrs_backend_cpu.output(run, i), n * sizeof *outputs);
		outputs += n;
	}
}

enum vrs_status vrs_calibrator_add(struct vrs_calibrator *c, struct vrs_error *err)
{
	size_t bytes = (c->input_floats + c->output_floats) * sizeof(float) * (size_t)(c->sample_count + 1);
	if (c->sample_count >= MAX_SAMPLES || bytes > MAX_SAMPLE_BYTES)
		return vrs_fail(err, VRS_ELIMIT, "%d samples are enough for a calibration", c->sample_count);
	enum vrs_status status = vrs_array_grow(&c->samples, &c->sample_cap, (size_t)c->sample_count + 1, sizeof *c->samples, MAX_SAMPLES);
	if (status == VRS_OK)
		status = vrs_array_grow(&c->wanted, &c->wanted_cap, (size_t)c->sample_count + 1, sizeof *c->wanted, MAX_SAMPLES);
	if (status != VRS_OK)
		return no_memory(err);
	float *sample = vrs_realloc_array(NULL, c->input_floats + 1, sizeof *sample);
	float *output = vrs_realloc_array(NULL, c->output_floats + 1, sizeof *output);
	if (!sample || !output) {
		vrs_free(sample);
		vrs_free(output);
		return no_memory(err);
	}
	copy_inputs(c, c->run, sample, true);
	c->samples[c->sample_count] = sample;
	c->wanted[c->sample_count++] = output;
	return VRS_OK;
}

/* Finished rows of the float run. */
static void observe(void *cookie, struct vrs_cpu_thread *thread, int value, int image, int y0, int y1)
{
	struct vrs_calibrator *c = cookie;
	const struct vrs_cpu_value *v = &thread->plan->values[value];
	if (v->tensor < 0 || v->dtype != VRS_F32)
		return;
	struct vrs_histogram *h = &c->histograms[v->tensor];
	for (int y = y0; y < y1; y++)
		(c->counting ? vrs_histogram_add : vrs_histogram_extend)(h, vrs_cpu_row(thread, value, image, y), vrs_cpu_row_floats(v));
}

/* Inputs are no operation's rows. */
static void observe_inputs(struct vrs_calibrator *c)
{
	for (int32_t i = 0; i < c->graph.input_count; i++) {
		struct vrs_histogram *h = &c->histograms[c->graph.inputs[i]];
		(c->counting ? vrs_histogram_add : vrs_histogram_extend)(h, vrs_backend_cpu.input(c->run, i),
									 vrs_tensor_elements(&c->graph.tensors[c->graph.inputs[i]]));
	}
}

static enum vrs_status run_samples(struct vrs_calibrator *c, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < c->sample_count; i++) {
		copy_inputs(c, c->run, c->samples[i], false);
		observe_inputs(c);
		status = vrs_backend_cpu.start(c->run, err);
		copy_outputs(c, c->run, c->wanted[i]);
	}
	return status;
}

/* Tensors, nodes and structure of the planned graph, and which nodes could be 8 bits. */
static enum vrs_status look_at_plan(struct vrs_calibrator *c, struct vrs_error *err)
{
	const struct vrs_cpu_plan *plan = vrs_cpu_backend_plan(c->run);
	c->tensor_count = plan->graph.tensor_count;
	c->node_count = plan->graph.node_count;
	c->structure = vrs_graph_structure(&plan->graph);
	c->histograms = vrs_calloc((size_t)c->tensor_count + 1, sizeof *c->histograms);
	c->possible = vrs_calloc((size_t)c->node_count + 1, 1);
	if (!c->histograms || !c->possible)
		return no_memory(err);
	for (int i = 0; i < plan->op_count; i++)
		if (plan->ops[i].node >= 0 && vrs_cpu_op_may_be_u8(plan, &plan->ops[i]))
			c->possible[plan->ops[i].node] = VRS_NODE_INT8;
	return VRS_OK;
}

static enum vrs_status measure_ranges(struct vrs_calibrator *c, const struct vrs_calibration_settings *settings, struct vrs_calibration *calibration,
				      struct vrs_error *err)
{
	vrs_cpu_observe(c->run, observe, c);
	c->counting = false;
	enum vrs_status status = run_samples(c, err);
	for (int32_t i = 0; status == VRS_OK && i < c->tensor_count; i++) {
		c->histograms[i].bins = c->histograms[i].hi > c->histograms[i].lo ? vrs_calloc(VRS_HISTOGRAM_BINS, sizeof *c->histograms[i].bins) : NULL;
		if (c->histograms[i].hi > c->histograms[i].lo && !c->histograms[i].bins)
			status = no_memory(err);
	}
	c->counting = true;
	if (status == VRS_OK)
		status = run_samples(c, err);
	vrs_cpu_observe(c->run, NULL, NULL);
	for (int32_t i = 0; status == VRS_OK && i < c->tensor_count; i++) {
		const struct vrs_histogram *h = &c->histograms[i];
		if (!h->bins)
			continue;
		calibration->ranges[i] = settings->method == VRS_RANGE_MINMAX ? vrs_histogram_minmax(h) : settings->method == VRS_RANGE_MSE ?
						 vrs_histogram_mse(h) : vrs_histogram_percentile(h, settings->percentile);
	}
	return status;
}

/* Root mean square difference to the float outputs, over every `step`th sample. */
static enum vrs_status measure(struct vrs_calibrator *c, const struct vrs_calibration *calibration, enum vrs_precision precision, int step,
			       double *ret_error, struct vrs_error *err)
{
	struct vrs_session_options options = c->options;
	struct vrs_backend_run *run = NULL;
	float *outputs = vrs_realloc_array(NULL, c->output_floats + 1, sizeof *outputs);
	options.precision = precision;
	options.calibration = calibration;
	enum vrs_status status = outputs ? vrs_backend_cpu.create(&run, &c->graph, &options, err) : no_memory(err);
	double sum = 0;
	size_t count = 0;
	for (int i = 0; status == VRS_OK && i < c->sample_count; i += step) {
		copy_inputs(c, run, c->samples[i], false);
		status = vrs_backend_cpu.start(run, err);
		copy_outputs(c, run, outputs);
		for (size_t k = 0; k < c->output_floats; k++) {
			double d = (double)outputs[k] - (double)c->wanted[i][k];
			sum += d * d;
		}
		count += c->output_floats;
	}
	if (run)
		vrs_backend_cpu.destroy(run);
	vrs_free(outputs);
	*ret_error = count ? sqrt(sum / (double)count) : 0;
	return status;
}

struct layer_error {
	int32_t node;
	double error;
};

static int worst_first(const void *a, const void *b)
{
	double x = ((const struct layer_error *)a)->error, y = ((const struct layer_error *)b)->error;
	return x < y ? 1 : x > y ? -1 : 0;
}

/* Precision mixed with all that can be in 8 bits, but for the first `count` of the layers. */
static void leave_float(const struct vrs_calibrator *c, struct vrs_calibration *calibration, const struct layer_error *layers, int count)
{
	memcpy(calibration->mixed, c->possible, (size_t)c->node_count);
	for (int i = 0; i < count; i++)
		calibration->mixed[layers[i].node] = VRS_NODE_FP32;
}

/* The smallest number of layers, worst first, that have to be float for the wanted error: by halving, since more of them rarely hurt. */
static enum vrs_status choose_mixed(struct vrs_calibrator *c, struct vrs_calibration *calibration, const struct layer_error *layers, int count,
				    double wanted, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int lo = 0, hi = count;
	while (status == VRS_OK && lo < hi) {
		int middle = (lo + hi) / 2;
		double error;
		leave_float(c, calibration, layers, middle);
		status = measure(c, calibration, VRS_PRECISION_MIXED, 1, &error, err);
		if (error <= wanted)
			hi = middle;
		else
			lo = middle + 1;
	}
	leave_float(c, calibration, layers, lo);
	return status == VRS_OK ? measure(c, calibration, VRS_PRECISION_MIXED, 1, &calibration->mixed_error, err) : status;
}

static enum vrs_status find_mixed(struct vrs_calibrator *c, struct vrs_calibration *calibration, double part, struct vrs_error *err)
{
	struct layer_error *layers = vrs_calloc((size_t)c->node_count + 1, sizeof *layers);
	enum vrs_status status = layers ? VRS_OK : no_memory(err);
	int count = 0, step = (c->sample_count + SENSITIVITY_SAMPLES - 1) / SENSITIVITY_SAMPLES;
	for (int32_t i = 0; status == VRS_OK && i < c->node_count; i++) {
		if (!c->possible[i])
			continue;
		memset(calibration->mixed, 0, (size_t)c->node_count);
		calibration->mixed[i] = VRS_NODE_INT8;
		layers[count].node = i;
		status = measure(c, calibration, VRS_PRECISION_MIXED, step, &layers[count++].error, err);
	}
	if (status == VRS_OK) {
		qsort(layers, (size_t)count, sizeof *layers, worst_first);
		status = choose_mixed(c, calibration, layers, count, part * calibration->int8_error, err);
	}
	vrs_free(layers);
	return status;
}

enum vrs_status vrs_calibrator_finish(struct vrs_calibrator *c, const struct vrs_calibration_settings *settings,
				      struct vrs_calibration **ret_calibration, struct vrs_error *err)
{
	struct vrs_calibration *calibration = NULL;
	if (c->sample_count == 0)
		return vrs_fail(err, VRS_EINVAL, "a calibration needs at least one sample");
	if ((unsigned)settings->method > VRS_RANGE_MINMAX || !(settings->percentile > 0.5 && settings->percentile <= 1) ||
	    !(settings->mixed_part >= 0 && settings->mixed_part <= 1))
		return vrs_fail(err, VRS_EINVAL, "a calibration with method %d, percentile %g and mixed part %g is not possible", (int)settings->method,
				settings->percentile, settings->mixed_part);
	free_histograms(c);
	enum vrs_status status = look_at_plan(c, err);
	if (status == VRS_OK && vrs_calibration_create(&calibration, c->tensor_count, c->node_count) != VRS_OK)
		status = no_memory(err);
	if (status == VRS_OK) {
		calibration->model_hash = c->model_hash;
		calibration->structure = c->structure;
		calibration->samples = c->sample_count;
		memcpy(calibration->int8, c->possible, (size_t)c->node_count);
		memcpy(calibration->mixed, c->possible, (size_t)c->node_count);
		status = measure_ranges(c, settings, calibration, err);
	}
	if (status == VRS_OK)
		status = measure(c, calibration, VRS_PRECISION_INT8, 1, &calibration->int8_error, err);
	if (status == VRS_OK && settings->find_mixed)
		status = find_mixed(c, calibration, settings->mixed_part, err);
	free_histograms(c);
	if (status != VRS_OK) {
		vrs_calibration_destroy(calibration);
		return status;
	}
	*ret_calibration = calibration;
	return VRS_OK;
}
