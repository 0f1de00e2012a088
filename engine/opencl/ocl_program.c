/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "opencl/ocl_compile.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_pocl.h"
#include "opencl/ocl_program_cache.h"

#define QUIET_SECONDS 1.0

/* A build with what is said about it. */
struct build {
	const struct vrs_ocl_context *context;
	const struct vrs_ocl_build_request *request;
	const char *what;          /* for messages */
	const char *options;       /* of the compiler */
	uint64_t start_ns;
	bool keeps;                /* key is one */
	struct vrs_ocl_program_key key;
	void *cached;              /* binary from the cache; NULL: none */
	size_t cached_bytes;
};

/*
 * PoCL's clBuildProgram runs the front end alone.  It compiles a kernel when the kernel is first enqueued, once more for each local size, and keeps
 * the result in its own folder (POCL_CACHE_DIR).  Asking it for the binary compiles every kernel for any local size besides, which the next run does
 * not use: with 20 kernels 14 s, where the build took 1.5 s, the first run of all 7 s, and the next build, by PoCL's own cache, 0.14 s (PoCL 3.1,
 * two cores of a Zen 4).
 */
static bool driver_keeps_programs(const struct vrs_ocl_caps *caps)
{
	return vrs_ocl_is_pocl(caps->platform);
}

static double seconds_since(uint64_t start_ns)
{
	return 1e-9 * (double)(vrs_now_ns() - start_ns);
}

static uint64_t after(uint64_t start_ns, double seconds)
{
	return start_ns + (uint64_t)(seconds * 1e9);
}

/* The compiler's messages, line by line: a line of the log has an end (log.h). */
static void log_messages(const char *device, const char *log)
{
	for (const char *line = log; line && *line;) {
		size_t length = strcspn(line, "\n");

		if (length > 0)
			vrs_log(VRS_LOG_DEBUG, "%s: %.*s", device, length < 1500 ? (int)length : 1500, line);
		line += length + (line[length] == '\n');
	}
}

/* The first line that tells of an error, since later ones are often its consequences; else the last that is not empty; "" without any. */
static void find_message(const char *log, char *buf, size_t size)
{
	char raw[400] = "";
	bool found = false;

	for (const char *line = log; line && *line && !found;) {
		size_t length = strcspn(line, "\n");

		if (length > 0) {
			(void)snprintf(raw, sizeof raw, "%.*s", length < sizeof raw ? (int)length : (int)sizeof raw - 1, line);
			found = strstr(raw, "error:") != NULL;
		}
		line += length + (line[length] == '\n');
	}
	(void)vrs_printable(buf, size, raw);
}

/* PoCL does not say that it could not write a file; a fault of the text has a line. */
static void explain_pocl(const struct build *build, const char *log, char *buf, size_t size)
{
	char folder[300];

	buf[0] = '\0';
	if (!driver_keeps_programs(&build->context->caps) || (log && strstr(log, "error:")))
		return;
	vrs_ocl_pocl_folder(folder, sizeof folder);
	(void)snprintf(buf, size, "; it writes to %s, whose disk may be full", folder);
}

static enum vrs_status fail_build(const struct build *build, const struct vrs_ocl_compiled *compiled, struct vrs_error *err)
{
	const char *device = build->context->caps.name;
	enum vrs_status status = vrs_ocl_status(compiled->code);
	char message[280], place[360];

	find_message(compiled->log, message, sizeof message);
	explain_pocl(build, compiled->log, place, sizeof place);
	if (compiled->code == CL_BUILD_PROGRAM_FAILURE || message[0])
		return vrs_fail(err, VRS_EDEVICE, "the OpenCL compiler of %s refuses %s: %s%s", device, build->what,
				message[0] ? message : "it does not say why", place);
	return vrs_fail(err, status == VRS_OK ? VRS_EDEVICE : status, "the OpenCL compiler of %s cannot build %s (%s)", device, build->what,
			vrs_ocl_code_name(compiled->code));
}

/* Until the limit, with a line on the way. */
static enum vrs_status wait_for(const struct build *build, struct vrs_ocl_compile *compile, struct vrs_ocl_compiled *ret_compiled,
				struct vrs_error *err)
{
	double limit = build->request->limit_seconds > 0 ? build->request->limit_seconds : VRS_OCL_BUILD_SECONDS;
	const char *device = build->context->caps.name;
	enum vrs_status status = vrs_ocl_compile_wait(compile, after(build->start_ns, limit < QUIET_SECONDS ? limit : QUIET_SECONDS), ret_compiled);
	bool slow = status == VRS_ETIMEOUT && limit > QUIET_SECONDS;

