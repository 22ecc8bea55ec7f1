"""Writes tests/tests/random/seeds.json: what NumPy's SeedSequence makes of entropy and spawn keys.

python ci/golden_seeds.py > tests/tests/random/seeds.json
"""

import json

import numpy as np

ENTROPY = [[0], [1], [42], [2**32 - 1], [2**32], [2**40 + 7], [2**64 - 1], [2**96 + 5], [2**127 + 9], [1, 2, 3], [0, 0], [7, 2**60, 0, 5, 6, 8, 9]]
KEYS = [[], [0], [1], [5, 2], [1, 2, 3, 4, 5]]

cases = []
for entropy in ENTROPY:
    for key in KEYS:
        entropy_ = entropy[0] if len(entropy) == 1 else entropy
        seeds = np.random.SeedSequence(entropy_, spawn_key=key)
        state = [int(w) for w in seeds.generate_state(7)]
        children = [[int(w) for w in child.generate_state(3)] for child in seeds.spawn(2)]
        cases.append({"entropy": [str(x) for x in entropy], "key": key, "state": state, "children": children})
print("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]")
