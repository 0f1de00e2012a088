/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The history of vrbench nightly: a folder that is only appended to.
 *
 *     nights-2026-11.jsonl   the nights of a month, one JSON line each (bench/record/night_record.h)
 *     decisions.jsonl        what people have decided: accepted baselines, known changes
 *     measured/              results of the last night, replaced by the next one; not read again
 *
 * A line is written at once and synced before anything is said to have happened: after a kill or a loss of power a night is there as a whole, or not
 * at all.  A last line without its end is what such a moment leaves; it counts as not there.  Reading opens the newest files alone, as many as the
 * nights asked for take.  One process at a time writes (base/lease.h).  Not thread-safe.
 */
#ifndef VRS_BENCH_NIGHT_HISTORY_H
#define VRS_BENCH_NIGHT_HISTORY_H

#include "bench/record/night_record.h"

#define VRS_HISTORY_NIGHTS 365            /* that a judgement looks back on */
#define VRS_HISTORY_MAX_NIGHTS 100000     /* that are read at once */
#define VRS_HISTORY_MAX_DECISIONS 100000

struct vrs_lease;

struct vrs_night_history {
	char folder[VRS_PATH_MAX];
	struct vrs_night_record *nights;         /* the newest ones, oldest first */
	int night_count;
	struct vrs_decision *decisions;   /* all, oldest first */
	int decision_count;
	struct vrs_arena arena;           /* what nights and decisions point into */
	struct vrs_lease *lease;          /* NULL: opened for reading */
	size_t night_capacity, decision_capacity;
};

/*
 * Read the last `most` nights (1 .. VRS_HISTORY_MAX_NIGHTS) and all decisions of a folder.  Torn last lines are warned of (vrs_log).
 * VRS_ENOTFOUND: there is no such folder; VRS_EFORMAT, VRS_EUNSUPPORTED, VRS_ELIMIT: damaged, with file and line; VRS_EIO, VRS_ENOMEM.
 */
enum vrs_status vrs_night_history_read(struct vrs_night_history **ret_history, const char *folder, int most, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The same for writing: the folder is made where it is missing, and kept from other writers until it is closed.  Torn last lines are removed.
 * VRS_EEXIST: another process writes.
 */
enum vrs_status vrs_night_history_open(struct vrs_night_history **ret_history, const char *folder, int most, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_night_history_close(struct vrs_night_history *history); /* NULL is fine */

/* The number of the night that comes next. */
int64_t vrs_night_history_next_number(const struct vrs_night_history *history);
/*
 * Append a night and give it that number.  It is also in history->nights then; what it points to must live as long.  VRS_EEXIST: another process has
 * taken the folder over, and nothing was written; VRS_EIO, VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_night_history_add(struct vrs_night_history *history, struct vrs_night_record *night, struct vrs_error *err);
/* The same for a decision. */
enum vrs_status vrs_night_history_decide(struct vrs_night_history *history, const struct vrs_decision *decision, struct vrs_error *err);

/* The last accepted baseline; NULL: there is none yet. */
const struct vrs_decision *vrs_night_history_baseline(const struct vrs_night_history *history);
/* The night of that number; NULL: it was not read, or there is none. */
const struct vrs_night_record *vrs_night_history_find(const struct vrs_night_history *history, int64_t number);
/* The last one; NULL: there is none. */
const struct vrs_night_record *vrs_night_history_last(const struct vrs_night_history *history);

#endif
