/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze: explain results, compare them. Find the command and run it. */
#include <stdio.h>
#include <string.h>

#include "analyzer/modes/analyze_program.h"
#include "base/stacks.h"

static const struct vrs_analyze_mode *find_mode(const char *word)
{
	for (int i = 0; vrs_analyze_modes[i]; i++)
		if (vrs_analyze_modes[i]->name && strcmp(vrs_analyze_modes[i]->name, word) == 0)
			return vrs_analyze_modes[i];
	return NULL;
}

static int run_vranalyze(int argc, char **argv)
{
	const struct vrs_analyze_mode *named = argc > 1 ? find_mode(argv[1]) : NULL;
	return vrs_analyze_run(named ? named : vrs_analyze_modes[0], argc - !!named, argv + !!named, stdout, stderr);
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vranalyze, argc, argv);
}
