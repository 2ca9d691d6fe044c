"""What can be done where: short sequences of actions, of which scripts are made."""

from __future__ import annotations

import numpy as np

__all__ = ["AT_PLACE", "FLOOR_PLACES", "FLOOR_UNITS", "SEATS", "play_unit"]

# Steps are `verb thing` or `verb thing > container`; a|b is one of the two.
UNITS: dict[str, str] = {
    "cup": "take cup; drink cup; put cup",
    "pour": "take bottle; pour bottle; put bottle",
    "pour and drink": "take bottle; pour bottle; put bottle; take cup; drink cup",
    "snack": "take sandwich; eat sandwich; put sandwich",
    "medicine": "take medicine; medicine medicine; put medicine",
    "cook": "cook pan",
    "wash": "take plate|bowl; wash plate|bowl; put plate|bowl",
    "dishes": "take plate|bowl; hold plate|bowl; put plate|bowl",
    "wipe": "take cloth; wipe cloth; put cloth",
    "pane": "take cloth; pane cloth; put cloth",
    "spray": "take spray; spray spray; put spray",
    "book": "take book; open book; read book; close book; put book",
    "phone": "take phone; text|talk phone; put phone",
    "laptop": "open laptop; type laptop; close laptop",
    "write": "write notebook",
    "picture": "take picture; look picture; put picture",
    "lamp": "switch lamp",
    "remote": "take remote; watch remote; put remote",
    "pillow": "take pillow; hug pillow; put pillow",
    "shoe": "take shoe; shoes shoe",
    "box": "open box; take phone|cup|book|medicine; put phone|cup|book|medicine > box; close box",
    "bag": "open bag; take phone|cup|book|medicine; put phone|cup|book|medicine > bag; close bag",
    "fold towel": "fold towel",
    "fold blanket": "fold blanket",
    "fold clothes": "fold clothes",
    "look out": "window window",
    "mirror": "mirror mirror",
    "door": "open door; close door",
    "cupboard": "open cupboard; take cup; close cupboard; drink cup",
    "cold drink": "open refrigerator; take bottle; close refrigerator; drink bottle",
    "cold snack": "open refrigerator; take sandwich; close refrigerator; eat sandwich",
    "cold bowl": "open refrigerator; take bowl; close refrigerator; hold bowl",
    "closet": "open closet; take clothes|towel|bag|box; close closet; hold clothes|towel|bag|box",
    "broom": "take broom; sweep broom; put broom",
    "mop": "take mop; sweep mop; put mop",
}
AT_PLACE: dict[str, tuple[str, ...]] = {
    place: tuple(names.split(", "))
    for place, names in {
        "counter": "cup, pour, pour and drink, snack, medicine, wipe, spray, cook, wash, dishes, cupboard, phone",
        "fridge": "cold drink, cold snack, cold bowl",
        "table": "cup, pour, pour and drink, book, phone, snack, medicine, wipe, spray, box, bag, write, picture,"
        " laptop, dishes, fold towel, fold clothes, fold blanket",
        "desk": "laptop, write, book, phone, cup, lamp, medicine, box, picture",
        "sofa": "remote, book, phone, pillow, cup, snack, fold blanket, laptop",
        "bed": "fold blanket, fold clothes, pillow, bag, box, fold towel",
        "shelf": "book, picture, box, cup, lamp, phone",
        "window": "look out, pane, cup, phone, spray, book",
        "dresser": "mirror, picture, medicine, lamp, fold clothes, box, phone",
        "wardrobe": "closet",
        "entry": "shoe, bag, phone, fold clothes",
        "doorway": "door, phone, bag",
    }.items()
}
FLOOR_UNITS = ("broom", "mop")
FLOOR_PLACES = ("counter", "fridge", "window", "bed", "shelf", "doorway", "dresser")  # with free floor behind
SEATS = ("table", "desk", "sofa", "entry")


def play_unit(name: str, rng: np.random.Generator) -> list[tuple[str, str, str]]:
    """The steps of a unit as (verb, thing, container or "").

    >>> play_unit("cup", np.random.default_rng(0))
    [('take', 'cup', ''), ('drink', 'cup', ''), ('put', 'cup', '')]
    """
    chosen: dict[str, str] = {}

    def choose(words: str) -> str:
        if words not in chosen:  # one choice holds for the whole unit
            chosen[words] = str(rng.choice(words.split("|")))
        return chosen[words]

    steps = []
    for part in UNITS[name].split("; "):
        action, _, into = part.partition(" > ")
        verb, _, thing = action.partition(" ")
        steps.append((choose(verb), choose(thing), into))
    return steps
