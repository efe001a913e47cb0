"""A training loop over Hugging Face's MarianMT model, from random weights. Runs in the environment of the peer `marian`."""
import transformers

import batches
import training


def make_model(vocabulary, job):
    stack = {"layers": job["layers"], "attention_heads": job["heads"], "ffn_dim": job["d_ff"]}
    config = transformers.MarianConfig(
        vocab_size=vocabulary, d_model=job["d_model"], activation_function="relu", scale_embedding=True, max_position_embeddings=512,
        **{f"{side}_{key}": value for side in ("encoder", "decoder") for key, value in stack.items()},
        dropout=job["dropout"], attention_dropout=job["dropout"], activation_dropout=job["dropout"],
        pad_token_id=batches.PAD, bos_token_id=batches.BOS, eos_token_id=batches.EOS,
        decoder_start_token_id=batches.BOS, forced_eos_token_id=batches.EOS)
    return transformers.MarianMTModel(config)


def logits_of(model, source, decoder_input):
    return model(input_ids=source, attention_mask=source != batches.PAD, decoder_input_ids=decoder_input, use_cache=False).logits


if __name__ == "__main__":
    training.train(make_model, logits_of)
