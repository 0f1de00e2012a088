/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fault layer: a library for LD_PRELOAD that counts calls to the C library and disturbs the n-th: an error, half a read or write, SIGKILL before
 * or after it, a loss of power.  Calls count when our own code makes them, and calls on files also when a library makes them on a file below the
 * folder of the test.  What to do lies in a file that all processes of a run map (torture.h); the runner is torture.c.
 */
/* The functions themselves, not what these make of their names. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fault_disk.h"
#include "torture.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static struct torture_state *state; /* NULL: this program is left alone */
static uintptr_t own_begin, own_end, own_base;

static int find_own(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	own_base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
			own_begin = info->dlpi_addr + part->p_vaddr;
			own_end = own_begin + part->p_memsz;
		}
	}
	return 1; /* the first is the program */
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv(TORTURE_ENV);
	char self[PATH_MAX] = "";

	if (!path || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	void *p = (void *)syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);

	syscall(SYS_close, fd);
	if (p == MAP_FAILED)
		return;
	struct torture_state *s = p;

	if (strncmp(self, s->bin, strlen(s->bin)) != 0)
		return;
	dl_iterate_phdr(find_own, NULL);
	vrs_fault_disk_begin(s->dir, s->disk);
	state = s;
}

static bool is_own(const void *caller)
{
	return (uintptr_t)caller >= own_begin && (uintptr_t)caller < own_end;
}

static void die(void)
{
	syscall(SYS_kill, getpid(), SIGKILL);
	for (;;)
		pause();
}

static void note_caller(void)
{
	void *frames[64];
	int n = backtrace(frames, 64), used = 0;

	for (int i = 0; i < n && used < TORTURE_FRAMES - 1; i++) {
		if (is_own(frames[i]))
			state->where[used++] = (long)((uintptr_t)frames[i] - own_base);
	}
	strncpy(state->program, program_invocation_short_name, sizeof state->program - 1);
}

/* What happens to this call: T_COUNT for nothing, T_FAIL with errno set, T_SHORT, T_TORN. */
static enum torture_action disturb(enum torture_kind kind)
{
	if (state->off && (torture_disk >> kind & 1) != 0)
		die();
	atomic_fetch_add(&state->total[kind], 1);
	if ((state->kinds >> kind & 1) == 0)
		return T_COUNT;
	long n = atomic_fetch_add(&state->seen, 1) + 1;

	if (n != state->at && !(state->sticky && state->at > 0 && n > state->at))
		return T_COUNT;
	if (state->action == T_POWER)
		state->off = 1;
	if (n == state->at)
		note_caller();
	state->fired = (int)kind + 1;
	if (state->action == T_POWER || state->action == T_KILL)
		die();
	errno = state->error;
	return (enum torture_action)state->action;
}

#define CALLER __builtin_return_address(0)
#define OWN(kind) (state && is_own(CALLER) ? disturb(kind) : T_COUNT)
#define ON_PATH(kind, fd, path) (state && (is_own(CALLER) || vrs_fault_disk_has(fd, path)) ? disturb(kind) : T_COUNT)
#define ON_FD(kind, fd) (state && (is_own(CALLER) || vrs_fault_disk_has_fd(fd)) ? disturb(kind) : T_COUNT)
#define REAL(name) \
	static __typeof__(&name) real; \
	if (!real) \
		*(void **)&real = dlsym(RTLD_NEXT, #name)
/* The call itself; errno stays that of the call. */
#define DO(call) \
	__typeof__(call) result = (call); \
	if (what == T_TORN) \
		die(); \
	return result

void *malloc(size_t size)
{
	return OWN(T_MALLOC) == T_FAIL ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return OWN(T_MALLOC) == T_FAIL ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return OWN(T_MALLOC) == T_FAIL ? NULL : __libc_realloc(p, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	*ret = OWN(T_MALLOC) == T_FAIL ? NULL : __libc_memalign(alignment, size);
	return *ret ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return OWN(T_MALLOC) == T_FAIL ? NULL : __libc_memalign(alignment, size);
}

void *mmap64(void *p, size_t size, int protection, int flags, int fd, off64_t offset)
{
	if (OWN(T_MMAP) == T_FAIL)
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, p, size, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *data)
{
	REAL(pthread_create);
	return OWN(T_THREAD) == T_FAIL ? state->error : real(thread, attr, start, data);
}

pid_t fork(void)
{
	REAL(fork);
	return OWN(T_FORK) == T_FAIL ? -1 : real();
}

static mode_t mode_of(int flags, va_list args)
{
	return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
}

static int open_as(int folder, const char *path, int flags, mode_t mode, enum torture_action what)
{
	if (what == T_FAIL)
		return -1;
	DO((int)syscall(SYS_openat, folder, path, flags, mode));
}

#define OPEN_KIND(flags) (((flags) & (O_CREAT | O_TRUNC)) != 0 ? T_CREATE : T_OPEN)
#define OPEN(name, parameters, folder, given) \
	int name parameters \
	{ \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = (given); \
		va_end(args); \
		return open_as(folder, path, flags, mode, ON_PATH(OPEN_KIND(flags), folder, path)); \
	}
OPEN(open, (const char *path, int flags, ...), AT_FDCWD, mode_of(flags, args))
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, mode_of(flags, args))
OPEN(openat, (int folder, const char *path, int flags, ...), folder, mode_of(flags, args))
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, mode_of(flags, args))

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
	return open_as(AT_FDCWD, path, flags, 0, ON_PATH(T_OPEN, AT_FDCWD, path));
}

