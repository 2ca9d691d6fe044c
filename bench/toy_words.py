"""A toy space of pictures and words for rendered homes: MobileNetV2's pictures, and a small text tower beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from actor_observer.features import FeatureCache, Look
from actor_observer.features.words import TEMPLATES
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.pairs.manifest import Manifest
from tiny_networks import make_tokenizer

__all__ = ["SIDE", "make_toy", "plain_name"]

SIDE, BATCH, WIDTH = 160, 128, 128
SPECIAL = ["<pad>", "<bos>", "<eos>", "<unk>"]


def plain_name(name: str) -> str:
    """A class's name as a text tower reads it.

    >>> plain_name("Taking a cup/bottle")
    'taking a cup bottle'
    """
    return name.lower().replace("/", " ")


def captioned(manifest: Manifest, backbone: Backbone, look: Look, cache: FeatureCache) -> tuple[Tensor, list[str]]:
    """φ (N, D) of third-person training frames, and the name of an action that goes on in each."""
    takes = manifest.of("train").labelled()
    found, _ = cache.features("mobilenet_v2", backbone, takes, look)
    phi, names = [], []
    for take in takes:
        seen = found[take.id]
        for action in take.actions:
            inside = (seen.times >= action.start) & (seen.times < action.end)
            phi.append(torch.from_numpy(np.asarray(seen.features[inside], dtype=np.float32)))
            names += [plain_name(manifest.classes[action.label])] * int(inside.sum())
    return torch.cat(phi), names


def make_toy(manifest: Manifest, backbone: Backbone, look: Look, cache: FeatureCache, folder: Path, steps: int) -> str:
    """Learn a projection of φ and a text tower from captions of third-person training frames; returns `hf:FOLDER`.

    The pictures' network stays as it is. Nothing of first person and nobody of the other splits is shown.
    """
    import transformers

    torch.manual_seed(0)
    said = [*TEMPLATES, *map(plain_name, manifest.classes.values())]
    words = sorted({word for text in said for word in text.replace("{}", "").replace(":", " : ").split()})
    text: dict[str, Any] = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
    }
    width: dict[str, Any] = {"hidden_size": backbone.feature_size}  # which the two towers ask for
    config = transformers.VisionTextDualEncoderConfig.from_vision_text_configs(
        transformers.MobileNetV2Config(**{"tf_padding": False, "layer_norm_eps": 1e-5, **width}),
        transformers.BertConfig(**text, vocab_size=len(SPECIAL) + len(words), max_position_embeddings=32),
        projection_dim=WIDTH,
    )
    model: Any = transformers.VisionTextDualEncoderModel(config)
    ours, theirs = backbone.state_dict(), model.vision_model.state_dict()  # the same layers in the same order
    model.vision_model.load_state_dict(dict(zip(theirs, ours.values(), strict=True)))
    make_tokenizer(folder, [*SPECIAL, *words])
    phi, names = captioned(manifest, backbone, look, cache)
    loss = learn(model, transformers.AutoTokenizer.from_pretrained(folder), phi, names, steps)
    print(f"toy: {len(phi)} frames, {len(set(names))} captions, {steps} steps, last loss {loss:.2f}", flush=True)
    model.save_pretrained(folder)
    mean, std = (getattr(backbone.normalise, key).flatten().tolist() for key in ("mean", "std"))
    told = {
        "do_resize": True,
        "size": {"shortest_edge": look.size},
        "resample": 2,
        "image_mean": mean,
        "image_std": std,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(told))
    return f"hf:{folder}"


def learn(model: Any, tokenizer: Any, phi: Tensor, names: list[str], steps: int) -> float:
    """Pictures to their captions and captions to their pictures; a caption that comes twice is right twice."""
    learned = [*model.visual_projection.parameters(), *model.text_model.parameters()]
    learned += [*model.text_projection.parameters(), model.logit_scale]
    optimiser = torch.optim.AdamW(learned, lr=1e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    random, loss = np.random.default_rng(0), torch.zeros(())
    model.train()
    for _ in range(steps):
        chosen = random.integers(len(phi), size=BATCH)
        told = [names[place] for place in chosen]
        asked = tokenizer(
            [TEMPLATES[random.integers(len(TEMPLATES))].replace("{}", name) for name in told],
            padding=True,
            return_tensors="pt",
        )
        texts = model.text_model(input_ids=asked["input_ids"], attention_mask=asked["attention_mask"]).pooler_output
        pictures = model.visual_projection(functional.dropout(phi[chosen], 0.3))
        same = torch.tensor([[float(a == b) for b in told] for a in told])
        target = same / same.sum(dim=1, keepdim=True)
        logits = model.logit_scale.exp() * cosine(pictures, model.text_projection(texts))
        loss = -(target * logits.log_softmax(1) + target.T * logits.log_softmax(0)).sum(1).mean() / 2
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    model.eval()
    return float(loss.detach())


def cosine(one: Tensor, other: Tensor) -> Tensor:  # (N, D), (M, D) -> (N, M)
    """Cosines between all of one and all of the other."""
    return functional.normalize(one, dim=1) @ functional.normalize(other, dim=1).T
