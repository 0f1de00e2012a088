/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event is about 120 bytes and takes less than a microsecond; a frame has some 25 of them. */
#include "flow/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secrets.h"
#include "base/str_parse.h"

#include <vrseg/log.h>
#include <vrseg/options.h>

#define BLOCK_BYTES 65536
#define EVENT_BYTES 512          /* more than the longest event but the title's */
#define COUNTERS 4
#define LANE_ROW 1000            /* lanes lie behind the rows of all threads, which are fewer */
#define END "\n]\n"
#define BEGIN "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":" /* of a whole trace */
#define COMPLETE "{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"labels\":\"complete\"}}"
#define US(ns) (ns) / 1000, (ns) % 1000

struct vrs_trace {
	pthread_mutex_t lock;    /* guards all below */
	int fd;                  /* -1 after an error */
	off_t end;               /* where the next block goes */
	char path[VRS_PATH_MAX];
	uint64_t last[COUNTERS];
	bool counted[COUNTERS];
	bool has_lane[VRS_TRACE_LANES][LANE_ROW]; /* [lane][row] it has its name */
	bool any;                /* an event was written */
	int process, segment;
	int64_t first_frame;
	size_t used;
	char block[BLOCK_BYTES + sizeof END];
};

static _Thread_local int thread_row;
static _Thread_local char thread_name[32];

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
			vrs_log(VRS_LOG_WARNING, "cannot write the trace %s: %s; the trace ends here", trace->path, n < 0 ? strerror(errno) : "disk full");
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

/* The only text from outside, without the secrets of an address; NULL: no memory. */
static char *quote(const char *title)
{
	char shown[VRS_PATH_MAX];
	cJSON *text = cJSON_CreateString(vrs_hide_secrets(shown, sizeof shown, title));
	char *quoted = text ? vrs_json_print(text, false) : NULL;
	cJSON_Delete(text);
	return quoted;
}

/* Does the file begin as a trace does, or is it empty, and has no end of a complete one, unless complete ones will do? */
static bool is_ours(int fd, bool complete_too)
{
	char text[sizeof COMPLETE END];
	struct stat st;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	size_t head = st.st_size < (off_t)strlen(BEGIN) ? (size_t)st.st_size : strlen(BEGIN), tail = strlen(COMPLETE END);
	if (pread(fd, text, head, 0) != (ssize_t)head || memcmp(text, BEGIN, head) != 0)
		return false;
	return complete_too || st.st_size < (off_t)tail ||
	       (pread(fd, text, tail, st.st_size - (off_t)tail) == (ssize_t)tail && memcmp(text, COMPLETE END, tail) != 0);
}

/* -1 with EEXIST: it is not what a run has left. */
static int open_ours(const char *path, bool complete_too)
{
	struct stat st;
	bool is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode); /* a device may do something when it is opened */
	int fd = is_file ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd >= 0 && vrs_file_try_lock(fd) == 0 && is_ours(fd, complete_too) && ftruncate(fd, 0) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = EEXIST;
	return -1;
}

/* A link may lead to a file that is not there yet. */
static int open_new(const char *path, bool complete_too)
{
	char real[PATH_MAX];
	const char *name = vrs_file_resolve(path, real, NULL) == VRS_OK ? real : path;
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0666);
	if (fd < 0)
		return errno == EEXIST ? open_ours(name, complete_too) : -1;
	(void)vrs_file_try_lock(fd); /* nobody takes it for what a killed run has left */
	return fd;
}

static int open_whole(const char *path, enum vrs_trace_over over)
{
	if (over != VRS_TRACE_OVER_ALL)
		return open_new(path, over == VRS_TRACE_OVER_TRACES);

	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0666);
	if (fd >= 0)
		(void)vrs_file_try_lock(fd);
	return fd;
}

static int open_part(const char *path, enum vrs_trace_over over)
{
	(void)over;
	(void)unlink(path); /* of a try before, or what somebody has put there for us to follow */
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0666);
}

