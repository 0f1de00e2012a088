/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/probe_template.h"
