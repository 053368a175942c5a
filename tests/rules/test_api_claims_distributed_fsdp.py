"""What the rules about sharding, collectives and process groups claim of torch, asked of the installed one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
dist = pytest.importorskip("torch.distributed")


@pytest.fixture
def one_process() -> Iterator[None]:
    """A process group of this process alone, on the CPU."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


def fsdp(model: Any, **options: Any) -> Any:
    from torch.distributed.fsdp import FullyShardedDataParallel

    return FullyShardedDataParallel(model, device_id=torch.device("cpu"), **options)


def sharded(model: Any) -> Any:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    return fully_shard(model, mesh=init_device_mesh("cpu", (1,)))


def whole(parameter: Any) -> Any:
    """A copy of a parameter, put together where it is a DTensor."""
    value = parameter.detach()
    return (value.full_tensor() if hasattr(value, "full_tensor") else value).clone()


@pytest.mark.usefixtures("one_process")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("wrap", "before", "trains"),
    [
        (fsdp, True, False),
        (fsdp, False, True),
        (lambda model: fsdp(model, use_orig_params=True), True, True),
        (sharded, True, False),
        (sharded, False, True),
    ],
)
def test_an_optimizer_from_before_the_wrap_changes_nothing(
    wrap: Callable[[Any], Any], before: bool, trains: bool
) -> None:
    model = torch.nn.Linear(4, 4)
    old = list(model.parameters())
    wrapped = wrap(model)
    optimizer = torch.optim.SGD(old if before else wrapped.parameters(), lr=0.1)
    start = [whole(parameter) for parameter in wrapped.parameters()]
    wrapped(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    changed = any(not torch.equal(a, whole(b)) for a, b in zip(start, wrapped.parameters(), strict=True))
    assert changed is trains


def test_original_parameters_are_an_option_that_is_off() -> None:
    from torch.distributed.fsdp import FullyShardedDataParallel

    parameters = inspect.signature(FullyShardedDataParallel).parameters
    assert parameters["use_orig_params"].default is False
    assert list(parameters).index("use_orig_params") == 13


def test_fsdp_has_a_clipping_method_of_its_own() -> None:
    from torch.distributed.fsdp import FullyShardedDataParallel

    method = inspect.signature(FullyShardedDataParallel.clip_grad_norm_)
    assert list(method.parameters) == ["self", "max_norm", "norm_type"]
    plain = inspect.signature(torch.nn.utils.clip_grad_norm_)
    assert list(plain.parameters)[:3] == ["parameters", "max_norm", "norm_type"]
    assert list(inspect.signature(FullyShardedDataParallel).parameters).index("sharding_strategy") == 2


@pytest.mark.usefixtures("one_process")
@pytest.mark.filterwarnings("ignore")
def test_a_model_without_a_policy_is_one_unit() -> None:
    from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    def layers() -> Any:
        return torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(8, 8)) for _ in range(4)])

    policy = ModuleWrapPolicy({torch.nn.Linear})
    assert len(FullyShardedDataParallel.fsdp_modules(fsdp(layers()))) == 1
    assert len(FullyShardedDataParallel.fsdp_modules(fsdp(layers(), auto_wrap_policy=policy))) == 5
    assert sum(isinstance(module, FSDPModule) for module in sharded(layers()).modules()) == 1
    assert list(inspect.signature(FullyShardedDataParallel).parameters).index("auto_wrap_policy") == 4


@pytest.mark.usefixtures("one_process")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("private", "public", "newest"),
    [
        ("_all_gather_base", "all_gather_into_tensor", "all_gather_single"),
        ("_reduce_scatter_base", "reduce_scatter_tensor", "reduce_scatter_single"),
    ],
)
def test_private_collectives_have_public_names_that_do_the_same(private: str, public: str, newest: str) -> None:
    names = [private, public, *([newest] if hasattr(dist, newest) else [])]
    assert len({tuple(inspect.signature(getattr(dist, name)).parameters) for name in names}) == 1
    given, results = torch.randn(8), []
    for name in names:
        results.append(torch.empty(8))
        getattr(dist, name)(results[-1], given)
    assert all(torch.equal(result, given) for result in results)
    with pytest.warns(FutureWarning, match=private):
        getattr(dist, private)(torch.empty(8), given)


def test_a_process_group_can_be_given_its_device() -> None:
    parameters = inspect.signature(dist.init_process_group).parameters
    assert parameters["device_id"].default is None
    assert list(parameters)[:4] == ["backend", "init_method", "timeout", "world_size"]
    assert callable(torch.cuda.set_device)


def test_whole_states_stay_on_every_device_by_default() -> None:
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_state_dict
    from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel

    config, options = FullStateDictConfig(), StateDictOptions()
    assert (config.offload_to_cpu, config.rank0_only) == (False, False)
    assert list(inspect.signature(FullStateDictConfig).parameters)[:2] == ["offload_to_cpu", "rank0_only"]
    assert list(inspect.signature(StateDictOptions).parameters)[:2] == ["full_state_dict", "cpu_offload"]
    assert (options.full_state_dict, options.cpu_offload) == (False, False)
    setter = inspect.signature(FullyShardedDataParallel.state_dict_type)
    assert list(setter.parameters)[1:3] == ["state_dict_type", "state_dict_config"]
    for function in (get_model_state_dict, get_state_dict):
        assert inspect.signature(function).parameters["options"].kind is inspect.Parameter.KEYWORD_ONLY


def test_fully_shard_stands_beside_the_old_wrapper() -> None:
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 6):
        pytest.skip("`fully_shard` is public from PyTorch 2.6 on")
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard

    assert {"mesh", "reshard_after_forward", "mp_policy"} <= set(inspect.signature(fully_shard).parameters)
    assert "param_dtype" in inspect.signature(MixedPrecisionPolicy).parameters
    assert isinstance(FullyShardedDataParallel, type)


def test_ddp_sends_its_parameters_when_it_is_built() -> None:
    from torch.nn.parallel import DistributedDataParallel

    parameters = inspect.signature(DistributedDataParallel).parameters
    assert parameters["init_sync"].default is True
    assert list(parameters).index("broadcast_buffers") == 4
    assert "_sync_module_states" in inspect.getsource(DistributedDataParallel.__init__)


@pytest.mark.usefixtures("one_process")
def test_gradients_are_views_of_buckets_only_where_asked_for() -> None:
    from torch.nn.parallel import DistributedDataParallel

    parameters = inspect.signature(DistributedDataParallel).parameters
    assert parameters["gradient_as_bucket_view"].default is False
    assert list(parameters).index("gradient_as_bucket_view") == 10
    gradients = {}
    for views in (False, True):
        torch.manual_seed(5)
        model = DistributedDataParallel(torch.nn.Linear(4, 3), gradient_as_bucket_view=views)
        model(torch.ones(2, 4)).square().sum().backward()
        gradients[views] = [parameter.grad for parameter in model.parameters()]
    assert all(torch.equal(old, new) for old, new in zip(gradients[False], gradients[True], strict=True))
    with pytest.raises(RuntimeError, match="view"):
        gradients[True][0].detach_()


def test_checkpoints_can_be_written_in_the_background() -> None:
    from torch.distributed import checkpoint

    assert "checkpoint_id" in inspect.signature(checkpoint.async_save).parameters


def test_batch_norms_can_be_converted() -> None:
    plain = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 1), torch.nn.BatchNorm2d(8))
    converted = torch.nn.SyncBatchNorm.convert_sync_batchnorm(plain)
    assert isinstance(converted[1], torch.nn.SyncBatchNorm)
