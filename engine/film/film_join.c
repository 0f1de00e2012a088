/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The finished pieces of a film, and the tail that a stop has left, into its output. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "film/film.h"
#include "pipeline/job_part.h"
#include "video/piece_join.h"

static bool add_piece(const struct vrs_film *film, int number, const struct vrs_part_record *record, struct vrs_piece *pieces, int *count)
{
	struct vrs_piece *piece = &pieces[*count];
	if (record->frames == 0)
		return true;
	piece->frames = record->frames;
	piece->first_pts = record->first_pts;
	(*count)++;
	return vrs_work_folder_piece(&film->folder, number, piece->path, sizeof piece->path);
}

/* Pieces from the first one on, as far as there are no gaps; returns their number, -1 when a name is too long. */
static int list_pieces(const struct vrs_film *film, struct vrs_piece *pieces, bool *ret_whole)
{
	int count = 0, number = 0;
	bool good = true;
	for (; number < film->ckpt.plan.parts && film->ckpt.parts[number].done && good; number++)
		good = add_piece(film, number, &film->ckpt.parts[number], pieces, &count);
	*ret_whole = number == film->ckpt.plan.parts;
	if (good && number == film->tail_part)
		good = add_piece(film, number, &film->tail, pieces, &count);
	return good ? count : -1;
}

/* A damaged piece is made again by the next run. */
static void forget_piece(struct vrs_film *film, const char *path)
{
	char name[VRS_PATH_MAX];
	for (int i = 0; i < film->ckpt.plan.parts; i++) {
		if (!vrs_work_folder_piece(&film->folder, i, name, sizeof name) || strcmp(name, path) != 0)
			continue;
		const struct vrs_part_record none = {0};
		unlink(name); /* which alone tells the next run, should the checkpoint not be written */
		if (vrs_film_record(film, i, &none, NULL))
			return;
	}
}

/* A source of the whole film for audio and metadata, and the options that its encoder had, come from a job that makes nothing. */
static enum vrs_status join(struct vrs_film *film, const struct vrs_piece *pieces, int count, bool whole, struct vrs_error *err)
{
	const struct vrs_job_part part = {.joins = true};
	struct vrs_job *job;
	int bad = -1;
	enum vrs_status status = vrs_job_create_part(&job, film->request->input, &film->settings, &part, NULL, err);
	if (status)
		return status;
	whole = whole && film->settings.pipeline.every_nth == 1 && !(film->settings.input.duration > 0) && !film->cut_short &&
		vrs_film_frames_left(film, film->ckpt.plan.parts) > 0;
	status = vrs_job_join(job, pieces, count, whole, &bad, err);
	vrs_job_destroy(job);
	if (bad >= 0) {
		forget_piece(film, pieces[bad].path);
		return vrs_fail(err, VRS_EFORMAT, "%s was damaged since it was made; the same command makes it again and goes on", pieces[bad].path);
	}
	return status;
}

enum vrs_status vrs_film_join(struct vrs_film *film, struct vrs_error *err)
{
	struct vrs_piece *pieces = vrs_calloc((size_t)film->ckpt.plan.parts + 1, sizeof *pieces);
	bool whole;
	if (!pieces)
		return vrs_fail(err, VRS_ENOMEM, "no memory to join %d parts", film->ckpt.plan.parts);
	int count = list_pieces(film, pieces, &whole);
	enum vrs_status status = count < 0 ? vrs_fail(err, VRS_ELIMIT, "the name %s is too long", film->folder.path)
			       : count == 0 ? vrs_fail(err, VRS_EFORMAT, "%s holds no frame that can be decoded", film->request->input) : VRS_OK;
	if (!status)
		status = join(film, pieces, count, whole, err);
	vrs_free(pieces);
	return status;
}
