"""The models that the peers run: transformers' Llama where it is installed, otherwise a plain PyTorch twin of it.

Random weights; nothing is downloaded.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


@dataclass(frozen=True)
class Shape:
    vocab: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    theta: float = 10000.0


SHAPES = {
    "135m": Shape(vocab=49152, hidden=576, layers=30, heads=9, kv_heads=3, head_dim=64, ffn=1536),
    "4m": Shape(vocab=4096, hidden=256, layers=4, heads=4, kv_heads=2, head_dim=64, ffn=768),
}
LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def transformers_version() -> str | None:
    try:
        import transformers
    except ImportError:
        return None
    transformers.logging.set_verbosity_error()
    return transformers.__version__


def peft_version() -> str | None:
    try:
        import peft
    except ImportError:
        return None
    return peft.__version__


def hugging_face_model(shape: Shape) -> nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=shape.vocab,
        hidden_size=shape.hidden,
        intermediate_size=shape.ffn,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config).float()


class RMSNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


class Lora(nn.Module):
    """y = Wx + (alpha / r) · B(Ax), W frozen."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.a), self.b) * self.scale


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class Layer(nn.Module):
    def __init__(self, s: Shape):
        super().__init__()
        self.s = s
        self.norm1, self.norm2 = RMSNorm(s.hidden), RMSNorm(s.hidden)
        self.q_proj = nn.Linear(s.hidden, s.heads * s.head_dim, bias=False)
        self.k_proj = nn.Linear(s.hidden, s.kv_heads * s.head_dim, bias=False)
        self.v_proj = nn.Linear(s.hidden, s.kv_heads * s.head_dim, bias=False)
        self.o_proj = nn.Linear(s.heads * s.head_dim, s.hidden, bias=False)
        self.gate_proj = nn.Linear(s.hidden, s.ffn, bias=False)
        self.up_proj = nn.Linear(s.hidden, s.ffn, bias=False)
        self.down_proj = nn.Linear(s.ffn, s.hidden, bias=False)

    def forward(self, x, cos, sin, cache=None, start=0):
        """x [B, T, hidden]; `cache` = keys and values [2, B, kv_heads, capacity, head_dim], filled up to `start`."""
        s, (batch, tokens, _) = self.s, x.shape
        h = self.norm1(x)
        q = rotate(self.q_proj(h).view(batch, tokens, s.heads, s.head_dim).transpose(1, 2), cos, sin)
        k = rotate(self.k_proj(h).view(batch, tokens, s.kv_heads, s.head_dim).transpose(1, 2), cos, sin)
        v = self.v_proj(h).view(batch, tokens, s.kv_heads, s.head_dim).transpose(1, 2)
        if cache is not None:
            cache[0, :, :, start : start + tokens] = k
            cache[1, :, :, start : start + tokens] = v
            k, v = cache[:, :, :, : start + tokens]
        h = F.scaled_dot_product_attention(q, k, v, is_causal=tokens > 1, enable_gqa=True)
        x = x + self.o_proj(h.transpose(1, 2).reshape(batch, tokens, -1))
        h = self.norm2(x)
        return x + self.down_proj(F.silu(self.gate_proj(h)) * self.up_proj(h))


class Twin(nn.Module):
    def __init__(self, s: Shape):
        super().__init__()
        self.s = s
        self.checkpointing = False
        self.embed = nn.Embedding(s.vocab, s.hidden)
        self.layers = nn.ModuleList(Layer(s) for _ in range(s.layers))
        self.norm = RMSNorm(s.hidden)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def hidden(self, ids, caches=None, start=0):
        positions = torch.arange(start, start + ids.shape[1]).float()
        frequencies = self.s.theta ** (-torch.arange(0, self.s.head_dim, 2).float() / self.s.head_dim)
        angles = positions[:, None] * frequencies
        cos, sin = angles.cos(), angles.sin()
        x = self.embed(ids)
        for i, layer in enumerate(self.layers):
            if self.checkpointing:
                x = checkpoint(layer, x, cos, sin, use_reentrant=False)
            else:
                x = layer(x, cos, sin, None if caches is None else caches[i], start)
        return self.norm(x)

    def loss(self, ids):
        logits = F.linear(self.hidden(ids), self.embed.weight)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

    def add_lora(self, rank: int, alpha: float) -> None:
        self.requires_grad_(False)
        for layer in self.layers:
            for name in LINEAR:
                setattr(layer, name, Lora(getattr(layer, name), rank, alpha))
