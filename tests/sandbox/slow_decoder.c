/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded with LD_PRELOAD, a decoder of at most 100 pictures a second on every machine.  tests/cli/vrseg/live_restart.sh, live_one_key.sh. */
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include <libavcodec/avcodec.h>

int avcodec_send_packet(AVCodecContext *context, const AVPacket *packet)
{
	static const struct timespec pause = {.tv_nsec = 10000000};
	int (*real)(AVCodecContext *, const AVPacket *);
	void *symbol = dlsym(RTLD_NEXT, "avcodec_send_packet");

	memcpy(&real, &symbol, sizeof real);
	if (context->codec_type == AVMEDIA_TYPE_VIDEO && packet && packet->size > 0)
		(void)nanosleep(&pause, NULL);
	return real(context, packet);
}
