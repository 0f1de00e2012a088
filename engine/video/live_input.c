/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libavdevice pulls in some fifty libraries (X11, audio, OpenGL) that a video job never needs, so it is loaded when a device is named, by the version
 * that belongs to the linked libavformat.
 */
#include "video/live_input.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/avstring.h>

#include "base/file.h"
#include "base/stop.h"
#include "video/av_support.h"
#include "video/live_watch.h"
#include "video/source.h"

#define DEVICE "/dev/video"
#define PROTOCOLS "udp,rtp,rtcp,srt,tcp,tls,rtmp,rtmps,http,https,rtsp,crypto,data"
#define SILENCE_US "10000000"      /* a stream that says nothing for that long is broken */
#define ANALYSE_US "1000000"       /* of the stream, before its first frame: the rest of its frames wait meanwhile */
#define LOOK_MS 100                /* between two looks for a wish to stop */
#define READ_BYTES 32768           /* at once, as FFmpeg's pipes */
#define LIBRARY "libavdevice.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)

static int stop_requested(void *opaque)
{
	(void)opaque;
	return vrs_stop_requested();
}

const AVIOInterruptCB vrs_live_interrupt = {.callback = stop_requested};

bool vrs_is_video_device(const char *path)
{
	size_t len = strlen(DEVICE);

	return strncmp(path, DEVICE, len) == 0 && path[len] >= '0' && path[len] <= '9';
}

