/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/bottleneck_device.h"

#include <math.h>
#include <stdio.h>

static const double gap_limit = 0.25;      /* of the time from the first kernel of a call to the end of the last */
static const double transfer_limit = 0.25; /* of transfers and computing, one after another */
static const double ceiling_limit = 0.25;  /* of the peak and of the bandwidth: kernels below are near neither */
static const double small_limit = 0.50;    /* of the time of kernels, in those that cannot fill the device */
static const double busy_limit = 0.50;     /* of the time of a frame */
static const double memory_limit = 0.80;   /* of the memory of the device that is allowed */

/* A faster device brings something only where no other stage sets the pace. The network alone has no stages. */
static bool network_limits(const struct vrs_finder *f)
{
	return f->first == VRS_STAGE_COUNT || (f->first == VRS_STAGE_INFERENCE && f->busy[f->first] >= VRS_FINDER_IDLE_LIMIT);
}

/* A rule that fires; left: the share of its time that the network would still take. */
static struct vrs_bottleneck *add(struct vrs_finder *f, const char *id, double share, double left)
{
	struct vrs_bottleneck *b = vrs_finder_add(f, id);
	if (!b)
		return NULL;
	b->stage = VRS_STAGE_INFERENCE;
	b->share = share;
	b->fps_bound = vrs_finder_bound(f, VRS_STAGE_INFERENCE, left);
	return b;
}

/* More work in a call, and more calls at once; what the case has already is no proposal. */
static void advise_more_work(const struct vrs_finder *f, struct vrs_bottleneck *b, bool fuse)
{
	char twice[12];
	int n = 0;
	struct vrs_proposal p[3];
	(void)snprintf(twice, sizeof twice, "%d", 2 * f->in->batch);
	if (f->in->batch > 0 && f->in->batch <= 128)
		p[n++] = vrs_propose("engine.batch_size", twice);
	if (f->in->streams < 2)
		p[n++] = vrs_propose("engine.streams", "2");
	if (fuse)
		p[n++] = vrs_propose("engine.fusion", "true");
	vrs_finder_advise(f, b, p, n);
}

static void launch_rule(struct vrs_finder *f)
{
	const struct vrs_net_profile *p = f->in->profile;
	double span = p->kernel_ms + p->gap_ms, share = p->gap_ms / span;
	if (p->kernels < 2 || !(share >= gap_limit))
		return;
	struct vrs_bottleneck *b = add(f, "launch-bound", share, 1 - p->gap_ms / p->call_ms);
	if (!b)
		return;
	snprintf(b->sentence, sizeof b->sentence, "%s", p->host_ops > 0 ? "the device waits for operators that the host computes between its kernels" :
		 "the device waits between its kernels: they are many and short");
	int n = snprintf(b->evidence, sizeof b->evidence, "%lld kernels of a call take %.0f us each on average, with gaps of %.2f ms between them: "
			 "%.0f %% of the %.2f ms from the first to the last", (long long)p->kernels, 1e3 * p->kernel_ms / (double)p->kernels, p->gap_ms,
			 100 * share, span);
	if (p->host_ops > 0)
		n += snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, "; the host computes %lld operators", (long long)p->host_ops);
	if (p->launch_us > 0)
		snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, "; from one empty kernel to the next it takes %.1f us", p->launch_us);
	vrs_finder_say_gain(b, "without gaps");
	advise_more_work(f, b, true);
}

/* With several streams one transfers while another computes, unless the transfers alone take longer. */
static void transfer_rule(struct vrs_finder *f)
{
	const struct vrs_net_profile *p = f->in->profile;
	double compute = p->kernel_ms + p->gap_ms, moved = p->upload_ms + p->download_ms, share = moved / (moved + compute);
	double longest = fmax(compute, fmax(p->upload_ms, p->download_ms));
	if (!(share >= transfer_limit) || (f->in->streams > 1 && longest <= compute))
		return;
	struct vrs_bottleneck *b = add(f, "transfer-bound", share, 1 - (moved + compute - longest) / p->call_ms);
	if (!b)
		return;
	snprintf(b->sentence, sizeof b->sentence, "the network waits for transfers between host and device");
	int n = snprintf(b->evidence, sizeof b->evidence, "a call takes %.2f ms up and %.2f ms down beside %.2f ms of computing: transfers are %.0f %% "
			 "of it", p->upload_ms, p->download_ms, compute, 100 * share);
	if (p->upload_gbps > 0 && p->download_gbps > 0)
		snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, "; at best %.1f GB/s go up and %.1f GB/s down", p->upload_gbps, p->download_gbps);
	vrs_finder_say_gain(b, "where transfers run beside computing");
	if (f->in->streams < 2)
		vrs_finder_advise(f, b, (const struct vrs_proposal[]){{"engine.streams", "2", false}}, 1);
}

