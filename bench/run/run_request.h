/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a child process is told (JSON on its standard input) and what it answers (one JSON line, the last of its standard output).
 */
#ifndef VRS_BENCH_RUN_REQUEST_H
#define VRS_BENCH_RUN_REQUEST_H

#include <vrseg/config.h>

#include "base/buf.h"
#include "base/json.h"
#include "bench/record/frame_recorder.h"
#include "bench/record/matte_score.h"
#include "bench/record/result.h"

#define VRS_RUN_CASE_FLAG "--run-case"    /* hidden action of every program that measures */
#define VRS_RUN_TEXT_MAX (1u << 20)
#define VRS_RUN_SCHEMA "vrbench-run/1"    /* of request and reply; a build whose replies say another one cannot be compared with */

struct vrs_run_request {
	const char *program;              /* that runs it; NULL: the runner's own. Not sent */
	bool probe;                       /* only open the job and tell what it is */
	bool ceilings;                    /* measure what the machine can do, and nothing else; sent as a probe, which is all that older builds see in it */
	bool calibrate;                   /* calibrate the network with the input, and keep that */
	bool net_only;                    /* the network alone, without a job */
	double live_hz;                   /* frames a second of a live run; 0: offline */
	int eyes;                         /* net_only: inputs of a frame */
	char input[VRS_PATH_MAX];
	char output[VRS_PATH_MAX];        /* "null:" or a file that the child removes at the end */
	char frames_file[VRS_PATH_MAX];   /* where frame times go; "": nowhere */
	char mattes_file[VRS_PATH_MAX];   /* where the mattes of the first frames go; "": nowhere */
	char reference_file[VRS_PATH_MAX]; /* mattes to compare with; "": none */
	char truth_file[VRS_PATH_MAX];    /* headerless 8-bit alpha; "synth:": of a synth: input; "": none */
	int truth_width, truth_height;
	int64_t truth_frames;
	bool truth_loops;                 /* the input begins anew after truth_frames; false: of later ones there is no truth */
	char soak_file[VRS_PATH_MAX];     /* where the windows of a long run go; "": it is none */
	int quality_frames;               /* frames whose mattes are kept; 0: none */
	int encode_frames;                /* frames that are compared with the encoder's input; 0: none */
	char plain_file[VRS_PATH_MAX];    /* where that input goes meanwhile */
	double slowdown;                  /* frames come slower by this share, to prove that a gate can fail; 0: as fast as they can */
	double timeout_seconds;           /* 0: the plan's. Not sent */
	struct vrs_recorder_rules rules;
};

/* What the job turned out to be. */
struct vrs_run_info {
	int width, height, eyes, batch, threads, streams, net_width, net_height;
	double fps;                       /* of the container; 0: not known */
	int64_t frames;                   /* estimated; 0: not known, or without end */
	/* For the memory plan: frames of the decoder, and bytes of a picture, of weights, of each input in a call, and of the states of a stream. */
	int references;
	int64_t frame_bytes, weight_bytes, input_bytes, state_bytes;
	enum vrs_stereo layout;           /* AUTO: there is no job that has decided it */
	char projection[16], backend[16], isa[16], model[64];
	char device[128], driver[128];    /* of a backend of devices; "" on the host */
	int64_t device_bytes, device_limit_bytes; /* as of struct vrs_case_result; 0: on the host */
};

struct vrs_run_reply {
	enum vrs_status status;           /* of the job; VRS_OK: run holds values */
	char error[512];
	struct vrs_run run;
	struct vrs_run_info info;
	struct vrs_result_ceilings ceilings; /* answer to a request for them */
};

/* Request and the values of every option of config that differs from the built-in defaults, as JSON text. */
enum vrs_status vrs_run_request_write(const struct vrs_run_request *request, const struct vrs_config *config, struct vrs_buf *out,
				      struct vrs_error *err);
/* Back; values are set in config as if given as flags. VRS_EFORMAT names the key. */
enum vrs_status vrs_run_request_read(const char *text, size_t length, struct vrs_run_request *ret_request, struct vrs_config *config,
				     struct vrs_error *err);
/* What sessions may hold of the memory of a device, with this share of it (0: none was set); 0: they run on the host. */
int64_t vrs_run_device_limit(uint64_t device_memory_bytes, double share);
/* Did a job end so for want of memory? Its memory plan refuses it by a limit. */
static inline bool vrs_run_lacks_memory(enum vrs_status status)
{
	return status == VRS_ENOMEM || status == VRS_ELIMIT;
}
enum vrs_status vrs_run_reply_write(const struct vrs_run_reply *reply, FILE *out);
/* Takes the last line of text. VRS_EFORMAT when it is no reply; VRS_EUNSUPPORTED when another version of vrbench speaks another schema. */
enum vrs_status vrs_run_reply_read(const char *text, size_t length, struct vrs_run_reply *ret_reply, struct vrs_error *err);

#endif