	if (slow) {
		bool once = build->keeps && !build->cached && vrs_ocl_program_cache_can_save(&build->key);

		if (!build->request->quiet)
			vrs_log(VRS_LOG_INFO, "building %s for %s%s", build->what, device, once ? ", once" : "");
		status = vrs_ocl_compile_wait(compile, after(build->start_ns, limit), ret_compiled);
	}
	if (status == VRS_ETIMEOUT)
		return vrs_fail(err, VRS_EDEVICE, "the OpenCL compiler of %s has not finished %s after %.3g s%s", device, build->what, limit,
				build->request->quiet ? "" : ": use another device or the CPU (--backend cpu)");
	if (status == VRS_ESTOPPED)
		return vrs_fail(err, status, "stopped while %s were built", build->what);
	if (slow && ret_compiled->program && !build->request->quiet)
		vrs_log(VRS_LOG_INFO, "built %s for %s in %.1f s", build->what, device, seconds_since(build->start_ns));
	return status;
}

/* The driver's work, with what the cache holds. */
static enum vrs_status run_compiler(const struct build *build, struct vrs_ocl_compiled *ret_compiled, struct vrs_error *err)
{
	const struct vrs_ocl_compile_request request = {
		.context = build->context->context, .device = build->context->device, .source = build->request->text,
		.length = build->request->length, .options = build->options, .binary = build->cached, .binary_bytes = build->cached_bytes,
		.wants_binary = build->keeps};
	struct vrs_ocl_compile *compile = NULL;
	enum vrs_status status = vrs_ocl_compile_start(&compile, &request, err);

	if (status == VRS_OK)
		status = wait_for(build, compile, ret_compiled, err);
	vrs_ocl_compile_end(compile);
	return status;
}

/* Why nothing can be kept, where not even a file is known. */
static void find_obstacle(struct vrs_error *ret_why)
{
	char path[PATH_MAX];

	if (vrs_cache_path(path, sizeof path, ret_why) == VRS_OK)
		(void)vrs_fail(ret_why, VRS_ELIMIT, "the build options or the path of %s are too long", path);
}

/* Leave the binary of what was built to later jobs.  Where that fails, a build that takes long says that it comes again. */
static bool keep(const struct build *build, const struct vrs_ocl_compiled *compiled)
{
	bool slow = seconds_since(build->start_ns) > QUIET_SECONDS;
	struct vrs_error why = {0};

	if (!build->request->cache || driver_keeps_programs(&build->context->caps) || compiled->from_binary)
		return false;
	if (!build->keeps)
		find_obstacle(&why);
	else if (!compiled->binary)
		(void)vrs_fail(&why, VRS_EUNSUPPORTED, "the driver gives no binary, or too large a one");
	else if (vrs_ocl_program_cache_save(&build->key, compiled->binary, compiled->binary_bytes, &why) == VRS_OK)
		return true;
	if (slow)
		vrs_log_once("programs-built-anew", VRS_LOG_INFO, "%s are not kept, so that each job builds them: %s", build->what, why.text);
	else
		vrs_log_once("no-program-cache", VRS_LOG_DEBUG, "compiled kernels are not kept: %s", why.text);
	return false;
}

enum vrs_status vrs_ocl_program_build_with(cl_program *ret_program, struct vrs_ocl_build *ret_build, const struct vrs_ocl_context *context,
					   const struct vrs_ocl_build_request *request, struct vrs_error *err)
{
	struct build build = {.context = context, .request = request, .what = request->what ? request->what : "the kernels",
			      .options = request->options ? request->options : VRS_OCL_BUILD_OPTIONS,
			      .start_ns = vrs_now_ns()};
	struct vrs_ocl_compiled compiled = {0};

	build.keeps = request->cache && !driver_keeps_programs(&context->caps) &&
		      vrs_ocl_program_key_make(&build.key, &context->caps, build.options, request->text, request->length);
	if (build.keeps)
		build.cached = vrs_ocl_program_cache_load(&build.key, &build.cached_bytes);
	enum vrs_status status = run_compiler(&build, &compiled, err);

	log_messages(context->caps.name, compiled.log);
	if (status == VRS_OK && !compiled.program)
		status = fail_build(&build, &compiled, err);
	if (status == VRS_OK && build.cached && !compiled.from_binary)
		vrs_log(VRS_LOG_DEBUG, "%s does not take its binary in %s: built from source", context->caps.name, build.key.path);
	if (status == VRS_OK) {
		const struct vrs_ocl_build made = {compiled.from_binary, keep(&build, &compiled), seconds_since(build.start_ns)};

		vrs_log(VRS_LOG_DEBUG, "%s for %s: %s in %.3f s%s", build.what, context->caps.name, made.from_cache ? "from the cache" : "compiled",
			made.seconds, made.kept ? ", and kept" : "");
		*ret_program = compiled.program;
		if (ret_build)
			*ret_build = made;
	}
	vrs_free(compiled.log);
	vrs_free(compiled.binary);
	vrs_free(build.cached);
	return status;
}

enum vrs_status vrs_ocl_program_build(cl_program *ret_program, const struct vrs_ocl_context *context, const char *text, size_t length, bool cache,
				      struct vrs_error *err)
{
	const struct vrs_ocl_build_request request = {.text = text, .length = length, .cache = cache};

	return vrs_ocl_program_build_with(ret_program, NULL, context, &request, err);
}
