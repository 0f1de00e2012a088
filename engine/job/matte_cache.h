/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mattes of jobs on disk, so that a second output from the same input does without the network.  A file's name is a hash of all that its mattes were
 * made of: the input, the options of input, matte and network and the files that they name, the part of the video and the past that it begins with,
 * the version of the program and of the libraries that decode, and what its kernels compute (job/matte_golden.h).
 */
#ifndef VRS_JOB_MATTE_CACHE_H
#define VRS_JOB_MATTE_CACHE_H

#include <vrseg/frame.h>
#include <vrseg/options.h>
#include <vrseg/status.h>

#include "job/input_identity.h"
#include "job/job_content.h"

struct vrs_matte_cache;

/* What the mattes of a job are made of. */
struct vrs_matte_cache_request {
	const char *input;
	const struct vrs_settings *settings;
	const struct vrs_job_content *content; /* of the files that affect mattes */
	const char *backend, *isa;
	int64_t segment[7];                   /* is it one, and its preroll, first, end, tail_frames, frames_left and past_hash (0: it has no past) */
	bool wants_past;                      /* of use only with what the next segment needs */
	int eyes, width, height;              /* of the mattes */
};

/*
 * vrs_input_identity_read.  Where these settings have a cache, that keeps what a large input holds, so that jobs and segments over it read it once.
 */
enum vrs_status vrs_matte_cache_input(struct vrs_input_identity *ret, const char *input, const struct vrs_settings *settings,
				      const struct vrs_input_identity *known, struct vrs_error *err) VRS_MUST_CHECK;
/* Look the mattes up, or begin to keep them; *ret_cache stays NULL where the cache cannot help, which is no error. */
void vrs_matte_cache_open(struct vrs_matte_cache **ret_cache, const struct vrs_matte_cache_request *request);
/* Are the mattes there? cache may be NULL. */
bool vrs_matte_cache_has(const struct vrs_matte_cache *cache);
/* Mattes of both eyes of the frame that is written as number `place`. VRS_EFORMAT: there is none. Thread-safe. */
enum vrs_status vrs_matte_cache_get(struct vrs_matte_cache *cache, uint64_t place, struct vrs_matte *mattes, struct vrs_rect *covers) VRS_MUST_CHECK;
/* Keep the next frame's; in order, one thread at a time. What cannot be written ends the keeping, not the job. cache may be NULL. */
void vrs_matte_cache_put(struct vrs_matte_cache *cache, const struct vrs_matte *mattes, const struct vrs_rect *covers);
/* What the next segment needs of the one whose mattes are there: [*ret_size] bytes, 0: none. They live as long as the cache. */
const void *vrs_matte_cache_past(const struct vrs_matte_cache *cache, size_t *ret_size);
/*
 * The job is done: what was kept is complete, and the oldest files give way to it.  past: file that holds what the next segment needs, which is kept
 * too; NULL: none.
 */
void vrs_matte_cache_commit(struct vrs_matte_cache *cache, const char *past);
void vrs_matte_cache_close(struct vrs_matte_cache *cache); /* NULL is fine; without a commit before it nothing is kept */

#endif