static enum vrs_status create(struct vrs_trace **ret_trace, const char *path, const char *title, int process, enum vrs_trace_over over,
			      int (*open_file)(const char *path, enum vrs_trace_over over), struct vrs_error *err)
{
	struct vrs_trace *trace = vrs_calloc(1, sizeof *trace);
	char *quoted = trace ? quote(title) : NULL; /* before there is a file */
	if (!quoted) {
		vrs_free(trace);
		return vrs_fail(err, VRS_ENOMEM, "no memory for a trace");
	}
	(void)vrs_strcpy(trace->path, sizeof trace->path, path); /* for messages */
	trace->fd = open_file(path, over);
	if (trace->fd < 0) {
		int code = errno;
		vrs_json_free_text(quoted);
		vrs_free(trace);
		if (code == EEXIST)
			return vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", path);
		return vrs_fail(err, code == ENOENT ? VRS_ENOTFOUND : vrs_file_write_status(code), "cannot write the trace %s: %s", path, strerror(code));
	}
	trace->process = process;
	pthread_mutex_init(&trace->lock, NULL);
	add(trace, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":%s}}", process,
	    strlen(quoted) < 300 ? quoted : "\"vrseg\"");
	vrs_json_free_text(quoted);
	*ret_trace = trace;
	return VRS_OK;
}

enum vrs_trace_over vrs_trace_over(bool overwrite, bool made)
{
	return overwrite ? VRS_TRACE_OVER_ALL : made ? VRS_TRACE_OVER_TRACES : VRS_TRACE_OVER_INCOMPLETE;
}

enum vrs_status vrs_trace_create(struct vrs_trace **ret_trace, const char *path, const char *title, int process, enum vrs_trace_over over,
				 struct vrs_error *err)
{
	return create(ret_trace, path, title, process, over, open_whole, err);
}

enum vrs_status vrs_trace_create_part(struct vrs_trace **ret_trace, const char *path, const char *title, int process, struct vrs_error *err)
{
	return create(ret_trace, path, title, process, VRS_TRACE_OVER_ALL, open_part, err);
}

void vrs_trace_segment(struct vrs_trace *trace, int segment, int64_t first_frame)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	trace->segment = segment;
	trace->first_frame = first_frame;
	pthread_mutex_unlock(&trace->lock);
}

/* Frames are counted anew in each segment, and those between two segments go through the network in both. */
static int64_t frame_number(const struct vrs_trace *trace, uint64_t frame)
{
	return (int64_t)frame + trace->first_frame;
}

/* Another arrow for each frame of each segment: below 2^53, which JSON numbers hold. */
static uint64_t flow_id(const struct vrs_trace *trace, uint64_t frame)
{
	return ((uint64_t)trace->segment << 32) + frame;
}

