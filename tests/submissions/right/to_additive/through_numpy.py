import numpy as np
import torch


def to_additive(mask, dtype="float32"):
    added = np.where(mask.cpu().numpy(), 0.0, -np.inf).astype(dtype)
    return torch.from_numpy(added).to(mask.device)
