"""Open a network of `transformers`, in a folder or on the hub, by its config.json. Nothing of a stranger is run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from logging import CRITICAL
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import nn

from actor_observer.errors import UserError, first_line, missing_extra
from actor_observer.model.backbones.hugging_face.hf import HuggingFace
from actor_observer.model.backbones.hugging_face.prepare import Prepare, prepare_for, scaling_for

__all__ = ["hf_backbone", "open_hf"]

MOST_TEXT = 4 << 20  # bytes: no configuration is longer
PROCESSORS = ("preprocessor_config.json", "video_preprocessor_config.json")
SPARED = ("pooler.", "predictor.", "mask_token")  # what no φ is made of, or is left away where it is missing


def hf_backbone(
    name: str, pretrained: bool = True, architecture: dict[str, Any] | None = None, as_before: bool = False
) -> HuggingFace:
    """`transformers`' vision network NAME: a hub id or a local folder. Only safetensors are read, no code is run.

    `architecture` rebuilds one from what a saved network says of it. `as_before` shows it frames as was done before its
    own processor's steps were followed: for indexes of that time.
    """
    transformers = _library(name)
    try:
        if architecture:
            return _rebuilt(transformers, architecture)
        config = read_config(name)
        if pretrained:
            model, found = open_hf(name)
            missing = list(found["missing_keys"])
        else:
            made = transformers.AutoConfig.for_model(config["model_type"], **_harmless(config))
            model, missing = transformers.AutoModel.from_config(made, trust_remote_code=False), []
        seen = read_processor(name)
        pooled = not any("pooler." in key for key in missing)
        if as_before:
            mean, std = (tuple(seen.get(key) or (0.5, 0.5, 0.5)) for key in ("image_mean", "image_std"))
            return _tried(HuggingFace(vision_part(model), mean, std, pooled))
        part = vision_part(model)
        try:
            prepare, scaling = prepare_for(config["model_type"], seen, *_own_size(part.config)), scaling_for(seen)
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"hf:{name}: its {PROCESSORS[0]} makes no sense ({first_line(error)[:100]})") from error
        whole = model.config.to_dict() if part is not model and joint_part(model) is not None else None
        return _tried(HuggingFace(part, *scaling, pooled, prepare, joint_part(model), whole))
    except UserError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        reason = f"one of its files lacks {reason}" if isinstance(error, KeyError) else reason
        raise UserError(f"hf:{name} cannot be had as a vision model: {reason}") from error


def _rebuilt(transformers: Any, architecture: dict[str, Any]) -> HuggingFace:
    settings = _harmless(architecture["config"])
    config = transformers.AutoConfig.for_model(settings.pop("model_type"), **settings)
    model = transformers.AutoModel.from_config(config, trust_remote_code=False)
    mean, std, pooled = (architecture[key] for key in ("mean", "std", "pooled"))
    prepare = Prepare(**architecture["prepare"]) if architecture.get("prepare") else None
    joint = joint_part(model) if architecture.get("joint") else None
    whole = None if joint is None else dict(architecture["config"])
    return HuggingFace(vision_part(model), tuple(mean), tuple(std), bool(pooled), prepare, joint, whole)


def open_hf(name: str) -> tuple[Any, dict[str, Any]]:
    """A whole network with its weights, and what was missing in the file or too much."""
    transformers = _library(name)
    folder = Path(name)
    if folder.is_dir() and not any(folder.glob("*.safetensors")):
        pickles = [path.name for path in sorted(folder.glob("*")) if path.suffix in (".bin", ".pt", ".pth", ".ckpt")]
        also = f", and {pickles[0]} is not: a pickle can run code" if pickles else ""
        raise UserError(f"hf:{name}: there is no *.safetensors in this folder{also}")
    try:
        with quiet(folder.is_dir()):
            model, found = transformers.AutoModel.from_pretrained(
                name, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
    except RuntimeError as error:
        if "mismatch" in str(error):
            raise UserError(f"hf:{name}: the weights do not fit its config.json (other shapes)") from error
        raise
    except SafetensorError as error:
        raise UserError(
            f"hf:{name}: a file of weights is damaged, or not all there ({first_line(error)[:100]}); fetch it again, "
            "with `git lfs pull` where it came with git"
        ) from error
    _refuse_noise(name, model, found["missing_keys"])
    return model, found


def _refuse_noise(name: str, model: nn.Module, missing: Iterable[str]) -> None:
    """What is in no file, transformers fills with random numbers: a network of these says nothing."""
    weights = {key for key, weight in model.state_dict().items() if weight.ndim > 1}
    lost = sorted(key for key in weights & set(missing) if not any(part in key for part in SPARED))
    if lost:
        raise UserError(
            f"hf:{name}: {len(lost)} of the {len(weights)} weights that its config.json speaks of are in no file, such "
            f"as {lost[0]}: these are weights of something else, or not all of them"
        )


@contextmanager
def quiet(bars: bool) -> Iterator[None]:
    """Without what transformers tells of its work: a mistake is one line of ours. Bars, too, but those of downloads."""
    from transformers.utils import logging

    before, drawn = logging.get_verbosity(), bars and logging.is_progress_bar_enabled()
    logging.set_verbosity(CRITICAL)
    if drawn:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if drawn:
            logging.enable_progress_bar()


def read_config(name: str) -> dict[str, Any]:
    """The config.json of a network, refused where it needs code of its own.

    >>> read_config("src")
    Traceback (most recent call last):
    actor_observer.errors.UserError: hf:src: there is no config.json in this folder
    """
    if not Path(name).is_dir() and (Path(name).is_absolute() or len(Path(name).parts) > 2):
        raise UserError(f"hf:{name}: no such folder")  # a name on the hub is OWNER/NAME
    config = _read_json(name, "config.json")
    if config is None:
        where = "in this folder" if Path(name).is_dir() else "on the hub or in its cache"
        raise UserError(f"hf:{name}: there is no config.json {where}")
    kind = config.get("model_type")
    known = _library(name).CONFIG_MAPPING
    if not isinstance(kind, str) or kind not in known:
        why = "it needs code of its own, which is never run" if "auto_map" in config else "this transformers lacks it"
        raise UserError(f"hf:{name}: its config.json names a network {kind!r}; {why}")
    if code := _foreign_code(config):
        raise UserError(f"hf:{name}: its config.json asks for code from the hub ({code[:60]}), which is never run")
    return config


def _foreign_code(settings: Any) -> str:
    """The code on the hub (OWNER/NAME) that a configuration, or a part of it, wants layers computed by; "" if none.

    >>> _foreign_code({"vision_config": {"_attn_implementation": "someone/kernel"}}), _foreign_code({"a": "b/c"})
    ('someone/kernel', '')
    """
    for key, value in settings.items() if isinstance(settings, dict) else ():
        if key.endswith("_implementation") and any(mark in str(value) for mark in "/:"):
            return str(value)
        if found := _foreign_code(value):
            return found
    return ""


def read_processor(name: str) -> dict[str, Any]:
    """What the network's processor does with frames; empty where no file says it."""
    for file in PROCESSORS:
        found = _read_json(name, file)
        if found is not None:
            inner = found.get("image_processor") or found.get("video_processor")
            return inner if isinstance(inner, dict) else found
    return {}


