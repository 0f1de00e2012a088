/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A change that chance finds late: numbers of JSON, YAML and CSV replaced by ones at the edges of what a double or an integer holds. */
#ifndef TESTS_FUZZ_TEXT_NUMBER_H
#define TESTS_FUZZ_TEXT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/* Replaces a number that stands in the text of `size` bytes.  Returns the new size, at most `most`; `size` unchanged: there is none, or no room. */
size_t change_text_number(struct vrs_rng *rng, uint8_t *text, size_t size, size_t most);

#endif
