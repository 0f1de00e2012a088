/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a whole command of a case again and again, each time with another call disturbed (fault.c), until a run passes in which nothing was left to
 * disturb.  After each: the output is that of before or of an undisturbed run, an exit code of 0 comes only with the latter, no crash, no hang, no
 * process is left; and the same command, undisturbed, then leaves what it always leaves, and nothing else.
 *
 *   torture BIN_FOLDER FAULT_LIBRARY CASE.sh [CLASS...] [--all | --most N | --sample N | --point N | --count]
 *
 * --sample takes N points by chance, --most no more than N of a class; VRS_TORTURE_SEED repeats a run.  A case (cases/NAME.sh) has functions of
 * the shell: prepare makes the files of before, run is the command, view prints what of the loose files must not change.  TORTURE_KEEP=1 leaves the
 * scratch folder of a failed point.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "torture.h"
#include "tree.h"

#define ORPHAN_SECONDS 5      /* processes that the command has left end by themselves in this time */
#define LIMIT_SECONDS 30      /* a hang: this, and LIMIT_RATIO times as long as an undisturbed run */
#define LIMIT_RATIO 50
#define SAID_BYTES 400        /* of a message that a failure shows */
#define WHY_BYTES (PATH_MAX + 4096)
#define BIT(kind) (1u << T_##kind)

static const char *const kind_names[] = {
#define X(name, text, disk) text,
	TORTURE_KINDS(X)
#undef X
};

#define STICKY 1u   /* the calls after it fail as well */
#define HARMLESS 2u /* the run succeeds all the same */
#define LEAVES 4u   /* hidden files may stay until the next run; who ends with 0 says so */

/* Ways to disturb a run. */
static const struct class {
	const char *name;
	uint32_t kinds;
	int action, error;
	unsigned how;
} classes[] = {
	{"malloc", BIT(MALLOC), T_FAIL, ENOMEM, 0},
	{"mmap", BIT(MMAP), T_FAIL, ENOMEM, 0},
	{"thread", BIT(THREAD), T_FAIL, EAGAIN, 0},
	{"fork", BIT(FORK), T_FAIL, EAGAIN, 0},
	{"open-emfile", BIT(OPEN) | BIT(CREATE), T_FAIL, EMFILE, 0},
	{"open-eio", BIT(OPEN) | BIT(CREATE), T_FAIL, EIO, LEAVES}, /* a folder whose files are to go cannot be read */
	{"create-enospc", BIT(CREATE) | BIT(MKDIR), T_FAIL, ENOSPC, STICKY},
	{"read-eio", BIT(READ), T_FAIL, EIO, 0},
	{"read-eintr", BIT(READ), T_FAIL, EINTR, HARMLESS},
	{"read-short", BIT(READ), T_SHORT, 0, HARMLESS},
	{"write-enospc", BIT(WRITE) | BIT(FLUSH) | BIT(TRUNCATE), T_FAIL, ENOSPC, STICKY},
	{"write-eio", BIT(WRITE) | BIT(FLUSH) | BIT(TRUNCATE), T_FAIL, EIO, 0},
	{"write-eintr", BIT(WRITE), T_FAIL, EINTR, HARMLESS},
	{"write-short", BIT(WRITE), T_SHORT, 0, HARMLESS},
	{"fsync-eio", BIT(FSYNC), T_FAIL, EIO, 0},
	{"rename-eio", BIT(RENAME) | BIT(LINK), T_FAIL, EIO, 0},
	{"unlink-eio", BIT(UNLINK), T_FAIL, EIO, LEAVES},
	{"mkdir-eio", BIT(MKDIR), T_FAIL, EIO, 0},
	{"lock-enolck", BIT(LOCK), T_FAIL, ENOLCK, STICKY},
	{"lock-eintr", BIT(LOCK), T_FAIL, EINTR, HARMLESS},
	{"close-eio", BIT(CLOSE), T_FAIL, EIO, 0},
	{"kill", 0, T_KILL, 0, LEAVES},
	{"torn", BIT(WRITE), T_TORN, 0, LEAVES},
	{"power", 0, T_POWER, 0, 0},
};
#define N_CLASSES ((int)(sizeof classes / sizeof classes[0]))

