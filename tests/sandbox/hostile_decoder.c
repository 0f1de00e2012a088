/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded with LD_PRELOAD, this is what a decoder becomes that a stranger's file has taken over: at its first packet it opens files, a socket and a
 * program, and tells on standard error what came of it; then it decodes.  tests/cli/vrseg/sandbox.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libavcodec/avcodec.h>

static void tell(const char *what, bool done)
{
	dprintf(STDERR_FILENO, "hostile decoder: %s: %s\n", what, done ? "done" : strerror(errno));
}

static void attack(void)
{
	const char *secret = getenv("HOSTILE_SECRET"), *new_file = getenv("HOSTILE_NEW");
	char *const argv[] = {(char *)(uintptr_t) "true", NULL}, *const none[] = {NULL};
	pid_t child;

	tell("read a file", open(secret, O_RDONLY) >= 0);
	tell("write a file", open(secret, O_WRONLY | O_APPEND) >= 0);
	tell("make a file", open(new_file, O_WRONLY | O_CREAT, 0600) >= 0);
	tell("remove a file", unlink(secret) == 0);
	tell("change a mode", chmod(getenv("HOSTILE_MODE"), 0640) == 0);
	tell("open a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
	tell("open a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
	errno = posix_spawn(&child, "/bin/true", NULL, NULL, argv, none);
	tell("start a program", errno == 0);
	if (errno == 0)
		waitpid(child, NULL, 0);
	tell("make memory executable", mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	tell("signal another process", kill(getppid(), 0) == 0);
}

int avcodec_send_packet(AVCodecContext *context, const AVPacket *packet)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int (*real)(AVCodecContext *, const AVPacket *);
	void *symbol = dlsym(RTLD_NEXT, "avcodec_send_packet");

	memcpy(&real, &symbol, sizeof real);
	if (context->codec_type == AVMEDIA_TYPE_VIDEO)
		pthread_once(&once, attack);
	return real(context, packet);
}
