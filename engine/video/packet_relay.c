/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/packet_relay.h"

#include <pthread.h>

#include <libavutil/avutil.h>
#include <libavutil/fifo.h>

#include <vrseg/log.h>

#include "base/mem.h"

#define PACKET_BYTES 256 /* that a packet takes beside its data: as many of them are taken as would fill the limit with these alone */

struct vrs_packet_relay {
	pthread_mutex_t lock; /* guards everything below */
	uint64_t bytes, packets; /* queued */
	uint64_t max_bytes;
	uint64_t bound_bytes; /* of memory; UINT64_MAX: none */
	uint64_t dropped;     /* packets above the limit */
	bool claimed, begun, stopped;
	int stream_count;
	AVFifo **queues;      /* [stream_count] of AVPacket *; NULL: not relayed */
};

enum vrs_status vrs_packet_relay_create(struct vrs_packet_relay **ret_relay, const bool *candidates, int streams, uint64_t max_bytes)
{
	struct vrs_packet_relay *relay = vrs_calloc(1, sizeof *relay);
	bool made;

	if (!relay)
		return VRS_ENOMEM;
	(void)pthread_mutex_init(&relay->lock, NULL); /* default attributes cannot fail on Linux */
	relay->max_bytes = max_bytes;
	relay->bound_bytes = UINT64_MAX;
	relay->queues = vrs_calloc((size_t)streams, sizeof(AVFifo *));
	relay->stream_count = relay->queues ? streams : 0;
	made = relay->queues;
	for (int i = 0; made && i < streams; i++) {
		if (candidates[i])
			relay->queues[i] = av_fifo_alloc2(64, sizeof(AVPacket *), 0); /* NOLINT(bugprone-sizeof-expression): of pointers */
		made = relay->queues[i] || !candidates[i];
	}
	if (!made) {
		vrs_packet_relay_destroy(relay);
		return VRS_ENOMEM;
	}
	*ret_relay = relay;
	return VRS_OK;
}

static void count_off(struct vrs_packet_relay *relay, const AVPacket *pkt)
{
	relay->bytes -= (uint64_t)pkt->size;
	relay->packets--;
}

static void empty_queue(struct vrs_packet_relay *relay, int stream)
{
	AVPacket *pkt;

	while (relay->queues[stream] && av_fifo_read(relay->queues[stream], &pkt, 1) >= 0) {
		count_off(relay, pkt);
		av_packet_free(&pkt);
	}
}

static void drop_queue(struct vrs_packet_relay *relay, int stream)
{
	empty_queue(relay, stream);
	av_fifo_freep2(&relay->queues[stream]);
}

static void stop_locked(struct vrs_packet_relay *relay)
{
	for (int i = 0; i < relay->stream_count; i++)
		drop_queue(relay, i);
	relay->stopped = true;
}

void vrs_packet_relay_clear(struct vrs_packet_relay *relay)
{
	pthread_mutex_lock(&relay->lock);
	for (int i = 0; i < relay->stream_count; i++)
		empty_queue(relay, i);
	pthread_mutex_unlock(&relay->lock);
}

void vrs_packet_relay_stop(struct vrs_packet_relay *relay)
{
	pthread_mutex_lock(&relay->lock);
	stop_locked(relay);
	pthread_mutex_unlock(&relay->lock);
}

void vrs_packet_relay_destroy(struct vrs_packet_relay *relay)
{
	if (!relay)
		return;
	vrs_packet_relay_stop(relay);
	pthread_mutex_destroy(&relay->lock);
	vrs_free(relay->queues);
	vrs_free(relay);
}

void vrs_packet_relay_bound(struct vrs_packet_relay *relay, uint64_t bytes)
{
	pthread_mutex_lock(&relay->lock);
	relay->bound_bytes = bytes > VRS_RELAY_LEAST_BYTES ? bytes : VRS_RELAY_LEAST_BYTES;
	pthread_mutex_unlock(&relay->lock);
}

bool vrs_packet_relay_claim(struct vrs_packet_relay *relay, const bool *wanted)
{
	bool in_time;

	pthread_mutex_lock(&relay->lock);
	in_time = !relay->stopped && !relay->claimed;
	relay->claimed = true;
	for (int i = 0; in_time && i < relay->stream_count; i++)
		if (!wanted[i])
			drop_queue(relay, i);
	pthread_mutex_unlock(&relay->lock);
	return in_time;
}