def _read_json(name: str, file: str) -> dict[str, Any] | None:
    folder = Path(name)
    if folder.is_dir():
        path: Path | None = folder / file
        if not (folder / file).is_file():
            return None
    else:
        from transformers.utils.hub import cached_file

        found = cached_file(name, file, _raise_exceptions_for_missing_entries=False)
        path = Path(found) if found else None
    if path is None:
        return None
    if path.stat().st_size > MOST_TEXT:
        raise UserError(f"{path}: too long for a configuration")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a configuration (JSON)")
    return content


def _tried(backbone: HuggingFace) -> HuggingFace:
    """The backbone, if it makes features of frames: one for sound or text fails here and not in the middle."""
    clip, training = backbone.clip, backbone.training
    size = backbone.image_size or (backbone.input_size or 224,) * 2
    frames = torch.zeros(1, clip.frames, 3, *size) if clip.moving else torch.zeros(1, 3, *size)
    with torch.no_grad():
        found = backbone.eval()(frames)
    wanted = (1, clip.steps, backbone.feature_size) if clip.moving else (1, backbone.feature_size)
    if found.shape != wanted:
        raise ValueError(f"it makes {tuple(found.shape)} of one frame or clip, not {wanted}")
    backbone.train(training)
    return backbone


def _own_size(config: Any) -> tuple[tuple[int, int] | None, int]:
    """Height and width that a network is made for, and the pixels of its patches."""
    own, patch = (
        getattr(config, "image_size", None) or getattr(config, "crop_size", None),
        getattr(config, "patch_size", 16),
    )
    patch = patch[0] if isinstance(patch, (list, tuple)) else patch
    sides = (own, own) if isinstance(own, int) else tuple(own) if own else None
    return sides, int(patch or 16)


def harmless(setting: str) -> bool:
    """Whether a stranger's setting only shapes the model; the others can make transformers fetch and run code.

    >>> harmless("hidden_size"), harmless("_attn_implementation"), harmless("auto_map")
    (True, False, False)
    """
    return not setting.startswith("_") and setting not in ("auto_map", "attn_implementation", "quantization_config")


def _harmless(settings: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if harmless(key)}


def vision_part(model: Any) -> Any:
    """The image side of a model of images and text (CLIP, SigLIP); any other model as it is."""
    return getattr(model, "vision_model", model)


def joint_part(model: Any) -> nn.Module | None:
    """What takes the image side's output into the space shared with words; None where there are no words."""
    if not hasattr(model, "vision_model") or not hasattr(model, "text_model"):
        return None
    projection: nn.Module = getattr(model, "visual_projection", nn.Identity())
    return projection


def _library(name: str) -> Any:
    try:
        import transformers
    except ImportError:
        raise missing_extra(f"hf:{name}", "hf") from None
    return transformers
