/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of a job.  Threads: one decoder, `streams` workers (preprocess, inference, postprocess, compose), and the caller of vrs_job_run, which
 * encodes.
 *
 *     decode --(decoded)--> worker x streams --(composed)--> encode
 *
 * Both queues deliver in frame order.  Workers take `group` consecutive frames at a time, run them as batches, pass the turn (postprocess keeps the
 * past, so frames go through it in order), and compose in parallel.  A frame whose matte needs frames to come waits behind the turn (matte_stage.h).
 * The first error aborts queues and turn; all threads then end at once.
 */
#ifndef VRS_PIPELINE_JOB_H
#define VRS_PIPELINE_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include <vrseg/pipeline.h>

#include "base/latency.h"
#include "matte/composite.h"
#include "matte/follow.h"
#include "matte/matte_shrink.h"
#include "matte/roi_warp.h"
#include "matte/preprocess.h"
#include "matte/regions.h"
#include "compose/backdrop_feed.h"
#include "roi/cascade.h"
#include "compose/alpha_frame.h"
#include "compose/exclude_option.h"
#include "flow/inflight.h"
#include "compose/frame_pool.h"
#include "roi/head.h"
#include "pipeline/segment.h"
#include "pipeline/live_clock.h"
#include "pipeline/live_skip.h"
#include "job/matte_cache.h"
#include "pipeline/matte_stage.h"
#include "roi/network.h"
#include "compose/pack_step.h"
#include "roi/reuse.h"
#include "flow/sequencer.h"
#include "flow/stage_queue.h"
#include "pipeline/thread_plan.h"
#include "flow/trace.h"
#include "video/sink.h"
#include "video/source.h"
#include "vr/rectilinear_view.h"

#define VRS_MAX_EYES 2
#define VRS_FOLLOW_LAG 4 /* a frame looks where the people were that many frames before */

/* A frame on its way. */
struct vrs_frame_task {
	struct vrs_frame frame;
	struct vrs_frame behind;  /* picture of a background video for this frame; empty: none */
	uint64_t seq;             /* 0, 1, 2 .. over all loops */
	uint64_t place;           /* among the frames that are written; not for those of the preroll */
	uint64_t loop_seq;        /* of the first frame of this loop: the past is forgotten before it */
	bool late;                /* live: newer ones wait for the network already, so that it gets the matte of the frame before */
	bool preroll;             /* only for the past or the future that other frames need: not composed, not written */
	int64_t intended_ns;      /* live: when the frame was meant to begin, since the run began */
	struct vrs_frame_times times;
};

/* What the network saw: place input * of_input + number, where that is the region, or the view of a survey. */
struct vrs_roi_set {
	int of_input;
	struct vrs_rect *rects;               /* [room * eyes * of_input] */
	float *alpha;                         /* [..][matte_height * matte_width of the network] */
};

/* What one worker thread needs; made before the run, so that workers allocate nothing. */
struct vrs_worker {
	struct vrs_job *job;
	int number;
	pthread_t thread;
	bool started;
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_cascade_look *small;       /* the small network; NULL: none */
	struct vrs_scene_signature past[VRS_MAX_EYES]; /* of the frame before; only networks with states need it */
	bool has_past[VRS_MAX_EYES];
	struct vrs_preprocess *preprocess[VRS_MAX_EYES];
	struct vrs_rectilinear_look *flat;          /* NULL: parts are looked at as they are */
	struct vrs_composite *composite;
	struct vrs_frame_task **group;              /* [room] */
	struct vrs_frame_task **part;               /* the frames of the group that are worked on together */
	enum vrs_reuse *reuse;                /* [room] of the part's frames */
	struct vrs_luma_view input_view[VRS_MAX_EYES], luma_view[VRS_MAX_EYES]; /* luma at the size of inputs and of mattes */
	uint8_t *compared;                    /* [input_height * input_width] */
	struct vrs_rect *views;               /* [room * eyes] that the mattes of the part cover */
	struct vrs_regions *now, *next;       /* [room * eyes] looked at, and where to look in later frames */
	struct vrs_roi_set looks, wide;      /* of all regions; further scales of them */
	struct vrs_roi_set survey;           /* of_input 0: none (survey.h) */
	struct vrs_region_finder *finder;     /* NULL: there is one region */
	struct vrs_roi_warp moved;               /* from a region to its matte */
	struct vrs_roi_warp scaled;              /* from a wider view to a region */
	struct vrs_matte_shrink shrink;       /* from a look to a smaller matte */
	float *moved_alpha;                   /* of a matte or a look */
	struct vrs_exclusion_view *excluded[VRS_MAX_EYES]; /* NULL: nothing */
	int *open, *again;                    /* [room * eyes * regions] places in looks that are to be looked at, now and then */
	int *surveyed;                        /* [room * eyes * of_input] places in survey */
	float *alpha;                         /* [room * eyes][matte_height * matte_width] */
	uint8_t *luma;                        /* the same of the picture; NULL: not needed */
	struct vrs_scene_signature *scenes;   /* [room * eyes] */
	struct vrs_frame_task **ready;              /* [room] frames with finished mattes */
	struct vrs_rect *shown;               /* [room * eyes] parts that their mattes cover */
	uint8_t *mattes;                      /* [room * eyes][matte_height * matte_width] of ready frames */
};

