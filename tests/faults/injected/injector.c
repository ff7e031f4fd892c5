/* Stands between a process and the C library, and lets calls on files of one folder fail, fall short, or be written down.
 *
 * Loaded with LD_PRELOAD. A program asks for faults by way of ctypes: `injector_watch` names the folder, `injector_arm`
 * says which call shall fail and how, `injector_disarm` says which ones did. `injector_record` writes every change
 * of a file to a descriptor, for a model of what a disk may hold after a power cut (powercut.py reads it).
 *
 * Whether a descriptor belongs to the folder is asked of /proc at each call, so nothing has to be kept for `dup` and `close`.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The same numbers are in faults.py. */
enum kind { OPEN, READ, WRITE, SYNC, TRUNCATE, RENAME, LINK, UNLINK, SEEK, STAT, MAP, ALLOCATE, COPY, FOLDER, RING, MARK };
enum { ONE_BYTE = -1, HALF = -2 };

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static char folder[PATH_MAX];
static size_t folder_length;
static unsigned armed_kinds;
static long calls_before;
static int fault, stays;
static unsigned struck_kinds;
static int log_descriptor = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;

void injector_watch(const char *path) {
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
}

void injector_arm(unsigned kinds, long before, int what, int for_good) {
    pthread_mutex_lock(&lock);
    armed_kinds = kinds, calls_before = before, fault = what, stays = for_good, struck_kinds = 0;
    pthread_mutex_unlock(&lock);
}

/* Which kinds of calls the fault has struck. */
unsigned injector_disarm(void) {
    pthread_mutex_lock(&lock);
    armed_kinds = 0;
    unsigned struck = struck_kinds;
    pthread_mutex_unlock(&lock);
    return struck;
}

/* What shall happen to this call: nothing, an error number, or one of the short ones. */
static int strike(enum kind kind) {
    if (!(__atomic_load_n(&armed_kinds, __ATOMIC_RELAXED) & (1u << kind))) return 0;
    int what = 0;
    pthread_mutex_lock(&lock);
    if ((armed_kinds & (1u << kind)) && calls_before-- <= 0) {
        what = fault;
        struck_kinds |= 1u << kind;
        if (!stays) armed_kinds = 0;
    }
    pthread_mutex_unlock(&lock);
    return what;
}

static int is_inside(const char *path) {
    return folder_length && !strncmp(path, folder, folder_length) && (!path[folder_length] || path[folder_length] == '/');
}

static int path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

static int is_watched(int descriptor) {
    char path[PATH_MAX];
    if (!folder_length || (!armed_kinds && log_descriptor < 0)) return 0;
    return path_of(descriptor, path) && is_inside(path);
}

/* The whole path of a name that is relative to an open folder. Rust asks once with no name at all whether there is a `statx`;
 * volatile, because a compiler believes its declaration, by which that cannot be. */
static const char *whole(int at, const char *volatile asked, char *path) {
    const char *name = asked;
    if (!name) return "";
    if (name[0] == '/' || at == AT_FDCWD) return name;
    if (!path_of(at, path)) return name;
    size_t length = strlen(path);
    if (name[0]) snprintf(path + length, PATH_MAX - length, "/%s", name);
    return path;
}

/* What is written down. */

struct event { uint32_t kind, name_bytes; uint64_t inode; int64_t offset; uint64_t data_bytes; };

static void put(const void *bytes, size_t length) {
    REAL(write);
    while (length) {
        ssize_t wrote = real(log_descriptor, bytes, length);
        if (wrote <= 0) abort();
        bytes = (const char *)bytes + wrote, length -= (size_t)wrote;
    }
}

static void note(enum kind kind, int descriptor, const char *name, int64_t offset, const void *data, size_t bytes) {
    struct stat about = {0};
    if (descriptor >= 0) syscall(SYS_fstat, descriptor, &about);
    struct event event = {kind, (uint32_t)strlen(name), about.st_ino, offset, bytes};
    put(&event, sizeof event), put(name, strlen(name)), put(data, bytes);
}

static int begin_event(void) {
    if (log_descriptor < 0) return 0;
    pthread_mutex_lock(&log_lock);
    return 1;
}

static void end_event(int begun) {
    if (begun) pthread_mutex_unlock(&log_lock);
}

void injector_record(int descriptor) { log_descriptor = descriptor; }

void injector_mark(const char *text) {
    int begun = begin_event();
    if (begun) note(MARK, -1, text, 0, "", 0);
    end_event(begun);
}

/* What was just written before the descriptor's position, or at an offset: read back, however it came there. */
static void note_written(int descriptor, int64_t offset, ssize_t bytes) {
    char *data = bytes > 0 ? malloc((size_t)bytes) : NULL;
    if (!data) return;
    if (offset < 0) offset = lseek64(descriptor, 0, SEEK_CUR) - bytes;
    struct iovec into = {data, (size_t)bytes};
    if (syscall(SYS_preadv, descriptor, &into, 1, (long)offset, 0L) != bytes) abort();
    note(WRITE, descriptor, "", offset, data, (size_t)bytes);
    free(data);
}

/* Interposed calls. */

#define REFUSE(kind, inside) \
    do { \
        int what = (inside) ? strike(kind) : 0; \
        if (what > 0) { errno = what; return -1; } \
    } while (0)

