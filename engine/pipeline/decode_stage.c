/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/decode_stage.h"

#include <math.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/mem.h"

#define ROUNDING_S 0.002 /* of time stamps that had milliseconds */

/* Of the frame that came last, and a segment. */
enum where { BEFORE, INSIDE, BEHIND };

/* How far it is. */
struct decoder {
	struct vrs_decode_stage *stage;
	uint64_t seq;             /* of the next frame that goes on */
	uint64_t preroll;         /* of those, outside the segment */
	enum where where;
	uint64_t begun_seq, behind_seq; /* number of the first frame that was no longer before it, and of the first one behind it */
	int64_t read;             /* frames read in this loop */
	int64_t loop_frames;      /* that a loop has, as far as is known; 0: not known */
	int64_t loop_time;        /* that it takes; the same */
	uint64_t skipped;         /* frames that were not decoded, in the loops before */
	bool first_of_loop;
	uint64_t loop_seq;        /* of the first frame of this loop */
	int64_t pts_shift;        /* added in later loops, so that time goes on */
	int64_t last_pts, last_duration;
};

/* With so many more frames. */
static bool is_enough(const struct decoder *d, uint64_t more)
{
	int max = d->stage->settings->pipeline.max_frames;
	int64_t left = d->stage->segment ? d->stage->segment->frames_left : 0;
	if (left > 0 && d->where != BEFORE && d->seq + more - d->begun_seq >= (uint64_t)left)
		return true;
	/* what a live job left undecoded has passed too */
	return max > 0 && d->seq + more - d->preroll + d->stage->live.skipped >= (uint64_t)max;
}

static bool enough(const struct decoder *d)
{
	return is_enough(d, 0);
}

/*
 * The last frame that is wanted ends where the next one comes: of Matroska without durations it would have the average of all frames, and of MP4
 * with B frames, which says nothing of durations either, that of the frame rate.
 */
static void end_last(const struct decoder *d, struct vrs_frame *frame)
{
	const struct vrs_decode_stage *stage = d->stage;
	if (stage->flow->live || (stage->segment && d->where != INSIDE) || stage->loops != 1 || stage->settings->pipeline.every_nth > 1 || !is_enough(d, 1))
		return;
	int64_t next = frame->pts != INT64_MIN ? vrs_source_peek(stage->source) : INT64_MIN;
	const struct vrs_source_info *info = vrs_source_info(stage->source);
	int64_t more = next > frame->pts ? next - frame->pts - frame->duration : 0;
	if (more < -1 || (more > 1 && (double)more * info->time_base_num / info->time_base_den > ROUNDING_S))
		frame->duration += more;
}

/* Time stamps continue over loops; frames without one get the place after the one before. */
static void stamp(struct decoder *d, struct vrs_frame *frame)
{
	int64_t step = frame->duration > 0 ? frame->duration : d->last_duration > 0 ? d->last_duration : 1;
	int64_t pts = frame->pts == INT64_MIN ? (d->last_pts == INT64_MIN ? 0 : d->last_pts + step) : frame->pts + d->pts_shift;
	if (d->last_pts != INT64_MIN && pts <= d->last_pts)
		pts = d->last_pts + 1;
	frame->pts = pts;
	d->last_pts = pts;
	d->last_duration = step;
}

/* The picture of a background video.  False: there is none, because the job has failed or was asked to stop. */
static bool add_behind(struct decoder *d, struct vrs_frame_task *task, struct vrs_stage_stats *stats)
{
	const struct vrs_source_info *source = vrs_source_info(d->stage->source);
	double seconds = (double)task->frame.pts * source->time_base_num / source->time_base_den;
	struct vrs_flow *flow = d->stage->flow;
	struct vrs_error err = {0};
	uint64_t begin = vrs_flow_now(flow), cpu = vrs_thread_cpu_ns();
	enum vrs_status status = vrs_compose_behind(d->stage->compose, seconds, &task->behind, &err);
	stats->busy_ns += vrs_flow_now(flow) - begin;
	stats->cpu_ns += vrs_thread_cpu_ns() - cpu;
	if (status != VRS_OK && !(status == VRS_ESTOPPED && vrs_flow_wants_stop(flow)))
		vrs_flow_fail(flow, status, &err);
	return status == VRS_OK;
}

