"""Sizes in the configurations of published models, and the parameters that they are published with."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """A model by its configuration."""

    figure: str
    """Its parameters as they are published, to three digits."""
    config: dict[str, object]


def _llama(
    layers: int, hidden: int, heads: int, shared: int, inner: int, vocabulary: int, **more: object
) -> dict[str, object]:
    return {
        "model_type": "llama",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": shared,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
        **more,
    }


def _gpt2(layers: int, hidden: int, heads: int) -> dict[str, object]:
    return {
        "model_type": "gpt2",
        "n_layer": layers,
        "n_embd": hidden,
        "n_head": heads,
        "vocab_size": 50257,
        "n_positions": 1024,
    }


def _opt(layers: int, hidden: int, heads: int, **more: object) -> dict[str, object]:
    return {
        "model_type": "opt",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "ffn_dim": 4 * hidden,
        "vocab_size": 50272,
        "max_position_embeddings": 2048,
        **more,
    }


def _neox(layers: int, hidden: int, heads: int, vocabulary: int) -> dict[str, object]:
    return {
        "model_type": "gpt_neox",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": 4 * hidden,
        "vocab_size": vocabulary,
        "tie_word_embeddings": False,
    }


def _bert(layers: int, hidden: int, heads: int, vocabulary: int, **more: object) -> dict[str, object]:
    return {
        "model_type": "bert",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": 4 * hidden,
        "vocab_size": vocabulary,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        **more,
    }


_TIED = {"tie_word_embeddings": True}

PUBLISHED: dict[str, Published] = {
    "Llama-2-7B": Published("6.74 B", _llama(32, 4096, 32, 32, 11008, 32000)),
    "Llama-2-13B": Published("13.0 B", _llama(40, 5120, 40, 40, 13824, 32000)),
    "Llama-2-70B": Published("69.0 B", _llama(80, 8192, 64, 8, 28672, 32000)),
    "Llama-3-8B": Published("8.03 B", _llama(32, 4096, 32, 8, 14336, 128256)),
    "Llama-3.1-70B": Published("70.6 B", _llama(80, 8192, 64, 8, 28672, 128256)),
    "Llama-3.1-405B": Published("406 B", _llama(126, 16384, 128, 8, 53248, 128256)),
    "Llama-3.2-1B": Published("1.24 B", _llama(16, 2048, 32, 8, 8192, 128256, head_dim=64, **_TIED)),
    "Llama-3.2-3B": Published("3.21 B", _llama(28, 3072, 24, 8, 8192, 128256, head_dim=128, **_TIED)),
    "Yi-6B": Published("6.06 B", _llama(32, 4096, 32, 4, 11008, 64000)),
    "Yi-34B": Published("34.4 B", _llama(60, 7168, 56, 8, 20480, 64000)),
    "SmolLM-135M": Published("135 M", _llama(30, 576, 9, 3, 1536, 49152, **_TIED)),
    "SmolLM2-1.7B": Published("1.71 B", _llama(24, 2048, 32, 32, 8192, 49152, **_TIED)),
    "InternLM2-7B": Published("7.74 B", _llama(32, 4096, 32, 8, 14336, 92544, model_type="internlm2", bias=False)),
    "Mistral-7B": Published("7.24 B", _llama(32, 4096, 32, 8, 14336, 32000, model_type="mistral")),
    "Mistral-Nemo-12B": Published("12.2 B", _llama(40, 5120, 32, 8, 14336, 131072, model_type="mistral", head_dim=128)),
    "Mixtral-8x7B": Published(
        "46.7 B",
        _llama(32, 4096, 32, 8, 14336, 32000, model_type="mixtral", num_local_experts=8, num_experts_per_tok=2),
    ),
    "Mixtral-8x22B": Published(
        "141 B",
        _llama(56, 6144, 48, 8, 16384, 32768, model_type="mixtral", num_local_experts=8, num_experts_per_tok=2),
    ),
    "Qwen2-7B": Published("7.62 B", _llama(28, 3584, 28, 4, 18944, 152064, model_type="qwen2")),
    "Qwen2.5-0.5B": Published("494 M", _llama(24, 896, 14, 2, 4864, 151936, model_type="qwen2", **_TIED)),
    "Qwen2.5-72B": Published("72.7 B", _llama(80, 8192, 64, 8, 29568, 152064, model_type="qwen2")),
    "Qwen1.5-MoE-A2.7B": Published(
        "14.3 B",
        _llama(
            24,
            2048,
            16,
            16,
            5632,
            151936,
            model_type="qwen2_moe",
            num_experts=60,
            num_experts_per_tok=4,
            moe_intermediate_size=1408,
            shared_expert_intermediate_size=5632,
            decoder_sparse_step=1,
        ),
    ),
    "Qwen3-0.6B": Published("596 M", _llama(28, 1024, 16, 8, 3072, 151936, model_type="qwen3", head_dim=128, **_TIED)),
    "Qwen3-8B": Published("8.19 B", _llama(36, 4096, 32, 8, 12288, 151936, model_type="qwen3", head_dim=128)),
    "Qwen3-32B": Published("32.8 B", _llama(64, 5120, 64, 8, 25600, 151936, model_type="qwen3", head_dim=128)),
    "Qwen3-30B-A3B": Published(
        "30.5 B",
        _llama(
            48,
            2048,
            32,
            4,
            6144,
            151936,
            model_type="qwen3_moe",
            head_dim=128,
            num_experts=128,
            num_experts_per_tok=8,
            moe_intermediate_size=768,
            decoder_sparse_step=1,
            mlp_only_layers=[],
        ),
    ),
    "Qwen3-235B-A22B": Published(
        "235 B",
        _llama(
            94,
            4096,
            64,
            4,
            12288,
            151936,
            model_type="qwen3_moe",
            head_dim=128,
            num_experts=128,
            num_experts_per_tok=8,
            moe_intermediate_size=1536,
            decoder_sparse_step=1,
            mlp_only_layers=[],
        ),
    ),
    "Gemma-2B": Published("2.51 B", _llama(18, 2048, 8, 1, 16384, 256000, model_type="gemma", head_dim=256)),
    "Gemma-7B": Published("8.54 B", _llama(28, 3072, 16, 16, 24576, 256000, model_type="gemma", head_dim=256)),
    "Gemma-2-9B": Published("9.24 B", _llama(42, 3584, 16, 8, 14336, 256000, model_type="gemma2", head_dim=256)),
    "Gemma-2-27B": Published("27.2 B", _llama(46, 4608, 32, 16, 36864, 256000, model_type="gemma2", head_dim=128)),
    "Gemma-3-1B": Published("1.00 B", _llama(26, 1152, 4, 1, 6912, 262144, model_type="gemma3_text", head_dim=256)),
    "Phi-2": Published("2.78 B", _llama(32, 2560, 32, 32, 10240, 51200, model_type="phi")),
    "Phi-3-mini": Published("3.82 B", _llama(32, 3072, 32, 32, 8192, 32064, model_type="phi3")),
    "GPT-2": Published("124 M", _gpt2(12, 768, 12)),
    "GPT-2-medium": Published("355 M", _gpt2(24, 1024, 16)),
    "GPT-2-large": Published("774 M", _gpt2(36, 1280, 20)),
    "GPT-2-XL": Published("1.56 B", _gpt2(48, 1600, 25)),
    "GPT-J-6B": Published(
        "6.05 B",
        {
            "model_type": "gptj",
            "n_layer": 28,
            "n_embd": 4096,
            "n_head": 16,
            "vocab_size": 50400,
            "n_positions": 2048,
            "tie_word_embeddings": False,
        },
    ),
    "GPT-NeoX-20B": Published("20.6 B", _neox(44, 6144, 64, 50432)),
    "Pythia-1.4B": Published("1.41 B", _neox(24, 2048, 16, 50304)),
    "Pythia-6.9B": Published("6.86 B", _neox(32, 4096, 32, 50432)),
    "Falcon-7B": Published(
        "6.92 B",
        {
            "model_type": "falcon",
            "num_hidden_layers": 32,
            "hidden_size": 4544,
            "num_attention_heads": 71,
            "vocab_size": 65024,
            "multi_query": True,
            "parallel_attn": True,
            "new_decoder_architecture": False,
            "bias": False,
        },
    ),
    "Falcon-40B": Published(
        "41.3 B",
        {
            "model_type": "falcon",
            "num_hidden_layers": 60,
            "hidden_size": 8192,
            "num_attention_heads": 128,
            "num_kv_heads": 8,
            "vocab_size": 65024,
            "multi_query": True,
            "parallel_attn": True,
            "new_decoder_architecture": True,
            "bias": False,
        },
    ),
    "OPT-125M": Published("125 M", _opt(12, 768, 12)),
    "OPT-350M": Published("331 M", _opt(24, 1024, 16, word_embed_proj_dim=512, do_layer_norm_before=False)),
    "OPT-6.7B": Published("6.66 B", _opt(32, 4096, 32)),
    "OPT-30B": Published("30.0 B", _opt(48, 7168, 56)),
    "BLOOM-176B": Published(
        "176 B", {"model_type": "bloom", "n_layer": 70, "hidden_size": 14336, "n_head": 112, "vocab_size": 250880}
    ),
    "BERT-base": Published("110 M", _bert(12, 768, 12, 30522)),
    "BERT-large": Published("335 M", _bert(24, 1024, 16, 30522)),
    "RoBERTa-base": Published(
        "125 M", _bert(12, 768, 12, 50265, model_type="roberta", max_position_embeddings=514, type_vocab_size=1)
    ),
    "DeepSeek-V2": Published(
        "236 B",
        _llama(
            60,
            5120,
            128,
            128,
            12288,
            102400,
            model_type="deepseek_v2",
            n_routed_experts=160,
            n_shared_experts=2,
            num_experts_per_tok=6,
            moe_intermediate_size=1536,
            first_k_dense_replace=1,
            moe_layer_freq=1,
            q_lora_rank=1536,
            kv_lora_rank=512,
            qk_nope_head_dim=128,
            qk_rope_head_dim=64,
            v_head_dim=128,
        ),
    ),
    "DeepSeek-V2-Lite": Published(
        "15.7 B",
        _llama(
            27,
            2048,
            16,
            16,
            10944,
            102400,
            model_type="deepseek_v2",
            n_routed_experts=64,
            n_shared_experts=2,
            num_experts_per_tok=6,
            moe_intermediate_size=1408,
            first_k_dense_replace=1,
            moe_layer_freq=1,
            q_lora_rank=None,
            kv_lora_rank=512,
            qk_nope_head_dim=128,
            qk_rope_head_dim=64,
            v_head_dim=128,
        ),
    ),
    "DeepSeek-V3": Published(
        "671 B",
        _llama(
            61,
            7168,
            128,
            128,
            18432,
            129280,
            model_type="deepseek_v3",
            n_routed_experts=256,
            n_shared_experts=1,
            num_experts_per_tok=8,
            moe_intermediate_size=2048,
            first_k_dense_replace=3,
            moe_layer_freq=1,
            q_lora_rank=1536,
            kv_lora_rank=512,
            qk_nope_head_dim=128,
            qk_rope_head_dim=64,
            v_head_dim=128,
            num_nextn_predict_layers=1,
        ),
    ),
    "OLMo-7B": Published("6.89 B", _llama(32, 4096, 32, 32, 11008, 50304, model_type="olmo")),
    "OLMo-2-7B": Published("7.30 B", _llama(32, 4096, 32, 32, 11008, 100352, model_type="olmo2")),
    "StableLM-3B": Published(
        "2.80 B", _llama(32, 2560, 32, 32, 6912, 50304, model_type="stablelm", use_qkv_bias=False)
    ),
    "StableLM-2-1.6B": Published(
        "1.64 B", _llama(24, 2048, 32, 32, 5632, 100352, model_type="stablelm", use_qkv_bias=True)
    ),
    "StarCoder2-3B": Published("3.03 B", _llama(30, 3072, 24, 2, 12288, 49152, model_type="starcoder2", use_bias=True)),
    "Command-R": Published("35.0 B", _llama(40, 8192, 64, 64, 22528, 256000, model_type="cohere")),
}
