"""Each word of the vocabularies in use, as it stands in a file or on the command line: a test runs every one of them."""

from __future__ import annotations

from collections.abc import Mapping

INPUTS: Mapping[str, str] = {
    "bool_mask": "mask: {bool_mask: [B, 1, T, S]}",
    "padding_mask": "mask: {padding_mask: [B, 1, 1, S]}",
    "causal_mask": "mask: {causal_mask: [T, S]}",
    "full_mask": "mask: {full_mask: [T, S]}",
    "masked_scores": "scores: {masked_scores: [B, H, T, S], empty_row: true}",
    "size": "d_k: {size: D}",
    "shape": "q_shape: {shape: [B, T, D]}",
    "device": "device: {device: true}",
    "value": "tau: {value: 0.5}",
    "result_of": "cache: {result_of: first step.cache}",
    "normal": "q: {normal: [B, H, T, D], scale: 3.0}",
    "integers": "q: {integers: [B, H, T, D], low: -2, high: 2}",
    "arrays": "weights: {arrays: {w_q: [M, M], w_k: [M, M]}, scale: 0.3}",
    "token_ids": "tokens: {token_ids: [B, T], below: V, first: 3, pad: 0}",
    "outlier": "x: {outlier: [B, T, D], times: 1000.0}",
    "weights": "weights: {weights: [B, T, S], sharpness: 2.0}",
    "identity": "v: {identity: [B, S, S]}",
    "lengths": "lengths: {lengths: [B], of: T}",
}

CHECKS: Mapping[str, str] = {
    "shape": "shape",
    "dtype": "{dtype: {exact: true}}",
    "finite": "finite",
    "values": "values",
    "gradients": "{gradients: {not_in: [mask]}}",
    "low_precision": "low_precision",
    "device": "device",
    "same_in_eval": "{same_in_eval: {argument: p_drop}}",
    "dropout_in_training": "{dropout_in_training: {rate: 0.3}}",
    "no_memory": "{no_memory: {axis: T}}",
    "moves_with_module": "{moves_with_module: {demanded: true}}",
    "no_extra_parameters": "no_extra_parameters",
    "bools_stay_bool": "bools_stay_bool",
    "inputs_unchanged": "{inputs_unchanged: {names: scaled_in_place}}",
    "rows_sum_to_one": "{rows_sum_to_one: {result: weights}}",
    "no_future_leak": "{no_future_leak: {axis: T}}",
    "batch_independence": "batch_independence",
    "key_order": "{key_order: {axis: S}}",
    "padding_invariance": "{padding_invariance: {axis: S, mask: mask}}",
}

QUESTIONS: Mapping[str, str] = {
    "choice": """\
kind: choice
options:
  a: {text: √512, feedback: {en: A head has 512/8 = 64 features., zh: 一个头有 512/8 = 64 个特征。}}
  b: {text: √64}
key: b
""",
    "choices": """\
kind: choices
options:
  a: {text: "-1e9"}
  b: {text: "-10", feedback: {en: Scores may be lower., zh: 分数可能更低。}}
  c: {text: "-inf"}
key: [a, c]
credit: net
""",
    "true_false": """\
kind: true_false
key: false
feedback: {en: "What becomes of d_k in a dot product?", zh: 点积会怎样处理 d_k？}
reasons:
  a: {text: {en: d_k is summed away., zh: d_k 被求和消去。}}
  b: {text: {en: It is n_q×d_k., zh: 它是 n_q×d_k。}, feedback: {en: That is Q., zh: 那是 Q。}}
reason: a
""",
    "number": """\
kind: number
key: 1/8
digits: 3
typical:
  - {value: 1/4, feedback: {en: That is head 2., zh: 那是第 2 个头。}}
""",
    "numbers": """\
kind: numbers
key: [0.0900, 0.2447, 0.6652]
typical:
  - {value: [0.6652, 0.2447, 0.0900], feedback: {en: In reverse., zh: 顺序反了。}}
""",
    "shape": """\
kind: shape
symbols: [B, n_q, n_k]
key: [B, n_q, n_k]
typical:
  - {value: [B, n_k, n_q], feedback: {en: Rows are queries., zh: 行对应 query。}}
""",
    "formula": """\
kind: formula
symbols: {Q: [n, d_k], K: [m, d_k], d_k: []}
key: softmax(Q K^T / √d_k)
typical:
  - {value: softmax(Q K^T / d_k), feedback: {en: The root is missing., zh: 缺少根号。}}
""",
    "order": """\
kind: order
items:
  a: {en: softmax, zh: softmax}
  b: {en: divide by √d_k, zh: 除以 √d_k}
  c: {en: multiply by V, zh: 乘以 V}
key: [b, a, c]
violations:
  - {early: b, late: a, feedback: {en: Scaling comes first., zh: 先缩放。}}
  - {early: a, late: c, feedback: {en: Only weights mix values., zh: 有了权重才能混合 value。}}
""",
    "match": """\
kind: match
left:
  a: {en: filled with −1e9, zh: 填成 −1e9}
  b: {en: filled with −∞, zh: 填成 −∞}
right:
  1: {en: NaN, zh: NaN}
  2: {en: all equal, zh: 全部相等}
key: {a: "2", b: "1"}
feedback:
  a: {en: Filling makes scores equal., zh: 填充使分数彼此相等。}
  b: {en: −∞ − (−∞) is no number., zh: −∞ − (−∞) 不是一个数。}
""",
    "line": """\
kind: line
code: |
  scores = q @ k.transpose(-2, -1)
  weights = scores.softmax(-2)
  return weights @ v
key: 2
reasons:
  a: {text: {en: Softmax runs over the queries., zh: softmax 沿 query 进行。}}
  b: {text: {en: The scale is missing., zh: 缺少缩放。}, feedback: {en: That is line 1., zh: 那是第 1 行。}}
reason: a
typical:
  - {value: 1, feedback: {en: This product is right., zh: 这个乘积没有错。}}
  - {value: 3, feedback: {en: This mixes the values., zh: 这里混合了 value。}}
""",
    "predict": """\
kind: predict
code: |
  q = torch.zeros(2, 5, 8)
  k = torch.zeros(2, 7, 8)
  (q @ k.transpose(-2, -1)).shape
asks: shape
key: [2, 5, 7]
typical:
  - {value: [2, 7, 5], feedback: {en: Rows are queries., zh: 行对应 query。}}
""",
    "text": """\
kind: text
rubric:
  - {en: The variance of a dot product is d_k., zh: 点积的方差是 d_k。}
model_answer:
  en: Dividing by its root brings the variance back to 1.
  zh: 除以它的平方根，方差就回到 1。
""",
}

REPORTS: Mapping[str, str] = {
    "text": "--report text",
    "json": "--report json=report.json",
    "html": "--report html=report.html",
    "markdown": "--report markdown=summary.md",
    "junit": "--report junit=junit.xml",
    "gradescope": "--report gradescope=results/results.json",
    "github": "--report github",
    "ctrf": "--report ctrf=ctrf-report.json",
}

EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "inputs": INPUTS,
    "checks": CHECKS,
    "questions": QUESTIONS,
    "reports": REPORTS,
}
