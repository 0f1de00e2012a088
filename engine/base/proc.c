/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Child processes.  The child leads its own process group, so that a time-out or a stop reaches everything it started; what is left of the
 * group when it ends is killed.  It dies with the parent (PR_SET_PDEATHSIG).  Between fork and exec only async-signal-safe calls are made.
 */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"

#define GRACE_SECONDS 2.0   /* between SIGTERM and SIGKILL */
#define TICK_MS 50          /* how often the stop flag is looked at */
#define TICK_NO_PIDFD_MS 2  /* kernels before 5.3: the child's end is polled */
#define OWN_RSS_SLACK (4 << 20) /* bytes; ours may have grown between the reading and the fork */
#define READ_BLOCK 65536
#define DRAIN_ROUNDS 32     /* x READ_BLOCK: twice the largest default pipe (1 MiB) */

enum { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_EXEC, PIPE_COUNT };

struct child {
	const struct vrs_proc_options *options;
	struct vrs_proc_result *result;
	pid_t pid;
	int pidfd;                  /* -1: not supported */
	int pipes[PIPE_COUNT][2];   /* -1: closed or not used */
	size_t stdin_done;
	uint64_t start_ns, kill_ns; /* kill_ns: when SIGKILL follows; 0: no SIGTERM sent yet */
	bool killed;
	bool gone;                  /* SIGCHLD is ignored: it ended, nobody knows how, and its number may be another's */
	uint64_t own_rss_bytes;     /* of this process at the fork */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pipes(struct child *child)
{
	for (int i = 0; i < PIPE_COUNT; i++) {
		close_fd(&child->pipes[i][0]);
		close_fd(&child->pipes[i][1]);
	}
}

static enum vrs_status open_pipes(struct child *child, struct vrs_error *err)
{
	bool wanted[PIPE_COUNT] = {child->options->stdin_text != NULL, true, !child->options->stderr_through, true};

	for (int i = 0; i < PIPE_COUNT; i++)
		child->pipes[i][0] = child->pipes[i][1] = -1;
	for (int i = 0; i < PIPE_COUNT; i++) {
		if (wanted[i] && pipe2(child->pipes[i], O_CLOEXEC) < 0) {
			int cause = errno;

			close_pipes(child);
			return vrs_fail(err, VRS_EIO, "cannot start %s: %s", child->options->argv[0], strerror(cause));
		}
	}
	return VRS_OK;
}

/* The environment plus options->env, whose entries win; the array is ours, the strings are not. NULL: out of memory. */
static char **make_env(const char *const *extra)
{
	size_t n = 0, own = 0, added = 0;

	while (environ && environ[n])
		n++;
	while (extra && extra[added])
		added++;
	char **env = vrs_calloc(n + added + 1, sizeof *env);

	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		bool replaced = false;
		size_t name = strcspn(environ[i], "=") + 1;

		for (size_t k = 0; k < added; k++)
			replaced = replaced || strncmp(environ[i], extra[k], name) == 0;
		if (!replaced)
			env[own++] = environ[i];
	}
	for (size_t k = 0; k < added; k++)
		memcpy(&env[own++], &extra[k], sizeof *env); /* execvpe takes char *const: it does not write */
	return env;
}

static bool move_fd(int from, int to)
{
	return from >= 0 && dup2(from, to) >= 0;
}

