/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/track_end.h"

#include <libavutil/mathematics.h>

#define ROUNDING (AVRational){1, 500} /* between times that had milliseconds, as in Matroska, and others */

enum vrs_status vrs_track_end_init(struct vrs_track_end *end, int64_t step, AVRational step_base)
{
	*end = (struct vrs_track_end){.held = av_packet_alloc(), .spare = av_packet_alloc(), .step = step, .step_base = step_base};
	return end->held && end->spare ? VRS_OK : VRS_ENOMEM;
}

void vrs_track_end_fini(struct vrs_track_end *end)
{
	av_packet_free(&end->held);
	av_packet_free(&end->spare);
}

static bool is_stamped(const AVPacket *pkt)
{
	return pkt->dts != AV_NOPTS_VALUE && pkt->pts != AV_NOPTS_VALUE;
}

static int64_t lasts(const struct vrs_track_end *end, const AVPacket *pkt)
{
	return pkt->duration > 0 ? pkt->duration : av_rescale_q(end->step, end->step_base, end->base);
}

static void note(struct vrs_track_end *end, const AVPacket *pkt)
{
	if (end->packets++ == 0) {
		end->first_dts = pkt->dts;
		end->first_pts = end->shown = pkt->pts;
	}
	if (!is_stamped(pkt))
		return;
	end->first_pts = FFMIN(end->first_pts, pkt->pts);
	end->shown = FFMAX(end->shown, av_sat_add64(pkt->pts, lasts(end, pkt)));
}

bool vrs_track_end_swap(struct vrs_track_end *end, AVPacket *pkt, AVRational base)
{
	end->base = base;
	note(end, pkt);
	av_packet_move_ref(end->spare, end->held);
	av_packet_move_ref(end->held, pkt);
	av_packet_move_ref(pkt, end->spare);
	return end->packets > 1;
}

AVPacket *vrs_track_end_last(struct vrs_track_end *end, int64_t stop)
{
	AVPacket *pkt = end->held;

	if (end->packets == 0)
		return NULL;
	if (!is_stamped(pkt) || end->first_dts == AV_NOPTS_VALUE)
		return pkt;
	stop = av_rescale_q(stop, end->step_base, end->base);
	int64_t rounding = FFMAX(av_rescale_q(1, end->step_base, end->base), av_rescale_q(1, ROUNDING, end->base));

	if (stop - end->shown <= rounding)
		stop = end->shown;
	int64_t longest = av_sat_sub64(stop, pkt->pts), own = lasts(end, pkt);

	if (stop > end->shown && longest > own)
		own = pkt->duration = longest;
	int64_t lacking = av_sat_sub64(av_sat_sub64(stop, end->first_pts), av_sat_sub64(av_sat_add64(pkt->dts, own), end->first_dts));
	int64_t more = av_clip64(longest - own, 0, FFMAX(lacking, 0));

	if (lacking <= rounding)
		return pkt;
	if (more > 0)
		pkt->duration = own + more;
	pkt->dts += av_clip64(pkt->pts - pkt->dts, 0, lacking - more);
	return pkt;
}