void vrs_packet_relay_begin(struct vrs_packet_relay *relay)
{
	pthread_mutex_lock(&relay->lock);
	relay->begun = true;
	pthread_mutex_unlock(&relay->lock);
}

bool vrs_packet_relay_wants(struct vrs_packet_relay *relay, int stream)
{
	bool wants;

	pthread_mutex_lock(&relay->lock);
	wants = stream < relay->stream_count && relay->queues[stream];
	pthread_mutex_unlock(&relay->lock);
	return wants;
}

static bool fits(const struct vrs_packet_relay *relay, const AVPacket *pkt, uint64_t max_bytes)
{
	return relay->bytes + (uint64_t)pkt->size <= max_bytes && relay->packets < max_bytes / PACKET_BYTES;
}

/* To twice its size: a queue of FFmpeg's that grows by itself does so for two packets at a time, and ends at a mebibyte, 46 minutes of AAC. */
static int append(AVFifo *queue, AVPacket *pkt)
{
	int rc = av_fifo_can_write(queue) > 0 ? 0 : av_fifo_grow2(queue, av_fifo_can_read(queue));

	return rc < 0 ? rc : av_fifo_write(queue, &pkt, 1);
}

static enum vrs_status put_locked(struct vrs_packet_relay *relay, AVFifo *queue, AVPacket *pkt)
{
	AVPacket *moved;

	if (!relay->claimed && !fits(relay, pkt, relay->begun ? VRS_RELAY_MAX_UNCLAIMED_BYTES : relay->max_bytes)) {
		stop_locked(relay);
		return VRS_OK;
	}
	if (!fits(relay, pkt, relay->bound_bytes))
		return VRS_ELIMIT;
	if (!fits(relay, pkt, relay->max_bytes)) {
		if (relay->dropped++ == 0)
			vrs_log(VRS_LOG_WARNING, "audio is too far ahead of the video in the input; some of it is left out");
		return VRS_OK;
	}
	moved = av_packet_alloc();
	if (!moved)
		return VRS_ENOMEM;
	av_packet_move_ref(moved, pkt);
	if (av_packet_make_refcounted(moved) < 0 || append(queue, moved) < 0) {
		av_packet_free(&moved);
		return VRS_ENOMEM;
	}
	relay->bytes += (uint64_t)moved->size;
	relay->packets++;
	return VRS_OK;
}

enum vrs_status vrs_packet_relay_put(struct vrs_packet_relay *relay, AVPacket *pkt)
{
	enum vrs_status status = VRS_OK;

	pthread_mutex_lock(&relay->lock);
	if (pkt->stream_index < relay->stream_count && relay->queues[pkt->stream_index])
		status = put_locked(relay, relay->queues[pkt->stream_index], pkt);
	pthread_mutex_unlock(&relay->lock);
	av_packet_unref(pkt);
	return status;
}

bool vrs_packet_relay_has_room(struct vrs_packet_relay *relay)
{
	uint64_t most;
	bool room;

	pthread_mutex_lock(&relay->lock);
	most = relay->bound_bytes < relay->max_bytes ? relay->bound_bytes : relay->max_bytes;
	room = relay->bytes < most / 2 && relay->packets < most / PACKET_BYTES / 2;
	pthread_mutex_unlock(&relay->lock);
	return room;
}

static int64_t packet_time(const AVPacket *pkt)
{
	return pkt->dts != AV_NOPTS_VALUE ? pkt->dts : pkt->pts != AV_NOPTS_VALUE ? pkt->pts : INT64_MIN;
}

bool vrs_packet_relay_take(struct vrs_packet_relay *relay, int stream, int64_t limit, AVPacket *ret_pkt, bool *ret_waiting)
{
	bool taken = false, waiting = false;
	AVPacket *pkt;

	pthread_mutex_lock(&relay->lock);
	if (relay->queues[stream] && av_fifo_peek(relay->queues[stream], &pkt, 1, 0) >= 0) {
		taken = limit == INT64_MAX || packet_time(pkt) < limit;
		waiting = !taken;
	}
	if (taken) {
		av_fifo_drain2(relay->queues[stream], 1);
		count_off(relay, pkt);
		av_packet_move_ref(ret_pkt, pkt);
		av_packet_free(&pkt);
	}
	pthread_mutex_unlock(&relay->lock);
	if (ret_waiting)
		*ret_waiting = waiting;
	return taken;
}
