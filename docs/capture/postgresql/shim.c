/* Records the page reads and writes of a PostgreSQL server below its buffer
 * pool, without root: the server is started with this library preloaded.
 *
 *   cc -O2 -shared -fPIC -o tierwright-shim.so shim.c -ldl
 *   TIERWRIGHT_SHIM_DIR=/some/empty/folder LD_PRELOAD=$PWD/tierwright-shim.so \
 *       pg_ctl -D DATA start
 *   python3 shim_to_trace.py /some/empty/folder trace.csv
 *
 * Each process writes its own file `PID.log`, one line a call:
 * `time_ns op path offset length`. Only regular files below `base/` and
 * `global/` are recorded. Accesses that hit the pool are not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_FDS 65536
#define LINE_MAX_BYTES (PATH_MAX + 96)

typedef ssize_t (*read_fn)(int, void *, size_t, off_t);
typedef ssize_t (*write_fn)(int, const void *, size_t, off_t);
typedef ssize_t (*vector_fn)(int, const struct iovec *, int, off_t);

static char *path_of_fd[MAX_FDS]; /* NULL: not looked up; "": not a relation */
static char buffer[1 << 16];
static size_t used;
static int log_fd = -1;
static pid_t owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static write_fn real_write(void) {
    static write_fn found;
    if (!found) found = (write_fn)dlsym(RTLD_NEXT, "pwrite64");
    return found;
}

static void flush_log(void) {
    size_t done = 0;
    while (done < used) {
        ssize_t n = write(log_fd, buffer + done, used - done);
        if (n <= 0) break; /* a full disk must not stop the server */
        done += (size_t)n;
    }
    used = 0;
}

/* A forked process has its parent's buffer and log: it drops both. */
static void own_log(void) {
    pid_t self = getpid();
    if (self == owner) return;
    owner = self;
    used = 0;
    const char *folder = getenv("TIERWRIGHT_SHIM_DIR");
    char name[PATH_MAX];
    if (log_fd >= 0) close(log_fd);
    log_fd = -1;
    if (folder && snprintf(name, sizeof name, "%s/%d.log", folder, (int)self) < PATH_MAX)
        log_fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static const char *relation_of(int fd) {
    if (fd < 0 || fd >= MAX_FDS) return "";
    if (!path_of_fd[fd]) {
        char link[64], target[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        char *start = strstr(target, "/base/");
        if (!start) start = strstr(target, "/global/");
        if (!start) start = strstr(target, "/pg_tblspc/");
        path_of_fd[fd] = strdup(start && !strchr(start, ' ') ? start + 1 : "");
    }
    return path_of_fd[fd] ? path_of_fd[fd] : "";
}

static void note(char op, int fd, off_t offset, ssize_t length) {
    if (length <= 0) return;
    pthread_mutex_lock(&lock);
    const char *relation = relation_of(fd);
    if (*relation) {
        own_log();
        if (log_fd >= 0) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            if (used + LINE_MAX_BYTES > sizeof buffer) flush_log();
            used += (size_t)snprintf(buffer + used, LINE_MAX_BYTES, "%lld%09ld %c %s %lld %lld\n",
                                     (long long)now.tv_sec, now.tv_nsec, op, relation,
                                     (long long)offset, (long long)length);
        }
    }
    pthread_mutex_unlock(&lock);
}

ssize_t pread64(int fd, void *data, size_t length, off_t offset) {
    static read_fn real;
    if (!real) real = (read_fn)dlsym(RTLD_NEXT, "pread64");
    ssize_t done = real(fd, data, length, offset);
    note('R', fd, offset, done);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) {
    ssize_t done = real_write()(fd, data, length, offset);
    note('W', fd, offset, done);
    return done;
}

ssize_t pread(int fd, void *data, size_t length, off_t offset) {
    return pread64(fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
    return pwrite64(fd, data, length, offset);
}

ssize_t preadv64(int fd, const struct iovec *parts, int count, off_t offset) {
    static vector_fn real;
    if (!real) real = (vector_fn)dlsym(RTLD_NEXT, "preadv64");
    ssize_t done = real(fd, parts, count, offset);
    note('R', fd, offset, done);
    return done;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
    static vector_fn real;
    if (!real) real = (vector_fn)dlsym(RTLD_NEXT, "pwritev64");
    ssize_t done = real(fd, parts, count, offset);
    note('W', fd, offset, done);
    return done;
}

ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset) {
    return preadv64(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    return pwritev64(fd, parts, count, offset);
}

int close(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    if (fd >= 0 && fd < MAX_FDS && path_of_fd[fd]) {
        pthread_mutex_lock(&lock);
        free(path_of_fd[fd]);
        path_of_fd[fd] = NULL;
        pthread_mutex_unlock(&lock);
    }
    return real(fd);
}

__attribute__((destructor)) static void at_exit(void) {
    if (log_fd >= 0 && getpid() == owner) flush_log();
}
