/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/net_inputs.h"

#include <string.h>

#include <vrseg/options.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

enum { SEED = 1 };

float *vrs_net_inputs_make(size_t elements)
{
	size_t total;
	struct vrs_rng rng;
	if (!vrs_mul_size(elements, VRS_NET_INPUTS, &total))
		return NULL;
	float *values = vrs_realloc_array(NULL, total, sizeof *values);
	vrs_rng_init(&rng, SEED);
	for (size_t i = 0; values && i < total; i++)
		values[i] = (float)vrs_rng_unit(&rng);
	return values;
}

/* The output of the same shape: input number i is a state then, which the network hands on, and which starts from zeros. -1: there is none. */
static int output_of_state(struct vrs_session *session, const struct vrs_tensor_view *in)
{
	struct vrs_tensor_view out;
	for (int i = 0; (out = vrs_session_output(session, i)).rank > 0; i++)
		if (out.rank == in->rank && memcmp(out.dims, in->dims, (size_t)in->rank * sizeof *in->dims) == 0)
			return i;
	return -1;
}

void vrs_net_inputs_fill_others(struct vrs_session *session)
{
	struct vrs_tensor_view in;
	struct vrs_rng rng;
	vrs_rng_init(&rng, SEED + 1);
	for (int i = 1; (in = vrs_session_input(session, i)).raw; i++) {
		bool random = in.data && output_of_state(session, &in) < 0;
		memset(in.raw, 0, in.bytes);
		for (size_t k = 0; random && k < in.elements; k++)
			in.data[k] = (float)vrs_rng_unit(&rng);
	}
}

int vrs_net_states_stay(struct vrs_session *session)
{
	struct vrs_session_state states[VRS_SESSION_STATES_MAX];
	struct vrs_error why = {.status = VRS_OK};
	struct vrs_tensor_view in;
	int count = 0;
	for (int i = 1; (in = vrs_session_input(session, i)).raw && count < VRS_SESSION_STATES_MAX; i++) {
		int output = in.data ? output_of_state(session, &in) : -1;
		if (output >= 0)
			states[count++] = (struct vrs_session_state){.input = i, .output = output};
	}
	int slots = (int)vrs_session_input(session, 0).dims[0];
	return count > 0 && vrs_session_slots_create(session, states, count, slots, &why) == VRS_OK ? slots : 0;
}

/* A float session gets the inputs that the measured one will get; the calibrator takes them from there. */
static enum vrs_status add_samples(struct vrs_calibrator *calibrator, struct vrs_session *session, struct vrs_error *err)
{
	struct vrs_tensor_view in = vrs_session_input(session, 0), to;
	enum vrs_status status = VRS_OK;
	float *inputs = vrs_net_inputs_make(in.elements);
	if (!inputs)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the input tensors");
	vrs_net_inputs_fill_others(session);
	for (size_t k = 0; k < VRS_NET_INPUTS && status == VRS_OK; k++) {
		for (int i = 0; (to = vrs_calibrator_input(calibrator, i)).data; i++) {
			const float *from = i == 0 ? inputs + k * in.elements : vrs_session_input(session, i).data;
			memcpy(to.data, from, to.bytes);
		}
		status = vrs_calibrator_add(calibrator, err);
	}
	vrs_free(inputs);
	return status;
}

static enum vrs_status calibrate(struct vrs_calibration **ret_calibration, const struct vrs_model *model, const struct vrs_session_options *options,
				 struct vrs_error *err)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_session_options in_float = *options;
	struct vrs_calibrator *calibrator = NULL;
	struct vrs_session *session = NULL;
	in_float.precision = VRS_PRECISION_FP32;
	settings.find_mixed = options->precision == VRS_PRECISION_MIXED;
	enum vrs_status status = vrs_session_create(&session, model, &in_float, err);
	if (status == VRS_OK)
		status = vrs_calibrator_create(&calibrator, model, &in_float, err);
	if (status == VRS_OK)
		status = add_samples(calibrator, session, err);
	if (status == VRS_OK)
		status = vrs_calibrator_finish(calibrator, &settings, ret_calibration, err);
	vrs_calibrator_destroy(calibrator);
	vrs_session_destroy(session);
	return status;
}

enum vrs_status vrs_net_calibrate(struct vrs_calibration **ret_calibration, const char **ret_origin, const struct vrs_model *model,
				  uint64_t manifest, const struct vrs_session_options *options, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	*ret_calibration = NULL;
	*ret_origin = NULL;
	if (options->precision != VRS_PRECISION_INT8 && options->precision != VRS_PRECISION_MIXED)
		return VRS_OK;
	enum vrs_status status = vrs_calibration_store_path(model, manifest, options, path, sizeof path, err);
	bool kept = status == VRS_OK && vrs_path_exists(path);
	*ret_origin = kept ? "kept" : "synthetic";
	if (status != VRS_OK)
		return status;
	return kept ? vrs_calibration_load(ret_calibration, path, model, err) : calibrate(ret_calibration, model, options, err);
}
