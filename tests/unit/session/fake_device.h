/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device that does nothing before it has to: what is queued is done in vrs_backend.wait, with copies of its own of all tensors.  So a transfer
 * that nobody waits for is seen, and each call leaves a word in fake.log: "u0" upload of input 0, "s" start, "d1" download of output 1, "c0>1" carry
 * of output 0 to input 1, "w" wait; of slots for states "g2>0" slot 2 to entry 0 ("g->0": zeros), "k0>2" entry 0 to slot 2, "r2" read, "p2" write.
 * It runs the network of fake_model only.
 */
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "unit/graph/graph_builder.h"

enum { FAKE_SIDE = 4, FAKE_CHANNELS = 3, FAKE_FLOATS = FAKE_SIDE * FAKE_SIDE * FAKE_CHANNELS, FAKE_QUEUE = 32, FAKE_SLOTS = 17 };

static struct {
	char log[512];
	const char *fails;           /* the words of the calls that fail, such as "u1"; "w": the wait; "": none */
	const char *lost;            /* digits: devices, as the first of options->device, that can neither be opened nor do anything */
	char device[32];             /* options->device of the last create */
} fake;

/* Inputs x and state of [1][4][4][3], outputs sum = x + state of the same shape and its mean of [1][1][1][3]. */
static inline struct vrs_model *fake_model(void)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;

	vrs_graph_init(&graph);
	int32_t x = build_input(&graph, FAKE_SIDE, FAKE_SIDE, FAKE_CHANNELS), state = build_input(&graph, FAKE_SIDE, FAKE_SIDE, FAKE_CHANNELS);
	int32_t sum = build_binary(&graph, VRS_ADD, x, state, VRS_ACT_NONE);
	build_output(&graph, sum);
	int32_t mean = build_mean(&graph, sum);
	build_output(&graph, mean);
	snprintf(graph.tensors[state].name, sizeof graph.tensors[state].name, "state");
	snprintf(graph.tensors[sum].name, sizeof graph.tensors[sum].name, "sum");
	snprintf(graph.tensors[mean].name, sizeof graph.tensors[mean].name, "mean");
	if (vrs_model_from_graph(&model, &graph, "fake", NULL) != VRS_OK)
		abort();
	vrs_graph_fini(&graph);
	return model;
}

struct fake_tensor {
	float *host;
	float device[FAKE_FLOATS];
	size_t count;
};

struct vrs_backend_run {
	struct fake_tensor in[2], out[2];
	struct { char part; int a, b; } queue[FAKE_QUEUE];
	int queued;
	struct vrs_state_slots shape;
	float slots[FAKE_SLOTS][FAKE_FLOATS];
	char device[32];
};

/* Of a list such as "0+1" the first is the device. */
static inline bool fake_is_lost(const char *device)
{
	return fake.lost != NULL && device[0] != '\0' && strchr(fake.lost, device[0]) != NULL;
}

static inline void fake_destroy(struct vrs_backend_run *run)
{
	for (int i = 0; run != NULL && i < 2; i++) {
		vrs_free_aligned(run->in[i].host);
		vrs_free_aligned(run->out[i].host);
	}
	vrs_free(run);
}

static inline enum vrs_status fake_create(struct vrs_backend_run **ret_run, const struct vrs_graph *graph,
					  const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);
	bool complete = run != NULL && graph->input_count == 2 && graph->output_count == 2;

	if (options->device != NULL && fake_is_lost(options->device)) {
		vrs_free(run);
		return vrs_fail(err, VRS_EDEVICE, "the fake device %s cannot be opened", options->device);
	}

	for (int i = 0; complete && i < 4; i++) {
		struct fake_tensor *t = i < 2 ? &run->in[i] : &run->out[i - 2];

		t->count = i < 3 ? FAKE_FLOATS : FAKE_CHANNELS;
		t->host = vrs_alloc_aligned(64, sizeof t->device);
		complete = t->host != NULL;
		if (complete)
			memset(t->host, 0, sizeof t->device);
	}
	if (!complete) {
		fake_destroy(run);
		return vrs_fail_nomem(err);
	}
	snprintf(run->device, sizeof run->device, "%s", options->device != NULL ? options->device : "first");
	snprintf(fake.device, sizeof fake.device, "%s", run->device);
	*ret_run = run;
	return VRS_OK;
}

