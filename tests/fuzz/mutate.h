/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzzing without an engine: inputs made by chance of the files of a corpus, for builds that are not made with libFuzzer. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>

/*
 * Runs the target for `seconds` of CPU.  An input is made of its number alone.  STATE.next holds the number that comes next, STATE.input the bytes
 * that run now: a later call goes on where this one stopped, and an input that ends the process comes first again.  False: said on stderr.
 */
bool mutate_for(double seconds, const char *state, char **folders, int count);

#endif
