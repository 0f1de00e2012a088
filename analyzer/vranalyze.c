/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze: explain results, compare them. Find the command, parse, run, exit code. */
#include <string.h>

#include <vrseg/config.h>

#include "analyzer/modes/analyze_program.h"
#include "base/assert.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stacks.h"
#include "base/stop.h"

static const struct vrs_analyze_mode *find_mode(const char *word)
{
	for (int i = 0; vrs_analyze_modes[i]; i++)
		if (vrs_analyze_modes[i]->name && strcmp(vrs_analyze_modes[i]->name, word) == 0)
			return vrs_analyze_modes[i];
	return NULL;
}

static int run_vranalyze(int argc, char **argv)
{
	struct vrs_error err = {.status = VRS_OK};
	union { char bytes[VRS_ANALYZE_MAX_ARGS]; max_align_t align; } args;
	struct vrs_config *config = NULL;
	const char **operands = NULL;
	int count = 0, code = 0;
	const struct vrs_analyze_mode *named = argc > 1 ? find_mode(argv[1]) : NULL, *mode = named ? named : vrs_analyze_modes[0];
	vrs_stop_install();
	vrs_messages_begin("vranalyze", NULL, NULL);
	VRS_ASSERT(mode->args_size <= sizeof args);
	memcpy(args.bytes, mode->defaults, mode->args_size);
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_cli_parse(config, mode->spec, argc - !!named, argv + !!named, args.bytes, stdout, &operands, &count, &err);
	if (status == VRS_OK)
		status = vrs_config_open_messages(config, &err);
	if (status == VRS_OK)
		status = mode->run(&(struct vrs_analyze_call){args.bytes, operands, count, stdout, stderr}, &code, &err);
	vrs_free(operands);
	vrs_config_destroy(config);
	int failure = vrs_messages_end(status, &err);
	return failure ? failure : code;
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vranalyze, argc, argv);
}
