/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network of a job: manifest, file, and the options that its sessions share. */
#ifndef VRS_ROI_NETWORK_H
#define VRS_ROI_NETWORK_H

#include <vrseg/calibration.h>
#include <vrseg/options.h>
#include <vrseg/session.h>

struct vrs_network {
	struct vrs_manifest manifest;
	struct vrs_model *model;
	struct vrs_session_options options; /* backend points into the settings, sizes and constants into inputs: do not copy the network */
	struct vrs_model_inputs inputs;
	struct vrs_calibration *calibration; /* for int8 and mixed; NULL: none is kept */
};

/*
 * Load the network that the settings name, and find the sizes of its inputs; threads and batch are the caller's choice.  The settings must
 * outlive the network.  VRS_ECONFIG: an input size that the network cannot have; else the statuses of vrs_manifest_load, vrs_model_load and
 * vrs_model_inputs_find.
 */
enum vrs_status vrs_network_load(struct vrs_network *network, const struct vrs_settings *settings, int threads, int batch, struct vrs_error *err);
/* The same for a network that is not run on pictures: options.input_shapes stay for the caller to set. */
enum vrs_status vrs_network_open(struct vrs_network *network, const struct vrs_settings *settings, int threads, int batch, struct vrs_error *err);
/*
 * At most so many regions of an eye are looked at.  auto is 12 for networks with states, where it takes 2 % more CPU time for one person in VR180 and
 * 23 % more for 60 flat frames, most of it for the first search; and 1 for others, whose jobs would take a quarter longer.
 */
int vrs_network_regions(const struct vrs_settings *settings, const struct vrs_manifest *manifest);
/*
 * No worker processes with a network with states, whose segments need what the one before has left: before the memory of a job is planned.  Statuses
 * of vrs_manifest_load.
 */
enum vrs_status vrs_network_settle_processes(struct vrs_settings *settings, struct vrs_error *err);
void vrs_network_fini(struct vrs_network *network);
/* Hash of what it is: file, external weights and manifest.  The network is loaded. */
uint64_t vrs_network_identity(const struct vrs_network *network);
/* Hash of all that its numbers come from: these, and the calibration that sessions take.  The network is loaded. */
uint64_t vrs_network_content(const struct vrs_network *network);
/*
 * For precisions int8 and mixed: the kept calibration of this network and input size; none (network->calibration stays NULL) is fine.
 * vrs_network_open and vrs_network_load have done it.  VRS_EFORMAT, VRS_EINVAL: the kept one is damaged or of another network; VRS_EIO, VRS_ENOMEM.
 */
enum vrs_status vrs_network_take_calibration(struct vrs_network *network, struct vrs_error *err);
/*
 * Where a job of precision int8 or mixed has none: calibrate with its own input, keep that, and say so in the log.  VRS_ECONFIG: the input is a
 * stream that cannot be read twice; else as vrs_calibrate_input.
 */
enum vrs_status vrs_network_need_calibration(struct vrs_network *network, const struct vrs_settings *settings, const char *input,
					     struct vrs_error *err);

#endif
