"""The network: backbones, selector heads, VideoSoftmax, objectives, and their files."""

from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.running_loss import RunningLoss
from actor_observer.model.losses.triplet import TripletLoss, distance
from actor_observer.model.losses.video_softmax import VideoSoftmax, log_frame_weights
from actor_observer.model.network import ActorObserverNet, Embedding, Streams
from actor_observer.model.steps.contrast import ContrastLosses, ContrastStep
from actor_observer.model.steps.triplet import TripletLosses, TripletStep

__all__ = [
    "ActorObserverNet",
    "ContrastLosses",
    "ContrastStep",
    "Embedding",
    "NetworkConfig",
    "RunningLoss",
    "SoftInfoNCE",
    "Streams",
    "TripletLoss",
    "TripletLosses",
    "TripletStep",
    "VideoSoftmax",
    "create_backbone",
    "distance",
    "for_inference",
    "load",
    "log_frame_weights",
]
