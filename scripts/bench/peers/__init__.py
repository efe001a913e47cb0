"""The programs that are compared, one adapter a file."""
from .ctranslate2 import CTranslate2
from .fairseq import Fairseq
from .joeynmt import JoeyNmt
from .marian import Marian
from .mha_train import MhaTrain
from .opennmt import OpenNmt
from .torch_loop import TorchLoop


def programs(mha_train, settings, decode_updates):
    """Every program in the order in which they are measured.

    `mha_train`: the binary; `settings`: more --set for it; `decode_updates`: of the training that makes its weights for decoding.
    """
    MhaTrain.decode_updates = decode_updates
    every = [MhaTrain("bf16", mha_train, settings), MhaTrain("fp32", mha_train, settings), MhaTrain("int8", mha_train, settings), Fairseq(), Marian("fp32"), Marian("bf16"),
             TorchLoop("fp32"), TorchLoop("bf16"), OpenNmt(), JoeyNmt(), CTranslate2("float32"), CTranslate2("int8")]
    return {program.name: program for program in every}
