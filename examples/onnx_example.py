"""Class scores and embeddings of a video from an exported file; needs onnxruntime, PyAV and numpy alone.

actor-observer export --format onnx --out model.onnx
python examples/onnx_example.py model.onnx head.mp4 first
"""

import json
import sys

import av
import numpy as np
import onnxruntime

path, video, view = sys.argv[1:]
onnxruntime.set_default_logger_severity(3)  # no word about inputs that have a value of their own
session = onnxruntime.InferenceSession(path)
facts = session.get_modelmeta().custom_metadata_map
size, labels = int(facts["size"]), json.loads(facts["label_names"]) or json.loads(facts["labels"])

frames, times = [], []  # two frames a second, upright videos only
with av.open(video) as file:
    for frame in file.decode(video=0):
        if frame.time is not None and frame.time >= len(times) / 2:
            scale = size / min(frame.width, frame.height)
            small = frame.reformat(round(frame.width * scale), round(frame.height * scale), "rgb24").to_ndarray()
            frames.append(small.transpose(2, 0, 1))  # for a network that sees whole frames: facts["crop"]
            times.append(frame.time)

inputs = {"frames": np.stack(frames), "times": np.array(times, dtype=np.float32)}
embedding, f = session.run([f"{view}_embedding", f"{view}_f"], inputs)
weight = np.exp(f) / np.exp(f).mean()
print(f"{len(frames)} frames, embeddings {embedding.shape}; most informative: {times[weight.argmax()]:.1f} s")
if labels:
    (scores,) = session.run([f"{view}_scores"], inputs)
    print("classes:", ", ".join(labels[place] for place in scores.mean(axis=0).argsort()[::-1][:5]))
