"""What a frame takes to the board beyond the cell's own time, as recorded of a real device."""

from __future__ import annotations

NONE = "none"

# KU Leuven 2019, capture http_1client: from a FIN to its acknowledgement, which TCP gives by itself
# and for which the radio need not be woken, less 0.4 ms that the cell takes for the two. Quantiles
# of 100 at steps of a twentieth, ms, as `Rscript workflow/scripts/fit_kuleuven.R` prints them.
_KULEUVEN2019_MS = (
    3.42,
    4.12,
    4.66,
    4.89,
    5.21,
    5.86,
    6.40,
    6.55,
    6.94,
    7.75,
    8.38,
    8.95,
    9.72,
    11.24,
    11.60,
    12.97,
    16.22,
    19.29,
    21.14,
    27.71,
    67.55,
)

# Value of the parameter arrival_delay -> quantiles at equal steps; none: a frame arrives at once.
QUANTILES_MS: dict[str, tuple[float, ...]] = {NONE: (), "kuleuven2019": _KULEUVEN2019_MS}
