/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A backend executes a concrete graph.  backend_null.c is the template; engine/session/backend_list.c is the list of all.
 *
 * Place.  A run lives in one place for its whole life: the host, or one device, which create chooses (options->device).  All of its tensors and
 * weights are there.  Graph inputs and outputs also have a buffer on the host (`input`, `output`), which is what the caller writes and reads.  In a
 * backend of the host these buffers are the tensors.  In a backend of a device they are copies, in memory from which the device transfers well, and
 * `upload` and `download` make the two agree.  A device backend promises:
 *   - what it cannot compute it computes on the host inside of its run (backend_ref.c's way, one node), and moves tensors as needed; the caller sees
 *     the same inputs, outputs and parts;
 *   - device memory is taken in create and clone, and for slots, never in a part of a run; the process holds no more of it than
 *     options->device_bytes_max and device_memory_share allow, with VRS_ELIMIT in place of more;
 *   - the results of a run depend on its inputs alone, not on when the parts were queued;
 *   - a device that fails or is lost is VRS_EDEVICE, from the part that sees it and from each one after it; the host buffers stay, and destroy works.
 *
 * Parts of a run.  upload, start, download and carry queue work, and wait ends when all of it is done.  The work has the effect of being done in the
 * order of the calls, whatever the device overlaps: uploads that were queued before start are what that start reads, downloads that are queued
 * behind it bring what it computed.  Several runs may be queued before one wait.  None of the parts but wait blocks for the device.  From upload to
 * wait the caller leaves the host buffer of that input alone, from download to wait that of the output.  After a failure of any part what was
 * queued before may still be under way: wait must be called before the host buffers are used again.
 *
 * Threads.  A run is used by one thread at a time.  Different runs are used at the same time, also those that share a device or weights.
 */
#ifndef VRS_BACKEND_BACKEND_H
#define VRS_BACKEND_BACKEND_H

#include <vrseg/session.h>

#include "graph/ir.h"

struct vrs_backend_run;
struct vrs_frame_device;

/* Slots for states (vrs_session_slots_create).  Of each of `states` pairs an entry has so many floats; a slot has them one after another. */
struct vrs_state_slots {
	int count;                /* 0: there are none */
	int states;
	struct vrs_session_state state[VRS_SESSION_STATES_MAX];
	size_t floats[VRS_SESSION_STATES_MAX];
	size_t total;             /* floats of a slot, whose bytes are below SIZE_MAX for all slots together */
};

/*
 * What a device does with slots.  use, keep and write are parts of a run and take their place in its order; read and write return when the host
 * buffer is the caller's again.  Slots and entries are in range.
 */
struct vrs_slot_device {
	/*
	 * Take the memory, with nothing queued, at most once for a run.  The pairs agree in type, floats, size and batch.  VRS_EUNSUPPORTED: these
	 * tensors are not memory of their own on the device; VRS_ELIMIT: device_bytes_max; VRS_ENOMEM, VRS_EDEVICE.
	 */
	enum vrs_status (*create)(struct vrs_backend_run *run, const struct vrs_state_slots *slots, struct vrs_error *err);
	/* Queue copies on the device: of a slot, or zeros where it is less than 0, to an entry of the inputs; back from one of the outputs. VRS_EDEVICE. */
	enum vrs_status (*use)(struct vrs_backend_run *run, int slot, int entry, struct vrs_error *err);
	enum vrs_status (*keep)(struct vrs_backend_run *run, int entry, int slot, struct vrs_error *err);
	/* Wait for all that was queued, and copy a slot to or from the host. VRS_EDEVICE. */
	enum vrs_status (*read)(struct vrs_backend_run *run, int slot, float *to, struct vrs_error *err);
	enum vrs_status (*write)(struct vrs_backend_run *run, int slot, const float *from, struct vrs_error *err);
};

/* Optional members may be NULL. Indices are those of graph->inputs and graph->outputs and in range. */
struct vrs_backend {
	const char *name;
	/*
	 * (device) The devices that a text means, in its order, as options->device of create takes them.  Text is never NULL.  VRS_ENOTFOUND, VRS_ECONFIG:
	 * none, or it is not clear which, and err names those that there are; VRS_ENOMEM.
	 */
	enum vrs_status (*devices)(struct vrs_device_set *ret, const char *text, struct vrs_error *err);
	/*
	 * (optional) Whether it computes in options->precision with options->device_math on any machine; no device is asked, and nothing else of options
	 * is read.  VRS_EINVAL: it does not, err says what it does.  none: create tells.
	 */
	enum vrs_status (*check)(const struct vrs_session_options *options, struct vrs_error *err);
	/*
	 * Prepare a concrete graph (shapes inferred, passes run) for execution.  The graph stays alive and unchanged until destroy; options and all
	 * that they point to, but for options->calibration, only until create returns.  Everything is allocated here; the parts of a run allocate
	 * nothing.  VRS_EUNSUPPORTED: precision or operator; VRS_ENOMEM; of a device also VRS_ENOTFOUND: no device that fits options->device,
	 * VRS_ELIMIT: options->device_bytes_max is too little, VRS_EDEVICE.
	 */
	enum vrs_status (*create)(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err);
	/*
	 * (optional) Another run of the same graph in the same place, with its own tensors and threads, that shares what never changes, such as packed
	 * weights: none: create again.  The runs can be used at the same time and destroyed in any order.  Statuses of create.
	 */
	enum vrs_status (*clone)(struct vrs_backend_run **ret_run, const struct vrs_backend_run *of, struct vrs_error *err);
	/* Waits for what is queued. NULL is fine. */
	void (*destroy)(struct vrs_backend_run *run);
	/*
	 * Dense buffers on the host of graph inputs and outputs, of their tensors' types and dims, 64-byte aligned.  Owned by the run and in the same
	 * place for its life.
	 */
	void *(*input)(struct vrs_backend_run *run, int index);
	void *(*output)(struct vrs_backend_run *run, int index);
	/*
	 * (device; NULL where tensors are memory of the host) Queue the transfer of one input from its host buffer to the device, or of one output
	 * from the device to its host buffer.  An input that is not uploaded keeps its value of the run before.  VRS_EDEVICE.
	 */
	enum vrs_status (*upload)(struct vrs_backend_run *run, int input, struct vrs_error *err);
	enum vrs_status (*download)(struct vrs_backend_run *run, int output, struct vrs_error *err);
	/*
	 * Queue a run of the network.  Where tensors are memory of the host it returns when the outputs are there.  VRS_ESTOPPED: stop_by, the outputs
	 * hold nothing; VRS_EDEVICE.
	 */
	enum vrs_status (*start)(struct vrs_backend_run *run, struct vrs_error *err);
	/*
	 * (device; NULL where tensors are memory of the host) Wait until all that was queued is done; at once when nothing is.  VRS_OK: all of it
	 * succeeded since the last wait.  VRS_ESTOPPED: stop_by, the outputs hold nothing; VRS_EDEVICE: the device failed at any of it.  After every
	 * status nothing is under way.
	 */
	enum vrs_status (*wait)(struct vrs_backend_run *run, struct vrs_error *err);
	/*
	 * (optional, device) Queue that an output of the last start becomes an input of the next one without leaving the device.  Both have the same
	 * type and dims, which the caller has checked.  Downloads of the output are queued before it: afterwards its value on the device is undefined
	 * until the next start, so that buffers can be swapped.  The host buffers stay as they are.  None: the session carries through the host.
	 * VRS_EDEVICE.
	 */
	enum vrs_status (*carry)(struct vrs_backend_run *run, int output, int input, struct vrs_error *err);
	/* (optional) A device ends what is queued as soon as it can, see vrs_session_stop_by. */
	void (*stop_by)(struct vrs_backend_run *run, const atomic_bool *stop);
	/*
	 * Fills isa, steps, macs and bytes, of a device also device, driver, device_order and device_bytes, whose texts live as long as the run. Waits
	 * for nothing.
	 */
	void (*info)(const struct vrs_backend_run *run, struct vrs_session_info *info);
	/* (optional) none: no rows. The rows are owned by the run; times are of runs that wait has seen the end of. */
	int (*profile)(struct vrs_backend_run *run, const struct vrs_op_profile **ret_rows);
	const struct vrs_slot_device *slots; /* (optional, device) none: states of recurrent networks go through the host */
	const struct vrs_frame_device *frames; /* (optional, device) what its devices do with whole frames (frame_device.h) */
	/* (optional, device) The session has a profile: what the queues did in the last run that wait has seen the end of. False: none has ended. */
	bool (*spans)(const struct vrs_backend_run *run, struct vrs_device_span ret_spans[VRS_DEVICE_QUEUES]);
	/* (optional, device) The session has a profile, and nothing is queued: measure the device. VRS_ENOMEM, VRS_EDEVICE. */
	enum vrs_status (*ceilings)(struct vrs_backend_run *run, struct vrs_device_ceilings *ret_ceilings, struct vrs_error *err);
};

extern const struct vrs_backend vrs_backend_null, vrs_backend_ref, vrs_backend_cpu;

#endif