static void reset_signals(void)
{
	static const int changed[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD};
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
		sigaction(changed[i], &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: set up and exec; on failure the cause goes through the exec pipe. */
static _Noreturn void become(struct child *child, char *const *argv, char *const *env, pid_t parent)
{
	const struct vrs_proc_options *options = child->options;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), cause;
	bool ready = null >= 0;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	reset_signals();
	ready = ready && move_fd(options->stdin_text ? child->pipes[PIPE_IN][0] : null, STDIN_FILENO);
	ready = ready && move_fd(child->pipes[PIPE_OUT][1], STDOUT_FILENO);
	ready = ready && (options->stderr_through || move_fd(child->pipes[PIPE_ERR][1], STDERR_FILENO));
	if (ready && options->memory_limit_bytes) {
		struct rlimit limit = {options->memory_limit_bytes, options->memory_limit_bytes};

		ready = setrlimit(RLIMIT_DATA, &limit) == 0;
	}
	if (ready)
		execvpe(argv[0], argv, env);
	cause = errno;
	if (write(child->pipes[PIPE_EXEC][1], &cause, sizeof cause) < 0)
		_exit(126);
	_exit(127);
}

/* The exec pipe closes without a byte when exec worked. */
static enum vrs_status wait_for_exec(struct child *child, struct vrs_error *err)
{
	int cause = 0;
	ssize_t n = TEMP_FAILURE_RETRY(read(child->pipes[PIPE_EXEC][0], &cause, sizeof cause));

	close_fd(&child->pipes[PIPE_EXEC][0]);
	if (n <= 0)
		return VRS_OK;
	(void)TEMP_FAILURE_RETRY(waitpid(child->pid, NULL, 0));
	return vrs_fail(err, cause == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot start %s: %s", child->options->argv[0],
			cause == ENOENT ? "there is no such program" : strerror(cause));
}

static enum vrs_status start(struct child *child, struct vrs_error *err)
{
	char **env = make_env(child->options->env);
	char *const *argv;
	pid_t parent = getpid();

	if (!env)
		return vrs_fail_nomem(err);
	memcpy(&argv, &child->options->argv, sizeof argv);
	child->start_ns = vrs_now_ns();
	child->own_rss_bytes = vrs_rss_bytes();
	child->pid = fork();
	if (child->pid == 0)
		become(child, argv, env, parent);
	int cause = errno;

	vrs_free(env);
	if (child->pid < 0)
		return vrs_fail(err, VRS_EIO, "cannot start %s: %s", child->options->argv[0], strerror(cause));
	setpgid(child->pid, child->pid); /* in both, whoever comes first; fails harmlessly after exec */
	close_fd(&child->pipes[PIPE_IN][0]);
	close_fd(&child->pipes[PIPE_OUT][1]);
	close_fd(&child->pipes[PIPE_ERR][1]);
	close_fd(&child->pipes[PIPE_EXEC][1]);
	return wait_for_exec(child, err);
}

/* Keep up to the limit; the rest is read and dropped, so that the child never blocks. False: end of the stream. */
static bool take_output(int fd, struct vrs_buf *buf, bool *ret_no_memory)
{
	char block[READ_BLOCK];
	ssize_t n = read(fd, block, sizeof block);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	size_t room = buf->max - buf->len, kept = (size_t)n < room ? (size_t)n : room;

	if (kept && vrs_buf_append(buf, block, kept) == VRS_ENOMEM)
		*ret_no_memory = true;
	return n > 0;
}

static void give_input(struct child *child)
{
	const char *text = child->options->stdin_text + child->stdin_done;
	size_t left = strlen(text);
	ssize_t n = left ? write(child->pipes[PIPE_IN][1], text, left) : 0;

	if (n > 0)
		child->stdin_done += (size_t)n;
	/* Done, or the child closed its end: not our business. */
	if ((n >= 0 && (size_t)n == left) || (n < 0 && errno != EINTR && errno != EAGAIN))
		close_fd(&child->pipes[PIPE_IN][1]);
}

/* One poll round over the pipes; at most timeout_ms. */
static void exchange(struct child *child, int timeout_ms, bool *ret_no_memory)
{
	struct pollfd fds[4] = {
		{.fd = child->pipes[PIPE_OUT][0], .events = POLLIN},
		{.fd = child->pipes[PIPE_ERR][0], .events = POLLIN},
		{.fd = child->pipes[PIPE_IN][1], .events = POLLOUT},
		{.fd = child->pidfd, .events = POLLIN},
	};

	if (poll(fds, 4, timeout_ms) <= 0)
		return;
	if (fds[0].revents && !take_output(child->pipes[PIPE_OUT][0], &child->result->out, ret_no_memory))
		close_fd(&child->pipes[PIPE_OUT][0]);
	if (fds[1].revents && !take_output(child->pipes[PIPE_ERR][0], &child->result->err, ret_no_memory))
		close_fd(&child->pipes[PIPE_ERR][0]);
	if (fds[2].revents)
		give_input(child);
}

static bool has_ended(struct child *child)
{
	siginfo_t info = {0};

	/* WNOWAIT: the process id stays ours until the group has been cleared. */
	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
		return info.si_pid == child->pid;
	child->gone = errno == ECHILD;
	return child->gone;
}

static void enforce(struct child *child)
{
	uint64_t now = vrs_now_ns();
	double limit = child->options->timeout_seconds;

	if (child->kill_ns == 0) {
		bool late = limit > 0 && (double)(now - child->start_ns) > limit * 1e9;

		if (!late && !vrs_stop_requested())
			return;
		child->result->timed_out = late;
		child->result->stopped = !late;
		double grace = child->options->grace_seconds > 0 ? child->options->grace_seconds : GRACE_SECONDS;
		child->kill_ns = now + (uint64_t)(grace * 1e9);
		kill(-child->pid, SIGTERM);
		kill(-child->pid, SIGCONT);
	} else if (now >= child->kill_ns && !child->killed) {
		child->killed = true;
		kill(-child->pid, SIGKILL);
	}
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void reap(struct child *child)
{
	struct vrs_proc_result *result = child->result;
	struct rusage usage = {0};
	int status = 0;

	result->wall_seconds = (double)(vrs_now_ns() - child->start_ns) * 1e-9;
	if (child->gone)
		return; /* exit_code -1 */
	kill(-child->pid, SIGKILL);
	if (TEMP_FAILURE_RETRY(wait4(child->pid, &status, 0, &usage)) != child->pid)
		return;
	result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->user_seconds = seconds_of(usage.ru_utime);
	result->system_seconds = seconds_of(usage.ru_stime);
	/* a child's figure begins with what we held when it was forked: a smaller one is not the child's */
	uint64_t max_rss = (uint64_t)usage.ru_maxrss * 1024;
	result->max_rss_bytes = max_rss > child->own_rss_bytes + OWN_RSS_SLACK ? max_rss : 0;
	result->voluntary_switches = usage.ru_nvcsw;
	result->involuntary_switches = usage.ru_nivcsw;
	result->minor_faults = usage.ru_minflt;
	result->major_faults = usage.ru_majflt;
}

static void set_nonblocking(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* After the end: what is still in the pipes; a grandchild that escaped the group cannot hold us up. */
static void drain(struct child *child, bool *ret_no_memory)
{
	for (int i = PIPE_OUT; i <= PIPE_ERR; i++) {
		struct vrs_buf *buf = i == PIPE_OUT ? &child->result->out : &child->result->err;
		struct pollfd ready = {.fd = child->pipes[i][0], .events = POLLIN};

		for (int round = 0; round < DRAIN_ROUNDS && ready.fd >= 0 && poll(&ready, 1, 0) > 0; round++)
			if (!take_output(ready.fd, buf, ret_no_memory))
				break;
	}
}

static void supervise(struct child *child, bool *ret_no_memory)
{
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	set_nonblocking(child->pipes[PIPE_OUT][0]);
	set_nonblocking(child->pipes[PIPE_ERR][0]);
	set_nonblocking(child->pipes[PIPE_IN][1]);
	while (!has_ended(child)) {
		exchange(child, child->pidfd >= 0 ? TICK_MS : TICK_NO_PIDFD_MS, ret_no_memory);
		enforce(child);
		if (child->kill_ns && !child->killed)
			vrs_stop_moved(); /* for as long as its grace lasts */
		if (child->options->on_tick)
			child->options->on_tick(child->options->cookie);
	}
	reap(child);
	drain(child, ret_no_memory);
	close_fd(&child->pidfd);
}

enum vrs_status vrs_proc_run(const struct vrs_proc_options *options, struct vrs_proc_result *ret_result, struct vrs_error *err)
{
	struct vrs_proc_result result = {.exit_code = -1};
	struct child child = {.options = options, .result = &result, .pidfd = -1};
	bool no_memory = false;

	if (!options->argv || !options->argv[0] || !(options->timeout_seconds >= 0))
		return vrs_fail(err, VRS_EINVAL, "a program and a time-out of 0 or more are needed to start a child process");
	vrs_buf_init(&result.out, options->output_max);
	vrs_buf_init(&result.err, options->output_max);
	enum vrs_status status = open_pipes(&child, err);

	if (status == VRS_OK)
		status = start(&child, err);
	if (status == VRS_OK)
		supervise(&child, &no_memory);
	close_pipes(&child);
	if (status == VRS_OK && no_memory)
		status = vrs_fail_nomem(err);
	if (status == VRS_OK)
		*ret_result = result;
	else
		vrs_proc_result_fini(&result);
	return status;
}

void vrs_proc_result_fini(struct vrs_proc_result *result)
{
	vrs_buf_fini(&result->out);
	vrs_buf_fini(&result->err);
}