static char base[PATH_MAX], work[PATH_MAX + 16], old[PATH_MAX + 16], want[PATH_MAX + 16], disk[PATH_MAX + 16], crashed[PATH_MAX + 16];
static const char *case_file, *case_name, *fault_library, *bin;
static struct torture_state *state;
static struct tree_rules rules;
static char wanted_view[4096];
static double usual_seconds;
static int failures, points;

static void stop(const char *what)
{
	fprintf(stderr, "torture: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void shell(const char *command)
{
	if (system(command) != 0) {
		fprintf(stderr, "torture: failed: %s\n", command);
		exit(2);
	}
}

static void in_shell(const char *format, const char *a, const char *b, const char *c)
{
	char command[4 * PATH_MAX];

	snprintf(command, sizeof command, format, a, b, c);
	shell(command);
}

/* A child in the case's folder that runs a function of the case; its messages go to base/NAME. */
static pid_t start(const char *function, const char *folder, const char *messages, bool disturbed)
{
	char path[PATH_MAX + 32], script[2 * PATH_MAX + 64];
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	snprintf(path, sizeof path, "%s/%s", base, messages);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), null = open("/dev/null", O_RDWR);

	if (fd < 0 || null < 0 || chdir(folder) < 0)
		_exit(99);
	dup2(null, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	close(fd);
	close(null);
	setsid();
	if (disturbed)
		setenv("LD_PRELOAD", fault_library, 1);
	snprintf(script, sizeof script, ". '" VRS_TEST_DIR "/torture/common.sh'; . '%s'; %s", case_file, function);
	execl("/bin/sh", "sh", "-euc", script, (char *)NULL);
	_exit(99);
}

/* Children of ours that are alive, also those that a program has left to us. */
static int kill_children(void)
{
	char path[64];
	int pid, n = 0;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	FILE *file = fopen(path, "r");

	while (file && fscanf(file, "%d", &pid) == 1) {
		kill(pid, SIGKILL);
		n++;
	}
	if (file)
		fclose(file);
	return n;
}

/* Waits for one child, or for all of them (pid -1); false when the time is over. */
static bool reap(pid_t pid, double until, int *ret_status)
{
	int status;

	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended < 0 && errno == ECHILD)
			return true;
		if (ended > 0 && ret_status && ended == pid)
			*ret_status = status;
		if (ended > 0 && pid > 0)
			return true;
		if (ended == 0 && now() > until)
			return false;
		if (ended == 0)
			poll(NULL, 0, 2);
	}
}

struct outcome {
	int code;   /* exit code */
	int signal; /* that ended it, 0: none */
	bool hung, left_process;
};

static struct outcome run(const char *messages, bool disturbed)
{
	struct outcome out = {0};
	int status = 0;
	pid_t pid = start("run", work, messages, disturbed);

	out.hung = !reap(pid, now() + LIMIT_SECONDS + LIMIT_RATIO * usual_seconds, &status);
	while (out.hung && kill_children() > 0)
		reap(-1, now() + 0.1, NULL);
	if (!out.hung)
		out.left_process = !reap(-1, now() + ORPHAN_SECONDS, NULL);
	while (kill_children() > 0)
		reap(-1, now() + 0.1, NULL);
	out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return out;
}

static void read_text(const char *name, char *text, size_t size)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof path, "%s/%s", base, name);
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(text, 1, size - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
}

static void view(char text[4096])
{
	pid_t pid = start("view", work, "view", false);

	reap(pid, now() + LIMIT_SECONDS, NULL);
	read_text("view", text, 4096);
}

static void fresh(bool with_disk)
{
	in_shell("cd '%s' && rm -rf work disk crashed && cp -a '%s' '%s'", base, old, work);
	memset(state, 0, sizeof *state);
	snprintf(state->bin, sizeof state->bin, "%s", bin);
	snprintf(state->dir, sizeof state->dir, "%.*s", PATH_MAX - 1, work);
	if (with_disk) {
		snprintf(state->disk, sizeof state->disk, "%.*s", PATH_MAX - 1, disk);
		tree_disk_begin(work, disk);
	}
}

