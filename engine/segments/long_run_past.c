/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a segment leaves for the next one (pipeline/segment_past.h), where the network is recurrent: a file beside its segment file, whose hash lies
 * in the checkpoint.  It stays until the next segment is done; where it is missing before that, the segments before are made again.
 */
#include <inttypes.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "pipeline/segment_past.h"
#include "segments/long_run.h"

#include <vrseg/log.h>

/* The last segment before `number` that holds frames; all before are done. -1: none does. */
static int segment_before(const struct vrs_long_run *run, int number)
{
	while (--number >= 0 && run->ckpt.segments[number].frames == 0)
		;
	return number;
}

static bool is_good(const struct vrs_long_run *run, int number)
{
	const struct vrs_segment_record *segment = &run->ckpt.segments[number];
	char file[VRS_PATH_MAX];
	struct stat st;
	int64_t hash;
	return segment->past_bytes > 0 && vrs_segment_past_file(&run->folder, number, file, sizeof file) && stat(file, &st) == 0 &&
	       st.st_size == segment->past_bytes && vrs_segment_past_hash(file, &hash, NULL) == VRS_OK && hash == segment->past_hash;
}

void vrs_long_run_past_check(struct vrs_long_run *run)
{
	struct vrs_segment_record *segments = run->ckpt.segments;
	int64_t frames = 0;
	for (int i = run->ckpt.plan.segments - 1; i > 0 && run->ckpt.plan.keeps_past; i--) {
		int before = segments[i].done || !segments[i - 1].done ? -1 : segment_before(run, i);
		if (before < 0 || is_good(run, before))
			continue;
		frames += segments[before].frames;
		for (int k = before; k < i; k++)
			segments[k] = (struct vrs_segment_record){0};
	}
	if (frames > 0)
		vrs_log(VRS_LOG_WARNING, "what missing frames need of those before them is not there; making %" PRId64 " frames again", frames);
}

enum vrs_status vrs_long_run_past_set(const struct vrs_long_run *run, int number, struct vrs_long_past *past, struct vrs_segment *segment,
				      struct vrs_error *err)
{
	int before = segment_before(run, number);
	if (!run->ckpt.plan.keeps_past)
		return VRS_OK;
	if (!vrs_segment_past_file(&run->folder, before < 0 ? 0 : before, past->from, sizeof past->from) ||
	    !vrs_segment_past_file(&run->folder, number, past->to, sizeof past->to))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", run->folder.path);
	segment->past_from = before < 0 ? NULL : past->from;
	segment->past_hash = before < 0 ? 0 : run->ckpt.segments[before].past_hash;
	segment->past_to = number + 1 < run->ckpt.plan.segments ? past->to : NULL;
	segment->frames_before = 0; /* as many as there were, at whatever rate they came */
	for (int i = 0; i < number; i++)
		segment->frames_before += run->ckpt.segments[i].frames;
	segment->frames_unseen = segment->frames_before;
	return VRS_OK;
}

/* Is the next segment, where frames come, still to be made? */
static bool is_needed(const struct vrs_long_run *run, int number)
{
	const struct vrs_segment_record *segments = run->ckpt.segments;
	while (++number < run->ckpt.plan.segments && segments[number].done && segments[number].frames == 0)
		;
	return number < run->ckpt.plan.segments && !segments[number].done;
}

void vrs_long_run_past_clean(const struct vrs_long_run *run, int number)
{
	const int places[] = {segment_before(run, number), number};
	char file[VRS_PATH_MAX];
	for (int i = 0; i < 2 && run->ckpt.plan.keeps_past; i++)
		if (places[i] >= 0 && !is_needed(run, places[i]) && vrs_segment_past_file(&run->folder, places[i], file, sizeof file))
			vrs_long_run_drop_file(run, file);
}
