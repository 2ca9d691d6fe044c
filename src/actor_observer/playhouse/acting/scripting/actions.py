"""The classes of action, in the spirit of Charades: a verb on a group of things."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ACTIONS", "ActionClass", "label_of"]


@dataclass(frozen=True)
class ActionClass:
    """One class: its label, its name, and about how long it takes."""

    label: str  # c000 …
    verb: str
    things: tuple[str, ...]
    name: str
    seconds: float  # every performance needs
    stroke: float  # each repetition of its small motion adds; 0 if it has none

    def phrase(self, thing: str, into: str = "") -> str:
        """The class as part of a sentence.

        >>> ACTIONS[label_of("take", "cup")].phrase("cup"), ACTIONS[label_of("put", "phone")].phrase("phone", "box")
        ('taking a cup from somewhere', 'putting a phone into a box')
        """
        words = self.name[0].lower() + self.name[1:]
        group = _GROUP_NAMES.get(self.things, "")
        words = words.replace(group, f"a {thing}") if group and thing else words
        return words.replace("somewhere", f"into a {into}") if into else words


_DRINK, _DISH, _LINEN = ("cup", "bottle"), ("plate", "bowl", "pan"), ("towel", "blanket", "clothes")
_CLEAN, _FLOOR = ("cloth", "spray", "sponge"), ("broom", "mop")
_GROUP_NAMES = {
    _DRINK: "a cup/bottle",
    _DISH: "some dishes",
    _LINEN: "some linen/clothes",
    _CLEAN: "a cleaning cloth/spray",
    _FLOOR: "a broom/mop",
}
# verb, things, name, seconds, seconds per stroke
_ROWS: tuple[tuple[str, tuple[str, ...], str, float, float], ...] = (
    ("take", _DRINK, "Taking a cup/bottle from somewhere", 2.2, 0),
    ("take", _DISH, "Taking some dishes from somewhere", 2.2, 0),
    ("take", _LINEN, "Taking some linen/clothes from somewhere", 2.2, 0),
    ("take", _CLEAN, "Taking a cleaning cloth/spray from somewhere", 2.2, 0),
    ("take", _FLOOR, "Taking a broom/mop from somewhere", 2.4, 0),
    ("take", ("book",), "Taking a book from somewhere", 2.2, 0),
    ("take", ("phone",), "Taking a phone from somewhere", 2.2, 0),
    ("take", ("sandwich",), "Taking food from somewhere", 2.2, 0),
    ("take", ("medicine",), "Taking a medicine bottle from somewhere", 2.2, 0),
    ("take", ("remote",), "Taking a remote control from somewhere", 2.2, 0),
    ("take", ("picture",), "Taking a picture from somewhere", 2.2, 0),
    ("take", ("pillow",), "Taking a pillow from somewhere", 2.2, 0),
    ("take", ("box", "bag"), "Taking a box/bag from somewhere", 2.2, 0),
    ("take", ("shoe",), "Taking a shoe from somewhere", 2.2, 0),
    ("put", _DRINK, "Putting a cup/bottle somewhere", 2.2, 0),
    ("put", _DISH, "Putting some dishes somewhere", 2.2, 0),
    ("put", _CLEAN, "Putting a cleaning cloth/spray somewhere", 2.2, 0),
    ("put", _FLOOR, "Putting a broom/mop somewhere", 2.4, 0),
    ("put", ("book",), "Putting a book somewhere", 2.2, 0),
    ("put", ("phone",), "Putting a phone somewhere", 2.2, 0),
    ("put", ("sandwich",), "Putting food somewhere", 2.2, 0),
    ("put", ("medicine",), "Putting a medicine bottle somewhere", 2.2, 0),
    ("put", ("remote",), "Putting a remote control somewhere", 2.2, 0),
    ("put", ("picture",), "Putting a picture somewhere", 2.2, 0),
    ("put", ("pillow",), "Putting a pillow somewhere", 2.2, 0),
    ("hold", _DISH, "Holding some dishes", 0.6, 1.1),
    ("hold", _LINEN, "Holding some linen/clothes", 0.6, 1.1),
    ("hold", ("box", "bag"), "Holding a box/bag", 0.6, 1.1),
    ("drink", _DRINK, "Drinking from a cup/bottle", 1.6, 1.5),
    ("pour", ("bottle",), "Pouring something into a cup", 3.4, 0.5),
    ("eat", ("sandwich",), "Eating some food", 0.8, 1.7),
    ("medicine", ("medicine",), "Taking some medicine", 2.6, 1.3),
    ("cook", ("pan",), "Cooking something in a pan", 2.6, 0.75),
    ("wash", _DISH, "Washing some dishes", 3.0, 0.7),
    ("open", ("book",), "Opening a book", 2.0, 0),
    ("read", ("book",), "Reading a book", 0.8, 1.5),
    ("close", ("book",), "Closing a book", 1.6, 0),
    ("text", ("phone",), "Playing with a phone", 0.8, 0.65),
    ("talk", ("phone",), "Talking on a phone", 1.6, 1.25),
    ("open", ("laptop",), "Opening a laptop", 2.4, 0),
    ("type", ("laptop",), "Working on a laptop", 1.4, 0.65),
    ("close", ("laptop",), "Closing a laptop", 2.4, 0),
    ("write", ("notebook",), "Writing in a notebook", 3.2, 0.65),
    ("wipe", ("cloth",), "Wiping a table or counter", 0.8, 0.8),
    ("pane", ("cloth",), "Washing a window", 1.0, 0.85),
    ("spray", ("spray",), "Spraying with a spray bottle", 0.8, 0.9),
    ("sweep", _FLOOR, "Sweeping/mopping the floor", 2.4, 0.9),
    ("open", ("box", "bag"), "Opening a box/bag", 2.4, 0),
    ("close", ("box", "bag"), "Closing a box/bag", 2.4, 0),
    ("fold", _LINEN, "Folding some linen/clothes", 2.8, 0.8),
    ("hug", ("pillow",), "Snuggling with a pillow", 0.9, 1.1),
    ("look", ("picture",), "Looking at a picture", 0.8, 1.3),
    ("watch", ("remote",), "Watching television", 1.0, 1.3),
    ("shoes", ("shoe",), "Putting on a shoe", 2.6, 0.7),
    ("switch", ("lamp",), "Turning on a light", 2.6, 0),
    ("open", ("refrigerator",), "Opening a refrigerator", 2.4, 0),
    ("close", ("refrigerator",), "Closing a refrigerator", 2.4, 0),
    ("open", ("cupboard", "closet"), "Opening a closet/cabinet", 2.4, 0),
    ("close", ("cupboard", "closet"), "Closing a closet/cabinet", 2.4, 0),
    ("open", ("door",), "Opening a door", 2.4, 0),
    ("close", ("door",), "Closing a door", 2.4, 0),
    ("window", ("window",), "Looking out of a window", 1.0, 1.4),
    ("mirror", ("mirror",), "Looking in a mirror and fixing their hair", 2.0, 0.85),
    ("sit", ("",), "Sitting down", 2.0, 0),
    ("stand", ("",), "Standing up", 2.0, 0),
    ("walk", ("",), "Walking somewhere", 4.6, 0),
)
ACTIONS: dict[str, ActionClass] = {
    f"c{number:03d}": ActionClass(f"c{number:03d}", *row) for number, row in enumerate(_ROWS)
}
_BY_USE = {(action.verb, thing): label for label, action in ACTIONS.items() for thing in action.things}


def label_of(verb: str, thing: str) -> str:
    """The label of a verb on a thing.

    >>> ACTIONS[label_of("open", "laptop")].name
    'Opening a laptop'
    """
    return _BY_USE[verb, thing]
