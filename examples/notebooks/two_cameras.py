# %% [markdown]
# # Two cameras
#
# A robot moves a piece: a camera beside it sees the arm (the observer), a camera on its wrist sees what it does (the actor).
# The clip comes with the package (CC BY 4.0, Functional Manipulation Benchmark). Take your own two files instead.
# %%
import actor_observer as ao
from actor_observer.pairs import ROBOTS

clip = ROBOTS / "videos" / "3_L_L_3_horizontal_n_9_regrasp"
room, head = f"{clip}.third.mp4", f"{clip}.first.mp4"
# %% [markdown]
# `align` says which moment of one is which moment of the other, and how far to believe it. An answer shows itself.
# %%
found = ao.align(room, head)
found
# %% [markdown]
# Everything is a plain value: `to_dict` for JSON, `rows` for `pandas.DataFrame(found.rows())`, `plot` for a matplotlib figure.
# %%
print(found.verdict, f"{found.offset:.2f} s")
found.rows()[:3]
# %% [markdown]
# Both beside each other, playing in step, as far as both go:
# %%
import tempfile

folder = tempfile.mkdtemp()
stretch = ao.side_by_side(found, f"{folder}/both.mp4")
print(f"{stretch.end - stretch.start:.1f} s, {len(stretch.times)} frames")
