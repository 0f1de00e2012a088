/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small pictures in rows and columns, as one PNG file. */
#ifndef VRS_JOB_CONTACT_SHEET_H
#define VRS_JOB_CONTACT_SHEET_H

#include <vrseg/frame.h>

struct vrs_contact_sheet {
	struct vrs_frame frame;          /* 4:4:4, 8 bits */
	int rows, columns, width, height; /* width, height: of a cell */
};

/*
 * An empty sheet in the colours of format `like`, for pictures in the shape of width x height, whose larger side becomes at most `most`.
 * VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_contact_sheet_init(struct vrs_contact_sheet *sheet, const struct vrs_picture_format *like, int rows, int columns, int width,
				       int height, int most) VRS_MUST_CHECK;
/* The part of a frame in the colours of the sheet, or of a grey one, scaled into a cell. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_contact_sheet_draw(struct vrs_contact_sheet *sheet, int row, int column, const struct vrs_frame *frame,
				       const struct vrs_rect *part) VRS_MUST_CHECK;
/* VRS_ECONFIG where the name does not end in .png; then nothing is drawn. `what` begins the sentence: "a preview". */
enum vrs_status vrs_contact_sheet_check(const char *what, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* Write it, once. Statuses of vrs_sink_open and vrs_sink_finish. */
enum vrs_status vrs_contact_sheet_write(struct vrs_contact_sheet *sheet, const char *path, bool overwrite, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_contact_sheet_fini(struct vrs_contact_sheet *sheet); /* fine when empty */

#endif