#define FOPEN(name) \
	FILE *name(const char *path, const char *mode) \
	{ \
		REAL(name); \
		enum torture_action what = ON_PATH(mode[0] == 'r' ? T_OPEN : T_CREATE, AT_FDCWD, path); \
		if (what == T_FAIL) \
			return NULL; \
		DO(real(path, mode)); \
	}
FOPEN(fopen)
FOPEN(fopen64)

DIR *opendir(const char *path)
{
	REAL(opendir);
	return ON_PATH(T_OPEN, AT_FDCWD, path) == T_FAIL ? NULL : real(path);
}

static size_t part_of(size_t size, enum torture_action what)
{
	return (what == T_SHORT || what == T_TORN) && size > 1 ? size / 2 : size;
}

ssize_t read(int fd, void *data, size_t size)
{
	enum torture_action what = ON_FD(T_READ, fd);

	return what == T_FAIL ? -1 : syscall(SYS_read, fd, data, part_of(size, what));
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset)
{
	enum torture_action what = ON_FD(T_READ, fd);

	return what == T_FAIL ? -1 : syscall(SYS_pread64, fd, data, part_of(size, what), offset);
}

#define IO_ERR_SEEN 0x20 /* glibc: what ferror tells */

size_t fread(void *data, size_t size, size_t n, FILE *file)
{
	REAL(fread);
	if (OWN(T_READ) != T_FAIL)
		return real(data, size, n, file);
	file->_flags |= IO_ERR_SEEN;
	return 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
	enum torture_action what = ON_FD(T_WRITE, fd);

	if (what == T_FAIL)
		return -1;
	DO(syscall(SYS_write, fd, data, part_of(size, what)));
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	enum torture_action what = ON_FD(T_WRITE, fd);

	if (what == T_FAIL)
		return -1;
	DO(syscall(SYS_pwrite64, fd, data, part_of(size, what), offset));
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
	enum torture_action what = ON_FD(T_WRITE, fd);

	if (what == T_FAIL)
		return -1;
	DO(syscall(SYS_writev, fd, parts, what == T_SHORT && n > 1 ? n / 2 : n));
}

size_t fwrite(const void *data, size_t size, size_t n, FILE *file)
{
	REAL(fwrite);
	enum torture_action what = OWN(T_FLUSH);

	if (what == T_FAIL) {
		file->_flags |= IO_ERR_SEEN;
		return 0;
	}
	DO(real(data, size, n, file));
}

int fflush(FILE *file)
{
	REAL(fflush);
	enum torture_action what = OWN(T_FLUSH);

	if (what == T_FAIL) {
		if (file)
			file->_flags |= IO_ERR_SEEN;
		return EOF;
	}
	DO(real(file));
}

int fclose(FILE *file)
{
	REAL(fclose);
	enum torture_action what = OWN(T_CLOSE);
	int error = errno;
	int result = real(file);

	if (what == T_FAIL)
		errno = error;
	return what == T_FAIL ? EOF : result;
}

/* The descriptor is closed all the same, as Linux does it. */
int close(int fd)
{
	enum torture_action what = ON_FD(T_CLOSE, fd);
	int error = errno;
	int result = (int)syscall(SYS_close, fd);

	if (what == T_FAIL)
		errno = error;
	return what == T_FAIL ? -1 : result;
}

