/* Boundary similarity at n_t = 2 of packed pairs, and nothing else: the least that any implementation must do.
   similar and compared are in halves. */
#include <stdint.h>

void bare_b(const int64_t *a, const int64_t *a_offsets, const int64_t *b, const int64_t *b_offsets,
            int64_t n_pairs, int64_t *similar, int64_t *compared) {
    for (int64_t pair = 0; pair < n_pairs; pair++) {
        int64_t i = a_offsets[pair], a_end = a_offsets[pair + 1];
        int64_t j = b_offsets[pair], b_end = b_offsets[pair + 1];
        int64_t matches = 0, near = 0, alone = 0, waiting = -2, side = 0;
        while (i < a_end || j < b_end) {
            int64_t position, from_a;
            if (i < a_end && j < b_end && a[i] == b[j]) {
                matches++;
                i++;
                j++;
                continue;
            }
            if (j >= b_end || (i < a_end && a[i] < b[j])) {
                position = a[i++];
                from_a = 1;
            } else {
                position = b[j++];
                from_a = 0;
            }
            if (waiting == position - 1 && side != from_a) {
                near++;
                alone--;
                waiting = -2;
            } else {
                alone++;
                waiting = position;
                side = from_a;
            }
        }
        similar[pair] = 2 * matches + near;
        compared[pair] = 2 * (matches + near + alone);
    }
}
