/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/head.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "matte/detection.h"
#include "matte/postprocess.h"

#define NO_THRESHOLD 0.25f /* of detections, where the manifest says nothing */
#define BOX_OVERLAP 0.7f   /* IoU above which two boxes are one person; that of YOLOv8's own post-processing */

struct vrs_head {
	struct vrs_arena arena;
	const struct vrs_manifest *manifest;
	struct vrs_session *session;
	struct vrs_network_shape shape;
	float *input;
	struct vrs_tensor_view matte;
	int channel;      /* of the matte in its tensor */
	uint32_t read;    /* outputs of matte and detections, bit by bit */
	struct vrs_detector *detector;
	struct vrs_tensor_view detections[VRS_MANIFEST_MAX_DETECTIONS];
	struct vrs_head_state states[VRS_MANIFEST_MAX_STATES];
};

typedef struct vrs_tensor_view (*view_fn)(struct vrs_session *session, int index);

/* "a, b, c": what the network has, for messages. */
static void list_names(struct vrs_session *session, view_fn view, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (int i = 0; view(session, i).raw && used < size; i++) {
		int n = snprintf(text + used, size - used, "%s%s", i ? ", " : "", view(session, i).name);
		used += n > 0 ? (size_t)n : 0;
	}
}

static enum vrs_status find(struct vrs_head *head, bool output, const char *name, int *ret_index, struct vrs_tensor_view *ret_view,
			    struct vrs_error *err)
{
	view_fn view = output ? vrs_session_output : vrs_session_input;
	char names[400];
	for (int i = 0;; i++) {
		*ret_view = view(head->session, i);
		if (!ret_view->raw)
			break;
		*ret_index = i;
		if (strcmp(ret_view->name, name) == 0)
			return ret_view->data ? VRS_OK
					      : vrs_fail(err, VRS_EUNSUPPORTED, "%s \"%s\" of the network %s holds no float32 values",
							 output ? "output" : "input", name, head->manifest->name);
	}
	list_names(head->session, view, names, sizeof names);
	return vrs_fail(err, VRS_ECONFIG, "the network %s has no %s \"%s\"; it has %s", head->manifest->name, output ? "output" : "input", name, names);
}

static bool is_state(const struct vrs_manifest *manifest, const char *name)
{
	for (int i = 0; i < manifest->state_count; i++)
		if (strcmp(manifest->states[i].in, name) == 0)
			return true;
	return false;
}

/* The picture; every other input of the session must be a state (constants are none of its inputs). */
static enum vrs_status find_picture(struct vrs_head *head, struct vrs_error *err)
{
	const struct vrs_manifest *manifest = head->manifest;
	struct vrs_tensor_view in = {0};
	int index;
	enum vrs_status status = manifest->input_name[0] ? find(head, false, manifest->input_name, &index, &in, err) : VRS_OK;
	for (int i = 0; vrs_session_input(head->session, i).raw && status == VRS_OK; i++) {
		struct vrs_tensor_view other = vrs_session_input(head->session, i);
		if (!in.raw && !is_state(manifest, other.name))
			in = other;
		else if (in.raw != other.raw && !is_state(manifest, other.name))
			status = vrs_fail(err, VRS_EUNSUPPORTED, "input \"%s\" of the network %s is neither the picture nor a state of the manifest; name "
					  "the picture with input.name and the others in states (--describe-network lists them all)", other.name,
					  manifest->name);
	}
	if (status != VRS_OK)
		return status;
	if (!in.data || in.rank != 4 || in.dims[3] != 3)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the network %s does not take a picture of three channels", manifest->name);
	head->input = in.data;
	head->shape.batch = in.dims[0];
	head->shape.input_height = in.dims[1];
	head->shape.input_width = in.dims[2];
	return VRS_OK;
}

static struct vrs_head_state state_of(const struct vrs_tensor_view *in, const struct vrs_tensor_view *out)
{
	struct vrs_head_state state = {.in = in->data, .out = out->data, .floats = in->elements / (size_t)in->dims[0]};
	if (in->rank == 4 && in->dims[1] > 1 && in->dims[2] > 1) { /* else a vector: there is nothing to see in it */
		state.is_map = true;
		state.height = in->dims[1];
		state.width = in->dims[2];
		state.channels = in->dims[3];
	}
	return state;
}

