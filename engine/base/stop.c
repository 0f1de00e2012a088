/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stop flag, and the timer that ends a process which does not end by itself.  Handlers only touch lock-free atomics and call async-signal-safe
 * functions.  Ticks are counted, not time: a process that was suspended meanwhile has lost nothing.
 */
#include "base/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"

#define TICK_MS 100
#define WORKING_NS UINT64_C(5000000) /* CPU time in a tick: less is waiting */

static atomic_int requested; /* the signal; 0: none */
static atomic_bool installed;
static atomic_int holders, flushing;
static atomic_int still, asked; /* ticks since the last step; since the request, or since there is nothing more to save */
static atomic_int waiting;      /* ticks without a step or CPU time */
static atomic_ullong cpu_before;
static atomic_int hang_code;    /* 0: nothing hangs */
static char hang_sentence[512];
static const char *_Atomic waits_for;
static void (*_Atomic restore_first)(void);
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_POINTER_LOCK_FREE == 2,
	       "what signal handlers share must be lock-free");

static void set_timer(bool on)
{
	const struct itimerval tick = {{0, on ? TICK_MS * 1000 : 0}, {0, on ? TICK_MS * 1000 : 0}};

	atomic_store(&still, 0);
	atomic_store(&waiting, 0);
	atomic_store(&asked, 0);
	if (atomic_load(&installed))
		setitimer(ITIMER_REAL, &tick, NULL);
}

/* Not where nobody reads it: the pipe of standard error may be full. */
static void say(const char *const *words)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
	char line[1024];
	size_t used = 0;

	for (; *words; words++)
		for (const char *c = *words; *c && used < sizeof line; c++)
			line[used++] = *c;
	if (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) && write(STDERR_FILENO, line, used) < 0)
		return;
}

static _Noreturn void end(int code, const char *lead, const char *sentence, const char *what, const char *rest)
{
	const char *const words[] = {lead, program_invocation_short_name, ": ", sentence, what, rest, "\n", NULL};
	void (*restore)(void) = atomic_load(&restore_first);

	if (restore)
		restore();
	say(words);
	_exit(code);
}

static void on_tick(int number)
{
	int error = errno, code = atomic_load(&hang_code), still_ms = TICK_MS * (atomic_fetch_add(&still, 1) + 1);
	uint64_t cpu = vrs_cpu_ns(), before = atomic_exchange(&cpu_before, cpu);
	const char *what = atomic_load(&waits_for);

	(void)number;
	atomic_store(&waiting, cpu - before > WORKING_NS ? 0 : atomic_load(&waiting) + 1);
	int waiting_ms = TICK_MS * atomic_load(&waiting), asked_ms = TICK_MS * (atomic_fetch_add(&asked, 1) + 1);

	if (code && still_ms >= VRS_STOP_SAVING_MS)
		end(code, "", hang_sentence, "", "");
	code = 128 + vrs_stop_signal();
	if (!vrs_stop_requested())
		;
	else if (!atomic_load(&holders) && (waiting_ms >= VRS_STOP_WAITING_MS || asked_ms >= VRS_STOP_WORKING_MS))
		end(code, "", "stopped on request", "", "");
	else if (atomic_load(&holders) && still_ms >= (atomic_load(&flushing) ? VRS_STOP_FLUSHING_MS : VRS_STOP_SAVING_MS))
		end(code, "", "stopped on request; ", what ? what : "saving", " did not end, so that nothing more is saved");
	errno = error;
}

/* False: it was asked before. */
static bool ask(int number)
{
	int none = 0;

	if (!atomic_compare_exchange_strong(&requested, &none, number))
		return false;
	set_timer(true);
	return true;
}

static void on_signal(int number)
{
	int error = errno;

	if (ask(number)) {
		errno = error;
		return;
	}
	/* The second request: the signal is blocked until this handler returns and then takes its default action. */
	struct sigaction action = {.sa_handler = SIG_DFL};
	void (*restore)(void) = atomic_load(&restore_first);

	if (restore)
		restore();
	sigaction(number, &action, NULL);
	kill(getpid(), number);
	errno = error;
}

/* A mask is inherited too: with SIGALRM in it nothing would tick, and threads to come would have it as well. */
static void unblock(const int *signals, size_t count)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	for (size_t i = 0; i < count; i++)
		sigaddset(&set, signals[i]);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* these exist */
}

void vrs_stop_install(void)
{
	static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
	struct sigaction stop = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &tick, NULL);
	atomic_store(&installed, true);
	for (size_t i = 0; i < sizeof stop_signals / sizeof stop_signals[0]; i++) {
		struct sigaction old = {0};

		/* A signal ignored at the start stays so: nohup, background jobs of a shell without job control. */
		if (sigaction(stop_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(stop_signals[i], &stop, NULL);
	}
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	/* Ignored by the parent: a child that ends is gone before it can be waited for, and its number another's. */
	sigaction(SIGCHLD, &usual, NULL);
	unblock(stop_signals, sizeof stop_signals / sizeof stop_signals[0]); /* what waited behind the mask is seen now */
}

bool vrs_stop_is_installed(void)
{
	return atomic_load(&installed);
}

void vrs_stop_end(int code, const char *sentence)
{
	end(code, isatty(STDERR_FILENO) ? "\n" : "", sentence, "", ""); /* behind the line in progress of a terminal */
}

bool vrs_stop_requested(void)
{
	return atomic_load_explicit(&requested, memory_order_relaxed) != 0;
}

int vrs_stop_signal(void)
{
	int number = atomic_load(&requested);

	return number ? number : SIGINT;
}

void vrs_stop_request(void)
{
	(void)ask(SIGINT);
}

void vrs_stop_before_kill(void (*restore)(void))
{
	atomic_store(&restore_first, restore);
}

void vrs_stop_reset(void)
{
	set_timer(false);
	atomic_store(&requested, 0);
}

void vrs_stop_hold(void)
{
	vrs_stop_moved();
	atomic_fetch_add(&holders, 1);
}

void vrs_stop_release(void)
{
	vrs_stop_moved();
	atomic_store(&asked, 0);
	atomic_fetch_sub(&holders, 1);
}

void vrs_stop_moved(void)
{
	atomic_store_explicit(&still, 0, memory_order_relaxed);
	atomic_store_explicit(&waiting, 0, memory_order_relaxed);
}

void vrs_stop_flush_begin(void)
{
	vrs_stop_moved();
	atomic_fetch_add(&flushing, 1);
}

void vrs_stop_flush_end(void)
{
	vrs_stop_moved();
	atomic_fetch_sub(&flushing, 1);
}

void vrs_stop_waits_for(const char *what)
{
	atomic_store(&waits_for, what);
}

void vrs_stop_hangs(int code, const char *sentence)
{
	if (atomic_load(&hang_code))
		return;
	snprintf(hang_sentence, sizeof hang_sentence, "%s", sentence);
	atomic_store(&hang_code, code);
	if (!vrs_stop_requested())
		set_timer(true);
}

void vrs_stop_recovered(void)
{
	if (!atomic_exchange(&hang_code, 0) || vrs_stop_requested())
		return;
	set_timer(false);
	if (vrs_stop_requested() || atomic_load(&hang_code)) /* since we looked: its timer is off */
		set_timer(true);
}
