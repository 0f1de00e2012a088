/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded with LD_PRELOAD, an encoder that has no memory for its first packet.  tests/cli/vrseg/another_try.sh. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include <libavcodec/avcodec.h>

int avcodec_receive_packet(AVCodecContext *context, AVPacket *packet)
{
	static atomic_flag failed = ATOMIC_FLAG_INIT;
	int (*real)(AVCodecContext *, AVPacket *);
	void *symbol = dlsym(RTLD_NEXT, "avcodec_receive_packet");

	memcpy(&real, &symbol, sizeof real);
	if (context->codec_type == AVMEDIA_TYPE_VIDEO && !atomic_flag_test_and_set(&failed))
		return AVERROR(ENOMEM);
	return real(context, packet);
}
