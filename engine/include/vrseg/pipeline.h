/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One job: video in, matte through the network, video out.
 *
 *     vrs_job_create(&job, input, settings, &err)   opens the input, decides the layout, loads the model, allocates everything
 *     vrs_job_run(job, &err)                        blocks until done, stopped or failed; the output is renamed into place at the end
 *     vrs_job_stats(job)                            counters, also during the run (thread-safe snapshot)
 *     vrs_job_destroy(job)
 *
 * Stages: decode -> preprocess + inference + postprocess -> compose -> encode, joined by bounded queues.  Memory is bounded by queue
 * depth x frame size.  Every queue wait and every stage's busy time is counted; vrbench, the bottleneck finder and --stats read the same
 * counters.
 */
#ifndef VRSEG_PIPELINE_H
#define VRSEG_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vrseg/frame.h>
#include <vrseg/layout.h>
#include <vrseg/memory_plan.h>
#include <vrseg/options.h>
#include <vrseg/session.h>
#include <vrseg/status.h>

enum vrs_stage {
	VRS_STAGE_DECODE,
	VRS_STAGE_PREPROCESS,
	VRS_STAGE_INFERENCE,
	VRS_STAGE_POSTPROCESS,
	VRS_STAGE_COMPOSE,
	VRS_STAGE_ENCODE,
	VRS_STAGE_COUNT,
};

/* "decode", "preprocess", ... */
const char *vrs_stage_name(enum vrs_stage stage);

struct vrs_stage_stats {
	uint64_t frames;
	uint64_t busy_ns;          /* wall time in the stage's own work */
	uint64_t cpu_ns;           /* CPU time of the threads of the stage that we own, with those that help them in a network */
	uint64_t wait_input_ns;    /* starved: waiting for the stage before */
	uint64_t wait_output_ns;   /* blocked: waiting for the stage after */
};

/* A queue of the device that the network runs on, by the device's own clock. */
struct vrs_device_stats {
	uint64_t runs;             /* of the network, in which it had something to do */
	uint64_t busy_ns;          /* while it transferred or computed */
};

#define VRS_TIME_BUCKETS 14 /* the last one is above all bounds */
extern const double vrs_time_bounds[VRS_TIME_BUCKETS - 1]; /* s, ascending */

/* How long something took, frame by frame. */
struct vrs_time_histogram {
	uint64_t counts[VRS_TIME_BUCKETS]; /* [i]: at most vrs_time_bounds[i], and more than the bound before */
	uint64_t sum_ns;
};

#define VRS_LIVE_QUANTILES 3 /* P50, P95, P99 */

/* Of a live job; latency is from a frame's intended start to the moment it is handed to the sink. */
struct vrs_live_stats {
	uint64_t captured, dropped;   /* dropped: because a newer frame came before there was time for them */
	uint64_t skipped;             /* of the dropped: not even decoded, because decoding was too slow */
	uint64_t reused;              /* shown with the matte of the frame before, because the network was too slow */
	uint64_t first_shown_ns, last_shown_ns; /* since the run began */
	uint64_t first_due_ns, last_due_ns;     /* intended start of the same frames */
	uint64_t latency_ns[VRS_LIVE_QUANTILES], max_latency_ns;
	bool known[VRS_LIVE_QUANTILES];     /* there were enough frames */
	uint64_t needs[VRS_LIVE_QUANTILES]; /* frames that the quantile needs */
};

struct vrs_job_stats {
	uint64_t frames_done;      /* encoded */
	uint64_t frames_aside;     /* of those, frames that are not in the output: of segments behind the place where a stop or the input has ended it */
	bool kept;                 /* the job has failed, and its output is there all the same: of an input that broke off the frames before */
	uint64_t frames_reused;    /* done without the network: matte.skip_similar, matte.stride */
	uint64_t early_looks;      /* of the small network (matte.early_exit) */
	uint64_t early_enough;     /* of those, that the large one did not have to repeat */
	double early_confidence;   /* their sum over all looks, each 0..1 */
	uint64_t eyes_compared;    /* frames with two eyes: agreement of their mattes, 0..1, one shifted sideways over the other */
	double eyes_sum, eyes_worst;
	int64_t eyes_worst_frame;
	uint64_t frames_earlier;   /* of the video, that runs before this one have done; nothing else here counts them */
	uint64_t frames_total;     /* of the whole video: estimate from the container; 0: not known */
	uint64_t loop_frames;      /* of an input that has begun anew: those that it holds, every_nth or not; 0: it has not */
	uint64_t wall_ns;          /* since run began */
	uint64_t cpu_ns;           /* whole process */
	uint64_t peak_rss_bytes;
	uint64_t queue_bytes;      /* bound: queue depth x frame size */
	struct vrs_live_stats live;
	struct vrs_stage_stats stage[VRS_STAGE_COUNT];
	struct vrs_device_stats device[VRS_DEVICE_QUEUES]; /* zero on the host, and where nobody asked for times (report.profile, report.trace) */
	struct vrs_time_histogram stage_time[VRS_STAGE_COUNT]; /* from the first work of the stage on a frame to the last; none of frames that it left out */
	struct vrs_time_histogram frame_time; /* from the beginning of decoding (live: the intended start) to the end of encoding */
	int decoded_waiting, composed_waiting; /* frames in the queues at this moment */
};

