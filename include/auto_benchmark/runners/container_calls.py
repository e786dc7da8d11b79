"""The system calls of a trial in a Docker container, as a seccomp profile of our own.

It is narrower than the engine's (https://docs.docker.com/engine/security/seccomp/) where that lets a trial hold memory
which is counted to no container: buffers of sockets with control groups v1, of netlink sockets with both versions, locks
that belong to no process. Nor has a trial use for tracing others or for ``io_uring``, which makes sockets unseen.
What the list does not name is refused, so also what later kernels bring. Other ABIs than the machine's own have no list.
"""

from __future__ import annotations

import errno
import itertools
import json
from typing import Any

from auto_benchmark.runners.confinement.seccomp import (
    COUNTED_PROTOCOLS,
    DATAGRAM,
    INTERNET,
    INTERNET_6,
    KINDS_OF_SOCKET,
    NETLINK,
    NEW_NAMESPACES,
    STREAM,
    UNIX,
)

ALLOWED = """
accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres
clock_gettime clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3 epoll_create
epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group
faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr
flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait
futex_waitv futex_wake futimesat get_robust_list getcpu getcwd getdents getdents64 getegid geteuid getgid
getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit
getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr inotify_add_watch inotify_init
inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get
ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat
listen listxattr llistxattr lremovexattr lseek lsetxattr lstat madvise membarrier memfd_create mincore mkdir
mkdirat mknod mknodat mlock mlock2 mlockall mmap modify_ldt mprotect mq_getsetattr mq_notify mq_open
mq_timedreceive mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap
nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 poll ppoll prctl pread64
preadv preadv2 pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg
recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select
semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list set_tid_address setfsgid setfsuid
setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setsockopt
setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 splice stat statfs statx symlink
symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun
timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink
unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev
"""
"""Of Linux on x86-64 and on 64-bit ARM: what neither changes the machine nor looks into other processes."""
MACHINES = ("X86_64", "AARCH64")
LOCK_OF_NO_PROCESS = 37
"""F_OFD_SETLK, the first of fcntl's commands that set such locks (the other is the next)."""
FIRST_OF_LINUX = 1024
"""The first of fcntl's commands that only Linux has; there are fewer than 32."""
PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
"""Linux, with fewer bits of its version or a 32-bit name of the machine; the last asks which one it is."""
_ALL_BUT_32 = 0xFFFFFFFFFFFFFFE0
Rule = dict[str, Any]


def profile(*, loopback: bool, netlink: bool) -> str:
    """The profile, as the value of the engine's security option ``seccomp=``.

    Args:
        loopback: whether TCP and UDP may be used, which lead nowhere but to the trial itself.
        netlink: whether a trial may ask the kernel for its network devices.
    """
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "archMap": [{"architecture": f"SCMP_ARCH_{machine}", "subArchitectures": []} for machine in MACHINES],
            "syscalls": [
                {"names": ALLOWED.split(), "action": "SCMP_ACT_ALLOW"},
                {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
                _allowed("clone", _masked(0, NEW_NAMESPACES, 0)),
                _allowed("fcntl", _compared(1, "LT", LOCK_OF_NO_PROCESS)),
                _allowed("fcntl", _masked(1, _ALL_BUT_32, FIRST_OF_LINUX)),
                _allowed("prlimit64", _compared(0, "EQ", 0)),
                *(_allowed("personality", _compared(0, "EQ", kind)) for kind in PERSONALITIES),
                _allowed("socketpair", _compared(0, "EQ", UNIX)),
                *_sockets(loopback=loopback, netlink=netlink),
            ],
        }
    )


def _sockets(*, loopback: bool, netlink: bool) -> list[Rule]:
    """Of which kinds sockets can be made: those whose memory counts, and what is asked for."""
    rules = [_allowed("socket", _compared(0, "EQ", UNIX))]
    for family in (INTERNET, INTERNET_6) if loopback else ():
        for kind, protocol in itertools.product((STREAM, DATAGRAM), COUNTED_PROTOCOLS):
            kinds = _masked(1, KINDS_OF_SOCKET, kind)
            rules.append(_allowed("socket", _compared(0, "EQ", family), kinds, _compared(2, "EQ", protocol)))
    if netlink:
        rules.append(_allowed("socket", _compared(0, "EQ", NETLINK), _compared(2, "EQ", 0)))
    return rules


def _allowed(name: str, *arguments: Rule) -> Rule:
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": arguments}


def _compared(index: int, how: str, value: int) -> Rule:
    return {"index": index, "op": f"SCMP_CMP_{how}", "value": value}


def _masked(index: int, mask: int, value: int) -> Rule:
    return {"index": index, "op": "SCMP_CMP_MASKED_EQ", "value": mask, "valueTwo": value}
