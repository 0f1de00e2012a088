/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A listing in a child process: the answer comes through one pipe, standard error through another. */
#include "opencl/ocl_device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define GRACE_NS UINT64_C(2000000000) /* core dumps take time too */

struct answer {
	struct vrs_ocl_list list;
	size_t got;            /* bytes of list that came */
	char noise[1024];      /* the last of standard error */
	size_t noise_len;
	bool timed_out;
};

static void __attribute__((noreturn)) run_child(void (*lister)(struct vrs_ocl_list *), int data, int noise)
{
	static struct vrs_ocl_list list; /* the child is a copy: no other user */
	const char *p = (const char *)&list;
	size_t left = sizeof list;
	int null = open("/dev/null", O_RDWR);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* best effort: without it a hanging driver outlives a killed parent */
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	if (null >= 0) {
		(void)dup2(null, STDIN_FILENO);
		(void)dup2(null, STDOUT_FILENO); /* drivers print to it; a program may be writing JSON there */
	}
	(void)dup2(noise, STDERR_FILENO);
	lister(&list);
	while (left > 0) {
		ssize_t n = write(data, p, left);

		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0) {
			p += n;
			left -= (size_t)n;
		}
	}
	_exit(0); /* no exit handlers: drivers' and the parent's copies of them could hang or print */
}

/* Keep the last bytes of what came. */
static void keep_noise(struct answer *answer, const char *text, size_t len)
{
	const size_t room = sizeof answer->noise - 1;

	if (len > room) {
		text += len - room;
		len = room;
	}
	if (answer->noise_len + len > room) {
		size_t drop = answer->noise_len + len - room;

		memmove(answer->noise, answer->noise + drop, answer->noise_len - drop);
		answer->noise_len -= drop;
	}
	memcpy(answer->noise + answer->noise_len, text, len);
	answer->noise_len += len;
	answer->noise[answer->noise_len] = '\0';
}

/* Read once from a ready pipe; false at its end. */
static bool take(int fd, bool is_data, struct answer *answer)
{
	char buf[1024];
	ssize_t n;

	if (is_data)
		n = read(fd, (char *)&answer->list + answer->got, sizeof answer->list - answer->got);
	else
		n = read(fd, buf, sizeof buf);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (is_data)
		answer->got += (size_t)n;
	else
		keep_noise(answer, buf, (size_t)n);
	return n > 0;
}

/* Collect until the answer is complete or its pipe ends, or time is up. */
static void collect(int data, int noise, double timeout_seconds, struct answer *answer)
{
	const uint64_t end = vrs_now_ns() + (uint64_t)(timeout_seconds * 1e9);
	struct pollfd fds[2] = {{.fd = data, .events = POLLIN}, {.fd = noise, .events = POLLIN}};

	while (fds[0].fd >= 0 && answer->got < sizeof answer->list) {
		uint64_t now = vrs_now_ns();
		int ready;

		if (now >= end) {
			answer->timed_out = true;
			return;
		}
		ready = poll(fds, 2, (int)((end - now) / 1000000) + 1);
		if (ready < 0 && errno != EINTR)
			return;
		if (ready <= 0)
			continue;
		/* Standard error first: a crash ends both at once, and its last line is wanted. Negative fds are skipped by poll. */
		if (fds[1].revents && !take(noise, false, answer))
			fds[1].fd = -1;
		if (fds[0].revents && !take(data, true, answer))
			fds[0].fd = -1;
	}
	/* What is in the pipe already; it is set not to block, since a grandchild may hold its other end. */
	while (fds[1].fd >= 0 && poll(&fds[1], 1, 0) == 1 && take(noise, false, answer))
		;
}

/* Last line that is not empty, in place. */
static const char *last_line(char *text, size_t len)
{
	char *start;

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
		text[--len] = '\0';
	start = strrchr(text, '\n');
	start = start ? start + 1 : text;
	for (char *p = start; *p; p++) {
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			*p = '?';
	}
	return start;
}

