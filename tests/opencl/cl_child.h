/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests with the fault layer: a function in a child process of its own, because the loader reads the layer and its variables once, and the
 * figures that VRS_CL_COUNT has left.
 */
#ifndef VRS_TESTS_CL_CHILD_H
#define VRS_TESTS_CL_CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CL_COUNT_FILE "counts"
#define CL_CHILD_SECONDS 120 /* a hang; PoCL's first build takes seconds, under a sanitizer more */

/*
 * Run function in a child with the layer and with variables ("NAME=VALUE", ended by NULL).  Returns its exit code, which is what the function
 * returned, or -SIGNAL.  Counts go on where an earlier child's ended, unless fresh.
 */
static inline int cl_child(int (*function)(void), const char *const *variables, int seconds, int fresh)
{
	int status = 0;

	if (fresh)
		(void)unlink(CL_COUNT_FILE);
	(void)fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		(void)setenv("OPENCL_LAYERS", VRS_FAULT_LAYER, 1);
		(void)setenv("VRS_CL_COUNT", CL_COUNT_FILE, 1);
		for (; *variables; variables++)
			(void)putenv((char *)(size_t)*variables);
		(void)alarm((unsigned)seconds);
		_exit(function());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 255;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* The number of a line of the counts, for example of "left", "buffers"; -1: there is none. */
static inline long long cl_counted(const char *group, const char *name)
{
	char line_group[16], line_name[64];
	long long value, found = -1;
	FILE *file = fopen(CL_COUNT_FILE, "r");

	while (file && fscanf(file, "%15s %63s %lld", line_group, line_name, &value) == 3) {
		if (strcmp(line_group, group) == 0 && strcmp(line_name, name) == 0)
			found = value;
	}
	if (file)
		(void)fclose(file);
	return found;
}

/* Objects that were made and not released, and uses of what is gone: 0 for a program that tidies up. */
static inline long long cl_untidy(void)
{
	static const char *const kinds[] = {"contexts", "queues", "buffers", "programs", "kernels", "events", "mappings", "recordings"};
	long long sum = cl_counted("fault", "misused");

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		long long left = cl_counted("left", kinds[i]);

		if (left != 0)
			(void)fprintf(stderr, "%lld %s left\n", left, kinds[i]);
		sum += left < 0 ? -left : left;
	}
	return sum;
}

#endif