static void number(struct decoder *d, struct vrs_frame_task *task)
{
	const struct vrs_segment *segment = d->stage->segment;
	task->seq = d->seq++;
	task->preroll = segment && d->where != INSIDE;
	task->place = task->seq - d->preroll;
	task->number = (int64_t)task->place + (segment ? segment->frames_before : 0);
	task->has_past = segment && segment->past_from;
	task->unseen = segment ? (uint64_t)segment->frames_unseen : 0;
	d->preroll += task->preroll;
	if (d->first_of_loop)
		d->loop_seq = task->seq;
	task->loop_seq = d->loop_seq;
	task->times.index = (int64_t)task->seq;
	d->first_of_loop = false;
}

/* Passes the frame on; false ends decoding. Takes the reference in every case. */
static bool pass_on(struct decoder *d, struct vrs_frame *frame, uint64_t start_ns, uint64_t end_ns, struct vrs_stage_stats *stats)
{
	struct vrs_flow *flow = d->stage->flow;
	struct vrs_frame_task *task = vrs_calloc(1, sizeof *task);
	if (!task) {
		vrs_frame_unref(frame);
		vrs_flow_fail(flow, VRS_ENOMEM, NULL);
		return false;
	}
	stamp(d, frame);
	task->frame = *frame;
	if (!add_behind(d, task, stats)) {
		vrs_frame_task_free(task);
		return !vrs_flow_is_over(flow); /* the caller sees a wish to stop */
	}
	number(d, task);
	task->times.intended_ns = start_ns;
	task->times.start_ns[VRS_STAGE_DECODE] = start_ns;
	task->times.end_ns[VRS_STAGE_DECODE] = end_ns;
	if (flow->live ? vrs_live_put(&d->stage->live, task) : vrs_inflight_enter(flow->inflight, 1, &stats->wait_output_ns) &&
	    vrs_stage_queue_push(flow->decoded, task->seq, task, &stats->wait_output_ns))
		return true;
	vrs_frame_task_free(task);
	return false;
}

/* Is the frame still of the segment?  Every n-th is counted from the segment's first frame. */
static enum vrs_status place_in_segment(struct decoder *d, struct vrs_frame *frame)
{
	const struct vrs_segment *segment = d->stage->segment;
	enum where before = d->where;
	if (before != BEHIND && frame->pts != INT64_MIN && frame->pts >= segment->end) {
		d->where = BEHIND;
		d->behind_seq = d->seq;
	} else if (before == BEFORE && frame->pts >= segment->first) {
		d->where = INSIDE;
		d->read = 0;
	}
	if (before == BEFORE && d->where != BEFORE)
		d->begun_seq = d->seq;
	if (d->where == BEHIND && d->seq - d->behind_seq >= (uint64_t)segment->tail_frames) {
		vrs_frame_unref(frame);
		return VRS_END;
	}
	return VRS_OK;
}

/*
 * Is the video over? Then its end is looked for at once, not when the frame behind it would be due: with that time the decoder begins anew, and the
 * first frame of the next loop is not late because of us.
 */
static bool may_be_over(const struct decoder *d)
{
	return d->stage->loops != 1 && d->loop_frames > 0 && d->read >= d->loop_frames;
}

