"""Sizes in the configurations of published models, and the parameters that they are published with."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """A model by its configuration."""

    figure: str
    """Its parameters as they are published, to three digits."""
    parameters: int
    """All of them, as the classes of transformers 5.24 have them, built on the meta device."""
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
    "Llama-2-7B": Published("6.74 B", 6_738_415_616, _llama(32, 4096, 32, 32, 11008, 32000)),
    "Llama-2-13B": Published("13.0 B", 13_015_864_320, _llama(40, 5120, 40, 40, 13824, 32000)),
    "Llama-2-70B": Published("69.0 B", 68_976_648_192, _llama(80, 8192, 64, 8, 28672, 32000)),
    "Llama-3-8B": Published("8.03 B", 8_030_261_248, _llama(32, 4096, 32, 8, 14336, 128256)),
    "Llama-3.1-70B": Published("70.6 B", 70_553_706_496, _llama(80, 8192, 64, 8, 28672, 128256)),
    "Llama-3.1-405B": Published("406 B", 405_853_388_800, _llama(126, 16384, 128, 8, 53248, 128256)),
    "Llama-3.2-1B": Published("1.24 B", 1_235_814_400, _llama(16, 2048, 32, 8, 8192, 128256, head_dim=64, **_TIED)),
    "Llama-3.2-3B": Published("3.21 B", 3_212_749_824, _llama(28, 3072, 24, 8, 8192, 128256, head_dim=128, **_TIED)),
    "Yi-6B": Published("6.06 B", 6_061_035_520, _llama(32, 4096, 32, 4, 11008, 64000)),
    "Yi-34B": Published("34.4 B", 34_388_917_248, _llama(60, 7168, 56, 8, 20480, 64000)),
    "SmolLM-135M": Published("135 M", 134_515_008, _llama(30, 576, 9, 3, 1536, 49152, **_TIED)),
    "SmolLM2-1.7B": Published("1.71 B", 1_711_376_384, _llama(24, 2048, 32, 32, 8192, 49152, **_TIED)),
    "InternLM2-7B": Published(
        "7.74 B", 7_737_708_544, _llama(32, 4096, 32, 8, 14336, 92544, model_type="internlm2", bias=False)
    ),
    "Mistral-7B": Published("7.24 B", 7_241_732_096, _llama(32, 4096, 32, 8, 14336, 32000, model_type="mistral")),
    "Mistral-Nemo-12B": Published(
        "12.2 B", 12_247_782_400, _llama(40, 5120, 32, 8, 14336, 131072, model_type="mistral", head_dim=128)
    ),
    "Mixtral-8x7B": Published(
        "46.7 B",
        46_702_792_704,
        _llama(32, 4096, 32, 8, 14336, 32000, model_type="mixtral", num_local_experts=8, num_experts_per_tok=2),
    ),
    "Mixtral-8x22B": Published(
        "141 B",
        140_630_071_296,
        _llama(56, 6144, 48, 8, 16384, 32768, model_type="mixtral", num_local_experts=8, num_experts_per_tok=2),
    ),
    "Qwen2-7B": Published("7.62 B", 7_615_616_512, _llama(28, 3584, 28, 4, 18944, 152064, model_type="qwen2")),
    "Qwen2.5-0.5B": Published("494 M", 494_032_768, _llama(24, 896, 14, 2, 4864, 151936, model_type="qwen2", **_TIED)),
    "Qwen2.5-72B": Published("72.7 B", 72_706_203_648, _llama(80, 8192, 64, 8, 29568, 152064, model_type="qwen2")),
    "Qwen1.5-MoE-A2.7B": Published(
        "14.3 B",
        14_315_784_192,
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
    "Qwen3-0.6B": Published(
        "596 M", 596_049_920, _llama(28, 1024, 16, 8, 3072, 151936, model_type="qwen3", head_dim=128, **_TIED)
    ),
    "Qwen3-8B": Published(
        "8.19 B", 8_190_735_360, _llama(36, 4096, 32, 8, 12288, 151936, model_type="qwen3", head_dim=128)
    ),
    "Qwen3-32B": Published(
        "32.8 B", 32_762_123_264, _llama(64, 5120, 64, 8, 25600, 151936, model_type="qwen3", head_dim=128)
    ),
    "Qwen3-30B-A3B": Published(
        "30.5 B",
        30_532_122_624,
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
        235_093_634_560,
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
    "Gemma-2B": Published(
        "2.51 B", 2_506_172_416, _llama(18, 2048, 8, 1, 16384, 256000, model_type="gemma", head_dim=256)
    ),
    "Gemma-7B": Published(
        "8.54 B", 8_537_680_896, _llama(28, 3072, 16, 16, 24576, 256000, model_type="gemma", head_dim=256)
    ),
    "Gemma-2-9B": Published(
        "9.24 B", 9_241_705_984, _llama(42, 3584, 16, 8, 14336, 256000, model_type="gemma2", head_dim=256)
    ),
    "Gemma-2-27B": Published(
        "27.2 B", 27_227_128_320, _llama(46, 4608, 32, 16, 36864, 256000, model_type="gemma2", head_dim=128)
    ),
    "Gemma-3-1B": Published(
        "1.00 B", 999_885_952, _llama(26, 1152, 4, 1, 6912, 262144, model_type="gemma3_text", head_dim=256)
    ),
    "Phi-2": Published("2.78 B", 2_779_683_840, _llama(32, 2560, 32, 32, 10240, 51200, model_type="phi")),
    "Phi-3-mini": Published("3.82 B", 3_821_079_552, _llama(32, 3072, 32, 32, 8192, 32064, model_type="phi3")),
    "GPT-2": Published("124 M", 124_439_808, _gpt2(12, 768, 12)),
    "GPT-2-medium": Published("355 M", 354_823_168, _gpt2(24, 1024, 16)),
    "GPT-2-large": Published("774 M", 774_030_080, _gpt2(36, 1280, 20)),
    "GPT-2-XL": Published("1.56 B", 1_557_611_200, _gpt2(48, 1600, 25)),
    "GPT-J-6B": Published(
        "6.05 B",
        6_050_882_784,
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
    "GPT-NeoX-20B": Published("20.6 B", 20_554_567_680, _neox(44, 6144, 64, 50432)),
    "Pythia-1.4B": Published("1.41 B", 1_414_647_808, _neox(24, 2048, 16, 50304)),
    "Pythia-6.9B": Published("6.86 B", 6_857_302_016, _neox(32, 4096, 32, 50432)),
    "Falcon-7B": Published(
        "6.92 B",
        6_921_720_704,
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
        41_303_293_952,
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
    "OPT-125M": Published("125 M", 125_239_296, _opt(12, 768, 12)),
    "OPT-350M": Published(
        "331 M", 331_196_416, _opt(24, 1024, 16, word_embed_proj_dim=512, do_layer_norm_before=False)
    ),
    "OPT-6.7B": Published("6.66 B", 6_658_473_984, _opt(32, 4096, 32)),
    "OPT-30B": Published("30.0 B", 29_974_540_288, _opt(48, 7168, 56)),
    "BLOOM-176B": Published(
        "176 B",
        176_247_271_424,
        {"model_type": "bloom", "n_layer": 70, "hidden_size": 14336, "n_head": 112, "vocab_size": 250880},
    ),
    "BERT-base": Published("110 M", 109_514_298, _bert(12, 768, 12, 30522)),
    "BERT-large": Published("335 M", 335_174_458, _bert(24, 1024, 16, 30522)),
    "RoBERTa-base": Published(
        "125 M",
        124_697_433,
        _bert(12, 768, 12, 50265, model_type="roberta", max_position_embeddings=514, type_vocab_size=1),
    ),
    "DeepSeek-V2": Published(
        "236 B",
        235_741_434_880,
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
        15_706_484_224,
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
        671_026_404_352,
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
    "OLMo-7B": Published("6.89 B", 6_888_095_744, _llama(32, 4096, 32, 32, 11008, 50304, model_type="olmo")),
    "OLMo-2-7B": Published("7.30 B", 7_298_617_344, _llama(32, 4096, 32, 32, 11008, 100352, model_type="olmo2")),
    "StableLM-3B": Published(
        "2.80 B", 2_795_443_200, _llama(32, 2560, 32, 32, 6912, 50304, model_type="stablelm", use_qkv_bias=False)
    ),
    "StableLM-2-1.6B": Published(
        "1.64 B", 1_644_515_328, _llama(24, 2048, 32, 32, 5632, 100352, model_type="stablelm", use_qkv_bias=True)
    ),
    "StarCoder2-3B": Published(
        "3.03 B", 3_030_371_328, _llama(30, 3072, 24, 2, 12288, 49152, model_type="starcoder2", use_bias=True)
    ),
    "Command-R": Published("35.0 B", 34_980_831_232, _llama(40, 8192, 64, 64, 22528, 256000, model_type="cohere")),
}