static inline void *fake_input(struct vrs_backend_run *run, int index)
{
	return run->in[index].host;
}

static inline void *fake_output(struct vrs_backend_run *run, int index)
{
	return run->out[index].host;
}

static inline void fake_add(struct vrs_backend_run *run)
{
	for (int i = 0; i < FAKE_FLOATS; i++)
		run->out[0].device[i] = run->in[0].device[i] + run->in[1].device[i];
	for (int c = 0; c < FAKE_CHANNELS; c++) {
		float sum = 0;

		for (int i = c; i < FAKE_FLOATS; i += FAKE_CHANNELS)
			sum += run->out[0].device[i];
		run->out[1].device[c] = sum / (FAKE_SIDE * FAKE_SIDE);
	}
}

/* A carried output is worth nothing on the device afterwards. */
static inline void fake_swap(struct fake_tensor *from, struct fake_tensor *to)
{
	memcpy(to->device, from->device, sizeof to->device);
	for (int i = 0; i < FAKE_FLOATS; i++)
		from->device[i] = -1000;
}

/* The word goes to the log. VRS_EDEVICE where it is among those that fail. */
static inline enum vrs_status fake_call(const char *word, struct vrs_error *err)
{
	size_t used = strlen(fake.log);

	snprintf(fake.log + used, sizeof fake.log - used, "%s%s", used > 0 ? " " : "", word);
	for (const char *at = fake.fails; at != NULL && (at = strstr(at, word)) != NULL; at++)
		if (at[strlen(word)] == '\0' || at[strlen(word)] == ' ')
			return vrs_fail(err, VRS_EDEVICE, "the fake device fails at %s", word);
	return VRS_OK;
}

static inline enum vrs_status fake_queue(struct vrs_backend_run *run, const char *word, int a, int b, struct vrs_error *err)
{
	enum vrs_status status = fake_call(word, err);

	if (status == VRS_OK && fake_is_lost(run->device))
		status = vrs_fail(err, VRS_EDEVICE, "the fake device %s is lost", run->device);
	if (status == VRS_OK && run->queued == FAKE_QUEUE)
		abort();
	if (status == VRS_OK) {
		run->queue[run->queued].part = word[0];
		run->queue[run->queued].a = a;
		run->queue[run->queued++].b = b;
	}
	return status;
}

static inline enum vrs_status fake_upload(struct vrs_backend_run *run, int input, struct vrs_error *err)
{
	return fake_queue(run, input == 0 ? "u0" : "u1", input, 0, err);
}

static inline enum vrs_status fake_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	return fake_queue(run, "s", 0, 0, err);
}

static inline enum vrs_status fake_download(struct vrs_backend_run *run, int output, struct vrs_error *err)
{
	return fake_queue(run, output == 0 ? "d0" : "d1", output, 0, err);
}

static inline enum vrs_status fake_carry(struct vrs_backend_run *run, int output, int input, struct vrs_error *err)
{
	return fake_queue(run, output == 0 && input == 0 ? "c0>0" : output == 0 ? "c0>1" : "c1", output, input, err);
}

/* With the state of a slot; less than 0: zeros. */
static inline void fake_begin(struct vrs_backend_run *run, int slot)
{
	float *state = run->in[run->shape.state[0].input].device;

	if (slot < 0)
		memset(state, 0, sizeof run->slots[0]);
	else
		memcpy(state, run->slots[slot], sizeof run->slots[0]);
}

