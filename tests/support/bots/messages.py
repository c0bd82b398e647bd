"""Ways to tell another process a bit without talking to it; run inside sandboxes as `write {NAME: BIT, …}` and `read`.

Each way has a writer, which may keep things open, and a reader. What the reader finds depends on the bit if the way
works, and is None where the system refuses. Only the standard library, as bots have it.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import select
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
kept = []
FILE = "/usr/bin/env"
OTHER = "/usr/bin/sort"
FOLDER = "/usr/share/doc"
LEASED = "/usr/bin/comm"
WATCHED = "/usr/bin/tsort"
NOTIFIED = "/usr/share/common-licenses"
F_GETLK, F_SETLK, F_OFD_GETLK, F_OFD_SETLK = 5, 6, 36, 37
F_SETLEASE, F_NOTIFY, F_SET_RW_HINT, F_GET_RW_HINT = 1024, 1026, 1036, 1035
F_RDLCK, F_WRLCK = 0, 1


def large_file(number):
    """Return one of the files of some size that are not in use."""
    for folder in (
        "/usr/share/perl",
        "/usr/share/locale",
        "/usr/share/i18n",
        "/usr/share/zoneinfo",
        "/usr/lib",
    ):
        for where, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(where, name)
                with contextlib.suppress(OSError):
                    if not os.path.islink(path) and 65_536 <= os.stat(path).st_size < 4_000_000:
                        if number == 0:
                            return path
                        number -= 1
    return FILE


def opened(path):
    descriptor = os.open(path, os.O_RDONLY)
    kept.append(descriptor)
    return descriptor


def eventfd():
    kept.append(os.eventfd(0))
    return kept[-1]


def system_call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def flock_of(find):
    def write(bit):
        if bit:
            fcntl.flock(find(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def write_shared(bit):
        fcntl.flock(find(), (fcntl.LOCK_SH if bit else fcntl.LOCK_UN) | fcntl.LOCK_NB)

    def read():
        descriptor = find()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        return 0

    return {"exclusive": (write, read), "shared": (write_shared, read)}


def ranges_of(find):
    def write_with(command):
        def write(bit):
            lock = struct.pack("hhqqi4x", F_RDLCK, 0, 1000 + bit, 1, 0)
            fcntl.fcntl(find(), command, lock)

        return write

    def read_with(command):
        def read():
            lock = struct.pack("hhqqi4x", F_WRLCK, 0, 0, 0, 0)
            told = struct.unpack("hhqqi4x", fcntl.fcntl(find(), command, lock))
            return [told[0], told[2], told[3]]

        return read

    return {
        "POSIX": (write_with(F_SETLK), read_with(F_GETLK)),
        "OFD": (write_with(F_OFD_SETLK), read_with(F_OFD_GETLK)),
    }


def lease_write(bit):
    if bit:
        opened(LEASED)


def lease_read():
    try:  # a lease for writing can be had only of a file that nobody else has open
        fcntl.fcntl(opened(LEASED), F_SETLEASE, F_WRLCK)
    except BlockingIOError:
        return 1
    return 0


def hint_write(bit):
    fcntl.fcntl(opened(OTHER), F_SET_RW_HINT, struct.pack("Q", 2 + bit))


def hint_read():
    return struct.unpack("Q", fcntl.fcntl(opened(OTHER), F_GET_RW_HINT, b"\0" * 8))[0]


def times_write(path):
    def write(bit):
        if bit:
            os.utime(path)

    return write


def times_read(path):
    return lambda: os.stat(path).st_mtime_ns


def cache_write(number):
    def write(bit):
        descriptor = opened(large_file(number))
        os.pread(descriptor, 4096, 32_768)
        if bit:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)

    return write


def pageout_write(bit):
    descriptor = opened(large_file(3))
    mapped = libc.mmap
    mapped.restype = ctypes.c_void_p
    place = mapped(None, ctypes.c_size_t(65_536), 1, 1, descriptor, ctypes.c_long(0))
    ctypes.string_at(place, 65_536)
    if bit and libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(65_536), 21):
        raise OSError("no")


def nowait_read(number):
    def read():
        try:
            return os.preadv(opened(large_file(number)), [bytearray(4096)], 32_768, os.RWF_NOWAIT) > 0
        except BlockingIOError:
            return False

    return read


def mincore_read():
    descriptor = opened(large_file(1))
    mapped = libc.mmap
    mapped.restype = ctypes.c_void_p
    place = mapped(None, ctypes.c_size_t(65_536), 1, 1, descriptor, ctypes.c_long(0))
    pages = (ctypes.c_ubyte * 16)()
    if libc.mincore(ctypes.c_void_p(place), ctypes.c_size_t(65_536), pages):
        raise OSError("no")
    return pages[8]


def cachestat_read():
    span = struct.pack("QQ", 32_768, 4096)
    told = ctypes.create_string_buffer(40)
    system_call(451, opened(large_file(2)), span, told, 0)
    return struct.unpack("5Q", told.raw)[0]


def forks_write(bit):
    if "forked" in kept:
        return
    kept.append("forked")
    for _ in range(400 * bit):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)


def counter(path, name, unit):
    def read():
        with open(path) as file:
            for line in file:
                if line.startswith(name):
                    return int(line.split()[1]) // unit
        raise OSError("no such counter")

    return read


def whole(path):
    def read():
        with open(path) as file:
            return file.read()

    return read


def dentries_write(bit):
    if "looked" in kept:
        return
    kept.append("looked")
    for number in range(20_000 * bit):
        with contextlib.suppress(OSError):
            os.stat(f"/usr/share/{os.getpid()}-{number}")


def ptys_write(bit):
    if "pty" in kept:
        return
    kept.append("pty")
    kept.extend(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) for _ in range(20 * bit))


def aio_write(bit):
    context = ctypes.c_ulong(0)
    if bit:
        system_call(206, 1000, ctypes.byref(context))


def socket_write(bit):
    if bit:
        kept.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        kept[-1].bind("\0arena-message")
        kept[-1].listen()


def socket_read():
    try:
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("\0arena-message")
    except OSError:
        return 0
    return 1


def port_write(bit):
    server = socket.create_server(("127.0.0.1", 47_011))
    for _ in range(100 * bit):
        socket.create_connection(("127.0.0.1", 47_011)).close()
        server.accept()[0].close()


def port_read():
    with socket.create_server(("127.0.0.1", 47_011)), socket.create_connection(("127.0.0.1", 47_011)) as one:
        return one.getsockname()[1]


def shared_memory_write(bit):
    number = system_call(29, 0x0A4E, 4096, 0o1666)
    if not bit:
        libc.shmctl(number, 0, None)


def shared_memory_read():
    try:
        system_call(29, 0x0A4E, 4096, 0)
    except OSError as error:
        return error.errno
    return 0


def file_write(path):
    def write(bit):
        if bit:
            with open(path, "w") as file:
                file.write("1")
        else:
            with contextlib.suppress(OSError):
                os.unlink(path)

    return write


def names_write(bit):
    for number in range(1 + 1000 * bit):
        path = f"/tmp/arena-{number}"
        with open(path, "w"):
            os.unlink(path)


def names_read():
    with open("/tmp/arena-names", "w") as file:
        number = os.fstat(file.fileno()).st_ino
    os.unlink("/tmp/arena-names")
    return number // 64


def files_write(bit):
    for number in range(1111 + 111 * bit):
        os.close(os.open(f"/tmp/arena-file-{number}", os.O_CREAT | os.O_WRONLY))


def file_systems_read():
    """Return the free inodes of small file systems, asked for by their numbers."""
    found = []
    told = ctypes.create_string_buffer(64)
    for number in range(6000):
        if libc.syscall(136, (number & 0xFF) | ((number >> 8) << 20), told) == 0:
            free = struct.unpack_from("Q", told.raw, 8)[0]
            if 0 < free < 4000:
                found.append(free)
    return found


def sessions_write(bit):
    for _ in range(500 * bit):
        pid = os.fork()
        if pid == 0:
            os.setsid()
            os._exit(0)
        os.waitpid(pid, 0)


def sessions_read():
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        with open("/proc/self/autogroup") as file:
            os.write(writing, file.read().encode())
        os._exit(0)
    os.close(writing)
    return int(os.read(reading, 99).decode().partition("-")[2].split()[0]) // 400


def passed_pidfd_read():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    other.setsockopt(socket.SOL_SOCKET, 76, 1)
    one.send(b"x")
    (_, _, data), *_ = other.recvmsg(10, 1000)[1]
    return os.fstat(struct.unpack("i", data[:4])[0]).st_ino // 256


def mounts_read():
    told = ctypes.create_string_buffer(256)
    system_call(332, -100, b"/tmp", 0, 0x4000, told)
    return struct.unpack_from("Q", told.raw, 0x90)[0]


def namespaces_read():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 64, 0) + bytes(64))
    system_call(303, opened("/proc/self/ns/net"), b"", handle, ctypes.byref(ctypes.c_int()), 0x1000)
    return struct.unpack_from("QII", handle.raw, 8)


def queue_write(bit):
    if bit and libc.mq_open(b"/arena", os.O_RDWR | os.O_CREAT, 0o666, None) < 0:
        raise OSError("no")
    if not bit:
        libc.mq_unlink(b"/arena")


def key_write(bit):
    number = system_call(248, b"user", b"arena", b"1", 1, ctypes.c_int(-4))
    if not bit:
        system_call(250, 3, number)


def key_read():
    try:
        return system_call(249, b"user", b"arena", 0, 0)
    except OSError as error:
        return error.errno


def watch_prepare():
    descriptor = libc.inotify_init1(os.O_NONBLOCK)
    if descriptor < 0:
        return None
    libc.inotify_add_watch(descriptor, WATCHED.encode(), 0x20)
    return descriptor


def watch_write(bit):
    if bit:
        os.close(os.open(WATCHED, os.O_RDONLY))
        for name in os.listdir(NOTIFIED):
            with contextlib.suppress(OSError), open(os.path.join(NOTIFIED, name)) as file:
                file.read()


def notify_prepare():
    descriptor = os.open(NOTIFIED, os.O_RDONLY)
    try:
        import signal

        signal.signal(signal.SIGIO, lambda *_: kept.append("told"))
        fcntl.fcntl(descriptor, F_NOTIFY, 0x8000_0001 - 2**32)
    except OSError:
        return None
    kept.append(descriptor)
    return descriptor


def pidfd_read():
    return os.fstat(os.pidfd_open(os.getpid())).st_ino // 256


def cookie_read():
    one, _ = socket.socketpair()
    return struct.unpack("Q", one.getsockopt(socket.SOL_SOCKET, 57, 8))[0] // 64


def cookies_write(bit):
    for _ in range(20_000 * bit):
        one, other = socket.socketpair()
        one.getsockopt(socket.SOL_SOCKET, 57, 8)
        one.close()
        other.close()


MEANS = {}
"""By name: a writer and a reader."""
for where, find in {
    "a program": lambda: opened(FILE),
    "a device": lambda: opened("/dev/null"),
    "an event": eventfd,
    "a namespace": lambda: opened("/proc/self/ns/time"),
    "the user namespace": lambda: opened("/proc/self/ns/user"),
    "the folder": lambda: opened(FOLDER),
    "the interpreter": lambda: opened(os.path.realpath(sys.executable)),
    "the settings": lambda: opened("/etc/ld.so.cache"),
    "the time zone": lambda: opened("/etc/localtime"),
    "its own files": lambda: opened(sys.argv[0]),
}.items():
    for how, both in flock_of(find).items():
        MEANS[f"{how} lock on {where}"] = both
    for how, both in ranges_of(find).items():
        MEANS[f"{how} range on {where}"] = both
MEANS |= {
    "lease": (lease_write, lease_read),
    "write hint": (hint_write, hint_read),
    "times of a device": (times_write("/dev/null"), times_read("/dev/null")),
    "times of another device": (times_write("/dev/full"), times_read("/dev/full")),
    "times of a program": (times_write(FILE), times_read(FILE)),
    "page cache by NOWAIT": (cache_write(0), nowait_read(0)),
    "page cache by mincore": (cache_write(1), mincore_read),
    "page cache by cachestat": (cache_write(2), cachestat_read),
    "pages pushed out": (pageout_write, nowait_read(3)),
    "forks": (forks_write, counter("/proc/stat", "processes", 256)),
    "page faults": (forks_write, counter("/proc/vmstat", "pgfault", 4096)),
    "names looked up": (dentries_write, whole("/proc/sys/fs/dentry-state")),
    "inodes": (dentries_write, whole("/proc/sys/fs/inode-nr")),
    "open files": (ptys_write, whole("/proc/sys/fs/file-nr")),
    "load": (forks_write, whole("/proc/loadavg")),
    "free memory": (forks_write, whole("/proc/meminfo")),
    "idle time": (forks_write, whole("/proc/uptime")),
    "interrupts": (forks_write, whole("/proc/interrupts")),
    "pressure": (forks_write, whole("/proc/pressure/cpu")),
    "terminals": (ptys_write, whole("/proc/sys/kernel/pty/nr")),
    "asynchronous requests": (aio_write, whole("/proc/sys/fs/aio-nr")),
    "listed locks": (flock_of(lambda: opened(FILE))["exclusive"][0], whole("/proc/locks")),
    "keys": (key_write, key_read),
    "listed keys": (key_write, whole("/proc/key-users")),
    "abstract socket": (socket_write, socket_read),
    "ports": (port_write, port_read),
    "System V memory": (shared_memory_write, shared_memory_read),
    "POSIX memory": (file_write("/dev/shm/arena-message"), lambda: os.path.exists("/dev/shm/arena-message")),
    "scratch": (file_write("/tmp/arena-message"), lambda: os.path.exists("/tmp/arena-message")),
    "numbers of files in the scratch": (names_write, names_read),
    "files of other file systems": (files_write, file_systems_read),
    "sessions": (sessions_write, sessions_read),
    "numbers of processes by sockets": (forks_write, passed_pidfd_read),
    "numbers of mounts": (forks_write, mounts_read),
    "numbers of namespaces": (forks_write, namespaces_read),
    "queues": (queue_write, lambda: int(libc.mq_open(b"/arena", os.O_RDONLY) >= 0)),
    "numbers of processes": (forks_write, pidfd_read),
    "numbers of sockets": (cookies_write, cookie_read),
    "numbers of this namespace's processes": (forks_write, os.getpid),
}
PREPARED = {
    "watched folder": (watch_prepare, watch_write),
    "notified folder": (notify_prepare, watch_write),
}
"""By name: what the reader does before, and the writer; the reader waits for an event."""


def attempt(work, *arguments):
    try:
        return work(*arguments)
    except (OSError, ValueError, OverflowError):
        return None


def main():
    if sys.argv[1] == "write":
        done = []
        for name, bit in json.loads(sys.argv[2]).items():
            write = MEANS[name][0] if name in MEANS else PREPARED[name][1]
            try:
                write(bit)
                done.append(name)
            except (OSError, ValueError, OverflowError):
                pass
        print(json.dumps(done), flush=True)
        sys.stdin.read()
    else:
        waiting = {name: attempt(prepare) for name, (prepare, _) in PREPARED.items()}
        print("ready", flush=True)
        sys.stdin.readline()
        told = {name: attempt(read) for name, (_, read) in MEANS.items()}
        descriptor = waiting["watched folder"]
        told["watched folder"] = (
            None if descriptor is None else bool(select.select([descriptor], [], [], 0)[0])
        )
        told["notified folder"] = None if waiting["notified folder"] is None else "told" in kept
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
