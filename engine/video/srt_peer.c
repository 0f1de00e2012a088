/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FFmpeg closes an SRT connection at once, and its option linger waits for what is not sent, not for the latency.  Nor does it tell the latency that
 * both ends agreed on, which may be the receiver's.  libsrt does, to whoever knows the socket: its number lies in FFmpeg's context of the protocol,
 * between the class and the first option.  It is taken when the options say that the context is laid out so, and libsrt knows it as a connection.
 */
#include "video/srt_peer.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include <libavutil/error.h>
#include <libavutil/opt.h>

#include "base/clock.h"
#include "base/stop.h"

#define PEER_LATENCY 44  /* libsrt's SRTO_PEERLATENCY, in ms */
#define CONNECTED 5      /* its SRTS_CONNECTED */
#define LOOK_MS 20       /* between two looks */
#define SILENCE_MS 10000 /* a peer that takes nothing for that long is gone */
#define MARGIN_MS 300    /* for the way there, and a receiver that is kept waiting by its machine */
#define UNKNOWN_MS 500   /* where libsrt cannot be asked: four times the usual latency */

/* What FFmpeg's context begins with. */
struct context {
	const AVClass *class;
	int socket, poll;
};

/* Functions of the libsrt that FFmpeg has loaded. */
struct libsrt {
	int (*state)(int socket);
	int (*option)(int socket, int option, void *ret, int *size);
	int (*unacknowledged)(int socket, size_t *ret_packets, size_t *ret_bytes);
	int socket;
};

static bool load(struct libsrt *srt)
{
	*(void **)&srt->state = dlsym(RTLD_DEFAULT, "srt_getsockstate");
	*(void **)&srt->option = dlsym(RTLD_DEFAULT, "srt_getsockflag");
	*(void **)&srt->unacknowledged = dlsym(RTLD_DEFAULT, "srt_getsndbuffer");
	return srt->state && srt->option && srt->unacknowledged;
}

static bool find_connection(struct libsrt *srt, AVIOContext *bytes)
{
	void *url = av_opt_child_next(bytes, NULL);
	const struct context *context = url ? av_opt_child_next(url, NULL) : NULL;

	if (!context || strcmp(context->class->class_name, "libsrt") != 0 || !context->class->option ||
	    context->class->option[0].offset != (int)sizeof *context || !load(srt))
		return false;
	srt->socket = context->socket;
	return srt->state(srt->socket) == CONNECTED;
}

static void pause_ms(unsigned ms)
{
	vrs_sleep_until_ns(vrs_now_ns() + ms * UINT64_C(1000000));
}

/* Packets come back until the peer has them, so that this ends where it takes any. */
static int await_acknowledged(const struct libsrt *srt)
{
	size_t packets = 0, bytes, before = 0;
	unsigned still_ms = 0;

	for (;; pause_ms(LOOK_MS)) {
		if (srt->state(srt->socket) != CONNECTED || srt->unacknowledged(srt->socket, &packets, &bytes) < 0)
			return AVERROR(EPIPE);
		if (packets == 0)
			return 0;
		still_ms = packets == before ? still_ms + LOOK_MS : 0;
		if (still_ms == 0)
			vrs_stop_moved();
		if (still_ms >= SILENCE_MS)
			return AVERROR(ETIMEDOUT);
		before = packets;
	}
}

/* A peer that leaves meanwhile has what it wants. */
static void await_played(const struct libsrt *srt, unsigned latency_ms)
{
	unsigned most_ms = VRS_STOP_SAVING_MS - 1000;

	for (unsigned ms = 0; ms < latency_ms + MARGIN_MS && srt->state(srt->socket) == CONNECTED; ms += LOOK_MS) {
		if (vrs_stop_requested() && ms >= most_ms)
			return;
		if (!vrs_stop_requested())
			vrs_stop_moved();
		pause_ms(LOOK_MS);
	}
}

static int await_connection(const struct libsrt *srt)
{
	int latency_ms = 0, size = sizeof latency_ms, rc = await_acknowledged(srt);

	if (rc < 0)
		return rc;
	if (srt->option(srt->socket, PEER_LATENCY, &latency_ms, &size) < 0 || latency_ms < 0)
		latency_ms = UNKNOWN_MS;
	await_played(srt, (unsigned)latency_ms);
	return 0;
}

int vrs_srt_await_peer(AVIOContext *bytes)
{
	struct libsrt srt;
	int rc = 0;

	avio_flush(bytes);
	vrs_stop_hold(); /* what waits there is lost otherwise */
	if (find_connection(&srt, bytes))
		rc = await_connection(&srt);
	else
		pause_ms(UNKNOWN_MS);
	vrs_stop_release();
	return rc;
}
