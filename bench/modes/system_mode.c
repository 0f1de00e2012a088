/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vrseg/options.h>
#include <vrseg/system_settings.h>

#include "base/file.h"
#include "bench/modes/bench_program.h"

static const char usage[] = "vrbench system show | tune [governor] [turbo] [irq] [aslr] [-- COMMAND...] | reset";

bool vrs_system_mode_requested(int argc, char **argv)
{
	return argc >= 2 && strcmp(argv[1], "system") == 0;
}

static enum vrs_status state_file(char path[VRS_PATH_MAX], struct vrs_error *err)
{
	char cache[VRS_PATH_MAX];
	enum vrs_status status = vrs_cache_dir(cache, sizeof cache, err);
	return status == VRS_OK ? vrs_path_join(path, VRS_PATH_MAX, cache, "system-before-tuning.json") : status;
}

static volatile sig_atomic_t running_child;

static void pass_on(int number)
{
	if (running_child > 0)
		kill((pid_t)running_child, number);
}

/* The command keeps the terminal; a signal that would end us goes to it, and we stay to put things back. */
static enum vrs_status run_command(char *const *argv, int *ret_exit, struct vrs_error *err)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction before[3], action = {.sa_handler = pass_on};
	int status = 0;
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &action, &before[i]);
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			sigaction(numbers[i], &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	running_child = pid > 0 ? pid : 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	running_child = 0;
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &before[i], NULL);
	if (pid < 0)
		return vrs_fail(err, VRS_EIO, "cannot start %s: %s", argv[0], strerror(errno));
	*ret_exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return VRS_OK;
}

/* The kinds that are named; all but ASLR where none is, since a fixed layout hides its luck. */
static enum vrs_status parse_kinds(char *const *words, int count, unsigned *ret_kinds, struct vrs_error *err)
{
	unsigned kinds = 0;
	for (int i = 0; i < count; i++) {
		enum vrs_system_kind kind = vrs_system_kind_of(words[i]);
		if (kind == VRS_SYSTEM_ISOLATED)
			return vrs_fail(err, VRS_ECONFIG, "isolated processors are set on the boot line (isolcpus=, nohz_full=), not while the system runs");
		if (kind == VRS_SYSTEM_KIND_COUNT)
			return vrs_fail(err, VRS_ECONFIG, "\"%.60s\" cannot be tuned: %s", words[i], usage);
		kinds |= 1u << kind;
	}
	*ret_kinds = kinds ? kinds : 1u << VRS_SYSTEM_GOVERNOR | 1u << VRS_SYSTEM_TURBO | 1u << VRS_SYSTEM_IRQ;
	return VRS_OK;
}

static enum vrs_status reset(const char *state, FILE *out, struct vrs_error *err)
{
	int restored = 0;
	enum vrs_status status = vrs_system_reset(state, &restored, err);
	if (status == VRS_OK)
		fprintf(out, "%d settings are as they were\n", restored);
	return status;
}

static enum vrs_status tune(char *const *words, int count, const char *state, FILE *out, int *ret_exit, struct vrs_error *err)
{
	unsigned kinds = 0;
	int named = 0, changed = 0, refused = 0;
	while (named < count && strcmp(words[named], "--") != 0)
		named++;
	bool has_command = named < count;
	if (has_command && named + 1 == count)
		return vrs_fail(err, VRS_ECONFIG, "a command must follow \"--\": %s", usage);
	enum vrs_status status = parse_kinds(words, named, &kinds, err);
	if (status == VRS_OK)
		status = vrs_system_tune(kinds, state, &changed, &refused, err);
	if (status != VRS_OK)
		return status;
	fprintf(out, "%d settings changed, %d refused", changed, refused);
	fprintf(out, has_command || changed == 0 ? "\n" : "; vrbench system reset puts them back\n");
	if (fflush(out) != 0 || !has_command)
		return VRS_OK;
	status = run_command(words + named + 1, ret_exit, err);
	enum vrs_status back = changed > 0 ? reset(state, out, status == VRS_OK ? err : NULL) : VRS_OK;
	return status == VRS_OK ? back : status;
}

enum vrs_status vrs_system_mode(int argc, char **argv, FILE *out, int *ret_exit, struct vrs_error *err)
{
	char state[VRS_PATH_MAX];
	const char *verb = argc >= 3 ? argv[2] : "";
	if (strcmp(verb, "show") != 0 && strcmp(verb, "tune") != 0 && strcmp(verb, "reset") != 0)
		return vrs_fail(err, VRS_ECONFIG, "say what to do with the system: %s", usage);
	if (argc > 3 && strcmp(verb, "tune") != 0)
		return vrs_fail(err, VRS_ECONFIG, "%s takes nothing more: %s", verb, usage);
	enum vrs_status status = state_file(state, err);
	if (status != VRS_OK)
		return status;
	if (strcmp(verb, "tune") == 0)
		return tune(argv + 3, argc - 3, state, out, ret_exit, err);
	if (strcmp(verb, "reset") == 0)
		return reset(state, out, err);
	status = vrs_system_print(state, out);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot read the settings of the system: %s", vrs_status_str(status));
}
