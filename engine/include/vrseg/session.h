/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session runs one model for one concrete input size and batch on one backend: tensors in, tensors out.  It knows nothing of video.
 *
 *     vrs_session_create(&s, model, &options, &err);
 *     struct vrs_tensor_view in = vrs_session_input(s, 0);    write in.data, NHWC float
 *     vrs_session_run(s, &err);
 *     struct vrs_tensor_view out = vrs_session_output(s, 0);  read out.data until the next run
 *
 * A session is used by one thread at a time; its own worker threads are inside.  Different sessions run at the same time.
 *
 * vrs_session_run is made of parts.  A caller that has other work while a device transfers and computes calls them itself:
 *
 *     vrs_session_upload(s, 0, &err);     queue: the input, from its view to the device
 *     vrs_session_start(s, &err);         queue: a run
 *     vrs_session_download(s, 0, &err);   queue: the output, from the device to its view
 *     ...                                 other work
 *     vrs_session_wait(s, &err);          all of it is done
 *
 * The work has the effect of being done in the order of the calls; several runs may be queued before one wait.  From upload to wait the view of the
 * input is left alone, from download to wait that of the output, and both also after a failure: what was queued before it may still be under way
 * until vrs_session_wait has returned.  On the host a start computes before it returns, and the other parts have nothing to do, so that one code
 * serves all backends.
 */
#ifndef VRSEG_SESSION_H
#define VRSEG_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/model.h>
#include <vrseg/status.h>
#include <vrseg/tensor.h>

struct vrs_names;
struct vrs_session;
struct vrs_calibration;

/* AUTO: see vrs_precision_choose */
enum vrs_precision {
	VRS_PRECISION_AUTO, VRS_PRECISION_FP32, VRS_PRECISION_FP16, VRS_PRECISION_BF16, VRS_PRECISION_INT8, VRS_PRECISION_MIXED
};

/*
 * Where the threads of sessions run.  AUTO: where the system likes on a machine with one memory node; with several, among the cores of one node,
 * whose memory the session then takes.  NONE: where the system likes.  CORES: each on a core of its own.
 */
enum vrs_affinity { VRS_AFFINITY_AUTO, VRS_AFFINITY_NONE, VRS_AFFINITY_CORES };

/* How many ways to compute a convolution on a device are timed: none, a few, all. */
enum vrs_device_tune { VRS_DEVICE_TUNE_NONE, VRS_DEVICE_TUNE_FAST, VRS_DEVICE_TUNE_FULL };

/* What convolutions on a device multiply: floats; halves, whose sums of 16 products are added up in floats; bytes, four to a dot product. */
enum vrs_device_math { VRS_DEVICE_MATH_FLOAT, VRS_DEVICE_MATH_HALF, VRS_DEVICE_MATH_DOT };

