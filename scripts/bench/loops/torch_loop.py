"""A plain PyTorch training loop over nn.Transformer: shared embeddings, sinusoids, Adam. Runs in the base environment."""
import math

import torch
from torch import nn

import batches
import training


class Translator(nn.Module):
    """nn.Transformer (post-norm, its default) between one embedding matrix for source, target and output."""

    def __init__(self, vocabulary, job, longest=512):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, job["d_model"], padding_idx=batches.PAD)
        nn.init.normal_(self.embedding.weight, std=job["d_model"]**-0.5)
        self.scale = math.sqrt(job["d_model"])
        self.dropout = nn.Dropout(job["dropout"])
        self.transformer = nn.Transformer(job["d_model"], job["heads"], job["layers"], job["layers"], job["d_ff"],
                                          job["dropout"], batch_first=True)
        self.register_buffer("positions", sinusoids(longest, job["d_model"]))

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * self.scale + self.positions[:ids.shape[1]])

    def forward(self, source, decoder_input):
        hidden = source == batches.PAD
        causal = nn.Transformer.generate_square_subsequent_mask(decoder_input.shape[1], dtype=torch.bool)
        # The decoder's own padding needs no mask: it stands at the end, where the causal mask hides it.
        out = self.transformer(self.embed(source), self.embed(decoder_input), tgt_mask=causal, tgt_is_causal=True,
                               src_key_padding_mask=hidden, memory_key_padding_mask=hidden)
        return out @ self.embedding.weight.T


def sinusoids(length, width):
    """Vaswani et al., 2017: sines and cosines of wavelengths from 2 pi to 10000 * 2 pi."""
    angles = torch.arange(length)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


if __name__ == "__main__":
    training.train(Translator, lambda model, source, decoder_input: model(source, decoder_input))
