/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/lease.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/process_identity.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "base/ticker.h"

#define MOST_BYTES 4096
#define MOST_TRIES 100
#define MOST_FAILURES 50 /* a second */
#define LAST_NUMBER 999999

/* What a lease file says about its holder. */
struct holder {
	struct vrs_process_identity process;
	uint64_t device; /* of the file system, as the holder's kernel numbers it */
	bool locked;
};

struct vrs_lease {
	char folder[PATH_MAX], what[PATH_MAX];
	int number;
	struct vrs_temp_file file; /* open and locked; its target is the name in the folder */
	dev_t device;
	ino_t inode;
	struct vrs_ticker ticker; /* renews it */
	bool settled;             /* the ticker has ended */
};

static bool name_lease(char path[PATH_MAX], const char *folder, int number)
{
	int n = snprintf(path, PATH_MAX, "%s/" VRS_LEASE_PREFIX "%06d", folder, number);

	return n > 0 && n < PATH_MAX;
}

/* The number of ".lease-000012"; 0: another name. */
static int lease_number(const char *entry)
{
	int64_t number;

	if (strncmp(entry, VRS_LEASE_PREFIX, strlen(VRS_LEASE_PREFIX)) != 0 || strlen(entry) != strlen(VRS_LEASE_PREFIX) + 6)
		return 0;
	entry += strlen(VRS_LEASE_PREFIX) + strspn(entry + strlen(VRS_LEASE_PREFIX), "0");
	return vrs_parse_int(entry, 1, LAST_NUMBER, &number) ? (int)number : 0;
}

/* The highest number in the folder, 0: none; -1 and errno. */
static int highest_lease(const char *folder)
{
	DIR *dir = opendir(folder);
	int highest = 0, error;

	if (!dir)
		return -1;
	errno = 0; /* the end of the folder does not set it */
	for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		int number = lease_number(entry->d_name);

		if (number > highest)
			highest = number;
		errno = 0;
	}
	error = errno;
	(void)closedir(dir);
	errno = error;
	return error ? -1 : highest;
}

static char *holder_text(const struct holder *holder)
{
	const struct vrs_process_identity *process = &holder->process;
	cJSON *object = cJSON_CreateObject();
	bool good = object && vrs_json_put_string(object, "host", process->host) && vrs_json_put_string(object, "boot", process->boot) &&
		    vrs_json_put_int(object, "pid_namespace", (int64_t)process->pid_namespace) && vrs_json_put_int(object, "pid", process->pid) &&
		    vrs_json_put_int(object, "start", (int64_t)process->start) && vrs_json_put_int(object, "device", (int64_t)holder->device) &&
		    vrs_json_put_bool(object, "locked", holder->locked);
	char *text = good ? vrs_json_print(object, false) : NULL;

	cJSON_Delete(object);
	return text;
}

/* Anybody may have written it: what does not fit is a holder of whom nothing is known. */
static void read_holder(int fd, struct holder *ret)
{
	char text[MOST_BYTES];
	ssize_t length = TEMP_FAILURE_RETRY(pread(fd, text, sizeof text, 0));
	int64_t space = 0, start = 0, device = 0;
	cJSON *object = NULL;

	*ret = (struct holder){.process.pid = 0};
	if (length <= 0 || vrs_json_parse(text, (size_t)length, sizeof text, "lease", &object, NULL) != VRS_OK)
		return;
	const char *host = vrs_json_string(object, "host"), *boot = vrs_json_string(object, "boot");

	if (host && boot && vrs_strcpy(ret->process.host, sizeof ret->process.host, host) &&
	    vrs_strcpy(ret->process.boot, sizeof ret->process.boot, boot)) {
		(void)vrs_json_int(object, "pid_namespace", &space);
		(void)vrs_json_int(object, "pid", &ret->process.pid);
		(void)vrs_json_int(object, "start", &start);
		(void)vrs_json_int(object, "device", &device);
		(void)vrs_json_bool(object, "locked", &ret->locked);
		ret->process.pid_namespace = (uint64_t)space;
		ret->process.start = (uint64_t)start;
		ret->device = (uint64_t)device;
	}
	cJSON_Delete(object);
}

/* Seconds since the holder's last sign of life. The file system's own clock tells what time it is now: that of another machine may differ. */
static int64_t silence(const char *folder, const struct stat *st)
{
	struct vrs_temp_file probe;
	struct stat now;
	char path[PATH_MAX];
	int64_t seconds = 0;

	if (vrs_path_join(path, sizeof path, folder, "clock") != VRS_OK || vrs_temp_file_create(&probe, path, NULL) != VRS_OK)
		return 0;
	if (fstat(probe.fd, &now) == 0)
		seconds = (int64_t)now.st_mtim.tv_sec - (int64_t)st->st_mtim.tv_sec;
	vrs_temp_file_discard(&probe);
	return seconds;
}