/* Fill with vrs_session_options_default() first. */
struct vrs_session_options {
	const char *backend;          /* "auto" (default: cpu), "cpu", "opencl", "ref", "null"; NULL: "auto" */
	/*
	 * The device of a backend of devices, in that backend's words; "" or NULL (default): the first that suits.  Of several, with + between, it is the
	 * first, and the others stand in for it (replace_lost).  Read during vrs_session_create only.  Backends of the host ("cpu", "ref", "null") have
	 * no devices and ignore this and the next eight.
	 */
	const char *device;
	/*
	 * Default false: a device that fails or is lost in vrs_session_run is VRS_EDEVICE.  True: the run is made again on the next device of the list,
	 * after the last of them on the CPU, with the same inputs, and so are all later runs; an input that vrs_session_carry or a slot has filled on the
	 * lost device begins at zero, and the session has no slots any more.  One warning tells of it.  The parts of a run fail all the same.
	 */
	bool replace_lost;
	/*
	 * Memory of the device that the process may hold with this session, its clones, and all else it has there, in bytes; 0 (default): no limit but the
	 * device's own.
	 */
	int64_t device_bytes_max;
	double device_memory_share;   /* the same as a share of the device's own memory, 0 to 1; the smaller limit counts; 0 (default): none */
	bool program_cache;           /* default true: what is built and timed for the device is kept in the cache folder and read from there */
	/*
	 * Ways to compute each convolution that are timed on the device while the session is made; the best are kept in the cache folder.  Default
	 * none.  With deterministic only ways that sum in the same order are timed.
	 */
	enum vrs_device_tune device_tune;
	bool pinned_memory;           /* default true: inputs and outputs lie in memory that the driver has pinned; false: in plain memory */
	/* Default true: transfers have queues of their own, and run beside the kernels of other sessions; false: they wait in the queue of the kernels. */
	bool async_transfers;
	bool command_replay;          /* default false; true: kernels are recorded once and repeated, where the device has command buffers */
	/*
	 * Default float.  HALF goes with fp16 and needs a device with cl_khr_fp16; DOT with int8 and mixed and cl_khr_integer_dot_product.  On what
	 * they have run: docs/opencl.md.
	 */
	enum vrs_device_math device_math;
	/*
	 * Default fp32.  On the CPU fp16 (IEEE half) and bf16 are storage formats: large activations, and weights that many pixels share, take
	 * 16 bits and are widened where they are used; weights have the precision of the format everywhere; arithmetic, sums, biases, inputs
	 * and outputs stay float.  Every CPU has both.  bf16 also multiplies in bf16 with float sums where the CPU can (AVX512-BF16); fp16 never
	 * turns into bf16, which has 3 bits less.
	 */
	enum vrs_precision precision;
	int64_t half_min_bytes;       /* fp16, bf16: activations of at least this many bytes as floats take 16 bits; -1 (default): those that leave
				       * the cache, where half the traffic pays for the conversions; 0: all between regions (least memory) */
	const struct vrs_calibration *calibration; /* int8 and mixed need one (vrseg/calibration.h); must outlive the session. NULL: none */
	int threads;                  /* 0: every allowed CPU; else 1..1024 */
	enum vrs_affinity affinity;   /* default AUTO; advice, since a system may refuse to bind threads */
	int batch;                    /* inputs per run, 1..256; default 1 */
	int input_width, input_height; /* 0: the model's own */
	bool pictures_nhwc;           /* tensors of four dims are given and taken as [N][H][W][C], also where the model has [N][C][H][W]; default false */
	/*
	 * Outputs that the caller reads, bit i for output i of the model; 0 (default): all.  The session has no others, and does not compute them.
	 * In int8 and mixed, whose calibration is one for the whole network, it has all.
	 */
	uint32_t outputs;
	bool fusion;                  /* default true; false runs the graph as imported (for tests and for measuring fusion) */
	bool deterministic;           /* default true: the same bits on every run and thread count, whatever fenv.h has set in the caller */
	/*
	 * Default false.  True times, while the session is made, what could compute each convolution, and keeps the choices in the cache folder; with
	 * deterministic only what gives the same bits is timed.
	 */
	bool autotune;
	bool profile;                 /* per-operator times; costs a little; default false */
	/*
	 * Networks whose inputs are not one picture: a shape for each input of the model, in its order; batch, input_width and input_height then do
	 * not count.  NULL (default): the model's own shapes with the batch and size above.  Read during vrs_session_create only.
	 */
	const struct vrs_shape *input_shapes;
	int input_shape_count;
	/*
	 * With input_shapes: values of inputs that are the same in every run, in the input's type and shape, dense; NULL for an input that is written
	 * before each run.  The session has no such input any more, its sizes may depend on them.  NULL (default): none.  Read during
	 * vrs_session_create only.
	 */
	const void *const *input_values;
};

struct vrs_tensor_view {
	const char *name;
	enum vrs_dtype dtype;
	int rank;
	int dims[VRS_MAX_RANK];       /* in the model's own layout, or see pictures_nhwc */
	float *data;                  /* raw when dtype is VRS_F32, else NULL */
	void *raw;                    /* dense, 64-byte aligned; owned by the session */
	size_t elements, bytes;
};

/* One executed step, for profiles. */
struct vrs_op_profile {
	const char *name;             /* "conv2d 1x1 16->64 +hswish @64x64" */
	const char *kernel;           /* for example "conv1x1_f32_6x16__avx2" */
	uint64_t macs;                /* per run, whole batch */
	uint64_t bytes;               /* activations and weights touched per run */
	uint64_t weight_bytes;        /* of them weights */
	uint64_t total_ns;            /* summed over runs */
	uint64_t runs;
	uint64_t items;               /* work-items of a kernel of a device; 0: the host, or a transfer */
};