/* Times of one frame, ns since the run began; written in output order. */
struct vrs_frame_times {
	int64_t index;
	uint64_t intended_ns;      /* live: when the frame was meant to begin; else when its decoding began */
	uint64_t start_ns[VRS_STAGE_COUNT];
	uint64_t end_ns[VRS_STAGE_COUNT];
};

struct vrs_job_info {
	char input[VRS_PATH_MAX];
	int width, height;
	double fps;                 /* average rate of the container; 0: not known */
	double first_seconds;       /* when the first frame of the output comes in the input, since its video begins */
	char codec[32];
	struct vrs_layout layout;
	int eyes;
	struct vrs_rect views[2];   /* part of each eye that the network sees; when it follows people, where it looks for them */
	bool follows;
	bool has_states;            /* the network remembers: what it sees depends on the frames before */
	bool live;
	uint64_t frame_bytes, output_bytes, view_bytes; /* of a decoded picture, a composed one, and the parts that the network sees */
	uint64_t net_macs;          /* multiply-adds of the network, a frame */
	int in_flight;              /* frames between decoder and encoder at most; 0: as many as the queues hold */
	int net_width, net_height;  /* network input */
	char early_model[64];       /* the small network (matte.early_exit); "": none */
	int early_width, early_height; /* of its input */
	uint64_t early_macs;        /* of one of its looks */
	int matte_width, matte_height;
	int batch;                  /* inputs per call */
	int streams, threads;       /* inferences at the same time; CPU threads of each */
	bool composes_apart;        /* a thread of its own composes, beside the only stream */
	int decode_threads, cpus;   /* cpus: that this process may use */
	char pixels[16];            /* "8-bit 4:2:0" */
	char output_mode[16];
	char packing[200];          /* mode alpha: what it makes, for a message; "": another mode */
	bool packing_shifts;        /* and the encoder may shift its discs */
	int output_width, output_height; /* of the pictures that are written */
	int64_t bit_rate;           /* that the encoder is asked for; 0: none */
	char backend[16], isa[16], model[64];
	char device[128], driver[128]; /* as of struct vrs_session_info; "" on the host; of several devices the names of all, and the first driver */
	int devices;                /* that frames are spread over; 0: the backend has none */
	uint64_t device_bytes, device_memory_bytes; /* memory of the device: what the sessions of all streams hold, and all; 0 on the host */
	char device_lowered[80];    /* what too little memory of the device has lowered: "batch 8 to 2, streams 4 to 2"; "": nothing */
	uint64_t net_identity;      /* hash of the network's file and of what belongs to it: weights elsewhere, manifest */
	char kernels[16];           /* as of struct vrs_session_info; of a device a hash of its name, driver and order, too */
	enum vrs_precision precision; /* that the networks run in; never auto */
	char precision_reason[80];  /* why auto has become that; "": it was asked for */
	struct vrs_memory_work memory_work; /* what decides how much memory it takes */
	struct vrs_memory_plan memory;   /* all processes together */
	struct vrs_memory_room memory_room; /* and what it may use */
};

struct vrs_job;

/* What whoever runs the job knows and does. Functions are optional, and called from pipeline threads, one at a time for each kind. */
struct vrs_job_callbacks {
	void *cookie;
	void (*on_frame)(void *cookie, const struct vrs_frame_times *times);       /* (optional) after encode, in order */
	/*
	 * (optional) final matte of one eye at matte size, and the rectangle of the frame (luma samples) that it covers; outside is background.  index is
	 * the frame's number in the output; -1: of a frame before the segment of a video that is made.
	 */
	void (*on_matte)(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers);
	/*
	 * (optional) The output is complete, and gets its name when this returns VRS_OK; file: the name that it has until then.  Called by the thread that
	 * runs the job; not after a stop, nor of pipes and devices.  The time that it takes is none of the job's.
	 */
	enum vrs_status (*check_output)(void *cookie, const char *file, struct vrs_error *err);
	/*
	 * A job that cannot be made again, or is not deterministic, goes on when a device of its network is lost: with the devices that are left, then on
	 * the CPU (vrs_job_lost_device).  False, as of whoever measures: every job fails with VRS_EDEVICE then.
	 */
	bool outlives_device;
	/* (optional) the output is opened from now on: a stream has its header then, also where the job cannot be made */
	void (*on_output)(void *cookie);
	bool plans_only; /* the job will not run: as an output nothing is opened that would see it, as pipes, streams and devices would */
};