static inline void fake_drain(struct vrs_backend_run *run)
{
	for (int i = 0; i < run->queued; i++) {
		int a = run->queue[i].a, b = run->queue[i].b;
		struct fake_tensor *in = &run->in[a < 2 && a >= 0 ? a : 0], *out = &run->out[a < 2 && a >= 0 ? a : 0];

		switch (run->queue[i].part) {
		case 'g': fake_begin(run, a); break;
		case 'k': memcpy(run->slots[b], run->out[run->shape.state[0].output].device, sizeof in->device); break;
		case 'u': memcpy(in->device, in->host, in->count * sizeof *in->host); break;
		case 's': fake_add(run); break;
		case 'd': memcpy(out->host, out->device, out->count * sizeof *out->host); break;
		default: fake_swap(out, &run->in[b]); break;
		}
	}
	run->queued = 0;
}

static inline enum vrs_status fake_wait(struct vrs_backend_run *run, struct vrs_error *err)
{
	fake_drain(run);
	enum vrs_status status = fake_call("w", err);

	return status == VRS_OK && fake_is_lost(run->device) ? vrs_fail(err, VRS_EDEVICE, "the fake device %s is lost", run->device) : status;
}

static inline void fake_info(const struct vrs_backend_run *run, struct vrs_session_info *info)
{
	info->device = run->device;
	info->driver = "fake 1.0";
	info->device_bytes = 4 * FAKE_FLOATS * sizeof(float);
}

/* Of one state, and a batch of one. */
static inline enum vrs_status fake_slots_create(struct vrs_backend_run *run, const struct vrs_state_slots *shape, struct vrs_error *err)
{
	if (shape->count > FAKE_SLOTS || shape->states != 1)
		return vrs_fail(err, VRS_ENOMEM, "the fake device has no room for %d slots of %d states", shape->count, shape->states);
	run->shape = *shape;
	return VRS_OK;
}

static inline enum vrs_status fake_slot_use(struct vrs_backend_run *run, int slot, int entry, struct vrs_error *err)
{
	char word[32];

	if (slot < 0)
		snprintf(word, sizeof word, "g->%d", entry);
	else
		snprintf(word, sizeof word, "g%d>%d", slot, entry);
	return fake_queue(run, word, slot, entry, err);
}

static inline enum vrs_status fake_slot_keep(struct vrs_backend_run *run, int entry, int slot, struct vrs_error *err)
{
	char word[32];

	snprintf(word, sizeof word, "k%d>%d", entry, slot);
	return fake_queue(run, word, entry, slot, err);
}

/* Either way with what is queued before; the part itself queues nothing. */
static inline enum vrs_status fake_slot_move(struct vrs_backend_run *run, char part, int slot, struct vrs_error *err)
{
	char word[32];

	snprintf(word, sizeof word, "%c%d", part, slot);
	enum vrs_status status = fake_queue(run, word, 0, 0, err);

	if (status == VRS_OK)
		run->queued--;
	fake_drain(run);
	return status;
}

static inline enum vrs_status fake_slot_read(struct vrs_backend_run *run, int slot, float *to, struct vrs_error *err)
{
	enum vrs_status status = fake_slot_move(run, 'r', slot, err);

	if (status == VRS_OK)
		memcpy(to, run->slots[slot], sizeof run->slots[slot]);
	return status;
}

static inline enum vrs_status fake_slot_write(struct vrs_backend_run *run, int slot, const float *from, struct vrs_error *err)
{
	enum vrs_status status = fake_slot_move(run, 'p', slot, err);

	if (status == VRS_OK)
		memcpy(run->slots[slot], from, sizeof run->slots[slot]);
	return status;
}

static const struct vrs_slot_device fake_slots = {
	.create = fake_slots_create, .use = fake_slot_use, .keep = fake_slot_keep, .read = fake_slot_read, .write = fake_slot_write,
};

#define FAKE_DEVICE(carry_function) { \
	.name = "fake", .create = fake_create, .destroy = fake_destroy, .input = fake_input, .output = fake_output, .upload = fake_upload, \
	.download = fake_download, .start = fake_start, .wait = fake_wait, .carry = carry_function, .info = fake_info, \
	.slots = &fake_slots, \
}

static const struct vrs_backend fake_device = FAKE_DEVICE(fake_carry);
static const struct vrs_backend fake_device_plain = FAKE_DEVICE(NULL); /* carries through the host */

#endif