static void show_callers(void)
{
	char command[2 * PATH_MAX];
	int len = snprintf(command, sizeof command, "addr2line -fsp -e '%s/%s'", bin, state->program);

	for (int i = 0; i < TORTURE_FRAMES && state->where[i]; i++)
		len += snprintf(command + len, sizeof command - (size_t)len, " %lx", state->where[i] - 1);
	fflush(stdout);
	if (state->fired && state->where[0] && system(command) != 0)
		printf("%s\n", command);
}

static void fail(const struct class *class, long at, const char *phase, const char *what, const char *messages)
{
	char text[4096];

	read_text(messages, text, sizeof text);
	size_t len = strlen(text);
	const char *end = text + (len > SAID_BYTES ? len - SAID_BYTES : 0);

	failures++;
	printf("FAILED: %s %s --point %ld (%s)%s: %s\n", case_name, class->name, at, state->fired ? kind_names[state->fired - 1] : "none", phase, what);
	printf("  said: %s\n", end[0] ? end : "nothing");
	show_callers();
	fflush(stdout);
	if (getenv("TORTURE_KEEP")) {
		printf("  kept: %s\n", base);
		exit(1);
	}
}

static bool is_complete(bool leaves, char *why, size_t size)
{
	struct tree_rules of = rules;
	char text[4096];

	if (leaves)
		strcat(of.loose, " .* */.*");
	if (!tree_equals(work, want, &of, why, size))
		return false;
	if (leaves) /* views tell hidden files as well */
		return true;
	view(text);
	if (strcmp(text, wanted_view) == 0)
		return true;
	snprintf(why, size, "its view differs: %s", text);
	return false;
}

static bool tells_what_stays(char *why, size_t size)
{
	char text[4096];

	read_text("said", text, sizeof text);
	return strstr(text, "needed no more") || tree_equals(work, want, &rules, why, size);
}

/* What the disturbed run itself must have kept to; NULL when it has. */
static const char *judge(const struct class *class, const struct outcome *out, char *why, size_t size)
{
	char text[64];
	bool killed = class->action == T_KILL || class->action == T_TORN || class->action == T_POWER;

	if (out->hung)
		return "hangs";
	if (out->left_process)
		return "leaves a process";
	if (out->signal != 0 && !(killed && out->signal == SIGKILL)) {
		snprintf(why, size, "ends by signal %d", out->signal);
		return why;
	}
	if ((class->how & HARMLESS) != 0 && out->code != 0) {
		snprintf(why, size, "ends with %d", out->code);
		return why;
	}
	if (out->code == 0 && !is_complete((class->how & LEAVES) != 0, why, size))
		return why;
	if (out->code == 0 && (class->how & LEAVES) != 0)
		return tells_what_stays(why, size) ? NULL : "leaves files and does not say so";
	if (out->code == 0)
		return NULL;
	read_text("said", text, sizeof text);
	if (out->signal == 0 && !text[0])
		return "fails without a message";
	if (class->action == T_POWER)
		return NULL;
	return tree_is_old_or_new(work, old, want, &rules, why, size) ? NULL : why;
}

/* The next run, undisturbed, does the whole job. */
static void recover(const struct class *class, long at, const char *phase)
{
	char why[WHY_BYTES];

	tree_age(work);
	struct outcome out = run("again", false);

	if (out.hung || out.signal != 0 || out.code != 0) {
		const char *how = out.hung ? "hangs" : out.signal ? "ends by signal" : "ends with";

		snprintf(why, sizeof why, "the next run %s %d", how, out.signal ? out.signal : out.code);
		fail(class, at, phase, why, "again");
		return;
	}
	if (!is_complete(false, why, sizeof why))
		fail(class, at, phase[0] ? phase : ", after the next run", why, "again");
}

static void recover_from_loss(const struct class *class, long at)
{
	static const char *const names[TREE_LOSSES] = {", all lost", ", content lost", ", names lost", ", content torn"};

	if (rename(work, crashed) < 0)
		stop("rename");
	for (int loss = 0; loss < TREE_LOSSES; loss++) {
		in_shell("rm -rf '%s'", work, "", "");
		tree_after_loss(crashed, disk, (enum tree_loss)loss, work);
		recover(class, at, names[loss]);
	}
}

