/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sound in containers that have no time for each of its packets, where a reader counts samples instead: what lies behind a gap would be heard that
 * much too early.  Silence goes into the gaps.  In AVI and MXF counting begins with the first picture: what is heard before it is cut.  MXF lasts as
 * long as the shortest of its tracks: there silence goes on to the end of the video.
 * Of PCM any sample can be silent; of compressed sound in AVI whole packets are made so, or cut, whichever is nearest.  Of other sound nothing can be
 * made: packets before the first picture are cut, and gaps are only found, to be told.
 */
#ifndef VRS_VIDEO_SOUND_FILL_H
#define VRS_VIDEO_SOUND_FILL_H

#include <stdbool.h>

#include <libavformat/avformat.h>

struct vrs_sound_fill {
	int sample_bytes; /* of PCM, all channels */
	uint8_t silence;  /* each of them */
	int frame;        /* samples of a compressed packet */
	bool by_duration; /* other sound in AVI, of which packets say how long they are; none of these: all stay as they are */
	bool closes;      /* there a reader counts its packets or bytes, and gaps are lost */
	AVPacket *silent; /* one of them; NULL: none can be made */
	AVRational base;  /* a sample */
	bool from_start;  /* the first packet has no time either */
	bool to_end;      /* it has to last as long as the video */
	bool started, placed; /* next is known; it is where a packet ends */
	int64_t next;     /* where what was placed and made so far ends, in samples */
	int64_t cut;      /* samples that had no place */
};

/* Release with vrs_sound_fill_fini, also where nothing was initialized but zeroed. */
void vrs_sound_fill_init(struct vrs_sound_fill *fill, const AVCodecParameters *sound, const AVOutputFormat *muxer);
void vrs_sound_fill_fini(struct vrs_sound_fill *fill);
/* Where the video begins: before the first packet. */
void vrs_sound_fill_begin(struct vrs_sound_fill *fill, int64_t start, AVRational base);
/* Samples that are missing before this time; 0: none. exactly: also where they are so few that it may be the rounding of times. */
int64_t vrs_sound_fill_missing(const struct vrs_sound_fill *fill, int64_t until, AVRational base, bool exactly);
/* False: there is no silence of the kind, or so much that a time stamp is wrong. */
bool vrs_sound_fill_can(const struct vrs_sound_fill *fill, int64_t samples);
/* Silence, of up to so many samples, with times in `base`; the stream is left to the caller.  Codes of FFmpeg. */
int vrs_sound_fill_make(struct vrs_sound_fill *fill, int64_t samples, AVPacket *pkt, AVRational base);
/*
 * A packet behind the silence: its times become those of its place.  What overlaps with sound before it is cut; false: nothing of it is left.
 */
bool vrs_sound_fill_place(struct vrs_sound_fill *fill, AVPacket *pkt, AVRational base);

#endif
