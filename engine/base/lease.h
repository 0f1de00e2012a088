/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lease on a folder: one process at a time works in it.  It holds across PID namespaces and machines that share the disk, NFS among them, and a
 * process that is killed leaves nothing that has to be removed by hand.
 *
 * The holder keeps a file ".lease-000001" in the folder that says who it is, locks it (flock) where the file system can, and renews its time of
 * change every VRS_LEASE_BEAT_SECONDS.  The next one counts the holder as gone
 *   - at once, when both run under one kernel, the holder had the lock, and the lock is free;
 *   - at once, when both are in one PID namespace and there is no such process any more;
 *   - else when the file has not changed for VRS_LEASE_DEAD_SECONDS on the clock of the file system, and does not while VRS_LEASE_WATCH_SECONDS pass,
 *     since clocks may be wrong.
 * It takes over by making the file of the next number, which only one can (O_EXCL or a hard link, which NFS does in one step), looks at all lower
 * ones once more, and removes them.
 * Who was counted as gone wrongly, as a machine that slept, finds this out before it moves anything into place: vrs_lease_check.
 */
#ifndef VRS_BASE_LEASE_H
#define VRS_BASE_LEASE_H

#include <stdbool.h>

#include <vrseg/status.h>

#define VRS_LEASE_BEAT_SECONDS 2
#define VRS_LEASE_DEAD_SECONDS 60
#define VRS_LEASE_WATCH_SECONDS 6
#define VRS_LEASE_PREFIX ".lease-"

struct vrs_lease;

/*
 * Take it; `what` stands in the message ("another process is writing WHAT").  VRS_EEXIST: another has it; VRS_ENOTFOUND: there is no such folder;
 * VRS_EIO, VRS_ENOSPC, VRS_ENOMEM, VRS_EINTERNAL.  A thread renews it until it is given back.
 */
enum vrs_status vrs_lease_take(struct vrs_lease **ret_lease, const char *folder, const char *what, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * VRS_OK: it is still ours.  VRS_EEXIST: another process has taken over, and nothing of ours may go into place; nor may it after VRS_EIO, where the
 * folder cannot be read.
 */
enum vrs_status vrs_lease_check(const struct vrs_lease *lease, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * End the thread that renews it, before the last steps of the work: from here to vrs_lease_return nothing waits.  NULL is fine.
 */
void vrs_lease_settle(struct vrs_lease *lease);
/* Give it back. False, with a warning: its file stays. NULL is fine. */
bool vrs_lease_return(struct vrs_lease *lease);

#endif