/* The queues of a device, in the order in which a run uses them: inputs up, kernels, outputs down. */
enum vrs_device_queue { VRS_DEVICE_UP, VRS_DEVICE_COMPUTE, VRS_DEVICE_DOWN, VRS_DEVICE_QUEUES };

/* What a queue did in a run, timed by the device and put on the clock of vrs_now_ns (base/clock.h). */
struct vrs_device_span {
	uint64_t begin_ns, end_ns;    /* of the first command and of the last one */
	uint64_t busy_ns;             /* the commands themselves, without what lies between them */
	int commands;                 /* that have a time; 0: there was none, or the device tells no times */
};

/* What a device can do at best, measured.  GFLOP/s count a multiply-add as two; GB are 1e9 bytes.  0: the device has given no time. */
struct vrs_device_ceilings {
	double fma_gflops;            /* fp32 in registers, on all compute units */
	double copy_gbps;             /* bytes read and written in the memory of the device a second */
	double upload_gbps, download_gbps; /* between pinned memory of the host and the device */
	double launch_us;             /* from one empty kernel to the next in a queue */
	int64_t full_items;           /* work-items that occupy the whole device */
};

#define VRS_DEVICES_MAX 16
#define VRS_DEVICES_TEXT 64 /* bytes of the texts of so many devices, with + between */

/* Devices that a text means (vrs_session_devices). */
struct vrs_device_set {
	int count;                    /* 0: the backend has none */
	struct vrs_device_entry {
		char text[12];        /* means this device alone, as long as the process lives */
		char name[128], driver[128];
		uint64_t order;       /* hash of what else its bits depend on: two with the same name, driver and order give the same bits */
	} device[VRS_DEVICES_MAX];
};

struct vrs_session_info {
	const char *backend;          /* chosen one */
	const char *isa;              /* "ref", "avx2", "avx512" */
	enum vrs_precision precision; /* never AUTO */
	const char *kernels;          /* what outputs depend on: isa, or "avx512bf16" where bf16 is multiplied in 16 bits */
	int threads;
	int bound_threads;            /* of them, those bound to cores or nodes (enum vrs_affinity) */
	int sharers;                  /* sessions that share the weights, this one included (vrs_session_clone) */
	int steps;                    /* executed steps per run after fusion */
	uint64_t macs;                /* per run, whole batch, after fusion: the sum of the profile's */
	size_t arena_bytes, arena_lower_bound_bytes, weight_bytes, scratch_bytes;
	const char *device;           /* name of the device, "" on the host; lives as long as the session */
	const char *driver;           /* its driver with the version, "" on the host; as device */
	uint64_t device_order;        /* hash of what else outputs depend on, such as compute units; 0 on the host */
	size_t device_bytes;          /* memory of the device that the session holds; 0 on the host */
	uint64_t device_memory_bytes; /* all memory of the device; 0 on the host, or not known */
	int devices_lost;             /* of the list that are behind it (replace_lost): lost, or not there when their turn came */
};

struct vrs_session_options vrs_session_options_default(void);
/* The name of the backend that "auto" or a name stands for; NULL: this build has none of that name. Thread-safe; the text lives for ever. */
const char *vrs_backend_name(const char *name);
/* Does the backend of this name run on devices, among which options.device chooses?  False where this build has no such backend. Thread-safe. */
bool vrs_backend_has_devices(const char *name);
/*
 * The devices that a text (options.device; NULL: "") means to the backend of a name, in the order of the text.  VRS_OK with a count of 0: the backend
 * has no devices.  VRS_ENOTFOUND: no such backend or device; VRS_ECONFIG: several devices match a part of the text, or a part is empty; VRS_ENOMEM.
 * Any thread.
 */
