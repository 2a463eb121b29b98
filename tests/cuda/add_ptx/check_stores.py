# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""check_stores.py PTX: the kernels of add that have whole vec16s of C store them by one instruction each.

Ends of rows are stored by elements besides. Where the compiler makes one of both branches, no vec16 is left: results
stay right, and add took up to 1.4 times as long.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "user_code"))
from check_ptx import kernels_of

# Kernels whose names match have vec16s of C: all but those by single elements.
OF_VEC16S = r"add_vec16|add_both_aligned|tile_unaligned|skinny_cols|skinny_rows|both_skinnyILi[248]|in_orderILi[248]"


def main(file):
    errors, count = [], 0
    for name, body in kernels_of(pathlib.Path(file).read_text(encoding="utf-8")):
        if not re.search(OF_VEC16S, name):
            continue
        count += 1
        stores = re.findall(r"\bst\.global(\.v\d)?\.[bfsu](\d+)", body)
        if not any(int(vector[2:]) * int(bits) == 128 for vector, bits in stores if vector):
            errors.append(f"{name} stores no vec16, but {len(stores)} times less")
    if count < 20:
        errors.append(f"{count} kernels are too few")
    print("\n".join(errors) or f"{count} kernels store vec16s")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
