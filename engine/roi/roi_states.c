/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_states.h"

#include <string.h>

#include "base/assert.h"
#include "roi/rectilinear_look.h"
#include "roi/roi_slots.h"
#include "roi/state_store.h"

#define MOST_AGE 30        /* frames that a state outlives without a look of its network: of others, or of none */
#define MOST_FRAMES (UINT64_C(1) << 62)
#define MOST_AIM 1e6       /* of the numbers of a camera, which it checks itself */
#define LEAST_COVERED 0.25 /* of a view: where the one before shows less of it, its past says little */

/* A slot's states, and the view that they were made from. */
struct past {
	bool filled, held;
	uint64_t seq;                           /* of the frame that filled it */
	struct vrs_roi_look view, held_view;
};

struct eye_states {
	struct vrs_roi_slots slots;
	struct past past[VRS_REGIONS_MAX];      /* of each slot */
	struct vrs_regions now;                 /* of the frame at hand, */
	int slot_of[VRS_REGIONS_MAX];           /* and their slots */
	struct vrs_luma_view luma_view;         /* scenes are compared where people were, which is what states are about */
	bool scene_known;
	struct vrs_rect scene_part;
	struct vrs_scene_signature scene;
};

struct vrs_roi_states {
	const struct vrs_roi_plan *plan;
	struct vrs_rectilinear_look *camera;    /* NULL: parts are looked at as they are */
	struct vrs_state_store *store;          /* slot eye * plan->regions + s */
	struct vrs_state_map map;
	uint64_t seq;                           /* of the frame at hand */
	uint8_t *luma;
	struct eye_states eye[VRS_MAX_EYES];
};

enum vrs_status vrs_roi_states_create(struct vrs_roi_states **ret_states, const struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int width = plan->shape.input_width, height = plan->shape.input_height;
	if (vrs_head_state_count(worker->head) == 0)
		return VRS_OK;
	struct vrs_roi_states *states = vrs_arena_calloc(worker->arena, 1, sizeof *states);
	if (!states)
		return VRS_ENOMEM;
	states->plan = plan;
	states->camera = worker->camera;
	states->luma = vrs_arena_calloc(worker->arena, (size_t)width * (size_t)height, 1); /* the network has it */
	enum vrs_status status = vrs_state_store_create(&states->store, worker->arena, worker->head, plan->eyes * plan->regions);
	for (int e = 0; e < plan->eyes && status == VRS_OK; e++) {
		states->eye[e].slots.count = plan->regions;
		states->eye[e].slots.circle = plan->format.circle;
		status = vrs_luma_view_init(&states->eye[e].luma_view, worker->arena, &plan->format, &plan->follow[e].eye, vrs_roi_area(plan, e), width,
					    height);
	}
	*ret_states = states;
	return status != VRS_OK ? status : worker->arena->failed ? VRS_ENOMEM : VRS_OK;
}

static void forget(struct vrs_roi_states *states, int e, int s)
{
	states->eye[e].past[s].filled = false;
	vrs_state_store_clear(states->store, e * states->plan->regions + s);
}

static void forget_all(struct vrs_roi_states *states, int e)
{
	vrs_roi_slots_clear(&states->eye[e].slots);
	for (int s = 0; s < states->plan->regions; s++)
		forget(states, e, s);
}

static void get_scene(struct vrs_roi_states *states, int e, const struct vrs_frame_task *task, struct vrs_scene_signature *ret_scene)
{
	struct eye_states *eye = &states->eye[e];
	(void)vrs_luma_view_get(&eye->luma_view, &task->frame, &eye->scene_part, states->luma, ret_scene); /* inside the eye always */
}

void vrs_roi_states_begin(struct vrs_roi_states *states, const struct vrs_frame_task *task)
{
	if (states)
		states->seq = task->seq;
	for (int e = 0; states && e < states->plan->eyes; e++) {
		struct eye_states *eye = &states->eye[e];
		bool fresh = vrs_frame_task_is_first(task);
		if (eye->scene_known) {
			struct vrs_scene_signature before = eye->scene;
			get_scene(states, e, task, &eye->scene);
			fresh = fresh || vrs_scene_cut(&before, &eye->scene);
		}
		if (fresh)
			forget_all(states, e);
	}
}

void vrs_roi_states_assign(struct vrs_roi_states *states, int eye, struct vrs_regions *regions)
{
	if (!states)
		return;
	struct eye_states *e = &states->eye[eye];
	vrs_roi_slots_assign(&e->slots, regions, e->slot_of);
	e->now = *regions;
}

void vrs_roi_states_open(struct vrs_roi_states *states, int eye, int r)
{
	if (states)
		states->eye[eye].past[states->eye[eye].slot_of[r]].held = false;
}

