"""Hugging Face's MarianMT model in a loop of our own."""
from .torch_loop import LoopPeer


class Marian(LoopPeer):
    packages = ("transformers==4.57.3",)
    shown_versions = ("transformers", "torch")
    environment_name = "marian"
    script = "marian_loop.py"

    def __init__(self, precision):
        super().__init__(precision, "marian", "Hugging Face MarianMT, own loop")