bool vrs_source_is_address(const char *path)
{
	static const char *const schemes[] = {"udp://", "rtp://", "srt://", "tcp://", "rtmp://", "rtmps://", "rtsp://", "http://", "https://", NULL};

	for (int i = 0; schemes[i]; i++)
		if (strncasecmp(path, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return false;
}

bool vrs_live_input_is(const char *path)
{
	return vrs_source_is_address(path) || vrs_is_video_device(path);
}

bool vrs_source_sets_pace(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode);
	return vrs_live_input_is(path) || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

bool vrs_source_reads_once(const char *path)
{
	struct stat st;

	path = vrs_path_opened(path);
	if (strcmp(path, "-") == 0)
		return true;
	return !vrs_live_input_is(path) && stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

const char *vrs_source_words(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

enum vrs_status vrs_source_check_again(const char *path, const char *why, struct vrs_error *err)
{
	return vrs_source_reads_once(path) ? vrs_fail(err, VRS_ECONFIG, "%s, and %s can be read only once", why, vrs_source_words(path)) : VRS_OK;
}

enum vrs_status vrs_video_devices_load(struct vrs_error *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); /* stays: FFmpeg keeps pointers into it */
	void (*register_all)(void) = NULL;

	if (library)
		*(void **)&register_all = dlsym(library, "avdevice_register_all");
	const char *cause = register_all ? NULL : dlerror();

	if (cause && !strstr(cause, "No such file")) /* it is there: memory for it (RLIMIT_AS), or its own libraries, are not */
		return vrs_fail(err, VRS_EUNSUPPORTED, "video devices need %s, which cannot be loaded: %s", LIBRARY, cause);
	if (!register_all)
		return vrs_fail(err, VRS_EUNSUPPORTED, "video devices need %s; install the package libavdevice%d", LIBRARY, LIBAVFORMAT_VERSION_MAJOR);
	register_all();
	return VRS_OK;
}

/* How long a stream may say nothing.  Protocols have names of their own for it: "timeout" is one of udp, srt and rtsp. */
static void limit_silence(AVDictionary **options, const char *path)
{
	av_dict_set(options, "rw_timeout", SILENCE_US, 0);
	if (strncasecmp(path, "rtmp", 4) != 0) /* there it is how long to wait for somebody who connects, in place of connecting */
		av_dict_set(options, "timeout", SILENCE_US, 0);
}

/* FFmpeg keeps datagrams that nobody has read yet: what does not fit is lost, which is no end of the stream. */
static void survive_loss(AVDictionary **options, const char *path)
{
	if (strncasecmp(path, "udp:", 4) == 0)
		av_dict_set(options, "overrun_nonfatal", "1", 0);
}

/* HLS asks for segments ahead, again and again where it gets none, and skips one at its turn: both in the same words. */
static void ask_once(AVDictionary **options, const char *path)
{
	if (strncasecmp(path, "http", 4) == 0)
		av_dict_set(options, "http_multiple", "0", 0);
}

static enum vrs_status find_device(const AVInputFormat **ret_format, const char *path, struct vrs_error *err)
{
	enum vrs_status status;

	if (access(path, F_OK) < 0)
		return vrs_fail(err, VRS_ENOTFOUND, "there is no capture device %s", path);
	status = vrs_video_devices_load(err);
	*ret_format = status != VRS_OK ? NULL : av_find_input_format("video4linux2");
	if (status == VRS_OK && !*ret_format)
		status = vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg cannot read capture devices");
	return status;
}

enum vrs_status vrs_live_input_open(AVFormatContext **ret_demuxer, const char *path, struct vrs_error *err)
{
	const AVInputFormat *format = NULL;
	AVDictionary *options = NULL;
	enum vrs_status status = vrs_is_video_device(path) ? find_device(&format, path, err) : VRS_OK;
	int rc;

	if (status != VRS_OK)
		return status;
	(void)avformat_network_init(); /* counts its users itself */
	if (!format) {
		av_dict_set(&options, "protocol_whitelist", PROTOCOLS, 0);
		limit_silence(&options, path);
		survive_loss(&options, path);
		ask_once(&options, path);
	}
	av_dict_set(&options, "analyzeduration", ANALYSE_US, 0);
	rc = vrs_live_watch_open(ret_demuxer, path, format, &options, false);
	/* https and rtsp have other codes for an end of their waits */
	if (rc < 0)
		status = rc == AVERROR_EXIT || vrs_stop_requested() ? vrs_fail(err, VRS_ESTOPPED, "stopped before %s sent anything", path)
			 : rc == AVERROR_PROTOCOL_NOT_FOUND ? vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg does not know the protocol of %s", path)
							    : vrs_av_fail(err, VRS_EIO, rc, "cannot read %s", path);
	vrs_av_capture_end();
	return status;
}

int vrs_live_pipe_open(const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat st;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0 || !S_ISFIFO(st.st_mode))
		return -1;
	/* without O_NONBLOCK: that would not wait for a writer, and read an end */
	int fd = open(standard ? "/proc/self/fd/0" : path, O_RDONLY | O_CLOEXEC | (standard ? O_NONBLOCK : 0));

	/* A read that waits in the kernel would not see the wish to stop; FFmpeg looks for it while a pipe has nothing. */
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* What is there; waits for more where there is nothing, until a stop is wished for. */
static int read_standard_input(void *cookie, uint8_t *buf, int size)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	(void)cookie;
	while (!vrs_stop_requested()) {
		int ready = poll(&in, 1, LOOK_MS);
		ssize_t n = ready > 0 ? read(STDIN_FILENO, buf, (size_t)size) : -1;

		if (n >= 0)
			return n > 0 ? (int)n : AVERROR_EOF;
		if (ready != 0 && errno != EINTR && errno != EAGAIN)
			return AVERROR(errno);
	}
	return AVERROR_EXIT;
}

AVIOContext *vrs_live_bytes_open(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0 || fstat(STDIN_FILENO, &st) != 0 || !(S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode)))
		return NULL;
	uint8_t *buffer = av_malloc(READ_BYTES); /* libc: FFmpeg may replace it */
	AVIOContext *bytes = buffer ? avio_alloc_context(buffer, READ_BYTES, 0, NULL, read_standard_input, NULL, NULL) : NULL;

	if (!bytes)
		av_free(buffer);
	return bytes;
}

void vrs_live_bytes_close(AVIOContext *bytes)
{
	if (bytes)
		av_freep(&bytes->buffer);
	avio_context_free(&bytes);
}
