# SPDX-License-Identifier: GPL-3.0-or-later
# Libraries from Debian 12 (packages.txt).  Their headers are system headers: our warnings do not apply to them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(cjson REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(nettle REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(libpci REQUIRED IMPORTED_TARGET libpci)
pkg_check_modules(opencl REQUIRED IMPORTED_TARGET OpenCL)
pkg_check_modules(gsl REQUIRED IMPORTED_TARGET gsl)
pkg_check_modules(libfyaml REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(libav REQUIRED IMPORTED_TARGET libavformat libavcodec libswscale libavutil)
pkg_check_modules(libseccomp REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(libmicrohttpd REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(libedit REQUIRED IMPORTED_TARGET libedit)
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)

# A program notes as needed only what it uses: vranalyze runs no job, and starts without FFmpeg and the 130 libraries behind it.
add_link_options(-Wl,--as-needed)
