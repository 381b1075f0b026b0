/* A disk that takes DELAY_MS for each flush, for one process: LD_PRELOAD. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void) {
  struct timespec delay = {0, DELAY_MS * 1000000L};
  nanosleep(&delay, NULL);
}

int fsync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fdatasync, file);
}

int syncfs(int file) {
  wait_for_disk();
  return (int)syscall(SYS_syncfs, file);
}
