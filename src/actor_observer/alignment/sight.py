"""What a network sees in recordings: asked only where it knows such footage, and only once for each recording."""

from __future__ import annotations

from dataclasses import dataclass, field

from actor_observer.alignment.kinds.likeness import Likeness
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.known import find_known
from actor_observer.features.models import is_trained
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS

__all__ = ["Seen", "Sight"]


@dataclass(frozen=True, eq=False)
class Seen:
    """What a network makes of one recording."""

    phi: TakeEmbedding
    embedding: TakeEmbedding


@dataclass(eq=False)
class Sight:
    """A network's eyes. Only a room and a head camera can be compared by sight: that is what networks learn."""

    network: ActorObserverNet
    look_rate: float = LOOK_RATE  # frames looked at a second
    device: str = "auto"
    _seen: dict[Recording, Seen] = field(default_factory=dict)
    _strange: dict[Recording, str] = field(default_factory=dict)

    def knows(self, one: Recording, other: Recording) -> bool:
        """Whether both look like what the network learned from; a network that nobody calibrated is believed."""
        if (one.view, other.view) != VIEWS or not one.shows or not other.shows:
            return False
        return not self.strange(one) and not self.strange(other)

    def strange(self, recording: Recording) -> str:
        """Why the network has nothing to say about a recording; "" where it knows footage like it."""
        if recording not in self._strange:
            known = find_known(self.network)
            found = None if known is None else known.take(self._glance(recording))
            self._strange[recording] = found.says if found and not found.known else ""
        return self._strange[recording]

    def likeness(self, one: Recording, other: Recording) -> Likeness | None:
        """As evidence; None where it says nothing."""
        if not is_trained(self.network) or not self.knows(one, other):
            return None
        seen = self.look(one), self.look(other)
        return Likeness((seen[0].embedding, seen[1].embedding), (seen[0].phi, seen[1].phi))

    def look(self, recording: Recording) -> Seen:
        """Features and embeddings of its frames."""
        if recording not in self._seen:
            self.remember(recording, recording.phi(self.network, self.look_rate, self.device))
        return self._seen[recording]

    def remember(self, recording: Recording, phi: TakeEmbedding) -> None:
        """Use these features of a recording instead of looking at it."""
        seen = embed_features(self.network, Embeddings({recording.view: phi}))[recording.view]
        self._seen[recording] = Seen(phi, seen)

    def _glance(self, recording: Recording) -> TakeEmbedding:
        """Features of a few dozen frames: enough to know what kind of footage it is."""
        if recording in self._seen:
            return self._seen[recording].phi
        return recording.phi(self.network, min(self.look_rate, recording.glance_rate), self.device)
