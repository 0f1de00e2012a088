/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fault layer (fault.c, loaded into a program) and the runner (torture.c) share: one mapped file for the whole tree of processes. */
#ifndef TORTURE_H
#define TORTURE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>

#define TORTURE_ENV "VRS_TORTURE_STATE" /* path of the mapped file */
#define TORTURE_FRAMES 16

/* Kinds of calls.  The third column: a call of this kind changes what is on disk, and is a point for SIGKILL and power loss. */
#define TORTURE_KINDS(X) \
	X(MALLOC, "malloc", 0) \
	X(MMAP, "mmap", 0) \
	X(THREAD, "thread", 0) \
	X(FORK, "fork", 0) \
	X(OPEN, "open", 0) \
	X(CREATE, "create", 1) \
	X(READ, "read", 0) \
	X(WRITE, "write", 1) \
	X(FLUSH, "flush", 0) \
	X(FSYNC, "fsync", 1) \
	X(RENAME, "rename", 1) \
	X(UNLINK, "unlink", 1) \
	X(LINK, "link", 1) \
	X(MKDIR, "mkdir", 1) \
	X(TRUNCATE, "truncate", 1) \
	X(LOCK, "lock", 0) \
	X(CLOSE, "close", 0)

enum torture_kind {
#define X(name, text, disk) T_##name,
	TORTURE_KINDS(X)
#undef X
	T_KINDS
};

#define X(name, text, disk) | (uint32_t)(disk) << T_##name
static const uint32_t torture_disk = 0 TORTURE_KINDS(X);
#undef X

enum torture_action { T_COUNT, T_FAIL, T_SHORT, T_KILL, T_TORN, T_POWER };

struct torture_state {
	char bin[PATH_MAX];  /* only programs below this folder are disturbed */
	char dir[PATH_MAX];  /* calls on files below this folder count whoever makes them; others when our own code makes them */
	char disk[PATH_MAX]; /* power loss: what is on disk for certain (fault_disk.c) */
	uint32_t kinds;              /* a bit for each kind that counts */
	int action, error;
	int sticky;                  /* all calls after the one that failed fail as well */
	long at;                     /* the call of these kinds that is disturbed, from 1 */
	_Atomic long seen;           /* calls of these kinds */
	_Atomic long total[T_KINDS]; /* calls of each kind */
	_Atomic int fired;           /* the kind that was disturbed, + 1 */
	_Atomic int off;             /* the power is gone: no process changes anything */
	long where[TORTURE_FRAMES];  /* who made that call: addresses in the program, for addr2line; 0 ends */
	char program[64];            /* its file */
};

#endif