/* No sign of life comes now, whatever the clocks say. The file is opened anew, since NFS asks the server then. */
static bool stays_silent(const char *path, const struct stat *before)
{
	uint64_t end = vrs_now_ns() + VRS_LEASE_WATCH_SECONDS * UINT64_C(1000000000);
	struct stat now;

	while (vrs_now_ns() < end && !vrs_stop_requested())
		vrs_sleep_until_ns(vrs_now_ns() + 100000000);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool silent = fd >= 0 && !vrs_stop_requested() && fstat(fd, &now) == 0 && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
		      now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;

	if (fd >= 0)
		(void)close(fd);
	return silent;
}

static enum vrs_status refuse(const char *what, const struct holder *holder, int64_t silent, struct vrs_error *err)
{
	char who[128] = "";
	const struct vrs_process_identity *process = &holder->process;

	if (process->pid > 0)
		(void)snprintf(who, sizeof who, " (process %" PRId64 " on %s)", process->pid, process->host);
	if (silent < 0 || silent > VRS_LEASE_DEAD_SECONDS)
		return vrs_fail(err, VRS_EEXIST, "another process is writing %s%s; wait until it is done, or choose another output", what, who);
	return vrs_fail(err, VRS_EEXIST, "another process is writing %s%s, or was killed a moment ago; if so, run this again in %" PRId64 " seconds", what,
			who, VRS_LEASE_DEAD_SECONDS - silent + 1);
}

/* VRS_OK: nobody holds it any more. */
static enum vrs_status judge(int fd, const char *path, const char *folder, const char *what, struct vrs_error *err)
{
	struct vrs_process_identity own;
	struct holder holder;
	struct stat st;
	int cause = vrs_file_lock(fd);

	read_holder(fd, &holder);
	if (cause == EWOULDBLOCK)
		return refuse(what, &holder, -1, err);
	vrs_process_identity_own(&own);
	if (fstat(fd, &st) < 0)
		return vrs_fail(err, VRS_EIO, "cannot look at %s: %s", path, strerror(errno));
	if (cause == 0 && holder.locked && holder.device == st.st_dev && vrs_process_same_kernel(&holder.process, &own))
		return VRS_OK;
	enum vrs_presence presence = vrs_process_presence(&holder.process);

	if (presence != VRS_PRESENCE_UNKNOWN)
		return presence == VRS_PRESENCE_GONE ? VRS_OK : refuse(what, &holder, -1, err);
	int64_t silent = silence(folder, &st);
	bool recent = silent >= 0 && silent <= VRS_LEASE_DEAD_SECONDS;

	return !recent && stays_silent(path, &st) ? VRS_OK : refuse(what, &holder, silent, err);
}

/* The lease file that is there. VRS_OK: it may be taken over, or is gone. */
static enum vrs_status judge_present(const char *folder, int number, const char *what, struct vrs_error *err)
{
	char path[PATH_MAX];

	if (!name_lease(path, folder, number))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", folder);
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? VRS_OK : vrs_fail(err, VRS_EIO, "cannot look at %s: %s", path, strerror(errno));
	enum vrs_status status = judge(fd, path, folder, what, err);

	(void)close(fd);
	return status;
}

/* Written and locked before it gets its name, so that nobody ever sees less. VRS_END: another was faster. */
static enum vrs_status make_file(struct vrs_lease *lease, struct vrs_error *err)
{
	struct holder holder = {.device = 0};
	char path[PATH_MAX];
	struct stat st;

	if (!name_lease(path, lease->folder, lease->number))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", lease->folder);
	enum vrs_status status = vrs_temp_file_create(&lease->file, path, err);

	if (status != VRS_OK)
		return vrs_path_exists(lease->folder) ? status : VRS_ENOTFOUND;
	if (fstat(lease->file.fd, &st) < 0)
		return vrs_fail(err, VRS_EIO, "cannot look at %s: %s", path, strerror(errno));
	vrs_process_identity_own(&holder.process);
	holder.device = lease->device = st.st_dev;
	lease->inode = st.st_ino;
	holder.locked = vrs_file_lock(lease->file.fd) == 0; /* it is ours already where there are locks */
	char *text = holder_text(&holder);

	status = text ? vrs_temp_file_write(&lease->file, text, strlen(text), err) : vrs_fail_nomem(err);
	vrs_json_free_text(text);
	if (status == VRS_OK && fsync(lease->file.fd) < 0) /* other machines read it from the server */
		status = vrs_fail(err, vrs_file_write_status(errno), "cannot save %s: %s", path, strerror(errno));
	if (status == VRS_OK)
		status = vrs_temp_file_place(&lease->file, false, err);
	return status == VRS_EEXIST ? VRS_END : status;
}

/*
 * Who was slow may have made a number that others have passed meanwhile; and where the holder that was counted as gone has given its lease back
 * instead, another may have begun from 1.  VRS_END: it is not ours.
 */
