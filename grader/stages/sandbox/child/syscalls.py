"""The system calls that learner code may make, by name, and their numbers on x86-64 and aarch64."""

from __future__ import annotations

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# What Python and single-threaded CPU torch need once everything is imported. No file is opened or looked at, no process or thread
# is made, nothing is sent anywhere.
_ALLOWED = """
read write close lseek readv writev pread64 pwrite64 dup fstat
mmap munmap mprotect mremap madvise brk
rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall
futex get_robust_list set_robust_list rseq membarrier sched_yield sched_getaffinity sched_getscheduler getcpu
clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage sysinfo uname getrandom
getpid gettid getppid getuid geteuid getgid getegid getcwd getrlimit
poll ppoll select pselect6 arch_prctl
exit exit_group
"""
ALLOWED = tuple(_ALLOWED.split())

NUMBERS = {
    "x86_64": {
        "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8, "mmap": 9,
        "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "ioctl": 16,
        "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "select": 23, "sched_yield": 24, "mremap": 25,
        "madvise": 28, "dup": 32, "nanosleep": 35, "getpid": 39, "clone": 56, "exit": 60, "kill": 62, "uname": 63, "fcntl": 72,
        "getcwd": 79, "readlink": 89, "gettimeofday": 96, "getrlimit": 97, "getrusage": 98, "sysinfo": 99, "times": 100,
        "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "sigaltstack": 131, "sched_getscheduler": 145,
        "prctl": 157, "arch_prctl": 158, "gettid": 186, "time": 201, "futex": 202, "sched_getaffinity": 204, "getdents64": 217,
        "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231,
        "tgkill": 234, "openat": 257, "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "pselect6": 270, "ppoll": 271,
        "set_robust_list": 273, "get_robust_list": 274, "getcpu": 309, "getrandom": 318, "membarrier": 324, "statx": 332,
        "rseq": 334, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "clone3": 435, "faccessat2": 439,
        "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    },
    "aarch64": {
        "getcwd": 17, "dup": 23, "fcntl": 25, "ioctl": 29, "faccessat": 48, "openat": 56, "close": 57, "getdents64": 61,
        "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pwrite64": 68, "pselect6": 72, "ppoll": 73,
        "readlinkat": 78, "newfstatat": 79, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98, "set_robust_list": 99,
        "get_robust_list": 100, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115,
        "sched_getscheduler": 120, "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128, "kill": 129, "tgkill": 131,
        "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "times": 153, "uname": 160,
        "getrlimit": 163, "getrusage": 165, "prctl": 167, "getcpu": 168, "gettimeofday": 169, "getpid": 172, "getppid": 173,
        "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177, "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215,
        "mremap": 216, "clone": 220, "mmap": 222, "mprotect": 226, "madvise": 233, "getrandom": 278, "membarrier": 283,
        "statx": 291, "rseq": 293, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "clone3": 435, "faccessat2": 439,
        "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    },
}  # fmt: skip
