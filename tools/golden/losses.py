"""Golden values for the GRPO loss, its gradient with respect to the log-probabilities, and the advantages.

All of them come from running TRL's own code: `GRPOTrainer._compute_loss` with a stand-in for the trainer, and, for
advantages and the masking of truncated completions, the statements of `_generate_and_score_completions` that compute
them, taken out of the installed source. Each loss is also checked here against the formula in `by_formula`.

Writes test/golden/losses/grpo.json and test/golden/losses/advantages.json.
"""

import ast
import inspect
import textwrap
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import torch
import trl
from trl.trainer import grpo_trainer
from trl.trainer.grpo_trainer import GRPOTrainer

from common import GOLDEN, write_json

GROUPS, GROUP_SIZE, TOKENS = 2, 4, 6
ROWS = GROUPS * GROUP_SIZE
MAX_COMPLETION_LENGTH = 10
EOS = 2
LENGTHS = [6, 4, 2, 4, 5, 6, 1, 6]
TRUNCATED = [True, False, False, False, False, True, False, False]


def statements(function, first: str, last: str) -> str:
    """The consecutive statements of a method from the one that starts with `first` to the one that starts with `last`."""
    body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
    source = [ast.unparse(node) for node in body]
    start = next(i for i, s in enumerate(source) if s.startswith(first))
    end = next(i for i in range(start, len(source)) if source[i].startswith(last))
    return "\n".join(source[start : end + 1])


ADVANTAGES = statements(
    GRPOTrainer._generate_and_score_completions, "unscorable_mask = ", "advantages = torch.nan_to_num"
)
MASK_TRUNCATED = statements(
    GRPOTrainer._generate_and_score_completions, "if self.mask_truncated_completions", "num_items_in_batch = "
)


def advantages(rewards, weights, scale_rewards: str, group_size: int) -> list[float]:
    """`rewards` is [row][function] with None where a function does not apply."""
    scope = dict(
        vars(grpo_trainer),
        rewards_per_func=torch.tensor(
            [[np.nan if r is None else r for r in row] for row in rewards], dtype=torch.float64
        ),
        num_generations=group_size,
        device="cpu",
        self=SimpleNamespace(
            multi_objective_aggregation="sum_then_normalize",
            scale_rewards=scale_rewards,
            reward_weights=torch.tensor(weights, dtype=torch.float64),
            reward_funcs=weights,
        ),
    )
    exec(ADVANTAGES, scope)
    return scope["advantages"].tolist()


def mask_truncated(mask: torch.Tensor) -> torch.Tensor:
    """TRL's mask when truncated completions are masked; a completion is one when it ends in neither EOS nor padding."""
    last_token = [7 if truncated else EOS for truncated in TRUNCATED]
    scope = dict(
        vars(grpo_trainer),
        completion_mask=mask.int(),
        tool_mask=None,
        completion_ids_list=[[5, last] for last in last_token],
        device="cpu",
        self=SimpleNamespace(
            mask_truncated_completions=True,
            eos_token_ids=[EOS],
            _tokenizer=SimpleNamespace(pad_token_id=0),
            accelerator=SimpleNamespace(gather=lambda x: x),
        ),
    )
    exec(MASK_TRUNCATED, scope)
    return scope["completion_mask"]


def make_batch() -> dict[str, torch.Tensor]:
    random = np.random.default_rng(503)
    old = -random.exponential(1.2, (ROWS, TOKENS)) - 0.05
    batch = {
        "logprobs": np.minimum(-0.01, old + random.normal(0, 0.3, (ROWS, TOKENS))),
        "old_logprobs": old,
        "ref_logprobs": np.minimum(-0.01, old + random.normal(0, 0.4, (ROWS, TOKENS))),
        "advantages": np.array([0.9, -1.2, 1.1, -0.8, -1.4, 0.7, -0.8, 1.3]),
    }
    batch = {name: torch.from_numpy(np.round(value, 4)) for name, value in batch.items()}
    mask = torch.zeros(ROWS, TOKENS, dtype=torch.int64)
    for row, length in enumerate(LENGTHS):
        mask[row, :length] = 1
    mask[3, 2] = 0  # a token that a tool wrote
    batch["mask"] = mask
    return batch


