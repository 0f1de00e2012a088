/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text_number.h"

#include <stdbool.h>
#include <string.h>

static const char *const numbers[] = {
	"0", "-0.0", "1", "-1", "0.5", "1e-320", "1e-300", "1e300", "1e308", "-1e308", "1e400", "2147483647", "2147483648", "4294967296",
	"9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "nan", "inf", "null",
};

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool of_number(uint8_t c)
{
	return is_digit(c) || (c != '\0' && strchr("+-.eE", c));
}

/* The first digit at `from` or behind it, else the first of all; size: none. */
static size_t find_digit(const uint8_t *text, size_t size, size_t from)
{
	for (size_t i = 0; i < size; i++) {
		size_t at = (from + i) % size;

		if (is_digit(text[at]))
			return at;
	}
	return size;
}

size_t change_text_number(struct vrs_rng *rng, uint8_t *text, size_t size, size_t most)
{
	const char *number = numbers[vrs_rng_below(rng, sizeof numbers / sizeof *numbers)];
	size_t begin = find_digit(text, size, size > 0 ? (size_t)vrs_rng_below(rng, size) : 0), end = begin, length = strlen(number);

	if (begin == size)
		return size;
	while (begin > 0 && of_number(text[begin - 1]))
		begin--;
	while (end < size && of_number(text[end]))
		end++;
	if (begin + length + (size - end) > most)
		return size;
	memmove(text + begin + length, text + end, size - end);
	memcpy(text + begin, number, length);
	return begin + length + (size - end);
}