static size_t cut_short(int what, size_t length) {
    return what == ONE_BYTE ? (length ? 1 : 0) : what == HALF ? (length + 1) / 2 : length;
}

static int watched_open(const char *path, int flags, mode_t mode, int at, const char *name) {
    REAL(openat64);
    int inside = is_inside(path);
    REFUSE(OPEN, inside);
    int begun = inside && (flags & (O_CREAT | O_TRUNC)) && begin_event();
    int opened = real(at, name, flags, mode);
    if (begun && opened >= 0) note(OPEN, opened, path, flags & O_TRUNC ? 0 : -1, "", 0);
    end_event(begun);
    return opened;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) { MODE(flags) return watched_open(path, flags, mode, AT_FDCWD, path); }
int open64(const char *path, int flags, ...) { MODE(flags) return watched_open(path, flags, mode, AT_FDCWD, path); }
int openat(int at, const char *name, int flags, ...) {
    char path[PATH_MAX];
    MODE(flags) return watched_open(whole(at, name, path), flags, mode, at, name);
}
int openat64(int at, const char *name, int flags, ...) {
    char path[PATH_MAX];
    MODE(flags) return watched_open(whole(at, name, path), flags, mode, at, name);
}
DIR *opendir(const char *path) {
    REAL(opendir);
    int what = is_inside(path) ? strike(FOLDER) : 0;
    if (what > 0) { errno = what; return NULL; }
    return real(path);
}

#define READS(name, parameters, arguments) \
    ssize_t name parameters { \
        REAL(name); \
        int what = is_watched(file) ? strike(READ) : 0; \
        if (what > 0) { errno = what; return -1; } \
        length = cut_short(what, length); \
        return real arguments; \
    }
READS(read, (int file, void *into, size_t length), (file, into, length))
READS(pread, (int file, void *into, size_t length, off_t at), (file, into, length, at))
READS(pread64, (int file, void *into, size_t length, off64_t at), (file, into, length, at))

#define WRITES(name, parameters, arguments, at) \
    ssize_t name parameters { \
        REAL(name); \
        int watched = is_watched(file), what = watched ? strike(WRITE) : 0; \
        if (what > 0) { errno = what; return -1; } \
        length = cut_short(what, length); \
        int begun = watched && begin_event(); \
        ssize_t wrote = real arguments; \
        if (begun) note_written(file, at, wrote); \
        end_event(begun); \
        return wrote; \
    }
WRITES(write, (int file, const void *from, size_t length), (file, from, length), -1)
WRITES(pwrite, (int file, const void *from, size_t length, off_t offset), (file, from, length, offset), offset)
WRITES(pwrite64, (int file, const void *from, size_t length, off64_t offset), (file, from, length, offset), offset)

/* Only as many buffers as fit into a short write; Rust and Python go on with the rest. */
ssize_t writev(int file, const struct iovec *parts, int count) {
    if (count > 0 && is_watched(file)) return write(file, parts[0].iov_base, parts[0].iov_len);
    REAL(writev);
    return real(file, parts, count);
}

ssize_t copy_file_range(int from, off64_t *from_at, int file, off64_t *at, size_t length, unsigned flags) {
    REAL(copy_file_range);
    int watched = is_watched(file), what = watched ? strike(COPY) : 0;
    if (what > 0) { errno = what; return -1; }
    int begun = watched && begin_event();
    ssize_t copied = real(from, from_at, file, at, cut_short(what, length), flags);
    if (begun) note_written(file, at ? *at - copied : -1, copied);
    end_event(begun);
    return copied;
}
ssize_t sendfile64(int file, int from, off64_t *at, size_t length) {
    REAL(sendfile64);
    int watched = is_watched(file), what = watched ? strike(COPY) : 0;
    if (what > 0) { errno = what; return -1; }
    int begun = watched && begin_event();
    ssize_t copied = real(file, from, at, cut_short(what, length));
    if (begun) note_written(file, -1, copied);
    end_event(begun);
    return copied;
}

#define CHANGES(type, name, parameters, arguments, kind, noted) \
    type name parameters { \
        REAL(name); \
        int inside = is_watched(file); \
        REFUSE(kind, inside); \
        int begun = inside && begin_event(); \
        type done = real arguments; \
        if (begun && !done) note noted; \
        end_event(begun); \
        return done; \
    }
static const char *folder_at(int file) {
    static char path[PATH_MAX]; /* under the lock of the log */
    struct stat about = {0};
    syscall(SYS_fstat, file, &about);
    return S_ISDIR(about.st_mode) && path_of(file, path) ? path : "";
}
CHANGES(int, fsync, (int file), (file), SYNC, (SYNC, file, folder_at(file), 0, "", 0))
CHANGES(int, fdatasync, (int file), (file), SYNC, (SYNC, file, folder_at(file), 0, "", 0))
CHANGES(int, ftruncate, (int file, off_t size), (file, size), TRUNCATE, (TRUNCATE, file, "", size, "", 0))
CHANGES(int, ftruncate64, (int file, off64_t size), (file, size), TRUNCATE, (TRUNCATE, file, "", size, "", 0))
#include "names.h"
