/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/session_setup.h"

#include <stdio.h>

#include "pipeline/device_loss.h"
#include "roi/cascade.h"
#include "roi/head.h"
#include "roi/network.h"
#include "roi/roi_setup.h"

#include <vrseg/log.h>
#include <vrseg/network_run.h>

/* Every stream of a device takes memory of it; the host's own is planned beforehand (memory_setup.c), and its clones are made with their workers. */
static int sessions_now(const struct vrs_job *job)
{
	return vrs_backend_has_devices(job->settings.engine.backend) ? job->threads.streams : 1;
}

static enum vrs_status open_session(struct vrs_job *job, int stream, struct vrs_error *err)
{
	struct vrs_roi_worker *worker = &job->workers[stream].roi;
	worker->plan = &job->roi;
	worker->device = vrs_roi_devices_of(&job->roi.devices, stream);
	const struct vrs_roi_worker *first = &job->workers[vrs_roi_devices_first(&job->roi.devices, stream)].roi;
	enum vrs_status status = vrs_roi_worker_open(worker, first, err);
	return status == VRS_OK ? vrs_cascade_open(worker, first, err) : status;
}

static enum vrs_status open_all(struct vrs_job *job, int batch, struct vrs_error *err)
{
	struct vrs_network *network = &job->roi.network;
	enum vrs_status status = vrs_network_load(network, &job->settings, job->threads.threads, batch, err);
	network->options.device = vrs_roi_devices_of(&job->roi.devices, 0);
	network->options.replace_lost = vrs_job_replaces_lost(job, job->info.input);
	if (status == VRS_OK)
		status = vrs_network_need_calibration(network, &job->settings, job->info.input, err);
	/* the lanes of a trace are made of the times that a device keeps for a profile */
	if (status == VRS_OK && vrs_job_has_trace(job) && vrs_backend_has_devices(job->settings.engine.backend))
		network->options.profile = true;
	if (status == VRS_OK)
		status = vrs_cascade_load(&job->roi.cascade, &job->roi, job->threads.threads, batch, job->info.input, err);
	for (int i = 0; i < sessions_now(job) && status == VRS_OK; i++)
		status = open_session(job, i, err);
	return status;
}

static void close_all(struct vrs_job *job)
{
	for (int i = 0; i < job->threads.streams; i++) {
		struct vrs_roi_worker *worker = &job->workers[i].roi;
		vrs_head_destroy(worker->head);
		vrs_session_destroy(worker->session);
		worker->head = NULL;
		worker->session = NULL;
		vrs_cascade_close(worker);
	}
	vrs_cascade_destroy(job->roi.cascade);
	job->roi.cascade = NULL;
	vrs_network_fini(&job->roi.network);
}

/* A device that has too little memory, or may not give as much. */
static bool lacks_memory(const struct vrs_job *job, enum vrs_status status)
{
	return (status == VRS_ENOMEM || status == VRS_ELIMIT) && vrs_backend_has_devices(job->settings.engine.backend);
}

static bool lower(struct vrs_job *job, int *batch)
{
	int *value = *batch > 1 ? batch : &job->threads.streams;
	if (*value < 2)
		return false;
	*value /= 2;
	return true;
}

/* What was chosen becomes that of the job, and of the video's segments. */
static void take(struct vrs_job *job, int batch, int asked_batch, int asked_streams, const struct vrs_error *why)
{
	char *text = job->info.device_lowered;
	int used = 0;
	if (batch < asked_batch) {
		used = snprintf(text, sizeof job->info.device_lowered, "batch %d to %d", asked_batch, batch);
		job->settings.engine.batch_size = batch;
	}
	if (job->threads.streams < asked_streams) {
		(void)snprintf(text + used, sizeof job->info.device_lowered - (size_t)used, "%sstreams %d to %d", used ? ", " : "", asked_streams,
			       job->threads.streams);
		job->settings.engine.streams = job->threads.streams;
	}
	vrs_log(VRS_LOG_WARNING, "memory of the device: %s, since %s", text, why->text);
}

enum vrs_status vrs_session_setup(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_error first = {0}, why = {0};
	int asked_batch = job->settings.engine.batch_size ? job->settings.engine.batch_size : job->roi.eyes, batch = asked_batch;
	int asked_streams = job->threads.streams;
	enum vrs_status status = open_all(job, batch, &first);
	why = first;
	while (lacks_memory(job, status) && job->settings.engine.adaptive_batch) {
		close_all(job);
		if (!lower(job, &batch)) {
			why.status = status = VRS_ELIMIT; /* less is not possible: nobody tries again */
			break;
		}
		why = (struct vrs_error){0};
		status = open_all(job, batch, &why);
	}
	job->info.batch = batch;
	if (status != VRS_OK) {
		if (err)
			*err = why;
		return status;
	}
	if (batch < asked_batch || job->threads.streams < asked_streams)
		take(job, batch, asked_batch, asked_streams, &first);
	return VRS_OK;
}