/* Strings of the answer end, and the count is one: a driver may have written over the child's memory. */
static bool is_sane(struct vrs_ocl_list *list)
{
	if (list->count < 0 || list->count > VRS_MACHINE_MAX_CL || (list->count == 0 && list->reason[0] == '\0'))
		return false;
	list->reason[sizeof list->reason - 1] = '\0';
	for (int i = 0; i < list->count; i++) {
		struct vrs_cl_device *cl = &list->devices[i];

		if (memchr(cl->platform_name, 0, sizeof cl->platform_name) == NULL || memchr(cl->name, 0, sizeof cl->name) == NULL ||
		    memchr(cl->vendor, 0, sizeof cl->vendor) == NULL || memchr(cl->version, 0, sizeof cl->version) == NULL ||
		    memchr(cl->driver, 0, sizeof cl->driver) == NULL || memchr(cl->address, 0, sizeof cl->address) == NULL)
			return false;
	}
	return true;
}

static void conclude(struct answer *answer, int wait_status, double timeout_seconds, struct vrs_ocl_list *ret_list)
{
	const char *noise = last_line(answer->noise, answer->noise_len);
	const char *colon = noise[0] ? ": " : "";

	if (!answer->timed_out && answer->got == sizeof answer->list && is_sane(&answer->list)) {
		*ret_list = answer->list;
		return;
	}
	memset(ret_list, 0, sizeof *ret_list);
	if (answer->timed_out)
		(void)snprintf(ret_list->reason, sizeof ret_list->reason, "an OpenCL driver did not answer within %.3g s%s%.150s", timeout_seconds, colon, noise);
	else if (answer->got == sizeof answer->list) /* before the status, which is our own kill here */
		(void)snprintf(ret_list->reason, sizeof ret_list->reason, "an OpenCL driver damaged the device list");
	else if (WIFSIGNALED(wait_status))
		(void)snprintf(ret_list->reason, sizeof ret_list->reason, "an OpenCL driver crashed while devices were listed (%s)%s%.150s",
			       strsignal(WTERMSIG(wait_status)), colon, noise);
	else
		(void)snprintf(ret_list->reason, sizeof ret_list->reason, "an OpenCL driver ended the listing (exit code %d)%s%.150s",
			       WEXITSTATUS(wait_status), colon, noise);
}

/*
 * End the child and return its wait status.  One that ended its answer early is mostly on its way out: it gets a moment to finish, because a
 * kill that arrives during its exit would replace the status that says why.
 */
static int reap(pid_t pid, bool at_once)
{
	const uint64_t end = vrs_now_ns() + (at_once ? 0 : GRACE_NS);
	int status = 0;

	while (vrs_now_ns() < end) {
		pid_t done = waitpid(pid, &status, WNOHANG);

		if (done == pid)
			return status;
		if (done < 0 && errno != EINTR)
			return 0; /* somebody else took it: the reason then says "ended" */
		vrs_sleep_until_ns(vrs_now_ns() + 1000000);
	}
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void fail(struct vrs_ocl_list *ret_list, const char *what)
{
	memset(ret_list, 0, sizeof *ret_list);
	(void)snprintf(ret_list->reason, sizeof ret_list->reason, "devices could not be listed: %s: %s", what, strerror(errno));
}

void vrs_ocl_list_isolated(void (*lister)(struct vrs_ocl_list *), double timeout_seconds, struct vrs_ocl_list *ret_list)
{
	struct answer answer = {0};
	int data[2], noise[2], wait_status = 0;
	pid_t pid;

	if (pipe2(data, O_CLOEXEC) != 0) {
		fail(ret_list, "pipe");
		return;
	}
	if (pipe2(noise, O_CLOEXEC) != 0) {
		fail(ret_list, "pipe");
		(void)close(data[0]);
		(void)close(data[1]);
		return;
	}
	(void)fcntl(noise[0], F_SETFL, O_NONBLOCK); /* cannot fail on a pipe of ours */
	pid = fork();
	if (pid == 0)
		run_child(lister, data[1], noise[1]);
	(void)close(data[1]);
	(void)close(noise[1]);
	if (pid < 0) {
		fail(ret_list, "fork");
	} else {
		collect(data[0], noise[0], timeout_seconds, &answer);
		wait_status = reap(pid, answer.timed_out || answer.got == sizeof answer.list);
		conclude(&answer, wait_status, timeout_seconds, ret_list);
	}
	(void)close(noise[0]);
	(void)close(data[0]);
}
