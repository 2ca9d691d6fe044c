"""Networks of every class that `hf:` loads, made small on the spot: real classes of transformers, random weights."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path
from typing import Any
from zlib import crc32

__all__ = ["CLASSES", "CLIPS", "WORDS", "fingerprint", "make_network", "make_tokenizer"]

TWO = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 24}
SMALL = {**TWO, "intermediate_size": 16, "image_size": 32, "patch_size": 16}
TEXT = {**TWO, "intermediate_size": 16, "vocab_size": 60, "max_position_embeddings": 32, "projection_size": 24}
CLASSES: dict[str, dict[str, Any]] = {
    "VJEPA2": {
        **{"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "mlp_ratio": 1.0, "crop_size": 32},
        **{
            "patch_size": 16,
            "frames_per_clip": 4,
            "tubelet_size": 2,
            "pred_hidden_size": 24,
            "pred_num_hidden_layers": 1,
        },
        **{"pred_num_attention_heads": 2, "pred_mlp_ratio": 1.0},
    },
    "VideoMAE": {**SMALL, "num_frames": 4, "tubelet_size": 2},
    "Timesformer": {**SMALL, "num_frames": 4},
    "Vivit": {**SMALL, "num_frames": 4, "tubelet_size": [2, 16, 16]},
    "ViT": SMALL,
    "Dinov2": {**TWO, "mlp_ratio": 1, "image_size": 28, "patch_size": 14},
    "DINOv3ViT": {**SMALL, "num_register_tokens": 1},
    "CLIP": {
        "vision_config": SMALL,
        "text_config": {**TEXT, "eos_token_id": 2, "bos_token_id": 1},
        "projection_dim": 20,
    },
    "Siglip": {"vision_config": SMALL, "text_config": TEXT},
    "Siglip2": {"vision_config": {**SMALL, "num_patches": 4}, "text_config": TEXT},
}
CLIPS = ("VJEPA2", "VideoMAE", "Timesformer", "Vivit")
WORDS = ("CLIP", "Siglip", "Siglip2")
IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
_CROPPED = {"do_resize": True, "size": {"shortest_edge": 36}, "do_center_crop": True, "resample": 2}
CROPPED = {**_CROPPED, "crop_size": {"height": 32, "width": 32}, **IMAGENET}
SQUARE = {"do_resize": True, "size": {"height": 32, "width": 32}, "resample": 2}
PROCESSORS: dict[str, dict[str, Any]] = {  # of the published networks, with the sizes above
    "VJEPA2": CROPPED,
    "VideoMAE": {**CROPPED, "size": {"shortest_edge": 32}},
    "Timesformer": {**CROPPED, "size": {"shortest_edge": 32}},
    "Vivit": {**CROPPED, "rescale_factor": 1 / 127.5, "offset": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3},
    "ViT": {**SQUARE, "image_mean": [0.5] * 3, "image_std": [0.5] * 3},
    "Dinov2": {**CROPPED, "size": {"shortest_edge": 32}, "crop_size": {"height": 28, "width": 28}, "resample": 3},
    "DINOv3ViT": {**SQUARE, **IMAGENET},
    "CLIP": {**CROPPED, "size": {"shortest_edge": 32}, "resample": 3},
    "Siglip": {**SQUARE, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.5] * 3},
    "Siglip2": {"patch_size": 16, "max_num_patches": 6, "resample": 2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3},
}
VOCABULARY = [
    "<pad>",
    "<bos>",
    "<eos>",
    "<unk>",
    "a",
    "person",
    "pours",
    "pour",
    "water",
    "opens",
    "open",
    "door",
    "the",
]
VOCABULARY += ["sit", "down", "take", "put", "cup", "read", "book"]


def make_network(name: str, folder: Path, seed: int = 0) -> Path:
    """A network of a class, as a folder that `hf:FOLDER` loads; with a tokenizer where it knows words."""
    import torch
    import transformers

    logging.getLogger("transformers").setLevel(logging.ERROR)
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(seed)
    config = getattr(transformers, f"{name}Config")(**CLASSES[name])
    model = getattr(transformers, f"{name}Model")(config)
    for key, weight in model.named_parameters():  # as they start, these networks hardly look at their input
        if weight.ndim > 1:  # the same in whatever order a version makes them
            torch.nn.init.normal_(weight, std=0.2, generator=torch.Generator().manual_seed(crc32(key.encode()) + seed))
    model.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps(PROCESSORS[name]))
    if name in WORDS:
        make_tokenizer(folder, [*VOCABULARY, "▁", *"bcdefghijklmnopqrstuvwxyz"])  # SigLIP 2's spells words by letters
    return folder


def fingerprint(folder: Path) -> str:
    """A digest of a network's weights in a folder: the same numbers, the same digest."""
    from safetensors.numpy import load_file

    digest = hashlib.sha256()
    for key, weight in sorted(load_file(folder / "model.safetensors").items()):
        digest.update(f"{key} {weight.shape} {weight.dtype}".encode() + weight.tobytes())
    return digest.hexdigest()[:16]


def make_tokenizer(folder: Path, words: list[str]) -> None:
    """A tokenizer that knows these words, of which the first four have a part to play."""
    import tokenizers
    import transformers

    told = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>")
    )
    told.normalizer = tokenizers.normalizers.Lowercase()
    told.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    told.post_processor = tokenizers.processors.TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[("<bos>", 1), ("<eos>", 2)]
    )
    parts = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token"), words[:4], strict=True))
    transformers.PreTrainedTokenizerFast(tokenizer_object=told, model_max_length=32, **parts).save_pretrained(folder)
