/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Robust Video Matting frame after frame: a session of the network that set-up fetches, whose states are fed back.  Included after cmocka.h. */
#ifndef TESTS_RVM_STREAM_H
#define TESTS_RVM_STREAM_H

#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/session.h>

#include "base/file.h"

#define RVM_STATES 4

/* What all streams of a test share. */
struct rvm_network {
	struct vrs_manifest manifest;
	struct vrs_model *model;
	struct vrs_model_inputs inputs; /* of one picture of one size */
};

struct rvm_stream {
	struct vrs_session *session;
	struct vrs_tensor_view src, state_in[RVM_STATES], state_out[RVM_STATES], pha;
};

/* Is the file there?  A message and false where it was never fetched. */
static bool rvm_is_there(void)
{
	struct vrs_manifest manifest;

	if (vrs_manifest_load(&manifest, "rvm_mobilenetv3", NULL) == VRS_OK && vrs_path_exists(manifest.file))
		return true;
	printf("skipped: rvm_mobilenetv3_fp32.onnx is not installed; scripts/setup.sh fetches it\n");
	return false;
}

static void rvm_network_open(struct rvm_network *network, int width, int height)
{
	struct vrs_error err = {0};

	memset(network, 0, sizeof *network);
	if (vrs_manifest_load(&network->manifest, "rvm_mobilenetv3", &err) != VRS_OK ||
	    vrs_model_load_known(&network->model, network->manifest.file, network->manifest.sha256, &err) != VRS_OK ||
	    vrs_model_inputs_find(&network->inputs, network->model, &network->manifest, 1, width, height, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void rvm_network_close(struct rvm_network *network)
{
	vrs_model_inputs_fini(&network->inputs);
	vrs_model_destroy(network->model);
}

/* The tensor of that name; one without data where there is none. */
static struct vrs_tensor_view rvm_tensor(struct vrs_session *session, bool input, const char *name)
{
	struct vrs_tensor_view view;

	for (int i = 0; (view = input ? vrs_session_input(session, i) : vrs_session_output(session, i)).data; i++)
		if (strcmp(view.name, name) == 0)
			break;
	return view;
}

/* options: backend, precision, calibration and threads are the caller's; shapes are set here. */
static void rvm_stream_open(struct rvm_stream *stream, const struct rvm_network *network, struct vrs_session_options options)
{
	struct vrs_error err = {0};

	options.pictures_nhwc = true;
	options.input_shapes = network->inputs.shapes;
	options.input_values = network->inputs.values;
	options.input_shape_count = network->inputs.count;
	if (vrs_session_create(&stream->session, network->model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	stream->src = rvm_tensor(stream->session, true, network->manifest.input_name);
	stream->pha = rvm_tensor(stream->session, false, network->manifest.output_name);
	assert_int_equal(network->manifest.state_count, RVM_STATES);
	for (int k = 0; k < RVM_STATES; k++) {
		stream->state_in[k] = rvm_tensor(stream->session, true, network->manifest.states[k].in);
		stream->state_out[k] = rvm_tensor(stream->session, false, network->manifest.states[k].out);
		assert_non_null(stream->state_in[k].data);
		assert_int_equal(stream->state_in[k].elements, stream->state_out[k].elements);
		memset(stream->state_in[k].data, 0, stream->state_in[k].bytes);
	}
	assert_non_null(stream->src.data);
	assert_non_null(stream->pha.data);
}

static void rvm_stream_close(struct rvm_stream *stream)
{
	vrs_session_destroy(stream->session);
}

/* The picture in src is the next frame. */
static void rvm_stream_run(struct rvm_stream *stream)
{
	struct vrs_error err = {0};

	if (vrs_session_run(stream->session, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int k = 0; k < RVM_STATES; k++)
		memcpy(stream->state_in[k].data, stream->state_out[k].data, stream->state_out[k].bytes);
}

#endif
