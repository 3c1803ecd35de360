/* Random numbers of the peers in C: xoshiro256+, and exponential times made of it. */
#include <math.h>
#include <stdint.h>

static uint64_t rng[4];

static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next64(void) { /* xoshiro256+ */
    uint64_t out = rng[0] + rng[3], t = rng[1] << 17;
    rng[2] ^= rng[0]; rng[3] ^= rng[1]; rng[1] ^= rng[2]; rng[0] ^= rng[3];
    rng[2] ^= t; rng[3] = rotl(rng[3], 45);
    return out;
}

static inline double exponential(double mean) {
    return -mean * log(((next64() >> 11) + 1) * 0x1.0p-53);
}
