/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smaller batches, fewer streams and shorter queues, for another try when memory ran out.  The pictures do not depend on them. */
#include <vrseg/long_job.h>
#include <vrseg/log.h>

static bool halve(int *value)
{
	if (*value < 2)
		return false;
	*value /= 2;
	return true;
}

bool vrs_step_down(struct vrs_settings *settings, const struct vrs_job_info *info)
{
	int batch = settings->engine.batch_size, streams = settings->engine.streams ? settings->engine.streams : info->streams ? info->streams : 2;
	int queue = settings->pipeline.queue_size;
	if (!settings->engine.adaptive_batch)
		return false;
	bool smaller = halve(&batch);
	smaller = halve(&streams) || smaller;
	smaller = halve(&queue) || smaller;
	if (!smaller)
		return false;
	settings->engine.batch_size = batch;
	settings->engine.streams = streams;
	settings->pipeline.queue_size = queue;
	vrs_log_once("step-down", VRS_LOG_WARNING, "out of memory: trying again with half of batch, streams and queue (now %d frame%s in a queue)", queue,
		     queue == 1 ? "" : "s");
	return true;
}
