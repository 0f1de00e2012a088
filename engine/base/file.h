/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files: bounded reads, atomic replacement (temporary file in the same folder, fsync, rename, fsync of the folder), journal lines.
 * EINTR and short writes are handled here. Messages name the file and the cause.
 */
#ifndef VRS_BASE_FILE_H
#define VRS_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/buf.h"

/*
 * Open a file for reading, without waiting for anything: a pipe, socket or device of that name is refused, but where a user named one below /dev or
 * /proc. VRS_ENOTFOUND, VRS_EIO.
 */
enum vrs_status vrs_file_open(const char *path, int *ret_fd, struct vrs_error *err);
/* The same as a stream, which the caller closes. */
enum vrs_status vrs_file_open_stream(const char *path, FILE **ret_file, struct vrs_error *err);
/*
 * Read a whole file of at most max bytes into buf, which the callee initialises in any case and leaves empty after a failure.
 * VRS_ENOTFOUND, VRS_EIO, VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_file_read(const char *path, size_t max, struct vrs_buf *ret_buf, struct vrs_error *err);
/*
 * Replace or create path, a name of our own, with data; the old content stays until the new one is safe.  No link is followed, nothing but a new
 * file is written: a link, pipe or device that somebody has put there is itself replaced.
 */
enum vrs_status vrs_file_replace(const char *path, const void *data, size_t len, struct vrs_error *err);
/*
 * The same for a file that counts only as long as nobody else may write it: the umask alone takes from mode 0644, whatever the old file had.
 */
enum vrs_status vrs_file_replace_own(const char *path, const void *data, size_t len, struct vrs_error *err);
/*
 * vrs_file_replace for a name that a user typed: the file behind a link is replaced, devices and pipes are written directly, and to a file that an
 * open descriptor stands for (/dev/stdout, /dev/fd/1) the data is added.
 */
enum vrs_status vrs_file_write(const char *path, const void *data, size_t len, struct vrs_error *err);
/* Does vrs_file_write replace nothing there, as on a device below /dev or /proc, or a descriptor?  Reading it may wait for ever. */
bool vrs_file_is_stream(const char *path);
/*
 * The file behind a name that a user typed, for those who write it by a temporary file: path itself unless it is a link, whose file need not be
 * there.  VRS_EIO, VRS_ELIMIT.
 */
enum vrs_status vrs_file_resolve(const char *path, char ret_real[PATH_MAX], struct vrs_error *err);
/* The status of a write that failed with this errno: VRS_ENOSPC, which a full quota is, too, or VRS_EIO. */
enum vrs_status vrs_file_write_status(int cause);
/* "cannot write PATH: CAUSE", and that status. */
enum vrs_status vrs_file_fail_write(struct vrs_error *err, const char *path, int cause);
/* All of data; path is the name in messages. VRS_EIO, VRS_ENOSPC. */
enum vrs_status vrs_file_write_all(int fd, const char *path, const void *data, size_t len, struct vrs_error *err);
/* What to make a file with that will replace target: its mode, so that nobody else reads the new one meanwhile; its owner can always open it. */
mode_t vrs_file_mode_for(const char *target);
/*
 * A file on its way to its name, for writers that stream: made beside it under a random name (".NAME.KERNEL-RANDOM.part", O_EXCL, O_NOFOLLOW), and
 * locked for its life where the file system has locks.  So a name that somebody has planted is never opened, writers of one file do not meet, and
 * whoever makes the next one for this name removes those whose writer is gone: at once where their lock tells it, else when they have not changed for
 * a day.  Zeroed memory is one that is not open.
 */
