#!/usr/bin/env python3
"""Writes the weights of a run of mha-train as a CTranslate2 model: ctranslate2_model.py RUN_DIR OUT_DIR [--weights last].

For models that CTranslate2 has: usual attention with d_k = d_v = d_model / num_heads and scale 1/sqrt(d_k), layer norm, biases, relu or
gelu, no norm of the embeddings, one vocabulary. Runs where ctranslate2, numpy and safetensors are installed.
"""
import argparse
import json
import pathlib

import ctranslate2
import numpy as np
import safetensors.numpy
from ctranslate2.specs import TransformerSpec, common_spec

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]
ACTIVATIONS = {"relu": common_spec.Activation.RELU, "gelu": common_spec.Activation.GELU}


def unlike(config):
    """What keeps the model from being one of CTranslate2's, in words, or None."""
    model, attention = config["model"], config["attention"]
    width = model["d_model"] // attention["num_heads"]
    checks = {"norm_kind": model["norm_kind"] == "layernorm", "bias": model["bias"], "embedding_norm": not model["embedding_norm"],
              "activation": model["activation"] in ACTIVATIONS, "scale": attention["scale"] == "sqrt_dk",
              "d_k": attention["d_k"] in (None, width), "d_v": attention["d_v"] in (None, width),
              "output_projection": attention["output_projection"],
              "overrides": not any(attention[place] for place in ("encoder_self", "decoder_self", "cross")),
              "share_all_embeddings": model["share_all_embeddings"]}
    wrong = [name for name, right in checks.items() if not right]
    return ", ".join(wrong) or None


def sinusoids(count, width):
    """Sines and cosines in turn, as mha-train has them."""
    rates = np.power(10000.0, -(np.arange(width) // 2 * 2) / width)
    angles = np.arange(count)[:, None] * rates[None, :]
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)


def varint(data, at):
    """(value, next place) of a protocol buffer's variable-length integer."""
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data):
    """(number, bytes) of a protocol buffer's fields that are byte strings."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            _, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            at += 4 if key & 7 == 5 else 8


def pieces(run_dir, config):
    """The vocabulary's words by id: a list of words, or the pieces of a SentencePiece model."""
    data = (run_dir / "vocab.joint.model").read_bytes()
    if config["vocab"]["type"] == "file":
        return SPECIALS + data.decode().split("\n")[:len(data.split(b"\n")) - (data.endswith(b"\n"))]
    found = [dict(fields(piece))[1].decode() for number, piece in fields(data) if number == 1]
    return SPECIALS + found[len(SPECIALS):]


class Converter:
    def __init__(self, config, weights):
        self.config, self.weights = config, weights

    def linear(self, spec, *names):
        """Stacks the outputs of some linear maps, which are named by prefix and letter: encoder.layers.0.ffn., 1."""
        spec.weight = np.concatenate([self.weights[f"{prefix}w_{letter}"] for prefix, letter in names])
        spec.bias = np.concatenate([self.weights[f"{prefix}b_{letter}"] for prefix, letter in names])

    def norm(self, spec, name):
        spec.gamma, spec.beta = self.weights[f"{name}.gamma"], self.weights[f"{name}.beta"]

    def self_and_ffn(self, spec, prefix):
        attention = f"{prefix}self_attn."
        self.linear(spec.self_attention.linear[0], (attention, "q"), (attention, "k"), (attention, "v"))
        self.linear(spec.self_attention.linear[1], (attention, "o"))
        self.norm(spec.self_attention.layer_norm, f"{prefix}self_attn_norm")
        self.linear(spec.ffn.linear_0, (f"{prefix}ffn.", "1"))
        self.linear(spec.ffn.linear_1, (f"{prefix}ffn.", "2"))
        self.norm(spec.ffn.layer_norm, f"{prefix}ffn_norm")

    def stack(self, spec, side):
        model = self.config["model"]
        spec.scale_embeddings = True
        learned = model["positions"] == "learned"
        spec.position_encodings.encodings = (self.weights[f"{side}.positions"] if learned
                                             else sinusoids(model["max_positions"], model["d_model"]))
        for i, layer in enumerate(spec.layer):
            prefix = f"{side}.layers.{i}."
            self.self_and_ffn(layer, prefix)
            if side == "decoder":
                attention = f"{prefix}cross_attn."
                self.linear(layer.attention.linear[0], (attention, "q"))
                self.linear(layer.attention.linear[1], (attention, "k"), (attention, "v"))
                self.linear(layer.attention.linear[2], (attention, "o"))
                self.norm(layer.attention.layer_norm, f"{prefix}cross_attn_norm")
        if model["norm"] == "pre":
            self.norm(spec.layer_norm, f"{side}.norm")

    def spec(self, words):
        model = self.config["model"]
        spec = TransformerSpec.from_config((model["encoder_layers"], model["decoder_layers"]), self.config["attention"]["num_heads"],
                                           pre_norm=model["norm"] == "pre", activation=ACTIVATIONS[model["activation"]])
        self.stack(spec.encoder, "encoder")
        self.stack(spec.decoder, "decoder")
        table = self.weights["shared_embedding"]
        spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = spec.decoder.projection.weight = table
        spec.register_source_vocabulary(words)
        spec.register_target_vocabulary(words)
        spec.config.add_source_eos = True
        spec.config.layer_norm_epsilon = model["norm_eps"]
        return spec


def convert(run_dir, out_dir, weights="last"):
    config = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    if why := unlike(config):
        raise SystemExit(f"CTranslate2 has no such model: {why}")
    tensors = safetensors.numpy.load_file(run_dir / "checkpoints" / f"{weights}.safetensors")
    spec = Converter(config, tensors).spec(pieces(run_dir, config))
    spec.validate()
    spec.optimize()
    out_dir.mkdir(parents=True, exist_ok=True)
    spec.save(str(out_dir))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run_dir", type=pathlib.Path)
    parser.add_argument("out_dir", type=pathlib.Path)
    parser.add_argument("--weights", default="last", help="which weights of the run: last, best or average (default: %(default)s)")
    options = parser.parse_args()
    convert(options.run_dir, options.out_dir, options.weights)
    print(f"CTranslate2 {ctranslate2.__version__} model in {options.out_dir}")


if __name__ == "__main__":
    main()
