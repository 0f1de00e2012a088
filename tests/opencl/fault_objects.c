/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects that a process has made and not released, by handle: who leaks, who uses what is gone, and how much memory buffers take. */
#include "fault_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 16384u /* a power of two */
#define MAX_ARGS 48u

struct object {
	const void *handle; /* NULL: the slot was never used */
	enum fault_kind kind;
	int refs;           /* 0: the slot may be used again */
	bool placed;
	int index;          /* of a device */
	uint64_t bytes;
	cl_device_id device;
	const void *parent; /* of a part of a buffer: the buffer, whose memory it is */
	const void *args[MAX_ARGS]; /* of a kernel: the buffers that it was given */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct object table[SLOTS];
static uint64_t bytes_now;
static int n_devices;

static unsigned first_slot(const void *handle)
{
	return (unsigned)(((uintptr_t)handle >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (SLOTS - 1);
}

/* Under the lock, as all that follow here. */
static struct object *find(const void *handle)
{
	unsigned slot = first_slot(handle);

	for (unsigned i = 0; i < SLOTS && table[slot].handle; i++, slot = (slot + 1) & (SLOTS - 1)) {
		if (table[slot].handle == handle)
			return table[slot].refs > 0 ? &table[slot] : NULL;
	}
	return NULL;
}

/* A slot for a new object: its own from an earlier life, or the first free one. */
static struct object *slot_for(const void *handle)
{
	struct object *free_slot = NULL;
	unsigned slot = first_slot(handle);

	for (unsigned i = 0; i < SLOTS && table[slot].handle; i++, slot = (slot + 1) & (SLOTS - 1)) {
		if (table[slot].handle == handle)
			return &table[slot];
		if (table[slot].refs == 0 && !free_slot)
			free_slot = &table[slot];
	}
	if (!free_slot && !table[slot].handle)
		free_slot = &table[slot];
	if (!free_slot) {
		(void)fprintf(stderr, "fault layer: more than %u objects\n", SLOTS);
		abort();
	}
	return free_slot;
}

static bool place(struct object *object)
{
	const uint64_t global = fault_settings()->global;

	object = object->parent ? find(object->parent) : object;
	if (!object || object->placed)
		return true;
	if (global > 0 && (object->bytes > global || bytes_now > global - object->bytes))
		return false;
	object->placed = true;
	bytes_now += object->bytes;
	fault_count_bytes((int64_t)object->bytes);
	return true;
}

void fault_add_object(enum fault_kind kind, const void *handle, const void *of, uint64_t bytes)
{
	struct object *object, *parent;
	bool is_new;

	(void)pthread_mutex_lock(&mutex);
	parent = of ? find(of) : NULL;
	object = slot_for(handle);
	is_new = !(object->handle == handle && object->refs > 0);
	if (is_new || kind < FAULT_N_COUNTED) {
		memset(object, 0, sizeof *object);
		object->handle = handle;
		object->kind = kind;
		object->refs = 1;
		object->bytes = bytes;
		object->parent = kind == FAULT_BUFFER && parent && parent->kind == FAULT_BUFFER ? of : NULL;
		object->device = kind == FAULT_DEVICE ? (cl_device_id)(uintptr_t)handle : parent ? parent->device : NULL;
		object->index = kind == FAULT_DEVICE ? n_devices++ : -1;
	}
	(void)pthread_mutex_unlock(&mutex);
	if (kind < FAULT_N_COUNTED)
		fault_count_made(kind, 1, 1);
}

void fault_refer(const void *handle, int by)
{
	enum fault_kind kind = FAULT_N_COUNTED;
	struct object *object;
	int left = 0;

	(void)pthread_mutex_lock(&mutex);
	object = find(handle);
	if (object && object->kind < FAULT_N_COUNTED) {
		kind = object->kind;
		object->refs += by;
		left = object->refs == 0 ? -1 : 0;
		if (object->refs == 0 && object->placed) {
			bytes_now -= object->bytes;
			fault_count_bytes(-(int64_t)object->bytes);
		}
	}
	(void)pthread_mutex_unlock(&mutex);
	if (left != 0)
		fault_count_made(kind, 0, left);
}

bool fault_is_alive(const void *handle)
{
	bool alive;

	(void)pthread_mutex_lock(&mutex);
	alive = find(handle) != NULL;
	(void)pthread_mutex_unlock(&mutex);
	return alive;
}

cl_device_id fault_device_of(const void *handle)
{
	struct object *object;
	cl_device_id device;

	(void)pthread_mutex_lock(&mutex);
	object = find(handle);
	device = object ? object->device : NULL;
	(void)pthread_mutex_unlock(&mutex);
	return device;
}

int fault_device_index(cl_device_id device)
{
	struct object *object;
	int index;

	(void)pthread_mutex_lock(&mutex);
	object = find(device);
	index = object ? object->index : -1;
	(void)pthread_mutex_unlock(&mutex);
	return index;
}

bool fault_place(const void *buffer)
{
	struct object *object;
	bool fits;

	(void)pthread_mutex_lock(&mutex);
	object = find(buffer);
	fits = !object || place(object);
	(void)pthread_mutex_unlock(&mutex);
	return fits;
}

void fault_set_arg(const void *kernel, unsigned index, const void *maybe_buffer)
{
	struct object *object, *buffer;

	(void)pthread_mutex_lock(&mutex);
	object = find(kernel);
	buffer = maybe_buffer ? find(maybe_buffer) : NULL;
	if (object && index < MAX_ARGS)
		object->args[index] = buffer && buffer->kind == FAULT_BUFFER ? maybe_buffer : NULL;
	(void)pthread_mutex_unlock(&mutex);
}

cl_int fault_place_args(enum fault_call call, const void *kernel)
{
	cl_int code = CL_SUCCESS;
	struct object *object;

	(void)pthread_mutex_lock(&mutex);
	object = find(kernel);
	for (unsigned i = 0; object && i < MAX_ARGS && code == CL_SUCCESS; i++) {
		struct object *buffer = object->args[i] ? find(object->args[i]) : NULL;

		if (object->args[i] && !buffer)
			code = CL_INVALID_KERNEL_ARGS;
		else if (buffer && !place(buffer))
			code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	(void)pthread_mutex_unlock(&mutex);
	if (code == CL_INVALID_KERNEL_ARGS)
		fault_count_misuse(call, "with a buffer that is not alive");
	return code;
}
