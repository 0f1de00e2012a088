/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured of mattes, frame after frame: all but reading them.  The figures go into a report. */
#ifndef VRS_MEASURE_MATTE_METER_H
#define VRS_MEASURE_MATTE_METER_H

#include <vrseg/matte_measure.h>

/* A frame: each matte, luma and truth is of one eye, 0..255, all of the size of the meter. */
struct vrs_matte_sample {
	int64_t index;
	double seconds;
	const struct vrs_matte *matte;  /* [eyes] */
	const struct vrs_matte *luma;   /* [eyes] of the picture; NULL: not known */
	const struct vrs_matte *truth;  /* [eyes]; NULL: not known */
};

struct vrs_matte_meter;

/*
 * report: eyes, eye_width and eye_height are set; figures and events are added to it, and it outlives the meter.  circle: rows close to one.  weight:
 * [eye_height * eye_width] of vrs_solid_angles, NULL: none; it outlives the meter, too.  VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_matte_meter_create(struct vrs_matte_meter **ret_meter, struct vrs_matte_report *report, bool circle, const float *weight)
	VRS_MUST_CHECK;
/* Frames in ascending order, from 0 on without gaps; all with luma or none, and the same with truth. Everything is copied. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_meter_add(struct vrs_matte_meter *meter, const struct vrs_matte_sample *sample) VRS_MUST_CHECK;
/* After the last frame: sums become means. */
void vrs_matte_meter_finish(struct vrs_matte_meter *meter);
void vrs_matte_meter_destroy(struct vrs_matte_meter *meter); /* NULL is fine */

/* Remember an event; beyond VRS_MATTE_MOST_EVENTS it is only counted. VRS_ENOMEM. */
enum vrs_status vrs_matte_event_add(struct vrs_matte_report *report, enum vrs_matte_event_kind kind, int64_t frame, double value) VRS_MUST_CHECK;

#endif
