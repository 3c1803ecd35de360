/* The event core of perfmodel.queueing.simulation in C: the same heaps, the same tree of winners,
 * the same job slots, the same sums and samples, for the models of benchmarks/simulation.py.
 *
 * engine MODEL SERVERS STATIONS POPULATION RATE CUSTOMERS SEED SCV
 *
 * MODEL is FCFS (stations in a row), routed (each visit is followed by one of any station or by the
 * end of the cycle, all as likely), PS or SRPT. Service times have mean 1: exponential where SCV is
 * 1, hyperexponential with balanced means above.
 * prints mean, half width of 20 batches and the 50th, 90th, 95th and 99th percentiles of the
 * response time, then the seconds of processor time it took.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draws.h"

enum { FCFS, PS, SRPT, ROUTED };
enum { NONE = -1, MAX_STATIONS = 8, LEAVES = 16 };

typedef struct { int64_t node, link, sequence; double size, left, entered, came; } job_t;
typedef struct { double key; int64_t job; } entry_t;
typedef struct {
    int64_t busy, waiting, head, tail, present;
    double work, since, rate;
    double departed, response, worked, area, arrived;
    entry_t *serving, *queue;
    double *sample;
    int64_t filled;
} station_t;

static job_t *jobs;
static int64_t slots, free_slot = NONE, sequence, done, target, stations, servers, kind, population;
static station_t station[MAX_STATIONS];
static double when[LEAVES], *response;
static int winner[2 * LEAVES];
static double present_area, arrival_rate, share = 1, means[2] = {1, 1};

static inline double service(void) {
    if (share == 1) return exponential(1.0);
    return exponential(means[(next64() >> 11) * 0x1.0p-53 >= share]);
}

static inline void schedule(int source, double time) {
    when[source] = time;
    for (int node = (source + LEAVES) >> 1; node > 0; node >>= 1) {
        int left = winner[2 * node], right = winner[2 * node + 1];
        winner[node] = when[left] <= when[right] ? left : right;
    }
}

static inline int before(entry_t a, entry_t b) {
    return a.key < b.key || (a.key == b.key && jobs[a.job].sequence < jobs[b.job].sequence);
}

static inline void push(entry_t *heap, int64_t size, entry_t item) {
    while (size > 0) {
        int64_t above = (size - 1) >> 1;
        if (before(heap[above], item)) break;
        heap[size] = heap[above];
        size = above;
    }
    heap[size] = item;
}

static inline int64_t pop(entry_t *heap, int64_t size) {
    int64_t gone = heap[0].job, last = size - 1, at = 0, child = 1;
    entry_t item = heap[last];
    while (child < last) {
        if (child + 1 < last && before(heap[child + 1], heap[child])) child++;
        if (before(item, heap[child])) break;
        heap[at] = heap[child];
        at = child;
        child = 2 * at + 1;
    }
    heap[at] = item;
    return gone;
}

static inline void refresh(int s) {
    station_t *q = &station[s];
    if (q->busy == 0) schedule(s, INFINITY);
    else if (kind != PS) schedule(s, q->serving[0].key);
    else {
        q->rate = 1.0 / q->busy;
        double gap = q->serving[0].key - q->work;
        schedule(s, q->since + (gap > 0 ? gap : 0) / q->rate);
    }
}

static inline void wind(station_t *q, double now) {
    if (kind != PS) q->work = now;
    else if (q->busy == 0) { q->work = 0; q->since = now; }
    else { q->work += (now - q->since) * q->rate; q->since = now; }
}

static inline void start(station_t *q, int64_t j) {
    push(q->serving, q->busy++, (entry_t){q->work + jobs[j].left, j});
}

static void grow(void) {
    int64_t more = slots ? slots : 256;
    jobs = realloc(jobs, (slots + more) * sizeof *jobs);
    for (int64_t j = slots; j < slots + more; j++) { jobs[j].link = free_slot; free_slot = j; }
    slots += more;
    for (int s = 0; s < stations; s++) {
        station[s].serving = realloc(station[s].serving, slots * sizeof(entry_t));
        station[s].queue = realloc(station[s].queue, slots * sizeof(entry_t));
    }
}

static inline void enter(int s, int64_t j, double now) {
    station_t *q = &station[s];
    jobs[j].node = s;
    jobs[j].left = jobs[j].size = service();
    jobs[j].came = now;
    jobs[j].sequence = sequence++;
    q->present++; q->area += now; q->arrived++;
    wind(q, now);
    if (kind == PS || q->busy < servers) { start(q, j); refresh(s); }
    else if (kind == FCFS || kind == ROUTED) {
        jobs[j].link = NONE;
        if (q->waiting++ == 0) q->head = j; else jobs[q->tail].link = j;
        q->tail = j;
    } else {
        double theirs = q->serving[0].key - q->work;
        if (theirs > jobs[j].left) {
            int64_t other = pop(q->serving, q->busy--);
            jobs[other].left = theirs;
            push(q->queue, q->waiting++, (entry_t){theirs, other});
            start(q, j);
            refresh(s);
        } else push(q->queue, q->waiting++, (entry_t){jobs[j].left, j});
    }
}

static inline void leave(int s, int64_t j, double now) {
    station_t *q = &station[s];
    double r = now - jobs[j].came;
    q->present--; q->area -= now; q->departed++; q->response += r; q->worked += jobs[j].size;
    if (q->filled < target) q->sample[q->filled++] = r;
    if (q->waiting > 0 && kind != PS) {
        int64_t k;
        if (kind == FCFS || kind == ROUTED) { k = q->head; q->head = jobs[k].link; q->waiting--; }
        else k = pop(q->queue, q->waiting--);
        start(q, k);
    }
    refresh(s);
}

static void simulate(void) {
    for (int i = 0; i < LEAVES; i++) { when[i] = INFINITY; winner[LEAVES + i] = i; }
    for (int i = LEAVES - 1; i > 0; i--) winner[i] = winner[2 * i];
    grow();
    if (population == 0) schedule(stations, exponential(1 / arrival_rate));
    for (int64_t n = 0; n < population; n++) {
        if (free_slot == NONE) grow();
        int64_t j = free_slot;
        free_slot = jobs[j].link;
        jobs[j].entered = 0;
        enter(0, j, 0);
    }
    while (done < target) {
        int source = winner[1];
        double now = when[source];
        if (source == stations) {
            schedule(stations, now + exponential(1 / arrival_rate));
            if (free_slot == NONE) grow();
            int64_t j = free_slot;
            free_slot = jobs[j].link;
            jobs[j].entered = now;
            present_area += now;
            enter(0, j, now);
            continue;
        }
        station_t *q = &station[source];
        wind(q, now);
        if (kind == PS) q->work = q->serving[0].key;
        int64_t j = pop(q->serving, q->busy--);
        leave(source, j, now);
        int goal = source + 1;
        if (kind == ROUTED) goal = (int)((next64() >> 11) * 0x1.0p-53 * (stations + 1));
        if (goal < stations) { enter(goal, j, now); continue; }
        present_area -= now;
        response[done++] = now - jobs[j].entered;
        if (population == 0) { jobs[j].link = free_slot; free_slot = j; }
        else { jobs[j].entered = now; present_area += now; enter(0, j, now); }
    }
}

static double choose(double *x, int64_t low, int64_t high, int64_t k) {
    while (low < high) {
        double pivot = x[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i <= j) { double t = x[i]; x[i++] = x[j]; x[j--] = t; }
        }
        if (k <= j) high = j; else if (k >= i) low = i; else break;
    }
    return x[k];
}

static int64_t mser5(const double *x, int64_t n) {
    int64_t m = n / 5, best = 0;
    double total = 0, squares = 0, least = INFINITY;
    for (int64_t i = m - 1; i >= 0; i--) {
        double y = (x[5*i] + x[5*i+1] + x[5*i+2] + x[5*i+3] + x[5*i+4]) / 5, left = m - i;
        total += y; squares += y * y;
        double error = (squares - total * total / left) / (left * left);
        if (i <= m / 2 && error <= least) { least = error; best = i; }
    }
    return 5 * best;
}

static void summarise(double *x, int64_t n, int print) {
    int64_t cut = mser5(x, n), batch = (n - cut) / 20;
    double *y = x + n - 20 * batch, mean = 0, squares = 0, level[20];
    for (int b = 0; b < 20; b++) {
        level[b] = 0;
        for (int64_t i = 0; i < batch; i++) level[b] += y[b * batch + i];
        level[b] /= batch;
        mean += level[b] / 20;
    }
    for (int b = 0; b < 20; b++) squares += (level[b] - mean) * (level[b] - mean);
    if (print) printf("%.9g %.9g", mean, 2.093 * sqrt(squares / 19 / 20));
    double levels[] = {0.5, 0.9, 0.95, 0.99};
    for (int i = 0; i < 4; i++) {
        int64_t k = (int64_t)(levels[i] * (20 * batch));
        double q = choose(y, 0, 20 * batch - 1, k);
        if (print) printf(" %.9g", q);
    }
}

int main(int count, char **word) {
    if (count != 9) return 2;
    kind = !strcmp(word[1], "PS") ? PS : !strcmp(word[1], "SRPT") ? SRPT : FCFS;
    if (!strcmp(word[1], "routed")) kind = ROUTED;
    servers = atoll(word[2]); stations = atoll(word[3]); population = atoll(word[4]);
    arrival_rate = atof(word[5]); target = (int64_t)atof(word[6]);
    double scv = atof(word[8]);
    if (scv > 1) {
        share = (1 + sqrt((scv - 1) / (scv + 1))) / 2;
        means[0] = 0.5 / share;
        means[1] = 0.5 / (1 - share);
    }
    for (int i = 0; i < 4; i++) rng[i] = 0x9E3779B97F4A7C15u * (uint64_t)(atoll(word[7]) * 4 + i + 1);
    for (int i = 0; i < 20; i++) next64();
    clock_t began = clock();
    response = malloc(target * sizeof(double));
    for (int s = 0; s < stations; s++) station[s].sample = malloc(target * sizeof(double));
    simulate();
    summarise(response, done, 1);
    if (stations > 1) for (int s = 0; s < stations; s++) summarise(station[s].sample, station[s].filled, 0);
    printf(" %.6f\n", (double)(clock() - began) / CLOCKS_PER_SEC);
    return 0;
}