struct vrs_job {
	struct vrs_settings settings;
	struct vrs_job_info info;
	struct vrs_job_callbacks callbacks;
	int loops;
	bool is_segment;
	struct vrs_segment segment;             /* of a video, when is_segment */
	struct vrs_thread_plan plan;
	struct vrs_source *source;
	struct vrs_sink *sink;
	struct vrs_sink_options sink_options; /* points into settings, source and packed_side */
	struct vrs_stereo_side_data packed_side;
	struct vrs_picture_format format;     /* of decoded frames; where they are mapped to SDR, of what comes of that */
	struct vrs_tonemap *tonemap;          /* NULL: frames stay as they are decoded */
	struct vrs_frame_pool *mapped;
	struct vrs_network network;
	struct vrs_network_shape shape;
	struct vrs_cascade *cascade;          /* looks before the network; NULL: none */
	int eyes, group;                      /* frames a worker takes at a time */
	int room;                             /* frames a worker has at most: the group, and late ones of a live job before it */
	int regions;                          /* at most so many are looked at in an eye */
	size_t matte_size, look_size;         /* pixels of a matte, and of the network's: more than one region share a larger matte */
	bool prefer_pool;                     /* compose into pool frames even where the decoded frame could be changed */
	struct vrs_worker *workers;
	struct vrs_follow follow[VRS_MAX_EYES];
	bool looks_flat;                      /* parts may be looked at through a camera, */
	struct vrs_rectilinear_eye flat_eye;         /* of this eye */
	struct vrs_regions followed[VRS_MAX_EYES][VRS_FOLLOW_LAG]; /* where to look after frame seq, in [seq % lag]; written by whoever has the turn */
	struct vrs_backdrop_feed *backdrop;   /* background from a file; NULL: a colour or the blurred surroundings */
	struct vrs_alpha_pack *pack;          /* composes instead of the composites; NULL: another mode */
	struct vrs_alpha_frame *cutout;            /* mode cutout: joins pictures with the pool's alpha planes */
	struct vrs_exclusion *excluded[VRS_MAX_EYES]; /* NULL: nothing */
	bool reuses;                          /* some frames do without the network */
	bool luma_of_input;                   /* pictures for the network have the size of mattes, so that their luma serves both */
	struct vrs_reference reference;
	struct vrs_matte_stage mattes;
	struct vrs_matte_cache *cache;        /* NULL: none */
	struct vrs_composite *pool_composite; /* fills pool frames */
	struct vrs_frame_pool *pool;
	struct vrs_stage_queue *decoded, *composed;
	struct vrs_inflight *flight;            /* frames between decoder and encoder */
	struct vrs_sequencer *turn;
	struct vrs_trace *trace;              /* NULL: off; the video's for a segment that was given one */
	uint64_t begin_ns, begin_cpu_ns;
	_Atomic bool stop;                    /* finish what is in flight */
	_Atomic int workers_left;
	pthread_mutex_t lock;                 /* guards all below, but what is the decoder's */
	struct {
		struct vrs_live_clock clock;  /* the decoder's */
		struct vrs_live_skip skip;    /* the decoder's, as the next four */
		bool told_skip, told_jump;
		uint64_t waited_ns;           /* for a frame to be due */
		uint64_t waited_before_ns;    /* for that and for data, until the frame before */
		struct vrs_latency latency;
	} live;
	struct vrs_job_stats stats;
	uint64_t written;                     /* frames, by this job alone */
	int64_t first_pts, end_pts;           /* of what was written; end: of the last frame with its duration */
	bool damaged;                         /* the input broke off, and what came before is kept; `error` says where */
	enum vrs_status status;               /* first error */
	struct vrs_error error;
	bool stopped;                         /* decoding ended before the end of the input */
};

