/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Devices of a job: which worker has its sessions on which of them, and what stands in for one that is lost. */
#ifndef VRS_ROI_ROI_DEVICES_H
#define VRS_ROI_ROI_DEVICES_H

#include <vrseg/options.h>
#include <vrseg/pipeline.h>
#include <vrseg/session.h>

struct vrs_roi_devices {
	int count;                /* that frames are spread over: worker i has device i % count; 0: the backend has none */
	struct vrs_device_set set; /* all that the settings name; the first `count` are used */
	char text[VRS_DEVICES_MAX][VRS_DEVICES_TEXT]; /* [count] as options.device of a session: the worker's own, then the others */
};

/*
 * Spread frames over the devices that the settings name (vrs_session_devices; none: there is nothing to do), as far as that can be: one device where
 * the network is recurrent, or where deterministic output and devices of several models or drivers do not go together, and no more than
 * engine.streams.  recurrent: the name of the network where it is, else NULL.  What is left idle is told in one line (vrs_config_warn).  VRS_OK;
 * VRS_ECONFIG: with --strict.
 */
enum vrs_status vrs_roi_devices_spread(struct vrs_roi_devices *ret, const struct vrs_device_set *set, const struct vrs_settings *settings,
				       const char *recurrent, struct vrs_error *err) VRS_MUST_CHECK;
/* options.device of a worker's sessions; NULL: the backend has none. It lives as long as the devices. */
const char *vrs_roi_devices_of(const struct vrs_roi_devices *devices, int worker);
/* Into an error of a worker's session: which device has failed. */
void vrs_roi_devices_blame(const struct vrs_roi_devices *devices, const char *of_worker, struct vrs_error *err);
/* The worker whose sessions those of a worker are clones of: the first on the same device, which may be itself. */
int vrs_roi_devices_first(const struct vrs_roi_devices *devices, int worker);
/* What a device's bits depend on (struct vrs_device_entry), as a hash. Thread-safe. */
uint64_t vrs_roi_device_hash(uint64_t seed, const char *name, const char *driver, uint64_t order);
/* How many devices; where there are several also their names, and one text for kernels of which jobs have the same bits. The rest stays as it is. */
void vrs_roi_devices_describe(const struct vrs_roi_devices *devices, struct vrs_job_info *info);

#endif
