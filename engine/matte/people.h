/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is in a picture of one eye or two: the same people in both, each looked at in a view of the same size and the same rows of either eye, so that
 * the network sees a person alike in both.
 *
 * Where an eye does not show a person whom the other one shows, the person is looked for there in the same rows, shifted by the disparity that
 * others of that height have (struct vrs_disparity).  Frames are looked at beside each other and followed in order: what a frame saw goes into what
 * is known (vrs_people_merge) when its turn comes.
 */
#ifndef VRS_MATTE_PEOPLE_H
#define VRS_MATTE_PEOPLE_H

#include "matte/disparity.h"
#include "matte/glance.h"
#include "matte/regions.h"

#define VRS_PEOPLE_EYES 2

struct vrs_person {
	uint32_t number;                         /* from frame to frame; 0: a newcomer */
	struct vrs_rect view[VRS_PEOPLE_EYES];   /* of the frame, in each eye */
	uint32_t who[VRS_PEOPLE_EYES];           /* as vrs_regions.who */
	unsigned seen;                           /* bit e: in eye e */
	bool paired;                             /* were in all eyes at once, in this frame or before */
	bool apart;                              /* in the view of somebody else, whose look does not show them: they need a view of their own */
	bool gone;                               /* in what a frame saw: they have left, or share the view of others */
	int missing;                             /* frames in a row that did not show them */
	bool guessed;                            /* of what a frame saw: views cut them off, and how far they reach is a guess */
};

struct vrs_people {
	int count;
	struct vrs_person person[VRS_REGIONS_MAX];
	uint32_t last_number;                    /* given to newcomers, in order */
	struct vrs_disparity disparity;
	bool glanced[VRS_PEOPLE_EYES];           /* of what a frame saw: it glanced at the eye */
	struct vrs_glance glance[VRS_PEOPLE_EYES]; /* where newcomers may be */
	int search_debt;                         /* of searches because of that: frames x views to wait for before the next one (roi_arrivals.c) */
};

/* The eyes of a job; those of each are in the frame's samples. */
struct vrs_people_eyes {
	int count;
	const struct vrs_follow *follow;         /* [count] */
};


/* Views of both eyes get the larger one's size and the rows of both; no wider or higher than the eye. */
void vrs_person_align(const struct vrs_people_eyes *eyes, struct vrs_person *person);
/*
 * The person was seen in eye `from` alone, at `view`; the other eye's view follows by the person's own disparity when they were paired, and else by
 * that of all others, wider by how far it may be off.
 */
void vrs_person_place(const struct vrs_people_eyes *eyes, const struct vrs_disparity *disparity, struct vrs_person *person, int from,
		      const struct vrs_rect *view);
/* Does the edge of an eye explain that it does not show the person? */
bool vrs_person_at_edge(const struct vrs_people_eyes *eyes, const struct vrs_person *person, int eye);
/* Are they shown in the eyes that see them? Where one eye does not, they must have been in both before, or its edge explains it. */
bool vrs_person_is_shown(const struct vrs_people_eyes *eyes, const struct vrs_person *person);

/* Parts of the two eyes with people, tell which belong together: *ret_right[i] is that of parts[0].rect[i] in parts[1], -1: none. */
void vrs_people_pair(const struct vrs_people_eyes *eyes, const struct vrs_disparity *disparity, const struct vrs_regions parts[VRS_PEOPLE_EYES],
		     int ret_right[VRS_REGIONS_MAX]);
/*
 * People whose views overlap much in some eye share one, unless one of them is apart, and then the nearest ones until at most `most` are left; who
 * shares the view of another is gone, and stays in the list.  changed[i]: person i has another view.  Those who are gone do not count, and neither do
 * those before `first`.
 */
void vrs_people_join(const struct vrs_people_eyes *eyes, struct vrs_people *people, int first, int most, bool changed[VRS_REGIONS_MAX]);
/*
 * What a frame saw goes into what is known; frames come in order.  Newcomers get numbers; who was not seen for long, or has left, is forgotten.  At
 * most `most` are left.
 */
void vrs_people_merge(const struct vrs_people_eyes *eyes, struct vrs_people *known, const struct vrs_people *frame, int most);
/* Those who are known (vrs_people_merge), at most `most`. */
bool vrs_people_archive(const struct vrs_people_eyes *eyes, struct vrs_people *known, struct vrs_archive *archive, int most);

#endif
