/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_process.h"

#include <signal.h>
#include <string.h>

#include "base/proc.h"
#include "base/stop.h"
#include "flow/trace.h"

#include <vrseg/log.h>
#include <vrseg/machine.h>

#define REPLY_MAX (1u << 20)
#define REQUEST_MAX (1u << 20)

static const char name[] = "vrseg: ", lead[] = "vrseg: warning: "; /* before each line of a child's own, and each of its warnings */

/*
 * Warnings of the child go into our log as they are, without the name before them; its decisions were told by the parent already.  Where it ended
 * badly, so do the lines of libraries and sanitizers, which say why.
 */
static void pass_lines(const char *text, bool foreign)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		int length = (int)strcspn(line, "\n"), skip = strncmp(line, lead, sizeof lead - 1) == 0 ? (int)sizeof lead - 1 : 0;
		if (skip || (foreign && length > 0 && strncmp(line, name, sizeof name - 1) != 0))
			vrs_log(VRS_LOG_WARNING, "%.*s", length - skip, line + skip);
	}
}

/* Of a child that reports this status. */
static int exit_code(enum vrs_status status)
{
	return vrs_exit_code(status == VRS_END ? VRS_OK : status); /* the video may be shorter than its container says */
}

/* A report counts when the process that made it ended as the report says: else memory may be damaged, and so may the segment. */
static enum vrs_status judge(const struct vrs_proc_result *result, bool reported, enum vrs_status reply, int64_t killed_before, struct vrs_error *err)
{
	if (reported && (result->stopped || (!result->signal && result->exit_code == exit_code(reply))))
		return VRS_OK;
	if (result->stopped)
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request");
	int64_t killed = vrs_machine_oom_kills();
	if (result->signal == SIGKILL && killed > killed_before)
		return vrs_fail(err, VRS_ENOMEM, "the kernel killed a worker process (SIGKILL, exit code 137), since the control group ran out of memory: raise "
				"its limit, or lower --process-count or --max-memory-fraction");
	if (result->signal == SIGKILL && killed >= 0) /* the machine as a whole may have been short; its segment is worth another try all the same */
		return vrs_fail(err, VRS_ENOMEM, "a worker process was killed (SIGKILL, exit code 137), and not for lack of memory in its control group");
	if (result->signal == SIGKILL)
		return vrs_fail(err, VRS_ENOMEM, "a worker process was killed (SIGKILL, exit code 137), most likely for lack of memory");
	char last[400];
	vrs_buf_last_line(&result->err, last, sizeof last);
	/* of an end by a signal nobody says why; lines of others are passed on, and so are warnings */
	bool says_why = !result->signal && strncmp(last, name, sizeof name - 1) == 0 && strncmp(last, lead, sizeof lead - 1) != 0;
	return vrs_fail(err, VRS_EINTERNAL, "a worker process ended %s report (%s %d)%s%s", reported ? "otherwise than its" : "without a",
			result->signal ? "signal" : "exit code", result->signal ? result->signal : result->exit_code, says_why ? ": " : "",
			says_why ? last + sizeof name - 1 : "");
}

enum vrs_status vrs_segment_process_run(const struct vrs_segment_request *request, struct vrs_segment_reply *ret_reply, struct vrs_error *err)
{
	const char *const argv[] = {"/proc/self/exe", VRS_SEGMENT_FLAG, NULL}; /* between fork and exec that is still this program */
	char *text = vrs_segment_request_write(request);
	struct vrs_proc_result result;
	int64_t killed_before = vrs_machine_oom_kills();
	if (!text)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a worker process");
	const struct vrs_proc_options options = {.argv = argv, .stdin_text = text, .output_max = REPLY_MAX,
		.grace_seconds = 1e-3 * (VRS_STOP_FLIGHT_MS + VRS_STOP_SAVING_MS)};
	enum vrs_status status = vrs_proc_run(&options, &result, err);
	vrs_json_free_text(text);
	if (status != VRS_OK)
		return status;
	bool reported = vrs_segment_reply_read(ret_reply, vrs_buf_str(&result.out), result.out.len, NULL) == VRS_OK;
	status = judge(&result, reported, ret_reply->error.status, killed_before, err);
	pass_lines(vrs_buf_str(&result.err), status != VRS_OK && status != VRS_ESTOPPED);
	vrs_proc_result_fini(&result);
	return status;
}

bool vrs_segment_requested(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], VRS_SEGMENT_FLAG) == 0;
}

static enum vrs_status make(const struct vrs_segment_request *request, struct vrs_segment_outcome *ret, struct vrs_error *err)
{
	struct vrs_segment_order order = {.input = request->input, .settings = &request->settings, .segment = request->segment,
		.number = (int)request->number, .truth = request->truth};
	struct vrs_trace *trace = NULL;
	char title[VRS_PATH_MAX + 32];
	int process = (int)request->process;
	snprintf(title, sizeof title, "%s, process %d", request->input, process);
	enum vrs_status status = request->trace ? vrs_trace_create_part(&trace, request->trace, title, process, err) : VRS_OK;
	order.segment.trace = trace;
	if (status == VRS_OK)
		status = vrs_segment_run(&order, ret, err);
	vrs_trace_destroy(trace);
	return status;
}

int vrs_segment_child_main(FILE *in, FILE *out)
{
	static char text[REQUEST_MAX];
	static struct vrs_segment_request request;
	struct vrs_segment_reply reply = {.error.status = VRS_OK};
	enum vrs_status status = vrs_segment_request_read(&request, text, fread(text, 1, sizeof text, in), &reply.error);
	if (status == VRS_OK)
		status = make(&request, &reply.outcome, &reply.error);
	reply.error.status = status; /* VRS_END comes without a sentence */
	char *answer = vrs_segment_reply_write(&reply);
	if (answer)
		fprintf(out, "%s\n", answer);
	fflush(out);
	vrs_json_free_text(answer);
	vrs_segment_request_fini(&request);
	return exit_code(status);
}
