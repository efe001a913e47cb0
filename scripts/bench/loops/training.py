"""What the two loops share: arguments, the optimizer, the loss, and one line a step for the clock outside."""
import argparse
import contextlib
import json

import torch
from torch.nn import functional

import batches


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--precision", choices=["fp32", "bf16"], required=True)
    parser.add_argument("--job", type=json.loads, required=True)
    return parser.parse_args()


def train(make_model, logits_of):
    """Trains until it is stopped. `logits_of(model, source, decoder_input)`: [sentences, length, vocabulary]."""
    options = parse()
    job = options.job
    torch.manual_seed(1)
    vocabulary, pairs = batches.read_pairs(options.data)
    model = make_model(vocabulary, job).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4, betas=(0.9, 0.98), eps=1e-9)
    autocast = torch.autocast("cpu", torch.bfloat16) if options.precision == "bf16" else contextlib.nullcontext()
    for update, batch in enumerate(batches.endless(pairs, job["max_tokens"]), 1):
        source = torch.tensor(batches.padded([pair[0] for pair in batch]))
        target = torch.tensor(batches.padded([pair[1] for pair in batch]))
        decoder_input = torch.cat([torch.full((len(batch), 1), batches.BOS), target[:, :-1]], 1)
        tokens = sum(len(pair[1]) for pair in batch)
        with autocast:
            logits = logits_of(model, source, decoder_input)
        loss = functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten(), ignore_index=batches.PAD, reduction="sum",
                                        label_smoothing=job["label_smoothing"]) / tokens
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(json.dumps({"update": update, "target_tokens": tokens, "loss": loss.item()}), flush=True)
