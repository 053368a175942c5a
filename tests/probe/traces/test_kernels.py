"""Names of kernels, as devices of several generations report them."""

import pytest

from trainlint_probe.traces import calls
from trainlint_probe.traces.device_work.kernels import KernelClass, Units, kind_of

_OF_PYTORCH = "void at::native::"


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("volta_sgemm_64x64_nt", Units.PLAIN),
        ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", Units.TENSOR_CORES),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", Units.TENSOR_CORES),
        ("ampere_sgemm_128x128_tn", Units.PLAIN),
        ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", Units.TENSOR_CORES),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(Params)", Units.TENSOR_CORES),
        ("void cutlass::Kernel<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(Params)", Units.PLAIN),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_cublas", Units.TENSOR_CORES),
        ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", Units.TENSOR_CORES),
        ("Cijk_Alik_Bljk_BBS_BH_Bias_MT256x192x64_MI16x16x1_SN_LDSB1", Units.TENSOR_CORES),
        ("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_K1_TT8_8_WG8_8_1", Units.PLAIN),
        ("void gemv2T_kernel_val<int, int, float, float, float, 128, 16>(float const*)", Units.PLAIN),
    ],
)
def test_matrix_products_tell_their_units(name: str, units: Units) -> None:
    kind = kind_of(name)
    assert (kind.of, kind.units) == (KernelClass.MATRIX_PRODUCT, units)


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("volta_scudnn_128x128_stridedB_splitK_small_nn_v1", Units.PLAIN),
        ("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1>(int, int, int)", Units.PLAIN),
        ("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int)", Units.PLAIN),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16", Units.TENSOR_CORES),
        ("void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x128>(P)", Units.TENSOR_CORES),
        ("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8", Units.TENSOR_CORES),
        ("_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3", Units.TENSOR_CORES),
    ],
)
def test_convolutions_tell_their_units(name: str, units: Units) -> None:
    kind = kind_of(name)
    assert (kind.of, kind.units) == (KernelClass.CONVOLUTION, units)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128> >(Params)", "flash"),
        ("fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention)", "efficient"),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3", "cudnn"),
        ("attn_fwd", "flash"),
    ],
)
def test_attention_tells_its_path(name: str, path: str) -> None:
    kind = kind_of(name)
    assert (kind.of, kind.path) == (KernelClass.ATTENTION, path)


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", KernelClass.COMMUNICATION),
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", KernelClass.COMMUNICATION),
        (f"{_OF_PYTORCH}(anonymous namespace)::multi_tensor_apply_kernel<FusedAdamFunctor>", KernelClass.OPTIMIZER),
        (
            f"{_OF_PYTORCH}vectorized_elementwise_kernel<4, AddFunctor<float> >(int)",
            KernelClass.ELEMENTWISE,
        ),
        (
            f"{_OF_PYTORCH}elementwise_kernel<128, 2, direct_copy_kernel_cuda(at::TensorIterator&)>",
            KernelClass.COPY,
        ),
        (f"{_OF_PYTORCH}reduce_kernel<512, 1, at::native::ReduceOp<float> >(float)", KernelClass.REDUCTION),
        (f"{_OF_PYTORCH}(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)", KernelClass.NORMALIZATION),
        ("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(cudnnTensorStruct, float const*)", KernelClass.NORMALIZATION),
        (f"{_OF_PYTORCH}(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long>", KernelClass.EMBEDDING),
        ("void fbgemm_gpu::permute_2D_data_kernel<false, int, int>(int)", KernelClass.COPY),
        ("void cub::DeviceRadixSortOnesweepKernel<long>(int*)", KernelClass.SORT),
        ("triton_poi_fused_add_mul_silu_2", KernelClass.TRITON),
        ("triton_tem_fused_mm_3", KernelClass.MATRIX_PRODUCT),
        ("something_of_my_own", KernelClass.OTHER),
    ],
)
def test_other_kernels_have_a_class(name: str, of: KernelClass) -> None:
    assert kind_of(name).of is of


def test_float64_is_told_apart_for_no_lower_precision_replaces_it() -> None:
    assert kind_of("ampere_dgemm_64x64_nn").double
    assert not kind_of("ampere_sgemm_64x64_nn").double


def test_what_calls_do_is_the_same_for_both_makers_and_all_versions() -> None:
    assert calls.launches("cuLaunchKernelEx")
    assert calls.launches("hipExtModuleLaunchKernel")
    assert calls.launches("cudaGraphLaunch_v10000")
    assert not calls.launches("cudaLaunchHostFunc")
    assert calls.waits("cudaStreamSynchronize_ptsz")
    assert calls.waits("hipEventSynchronize")
    assert not calls.waits("cudaStreamWaitEvent")
    assert calls.copies_and_waits("hipMemcpyWithStream")
    assert calls.copies_and_waits("cuMemcpyDtoH_v2")
    assert not calls.copies_and_waits("cudaMemcpyAsync")
    assert calls.asks_for_memory("cudaMalloc")
    assert calls.asks_for_memory("cuMemCreate")
    assert not calls.asks_for_memory("cudaMallocHost")
    assert calls.asks_for_memory("hipFree")
    assert not calls.asks_for_memory("cudaFreeHost")
    assert calls.asks_only("cudaStreamGetCaptureInfo_v2")
    assert not calls.waits("customStreamSynchronize")
