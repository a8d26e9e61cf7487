/* The smallest and the largest of numbers. See `ends.py`. */
#include "kernels.h"

#include <math.h>

enum { LANES = 16 };

/* Both ends, or twice nan where one of the numbers is nan: no comparison with nan is true. */
FOR_EACH_PROCESSOR PUBLIC int howsure_ends(int64_t size, const double *numbers, double *found) {
    double lows[LANES], highs[LANES];
    double gaps[LANES] = {0}, gap = 0;
    if (size < 1)
        return 1;
    for (int lane = 0; lane < LANES; lane++)
        lows[lane] = highs[lane] = numbers[0];
    int64_t first = 0;
    for (; first + LANES <= size; first += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            const double number = numbers[first + lane];
            lows[lane] = number < lows[lane] ? number : lows[lane];
            highs[lane] = number > highs[lane] ? number : highs[lane];
            gaps[lane] = number != number ? 1.0 : gaps[lane];
        }
    for (int lane = 0; first < size; first++, lane++) {
        const double number = numbers[first];
        lows[lane] = number < lows[lane] ? number : lows[lane];
        highs[lane] = number > highs[lane] ? number : highs[lane];
        gaps[lane] = number != number ? 1.0 : gaps[lane];
    }
    for (int lane = 0; lane < LANES; lane++) {
        lows[0] = lows[lane] < lows[0] ? lows[lane] : lows[0];
        highs[0] = highs[lane] > highs[0] ? highs[lane] : highs[0];
        gap += gaps[lane];
    }
    found[0] = gap > 0 ? NAN : lows[0];
    found[1] = gap > 0 ? NAN : highs[0];
    return 0;
}