static enum vrs_status find_states(struct vrs_head *head, struct vrs_error *err)
{
	for (int i = 0; i < head->manifest->state_count; i++) {
		const struct vrs_manifest_state *names = &head->manifest->states[i];
		struct vrs_tensor_view in, out;
		int input = 0, output = 0;
		enum vrs_status status = find(head, false, names->in, &input, &in, err);
		if (status == VRS_OK)
			status = find(head, true, names->out, &output, &out, err);
		if (status != VRS_OK)
			return status;
		if (in.elements != out.elements || in.rank < 1 || in.dims[0] != head->shape.batch)
			return vrs_fail(err, VRS_ECONFIG, "state %s > %s of the network %s: the shapes differ, or hold no batch of %d", names->in, names->out,
					head->manifest->name, head->shape.batch);
		head->states[i] = state_of(&in, &out);
		head->states[i].input = input;
		head->states[i].output = output;
	}
	return VRS_OK;
}

static int default_channel(const struct vrs_manifest *manifest, int channels)
{
	if (manifest->output_channel >= 0)
		return manifest->output_channel;
	return manifest->output_kind == VRS_OUTPUT_ALPHA_FOREGROUND ? channels - 1 : manifest->output_kind == VRS_OUTPUT_SOFTMAX2 ? 1 : 0;
}

/* Kinds whose output is one channel as a rule. */
static bool plain_kind(enum vrs_output_kind kind)
{
	return kind == VRS_OUTPUT_PROBABILITY || kind == VRS_OUTPUT_LOGITS;
}

