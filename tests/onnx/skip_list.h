/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of cases that need not pass.  A line is "PATTERN WHICH REASON...": a shell pattern of case names; which of the forms
 * "runtime", "frozen", "constant" (joined by commas, or "all"); why.  "#" starts a comment.
 */
#ifndef TESTS_SKIP_LIST_H
#define TESTS_SKIP_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/status.h>

/* How a case's inputs reach the network. */
enum case_form {
	FORM_RUNTIME,  /* all are inputs, as in the file */
	FORM_FROZEN,   /* all but the first are constants: weights get packed */
	FORM_CONSTANT, /* all are constants: the network folds to its outputs */
	FORM_COUNT,
};

struct skip_list {
	struct skip_line {
		char *pattern;
		unsigned forms;      /* bits of enum case_form */
		const char *reason;
		bool used;           /* some name matched */
	} *lines;
	size_t count, cap;
};

enum vrs_status skip_list_read(struct skip_list *ret_list, const char *path, struct vrs_error *err);
void skip_list_fini(struct skip_list *list);
/* Forms of that case that are listed. */
unsigned skip_list_forms(struct skip_list *list, const char *name);

#endif
