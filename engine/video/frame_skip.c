/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/frame_skip.h"

static uint64_t missing(const struct vrs_frame_skip *skip)
{
	return skip->sent > skip->got + skip->held ? skip->sent - skip->got - skip->held : 0;
}

void vrs_frame_skip_unreferenced(struct vrs_frame_skip *skip, AVCodecContext *decoder, bool leave_out)
{
	skip->unreferenced = leave_out;
	skip->partial |= leave_out;
	decoder->skip_frame = leave_out ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
}

void vrs_frame_skip_jump(struct vrs_frame_skip *skip, int64_t from, int64_t ts)
{
	skip->jumping = true;
	skip->jump_from = from;
	skip->jump_ts = ts;
}

static bool ends_jump(const struct vrs_frame_skip *skip, const AVPacket *packet)
{
	int64_t ts = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;

	return (packet->flags & AV_PKT_FLAG_KEY) && (ts == AV_NOPTS_VALUE || ts >= skip->jump_ts || ts <= skip->jump_from);
}

bool vrs_frame_skip_packet(struct vrs_frame_skip *skip, AVCodecContext *decoder, const AVPacket *packet)
{
	skip->keys += (packet->flags & AV_PKT_FLAG_KEY) != 0;
	if (!skip->jumping)
		return false;
	if (!ends_jump(skip, packet)) {
		skip->lost++;
		return true;
	}
	skip->lost += skip->sent - skip->got;
	skip->sent = skip->got = 0;
	skip->partial = skip->unreferenced;
	skip->jumping = false;
	avcodec_flush_buffers(decoder);
	return false;
}

void vrs_frame_skip_sent(struct vrs_frame_skip *skip)
{
	skip->sent++;
}

void vrs_frame_skip_got(struct vrs_frame_skip *skip)
{
	if (skip->got < skip->sent) /* a packet may hold several frames */
		skip->got++;
	if (!skip->partial && skip->sent - skip->got > skip->held)
		skip->held = skip->sent - skip->got;
}

void vrs_frame_skip_ended(struct vrs_frame_skip *skip)
{
	if (skip->partial)
		skip->lost += skip->sent - skip->got;
	skip->sent = skip->got = 0;
	skip->partial = skip->unreferenced;
}

void vrs_frame_skip_restart(struct vrs_frame_skip *skip)
{
	skip->lost = vrs_frame_skip_count(skip);
	skip->sent = skip->got = 0;
	skip->partial = skip->unreferenced;
	skip->jumping = false;
}

uint64_t vrs_frame_skip_count(const struct vrs_frame_skip *skip)
{
	return skip->lost + (skip->partial ? missing(skip) : 0);
}
