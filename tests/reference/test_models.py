"""Layers and the whole model against torch's own, the numbers of the prompts, and decoding step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import probes
import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

FUNCTIONS = probes.load_reference().FUNCTIONS
OPTIONS: dict[str, Any] = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}


def attention_state(name: str, weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    packed = torch.cat([weights[prefix + letter] for letter in "qkv"])
    return {
        f"{name}.in_proj_weight": packed,
        f"{name}.in_proj_bias": packed.new_zeros(packed.shape[0]),
        f"{name}.out_proj.weight": weights[prefix + "o"],
        f"{name}.out_proj.bias": packed.new_zeros(packed.shape[1]),
    }


def other_state(weights: Mapping[str, Tensor], norms: int) -> dict[str, Tensor]:
    names = {f"linear{i}.{long}": f"{short}_{i}" for i in (1, 2) for long, short in (("weight", "w"), ("bias", "b"))}
    for i in range(1, norms + 1):
        names |= {f"norm{i}.weight": f"gamma_{i}", f"norm{i}.bias": f"beta_{i}"}
    return {ours: weights[theirs] for ours, theirs in names.items()}


def forbidden(mask: Tensor | None, *shape: int) -> Tensor | None:
    """Return the mask as torch's layers take it: for each sample and head, True = may not attend."""
    return None if mask is None else (~mask).expand(shape).reshape(-1, *shape[2:])


def torch_encoder(x: Tensor, weights: Mapping[str, Tensor], h: int, mask: Tensor | None = None) -> Tensor:
    samples, n, d = x.shape
    layer = nn.TransformerEncoderLayer(d, h, len(weights["b_1"]), **OPTIONS)
    state = attention_state("self_attn", weights, "w_") | other_state(weights, 2)
    result: Tensor = functional_call(layer, state, (x,), {"src_mask": forbidden(mask, samples, h, n, n)})
    return result


def torch_decoder(
    x: Tensor, memory: Tensor, weights: Mapping[str, Tensor], h: int, memory_mask: Tensor | None = None
) -> Tensor:
    samples, n, d = x.shape
    layer = nn.TransformerDecoderLayer(d, h, len(weights["b_1"]), **OPTIONS)
    state = attention_state("self_attn", weights, "w_") | attention_state("multihead_attn", weights, "cross_")
    masks = {
        "tgt_mask": torch.ones(n, n, dtype=torch.bool).triu(1),
        "memory_mask": forbidden(memory_mask, samples, h, n, memory.shape[1]),
    }
    result: Tensor = functional_call(layer, state | other_state(weights, 3), (x, memory), masks)
    return result


@pytest.mark.parametrize(("slug", "oracle"), [("encoder_layer", torch_encoder), ("decoder_layer", torch_decoder)])
def test_a_layer_agrees_with_torch(slug: str, oracle: Any) -> None:
    for case, arguments in probes.calls(probes.exercises()[slug]):
        assert torch.allclose(FUNCTIONS[slug](**arguments), oracle(**arguments), atol=1e-10), case["name"]


def weights(**given: list[Any]) -> dict[str, Tensor]:
    """Return weights for d = 2 that change nothing, but for those given."""
    eye, zeros, ones = torch.eye(2), torch.zeros(2), torch.ones(2)
    names = [prefix + letter for prefix in ("w_", "cross_") for letter in "qkvo"]
    plain = dict.fromkeys(names, eye) | {"w_1": eye[:1] * 0, "b_1": zeros[:1], "w_2": eye[:, :1] * 0, "b_2": zeros}
    plain |= {f"gamma_{i}": ones for i in (1, 2, 3)} | {f"beta_{i}": zeros for i in (1, 2, 3)}
    return plain | {name: torch.tensor(value) for name, value in given.items()}


def test_the_numbers_of_the_prompts() -> None:
    encoder = weights(w_1=[[1.0, 0.0]], w_2=[[0.0], [4.0]])
    y = FUNCTIONS["encoder_layer"](torch.eye(2)[None], encoder, 1)
    assert torch.allclose(y, torch.tensor([[[-1.0, 1.0], [-1.0, 1.0]]]), atol=1e-3)
    x, memory = torch.tensor([[[1.0, -1.0]]]), torch.tensor([[[1.0, -1.0], [-1.0, 1.0]]])
    y = FUNCTIONS["decoder_layer"](x, memory, weights(b_2=[0.0, 3.0]), 1)
    assert torch.allclose(y, torch.tensor([[[-1.0, 1.0]]]), atol=1e-3)
    inputs, labels = FUNCTIONS["shift_right"](torch.tensor([[5, 7, 2, 0]]), 1, 0)
    assert (inputs.tolist(), labels.tolist()) == ([[1, 5, 7, 2]], [[5, 7, 2, -100]])


def test_a_pad_counts_neither_in_the_loss_nor_in_real_positions_of_the_encoder() -> None:
    case, arguments = next(probes.calls(probes.exercises()["encoder_layer"]))
    real = arguments["mask"][:, 0, 0, :, None]
    other = dict(arguments, x=torch.where(real, arguments["x"], 7.0))
    a, b = (FUNCTIONS["encoder_layer"](**given).where(real, 0) for given in (arguments, other))
    assert case["name"] == "padding"
    assert torch.allclose(a, b, atol=1e-12)
    _, labels = FUNCTIONS["shift_right"](torch.tensor([[3, 1, 0, 0]]), 2, 0)
    logits = torch.randn(1, 4, 5, generator=torch.Generator().manual_seed(0))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
    assert torch.allclose(loss, nn.functional.cross_entropy(logits[0, :2], torch.tensor([3, 1])))


def test_the_model_agrees_with_one_made_of_torch_layers() -> None:
    for case, given in probes.calls(probes.exercises()["transformer_logits"]):
        embedding, h, bos, pad = given["embedding"], given["h"], given.get("bos", 1), given.get("pad", 0)

        def embed(ids: Tensor, table: Tensor = embedding, pe: Tensor = given["pe"]) -> Tensor:
            return table[ids] * table.shape[1] ** 0.5 + pe[: ids.shape[1]]

        mask = (given["source"] != pad)[:, None, None]
        inputs, _ = FUNCTIONS["shift_right"](given["target"], bos, pad)
        memory = torch_encoder(embed(given["source"]), given["encoder"], h, mask)
        expected = torch_decoder(embed(inputs), memory, given["decoder"], h, mask) @ embedding.T
        assert torch.allclose(FUNCTIONS["transformer_logits"](**given), expected, atol=1e-9), case["name"]


def test_greedy_decoding_gives_the_rows_of_teacher_forcing() -> None:
    _, given = next(probes.calls(probes.exercises()["transformer_logits"]))
    model = FUNCTIONS["transformer_logits"]
    samples, n = given["target"].shape
    written = torch.zeros(samples, 0, dtype=torch.int64)
    rows = []
    for _step in range(n):
        guess = torch.cat([written, torch.zeros(samples, 1, dtype=torch.int64)], dim=1)  # row t does not see token t
        rows.append(model(**{**given, "target": guess})[:, -1])
        written = torch.cat([written, rows[-1].argmax(-1, keepdim=True)], dim=1)
    assert torch.allclose(torch.stack(rows, dim=1), model(**{**given, "target": written}), atol=1e-12)
