/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards which format a client gets: the one to which its Accept header gives the higher weight, OpenMetrics where both are equal, and the old text
 * format wherever the header says nothing that is understood.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "monitor/metrics_port.h"

static void accept_header(void **state)
{
	(void)state;
	static const struct {
		const char *header;
		bool open;
	} cases[] = {
		{NULL, false},
		{"", false},
		{"*/*", false},
		{"text/plain", false},
		{"text/html, */*;q=0.1", false},
		{"application/openmetrics-text", true},
		{"Application/OpenMetrics-Text; version=1.0.0; charset=utf-8", true},
		{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true},
		{"text/plain;q=0.9,application/openmetrics-text;q=0.2", false},
		{"text/plain;q=0.2 , application/openmetrics-text ; q=0.9", true},
		{"application/openmetrics-text;q=0", false},
		{"application/openmetrics-text;q=x", false},
		{"application/openmetrics-text;q=0.4, */*;q=0.5", false},
		{"application/openmetrics-text;q=0.4, text/*;q=0.5", false},
		{"application/openmetrics-textual", false},
		{"text/plain;x=application/openmetrics-text", false},
		{",,;;q=1,=", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (vrs_accepts_openmetrics(cases[i].header) != cases[i].open)
			fail_msg("Accept: %s", cases[i].header ? cases[i].header : "(none)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(accept_header)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