static enum vrs_status find_matte(struct vrs_head *head, struct vrs_error *err)
{
	const struct vrs_manifest *manifest = head->manifest;
	struct vrs_tensor_view out = vrs_session_output(head->session, 0);
	int index = 0;
	enum vrs_status status = manifest->output_name[0] ? find(head, true, manifest->output_name, &index, &out, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	head->read |= UINT32_C(1) << index;
	if (!out.data || out.rank != 4 || out.dims[0] != head->shape.batch)
		return vrs_fail(err, VRS_EUNSUPPORTED, "output \"%s\" of the network %s is not a map of %d pictures", out.name ? out.name : "", manifest->name,
				head->shape.batch);
	head->channel = default_channel(manifest, out.dims[3]);
	if (out.dims[3] > 1 && manifest->output_channel < 0 && plain_kind(manifest->output_kind))
		return vrs_fail(err, VRS_ECONFIG, "output \"%s\" of the network %s has %d channels, and nothing says which one is the matte: give it a "
				"manifest with output.channel, or with output.kind softmax2, alpha_foreground or prototypes", out.name, manifest->name,
				out.dims[3]);
	if (head->channel >= out.dims[3] || (manifest->output_kind == VRS_OUTPUT_SOFTMAX2 && (out.dims[3] < 2 || head->channel > 1)))
		return vrs_fail(err, VRS_EUNSUPPORTED, "output \"%s\" of the network %s has %d channel%s; the matte would be number %d", out.name,
				manifest->name, out.dims[3], out.dims[3] > 1 ? "s" : "", head->channel);
	head->matte = out;
	head->shape.matte_height = out.dims[1];
	head->shape.matte_width = out.dims[2];
	return VRS_OK;
}

/* A list [N][4 + classes + prototypes][anchors], or a grid [N][h][w][4 * bins + classes + prototypes]. */
static enum vrs_status check_detection(struct vrs_head *head, const struct vrs_tensor_view *view, struct vrs_error *err)
{
	int rest = head->manifest->classes + head->matte.dims[3], boxes = view->rank == 3 ? view->dims[1] - rest : view->dims[3] - rest;
	bool fits = view->dims[0] == head->shape.batch && (view->rank == 3 ? boxes == 4 : view->rank == 4 && boxes >= 4 && boxes % 4 == 0 && boxes <= 256);
	if (!fits)
		return vrs_fail(err, VRS_ECONFIG, "output \"%s\" of the network %s holds no detections of %d classes with %d prototypes", view->name,
				head->manifest->name, head->manifest->classes, head->matte.dims[3]);
	return VRS_OK;
}

static enum vrs_status find_detections(struct vrs_head *head, struct vrs_error *err)
{
	const struct vrs_manifest *manifest = head->manifest;
	const struct vrs_detector_options options = {.input_width = head->shape.input_width, .input_height = head->shape.input_height,
		.classes = manifest->classes, .person = manifest->person_class, .prototypes = head->matte.dims[3],
		.threshold = manifest->threshold > 0 ? manifest->threshold : NO_THRESHOLD, .overlap = BOX_OVERLAP};
	for (int i = 0; i < manifest->detection_count; i++) {
		int index = 0;
		enum vrs_status status = find(head, true, manifest->detections[i], &index, &head->detections[i], err);
		head->read |= UINT32_C(1) << index;
		if (status == VRS_OK)
			status = check_detection(head, &head->detections[i], err);
		if (status != VRS_OK)
			return status;
	}
	enum vrs_status status = vrs_detector_create(&head->detector, &head->arena, &options);
	return status == VRS_EINVAL ? vrs_fail(err, VRS_EUNSUPPORTED, "output \"%s\" of the network %s holds %d prototypes; at most 1024 are possible",
					       head->matte.name, manifest->name, head->matte.dims[3])
				    : status;
}

enum vrs_status vrs_head_create(struct vrs_head **ret_head, const struct vrs_manifest *manifest, struct vrs_session *session, struct vrs_error *err)
{
	struct vrs_head *head = vrs_calloc(1, sizeof *head);
	if (!head)
		return vrs_fail(err, VRS_ENOMEM, "no memory for the head of the network %s", manifest->name);
	head->manifest = manifest;
	head->session = session;
	enum vrs_status status = find_picture(head, err);
	if (status == VRS_OK)
		status = find_states(head, err);
	if (status == VRS_OK)
		status = find_matte(head, err);
	if (status == VRS_OK && manifest->output_kind == VRS_OUTPUT_PROTOTYPES)
		status = find_detections(head, err);
	if (status != VRS_OK) {
		vrs_head_destroy(head);
		return status;
	}
	*ret_head = head;
	return VRS_OK;
}

void vrs_head_destroy(struct vrs_head *head)
{
	if (!head)
		return;
	vrs_arena_free(&head->arena);
	vrs_free(head);
}

const struct vrs_network_shape *vrs_head_shape(const struct vrs_head *head)
{
	return &head->shape;
}

float *vrs_head_input(struct vrs_head *head)
{
	return head->input;
}

struct vrs_session *vrs_head_session(const struct vrs_head *head)
{
	return head->session;
}

bool vrs_head_reads(const struct vrs_head *head, int output)
{
	VRS_ASSERT(output >= 0 && output < 32);
	return head->read >> output & 1;
}

int vrs_head_state_count(const struct vrs_head *head)
{
	return head->manifest->state_count;
}

const struct vrs_head_state *vrs_head_state(const struct vrs_head *head, int i)
{
	VRS_ASSERT(i >= 0 && i < head->manifest->state_count);
	return &head->states[i];
}

static void detect(struct vrs_head *head, int entry, float *alpha)
{
	int prototypes = head->matte.dims[3], rest = head->manifest->classes + prototypes;
	size_t pixels = (size_t)head->shape.matte_width * (size_t)head->shape.matte_height;
	vrs_detector_begin(head->detector);
	for (int i = 0; i < head->manifest->detection_count; i++) {
		const struct vrs_tensor_view *view = &head->detections[i];
		const float *data = view->data + view->elements / (size_t)head->shape.batch * (size_t)entry;
		if (view->rank == 3)
			vrs_detector_add_list(head->detector, data, view->dims[2]);
		else
			vrs_detector_add_grid(head->detector, data, view->dims[1], view->dims[2], (view->dims[3] - rest) / 4);
	}
	(void)vrs_detector_matte(head->detector, head->matte.data + pixels * (size_t)prototypes * (size_t)entry, head->shape.matte_height,
				 head->shape.matte_width, alpha);
}

void vrs_head_matte(struct vrs_head *head, int entry, float *alpha)
{
	if (head->detector) {
		detect(head, entry, alpha);
		return;
	}
	static const enum vrs_alpha_kind kinds[] = {VRS_ALPHA_PROBABILITY, VRS_ALPHA_LOGITS, VRS_ALPHA_SOFTMAX2, VRS_ALPHA_PROBABILITY};
	size_t pixels = (size_t)head->shape.matte_width * (size_t)head->shape.matte_height;
	int channels = head->matte.dims[3];
	const float *map = head->matte.data + pixels * (size_t)channels * (size_t)entry;
	vrs_alpha_from_output(alpha, map, pixels, channels, head->channel, kinds[head->manifest->output_kind]);
}
