/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Chrome trace (JSON array of events) of a job, for Perfetto and chrome://tracing: a row per thread, a span for each piece of work and each wait,
 * an arrow per frame through its spans, a counter per queue, and lanes for the queues of a device.
 *
 * Events are gathered in a buffer of fixed size and written in blocks; each block ends the array and the next one takes the end back, so the file is
 * valid JSON whenever the program is killed.  The first error of the disk ends the trace with a warning, never the job.
 *
 * The trace of a job that has succeeded ends with a label of the process, "complete".  One without it is what a run has left that was killed or has
 * failed, or a try that another one follows: the next run writes over it.
 *
 * Every function takes NULL for a trace that is off.  Thread-safe after create.
 */
#ifndef VRS_FLOW_TRACE_H
#define VRS_FLOW_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_trace;

#define VRS_TRACE_NO_FRAME UINT64_MAX
#define VRS_TRACE_LANES 3 /* queues of a device */

/* What a new trace may be written over: an incomplete one, any that vrseg has written, any file. */
enum vrs_trace_over { VRS_TRACE_OVER_INCOMPLETE, VRS_TRACE_OVER_TRACES, VRS_TRACE_OVER_ALL };
/* Of a job that overwrites, or whose output was made by a run that was killed after all (vrs_work_folder_has_made) and may have a complete one. */
enum vrs_trace_over vrs_trace_over(bool overwrite, bool made);

enum vrs_trace_flow { VRS_TRACE_FLOW_BEGIN, VRS_TRACE_FLOW_STEP, VRS_TRACE_FLOW_END };

/*
 * `title` names the process in the viewer, and `process` (1 ..) tells it from others whose traces are joined with this one.  VRS_EEXIST: what is at
 * path may not be written over, or another run writes it; VRS_ENOTFOUND: no such folder; VRS_EIO, VRS_ENOSPC; VRS_ENOMEM.
 */
enum vrs_status vrs_trace_create(struct vrs_trace **ret_trace, const char *path, const char *title, int process, enum vrs_trace_over over,
				 struct vrs_error *err);
/* The same for a file in a work folder that vrs_trace_append takes up: what has its name is removed, and no link is followed. */
enum vrs_status vrs_trace_create_part(struct vrs_trace **ret_trace, const char *path, const char *title, int process, struct vrs_error *err);
/* What follows is of segment `segment` (0 ..) of a video, whose frames are counted from `first_frame` on. Before the threads of the segment begin. */
void vrs_trace_segment(struct vrs_trace *trace, int segment, int64_t first_frame);
/* Add all events of another trace's file, whose times begin where ours do.  What is no such file is left out with a warning, a link without one. */
void vrs_trace_append(struct vrs_trace *trace, const char *path);
/* The calling thread's events go to this row (1 ..) from here on; rows are shown in their order. */
void vrs_trace_thread(struct vrs_trace *trace, int row, const char *name);
/* What the calling thread did from start_ns to end_ns (since the job began), for `frames` frames from `first` on (VRS_TRACE_NO_FRAME: for none). */
void vrs_trace_span(struct vrs_trace *trace, const char *name, const char *stage, uint64_t start_ns, uint64_t end_ns, uint64_t first, int frames);
/*
 * What a queue of a device did for the calling thread, in a lane below the rows of the threads: lane 0 .. 2, and what it is called.  Each thread has
 * lanes of its own, since the work of several streams lies side by side in a queue.  The rest as of vrs_trace_span.
 */
void vrs_trace_lane(struct vrs_trace *trace, int lane, const char *lane_name, const char *name, uint64_t start_ns, uint64_t end_ns, uint64_t first,
		    int frames);
/* The arrow of a frame meets the span of the calling thread that holds t_ns. */
void vrs_trace_arrow(struct vrs_trace *trace, enum vrs_trace_flow flow, uint64_t frame, uint64_t t_ns);
/* Something that happened to a frame at t_ns. */
void vrs_trace_mark(struct vrs_trace *trace, const char *name, uint64_t frame, uint64_t t_ns);
/* A counter, 0 .. 3, has this value from t_ns on; repeated values are left out. */
void vrs_trace_count(struct vrs_trace *trace, int counter, const char *name, uint64_t t_ns, uint64_t value);
/* The job has succeeded: no event follows. */
void vrs_trace_complete(struct vrs_trace *trace);
/* Write what is left and close the file. A trace that had an error before has said so. NULL is fine. */
void vrs_trace_destroy(struct vrs_trace *trace);

#endif
