/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/messages.h"
#include "base/printable.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The log has one sink per process, so its state is one object too; the log's lock guards it. */
static struct {
	const char *program;
	vrs_messages_before_fn before;
	void *cookie;
	FILE *file;
} messages;

static void write_line(void *cookie, enum vrs_log_level level, const char *line)
{
	static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
	(void)cookie;
	if (messages.before)
		messages.before(messages.cookie);
	fprintf(stderr, "%s: %s%s\n", /* libc: the one place that writes the programs' messages */
		messages.program, words[level], line);
	if (messages.file) {
		fprintf(messages.file, "%s: %s%s\n", messages.program, words[level], line);
		fflush(messages.file);
	}
}

/* A descriptor 0 to 2 that the caller has closed would be given to the next file opened: log lines would stand inside a video. */
static void open_standard_files(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR); /* not closed on exec: a child has them too */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void vrs_messages_begin(const char *program, vrs_messages_before_fn before, void *cookie)
{
	open_standard_files();
	(void)setenv("SVT_LOG", "1", 0); /* SVT-AV1 writes to standard error by itself: errors alone */
	messages.program = program;
	memcpy(&program_invocation_short_name, &program, sizeof program); /* of a worker process that is "exe"; nothing writes to it */
	messages.before = before;
	messages.cookie = cookie;
	vrs_log_set_sink(write_line, NULL);
}

/*
 * Lines are appended before anything can tell that a video in a folder, or the output of an earlier run, has that name: what holds bytes that no text
 * has is no log.  What cannot be read is left to whoever opens it for writing.
 */
static bool is_log(const char *path)
{
	unsigned char head[4096];
	struct stat st;
	int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	ssize_t size = fd >= 0 ? read(fd, head, sizeof head) : 0;
	bool is_text = true;
	for (ssize_t i = 0; i < size; i++)
		is_text = is_text && (head[i] >= 0x20 || (head[i] >= '\a' && head[i] <= '\r') || head[i] == 0x1b);
	if (fd >= 0)
		close(fd);
	return is_text;
}

enum vrs_status vrs_messages_open(enum vrs_log_level level, const char *log_file, struct vrs_error *err)
{
	vrs_log_set_level(level);
	if (!log_file[0])
		return VRS_OK;
	if (!is_log(log_file))
		return vrs_fail(err, VRS_ECONFIG, "--log-file %s is no log: it holds bytes that no text has; choose another file", log_file);
	messages.file = fopen(log_file, "ae");
	return messages.file ? VRS_OK : vrs_fail(err, VRS_EIO, "cannot write the log file %s: %s", log_file, strerror(errno));
}

int vrs_messages_end(enum vrs_status status, const struct vrs_error *err)
{
	char text[1024], line[2048];
	if (status == VRS_END)
		status = VRS_OK;
	struct vrs_error unwritten = {.status = VRS_OK};
	errno = 0;
	/* libc: results that were lost are a failure, but for a reader who has seen enough (--help | head) */
	if (status == VRS_OK && (fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE) {
		status = vrs_fail(&unwritten, VRS_EIO, "cannot write to standard output: %s", errno ? strerror(errno) : "a write failed");
		err = &unwritten;
	}
	/* Written without the log's filter: the reason of a failure is shown at every level. */
	if (err && err->status && status != VRS_OK)
		write_line(NULL, VRS_LOG_INFO, vrs_printable(line, sizeof line, vrs_error_str(err, text, sizeof text)));
	else if (status != VRS_OK && status != VRS_ESTOPPED)
		write_line(NULL, VRS_LOG_INFO, vrs_status_str(status));
	vrs_log_set_sink(NULL, NULL);
	if (messages.file)
		fclose(messages.file);
	memset(&messages, 0, sizeof messages);
	return status == VRS_ESTOPPED ? 128 + vrs_stop_signal() : vrs_exit_code(status);
}