enum vrs_status vrs_session_devices(struct vrs_device_set *ret, const char *backend, const char *text, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Does the backend of options->backend compute in options->precision with options->device_math on any machine?  Nothing else is read.
 * VRS_EINVAL: no, and err says what it does; VRS_ENOTFOUND: no such backend.  Thread-safe.
 */
enum vrs_status vrs_backend_check(const struct vrs_session_options *options, struct vrs_error *err) VRS_MUST_CHECK;
/* False for a backend that runs no network ("null"), so that its time and mattes are those of a job without one. Thread-safe. */
bool vrs_backend_computes(const char *name);
/*
 * VRS_EINVAL: options out of range, or what vrs_backend_check refuses; VRS_EUNSUPPORTED: size or operator that this backend cannot run, or a
 * precision that this device lacks (err names it);
 * VRS_ENOTFOUND: no such backend, or no such device; VRS_ELIMIT: a size beyond the limits of networks, or device_bytes_max is too little;
 * VRS_EDEVICE: the device fails; VRS_EINTERNAL: the system refuses a thread; VRS_ENOMEM.  The model must outlive the session.
 */
enum vrs_status vrs_session_create(struct vrs_session **ret_session, const struct vrs_model *model, const struct vrs_session_options *options,
				   struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Another session of the same network, size and options, with its own tensors and threads, for streams that run at the same time: packed weights and
 * plans exist once.  With an affinity it takes the next cores.  `of` must not be used by another thread meanwhile; afterwards the sessions are
 * independent and are destroyed in any order.  Statuses of vrs_session_create.
 */
enum vrs_status vrs_session_clone(struct vrs_session **ret_session, const struct vrs_session *of, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_session_destroy(struct vrs_session *session); /* NULL is fine */
/* Views of input and output tensors, valid until destroy; all zeros when there is no such index. */
struct vrs_tensor_view vrs_session_input(struct vrs_session *session, int index);
struct vrs_tensor_view vrs_session_output(struct vrs_session *session, int index);
/*
 * All inputs up, a run, all outputs down.  An input that vrs_session_carry or a slot has filled is not uploaded, and an output that slots take is not
 * downloaded (vrs_session_slots_create).  VRS_ESTOPPED: vrs_session_stop_by;
 * VRS_EDEVICE: the device failed or is lost (see replace_lost), and the session is of no more use.  After a failure the outputs hold nothing, and
 * nothing is under way.
 */
enum vrs_status vrs_session_run(struct vrs_session *session, struct vrs_error *err) VRS_MUST_CHECK;
/* The parts of it, see above.  VRS_EINVAL: no such input. VRS_EDEVICE. */
enum vrs_status vrs_session_upload(struct vrs_session *session, int input, struct vrs_error *err) VRS_MUST_CHECK;
/* VRS_ESTOPPED, VRS_EDEVICE. */
enum vrs_status vrs_session_start(struct vrs_session *session, struct vrs_error *err) VRS_MUST_CHECK;
/* VRS_EINVAL: no such output, or nothing has run since the last failure. VRS_EDEVICE. */
enum vrs_status vrs_session_download(struct vrs_session *session, int output, struct vrs_error *err) VRS_MUST_CHECK;
/* VRS_OK: all that was queued is done. VRS_ESTOPPED: the outputs hold nothing; VRS_EDEVICE. Nothing is under way after any status. */
enum vrs_status vrs_session_wait(struct vrs_session *session, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The output of the last run becomes an input of the next ones, on a device without a way through the host where its backend can (else the call waits
 * as vrs_session_wait does).  Downloads of the output belong before it.  The input keeps the value until vrs_session_upload or another carry; whoever
 * writes its view again calls vrs_session_upload.  VRS_EINVAL: no such input or output, their types or shapes differ, or nothing has run since the
 * last failure; VRS_ESTOPPED, VRS_EDEVICE as of wait.
 */
enum vrs_status vrs_session_carry(struct vrs_session *session, int output, int input, struct vrs_error *err) VRS_MUST_CHECK;

#define VRS_SESSION_STATES_MAX 8

/* A state of a recurrent network: what an output gives for an entry of the batch, an input takes for the same people in a later run. */
struct vrs_session_state {
	int input, output;
	bool is_read;                 /* the caller reads the view of the output as well */
};

/*
 * Slots for states: memory of the session's device, each of `count` slots for all states of one entry of the batch, so that they need not leave the
 * device between runs.
 *
 *     vrs_session_slot_use(s, 3, 0);      queue: what slot 3 holds is what entry 0 of the next run begins with
 *     vrs_session_run(s, &err);           pictures up, a run, and down what no slot takes
 *     vrs_session_slot_keep(s, 0, 3);     queue: slot 3 holds what that run has made for entry 0
 *
 * The calls have the effect of being done in their order, and of runs between them.  From creation on runs do not download outputs of states, unless
 * is_read, and do not upload inputs that a slot has filled.  A slot holds nothing before it is kept or written.  Once for a session; a clone has
 * none.
 * VRS_OK; VRS_EINVAL: no such input or output, or no slots; VRS_EUNSUPPORTED: tensors are memory of the host, where a slot would gain nothing, or not
 * of floats, or input and output differ in size; VRS_ENOMEM, VRS_ELIMIT: the device has too little memory, or may not give it.  After these all is as
 * it was.  VRS_EDEVICE.  The session's thread.
 */
enum vrs_status vrs_session_slots_create(struct vrs_session *session, const struct vrs_session_state *states, int state_count, int count,
					 struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Has the session slots?  No more, once a run has replaced a lost device (replace_lost): what they held is gone, runs begin with states of zeros, and
 * move all inputs and outputs again.  Ask after each run, and before each of the next calls, which need slots. The session's thread.
 */
bool vrs_session_has_slots(const struct vrs_session *session);
/* slot less than 0: zeros. The entry is one of the batch. A failure is told by the next run. The session's thread. */
void vrs_session_slot_use(struct vrs_session *session, int slot, int entry);
/* After a run that succeeded. The entry is one of the batch. A failure is told by the next run. The session's thread. */
void vrs_session_slot_keep(struct vrs_session *session, int entry, int slot);
/*
 * Wait for what a slot holds, and get it: the states one after another, in the order of creation, each of the elements of a view over the batch.
 * VRS_EDEVICE: the device failed, which the next run tells as well.  With replace_lost that run replaces it; here it is VRS_OK and zeros then.
 * The session's thread.
 */
enum vrs_status vrs_session_slot_read(struct vrs_session *session, int slot, float *to, struct vrs_error *err) VRS_MUST_CHECK;
/* The other way; `from` may be written again afterwards. A failure is told by the next run. The session's thread. */
void vrs_session_slot_write(struct vrs_session *session, int slot, const float *from);
/*
 * A run ends soon after any thread has set *stop, whatever its threads work on or wait for; NULL (as at first): never.  It is complete or
 * VRS_ESTOPPED, also when *stop has been cleared meanwhile.  The flag must outlive the session's runs. Not from start to wait; a clone has none.
 */
void vrs_session_stop_by(struct vrs_session *session, const atomic_bool *stop);
struct vrs_session_info vrs_session_info(const struct vrs_session *session);
/* Profile rows (only with options.profile); returns their number, *ret_rows stays valid until the session is destroyed. */
int vrs_session_profile(struct vrs_session *session, const struct vrs_op_profile **ret_rows);
/*
 * What each queue of the device did in the last run that vrs_session_wait has seen the end of, for one lane of a trace each (only with
 * options.profile).  False: the session has no device, or no run has ended.  A span ends at the latest when that wait returned.
 */
bool vrs_session_device_spans(const struct vrs_session *session, struct vrs_device_span ret_spans[VRS_DEVICE_QUEUES]);
/*
 * Measure what the device of the session can do at best, in about a second (only with options.profile).  Nothing may be queued, and the device
 * should be idle; it takes 128 MiB of its memory meanwhile.  VRS_EUNSUPPORTED: the session runs on the host; VRS_EINVAL: without a profile;
 * VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_session_ceilings(struct vrs_session *session, struct vrs_device_ceilings *ret_ceilings, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * What VRS_PRECISION_AUTO stands for with a backend: int8 where there is a calibration (NULL: none) that passed its guard
 * (vrs_calibration_info.passes), bf16 where the CPU multiplies in bf16, else fp32; always fp32 with a backend other than cpu: on a
 * device fp16 changes mattes, and what it gains is not known yet.  *ret_reason (optional): why, in words that live for ever.  Thread-safe.
 */
enum vrs_precision vrs_precision_choose(const char *backend, const struct vrs_calibration *calibration, const char **ret_reason);
/* "auto", "fp32", "fp16", "bf16", "int8", "mixed". */
const char *vrs_precision_name(enum vrs_precision precision);
/* The same as a table (base/names.h), which also reads them. */
extern const struct vrs_names vrs_precision_names;

#endif
