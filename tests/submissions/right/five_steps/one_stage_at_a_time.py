import torch

STAGES = (
    lambda s: s["q"] @ s["k"].transpose(-1, -2),
    lambda s: s["scores"] / s["q"].shape[-1] ** 0.5,
    lambda s: s["scaled"].masked_fill(s["mask"] == 0, float("-inf")),
    lambda s: torch.softmax(s["masked"], dim=-1),
    lambda s: s["weights"] @ s["v"],
)
NAMES = ("scores", "scaled", "masked", "weights", "output")


def five_steps(q, k, v, mask):
    state = {"q": q, "k": k, "v": v, "mask": mask}
    for name, stage in zip(NAMES, STAGES):
        state[name] = stage(state)
    return tuple(state[name] for name in NAMES)