def compute(batch, options) -> dict:
    """Sum of TRL's losses over the micro-batches, its gradient, and the logged metrics when there is one micro-batch."""
    mask = mask_truncated(batch["mask"]) if options["mask_truncated_completions"] else batch["mask"]
    micro_batches = options["micro_batches"]
    metrics = {"train": defaultdict(list)}
    log_probs = batch["logprobs"].clone().requires_grad_()
    total = torch.zeros((), dtype=torch.float64)
    for rows in torch.arange(ROWS).chunk(micro_batches):
        trainer = SimpleNamespace(
            model=SimpleNamespace(training=True),
            args=SimpleNamespace(
                delta=options["delta"], use_bias_correction_kl=False, steps_per_generation=micro_batches
            ),
            accelerator=SimpleNamespace(
                num_processes=1, gather=lambda x: x, reduce=lambda x, reduction: x, sync_gradients=True
            ),
            loss_type=options["loss_type"],
            beta=options["beta"],
            epsilon_low=options["epsilon"],
            epsilon_high=options["epsilon_high"],
            importance_sampling_level=options["importance_sampling_level"],
            max_completion_length=MAX_COMPLETION_LENGTH,
            current_gradient_accumulation_steps=micro_batches,
            top_entropy_quantile=1.0,
            off_policy_mask_threshold=None,
            use_vllm=False,
            aux_loss_enabled=False,
            _entropy_bonus_enabled=False,
            _metrics=metrics,
            _get_per_token_logps_and_entropies=lambda *a, **k: (log_probs[rows], torch.zeros(len(rows), TOKENS), None),
        )
        inputs = {
            "prompt_ids": torch.zeros(len(rows), 1, dtype=torch.int64),
            "prompt_mask": torch.ones(len(rows), 1, dtype=torch.int64),
            "completion_ids": torch.zeros(len(rows), TOKENS, dtype=torch.int64),
            "completion_mask": mask[rows],
            "advantages": batch["advantages"][rows],
            "num_items_in_batch": mask.sum(),
            "ref_per_token_logps": batch["ref_logprobs"][rows],
        }
        if not options["on_policy"]:
            inputs["old_per_token_logps"] = batch["old_logprobs"][rows]
        total = total + GRPOTrainer._compute_loss(trainer, None, inputs)
    total.backward()
    logged = ("kl", "clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean")
    result = {"loss": total.item(), "gradient": log_probs.grad.tolist()}
    if micro_batches == 1:
        result["metrics"] = {k: metrics["train"][k][0] for k in logged if k in metrics["train"]}
    return result


def by_formula(batch, options) -> float:
    mask = batch["mask"].double()
    if options["mask_truncated_completions"]:
        mask = mask * ~torch.tensor(TRUNCATED)[:, None]
    new = batch["logprobs"]
    log_ratio = new - (new if options["on_policy"] else batch["old_logprobs"])
    if options["importance_sampling_level"] == "sequence":
        log_ratio = ((log_ratio * mask).sum(1) / mask.sum(1).clamp(min=1))[:, None].expand_as(mask)
    ratio, advantage = log_ratio.exp(), batch["advantages"][:, None]
    capped = ratio if options["delta"] is None else ratio.clamp(max=options["delta"])
    clipped = ratio.clamp(1 - options["epsilon"], 1 + options["epsilon_high"])
    d = batch["ref_logprobs"] - new
    token = -torch.minimum(capped * advantage, clipped * advantage) + options["beta"] * (d.exp() - d - 1)
    token = token * mask
    loss_type, parts = options["loss_type"], options["micro_batches"]
    if loss_type == "grpo":
        return (token.sum(1) / mask.sum(1).clamp(min=1)).mean().item()
    if loss_type == "bnpo":
        return sum(t.sum() / m.sum().clamp(min=1) for t, m in zip(token.chunk(parts), mask.chunk(parts))).item() / parts
    if loss_type == "dr_grpo":
        return token.sum().item() / (ROWS * MAX_COMPLETION_LENGTH)
    return (token.sum() / mask.sum()).item()


