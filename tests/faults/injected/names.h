/* The rest of injector.c: calls that take names, ask about files, map them, or go through the kernel's ring. */

#define NAMES(name, parameters, arguments, kind, path, other) \
    int name parameters { \
        char first[PATH_MAX], second[PATH_MAX]; \
        REAL(name); \
        (void)first, (void)second; \
        const char *from = path, *to = other; \
        int inside = is_inside(from) || is_inside(to); \
        REFUSE(kind, inside); \
        int begun = inside && begin_event(); \
        int done = real arguments; \
        if (begun && !done) note(kind, -1, from, 0, to, strlen(to)); \
        end_event(begun); \
        return done; \
    }
NAMES(rename, (const char *a, const char *b), (a, b), RENAME, a, b)
NAMES(renameat, (int at, const char *a, int into, const char *b), (at, a, into, b), RENAME, whole(at, a, first), whole(into, b, second))
NAMES(renameat2, (int at, const char *a, int into, const char *b, unsigned flags), (at, a, into, b, flags), RENAME, whole(at, a, first), whole(into, b, second))
NAMES(link, (const char *a, const char *b), (a, b), LINK, a, b)
NAMES(linkat, (int at, const char *a, int into, const char *b, int flags), (at, a, into, b, flags), LINK, whole(at, a, first), whole(into, b, second))
NAMES(unlink, (const char *a), (a), UNLINK, a, "")
NAMES(unlinkat, (int at, const char *a, int flags), (at, a, flags), UNLINK, whole(at, a, first), "")
NAMES(mkdir, (const char *a, mode_t mode), (a, mode), FOLDER, a, "")
NAMES(rmdir, (const char *a), (a), FOLDER, a, "")

#define ASKS(type, name, parameters, arguments, kind, inside) \
    type name parameters { \
        char path[PATH_MAX]; \
        REAL(name); \
        (void)path; \
        REFUSE(kind, inside); \
        return real arguments; \
    }
ASKS(off_t, lseek, (int file, off_t at, int whence), (file, at, whence), SEEK, is_watched(file))
ASKS(off64_t, lseek64, (int file, off64_t at, int whence), (file, at, whence), SEEK, is_watched(file))
ASKS(int, fstat, (int file, struct stat *into), (file, into), STAT, is_watched(file))
ASKS(int, fstat64, (int file, struct stat64 *into), (file, into), STAT, is_watched(file))
ASKS(int, stat, (const char *name, struct stat *into), (name, into), STAT, is_inside(name))
ASKS(int, stat64, (const char *name, struct stat64 *into), (name, into), STAT, is_inside(name))
ASKS(int, lstat, (const char *name, struct stat *into), (name, into), STAT, is_inside(name))
ASKS(int, lstat64, (const char *name, struct stat64 *into), (name, into), STAT, is_inside(name))
ASKS(int, fstatat, (int at, const char *name, struct stat *into, int flags), (at, name, into, flags), STAT, is_inside(whole(at, name, path)))
ASKS(int, fstatat64, (int at, const char *name, struct stat64 *into, int flags), (at, name, into, flags), STAT, is_inside(whole(at, name, path)))
ASKS(int, statx, (int at, const char *name, int flags, unsigned mask, struct statx *into), (at, name, flags, mask, into), STAT, is_inside(whole(at, name, path)))
ASKS(int, fallocate, (int file, int mode, off_t at, off_t length), (file, mode, at, length), ALLOCATE, is_watched(file))

/* The kernel's ring: results are changed in its queue, behind the kernel's back. */

#define RINGS 64
static struct ring { int descriptor; struct io_cqring_offsets offsets; char *queue; unsigned seen; } rings[RINGS];

static struct ring *ring_of(int descriptor) {
    for (int i = 0; i < RINGS; i++)
        if (descriptor > 0 && rings[i].descriptor == descriptor) return &rings[i];
    return NULL;
}

static void *watched_map(void *mapped, int file, off64_t at) {
    struct ring *ring = mapped == MAP_FAILED ? NULL : ring_of(file);
    if (ring && (at == (off64_t)IORING_OFF_CQ_RING || (at == IORING_OFF_SQ_RING && !ring->queue))) ring->queue = mapped;
    return mapped;
}

#define MAPS(name, offset) \
    void *name(void *address, size_t length, int protection, int flags, int file, offset at) { \
        REAL(name); \
        int what = file >= 0 && is_watched(file) ? strike(MAP) : 0; \
        if (what > 0) { errno = what; return MAP_FAILED; } \
        return watched_map(real(address, length, protection, flags, file, at), file, at); \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

static int sector_bytes = 1;
void injector_sectors(int bytes) { sector_bytes = bytes; }

static int cut_to_sectors(int wanted, int all) {
    int sectors = (wanted + sector_bytes - 1) / sector_bytes * sector_bytes;
    return sectors < all ? sectors : all;
}

static void change_results(struct ring *ring) {
    unsigned tail = __atomic_load_n((unsigned *)(ring->queue + ring->offsets.tail), __ATOMIC_ACQUIRE);
    unsigned mask = *(unsigned *)(ring->queue + ring->offsets.ring_mask);
    struct io_uring_cqe *results = (struct io_uring_cqe *)(ring->queue + ring->offsets.cqes);
    for (; ring->seen != tail; ring->seen++) {
        struct io_uring_cqe *result = &results[ring->seen & mask];
        int what = result->res > 0 ? strike(RING) : 0;
        if (what > 0) result->res = -what;
        if (what < 0) result->res = cut_to_sectors((int)cut_short(what, (size_t)result->res), result->res);
    }
}

long syscall(long number, ...) {
    REAL(syscall);
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long);
    long e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_io_uring_enter && ring_of((int)a) && (armed_kinds & (1u << RING)) && fault == EINTR) REFUSE(RING, 1);
    long done = real(number, a, b, c, d, e, f);
    if (number == SYS_io_uring_setup && done >= 0) {
        struct ring *free_one = ring_of((int)done);
        for (int i = 0; i < RINGS && !free_one; i++)
            if (!rings[i].descriptor) free_one = &rings[i];
        if (free_one) *free_one = (struct ring){(int)done, ((struct io_uring_params *)b)->cq_off, NULL, 0};
    }
    struct ring *ring = number == SYS_io_uring_enter && done >= 0 ? ring_of((int)a) : NULL;
    if (ring && ring->queue) change_results(ring);
    return done;
}