/*
 * `input`: path, or "-" for standard input.  `output` in settings: path, "null:" (nothing is encoded), "hash:FILE" (one line per frame),
 * "y4m:FILE" or "y4m:-".  loops > 1 plays the input that many times with state reset (benchmarks), 0 for ever until stopped.
 * Statuses: VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT (input), VRS_EEXIST (output exists without overwrite), VRS_ECONFIG, VRS_EUNSUPPORTED,
 * VRS_ENOMEM.
 */
enum vrs_status vrs_job_create(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings, int loops,
			       const struct vrs_job_callbacks *callbacks, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * VRS_OK, VRS_ESTOPPED (finished frames are saved in a complete, playable file), or the first error of any stage.  VRS_ENOSPC: the output found no
 * space on its disk.  VRS_EDEVICE: a device failed or is lost, and the job can be made again without it (vrs_device_down).
 */
enum vrs_status vrs_job_run(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;
/* Ask a running job to finish the frames in flight and save; thread-safe, also from a signal watcher. */
void vrs_job_stop(struct vrs_job *job);
void vrs_job_stats(const struct vrs_job *job, struct vrs_job_stats *ret_stats);
const struct vrs_job_info *vrs_job_info(const struct vrs_job *job);
void vrs_job_destroy(struct vrs_job *job);

/*
 * Can a job be made again from its first frame after it has failed?  Everything is read once more, and nobody has seen what was written: a pipe has
 * got the header as soon as its output was opened (begun: on_output was told), also where it has no frame yet.
 */
bool vrs_job_repeats(const struct vrs_settings *settings, const char *input, bool begun);
/* Has a run lost a device?  *ret_left: the others, as engine.device takes them; "": none, so that the CPU is left. */
bool vrs_job_lost_device(const struct vrs_job *job, char *ret_left, size_t size);
/* Into the settings of later jobs: the devices that are left; "": none, so the CPU. Where the settings have no device any more nothing is changed. */
void vrs_device_leave(struct vrs_settings *settings, const char *left);
/*
 * The same after VRS_EDEVICE, for another try from the beginning.  One warning tells of it, with the reason.  info: of the job that failed, in whose
 * precision the next one runs, or zeroed.  Always true; where the settings have no device any more nothing is told, either.
 */
bool vrs_device_down(struct vrs_settings *settings, const struct vrs_job_info *info, const char *left, const struct vrs_error *why);

/*
 * Add the counters of another job, or of another part of the same one; the largest memory stays.  Left alone: frames_earlier, frames_total and
 * wall_ns, which the caller knows better, live figures, and what waits in queues.
 */
void vrs_job_stats_add(struct vrs_job_stats *to, const struct vrs_job_stats *from);

/*
 * What a frame costs by plan, on average over the frames of stats: known from sizes and the network, not counted by hardware.  bytes are those of
 * whole pictures: a stage that leaves parts of them alone moves fewer.  0: not known, or nothing (the null backend computes nothing).
 */
struct vrs_frame_work {
	double bytes[VRS_STAGE_COUNT];
	double gflop;               /* of the network, a multiply-add counted as two */
};
struct vrs_frame_work vrs_job_frame_work(const struct vrs_job_stats *stats, const struct vrs_job_info *info);

/* How well the mattes of the two eyes agree, in one line; nothing where there is one eye. */
void vrs_job_print_agreement(const struct vrs_job_stats *stats, FILE *out);

/*
 * Contact sheet of the frame at `seconds`: rows per eye, columns input | matte | composite, written as PNG to `path`.
 * VRS_ECONFIG: `path` is no picture, or the input can be read only once (a pipe); VRS_EEXIST: it exists and settings->output.overwrite is false;
 * VRS_EFORMAT: the input ends before; VRS_EIO: the picture cannot be written; statuses of vrs_source_open, of networks and of sessions.
 */
enum vrs_status vrs_job_preview(const char *input, const struct vrs_settings *settings, double seconds, const char *path, struct vrs_error *err)
	VRS_MUST_CHECK;

/* Video encoders of this build, one line each (--list-encoders). */
void vrs_job_list_encoders(void (*line)(void *cookie, const char *text), void *cookie);
/*
 * Does this build have a video encoder of that name, and does it know an option ("preset", "crf"; NULL: none is asked for)?  Names that stand for
 * another one (auto, hardware) know all options.
 */
bool vrs_job_has_encoder(const char *name, const char *option);
/* Does the output that the settings name use this option of encoders ("output.preset")?  True also where only the encoder itself can tell. */
bool vrs_job_output_uses(const struct vrs_settings *settings, const char *key);

#endif
