/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What boxes of an MP4 or QuickTime file say about stereo and projection that FFmpeg 5.1 passes over: meshes, right-eye-first st3d, Apple's vexu
 * and hfov, a second layer of HEVC; and where the ambisonics of a sound track stand (SA3D). A bounded walk over box headers that reads a few bytes
 * of each box it knows; no picture data.
 *
 *     moov > trak > tkhd (track id)
 *                 > mdia > minf > stbl > stsd > sample entry > st3d | sv3d > proj > mshp, cbmp
 *                                                            > vexu > eyes > stri | pack > pkin | proj > prji
 *                                                            > hfov | lhvC
 *                                                            > SA3D
 * Sources: Spherical Video V2 (google/spatial-media, docs/spherical-video-v2-rfc.md), Apple "QuickTime and ISO base media file formats: spatial and
 * immersive media", ISO/IEC 14496-15 (lhvC), Spatial Audio (google/spatial-media, docs/spatial-audio-rfc.md).
 */
#ifndef VRS_VIDEO_MP4_BOXES_H
#define VRS_VIDEO_MP4_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/layout.h>

#define VRS_MP4_TRACKS_MAX 64

struct vrs_mp4_track {
	uint32_t id;
	struct vrs_stereo_side_data side; /* what these boxes say; has_stereo, has_spherical as usual */
};

#define VRS_MP4_ENTRY_DEPTH 7 /* boxes from moov to the sample entry */

struct vrs_mp4_sound {
	uint32_t id;
	int64_t at[VRS_MP4_ENTRY_DEPTH], end; /* where these begin, and where the first sample entry ends */
	int64_t spatial_at, spatial_size;     /* of SA3D, with its head; 0: there is none */
};

struct vrs_mp4_boxes {
	int count, sounds_count;
	struct vrs_mp4_track tracks[VRS_MP4_TRACKS_MAX]; /* of video */
	struct vrs_mp4_sound sounds[VRS_MP4_TRACKS_MAX];
};

/* Bytes [at, at + size) of the file into data; false when they are not there. */
typedef bool (*vrs_mp4_read_fn)(void *cookie, int64_t at, void *data, size_t size);

/* Walk a file of `size` bytes. Damaged boxes end their parent; what was found before stays. */
void vrs_mp4_boxes_walk(struct vrs_mp4_boxes *ret_boxes, vrs_mp4_read_fn read, void *cookie, int64_t size);
/* The same for a file on disk; one that cannot be read has no boxes. */
void vrs_mp4_boxes_read(struct vrs_mp4_boxes *ret_boxes, const char *path);
/* Add what the boxes of a track say to what FFmpeg said, which goes first. */
void vrs_mp4_boxes_apply(const struct vrs_mp4_boxes *boxes, uint32_t track_id, struct vrs_stereo_side_data *side);

#endif