/* With the lock. */
static void name_row(struct vrs_trace *trace, int row, const char *name)
{
	add(trace, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", trace->process, row, name);
	add(trace, "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"sort_index\":%d}}", trace->process, row, row);
}

void vrs_trace_thread(struct vrs_trace *trace, int row, const char *name)
{
	if (!trace)
		return;
	thread_row = row;
	(void)vrs_strcpy(thread_name, sizeof thread_name, name);
	pthread_mutex_lock(&trace->lock);
	name_row(trace, row, name);
	pthread_mutex_unlock(&trace->lock);
}

/* With the lock. */
static void add_span(struct vrs_trace *trace, int row, const char *name, const char *category, const char *stage, uint64_t start_ns, uint64_t end_ns,
		     uint64_t first, int frames)
{
	char which[64] = "";
	uint64_t length = end_ns - start_ns;
	if (first != VRS_TRACE_NO_FRAME)
		snprintf(which, sizeof which, ",\"frame\":%" PRId64 ",\"frames\":%d", frame_number(trace, first), frames);
	add(trace, "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 ",\"dur\":%" PRIu64 ".%03" PRIu64
	    ",\"args\":{\"stage\":\"%s\"%s}}", name, category, trace->process, row, US(start_ns), US(length), stage, which);
}

void vrs_trace_span(struct vrs_trace *trace, const char *name, const char *stage, uint64_t start_ns, uint64_t end_ns, uint64_t first, int frames)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	add_span(trace, thread_row, name, strcmp(name, stage) == 0 ? "work" : "wait", stage, start_ns, end_ns, first, frames);
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_lane(struct vrs_trace *trace, int lane, const char *lane_name, const char *name, uint64_t start_ns, uint64_t end_ns, uint64_t first,
		    int frames)
{
	char label[80];
	if (!trace)
		return;
	VRS_ASSERT(lane >= 0 && lane < VRS_TRACE_LANES && thread_row >= 0 && thread_row < LANE_ROW);
	int row = LANE_ROW * (lane + 1) + thread_row;
	pthread_mutex_lock(&trace->lock);
	if (!trace->has_lane[lane][thread_row]) {
		snprintf(label, sizeof label, "%.40s, %s", lane_name, thread_name);
		name_row(trace, row, label);
		trace->has_lane[lane][thread_row] = true;
	}
	add_span(trace, row, name, "device", "device", start_ns, end_ns, first, frames);
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_arrow(struct vrs_trace *trace, enum vrs_trace_flow flow, uint64_t frame, uint64_t t_ns)
{
	static const char *const ends[] = {"\"ph\":\"s\"", "\"ph\":\"t\"", "\"ph\":\"f\",\"bp\":\"e\""};
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	add(trace, "{\"name\":\"frame\",\"cat\":\"frame\",%s,\"id\":%" PRIu64 ",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 "}", ends[flow],
	    flow_id(trace, frame), trace->process, thread_row, US(t_ns));
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_mark(struct vrs_trace *trace, const char *name, uint64_t frame, uint64_t t_ns)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	add(trace, "{\"name\":\"%s\",\"ph\":\"i\",\"s\":\"p\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 ",\"args\":{\"frame\":%" PRId64 "}}",
	    name, trace->process, thread_row, US(t_ns), frame_number(trace, frame));
	pthread_mutex_unlock(&trace->lock);
}

void vrs_trace_count(struct vrs_trace *trace, int counter, const char *name, uint64_t t_ns, uint64_t value)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	if (!trace->counted[counter] || trace->last[counter] != value)
		add(trace, "{\"name\":\"%s\",\"ph\":\"C\",\"pid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64 ",\"args\":{\"frames\":%" PRIu64 "}}", name,
		    trace->process, US(t_ns), value);
	trace->counted[counter] = true;
	trace->last[counter] = value;
	pthread_mutex_unlock(&trace->lock);
}

/* Is it an array of events that was ended? */
static bool is_trace(int fd, off_t size)
{
	char head[2], tail[sizeof END - 1];
	return size > (off_t)(sizeof head + sizeof tail) && pread(fd, head, sizeof head, 0) == sizeof head && memcmp(head, "[\n", sizeof head) == 0 &&
	       pread(fd, tail, sizeof tail, size - (off_t)sizeof tail) == sizeof tail && memcmp(tail, END, sizeof tail) == 0;
}

/* What lies between the brackets of the other array. An error takes all of it back. */
static bool copy_events(struct vrs_trace *trace, int from, off_t size)
{
	off_t at = 2, end = size - (off_t)(sizeof END - 1), back;
	flush(trace);
	back = trace->end;
	memcpy(trace->block, trace->any ? ",\n" : "[\n", 2);
	trace->used = 2;
	while (at < end) {
		size_t room = BLOCK_BYTES - trace->used;
		ssize_t n = pread(from, trace->block + trace->used, end - at < (off_t)room ? (size_t)(end - at) : room, at);
		if (n <= 0) {
			trace->end = back;
			trace->used = 0;
			flush(trace);
			(void)!ftruncate(trace->fd, back + (off_t)sizeof END - 1); /* else the file is longer than its array */
			return false;
		}
		trace->used += (size_t)n;
		at += n;
		if (trace->used == BLOCK_BYTES)
			flush(trace);
	}
	trace->any = true;
	flush(trace);
	return true;
}

void vrs_trace_append(struct vrs_trace *trace, const char *path)
{
	struct stat st;
	int from = trace ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1; /* whatever somebody has put there */
	if (from < 0)
		return;
	pthread_mutex_lock(&trace->lock);
	bool good = trace->fd < 0 || (fstat(from, &st) == 0 && S_ISREG(st.st_mode) && is_trace(from, st.st_size) && copy_events(trace, from, st.st_size));
	pthread_mutex_unlock(&trace->lock);
	close(from);
	if (!good)
		vrs_log_once("trace-part", VRS_LOG_WARNING, "the trace %s is damaged; the trace of the video is without it", path);
}

void vrs_trace_complete(struct vrs_trace *trace)
{
	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	add(trace, "%s", COMPLETE);
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
