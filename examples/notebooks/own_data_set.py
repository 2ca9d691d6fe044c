# %% [markdown]
# # Your own data set
#
# One CSV file names your pairs. Here it is made from clips that come with the package; yours may say `clock` and `split`, too (docs/data.md).
# %%
import csv
import tempfile
from pathlib import Path

import actor_observer as ao
from actor_observer.pairs import ROBOTS, read_manifest

folder = Path(tempfile.mkdtemp())
names = ["1_L_S_6_horizontal_n_4_regrasp", "9_S_S_2_horizontal_n_1_regrasp", "2_S_L_8_horizontal_y_0_regrasp"]
with (folder / "pairs.csv").open("w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["id", "third", "first", "split"])
    for name, split in zip(names, ("train", "train", "test"), strict=True):
        rows.writerow([name, *(ROBOTS / f"videos/{name}.{view}.mp4" for view in ("third", "first")), split])
# %% [markdown]
# Reading it checks every file; what cannot be read is a fault, and the rest goes on.
# %%
data = read_manifest(folder)
print(f"{len(data.pairs)} pairs, {len(data.faults)} faults")
for take in data.takes.values():
    print(f"{take.view:5}  {take.length:.2f} s  {take.path.name}")
# %% [markdown]
# Batches of moments for a training of your own; their order depends on the seed alone. `near` and `far` (seconds) are for clips this short.
# %%
from actor_observer.sampling import Stream, TripletSource

moments = TripletSource(data.of("train"), near=0.2, far=1.0, anchor_rate=4)
batch = next(iter(Stream(moments, batch=4, seed=0).epoch(0)))
batch.x.round(2), batch.z.round(2)
# %% [markdown]
# And the pixels at those times:
# %%
from actor_observer.frames import frames_at

frames_at(data.takes[data.pairs[0].third].path, times=[0.5, 1.0], size=112).shape
# %% [markdown]
# The frames that the model finds worth looking at. It has never seen a robot, and says so.
# %%
ao.select(data.takes[data.pairs[0].third].path, view="third", top=3)
# %% [markdown]
# Then: `actor-observer train quick-short --data pairs.csv --out runs/first` (docs/training.md).