/* Record the first error and end all stages. */
void vrs_job_fail(struct vrs_job *job, enum vrs_status status, const struct vrs_error *err);
bool vrs_job_failed(struct vrs_job *job);
/* The input ended in an error, and the frames before it are to be kept. */
void vrs_job_cut_short(struct vrs_job *job, const struct vrs_error *err);
/*
 * Add to the counters of a stage, and to the trace: to be called when the wait for input, the work and the wait for room that it tells of have just
 * ended, in that order.  `first`: the first of the `frames` consecutive frames that the work was for.
 */
void vrs_job_account_frames(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_stats *add, uint64_t first, int frames);
/* The same for no frame in particular. */
void vrs_job_account(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_stats *add);
/* Rows of the trace: 1 decode, 2 .. workers, then encode. */
void vrs_job_trace_row(struct vrs_job *job, int row, const char *name);
/* Nothing more is told; closes a trace of the job's own. */
void vrs_job_end_trace(struct vrs_job *job);
/* The first frame of its loop: nothing came before it. */
bool vrs_frame_task_is_first(const struct vrs_frame_task *task);
/* Frames of its loop before it, those of the video before a segment with them: what comes every n frames goes by it, whoever makes which segment. */
uint64_t vrs_frame_task_phase(const struct vrs_job *job, const struct vrs_frame_task *task);
/* Its number in the output, that of the whole video where the job makes a segment. */
int64_t vrs_frame_task_number(const struct vrs_job *job, const struct vrs_frame_task *task);
/* ns since the run began. */
uint64_t vrs_job_now(const struct vrs_job *job);
void vrs_frame_task_free(struct vrs_frame_task *task); /* NULL is fine */
/* The largest part of an eye that its mattes can cover. */
const struct vrs_rect *vrs_job_area(const struct vrs_job *job, int eye);

/*
 * compose_plan.c.  Open the file of the background; *ret_feed stays NULL where the settings name none.  Statuses of
 * vrs_backdrop_feed_create.
 */
enum vrs_status vrs_backdrop_open(struct vrs_backdrop_feed **ret_feed, const struct vrs_settings *settings, const struct vrs_layout *layout,
				  const struct vrs_picture_format *format, struct vrs_error *err);
/* What the settings put behind the people, into the options of a composite whose format is set; feed may be NULL. */
void vrs_backdrop_plan(struct vrs_composite_options *ret, const struct vrs_settings *settings, const struct vrs_layout *layout,
		       const struct vrs_backdrop_feed *feed);
/* Edges at the size of the picture, as the settings want them. */
struct vrs_sharp_options vrs_sharp_plan(const struct vrs_settings *settings);
/* Format of the frames that are encoded, and of those in the pool (alpha planes alone in mode cutout). */
struct vrs_picture_format vrs_job_output_format(const struct vrs_job *job);
struct vrs_picture_format vrs_job_pool_format(const struct vrs_job *job);
/* Options of every composite of the job; the background is open. */
void vrs_job_composite_options(const struct vrs_job *job, struct vrs_composite_options *ret);
/* Give the work its picture of a background video; in frame order, by one thread. */
enum vrs_status vrs_job_backdrop_at(struct vrs_job *job, struct vrs_frame_task *task, struct vrs_error *err);

/* A part of the frame, counted from the corner of the eye that it lies in. */
struct vrs_rect vrs_job_in_eye(const struct vrs_job *job, int eye, const struct vrs_rect *part);

/* Thread functions; the argument is the job, or the worker. */
void *vrs_decode_main(void *job);
void *vrs_worker_main(void *worker);

/* VRS_ENOMEM, or what the session says. */
enum vrs_status vrs_worker_init(struct vrs_worker *worker, struct vrs_job *job, int number, struct vrs_error *err);
void vrs_worker_fini(struct vrs_worker *worker);

#endif
