/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of audio and subtitle streams on their way from the demuxer (source thread) to the muxer (sink thread) without decoding.
 * One queue per stream, so that a subtitle far ahead holds back no audio.  Bounded: above the limit packets are dropped and counted.  The limit is of
 * their data; packets that are tiny count with 256 bytes each, in a sum of their own.  Where a job may use less memory than that, it ends instead:
 * what an output holds does not depend on memory.
 */
#ifndef VRS_VIDEO_PACKET_RELAY_H
#define VRS_VIDEO_PACKET_RELAY_H

#include <stdbool.h>

#include <libavcodec/packet.h>

#include <vrseg/status.h>

/* Well interleaved files hold a second or two; this is ten minutes of 24-bit six-channel PCM. */
#define VRS_RELAY_MAX_BYTES (UINT64_C(512) << 20)

/* What every job has room for. */
#define VRS_RELAY_LEAST_BYTES (UINT64_C(32) << 20)

/* Kept where frames are read and no sink has claimed streams yet: none will come. */
#define VRS_RELAY_MAX_UNCLAIMED_BYTES (UINT64_C(4) << 20)

struct vrs_packet_relay;

/* candidates[streams]: which streams of the demuxer may be wanted; they are queued from now on, up to max_bytes in all. VRS_ENOMEM. */
enum vrs_status vrs_packet_relay_create(struct vrs_packet_relay **ret_relay, const bool *candidates, int streams, uint64_t max_bytes);
void vrs_packet_relay_destroy(struct vrs_packet_relay *relay); /* NULL is fine */
/* From now on the job has no more memory for what is queued than this; VRS_RELAY_LEAST_BYTES at least. */
void vrs_packet_relay_bound(struct vrs_packet_relay *relay, uint64_t bytes);
/* Choose the streams to relay; the others are dropped.  False: too late, packets are lost already.  Thread-safe, like everything below. */
bool vrs_packet_relay_claim(struct vrs_packet_relay *relay, const bool *wanted);
/* Frames are read from now on: a sink would have claimed its streams, as a rule.  What is there stays. */
void vrs_packet_relay_begin(struct vrs_packet_relay *relay);
/* False where packets of the stream are dropped from now on. */
bool vrs_packet_relay_wants(struct vrs_packet_relay *relay, int stream);
/* Move pkt in if its stream is relayed, else unreference it.  VRS_ENOMEM; VRS_ELIMIT: above the bound. */
enum vrs_status vrs_packet_relay_put(struct vrs_packet_relay *relay, AVPacket *pkt);
/*
 * Move out the oldest packet of the stream if it begins before `limit` (in the stream's time base; INT64_MAX: any).
 * ret_waiting (optional) tells whether one at or after the limit is there.
 */
bool vrs_packet_relay_take(struct vrs_packet_relay *relay, int stream, int64_t limit, AVPacket *ret_pkt, bool *ret_waiting);
/* False where little more would fit: who reads on for the relay alone leaves it at that. */
bool vrs_packet_relay_has_room(struct vrs_packet_relay *relay);
/* What is queued goes; packets that come later are relayed. */
void vrs_packet_relay_clear(struct vrs_packet_relay *relay);
/* Stop relaying: what is queued goes, later packets are dropped. */
void vrs_packet_relay_stop(struct vrs_packet_relay *relay);

#endif
