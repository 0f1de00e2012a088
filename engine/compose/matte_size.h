/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The size of a job's mattes: what the network makes (twice that for several regions).  In mode alpha no larger than the discs can show, which have
 * 0.4 of the carrier's scale; all that works on mattes (smoothing, --refine, --grow, agreement of the eyes) then works at that size.  Networks of
 * 256x256 are below that from eyes of 640 samples on, and nothing changes.
 */
#ifndef VRS_COMPOSE_MATTE_SIZE_H
#define VRS_COMPOSE_MATTE_SIZE_H

struct vrs_job;

/* Set the size in job->info and job->matte_size; shape, regions, views and packing are known. */
void vrs_matte_size_decide(struct vrs_job *job);

#endif