struct vrs_temp_file {
	char path[PATH_MAX];   /* until then; "": not open */
	char target[PATH_MAX]; /* its name; a link of that name is replaced itself */
	int fd;                /* for reading and writing */
	bool has_own_mode;     /* set before a commit: its mode is its own, not that of the file that it replaces */
	bool stays;            /* set before a commit: it keeps this name, too, where there are hard links, until it is discarded */
};
/* VRS_EINVAL: path has no file name; VRS_ELIMIT, VRS_EIO, VRS_ENOSPC. */
enum vrs_status vrs_temp_file_create(struct vrs_temp_file *ret_temp, const char *path, struct vrs_error *err);
/* The same, but it will have another name, which a user typed, on the same file system. */
enum vrs_status vrs_temp_file_create_for(struct vrs_temp_file *ret_temp, const char *path, const char *name, struct vrs_error *err);
/* A stream over the open file, with a descriptor of its own; the caller closes it before the file is committed. NULL: see errno. */
FILE *vrs_temp_file_stream(const struct vrs_temp_file *temp, const char *mode);
/* All of data; VRS_EIO, VRS_ENOSPC. */
enum vrs_status vrs_temp_file_write(const struct vrs_temp_file *temp, const void *data, size_t len, struct vrs_error *err);
/* Its content, onto the disk, which may take long: for those who look at something before they commit it. VRS_EIO, VRS_ENOSPC. */
enum vrs_status vrs_temp_file_sync(const struct vrs_temp_file *temp, struct vrs_error *err);
/*
 * Move it into place: mode of the file that it replaces (with --sandbox less the umask), fsync, rename, fsync of the folder.  replace false:
 * VRS_EEXIST where a file of that name is, and the temporary one stays open.  Other failures leave what was there before, and nothing else.
 */
enum vrs_status vrs_temp_file_commit(struct vrs_temp_file *temp, bool replace, struct vrs_error *err);
/* Only move it, under the name that it has then; nothing is synced, and it stays open. */
enum vrs_status vrs_temp_file_place(struct vrs_temp_file *temp, bool replace, struct vrs_error *err);
/* Close it and remove it. Fine when it is not open. */
void vrs_temp_file_discard(struct vrs_temp_file *temp);
/* Close it; it stays under its temporary name. */
void vrs_temp_file_keep(struct vrs_temp_file *temp);
/* Remove temporary files whose writers are gone; name: of this file alone, NULL: all in the folder. */
void vrs_temp_files_clean(const char *folder, const char *name);
/* Remove a file that has done its work. False, with a warning that names it: it stays. */
bool vrs_file_remove(const char *path);
/* In one step, where nobody has that name; false and errno (EEXIST: somebody has). */
bool vrs_file_move_to_free_name(const char *from, const char *to);
/* The folder that path lies in, onto the disk. VRS_EIO. */
enum vrs_status vrs_file_sync_folder(const char *path, struct vrs_error *err);
/*
 * Append line + newline with one write and fsync; processes take turns.  The line must not hold a newline.  A torn line before it is ended
 * first, a piece that a full disk let through is taken back.
 */
enum vrs_status vrs_journal_append(const char *path, const char *line, struct vrs_error *err);
/*
 * Call fn for each complete line. A torn last line (no newline) is reported through ret_torn_bytes and not passed on.
 * cut removes it from the file, which more is to be appended to: then a link is refused.
 */
enum vrs_status vrs_journal_read(const char *path, size_t max_line, bool cut,
				 enum vrs_status (*fn)(void *cookie, const char *line, long number, struct vrs_error *err), void *cookie,
				 size_t *ret_torn_bytes, struct vrs_error *err);
/*
 * The files of a picture sequence as a pattern of glob(3): "p%03d.png" becomes "p[0-9]*.png", and a name with * ? [ and no number is such a pattern
 * already.  False: a name of one file, or one whose pattern does not fit into size (above 8) bytes.
 */
bool vrs_sequence_pattern(const char *name, char *pattern, size_t size);
/* The folder that all of them lie in or below: what stands before the first part of the name that has a number or wildcard. */
void vrs_sequence_folder(char folder[PATH_MAX], const char *name);
/* SHA-256 of a file as 64 lower-case hexadecimal digits. VRS_ENOTFOUND, VRS_EIO. */
enum vrs_status vrs_file_sha256(const char *path, char ret_hex[65], struct vrs_error *err);
/* Go on with a hash (vrs_hash_block) over the whole content of a file: fast, for recognising it again. VRS_ENOTFOUND, VRS_EIO. */
enum vrs_status vrs_file_hash(const char *path, uint64_t *io_hash, struct vrs_error *err);
/*
 * Lock an open file or folder (flock) until the descriptor is closed: 0, EWOULDBLOCK when another process keeps it, or another errno where locks do
 * not exist.  Waits up to a second, since the child that a killed owner was just starting holds the lock between fork and exec.
 */
