"""Four made-up visitors of a film shop, the sample data of `example` and `pipelines`."""

from typing import Any

data: list[dict[str, Any]] = [
    {
        "Age": 34,
        "Movie": ["The Lighthouse Ledger", "Nine Quiet Harbours"],
        "Movie Ratings": [8.5, 7.25],
        "Suggestion": "Salt and Starlight",
        "Suggestion Purchased": 1.0,
        "Purchase Price": 7.5,
    },
    {
        "Age": 19,
        "Movie": ["Paper Comets", "The Clockmaker's Fox", "Second Winter"],
        "Movie Ratings": [9.0, 6.5, 8.75],
        "Suggestion": "Foxglove Station",
        "Suggestion Purchased": 0.0,
        "Purchase Price": 12.0,
    },
    {
        "Age": 61,
        "Movie": ["Ferry to Nowhere", "The Long Index", "Marginalia", "A Field of Bells"],
        "Movie Ratings": [7.0, 9.5, 8.0, 6.25],
        "Suggestion": "The Bookbinder",
        "Suggestion Purchased": 1.0,
        "Purchase Price": 4.25,
    },
    {
        "Age": 45,
        "Movie": ["Copper Summer", "Eight Leaves"],
        "Movie Ratings": [5.75, 9.25],
        "Suggestion": "Quarto",
        "Suggestion Purchased": 0.0,
        "Purchase Price": 9.75,
    },
]
