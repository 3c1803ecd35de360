/* Ten small programs in one, as competitive programmers write them: kernels KIND SIZE. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 1;
static uint64_t draw(void) { return seed = seed * 6364136223846793005u + 1442695040888963407u; }
static int order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int kind = atoi(argv[1]);
    long n = atol(argv[2]);
    uint64_t total = 0, *a = calloc(n + 1, sizeof *a);
    for (long i = 0; i < n; i++) a[i] = draw() >> 33;
    if (kind == 0) /* sum */
        for (long i = 0; i < n; i++) total += a[i];
    else if (kind == 1) { /* sort */
        qsort(a, n, sizeof *a, order);
        total = a[n / 2];
    } else if (kind == 2) /* steps to 1 by Collatz's rule */
        for (long i = 1; i < n; i++)
            for (uint64_t x = i; x > 1; total++) x = x & 1 ? 3 * x + 1 : x / 2;
    else if (kind == 3) { /* primes */
        for (long i = 0; i <= n; i++) a[i] = 1;
        for (long i = 2; i * i <= n; i++)
            for (long j = i * i; a[i] && j <= n; j += i) a[j] = 0;
        for (long i = 2; i <= n; i++) total += a[i];
    } else if (kind == 4) /* common divisors */
        for (long i = 1; i < n; i++)
            for (uint64_t x = a[i] | 1, y = a[i - 1] | 1, r; y; total += r) r = x % y, x = y, y = r;
    else if (kind == 5) /* longest rising run */
        for (long i = 1, run = 1; i < n; i++) {
            run = a[i] > a[i - 1] ? run + 1 : 1;
            if ((uint64_t)run > total) total = run;
        }
    else if (kind == 6) /* inversions, the slow way, of the first thousand */
        for (long i = 0; i < n && i < 1000; i++)
            for (long j = 0; j < i; j++) total += a[j] > a[i];
    else if (kind == 7) /* ways to change */
        for (long coin = 1; coin < 8; coin++)
            for (long i = coin; i <= n; i++) a[i] += a[i - coin];
    else if (kind == 8) /* bits */
        for (long i = 0; i < n; i++)
            for (uint64_t x = a[i]; x; x &= x - 1) total++;
    else /* a hash */
        for (long i = 0; i < n; i++) total = (total ^ a[i]) * 1099511628211u;
    printf("%llu\n", (unsigned long long)(total + a[n / 2]));
    free(a);
    return 0;
}
