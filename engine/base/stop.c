/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stop flag.  The handler only touches a lock-free atomic and calls async-signal-safe functions. */
#include "base/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int requested;
static void (*_Atomic restore_first)(void);
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "the stop flag must be lock-free: it is set by a signal handler");

static void on_signal(int number)
{
	if (!atomic_exchange(&requested, 1))
		return;
	/* The second request: the signal is blocked until this handler returns and then takes its default action. */
	struct sigaction action = {.sa_handler = SIG_DFL};
	void (*restore)(void) = atomic_load(&restore_first);

	if (restore)
		restore();
	sigaction(number, &action, NULL);
	kill(getpid(), number);
}

void vrs_stop_install(void)
{
	static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction stop = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < sizeof stop_signals / sizeof stop_signals[0]; i++) {
		struct sigaction old = {0};

		/* A signal ignored at the start stays so: nohup, background jobs of a shell without job control. */
		if (sigaction(stop_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(stop_signals[i], &stop, NULL);
	}
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

bool vrs_stop_requested(void)
{
	return atomic_load_explicit(&requested, memory_order_relaxed) != 0;
}

void vrs_stop_request(void)
{
	atomic_store(&requested, 1);
}

void vrs_stop_before_kill(void (*restore)(void))
{
	atomic_store(&restore_first, restore);
}

void vrs_stop_reset(void)
{
	atomic_store(&requested, 0);
}
