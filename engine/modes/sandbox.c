/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sandbox: which files a run of vrseg may open.  They follow from the option table and the command line; the kernel refuses all else. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/landlock.h"
#include "base/playlist.h"
#include "base/process_identity.h"
#include "base/stacks.h"
#include "base/syscall_filter.h"
#include "modes/program.h"

#include <vrseg/calibration.h>
#include <vrseg/log.h>

struct grants {
	const struct vrs_program_state *program;
	struct vrs_landlock files;
};

/* Drivers of devices load code, map the memory of devices and talk to other processes: what the sandbox is there to refuse. */
static bool is_of_device(const char *encoder)
{
	static const char *const families[] = {"_vaapi", "_nvenc", "_qsv", "_v4l2m2m", "_amf", "_vulkan", "_omx"};
	const char *tail = strrchr(encoder, '_');

	for (size_t i = 0; tail && i < sizeof families / sizeof families[0]; i++)
		if (strcmp(tail, families[i]) == 0)
			return true;
	return false;
}

static enum vrs_status check_devices(const struct vrs_settings *settings, struct vrs_error *err)
{
	const char *hwdecode = settings->input.hwdecode;
	bool decodes = strcmp(hwdecode, "auto") != 0 && strcmp(hwdecode, "off") != 0;

	if (!decodes && !is_of_device(settings->output.encoder))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "--sandbox does not go with --%s %s: drivers of devices need more than it grants",
			decodes ? "hwdecode" : "encoder", decodes ? hwdecode : settings->output.encoder);
}

static enum vrs_status allow(struct grants *grants, const char *path, enum vrs_landlock_access access, struct vrs_error *err)
{
	return vrs_landlock_allow(&grants->files, path, access, err);
}

static enum vrs_status allow_folder_of(struct grants *grants, const char *path, enum vrs_landlock_access access, struct vrs_error *err)
{
	char folder[PATH_MAX];

	vrs_path_folder(folder, path);
	return allow(grants, folder, access, err);
}

/* A file is made under another name first; devices and pipes are written as they are. */
static enum vrs_status allow_written(struct grants *grants, const char *path, struct vrs_error *err)
{
	char real[PATH_MAX];
	struct stat st;
	bool is_itself = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
	enum vrs_status status = vrs_file_resolve(path, real, err);

	if (status != VRS_OK)
		return status;
	return is_itself ? allow(grants, path, VRS_LANDLOCK_WRITE, err) : allow_folder_of(grants, real, VRS_LANDLOCK_WRITE, err);
}

struct list {
	struct grants *grants;
	char folder[PATH_MAX];
	struct vrs_error *err;
};

/*
 * A list may come from a stranger, who would name any file of the user's: what lies beside it or below is granted, and no hidden file, since programs
 * keep keys and passwords in those.  Of type vrs_playlist_fn.
 */
static enum vrs_status allow_listed(void *cookie, const char *path, const struct stat *st)
{
	const struct list *list = cookie;
	char real[PATH_MAX];
	const char *below = realpath(path, real) ? vrs_path_below(real, list->folder) : NULL;
	(void)st;

	if (!below || below[0] == '.' || strstr(below, "/."))
		return VRS_OK; /* vrs_sandbox_check tells it where nothing else grants it */
	return allow(list->grants, real, VRS_LANDLOCK_READ, list->err);
}

/* What is no playlist names nothing; what cannot be read is told by the job. */
static enum vrs_status allow_playlist(struct grants *grants, const char *path, struct vrs_error *err)
{
	struct list list = {.grants = grants, .err = err};
	char folder[PATH_MAX];

	vrs_path_folder(folder, path);
	if (!realpath(folder, list.folder))
		return VRS_OK;
	enum vrs_status status = vrs_playlist_each(path, allow_listed, &list);

	if (status == VRS_ELIMIT)
		vrs_log(VRS_LOG_WARNING, "the playlist %s names more files than --sandbox can look at; of the others only those in folders that the "
			"command names can be read", path);
	return status == VRS_ENOMEM ? vrs_fail_nomem(err) : status;
}

static enum vrs_status allow_read(struct grants *grants, const char *path, bool with_folder, struct vrs_error *err)
{
	char text[PATH_MAX];

	if (!vrs_path_exists(path)) {
		if (!vrs_sequence_pattern(path, text, sizeof text))
			return VRS_OK;
		vrs_sequence_folder(text, path);
		return allow(grants, text, VRS_LANDLOCK_READ, err);
	}
	enum vrs_status status = allow(grants, path, VRS_LANDLOCK_READ, err);

	if (status != VRS_OK || vrs_path_is_dir(path))
		return status;
	return with_folder ? allow_folder_of(grants, path, VRS_LANDLOCK_READ, err) : allow_playlist(grants, path, err);
}

static enum vrs_status allow_named(void *cookie, enum vrs_file_role role, const char *name, struct vrs_error *err)
{
	struct grants *grants = cookie;