static enum vrs_status confirm(const struct vrs_lease *lease)
{
	DIR *dir = opendir(lease->folder);
	enum vrs_status status = dir ? VRS_OK : VRS_END;

	for (const struct dirent *entry = NULL; status == VRS_OK && (entry = readdir(dir));) {
		int number = lease_number(entry->d_name);

		if (number > lease->number || (number > 0 && number < lease->number && judge_present(lease->folder, number, lease->what, NULL) != VRS_OK))
			status = VRS_END;
		else if (number > 0 && number < lease->number)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		(void)closedir(dir);
	return status;
}

static void *renew(void *cookie)
{
	struct vrs_lease *lease = cookie;
	uint64_t beat = VRS_LEASE_BEAT_SECONDS * UINT64_C(1000000000), next = vrs_now_ns() + beat;

	for (; vrs_ticker_wait(&lease->ticker, next); next += beat)
		(void)futimens(lease->file.fd, NULL); /* the next beat comes soon */
	return NULL;
}

/* Behind the highest number that is there. VRS_END: another was faster. */
static enum vrs_status try_take(struct vrs_lease *lease, struct vrs_error *err)
{
	int there = highest_lease(lease->folder);

	if (there < 0)
		return errno == ENOENT ? VRS_ENOTFOUND : vrs_fail(err, VRS_EIO, "cannot read the folder %s: %s", lease->folder, strerror(errno));
	enum vrs_status status = there > 0 ? judge_present(lease->folder, there, lease->what, err) : VRS_OK;

	if (status != VRS_OK)
		return status;
	if (there >= LAST_NUMBER)
		return vrs_fail(err, VRS_ELIMIT, "%s has a lease of number %d; remove it", lease->folder, there);
	lease->number = there + 1;
	status = make_file(lease, err);
	if (status == VRS_OK)
		status = confirm(lease);
	if (status != VRS_OK)
		vrs_temp_file_discard(&lease->file);
	return status;
}

enum vrs_status vrs_lease_take(struct vrs_lease **ret_lease, const char *folder, const char *what, struct vrs_error *err)
{
	struct vrs_lease *lease = vrs_calloc(1, sizeof *lease);
	enum vrs_status status = VRS_END;

	if (!lease)
		return vrs_fail_nomem(err);
	if (!vrs_strcpy(lease->folder, sizeof lease->folder, folder) || !vrs_strcpy(lease->what, sizeof lease->what, what))
		status = vrs_fail(err, VRS_ELIMIT, "the name %.80s... is too long", folder);
	for (int i = 0; status == VRS_END && i < MOST_TRIES; i++)
		status = try_take(lease, err);
	if (status == VRS_END)
		status = vrs_fail(err, VRS_EEXIST, "other processes are writing %s", what);
	if (status == VRS_OK)
		status = vrs_ticker_start(&lease->ticker, renew, lease, err);
	if (status == VRS_OK) {
		*ret_lease = lease;
		return VRS_OK;
	}
	vrs_temp_file_discard(&lease->file);
	vrs_free(lease);
	return status;
}

static bool is_present(const struct vrs_lease *lease)
{
	struct stat st;

	return lstat(lease->file.path, &st) == 0 && st.st_dev == lease->device && st.st_ino == lease->inode;
}

/*
 * A higher number beside ours is that of one who is still looking, and will find that we live, or has just taken over, and will remove ours.  A
 * folder that cannot be read, as while descriptors are scarce, may hold one.
 */
enum vrs_status vrs_lease_check(const struct vrs_lease *lease, struct vrs_error *err)
{
	uint64_t end = vrs_now_ns() + 3 * VRS_LEASE_WATCH_SECONDS * UINT64_C(1000000000);

	for (int failures = 0; is_present(lease) && vrs_now_ns() < end; vrs_sleep_until_ns(vrs_now_ns() + 20000000)) {
		int highest = highest_lease(lease->folder);

		if (highest >= 0 && highest <= lease->number)
			return VRS_OK;
		if (highest < 0 && ++failures == MOST_FAILURES)
			return vrs_fail(err, VRS_EIO, "cannot read the folder %s: %s", lease->folder, strerror(errno));
	}
	return vrs_fail(err, VRS_EEXIST, "another process has taken over %s, since this one gave no sign of life for %d seconds", lease->what,
			VRS_LEASE_DEAD_SECONDS);
}

void vrs_lease_settle(struct vrs_lease *lease)
{
	if (!lease || lease->settled)
		return;
	vrs_ticker_end(&lease->ticker);
	lease->settled = true;
}

bool vrs_lease_return(struct vrs_lease *lease)
{
	bool good = true;

	if (!lease)
		return true;
	vrs_lease_settle(lease);
	if (vrs_lease_check(lease, NULL) == VRS_OK)
		good = vrs_file_remove(lease->file.path);
	vrs_temp_file_keep(&lease->file);
	vrs_free(lease);
	return good;
}