int vrs_file_lock(int fd);
int vrs_file_try_lock(int fd); /* without waiting */
enum vrs_status vrs_mkdirs(const char *path, struct vrs_error *err);
/* A folder of our own in one that others may have filled, made where it is missing. VRS_EIO: a link or something else has its name. */
enum vrs_status vrs_mkdir_own(const char *path, struct vrs_error *err);
/*
 * A path below a folder that a user typed (root), which may lead through links, while what lies below is ours: vrs_mkdirs of root, vrs_mkdir_own of
 * each folder below it.  VRS_EINVAL: path does not begin with root; VRS_ELIMIT, and statuses of both.
 */
enum vrs_status vrs_mkdirs_below(const char *root, const char *path, struct vrs_error *err);
bool vrs_path_exists(const char *path);
/* False where this user may not read what is there: it does not pass, as other failures may. */
bool vrs_path_may_read(const char *path);
/* The same as vrs_path_exists where the answer changes what is made. VRS_EIO, VRS_ENOMEM: it cannot be told now. */
enum vrs_status vrs_path_find(const char *path, bool *ret_found, struct vrs_error *err);
/* The same, with what stat says of it. */
enum vrs_status vrs_path_look(const char *path, struct stat *ret_st, bool *ret_found, struct vrs_error *err);
bool vrs_path_is_dir(const char *path);
/* a/b into buf; VRS_ELIMIT. */
enum vrs_status vrs_path_join(char *buf, size_t size, const char *a, const char *b);
const char *vrs_path_base(const char *path); /* after the last slash */
/*
 * The name by which the input of this name is opened: of standard input ("-") that is a regular file at its beginning, /dev/stdin, so that it can be
 * read as a file, and again; else the name itself.  Of a file that something was read from, or that this user may not open, "-" is what follows.
 */
const char *vrs_path_opened(const char *name);
/* What follows the folder in a path that lies in it or below; NULL: it lies elsewhere.  Both as realpath(3) gives them. */
const char *vrs_path_below(const char *path, const char *folder);
/* realpath(3) of what is there of a path, and the rest as it is typed: two names of one file that may not be there yet. False: it does not fit. */
bool vrs_path_real(const char *path, char ret_real[PATH_MAX]);
void vrs_path_folder(char folder[PATH_MAX], const char *path); /* up to it; "." without one */

/*
 * Find a data file ("models/selfie_segmentation.yaml", "profiles/fast.yaml", "models/x.tflite"): relative to the program's folder (in a
 * build folder of a clone: ../../../configs, then ../../share/vrseg, which is build/share/vrseg; installed: ../share/vrseg), then in
 * $XDG_DATA_HOME/vrseg and $XDG_DATA_DIRS/vrseg.  VRS_ENOTFOUND names the folders; so do names that are absolute or lead out by "..".  Statuses of
 * vrs_path_find.
 */
enum vrs_status vrs_data_file(const char *name, char *ret_path, size_t size, struct vrs_error *err);
/* The i-th data folder that exists (0..), false when there are no more. */
bool vrs_data_dir(int i, char *ret_path, size_t size);
/* $XDG_CACHE_HOME/vrseg (or ~/.cache/vrseg), not created. VRS_ENOTFOUND: neither variable names one; VRS_ELIMIT. */
enum vrs_status vrs_cache_path(char *ret_path, size_t size, struct vrs_error *err);
/* The same folder, created. */
enum vrs_status vrs_cache_dir(char *ret_path, size_t size, struct vrs_error *err);
/* $XDG_STATE_HOME/vrseg (or ~/.local/state/vrseg): what was learned about this machine. Not created: reading it must leave nothing behind. */
enum vrs_status vrs_state_dir(char *ret_path, size_t size, struct vrs_error *err);
/* Folder of the running program. */
enum vrs_status vrs_program_dir(char *ret_path, size_t size);

#endif