	if (role == VRS_FILE_READ && strcmp(vrs_path_opened(name), name) != 0)
		return allow(grants, vrs_path_opened(name), VRS_LANDLOCK_READ, err); /* it is opened again */
	if (!name[0] || strcmp(name, "-") == 0 || strcmp(name, grants->program->settings.report.log_file) == 0)
		return VRS_OK; /* open already */
	if (strstr(name, "://") || strncmp(name, "/dev/video", strlen("/dev/video")) == 0)
		return vrs_fail(err, VRS_ECONFIG, "--sandbox does not go with %s: it opens no network and no device; use a file or a pipe", name);
	return role == VRS_FILE_WRITTEN ? allow_written(grants, name, err) : allow_read(grants, name, role == VRS_FILE_NETWORK, err);
}

static enum vrs_status allow_machine(struct grants *grants, struct vrs_error *err)
{
	static const char *const machine[] = {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system", "/sys/kernel/mm",
		"/sys/fs/cgroup", "/dev/zero", "/dev/urandom"};
	enum vrs_status status = allow(grants, "/dev/null", VRS_LANDLOCK_WRITE, err);
	struct vrs_process_identity own;
	char folder[PATH_MAX];

	tzset(); /* reads a file */
	vrs_process_identity_own(&own); /* reads the boot, without which a killed run counts as alive for a minute */
	(void)open("/proc/self", O_PATH | O_CLOEXEC); /* stays open: the grant is for an inode, which the kernel would forget and make anew */
	for (size_t i = 0; status == VRS_OK && i < sizeof machine / sizeof machine[0]; i++)
		status = allow(grants, machine[i], VRS_LANDLOCK_READ, err);
	for (int i = 0; status == VRS_OK && vrs_data_dir(i, folder, sizeof folder); i++)
		status = allow(grants, folder, VRS_LANDLOCK_READ, err);
	return status;
}

/* Where outputs go that the user did not name: a folder, or beside the inputs, as their names are typed (vrs_default_output). */
static enum vrs_status allow_unnamed(struct grants *grants, struct vrs_error *err)
{
	const struct vrs_program_state *program = grants->program;
	enum vrs_status status = VRS_OK;

	if (program->output_dir) {
		status = vrs_mkdirs(program->output_dir, err);
		return status == VRS_OK ? allow(grants, program->output_dir, VRS_LANDLOCK_WRITE, err) : status;
	}
	for (int i = 0; status == VRS_OK && !program->settings.output.file[0] && i < program->input_count; i++)
		status = vrs_path_is_dir(program->inputs[i]) ? allow(grants, program->inputs[i], VRS_LANDLOCK_WRITE, err)
							     : allow_folder_of(grants, program->inputs[i], VRS_LANDLOCK_WRITE, err);
	return status;
}

/* A job with --precision auto looks whether there is a calibration. */
static enum vrs_status allow_calibrations(struct grants *grants, struct vrs_error *err)
{
	char folder[PATH_MAX];
	bool reads = grants->program->settings.engine.precision == VRS_PRECISION_AUTO && vrs_calibration_folder(folder, sizeof folder, NULL) == VRS_OK &&
		     vrs_path_is_dir(folder);

	return reads ? allow(grants, folder, VRS_LANDLOCK_READ, err) : VRS_OK;
}

/* One that cannot be made is told, as a job does: inside the sandbox it would not know the cause.  Nothing that is made depends on it. */
static enum vrs_status allow_mattes(struct grants *grants, struct vrs_error *err)
{
	const char *folder = grants->program->settings.cache.dir;
	struct vrs_error cause = {0};

	if (vrs_mkdirs(folder, &cause) == VRS_OK)
		return allow(grants, folder, VRS_LANDLOCK_WRITE, err);
	vrs_log_once("no-cache", VRS_LOG_WARNING, "mattes are not cached: %s", cause.text);
	return VRS_OK;
}

/* Folders of caches, where the job uses one. */
static enum vrs_status allow_caches(struct grants *grants, struct vrs_error *err)
{
	const struct vrs_settings *settings = &grants->program->settings;
	bool is_calibrated = settings->engine.precision == VRS_PRECISION_INT8 || settings->engine.precision == VRS_PRECISION_MIXED;
	bool own_dir = settings->cache.enabled && settings->cache.dir[0];
	enum vrs_status status = own_dir ? allow_mattes(grants, err) : VRS_OK;
	char folder[PATH_MAX];

	if (status != VRS_OK ||
	    !((settings->cache.enabled && !own_dir) || is_calibrated || settings->engine.autotune_kernels || grants->program->calibrate))
		return status;
	/* without one there is no cache, which a job says where it matters */
	return vrs_cache_dir(folder, sizeof folder, NULL) == VRS_OK ? allow(grants, folder, VRS_LANDLOCK_WRITE, err) : VRS_OK;
}

/* Landlock holds the calling thread and those that it will start, not the one that waits where the stack is limited. */
static enum vrs_status check_alone(struct vrs_error *err)
{
	struct stat st;

