/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any network on NumPy arrays: what `vrseg --run-network` does. */
#ifndef VRSEG_ARRAY_RUN_H
#define VRSEG_ARRAY_RUN_H

#include <vrseg/options.h>
#include <vrseg/status.h>

/* One line of results, without newline. */
typedef void (*vrs_array_line_fn)(void *cookie, const char *text);

struct vrs_array_run {
	const struct vrs_settings *settings;  /* engine.* and output.overwrite apply; engine.model names the network */
	const char *const *tensors;           /* "NAME=FILE.npy", one for each input of the network */
	int tensor_count;
	const char *output_dir;               /* made when it does not exist */
	vrs_array_line_fn line;               /* (optional) called for each output written */
	void *cookie;
};

/*
 * Read the arrays, run the network once, write each output as output_dir/NAME.npy ("/" in a name becomes "_"); tensors are in the model's own layout.
 * Nothing is written when anything fails before.  VRS_ECONFIG: a missing, doubled or unknown input, an array of another type or shape than the
 * input, two outputs of one file name; VRS_EEXIST: an output exists and settings->output.overwrite is false; else the statuses of loading,
 * reading and running.
 */
enum vrs_status vrs_array_run(const struct vrs_array_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/* Lines that describe the network of settings->engine.model: format, size, and name, type and shape of each input and output. */
enum vrs_status vrs_array_describe(const struct vrs_settings *settings, vrs_array_line_fn line, void *cookie, struct vrs_error *err) VRS_MUST_CHECK;

#endif