/* One read; VRS_OK to go on, VRS_END at the end of this loop, VRS_ESTOPPED when the stage is over. */
static enum vrs_status read_one(struct decoder *d)
{
	struct vrs_decode_stage *stage = d->stage;
	struct vrs_flow *flow = stage->flow;
	struct vrs_frame frame = {0};
	struct vrs_error err = {0};
	struct vrs_stage_stats stats = {0};
	int64_t ahead = d->read ? 1 + (d->read - 1) % stage->settings->pipeline.every_nth : 0; /* of the frame that went on last */
	if (flow->live && ahead && !may_be_over(d) && !vrs_live_wait(&stage->live, d->last_pts + ahead * d->last_duration, &stats.wait_input_ns))
		return vrs_flow_is_over(flow) ? VRS_ESTOPPED : VRS_OK; /* after a wish to stop, which the caller sees */
	uint64_t start = vrs_flow_now(flow), cpu = vrs_thread_cpu_ns();
	vrs_flow_work_begin(flow, VRS_STAGE_DECODE);
	enum vrs_status status = vrs_source_read(stage->source, &frame, &err);
	if (status == VRS_OK && stage->segment)
		status = place_in_segment(d, &frame);
	if (status == VRS_OK)
		end_last(d, &frame);
	vrs_flow_work_end(flow, VRS_STAGE_DECODE);
	uint64_t end = vrs_flow_now(flow);
	stats.busy_ns = end - start;
	stats.cpu_ns = vrs_thread_cpu_ns() - cpu;
	/* what comes live does not come again: it is kept always */
	if (status == VRS_ESTOPPED && vrs_flow_wants_stop(flow)) {
		status = VRS_OK; /* the wish ended a wait for a source that is silent; the caller sees it */
	} else if ((stage->settings->pipeline.keep_partial || flow->live) && (status == VRS_EFORMAT || status == VRS_EIO || status == VRS_ELIMIT) &&
		   d->seq > d->preroll) {
		vrs_flow_truncate(flow, &err);
		status = VRS_END;
	} else if (status != VRS_OK && status != VRS_END) {
		vrs_flow_fail(flow, status, &err);
		status = VRS_ESTOPPED;
	} else if (status == VRS_OK) {
		bool skip = d->read++ % stage->settings->pipeline.every_nth != 0;
		uint64_t before = d->seq;
		if (skip)
			vrs_frame_unref(&frame);
		else if (!pass_on(d, &frame, start, end, &stats))
			status = VRS_ESTOPPED;
		stats.frames = d->seq == before ? 0 : 1; /* 0 also where a wish to stop has ended the wait for its background */
	}
	if (stats.frames)
		vrs_flow_account_frames(flow, VRS_STAGE_DECODE, &stats, d->seq - 1, 1);
	else
		vrs_flow_account(flow, VRS_STAGE_DECODE, &stats);
	return status;
}

/* Of the loop that has ended.  Where decoding was too slow, its last frames may be among those that were left out. */
static void measure_loop(struct decoder *d)
{
	uint64_t skipped = vrs_source_skipped(d->stage->source), left_out = skipped - d->skipped;
	int64_t time = d->last_pts + d->last_duration - d->pts_shift;
	if (left_out == 0 || time > d->loop_time)
		d->loop_time = time;
	d->loop_frames = d->read + (int64_t)left_out;
	d->skipped = skipped;
}

static int64_t stated_time(const struct vrs_source_info *source)
{
	double seconds = source->fps_num > 0 ? (double)source->frames * source->fps_den / source->fps_num : 0;
	return llround(fmin(seconds, 1e9) * source->time_base_den / source->time_base_num);
}

/* Back to the first frame; false when that fails. */
static bool next_loop(struct decoder *d)
{
	struct vrs_error err = {0};
	if (d->read == 0) {
		vrs_fail(&err, VRS_EFORMAT, "%s contains no frame that can be decoded", d->stage->live.name);
		vrs_flow_fail(d->stage->flow, VRS_EFORMAT, &err);
		return false;
	}
	measure_loop(d);
	vrs_flow_lock_stats(d->stage->flow)->loop_frames = (uint64_t)d->loop_frames;
	vrs_flow_unlock_stats(d->stage->flow);
	enum vrs_status status = vrs_source_rewind(d->stage->source, &err);
	if (status != VRS_OK) {
		vrs_flow_fail(d->stage->flow, status, &err);
		return false;
	}
	d->pts_shift += d->loop_time;
	d->first_of_loop = true;
	d->read = 0;
	return true;
}

void vrs_decode_stage_fini(struct vrs_decode_stage *stage)
{
	vrs_source_close(stage->source);
}

void *vrs_decode_stage_main(void *arg)
{
	struct vrs_decode_stage *stage = arg;
	struct vrs_flow *flow = stage->flow;
	const struct vrs_source_info *source = vrs_source_info(stage->source);
	struct decoder d = {.stage = stage, .first_of_loop = true, .last_pts = INT64_MIN, .loop_frames = source->frames,
		.loop_time = stated_time(source)};
	bool stopped = false;
	VRS_ASSERT(stage->settings->pipeline.every_nth >= 1 && flow->live == stage->settings->pipeline.live);
	vrs_trace_thread(flow->trace, 1, "decode");
	for (int loop = 0; (stage->loops == 0 || loop < stage->loops) && !enough(&d); loop++) {
		enum vrs_status status = VRS_OK;
		if (loop > 0 && !next_loop(&d))
			break;
		while (status == VRS_OK && !enough(&d) && !stopped) {
			stopped = vrs_flow_wants_stop(flow);
			if (!stopped)
				status = read_one(&d);
		}
		if (stopped || status == VRS_ESTOPPED)
			break;
	}
	if (flow->live)
		vrs_live_end(&stage->live);
	vrs_flow_end_input(flow, stopped);
	return NULL;
}
