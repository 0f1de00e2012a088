/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models: a network file plus its manifest (configs/models/NAME.yaml).
 * Order of calls: vrs_model_load -> vrs_session_create (any number) -> vrs_model_destroy after the last session is gone.
 * A loaded model is immutable and may be shared by threads.
 */
#ifndef VRSEG_MODEL_H
#define VRSEG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>
#include <vrseg/tensor.h>

struct vrs_model;

#define VRS_MANIFEST_MAX_STATES 8
#define VRS_MANIFEST_MAX_DETECTIONS 4
#define VRS_MANIFEST_MAX_CONSTANTS 8
#define VRS_MANIFEST_MAX_VALUES 16
#define VRS_MANIFEST_MAX_TRAINED 32
#define VRS_MODEL_MAX_INPUTS 32

/* What the numbers of the output mean. */
enum vrs_output_kind {
	VRS_OUTPUT_PROBABILITY,
	VRS_OUTPUT_LOGITS,
	VRS_OUTPUT_SOFTMAX2,         /* two classes, the second is the person */
	VRS_OUTPUT_ALPHA_FOREGROUND, /* colours of the foreground, then alpha: 4 channels; or an output of alpha alone */
	VRS_OUTPUT_PROTOTYPES,       /* masks as sums of prototype maps, weighted per detected person */
};

/* A tensor that goes from one frame to the next. */
struct vrs_manifest_state {
	char in[64], out[64];
};

/* An input that is the same for every picture. */
struct vrs_manifest_constant {
	char name[64];
	int count;
	double values[VRS_MANIFEST_MAX_VALUES];
};

/* How pictures go in and mattes come out; read from the manifest by vrs_manifest_load (engine/config). */
struct vrs_manifest {
	char name[64];
	char file[1024];         /* path of the network file; relative paths are relative to the model folders */
	char licence[64];
	char source[256];
	char sha256[65];         /* "" : not checked */
	int input_width, input_height; /* native size */
	int size_multiple;       /* other sizes must be multiples of this; 0: only the native size */
	int vr_size[2][2], flat_size[2][2]; /* [enum vrs_auto_size]: width, height of inputs from VR and from flat pictures; 0 0: the native size */
	int trained_count;       /* sizes that mattes are good at; 0: not known */
	int trained[VRS_MANIFEST_MAX_TRAINED][2]; /* width, height */
	bool bgr;
	float mean[3], scale[3]; /* value = (rgb/255 - mean) * scale */
	char input_name[64];     /* of the picture; "": the first input that is no state */
	enum vrs_output_kind output_kind;
	char output_name[64];    /* of the matte or the prototypes; "": the first output */
	int output_channel;      /* of the matte in that output; -1: the first (alpha_foreground: the last, softmax2: the second) */
	int state_count;
	struct vrs_manifest_state states[VRS_MANIFEST_MAX_STATES];
	int constant_count;
	struct vrs_manifest_constant constants[VRS_MANIFEST_MAX_CONSTANTS];
	/* Prototypes only: outputs with detections, classes in each, the class that is a person, least score of a detection (0: 0.25). */
	int detection_count;
	char detections[VRS_MANIFEST_MAX_DETECTIONS][64];
	int classes, person_class;
	float threshold;
	uint64_t content;        /* hash of every key and value of the manifest, known or not; 0: a network file without one */
};

struct vrs_model_info {
	const char *path;
	const char *format;      /* "tflite", "onnx" */
	int inputs, outputs, nodes;
	uint64_t parameters;     /* weights and biases */
	uint64_t hash;           /* 64-bit content hash of the file and of the weights that it keeps in other files */
	int input_width, input_height, input_channels; /* of input 0 as stored in the file; 0: left open, or no picture */
	bool nchw;               /* maps lie as [N][C][H][W], not [N][H][W][C] */
};

/*
 * Load a network file; the format is recognised by content.
 * VRS_ENOTFOUND/VRS_EIO: no such file or unreadable; VRS_EFORMAT: damaged (err says where, as a byte offset);
 * VRS_EUNSUPPORTED: names every operator that is not supported; VRS_ELIMIT: above a limit of model_limits.h; VRS_ENOMEM.
 */
enum vrs_status vrs_model_load(struct vrs_model **ret_model, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* The same, of a file whose SHA-256 is known (64 lower-case digits; NULL: it is not): what is hashed is what is parsed. VRS_EFORMAT. */
enum vrs_status vrs_model_load_known(struct vrs_model **ret_model, const char *path, const char *sha256, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Same from memory; `name` is used in messages.  The bytes may be freed after the call.  VRS_EUNSUPPORTED also for an ONNX file with weights in other
 * files; VRS_EINVAL: an argument is missing.
 */
enum vrs_status vrs_model_load_memory(struct vrs_model **ret_model, const void *data, size_t size, const char *name, struct vrs_error *err)
	VRS_MUST_CHECK;
void vrs_model_destroy(struct vrs_model *model); /* NULL is fine */
struct vrs_model_info vrs_model_info(const struct vrs_model *model);
/* An input or output as the file declares it. */
struct vrs_tensor_info {
	const char *name;        /* NULL: there is no such index */
	enum vrs_dtype dtype;
	int rank;
	int64_t dims[VRS_MAX_RANK]; /* in the model's own layout; -1: the file leaves it open */
};

/* Valid until the model is destroyed. */
struct vrs_tensor_info vrs_model_input(const struct vrs_model *model, int index);
struct vrs_tensor_info vrs_model_output(const struct vrs_model *model, int index);
/*
 * The outputs that a manifest speaks of (matte, detections, states), bit i for output i: what vrs_session_options.outputs takes.  0, which is all of
 * them: a name that the network does not have.
 */
uint32_t vrs_model_wanted_outputs(const struct vrs_model *model, const struct vrs_manifest *manifest);
/* Does input `index` hold sizes, scales, axes or the like: values that must be known before a session can be made (input_values)? */
bool vrs_model_input_gives_sizes(const struct vrs_model *model, int index);

/* The inputs of a model made concrete: what vrs_session_options.input_shapes and .input_values take. */
struct vrs_model_inputs {
	int count;
	struct vrs_shape shapes[VRS_MODEL_MAX_INPUTS];
	const void *values[VRS_MODEL_MAX_INPUTS]; /* of constants; NULL: given for each run */
	void *storage;                            /* of the values */
};

/*
 * Sizes of all inputs for pictures of width x height (0: the file's own size, the manifest's where the file leaves it open).  States that the file
 * leaves open get the sizes that make them and their outputs equal.  `ret` keeps no pointer to the model or the manifest; free it with
 * vrs_model_inputs_fini.
 * VRS_ECONFIG: a name that the network does not have, an input that the manifest says nothing of, a constant of another size; VRS_EUNSUPPORTED: no
 * sizes fit, or an input type that constants cannot have; VRS_EINVAL, VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_model_inputs_find(struct vrs_model_inputs *ret, const struct vrs_model *model, const struct vrs_manifest *manifest, int batch,
				      int width, int height, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_model_inputs_fini(struct vrs_model_inputs *inputs); /* a zeroed one is fine */

#endif
