/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/device_loss.h"

#include <string.h>

#include "base/live_list.h"
#include "base/str_parse.h"
#include "roi/cascade.h"

#include <vrseg/log.h>

/* grows: the input is a playlist that is still written. */
static bool repeats(const struct vrs_settings *settings, const char *input, bool grows, bool begun)
{
	const char *output = settings->output.file;
	bool is_read_again = !vrs_source_reads_once(input) && !vrs_source_sets_pace(input) && !grows;
	return is_read_again && !settings->pipeline.live && (!begun || vrs_sink_saves(output) || strcmp(output, "null:") == 0);
}

bool vrs_job_repeats(const struct vrs_settings *settings, const char *input, bool begun)
{
	return repeats(settings, input, vrs_live_list_is(input), begun);
}

bool vrs_job_replaces_lost(const struct vrs_job *job, const char *input)
{
	const struct vrs_settings *settings = &job->settings;
	return job->mattes.callbacks.outlives_device && (!settings->engine.deterministic || !repeats(settings, input, job->stamps.grows, true));
}

/* Devices that the sessions of a worker have replaced. */
static int replaced(const struct vrs_roi_worker *worker)
{
	const struct vrs_session *small = worker->small_session;
	int count = worker->session ? vrs_session_info(worker->session).devices_lost : 0;
	int of_small = small ? vrs_session_info(small).devices_lost : 0;
	return of_small > count ? of_small : count;
}

bool vrs_job_is_mixed(const struct vrs_job *job)
{
	for (int i = 0; i < job->threads.streams; i++)
		if (replaced(&job->workers[i].roi) > 0)
			return true;
	return false;
}

/* What of a list of devices is behind the first ones; "": nothing. */
static const char *behind(const char *list, int count)
{
	const char *at = list ? list : "";
	for (int i = 0; i < count; i++) {
		at += strcspn(at, "+");
		at += *at == '+';
	}
	return at;
}

bool vrs_job_lost_device(const struct vrs_job *job, char *ret_left, size_t size)
{
	ret_left[0] = '\0';
	for (int i = 0; i < job->threads.streams; i++) {
		const struct vrs_roi_worker *worker = &job->workers[i].roi;
		int lost = worker->device_lost ? 1 : replaced(worker);
		if (lost > 0) {
			(void)vrs_strcpy(ret_left, size, behind(worker->device, lost)); /* a list that was cut is still one */
			return true;
		}
	}
	return false;
}

void vrs_device_leave(struct vrs_settings *settings, const char *left)
{
	if (!vrs_backend_has_devices(settings->engine.backend))
		return;
	(void)vrs_strcpy(settings->engine.device, sizeof settings->engine.device, left[0] ? left : "auto");
	if (left[0])
		return;
	(void)vrs_strcpy(settings->engine.backend, sizeof settings->engine.backend, "cpu");
	settings->engine.device_tune = VRS_DEVICE_TUNE_NONE; /* as in a job that was begun on the CPU, so that their mattes are the same in the cache */
}

bool vrs_device_down(struct vrs_settings *settings, const struct vrs_job_info *info, const char *left, const struct vrs_error *why)
{
	if (!vrs_backend_has_devices(settings->engine.backend)) /* another job on the device was before, and has told */
		return true;
	vrs_log(VRS_LOG_WARNING, "%s; what is not finished is made again on %s%s", why->text,
		!left[0] ? "the CPU" : strchr(left, '+') ? "devices " : "device ", left);
	vrs_device_leave(settings, left);
	if (info->precision != VRS_PRECISION_AUTO) /* that the job began in, which auto would not be on the CPU */
		settings->engine.precision = (int)info->precision;
	return true;
}
