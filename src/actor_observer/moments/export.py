"""A network as one ONNX file, checked against torch before it is left on disk."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.model.fold import for_inference
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS

__all__ = ["export_onnx"]

TOLERANCE = 1e-4  # of the largest number of an output, or of 1
OPSET = 18


class _BothViews(nn.Module):
    """Frames in; φ, and for each view the embedding, f and the class probabilities out."""

    def __init__(self, network: ActorObserverNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: Tensor, offset: Tensor, spread: Tensor) -> tuple[Tensor, ...]:
        phi = self.network.backbone(frames)  # (B, D)
        outputs = [phi]
        for view in VIEWS:
            moved = (phi - offset) / spread
            features = self.network.project(moved, view)
            outputs += [features, self.network.heads(moved, view)]
            if self.network.classifier is not None:
                outputs.append(self.network.classifier(features).softmax(dim=1))
        return tuple(outputs)


def export_onnx(network: ActorObserverNet, path: str | Path) -> dict[str, float]:
    """Write a network as ONNX; gives the largest difference from torch of every output, on two batches.

    Inputs: `frames`, uint8 (B, 3, H, W) of any B, H and W; `offset` and `spread` (D,), zeros and ones unless given:
    a take's mean φ and its spread, for a network that is `centred` or `standardised`. Outputs: `phi` (B, D), and for
    each view `third_embedding`, `third_f` (B,), `third_scores` (B, C), `first_embedding`, … Nothing is left on disk
    that differs from torch by more than 1e-4.

    >>> export_onnx(ActorObserverNet(pretrained=False), "network.pt")
    Traceback (most recent call last):
    actor_observer.errors.UserError: network.pt: the file is written as .onnx
    """
    path = Path(path)
    if path.suffix != ".onnx":
        raise UserError(f"{path}: the file is written as .onnx")
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
        import onnxscript  # type: ignore[import-untyped, unused-ignore]  # noqa: F401
    except ImportError as error:
        raise UserError(f"ONNX needs {error.name}: pip install 'actor-observer[onnx]'") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
        part = Path(name)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    try:
        _write(network, part)
        differences = _check(network, part, path)
        part.chmod(0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return differences


def _outputs(network: ActorObserverNet) -> list[str]:
    parts = ["embedding", "f", *(["scores"] if network.classifier is not None else [])]
    return ["phi", *(f"{view}_{part}" for view in VIEWS for part in parts)]


def _example(network: ActorObserverNet, batch: int, height: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(batch)
    size = network.backbone.feature_size
    coarse = torch.rand((batch, 3, 6, 8), generator=generator)  # something smooth, as pictures are
    frames = nn.functional.interpolate(coarse, (height, width), mode="bilinear").mul(255).to(torch.uint8)
    return frames, 0.1 * torch.rand(size, generator=generator), 0.5 + torch.rand(size, generator=generator)


def _write(network: ActorObserverNet, path: Path) -> None:
    """One file with the weights in it, and everything that is needed to use it as metadata."""
    import onnx

    model = _BothViews(for_inference(network))
    size = network.config.size
    batch, height, width = (torch.export.Dim(name, min=1) for name in ("batch", "height", "width"))
    shapes = ({0: batch, 2: height, 3: width}, None, None)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
            warnings.simplefilter("ignore")
            for chatty in ("onnxscript", "torch.onnx._internal.exporter._registration"):
                logging.getLogger(chatty).setLevel(logging.ERROR)
            program = torch.onnx.export(
                model,
                _example(network, 3, size, size + 8),
                input_names=["frames", "offset", "spread"],
                output_names=_outputs(network),
                dynamic_shapes=shapes,
                opset_version=OPSET,
                dynamo=True,
                verbose=False,
            )
            assert program is not None
            proto = program.model_proto
    except Exception as error:  # the exporter's errors have no common base but this
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise UserError(f"{network.config.backbone} cannot be written as ONNX ({reason})") from error
    for name, default in (("offset", np.zeros), ("spread", np.ones)):  # with a value of its own, it need not be given
        value = default(network.backbone.feature_size, dtype=np.float32)
        proto.graph.initializer.append(onnx.numpy_helper.from_array(value, name))
    for key, fact in _facts(network).items():
        entry = proto.metadata_props.add()
        entry.key, entry.value = key, fact
    onnx.save_model(proto, str(path))


def _facts(network: ActorObserverNet) -> dict[str, str]:
    """What a program must know to show it the right frames."""
    config = network.config
    return {
        "size": str(config.size),
        "crop": config.crop,
        "centred": json.dumps(config.centred),
        "standardised": json.dumps(config.standardised),
        "labels": json.dumps(list(config.labels)),
        "backbone": config.backbone,
    }


def _check(network: ActorObserverNet, part: Path, path: Path) -> dict[str, float]:
    """The largest difference of each output from torch's, relative to its own size; too large a one is an end."""
    import onnxruntime

    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 3  # it warns of inputs with a value of their own, which are meant
    session = onnxruntime.InferenceSession(str(part), quiet, providers=["CPUExecutionProvider"])
    model, names = _BothViews(network).eval(), _outputs(network)
    size = network.config.size
    worst = dict.fromkeys(names, 0.0)
    for batch, height, width in ((2, size, round(size * 4 / 3)), (5, size, size)):
        inputs = _example(network, batch, height, width)
        with torch.inference_mode():
            expected: list[Any] = [output.numpy() for output in model(*inputs)]
        given = dict(zip(("frames", "offset", "spread"), (value.numpy() for value in inputs), strict=True))
        for name, ours, theirs in zip(names, session.run(names, given), expected, strict=True):
            scale = max(1.0, float(np.abs(theirs).max()))
            worst[name] = max(worst[name], float(np.abs(ours - theirs).max()) / scale)
    name, difference = max(worst.items(), key=lambda item: item[1])
    if not difference <= TOLERANCE:
        raise UserError(f"{path}: {name} differs from torch by {difference:.1e}, more than {TOLERANCE:g}: not written")
    return worst