static void occupancy_rule(struct vrs_finder *f)
{
	const struct vrs_net_profile *p = f->in->profile;
	double reached = fmax(p->kernel_peak_share, p->kernel_memory_share);
	if (!isfinite(p->kernel_peak_share) || !isfinite(p->kernel_memory_share) || reached >= ceiling_limit || !(p->small_share >= small_limit))
		return;
	struct vrs_bottleneck *b = add(f, "low-occupancy", 1 - reached, 1 - (1 - reached) * p->kernel_ms / p->call_ms);
	if (!b)
		return;
	snprintf(b->sentence, sizeof b->sentence, "kernels are too small for the device: most of their time leaves a part of it idle");
	snprintf(b->evidence, sizeof b->evidence, "%.0f %% of the time of kernels goes into those with fewer than the %lld work-items that fill the device; "
		 "kernels reach %.0f %% of its peak and %.0f %% of the bandwidth of its memory", 100 * p->small_share, (long long)p->full_items,
		 100 * p->kernel_peak_share, 100 * p->kernel_memory_share);
	vrs_finder_say_gain(b, "where kernels fill the device");
	advise_more_work(f, b, false);
}

/* Gaps between kernels are not counted here: they have a rule of their own. */
static void idle_rule(struct vrs_finder *f)
{
	const struct vrs_net_profile *p = f->in->profile;
	double calls = f->in->batch > 0 ? (double)(f->in->eyes > 0 ? f->in->eyes : 1) / f->in->batch : 1; /* a frame, without searches */
	double busy_ms = calls * (p->kernel_ms + p->gap_ms + p->upload_ms + p->download_ms), share = busy_ms / f->in->frame_ms;
	double network_ms = isfinite(f->busy[VRS_STAGE_INFERENCE]) ? f->busy[VRS_STAGE_INFERENCE] * f->in->frame_ms : f->in->frame_ms;
	if (!(share < busy_limit) || f->in->device_percent >= 100 * busy_limit)
		return;
	struct vrs_bottleneck *b = add(f, "idle-device", 1 - share, busy_ms / network_ms);
	if (!b)
		return;
	snprintf(b->sentence, sizeof b->sentence, "the device is idle for most of the time: the host does not give it work fast enough");
	int n = snprintf(b->evidence, sizeof b->evidence, "its commands take %.2f ms of the %.2f ms of a frame (%.0f %%)", busy_ms, f->in->frame_ms,
			 100 * share);
	if (isfinite(f->in->device_percent))
		snprintf(b->evidence + n, sizeof b->evidence - (size_t)n, "; its driver says that it is busy for %.0f %%", f->in->device_percent);
	vrs_finder_say_gain(b, "where the device is never idle");
	advise_more_work(f, b, false);
}

static void memory_rule(struct vrs_finder *f)
{
	const struct vrs_bottleneck_input *in = f->in;
	double share = in->device_bytes / in->device_limit_bytes;
	bool reduced = in->batch > 0 && in->batch_asked > in->batch;
	char half[12];
	int n = 0;
	if (!isfinite(share) || (share < memory_limit && !reduced))
		return;
	struct vrs_bottleneck *b = vrs_finder_add(f, "device-memory");
	if (!b)
		return;
	b->share = fmin(1, share);
	snprintf(b->sentence, sizeof b->sentence, "%s", reduced ? "the batch is smaller than asked for, since memory did not allow it" :
		 "memory of the device is nearly used up");
	int used = snprintf(b->evidence, sizeof b->evidence, "the network holds %.0f MiB, %.0f %% of the %.0f MiB that it may have of the device",
			    in->device_bytes / 1048576, 100 * share, in->device_limit_bytes / 1048576);
	if (reduced)
		used += snprintf(b->evidence + used, sizeof b->evidence - (size_t)used, "; a batch of %d was asked for and ran as %d", in->batch_asked,
				 in->batch);
	snprintf(b->evidence + used, sizeof b->evidence - (size_t)used, "; less of it keeps jobs from failing, and brings no speed");
	struct vrs_proposal p[3];
	(void)snprintf(half, sizeof half, "%d", in->batch / 2);
	if (in->batch > 1 && !reduced)
		p[n++] = vrs_propose("engine.batch_size", half);
	if (in->streams > 1)
		p[n++] = vrs_propose("engine.streams", "1");
	p[n++] = vrs_propose("engine.precision", "fp16");
	vrs_finder_advise(f, b, p, n);
}

void vrs_bottleneck_device_rules(struct vrs_finder *f)
{
	if (!f->in->on_device)
		return;
	if (f->in->profile && network_limits(f)) {
		launch_rule(f);
		transfer_rule(f);
		occupancy_rule(f);
		idle_rule(f);
	}
	memory_rule(f);
}