/* False when no call was left to disturb. */
static bool point(const struct class *class, long at)
{
	char why[WHY_BYTES];

	fresh(class->action == T_POWER);
	state->kinds = class->kinds ? class->kinds : torture_disk;
	state->action = class->action;
	state->error = class->error;
	state->sticky = (class->how & STICKY) != 0;
	state->at = at;
	struct outcome out = run("said", true);

	if (state->fired == 0)
		return false;
	points++;
	const char *wrong = judge(class, &out, why, sizeof why);

	if (wrong) {
		fail(class, at, "", wrong, "said");
	} else if (class->action == T_POWER) {
		recover_from_loss(class, at);
	} else {
		recover(class, at, "");
	}
	return true;
}

static void read_rule(const char *name, char *value, size_t size)
{
	char function[64];

	snprintf(function, sizeof function, "printf %%s \"${%s-}\"", name);
	reap(start(function, old, "rule", false), now() + LIMIT_SECONDS, NULL);
	read_text("rule", value, size);
}

static void set_folder(const char *name, const char *folder)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof path, "%s/%s", work, folder);
	setenv(name, path, 1);
}

/* As tests/cli/run.sh has it; caches and the like are below the watched folder. */
static void set_environment(void)
{
	char path[3 * PATH_MAX];

	snprintf(path, sizeof path, "%s:%s", bin, getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("LC_ALL", "C", 1);
	setenv("VRS_DATA", VRS_TEST_DIR "/data", 1);
	set_folder("HOME", ".home");
	set_folder("XDG_CACHE_HOME", ".cache");
	set_folder("XDG_DATA_HOME", ".data");
	set_folder("XDG_STATE_HOME", ".state");
}

static void prepare(const char *scratch)
{
	char path[PATH_MAX + 32];

	snprintf(base, sizeof base, "%s/vrs-torture-XXXXXX", scratch);
	if (!mkdtemp(base))
		stop(base);
	snprintf(work, sizeof work, "%s/work", base);
	snprintf(old, sizeof old, "%s/old", base);
	snprintf(want, sizeof want, "%s/want", base);
	snprintf(disk, sizeof disk, "%s/disk", base);
	snprintf(crashed, sizeof crashed, "%s/crashed", base);
	snprintf(path, sizeof path, "%s/state", base);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof *state) < 0)
		stop(path);
	state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (state == MAP_FAILED)
		stop("mmap");
	setenv(TORTURE_ENV, path, 1);
	set_environment();
	mkdir(work, 0777);
	int status = 0;

	reap(start("prepare", work, "said", false), now() + 10 * LIMIT_SECONDS, &status);
	if (status != 0) {
		read_text("said", path, sizeof path);
		fprintf(stderr, "torture: %s: prepare failed: %s\n", case_name, path);
		exit(2);
	}
	if (rename(work, old) < 0)
		stop("rename");
	read_rule("loose", rules.loose, sizeof rules.loose);
	read_rule("optional", rules.optional, sizeof rules.optional);
	read_rule("streams", rules.streams, sizeof rules.streams);
}

/* An undisturbed run, with and without the layer, is the measure of all others. */
static void measure(void)
{
	char why[WHY_BYTES], text[4096];

	for (int i = 0; i < 2; i++) {
		fresh(false);
		double begun = now();
		struct outcome out = run("said", i == 1);

		usual_seconds = now() - begun;
		if (out.hung || out.code != 0 || out.left_process || (i == 1 && !tree_equals(work, want, &rules, why, sizeof why))) {
			read_text("said", text, sizeof text);
			fprintf(stderr, "torture: %s: an undisturbed run %s (%d): %s\n", case_name, i == 1 ? why : "fails", out.code, text);
			exit(2);
		}
		view(i == 0 ? wanted_view : text);
		if (i == 0 && rename(work, want) < 0)
			stop("rename");
	}
	if (strcmp(text, wanted_view) != 0) {
		fprintf(stderr, "torture: %s: two undisturbed runs differ in their view\n%s%s", case_name, wanted_view, text);
		exit(2);
	}
}

static long calls_of(const struct class *class, const long totals[T_KINDS])
{
	uint32_t kinds = class->kinds ? class->kinds : torture_disk;
	long n = 0;

	for (int kind = 0; kind < T_KINDS; kind++)
		n += (kinds >> kind & 1) != 0 ? totals[kind] : 0;
	return n;
}

