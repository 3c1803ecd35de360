/* Queues as heap loops in C that keep the mean response time and nothing else.
 *
 * means MODEL SERVERS STATIONS POPULATION RATE CUSTOMERS SEED SCV
 *
 * as engine.c; prints the mean response time, then the seconds of processor time.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draws.h"

enum { MOST = 65536, STATIONS = 8 };
typedef struct { double key, entered; int where; } event_t;

static event_t heap[MOST];
static double line[STATIONS][MOST], share = 1, rate;
static unsigned head[STATIONS], tail[STATIONS];
static int size, busy[STATIONS], servers, stations, population;
static int64_t target, done;

static inline double service(void) {
    if (share == 1) return exponential(1.0);
    return exponential(0.5 / ((next64() >> 11) * 0x1.0p-53 < share ? share : 1 - share));
}

static inline void push(double key, double entered, int where) {
    int at = size++;
    while (at > 0 && heap[(at - 1) / 2].key > key) { heap[at] = heap[(at - 1) / 2]; at = (at - 1) / 2; }
    heap[at] = (event_t){key, entered, where};
}

static inline event_t pop(void) {
    event_t gone = heap[0], last = heap[--size];
    int at = 0, child;
    while ((child = 2 * at + 1) < size) {
        if (child + 1 < size && heap[child + 1].key < heap[child].key) child++;
        if (heap[child].key >= last.key) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return gone;
}

static double lines(void) { /* first come, first served: a heap of events */
    double sum = 0;
    if (population == 0) push(exponential(1 / rate), 0, -1);
    for (int i = 0; i < population; i++) {
        if (busy[0] < servers) { busy[0]++; push(service(), 0, 0); }
        else line[0][tail[0]++ % MOST] = 0;
    }
    while (done < target) {
        event_t e = pop();
        double entered = e.key;
        int at = e.where + 1;
        if (e.where < 0) push(e.key + exponential(1 / rate), 0, -1);
        else {
            if (head[e.where] != tail[e.where])
                push(e.key + service(), line[e.where][head[e.where]++ % MOST], e.where);
            else busy[e.where]--;
            if (at < stations) entered = e.entered;
            else {
                sum += e.key - e.entered;
                done++;
                if (population == 0) continue;
                at = 0;
            }
        }
        if (busy[at] < servers) { busy[at]++; push(e.key + service(), entered, at); }
        else line[at][tail[at]++ % MOST] = entered;
    }
    return sum;
}

static double shared(void) { /* processor sharing: a heap of virtual times */
    double sum = 0, now = 0, virtual = 0, coming = exponential(1 / rate);
    while (done < target) {
        double over = size ? now + (heap[0].key - virtual) * size : INFINITY;
        if (coming < over) {
            virtual = size ? virtual + (coming - now) / size : 0;
            now = coming;
            push(virtual + service(), now, 0);
            coming = now + exponential(1 / rate);
        } else {
            virtual = heap[0].key;
            now = over;
            sum += now - pop().entered;
            done++;
        }
    }
    return sum;
}

static double shortest(void) { /* shortest remaining time first: a heap of what is left */
    double sum = 0, now = 0, coming = exponential(1 / rate);
    while (done < target) {
        double over = size ? now + heap[0].key : INFINITY;
        if (coming < over) {
            if (size) heap[0].key -= coming - now;
            now = coming;
            push(service(), now, 0);
            coming = now + exponential(1 / rate);
        } else {
            now = over;
            sum += now - pop().entered;
            done++;
        }
    }
    return sum;
}

int main(int count, char **word) {
    if (count != 9) return 2;
    servers = atoi(word[2]); stations = atoi(word[3]); population = atoi(word[4]);
    rate = atof(word[5]); target = (int64_t)atof(word[6]);
    double scv = atof(word[8]);
    if (scv > 1) share = (1 + sqrt((scv - 1) / (scv + 1))) / 2;
    for (int i = 0; i < 4; i++) rng[i] = 0x9E3779B97F4A7C15u * (uint64_t)(atoll(word[7]) * 4 + i + 1);
    for (int i = 0; i < 20; i++) next64();
    clock_t began = clock();
    double sum = !strcmp(word[1], "PS") ? shared() : !strcmp(word[1], "SRPT") ? shortest() : lines();
    printf("%.9g %.6f\n", sum / target, (double)(clock() - began) / CLOCKS_PER_SEC);
    return 0;
}
