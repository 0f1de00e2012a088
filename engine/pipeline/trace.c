/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event is about 120 bytes and takes less than a microsecond; a frame has some 25 of them. */
#include "pipeline/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str_parse.h"

#include <vrseg/log.h>
#include <vrseg/options.h>

#define BLOCK_BYTES 65536
#define EVENT_BYTES 512          /* more than the longest event but the title's */
#define COUNTERS 4
#define END "\n]\n"
#define US(ns) (ns) / 1000, (ns) % 1000

struct vrs_trace {
	pthread_mutex_t lock;    /* guards all below */
	int fd;                  /* -1 after an error */
	off_t end;               /* where the next block goes */
	char path[VRS_PATH_MAX];
	uint64_t last[COUNTERS];
	bool counted[COUNTERS];
	bool any;                /* an event was written */
	size_t used;
	char block[BLOCK_BYTES + sizeof END];
};

static _Thread_local int thread_row;

/* With the lock. The end of the array is written with each block and overwritten by the next one. */
static void flush(struct vrs_trace *trace)
{
	size_t done = 0, size;
	memcpy(trace->block + trace->used, END, sizeof END - 1);
	size = trace->used + sizeof END - 1;
	while (trace->fd >= 0 && done < size) {
		ssize_t n = pwrite(trace->fd, trace->block + done, size - done, trace->end + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			vrs_log(VRS_LOG_WARNING, "cannot write the trace %s: %s; it ends here", trace->path, n < 0 ? strerror(errno) : "disk full");
			close(trace->fd);
			trace->fd = -1;
			break;
		}
		done += (size_t)n;
	}
	trace->end += (off_t)trace->used;
	trace->used = 0;
}

/* With the lock: one event, an object without a newline. */
static void add(struct vrs_trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct vrs_trace *trace, const char *format, ...)
{
	va_list args;
	if (trace->fd < 0)
		return;
	if (trace->used + EVENT_BYTES > BLOCK_BYTES)
		flush(trace);
	char *at = trace->block + trace->used;
	int n = snprintf(at, 3, trace->any ? ",\n" : "[\n");
	va_start(args, format);
	int m = vsnprintf(at + n, EVENT_BYTES - (size_t)n, format, args);
	va_end(args);
	if (m < 0 || m >= EVENT_BYTES - n)
		return; /* names are ours and short */
	trace->any = true;
	trace->used += (size_t)(n + m);
}

/* The only text from outside. */
static enum vrs_status add_title(struct vrs_trace *trace, const char *title)
{
	cJSON *text = cJSON_CreateString(title);
	char *quoted = text ? vrs_json_print(text, false) : NULL;
	enum vrs_status status = quoted ? VRS_OK : VRS_ENOMEM;
	if (quoted)
		add(trace, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":%s}}", strlen(quoted) < 300 ? quoted : "\"vrseg\"");
	vrs_json_free_text(quoted);
	cJSON_Delete(text);
	return status;
}

enum vrs_status vrs_trace_create(struct vrs_trace **ret_trace, const char *path, const char *title, bool overwrite, struct vrs_error *err)
{
	struct vrs_trace *trace = vrs_calloc(1, sizeof *trace);
	if (!trace)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a trace");
	(void)vrs_strcpy(trace->path, sizeof trace->path, path); /* for messages */
	trace->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0666);
	if (trace->fd < 0) {
		int code = errno;
		vrs_free(trace);
		if (code == EEXIST)
			return vrs_fail(err, VRS_EEXIST, "%s exists already; use --overwrite to replace it", path);
		return vrs_fail(err, code == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot write the trace %s: %s", path, strerror(code));
	}
	pthread_mutex_init(&trace->lock, NULL);
	enum vrs_status status = add_title(trace, title);
	if (status) {
		vrs_trace_destroy(trace);
		return vrs_fail(err, status, "no memory for a trace");
	}
	*ret_trace = trace;
	return VRS_OK;
}

void vrs_trace_thread(struct vrs_trace *trace, int row, const char *name)
{
	if (!trace)
		return;
	thread_row = row;
	pthread_mutex_lock(&trace->lock);
	add(trace, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", row, name);
	add(trace, "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"sort_index\":%d}}", row, row);
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_span(struct vrs_trace *trace, const char *name, const char *stage, uint64_t start_ns, uint64_t end_ns, uint64_t first, int frames)
{
	char which[64] = "";
	if (!trace)
		return;
	uint64_t length = end_ns - start_ns;
	if (first != VRS_TRACE_NO_FRAME)
		snprintf(which, sizeof which, ",\"frame\":%" PRIu64 ",\"frames\":%d", first, frames);
	pthread_mutex_lock(&trace->lock);
	add(trace, "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 ",\"dur\":%" PRIu64 ".%03" PRIu64
	    ",\"args\":{\"stage\":\"%s\"%s}}", name, strcmp(name, stage) == 0 ? "work" : "wait", thread_row, US(start_ns), US(length), stage, which);
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_arrow(struct vrs_trace *trace, enum vrs_trace_flow flow, uint64_t frame, uint64_t t_ns)
{
	static const char *const ends[] = {"\"ph\":\"s\"", "\"ph\":\"t\"", "\"ph\":\"f\",\"bp\":\"e\""};
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	add(trace, "{\"name\":\"frame\",\"cat\":\"frame\",%s,\"id\":%" PRIu64 ",\"pid\":1,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 "}", ends[flow], frame,
	    thread_row, US(t_ns));
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_mark(struct vrs_trace *trace, const char *name, uint64_t frame, uint64_t t_ns)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	add(trace, "{\"name\":\"%s\",\"ph\":\"i\",\"s\":\"p\",\"pid\":1,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 ",\"args\":{\"frame\":%" PRIu64 "}}", name,
	    thread_row, US(t_ns), frame);
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_count(struct vrs_trace *trace, int counter, const char *name, uint64_t t_ns, uint64_t value)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	if (!trace->counted[counter] || trace->last[counter] != value)
		add(trace, "{\"name\":\"%s\",\"ph\":\"C\",\"pid\":1,\"ts\":%" PRIu64 ".%03" PRIu64 ",\"args\":{\"frames\":%" PRIu64 "}}", name, US(t_ns), value);
	trace->counted[counter] = true;
	trace->last[counter] = value;
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_destroy(struct vrs_trace *trace)
{
	if (!trace)
		return;
	flush(trace);
	if (trace->fd >= 0)
		close(trace->fd);
	pthread_mutex_destroy(&trace->lock);
	vrs_free(trace);
}