/* What the command line asks for. */
struct request {
	bool chosen[N_CLASSES];
	bool count;
	long sample, only; /* 0: not asked for */
	long most;         /* points of a class that --all takes; more are a sample */
};

static void try_class(const struct class *class, long calls, long most)
{
	if (most > 0 && calls > most) {
		for (long i = 0; i < most; i++)
			point(class, 1 + random() % calls);
		return;
	}
	for (long at = 1; point(class, at) || at < calls; at++)
		;
}

static void try_some(const struct request *request, const long totals[T_KINDS])
{
	int candidates[N_CLASSES], n = 0;

	for (int i = 0; i < N_CLASSES; i++) {
		if (request->chosen[i] && calls_of(&classes[i], totals) > 0)
			candidates[n++] = i;
	}
	for (long i = 0; i < request->sample && n > 0; i++) {
		const struct class *class = &classes[candidates[random() % n]];

		point(class, 1 + random() % calls_of(class, totals));
	}
}

static void try_request(const struct request *request)
{
	long totals[T_KINDS];

	for (int kind = 0; kind < T_KINDS; kind++)
		totals[kind] = state->total[kind];
	for (int kind = 0; kind < T_KINDS && request->count; kind++)
		printf("%s%ld %s%s", kind ? ", " : "", totals[kind], kind_names[kind], kind + 1 < T_KINDS ? "" : "\n");
	if (request->sample)
		try_some(request, totals);
	for (int i = 0; i < N_CLASSES && !request->count && !request->sample; i++) {
		if (request->chosen[i] && request->only)
			point(&classes[i], request->only);
		else if (request->chosen[i])
			try_class(&classes[i], calls_of(&classes[i], totals), request->most);
	}
}

static void usage(void)
{
	fprintf(stderr, "usage: torture BIN_FOLDER FAULT_LIBRARY CASE.sh [CLASS...] [--all | --most N | --sample N | --point N | --count]\nclasses:");
	for (int i = 0; i < N_CLASSES; i++)
		fprintf(stderr, " %s", classes[i].name);
	fprintf(stderr, "\n");
	exit(2);
}

static bool choose(const char *name, bool chosen[N_CLASSES])
{
	for (int i = 0; i < N_CLASSES; i++) {
		if (strcmp(classes[i].name, name) == 0)
			return chosen[i] = true;
	}
	return false;
}

static void parse(int argc, char **argv, struct request *request)
{
	bool any = false;

	for (int i = 0; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (strcmp(argv[i], "--count") == 0) {
			request->count = true;
		} else if (strcmp(argv[i], "--sample") == 0 && value) {
			request->sample = atol(argv[++i]);
		} else if (strcmp(argv[i], "--most") == 0 && value) {
			request->most = atol(argv[++i]);
		} else if (strcmp(argv[i], "--point") == 0 && value) {
			request->only = atol(argv[++i]);
		} else if (choose(argv[i], request->chosen)) {
			any = true;
		} else if (strcmp(argv[i], "--all") != 0) {
			usage();
		}
	}
	for (int i = 0; i < N_CLASSES && !any; i++)
		request->chosen[i] = true;
}

int main(int argc, char **argv)
{
	struct request request = {0};
	const char *given = getenv("VRS_TORTURE_SEED"), *scratch = getenv("TMPDIR");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL) ^ (unsigned)getpid();

	if (argc < 4)
		usage();
	bin = realpath(argv[1], NULL);
	fault_library = realpath(argv[2], NULL);
	case_file = realpath(argv[3], NULL);
	if (!bin || !fault_library || !case_file)
		stop(argv[3]);
	case_name = strrchr(case_file, '/') + 1;
	parse(argc - 4, argv + 4, &request);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	srandom(seed);
	printf("%s: VRS_TORTURE_SEED=%u\n", case_name, seed);
	prepare(scratch ? scratch : "/tmp");
	measure();
	try_request(&request);
	printf("%s: %d points, %d failures; an undisturbed run takes %.0f ms\n", case_name, points, failures, usual_seconds * 1e3);
	in_shell("rm -rf '%s'", base, "", "");
	return failures > 0;
}
