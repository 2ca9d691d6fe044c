"""Words as vectors: the text side of a network of pictures and words (CLIP, SigLIP)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.errors import UserError
from actor_observer.model.backbones.hugging_face.hf_load import joint_part, open_hf, quiet, read_config, vision_part

__all__ = ["TextTower", "text_tower", "vocabulary"]

MOST = 100_000  # characters of a text: more is no query
EXAMPLE = "hf:openai/clip-vit-base-patch32"


class TextTower:
    """Texts in the space of a network's pictures, each of length 1."""

    def __init__(self, name: str, model: Any, tokenizer: Any) -> None:
        self.name, self._model, self._tokenizer = name, model.eval().requires_grad_(False), tokenizer
        config = model.config.text_config
        self.most = int(config.max_position_embeddings)  # tokens of a text
        self._fixed = str(model.config.model_type).startswith("siglip")  # it learned from texts filled up to one length
        self.scale = float(model.logit_scale.exp())  # what its authors multiply cosines by before a softmax

    @property
    def pictures(self) -> nn.Module:
        """The picture side of the same network."""
        part: nn.Module = vision_part(self._model)
        return part

    @torch.inference_mode()
    def embed(self, texts: Sequence[str]) -> Tensor:  # (N, D)
        """Vectors of texts; one that is empty, too long or of words unknown to it is refused."""
        plain = [self._checked(text) for text in texts]
        filled: dict[str, Any] = (
            {"padding": "max_length", "max_length": self.most} if self._fixed else {"padding": True}
        )
        read = self._tokenizer(plain, return_tensors="pt", **filled)
        used = (
            ("input_ids",) if self._fixed else ("input_ids", "attention_mask")
        )  # SigLIP looks at what fills it up, too
        asked = {key: read[key] for key in used}
        found = self._model.get_text_features(**asked)
        vectors: Tensor = getattr(found, "pooler_output", found)
        return functional.normalize(vectors.float(), dim=1).clone()

    def _checked(self, text: str) -> str:
        plain = " ".join(text.split())
        if not plain:
            raise UserError("an empty text says nothing to look for: write what happens, as in 'pours water'")
        if len(plain) > MOST:
            raise UserError(f"a text of {len(plain)} characters: {self.name} reads at most {self.most} pieces of words")
        with quiet(True):  # it warns of what is refused here
            tokens: list[int] = list(self._tokenizer(plain)["input_ids"])
        if len(tokens) > self.most:
            raise UserError(f"'{_short(plain)}': {len(tokens)} pieces of words, {self.name} reads at most {self.most}")
        special = {self._tokenizer.bos_token_id, self._tokenizer.eos_token_id, self._tokenizer.pad_token_id}
        unknown = self._tokenizer.unk_token_id
        meant = [token for token in tokens if token not in special - {unknown}]
        if not meant or (unknown is not None and all(token == unknown for token in meant)):
            raise UserError(f"'{_short(plain)}': {self.name} knows none of these words")
        return plain


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


@lru_cache(maxsize=2)
def text_tower(backbone: str) -> TextTower:
    """The text side of `hf:NAME`; refused where it has none.

    >>> text_tower("resnet18")
    Traceback (most recent call last):
    actor_observer.errors.UserError: resnet18 knows no words; one that does: hf:openai/clip-vit-base-patch32
    """
    name = backbone.removeprefix("hf:")
    if name == backbone:
        raise UserError(f"{backbone} knows no words; one that does: {EXAMPLE}")
    read_config(name)
    try:
        model, _ = open_hf(name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError) as error:
        raise _unread(backbone, error) from error
    if joint_part(model) is None:
        raise UserError(f"{backbone} knows no words; one that does: {EXAMPLE}")
    return TextTower(backbone, model, vocabulary(backbone))


def vocabulary(backbone: str) -> Any:
    """The tokenizer of `hf:NAME`; refused where none is beside it."""
    name = backbone.removeprefix("hf:")
    try:
        import transformers

        with quiet(True):
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError) as error:
        raise _unread(backbone, error) from error
    if len(tokenizer) <= len(tokenizer.all_special_ids):  # made of nothing, as transformers does without its files
        raise UserError(f"{backbone}: its words cannot be read (no vocabulary beside it, such as tokenizer.json)")
    return tokenizer


def _unread(backbone: str, error: Exception) -> UserError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0][:160]
    return UserError(f"{backbone}: its words cannot be read ({reason})")
