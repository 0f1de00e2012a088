/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libfyaml 0.7.12 loses the buffer of a long quote on some syntax errors in it; what we allocate is counted by the targets themselves. */
#ifndef TESTS_FUZZ_LIBFYAML_LEAK_H
#define TESTS_FUZZ_LIBFYAML_LEAK_H

const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so\n";
}

#endif