/* Does the past of region r of an eye say something about a look? Then states->map tells what. */
static bool find_past(struct vrs_roi_states *states, int eye, int r, const struct vrs_roi_look *look)
{
	const struct eye_states *e = &states->eye[eye];
	int s = e->slot_of[r];
	if (!e->past[s].filled || states->seq - e->past[s].seq > MOST_AGE || e->slots.slot[s].who != e->now.who[r])
		return false;
	const struct vrs_roi_look *before = &e->past[s].view;
	if (!vrs_rectilinear_look_map(states->camera, eye, &before->rect, &before->aim, &look->rect, &look->aim, &states->map))
		vrs_state_map_set(&states->map, &before->rect, &look->rect, states->plan->format.circle);
	return vrs_state_map_covered(&states->map) >= LEAST_COVERED;
}

void vrs_roi_states_load(struct vrs_roi_states *states, int entry, int eye, int r, const struct vrs_roi_look *look)
{
	if (!states)
		return;
	VRS_ASSERT(eye >= 0 && eye < states->plan->eyes && r < states->eye[eye].now.count);
	bool known = r >= 0 && find_past(states, eye, r, look);
	vrs_state_store_load(states->store, entry, known ? eye * states->plan->regions + states->eye[eye].slot_of[r] : -1, &states->map);
}

void vrs_roi_states_hold(struct vrs_roi_states *states, int entry, int eye, int r, const struct vrs_roi_look *look)
{
	if (!states)
		return;
	VRS_ASSERT(eye >= 0 && eye < states->plan->eyes && r >= 0 && r < states->eye[eye].now.count);
	int s = states->eye[eye].slot_of[r];
	states->eye[eye].past[s].held = true;
	states->eye[eye].past[s].held_view = *look;
	vrs_state_store_hold(states->store, entry, eye * states->plan->regions + s);
}

/* What was held for a slot becomes its past. */
static void commit(struct vrs_roi_states *states, int e, int s)
{
	struct past *past = &states->eye[e].past[s];
	if (!past->held)
		return;
	past->filled = true;
	past->held = false;
	past->seq = states->seq;
	past->view = past->held_view;
	vrs_state_store_commit(states->store, e * states->plan->regions + s);
}

void vrs_roi_states_end(struct vrs_roi_states *states, const struct vrs_frame_task *task, const struct vrs_regions *regions)
{
	for (int e = 0; states && e < states->plan->eyes; e++) {
		struct eye_states *eye = &states->eye[e];
		uint32_t changed = vrs_roi_slots_settle(&eye->slots, &regions[e], eye->slot_of);
		for (int s = 0; s < eye->slots.count; s++)
			if (changed >> s & 1)
				forget(states, e, s);
		for (int r = 0; r < regions[e].count; r++)
			commit(states, e, eye->slot_of[r]);
		struct vrs_rect part = vrs_regions_around(&regions[e], states->plan->format.circle);
		bool moved = !eye->scene_known || memcmp(&part, &eye->scene_part, sizeof part) != 0;
		eye->scene_known = true;
		eye->scene_part = part;
		if (moved)
			get_scene(states, e, task, &eye->scene);
	}
}

/* What the states of a slot were made from; past.filled is that of the slot. */
static bool archive_past(struct vrs_roi_states *states, int e, struct past *past, struct vrs_archive *archive, uint64_t next_seq)
{
	const struct vrs_roi_plan *plan = states->plan;
	double *aim = (double *)&past->view.aim;
	uint64_t age = next_seq - past->seq;
	bool good = vrs_archive_u64(archive, &age, MOST_FRAMES) &&
		    vrs_archive_part(archive, &past->view.rect, &plan->follow[e].eye, plan->format.circle);
	past->seq = next_seq - age;
	for (size_t i = 0; good && i < sizeof past->view.aim / sizeof *aim; i++)
		good = vrs_archive_double(archive, &aim[i], -MOST_AIM, MOST_AIM);
	return good;
}

static bool archive_eye(struct vrs_roi_states *states, int e, struct vrs_archive *archive, uint64_t next_seq)
{
	const struct vrs_roi_plan *plan = states->plan;
	struct eye_states *eye = &states->eye[e];
	bool good = vrs_roi_slots_archive(&eye->slots, archive, &plan->follow[e].eye);
	for (int s = 0; good && s < plan->regions; s++) {
		struct past *past = &eye->past[s];
		good = vrs_archive_flag(archive, &past->filled) && vrs_state_store_archive(states->store, archive, e * plan->regions + s) &&
		       (!past->filled || archive_past(states, e, past, archive, next_seq));
	}
	good = good && vrs_archive_flag(archive, &eye->scene_known);
	return good && (!eye->scene_known || (vrs_archive_part(archive, &eye->scene_part, &plan->follow[e].eye, plan->format.circle) &&
					      vrs_scene_signature_archive(&eye->scene, archive)));
}

enum vrs_status vrs_roi_states_bring_down(struct vrs_roi_states *states, struct vrs_error *err)
{
	return states ? vrs_state_store_bring_down(states->store, err) : VRS_OK;
}

bool vrs_roi_states_archive(struct vrs_roi_states *states, struct vrs_archive *archive, uint64_t next_seq)
{
	bool good = true;
	for (int e = 0; states && good && e < states->plan->eyes; e++)
		good = archive_eye(states, e, archive, next_seq);
	return good;
}
