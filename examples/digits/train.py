#!/usr/bin/env python3
"""Trains the network of this example, and writes it with fixed-point weights.

Needs scikit-learn (1.9 was used: `pip install scikit-learn`). Its digits are the test set of "Optical
Recognition of Handwritten Digits" of the UCI repository, 1,797 images of 8 x 8 pixels with 17 grey
levels, which scikit-learn distributes under the BSD licence.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

# A number x stands in the files as x 2^8, rounded. Pixels are 0 to 1.
FRACTION = 8
WEIGHT_WIDTH = 11
INPUT_WIDTH = 10


def quantised(values):
    limit = 2 ** (WEIGHT_WIDTH - 1)
    scaled = np.rint(np.asarray(values) * 2**FRACTION).astype(int)
    assert np.abs(scaled).max() < limit, "weights need more bits"
    return scaled


def classify(layers, pixels):
    """What the circuit computes: rounds down after each layer."""
    values = pixels
    for layer in layers:
        values = (values @ layer["weights"].T >> FRACTION) + layer["biases"]
        if layer["rectify"]:
            values = np.maximum(values, 0)
    return values.argmax(axis=1)


def dump(path, value):
    """One row a line."""
    text = json.dumps(value, indent=1)
    # Rows of numbers on one line each.
    out, depth = [], 0
    for line in text.splitlines():
        item = line.strip()
        if item.lstrip("-").rstrip(",").isdigit() and out:
            out[-1] += item + (" " if item.endswith(",") else "")
        elif item in ("]", "],") and out and out[-1].rstrip()[-1].isdigit():
            out[-1] += item
        else:
            out.append(line)
    Path(path).write_text("\n".join(out) + "\n")


pixels, digits = load_digits(return_X_y=True)
train, test, train_digits, test_digits = train_test_split(
    pixels / 16, digits, test_size=0.25, random_state=1, stratify=digits
)
model = MLPClassifier((16,), alpha=0.3, max_iter=2000, random_state=1).fit(train, train_digits)

layers = [
    {"rectify": last is False, "weights": quantised(weights.T), "biases": quantised(biases)}
    for weights, biases, last in zip(model.coefs_, model.intercepts_, [False, True])
]
records = np.rint(test * 2**FRACTION).astype(int)
print(f"accuracy on {len(test)} images that it was not trained on:")
print(f"  floating point {model.score(test, test_digits):.4f}")
print(f"  fixed point    {np.mean(classify(layers, records) == test_digits):.4f}")

# The first image of each digit.
chosen = [int(np.flatnonzero(test_digits == digit)[0]) for digit in range(10)]

folder = Path(__file__).parent
dump(
    folder / "model.json",
    {
        "format": "subrosa-network/1",
        "fraction": FRACTION,
        "input_width": INPUT_WIDTH,
        "weight_width": WEIGHT_WIDTH,
        "layers": [
            {**layer, "weights": layer["weights"].tolist(), "biases": layer["biases"].tolist()}
            for layer in layers
        ],
    },
)
dump(folder / "records.json", records[chosen].tolist())
dump(folder / "public.json", {"classes": classify(layers, records[chosen]).tolist()})
print("digits of the records:", test_digits[chosen].tolist())
print("classes of the records:", classify(layers, records[chosen]).tolist())