static int sync_as(int fd, long number, enum torture_action what)
{
	if (what == T_FAIL)
		return -1;
	int done = (int)syscall(number, fd);

	if (done == 0 && state)
		vrs_fault_disk_synced(fd);
	DO(done);
}

int fsync(int fd)
{
	return sync_as(fd, SYS_fsync, ON_FD(T_FSYNC, fd));
}

int fdatasync(int fd)
{
	return sync_as(fd, SYS_fdatasync, ON_FD(T_FSYNC, fd));
}

static int rename_as(int from, const char *old, int to, const char *path, unsigned flags, enum torture_action what)
{
	if (what == T_FAIL)
		return -1;
	if (state && flags == 0)
		vrs_fault_disk_keep(to, path);
	DO((int)syscall(SYS_renameat2, from, old, to, path, flags));
}

int rename(const char *old, const char *path)
{
	return rename_as(AT_FDCWD, old, AT_FDCWD, path, 0, ON_PATH(T_RENAME, AT_FDCWD, path));
}

int renameat(int from, const char *old, int to, const char *path)
{
	return rename_as(from, old, to, path, 0, ON_PATH(T_RENAME, to, path));
}

int renameat2(int from, const char *old, int to, const char *path, unsigned flags)
{
	return rename_as(from, old, to, path, flags, ON_PATH(T_RENAME, to, path));
}

static int unlink_as(int folder, const char *path, int flags, enum torture_action what)
{
	if (what == T_FAIL)
		return -1;
	if (state && flags == 0)
		vrs_fault_disk_keep(folder, path);
	DO((int)syscall(SYS_unlinkat, folder, path, flags));
}

int unlink(const char *path)
{
	return unlink_as(AT_FDCWD, path, 0, ON_PATH(T_UNLINK, AT_FDCWD, path));
}

int unlinkat(int folder, const char *path, int flags)
{
	return unlink_as(folder, path, flags, ON_PATH(T_UNLINK, folder, path));
}

int rmdir(const char *path)
{
	return unlink_as(AT_FDCWD, path, AT_REMOVEDIR, ON_PATH(T_UNLINK, AT_FDCWD, path));
}

static int link_as(int from, const char *old, int to, const char *path, int flags, enum torture_action what)
{
	if (what == T_FAIL)
		return -1;
	DO((int)syscall(SYS_linkat, from, old, to, path, flags));
}

int link(const char *old, const char *path)
{
	return link_as(AT_FDCWD, old, AT_FDCWD, path, 0, ON_PATH(T_LINK, AT_FDCWD, path));
}

int linkat(int from, const char *old, int to, const char *path, int flags)
{
	return link_as(from, old, to, path, flags, ON_PATH(T_LINK, to, path));
}

static int mkdir_as(int folder, const char *path, mode_t mode, enum torture_action what)
{
	if (what == T_FAIL)
		return -1;
	int done = (int)syscall(SYS_mkdirat, folder, path, mode);

	if (done == 0 && state)
		vrs_fault_disk_new_folder(folder, path);
	DO(done);
}

int mkdir(const char *path, mode_t mode)
{
	return mkdir_as(AT_FDCWD, path, mode, ON_PATH(T_MKDIR, AT_FDCWD, path));
}

int mkdirat(int folder, const char *path, mode_t mode)
{
	return mkdir_as(folder, path, mode, ON_PATH(T_MKDIR, folder, path));
}

int ftruncate64(int fd, off64_t size)
{
	enum torture_action what = ON_FD(T_TRUNCATE, fd);

	if (what == T_FAIL)
		return -1;
	DO((int)syscall(SYS_ftruncate, fd, size));
}

int flock(int fd, int operation)
{
	return ON_FD(T_LOCK, fd) == T_FAIL ? -1 : (int)syscall(SYS_flock, fd, operation);
}

static bool is_lock(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

#define FCNTL(name) \
	int name(int fd, int command, ...) \
	{ \
		va_list args; \
		va_start(args, command); \
		void *arg = va_arg(args, void *); \
		va_end(args); \
		if (is_lock(command) && ON_FD(T_LOCK, fd) == T_FAIL) \
			return -1; \
		return (int)syscall(SYS_fcntl, fd, command, arg); \
	}
FCNTL(fcntl)
FCNTL(fcntl64)
