/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace of a film in parts: one file over all that a run does.  Times count from the beginning of the run in every process, frames through the
 * whole film.  Going on with a film whose run before has written this file replaces it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str_parse.h"
#include "film/film.h"
#include "pipeline/trace.h"

enum vrs_status vrs_film_trace_begin(struct vrs_film *film, struct vrs_error *err)
{
	const struct vrs_settings *wanted = film->request->settings;
	const char *path = wanted->report.trace;
	if (!path[0])
		return VRS_OK;
	bool ours = strcmp(film->ckpt.trace, path) == 0;
	enum vrs_status status = vrs_trace_create(&film->trace, path, film->request->input, 1, wanted->output.overwrite || ours, err);
	if (status)
		return status;
	(void)vrs_strcpy(film->ckpt.trace, sizeof film->ckpt.trace, path); /* same size */
	return vrs_checkpoint_write(&film->ckpt, film->folder.checkpoint, err); /* a run that is killed in its first part has left a trace, too */
}

bool vrs_film_trace_piece(const struct vrs_film *film, int number, char *ret_path, size_t size)
{
	if (!film->trace || !vrs_work_folder_piece(&film->folder, number, ret_path, size))
		return false;
	size_t length = strlen(ret_path);
	return snprintf(ret_path + length, size - length, ".trace") < (int)(size - length);
}

void vrs_film_trace_take(struct vrs_film *film, const char *path)
{
	vrs_trace_append(film->trace, path);
	unlink(path);
}
