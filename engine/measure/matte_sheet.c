/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worst frames are known when all have been measured: the videos are read a second time, up to the last of them. */
#include <vrseg/matte_measure.h>

#include <stdlib.h>

#include "base/mem.h"
#include "base/stop.h"
#include "job/contact_sheet.h"
#include "measure/matte_inputs.h"

#define CELL_MAX 320   /* larger side of a cell, pixels */
#define MOST_ROWS 64

struct drawing {
	struct vrs_matte_inputs inputs;
	struct vrs_contact_sheet sheet;
};

static struct vrs_frame as_frame(const struct vrs_matte *matte)
{
	return (struct vrs_frame){.format = {.width = matte->width, .height = matte->height, .planes = 1, .bit_depth = 8, .range = VRS_RANGE_FULL,
		.primaries = 2, .transfer = 2}, .data = {matte->data}, .stride_bytes = {matte->stride}};
}

static enum vrs_status draw_row(struct drawing *d, int row, int eye)
{
	struct vrs_matte_inputs *in = &d->inputs;
	const struct vrs_rect whole = {0, 0, in->width, in->height};
	int column = 0;
	enum vrs_status status = vrs_matte_inputs_draw(in);
	if (status == VRS_OK && in->has_picture) {
		const struct vrs_matte_video *video = in->has_source ? &in->source : &in->mattes;
		struct vrs_frame grey = as_frame(&in->luma[eye]);
		status = video->places ? vrs_contact_sheet_draw(&d->sheet, row, column, &grey, &whole)
				       : vrs_contact_sheet_draw(&d->sheet, row, column, &video->frame, &video->eye[eye]);
		column++;
	}
	if (status == VRS_OK) {
		struct vrs_frame grey = as_frame(&in->matte[eye]);
		status = vrs_contact_sheet_draw(&d->sheet, row, column++, &grey, &whole);
	}
	if (status == VRS_OK && in->has_truth) {
		struct vrs_frame grey = as_frame(&in->truths[eye]);
		status = vrs_contact_sheet_draw(&d->sheet, row, column, &grey, &whole);
	}
	return status;
}

static enum vrs_status draw_rows(struct drawing *d, const struct vrs_matte_sheet_row *rows, int count, struct vrs_error *err)
{
	int64_t last = -1;
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < count; i++)
		last = rows[i].frame > last ? rows[i].frame : last;
	for (int64_t frame = 0; frame <= last; frame++) {
		if (vrs_stop_requested())
			return vrs_fail(err, VRS_ESTOPPED, "stopped before the contact sheet was drawn");
		status = vrs_matte_inputs_read(&d->inputs, err);
		if (status != VRS_OK)
			return status == VRS_END ? vrs_fail(err, VRS_EFORMAT, "%s ends before frame %lld; has it changed since it was measured?",
							    d->inputs.mattes.path, (long long)last) : status;
		for (int i = 0; i < count && status == VRS_OK; i++)
			if (rows[i].frame == frame && rows[i].eye >= 0 && rows[i].eye < d->inputs.eyes)
				status = draw_row(d, i, rows[i].eye);
		if (status != VRS_OK)
			return vrs_fail(err, status, "cannot draw frame %lld: %s", (long long)frame, vrs_status_str(status));
		vrs_stop_moved();
	}
	return VRS_OK;
}

static enum vrs_status make_sheet(struct drawing *d, int rows, struct vrs_error *err)
{
	const struct vrs_matte_inputs *in = &d->inputs;
	const struct vrs_matte_video *video = in->has_source ? &in->source : &in->mattes;
	enum vrs_status status = vrs_contact_sheet_init(&d->sheet, &vrs_source_info(video->source)->format, rows,
							1 + in->has_picture + in->has_truth, in->width, in->height, CELL_MAX);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot make a contact sheet of %d rows: %s", rows, vrs_status_str(status));
}

enum vrs_status vrs_matte_sheet_check(const char *path, struct vrs_error *err)
{
	return vrs_contact_sheet_check("a contact sheet", path, err);
}

enum vrs_status vrs_matte_sheet(const struct vrs_matte_request *request, const struct vrs_matte_sheet_row *rows, int count, const char *path,
				bool overwrite, struct vrs_error *err)
{
	enum vrs_status status = vrs_matte_sheet_check(path, err);
	if (status != VRS_OK)
		return status;
	if (count < 1 || count > MOST_ROWS)
		return vrs_fail(err, VRS_EINVAL, "a contact sheet has 1 to %d rows", MOST_ROWS);
	struct drawing *d = vrs_calloc(1, sizeof *d);
	if (!d)
		return vrs_fail_nomem(err);
	status = vrs_matte_inputs_open(&d->inputs, request, err);
	if (status == VRS_OK)
		status = make_sheet(d, count, err);
	if (status == VRS_OK)
		status = draw_rows(d, rows, count, err);
	if (status == VRS_OK)
		status = vrs_contact_sheet_write(&d->sheet, path, overwrite, err);
	vrs_contact_sheet_fini(&d->sheet);
	vrs_matte_inputs_close(&d->inputs);
	vrs_free(d);
	return status;
}
