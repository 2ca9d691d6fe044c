"""Class scores and embeddings of a video from an exported file; needs onnxruntime, PyAV and numpy alone.

actor-observer export --format onnx --out model.onnx
python examples/onnx_example.py model.onnx head.mp4 first
"""

import argparse
import json
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model", help="an exported .onnx file")
parser.add_argument("video")
parser.add_argument("view", choices=("third", "first"))
asked = parser.parse_args()

import av  # noqa: E402  # after the arguments: --help needs none of these
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402

onnxruntime.set_default_logger_severity(3)  # no word about inputs that have a value of their own
try:
    session = onnxruntime.InferenceSession(asked.model)
    container = av.open(asked.video)
except Exception as error:  # a file that is missing or is something else
    sys.exit(f"onnx_example.py: {str(error).splitlines()[0]}")
facts = session.get_modelmeta().custom_metadata_map
size, labels = int(facts["size"]), json.loads(facts["label_names"]) or json.loads(facts["labels"])

frames, times = [], []  # two frames a second, upright videos only
with container as file:
    for frame in file.decode(video=0):
        if frame.time is not None and frame.time >= len(times) / 2:
            scale = size / min(frame.width, frame.height)
            small = frame.reformat(round(frame.width * scale), round(frame.height * scale), "rgb24").to_ndarray()
            frames.append(small.transpose(2, 0, 1))  # for a network that sees whole frames: facts["crop"]
            times.append(frame.time)

inputs = {"frames": np.stack(frames), "times": np.array(times, dtype=np.float32)}
embedding, f = session.run([f"{asked.view}_embedding", f"{asked.view}_f"], inputs)
weight = np.exp(f) / np.exp(f).mean()
print(f"{len(frames)} frames, embeddings {embedding.shape}; most informative: {times[weight.argmax()]:.1f} s")
if labels:
    (scores,) = session.run([f"{asked.view}_scores"], inputs)
    print("classes:", ", ".join(labels[place] for place in scores.mean(axis=0).argsort()[::-1][:5]))
