/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job that loses a device.  One that can be made again fails with VRS_EDEVICE, and whoever runs it makes it again without the device
 * (vrs_job_lost_device, vrs_device_down), so that its output does not depend on when that was.  One that cannot, or may differ from run to run, goes
 * on in the middle: its sessions replace the device (replace_lost in vrseg/session.h).
 */
#ifndef VRS_PIPELINE_DEVICE_LOSS_H
#define VRS_PIPELINE_DEVICE_LOSS_H

#include "pipeline/job.h"

/* Do the sessions of the job replace a lost device? Its settings and callbacks are there; input: of vrs_job_create. */
bool vrs_job_replaces_lost(const struct vrs_job *job, const char *input);
/* After the run: were mattes made by more than one device, because one was replaced? */
bool vrs_job_is_mixed(const struct vrs_job *job);

#endif