def loss_cases():
    base = dict(
        loss_type="dapo",
        beta=0.0,
        epsilon=0.2,
        epsilon_high=0.28,
        delta=None,
        importance_sampling_level="token",
        mask_truncated_completions=False,
        on_policy=False,
        micro_batches=1,
    )
    variations = [
        {},
        {"beta": 0.05},
        {"epsilon": 0.1, "epsilon_high": 0.1},
        {"importance_sampling_level": "sequence"},
        {"importance_sampling_level": "sequence", "beta": 0.05, "epsilon": 0.02, "epsilon_high": 0.03},
        {"mask_truncated_completions": True, "beta": 0.05},
        {"on_policy": True, "beta": 0.05},
        {"micro_batches": 2, "beta": 0.05},
        {"delta": 1.4},
    ]
    for loss_type in ("grpo", "bnpo", "dr_grpo", "dapo"):
        for variation in variations:
            yield {**base, "loss_type": loss_type, **variation}


def advantage_cases():
    one = [[r] for r in (1, 0, 0, 1, 0, 0, 1, 0)]
    two = [[1, 0.5], [0, 0.25], [None, 0.75], [1, None], [0, 0], [0.5, 0], [None, None], [1, 1]]
    same = [[0.25]] * 4 + [[1], [0], [0.5], [0]]
    lonely = [[None], [0.5], [None], [None], [1], [0], [None], [0.3]]
    for scale_rewards in ("group", "batch", "none"):
        yield dict(rewards=one, reward_weights=[1.0], scale_rewards=scale_rewards, num_generations=4)
        yield dict(rewards=one, reward_weights=[1.0], scale_rewards=scale_rewards, num_generations=2)
        yield dict(rewards=two, reward_weights=[1.0, 1.0], scale_rewards=scale_rewards, num_generations=4)
        yield dict(rewards=two, reward_weights=[2.0, 0.5], scale_rewards=scale_rewards, num_generations=4)
        yield dict(rewards=same, reward_weights=[1.0], scale_rewards=scale_rewards, num_generations=4)
        yield dict(rewards=lonely, reward_weights=[1.0], scale_rewards=scale_rewards, num_generations=4)


def rounded(value):
    """Ten significant digits, so that the files stay small."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def main() -> None:
    made_with = {"trl": trl.__version__, "torch": torch.__version__.split("+")[0]}
    batch = make_batch()
    cases = []
    for options in loss_cases():
        result = compute(batch, options)
        assert abs(result["loss"] - by_formula(batch, options)) < 1e-12, (options, result["loss"])
        cases.append({"options": options, **rounded(result)})
    write_json(
        GOLDEN / "losses" / "grpo.json",
        {
            "madeWith": made_with,
            "maxCompletionLength": MAX_COMPLETION_LENGTH,
            "batch": {**{k: v.tolist() for k, v in batch.items()}, "truncated": TRUNCATED},
            "cases": cases,
        },
    )
    write_json(
        GOLDEN / "losses" / "advantages.json",
        {
            "madeWith": made_with,
            "cases": [
                {
                    **case,
                    "advantages": rounded(
                        advantages(
                            case["rewards"], case["reward_weights"], case["scale_rewards"], case["num_generations"]
                        )
                    ),
                }
                for case in advantage_cases()
            ],
        },
    )
    print(f"{len(cases)} loss cases")


if __name__ == "__main__":
    main()
