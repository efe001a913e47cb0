"""The two standard shapes that every program is measured on."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Job:
    """An encoder-decoder Transformer and its batches. `max_tokens`: sentences times the longest of them, as in fairseq."""
    name: str
    layers: int  # of the encoder, and of the decoder
    d_model: int
    d_ff: int
    heads: int
    dropout: float = 0.3
    label_smoothing: float = 0.1
    max_tokens: int = 4096

    def describe(self):
        return (f"{self.layers}+{self.layers} layers, d_model {self.d_model}, d_ff {self.d_ff}, {self.heads} heads, "
                f"dropout {self.dropout}, label smoothing {self.label_smoothing}, batches of at most {self.max_tokens} tokens")


JOBS = {job.name: job for job in (
    Job("tiny", layers=4, d_model=128, d_ff=256, heads=4),
    Job("base", layers=3, d_model=512, d_ff=2048, heads=8),
)}
