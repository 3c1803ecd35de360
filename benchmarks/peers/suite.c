/* The C side of benchmarks/suite.py: what somebody would write who measures a machine in C.
   suite CORES ELEMENTS PIECE SECONDS LINE SIZE...: triad on one core and on all (three arrays of
   ELEMENTS doubles, PIECE of them for each thread and run), multiply-adds on one core, and a walk
   through a random cycle of each SIZE; of a last one beyond 128 MiB, that of one array, only some
   lines are walked, after the other arrays have taken the cache. Prints the best and the median run of each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { RUNS = 60, MOST_LINES = 1 << 21, CHAINS = 12, MOST_CORES = 1024 };

typedef double vector __attribute__((vector_size(64)));
typedef struct { int core; double *a, *b, *c; size_t count; double began, ended; } Part;

static double seconds[RUNS];
static pthread_barrier_t meeting;
static void *volatile seen; /* so that no walk may be left out */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int order_of(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Work a second in the best and in the middle run; for a latency, seconds a load. */
static void told(const char *name, double work, int runs, int latency)
{
    qsort(seconds, runs, sizeof *seconds, order_of);
    double best = seconds[0], middle = (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
    if (latency)
        printf("%s %.9g %.9g\n", name, best / work, middle / work);
    else
        printf("%s %.9g %.9g\n", name, work / best, work / middle);
}

static void pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *fresh(size_t size)
{
    size_t page = 2ul << 20, room = (size + page - 1) / page * page;
    void *memory = aligned_alloc(page, room);
    if (memory && size >= page)
        madvise(memory, room, MADV_HUGEPAGE);
    return memory;
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

static void *worker(void *given)
{
    Part *part = given;
    pin(part->core);
    pthread_barrier_wait(&meeting);
    part->began = now();
    triad(part->a, part->b, part->c, part->count);
    part->ended = now();
    return NULL;
}

static double together(Part *parts, int threads)
{
    pthread_t thread[MOST_CORES];
    pthread_barrier_init(&meeting, NULL, threads);
    for (int k = 0; k < threads; k++)
        pthread_create(&thread[k], NULL, worker, &parts[k]);
    double began = 1e300, ended = 0;
    for (int k = 0; k < threads; k++) {
        pthread_join(thread[k], NULL);
        began = parts[k].began < began ? parts[k].began : began;
        ended = parts[k].ended > ended ? parts[k].ended : ended;
    }
    pthread_barrier_destroy(&meeting);
    return ended - began;
}

static void bandwidth(const char *name, int threads, const int *cores, double *a, double *b,
                      double *c, size_t elements, size_t piece, double allowed)
{
    Part parts[MOST_CORES];
    size_t share = elements / threads, turns = share / piece;
    int runs = 0;
    double end = 0;
    for (int run = -2; run < RUNS && (runs < 3 || now() < end); run++) {
        for (int k = 0; k < threads; k++) {
            size_t at = k * share + (run + 2) % turns * piece;
            parts[k] = (Part){cores[k], a + at, b + at, c + at, piece, 0, 0};
        }
        double spent = together(parts, threads);
        if (run == -1)
            end = now() + allowed;
        if (run >= 0)
            seconds[runs++] = spent;
    }
    told(name, 24.0 * piece * threads, runs, 0);
}

static volatile double half = 0.5; /* known to the compiler, a chain that stands still is left out */

static double peak(uint64_t turns)
{
    vector zero = {0}, x = zero + half, y = zero + half, chain[CHAINS], sum = zero;
    for (int k = 0; k < CHAINS; k++)
        chain[k] = zero + (double)k;
    for (uint64_t i = 0; i < turns; i++)
#pragma GCC unroll 12
        for (int k = 0; k < CHAINS; k++)
            chain[k] = chain[k] * x + y;
    for (int k = 0; k < CHAINS; k++)
        sum += chain[k];
    return sum[0];
}

static void *walk(void *start, size_t loads)
{
    void **p = start;
    for (size_t i = 0; i < loads; i += 16) {
#define NEXT p = (void **)*p;
        NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT
        NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT
    }
    return p;
}

/* A random cycle through `count` lines, one of each of as many equal stretches of the memory. */
static void *cycle(char *memory, size_t size, size_t line, size_t count)
{
    size_t every = size / line, *order = malloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        size_t low = i * every / count, high = (i + 1) * every / count;
        order[i] = low + (count < every ? (size_t)rand() % (high - low) : 0);
    }
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = (((uint64_t)rand() << 31) ^ (uint64_t)rand()) % (i + 1), other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
    for (size_t i = 0; i < count; i++)
        *(void **)(memory + order[i] * line) = memory + order[(i + 1) % count] * line;
    void *start = memory + order[0] * line;
    free(order);
    return start;
}

static void latency(const char *name, void *place, double per)
{
    size_t loads = (size_t)(1e-3 / per) / 16 * 16 + 16;
    for (int run = -1; run < RUNS; run++) {
        double began = now();
        place = walk(place, loads);
        if (run >= 0)
            seconds[run] = now() - began;
    }
    seen = place;
    told(name, loads, RUNS, 1);
}

int main(int count, char **given)
{
    int cores[MOST_CORES], threads = 0;
    for (char *one = strtok(given[1], ","); one; one = strtok(NULL, ","))
        cores[threads++] = atoi(one);
    size_t elements = atoll(given[2]), piece = atoll(given[3]), line = atoll(given[5]);
    double allowed = atof(given[4]), *array[3];
    pin(cores[0]);
    for (int k = 0; k < 3; k++) {
        array[k] = fresh(8 * elements);
        for (size_t i = 0; i < elements; i++)
            array[k][i] = k;
    }
    double *a = array[0], *b = array[1], *c = array[2];
    bandwidth("memory_bandwidth_one_core", 1, cores, a, b, c, elements, piece, allowed);
    bandwidth("memory_bandwidth", threads, cores, a, b, c, elements, piece, allowed);
    uint64_t turns = 1000;
    double spent = 0;
    while (spent < 1e-3) {
        turns *= 2;
        double began = now();
        volatile double kept = peak(turns);
        (void)kept;
        spent = now() - began;
    }
    for (int run = 0; run < RUNS; run++) {
        double began = now();
        volatile double kept = peak(turns);
        (void)kept;
        seconds[run] = now() - began;
    }
    told("peak_fp64_one_core", 2.0 * CHAINS * 8 * turns, RUNS, 0);
    srand(1);
    for (int k = 6; k < count - 1; k++) {
        size_t size = atoll(given[k]);
        char name[32], *memory = fresh(size);
        void *place = walk(cycle(memory, size, line, size / line), size / line);
        double began = now();
        place = walk(place, 1 << 12);
        snprintf(name, sizeof name, "l%d_latency", k - 5);
        latency(name, place, (now() - began) / (1 << 12));
        free(memory);
    }
    size_t size = atoll(given[count - 1]), every = size / line;
    void *place;
    if (every > MOST_LINES) {
        place = cycle((char *)b, size, line, MOST_LINES);
        memcpy(a, c, 8 * elements);
    } else
        place = walk(cycle(fresh(size), size, line, every), every);
    double began = now();
    place = walk(place, 1 << 12);
    latency("memory_latency", place, (now() - began) / (1 << 12));
    return 0;
}
