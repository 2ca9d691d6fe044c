"""Export a network as one ONNX file, checked against torch before it is written."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import logging
import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError, first_line, missing_extra
from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import write_whole
from actor_observer.pairs.manifest import VIEWS

__all__ = ["export_onnx"]

TOLERANCE = 1e-4  # of the largest number of an output, or of 1
OPSET = 18  # the least that torch's exporter writes by itself
INPUTS = ("frames", "times", "earlier_phi", "earlier_times")


class _Take(nn.Module):
    """Frames of a take in; φ of these, and for each view the embedding, f and class probabilities of the whole take."""

    def __init__(self, network: ActorObserverNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: Tensor, times: Tensor, earlier_phi: Tensor, earlier_times: Tensor) -> tuple[Tensor, ...]:
        phi = self.network.backbone.moment(frames)  # (B, D)
        network, when = self.network, torch.cat([earlier_times, times])  # (T,)
        whole = torch.cat([earlier_phi, phi])  # (T, D)
        seen = _with_context(network.centre(whole), when, network.config.context)  # (T, D·windows)
        outputs = [phi]
        for view in VIEWS:
            features, f = network.embed(seen, view)
            outputs += [features, f]
            if network.namer is not None:
                around = _with_context(whole, when, network.config.naming_context)
                outputs.append(network.namer(around, view).softmax(dim=1))
            elif network.classifier is not None:
                outputs.append(network.classify(features).softmax(dim=1))
        return tuple(outputs)


def _with_context(phi: Tensor, times: Tensor, context: Sequence[float]) -> Tensor:
    """`with_context` without running sums and searches, which ONNX does badly: means as products with 0s and 1s."""
    apart = times[None, :] - times[:, None]  # (T, T) how much later frame j is than frame i
    parts = [phi]
    for seconds in context:
        before = ((apart <= 0) & (apart >= -seconds - 1e-5)).to(phi.dtype)
        after = ((apart >= 0) & (apart < seconds + 1e-5)).to(phi.dtype)
        parts += [near @ phi / near.sum(dim=1, keepdim=True) for near in (before, after)]
    return torch.cat(parts, dim=1) + 0 * times[:, None]  # so that times are an input even where they do not matter


def export_onnx(network: ActorObserverNet, path: str | Path) -> dict[str, float]:
    """Write a network as ONNX; returns the largest difference from torch of every output, on two batches.

    Inputs: `frames` of a take, uint8 (B, 3, H, W) of any B, H and W, and their `times` (B,) in seconds (a backbone of
    fixed size has that H and W; one that sees clips is given those around the times, (B, F, 3, H, W)); for a take too
    long for one batch, `earlier_phi` (E, D) and `earlier_times` (E,) of its frames so far (none unless given). Outputs:
    `phi` (B, D) of these frames, and of all E + B frames for each view `third_embedding`, `third_f` (T,),
    `third_scores` (T, C), `first_embedding`, … Nothing is left on disk that differs from torch by more than 1e-4.

    >>> from actor_observer.model import NetworkConfig
    >>> export_onnx(ActorObserverNet(NetworkConfig("resnet18"), pretrained=False), "network.pt")
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
    except ImportError:
        raise missing_extra("writing ONNX", "onnx") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        content = _content(network)  # in memory until it is checked: a process killed before then leaves no file
        differences = _check(network, content, path)
        write_whole(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    return differences


def _outputs(network: ActorObserverNet) -> list[str]:
    parts = ["embedding", "f", *(["scores"] if network.classifier is not None else [])]
    return ["phi", *(f"{view}_{part}" for view in VIEWS for part in parts)]


def _example(network: ActorObserverNet, batch: int, height: int, width: int, earlier: int) -> tuple[Tensor, ...]:
    """Frames and times that look like a take's, two a second."""
    generator = torch.Generator().manual_seed(batch)
    clip, size = network.backbone.clip, network.backbone.exact_size or (height, width)
    coarse = torch.rand(((batch + earlier) * clip.frames, 3, 6, 8), generator=generator)  # smooth, as pictures are
    frames = nn.functional.interpolate(coarse, size, mode="bilinear").mul(255).to(torch.uint8)
    frames = frames.unflatten(0, (-1, clip.frames)) if clip.moving else frames
    times = torch.arange(batch + earlier, dtype=torch.float32) / 2
    with torch.inference_mode():
        phi = network.backbone.moment(frames[:earlier]) if earlier else torch.zeros(0, network.backbone.feature_size)
    return frames[earlier:], times[earlier:], phi.clone(), times[:earlier]


def _content(network: ActorObserverNet) -> bytes:
    """The file: the weights are in it, and everything that is needed to use it as metadata."""
    import onnx

    fast = for_inference(network)
    size = network.config.size
    batch, height, width, before = (torch.export.Dim(name) for name in ("batch", "height", "width", "earlier"))
    free = {} if fast.backbone.exact_size else {2: height, 3: width}
    free = {axis + 1: size for axis, size in free.items()} if fast.backbone.clip.moving else free
    shapes = ({0: batch, **free}, {0: batch}, {0: before}, {0: before})
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
            warnings.simplefilter("ignore")
            for chatty in ("onnxscript", "torch.onnx._internal.exporter._registration"):
                logging.getLogger(chatty).setLevel(logging.ERROR)
            program = torch.onnx.export(
                _Take(fast),
                _example(fast, 3, size, size + 8, earlier=2),
                input_names=list(INPUTS),
                output_names=_outputs(network),
                dynamic_shapes=shapes,
                opset_version=OPSET,
                dynamo=True,
                verbose=False,
            )
            assert program is not None
            proto = program.model_proto
    except Exception as error:  # the exporter's errors have no other common base
        cause = error.__cause__ or error  # the exporter wraps the cause in advice for its own developers
        reason = (str(cause).strip() or type(cause).__name__).splitlines()[0][:200]
        raise UserError(f"{network.config.backbone} cannot be written as ONNX ({reason})") from error
    none = np.zeros((0, network.backbone.feature_size), dtype=np.float32)
    for name, default in (("earlier_phi", none), ("earlier_times", none[:, 0])):  # with a default, it need not be given
        proto.graph.initializer.append(onnx.numpy_helper.from_array(default, name))
    for key, fact in _facts(network).items():
        entry = proto.metadata_props.add()
        entry.key, entry.value = key, fact
    return bytes(proto.SerializeToString())


def _as_everywhere(network: ActorObserverNet, inputs: tuple[Tensor, ...]) -> list[Any]:
    """The outputs as the rest of the package computes them."""
    frames, times, earlier_phi, earlier_times = inputs
    phi, when = torch.cat([earlier_phi, network.phi(frames)]), torch.cat([earlier_times, times])
    seen = network.in_take(phi, when)
    outputs = []
    for view in VIEWS:
        features, f = network.embed(seen, view)
        named = [network.name(phi, when, view, features).softmax(dim=1)] if network.names_actions else []
        outputs += [features, f, *named]
    return [output.numpy() for output in outputs]


def _facts(network: ActorObserverNet) -> dict[str, str]:
    """What a program must know to show it the right frames."""
    config = network.config
    return {
        "size": str(config.size),
        "crop": config.crop,
        "takes_needed": json.dumps(config.takes_needed),  # whether a frame's embedding depends on the others
        "labels": json.dumps(list(config.labels)),
        "label_names": json.dumps(list(config.label_names)),
        "backbone": config.backbone,
        "clip": json.dumps(asdict(network.backbone.clip)),  # frames, frames a second, time steps
        "exact_size": json.dumps(network.backbone.exact_size),
    }


def _check(network: ActorObserverNet, content: bytes, path: Path) -> dict[str, float]:
    """The largest difference of each output from torch's, relative to its own size; refused if it is too large."""
    import onnxruntime

    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 3  # it warns about inputs with defaults, which are intended
    session = onnxruntime.InferenceSession(content, quiet, providers=["CPUExecutionProvider"])
    names = _outputs(network)
    size = network.config.size
    worst = dict.fromkeys(names, 0.0)
    for batch, height, width, earlier in ((4, size, round(size * 4 / 3), 3), (5, size, size, 0)):
        inputs = _example(network, batch, height, width, earlier)
        with torch.inference_mode():
            expected = [network.phi(inputs[0]).numpy(), *_as_everywhere(network, inputs)]
        given = dict(zip(INPUTS[: 4 if earlier else 2], (value.numpy() for value in inputs), strict=False))
        try:
            found = session.run(names, given)
        except Exception as error:  # onnxruntime's errors have no other common base
            what = f"the exporter fixed its batch or its size ({first_line(error)[:160]})"
            raise UserError(f"{network.config.backbone} cannot be written as ONNX: {what}") from error
        for name, ours, theirs in zip(names, found, expected, strict=True):
            scale = max(1.0, float(np.abs(theirs).max()))
            worst[name] = max(worst[name], float(np.abs(ours - theirs).max()) / scale)
    name, difference = max(worst.items(), key=lambda item: item[1])
    if not difference <= TOLERANCE:
        raise UserError(f"{path}: {name} differs from torch by {difference:.1e}, more than {TOLERANCE:g}: not written")
    return worst
