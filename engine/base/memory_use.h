/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that this process holds.  Not getrusage: its ru_maxrss keeps what the parent held when it forked, through exec (Linux,
 * setmax_mm_hiwater_rss), so that a small program which a large one starts would seem large.
 */
#ifndef VRS_BASE_MEMORY_USE_H
#define VRS_BASE_MEMORY_USE_H

#include <stdint.h>

/* Resident bytes now (statm), and the most since the program began (VmHWM); 0 when the kernel does not tell. Any thread. */
uint64_t vrs_rss_bytes(void);
uint64_t vrs_peak_rss_bytes(void);

#endif
