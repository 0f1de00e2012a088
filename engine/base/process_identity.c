/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/process_identity.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* State and start time of a process (fields 3 and 22 of its line; the name before them may hold blanks and brackets); false: not known. */
static bool read_stat(int64_t pid, char *ret_state, uint64_t *ret_start)
{
	char path[64], line[1024];

	(void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
	FILE *in = fopen(path, "re");

	if (!in)
		return false;
	size_t length = fread(line, 1, sizeof line - 1, in);

	(void)fclose(in);
	line[length] = '\0';
	const char *behind = strrchr(line, ')');

	return behind && sscanf(behind + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64, ret_state,
				ret_start) == 2;
}

/* A /proc of another PID namespace has other processes under our numbers. */
static bool proc_is_ours(void)
{
	char link[32], number[32];
	ssize_t length = readlink("/proc/self", link, sizeof link - 1);

	(void)snprintf(number, sizeof number, "%d", (int)getpid());
	return length == (ssize_t)strlen(number) && memcmp(link, number, (size_t)length) == 0;
}

static char boot_id[sizeof ((struct vrs_process_identity *)0)->boot];
static pthread_once_t boot_once = PTHREAD_ONCE_INIT;

static void read_boot(void)
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!in || !fgets(boot_id, sizeof boot_id, in))
		boot_id[0] = '\0';
	boot_id[strcspn(boot_id, "\n")] = '\0';
	if (in)
		(void)fclose(in);
}

void vrs_process_identity_own(struct vrs_process_identity *ret)
{
	struct stat st;
	char state;

	*ret = (struct vrs_process_identity){.pid = getpid()};
	if (gethostname(ret->host, sizeof ret->host - 1) != 0)
		ret->host[0] = '\0';
	(void)pthread_once(&boot_once, read_boot); /* cannot fail with a valid once object */
	memcpy(ret->boot, boot_id, sizeof ret->boot);
	if (stat("/proc/self/ns/pid", &st) == 0)
		ret->pid_namespace = st.st_ino;
	if (!proc_is_ours() || !read_stat(ret->pid, &state, &ret->start))
		ret->start = 0;
}

bool vrs_process_same_kernel(const struct vrs_process_identity *a, const struct vrs_process_identity *b)
{
	return a->boot[0] && strcmp(a->boot, b->boot) == 0;
}

enum vrs_presence vrs_process_presence(const struct vrs_process_identity *process)
{
	struct vrs_process_identity own;
	uint64_t start;
	char state;

	vrs_process_identity_own(&own);
	if (!vrs_process_same_kernel(process, &own) || process->pid_namespace == 0 || process->pid_namespace != own.pid_namespace || process->pid < 1)
		return VRS_PRESENCE_UNKNOWN;
	if (kill((pid_t)process->pid, 0) != 0 && errno == ESRCH)
		return VRS_PRESENCE_GONE;
	if (process->start == 0 || own.start == 0 || !read_stat(process->pid, &state, &start))
		return VRS_PRESENCE_ALIVE;
	return start == process->start && state != 'Z' && state != 'X' ? VRS_PRESENCE_ALIVE : VRS_PRESENCE_GONE;
}
