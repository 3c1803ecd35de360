/* The C side of benchmarks/cpu.py: what gcc -O3 -march=native makes of the same work.
   Multiply-adds come in the widths and numbers of chains that are worth trying; the best counts. */
#include <stddef.h>
#include <stdint.h>

void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

uint64_t chase(uint64_t start, uint64_t turns)
{
    void **p = (void **)start;
    for (uint64_t i = 0; i < turns; i++) {
#define NEXT p = (void **)*p;
        NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT
        NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT
    }
    return (uint64_t)p;
}

#define FMA(NAME, TYPE, BYTES, CHAINS)                                                            \
    TYPE NAME(uint64_t turns, TYPE x1, TYPE y1)                                                   \
    {                                                                                             \
        typedef TYPE vector __attribute__((vector_size(BYTES)));                                  \
        vector zero = {0}, x = zero + x1, y = zero + y1, chain[CHAINS], sum = zero;               \
        for (int k = 0; k < CHAINS; k++)                                                          \
            chain[k] = zero + (TYPE)k;                                                            \
        for (uint64_t i = 0; i < turns; i++)                                                      \
            _Pragma("GCC unroll 32") for (int k = 0; k < CHAINS; k++)                             \
                chain[k] = chain[k] * x + y;                                                      \
        for (int k = 0; k < CHAINS; k++)                                                          \
            sum += chain[k];                                                                      \
        TYPE total = 0;                                                                           \
        for (size_t j = 0; j < BYTES / sizeof(TYPE); j++)                                         \
            total += sum[j];                                                                      \
        return total;                                                                             \
    }

#define CHAINS(NAME, TYPE, BYTES)                                                                 \
    FMA(NAME##_10, TYPE, BYTES, 10)                                                               \
    FMA(NAME##_12, TYPE, BYTES, 12)                                                               \
    FMA(NAME##_24, TYPE, BYTES, 24)

CHAINS(fp64_16, double, 16)
CHAINS(fp64_32, double, 32)
CHAINS(fp64_64, double, 64)
CHAINS(fp32_16, float, 16)
CHAINS(fp32_32, float, 32)
CHAINS(fp32_64, float, 64)