	if (vrs_stack_is_limited())
		return vrs_fail(err, VRS_EUNSUPPORTED, "--sandbox needs a hard limit of the stack (ulimit -H -s) of %u KiB or more; raise it, or leave "
				"--sandbox out", VRS_STACK_BYTES / 1024);
	if (stat("/proc/self/task", &st) < 0)
		return vrs_fail(err, VRS_EUNSUPPORTED, "--sandbox needs /proc, which is not mounted");
	return st.st_nlink == 3 ? VRS_OK : vrs_fail(err, VRS_EINTERNAL, "--sandbox comes too late: there are threads already");
}

/* By the sandbox, and nothing else.  Whoever writes into a pipe would see it opened. */
static bool is_refused(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EACCES && access(path, R_OK) == 0;
}

#define NO_LINK "--sandbox follows no link out of the folders that the command names: "

static enum vrs_status check_link(const char *path, struct vrs_error *err)
{
	char real[PATH_MAX];

	if (!is_refused(path))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, NO_LINK "%s leads to %s; name that, or put it in the place of the link", path,
			realpath(path, real) ? real : "another place");
}

/* Of glob(3), which would leave its pictures out. */
static int stop_at_refused(const char *folder, int cause)
{
	return cause == EACCES && is_refused(folder);
}

static enum vrs_status check_sequence(const char *name, struct vrs_error *err)
{
	char pattern[PATH_MAX];
	enum vrs_status status = VRS_OK;
	glob_t found;

	if (vrs_path_exists(name) || !vrs_sequence_pattern(name, pattern, sizeof pattern))
		return VRS_OK;
	int rc = glob(pattern, 0, stop_at_refused, &found);

	for (size_t i = 0; rc == 0 && status == VRS_OK && i < found.gl_pathc; i++)
		status = check_link(found.gl_pathv[i], err);
	globfree(&found);
	if (rc == GLOB_ABORTED)
		return vrs_fail(err, VRS_ECONFIG, NO_LINK "a folder that %s matches is one; copy its pictures", name);
	return rc == GLOB_NOSPACE ? vrs_fail_nomem(err) : status;
}

struct check {
	const char *playlist;
	struct vrs_error *err;
};

/* Of type vrs_playlist_fn. */
static enum vrs_status check_listed(void *cookie, const char *path, const struct stat *st)
{
	const struct check *check = cookie;
	char real[PATH_MAX];
	(void)st;

	if (!is_refused(path))
		return VRS_OK;
	return vrs_fail(check->err, VRS_ECONFIG, "--sandbox opens of what a playlist names only files in its folder or below, and no hidden ones: %s leads "
			"to %s; copy it there, or leave --sandbox out if you trust the playlist", check->playlist, realpath(path, real) ? real : path);
}

enum vrs_status vrs_sandbox_check(const char *name, struct vrs_error *err)
{
	struct check check = {name, err};
	enum vrs_status status = check_link(name, err);

	if (status == VRS_OK)
		status = check_sequence(name, err);
	if (status == VRS_OK)
		status = vrs_playlist_each(name, check_listed, &check);
	if (status == VRS_ELIMIT)
		return VRS_OK; /* of a playlist in a folder: a job tells what it cannot open */
	return status == VRS_ENOMEM ? vrs_fail_nomem(err) : status;
}

/* The file that a manifest names; weights that leave its folder are refused in any case. */
static enum vrs_status check_network(const char *name, struct vrs_error *err)
{
	struct vrs_manifest manifest;

	return vrs_path_exists(name) && vrs_manifest_load(&manifest, name, NULL) == VRS_OK ? check_link(manifest.file, err) : VRS_OK;
}

static enum vrs_status check_named(void *cookie, enum vrs_file_role role, const char *name, struct vrs_error *err)
{
	(void)cookie;
	if (strcmp(name, "-") == 0)
		return VRS_OK;
	if (role == VRS_FILE_READ)
		return vrs_sandbox_check(name, err);
	return role == VRS_FILE_NETWORK ? check_network(name, err) : VRS_OK;
}

static enum vrs_status close_behind(struct grants *grants, struct vrs_error *err)
{
	const struct vrs_program_state *program = grants->program;
	enum vrs_status status = vrs_landlock_enter(&grants->files, err);

	if (status == VRS_OK)
		status = vrs_syscall_filter_enter(err);
	return status == VRS_OK ? vrs_config_each_file(program->config, &program->settings, check_named, NULL, err) : status;
}

enum vrs_status vrs_sandbox_enter(struct vrs_program_state *program, struct vrs_error *err)
{
	struct grants grants = {.program = program};
	enum vrs_status status = check_devices(&program->settings, err);

	if (status == VRS_OK)
		status = check_alone(err);
	if (status != VRS_OK)
		return status;
	status = vrs_landlock_open(&grants.files, err);
	if (status == VRS_OK)
		status = allow_machine(&grants, err);
	if (status == VRS_OK)
		status = vrs_config_each_file(program->config, &program->settings, allow_named, &grants, err);
	if (status == VRS_OK)
		status = allow_unnamed(&grants, err);
	if (status == VRS_OK)
		status = allow_caches(&grants, err);
	if (status == VRS_OK)
		status = allow_calibrations(&grants, err);
	if (status == VRS_OK)
		status = close_behind(&grants, err);
	vrs_landlock_close(&grants.files);
	return status;
}
