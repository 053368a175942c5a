"""What a script sees of the simulated GPU."""

from __future__ import annotations

import copy
import io
import pickle
import threading
from collections.abc import Iterator

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from trainlint_probe.simulated.simulation import Simulation


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation("a100-80gb", devices=2) as simulated:
        yield simulated


def test_what_is_converted_in_inference_mode_lies_on_the_device(simulation: Simulation) -> None:
    numbers = torch.arange(4, device="cuda")
    with torch.inference_mode():
        assert numbers.float().is_cuda


def test_nothing_is_left_behind() -> None:
    before = {name: getattr(torch.cuda, name) for name in dir(torch.cuda)}
    with Simulation():
        assert torch.cuda.is_available()

    assert not torch.cuda.is_available()
    assert {name: getattr(torch.cuda, name) for name in before} == before
    assert torch.zeros(1).device.type == "cpu"


def test_a_thread_that_has_not_entered_may_end_it() -> None:
    simulation = Simulation()
    thread = threading.Thread(target=simulation.__enter__)
    thread.start()
    thread.join()
    simulation.__exit__(None, None, None)
    assert not torch.cuda.is_available()


@pytest.mark.parametrize("is_the_same", [True, False])
def test_there_is_one_machine_at_a_time(is_the_same: bool, simulation: Simulation) -> None:
    with pytest.raises(RuntimeError, match="name more devices"), simulation if is_the_same else Simulation():
        pass
    assert torch.cuda.device_count() == 2
    torch.cuda.current_stream().synchronize()
    assert len(simulation.log.events) == 1


def test_a_machine_that_is_turned_on_again_knows_its_tensors_and_leaves_nothing_behind() -> None:
    simulation, available = Simulation(), torch.cuda.is_available
    with simulation:
        tensor = torch.zeros(2, device="cuda")
    for reads in (1, 2):
        with simulation:
            assert tensor.is_cuda
            tensor.sum().item()
        assert sum(happened.by_step.total() for happened in simulation.log.events.values()) == reads
        assert torch.cuda.is_available is available


def test_the_machine_is_the_named_one(simulation: Simulation) -> None:
    assert torch.cuda.device_count() == 2
    assert torch.cuda.get_device_name() == "NVIDIA A100-SXM4-80GB"
    assert torch.cuda.get_device_capability() == (8, 0)


def test_a_tensor_says_where_it_is(simulation: Simulation) -> None:
    tensor = torch.zeros(2, device="cuda:1")

    assert (tensor.device, tensor.is_cuda, tensor.is_cpu, tensor.get_device()) == (
        torch.device("cuda:1"),
        True,
        False,
        1,
    )
    assert tensor[:1].device == (tensor + 1).device == torch.device("cuda:1")
    assert tensor.type() == "torch.cuda.FloatTensor"
    assert isinstance(tensor, torch.cuda.FloatTensor)
    assert tensor.cpu().device == torch.device("cpu")
    assert repr(tensor) == "tensor([0., 0.], device='cuda:1')"


@pytest.mark.parametrize("way", ["context", "default", "legacy"])
def test_the_default_device_holds(way: str, simulation: Simulation) -> None:
    if way == "context":
        with torch.device("cuda"):
            made = torch.zeros(2)
    else:
        if way == "default":
            torch.set_default_device("cuda")
        else:
            torch.set_default_tensor_type(torch.cuda.FloatTensor)
        try:
            made = torch.ones(2) * 2
        finally:
            torch.set_default_device(None)

    assert made.is_cuda
    assert not torch.zeros(2).is_cuda


def test_tensors_of_two_devices_do_not_mix(simulation: Simulation) -> None:
    host, first, second = torch.ones(2), torch.ones(2, device="cuda"), torch.ones(2, device="cuda:1")

    with pytest.raises(RuntimeError, match=r"at least two devices, cuda:0 and cpu"):
        host + first
    with pytest.raises(RuntimeError, match=r"at least two devices, cuda:0 and cuda:1"):
        first + second
    assert (first + torch.tensor(1.0)).is_cuda  # a scalar of the host may take part
    with pytest.raises(RuntimeError, match="same device"):
        torch.stack([first[0], torch.tensor(1.0)])


def test_an_index_lies_on_the_host_or_with_what_it_selects_from(simulation: Simulation) -> None:
    host, device = torch.arange(4), torch.arange(4, device="cuda")

    assert not host[host].is_cuda
    assert device[host].is_cuda
    with pytest.raises(RuntimeError, match="on the same device as the indexed tensor"):
        host[device]
    with pytest.raises(RuntimeError, match="at least two devices"):
        device[device[:2]] = host[:2]
    device[device[:2].clone()] = torch.tensor(1)  # a number of the host may be written


@pytest.mark.filterwarnings("error")
def test_recurrent_layers_take_cudnn_for_given(simulation: Simulation) -> None:
    assert nn.LSTM(4, 2).cuda()(torch.ones(1, 3, 4, device="cuda"))[0].is_cuda


def test_an_operator_without_code_for_a_cpu_is_named(simulation: Simulation) -> None:
    weights = [torch.ones(8, 2, device="cuda"), torch.ones(8, 2, device="cuda")]
    with pytest.raises(NotImplementedError, match="aten::_cudnn_rnn_flatten_weight has no code for a CPU"):
        torch._cudnn_rnn_flatten_weight(weights, 2, 2, 2, 2, 0, 1, False, False)


def test_a_kernel_of_ones_own_is_named_with_its_library(simulation: Simulation) -> None:
    library = torch.library.Library("trainlint_test", "DEF")
    library.define("twice(Tensor given) -> Tensor")
    library.impl("twice", lambda given: given * 2, "CUDA")

    with pytest.raises(NotImplementedError, match=r"trainlint_test::twice has no code for a CPU, .* run the script on"):
        torch.ops.trainlint_test.twice(torch.ones(2, device="cuda"))


@pytest.mark.filterwarnings("ignore")  # PyTorch takes its own quantized tensors for outdated
def test_quantized_tensors_work_and_quantized_modules_say_that_they_do_not(simulation: Simulation) -> None:
    quantized = torch.quantize_per_tensor(torch.ones(2, 4, device="cuda"), 0.1, 0, torch.quint8)

    assert quantized.dequantize().is_cuda
    with pytest.raises(NotImplementedError, match=r"quantized::linear.* keep the model on the CPU"):
        torch.ao.nn.quantized.Linear(4, 2).cuda()(quantized)


def test_sequences_are_packed_by_lengths_on_the_host(simulation: Simulation) -> None:
    padded, lengths = torch.ones(3, 2, 4, device="cuda"), torch.tensor([3, 2])

    assert nn.utils.rnn.pack_padded_sequence(padded, lengths).data.is_cuda
    with pytest.raises(RuntimeError, match="should be a 1D CPU int64 tensor, but got 1D cuda:0 Long"):
        nn.utils.rnn.pack_padded_sequence(padded, lengths.cuda())


def test_numpy_does_not_read_a_device(simulation: Simulation) -> None:
    with pytest.raises(TypeError, match=r"can't convert cuda:0 device type tensor to numpy"):
        torch.ones(2, device="cuda").numpy()


def test_a_generator_of_the_host_does_not_draw_for_a_device(simulation: Simulation) -> None:
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator"):
        torch.randn(2, device="cuda", generator=torch.Generator())
    assert torch.randn(2, device="cuda", generator=torch.Generator("cuda").manual_seed(1)).is_cuda


def test_a_device_that_is_not_there(simulation: Simulation) -> None:
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.zeros(1, device="cuda:2")


def test_methods_may_call_what_they_override(simulation: Simulation) -> None:
    assert torch.zeros(2, 6, device="cuda").unflatten(1, (2, 3)).shape == (2, 2, 3)


def test_functions_that_choose_another_by_an_argument_make_tensors_on_the_device(simulation: Simulation) -> None:
    images = torch.zeros(1, 2, 8, 8, device="cuda")

    assert nn.functional.fractional_max_pool2d(images, 2, output_size=4).is_cuda
    assert nn.functional.max_pool2d(images, 2, return_indices=True)[1].is_cuda


def test_copies_keep_their_place(simulation: Simulation) -> None:
    tensor = torch.ones(2, device="cuda")
    file = io.BytesIO()
    torch.save({"weights": tensor}, file)
    file.seek(0)

    assert copy.deepcopy(tensor).is_cuda
    assert torch.load(file)["weights"].is_cuda
    file.seek(0)
    assert not torch.load(file, map_location="cpu")["weights"].is_cuda
    assert pickle.loads(pickle.dumps(tensor)).is_cuda


def test_memory_is_that_of_live_storages_in_blocks(simulation: Simulation) -> None:
    first = torch.zeros(1000, device="cuda")  # 4,000 bytes: eight blocks of 512
    view = first[:10]
    second = torch.zeros(1, device="cuda")
    assert torch.cuda.memory_allocated() == 4096 + 512
    del first, second
    assert torch.cuda.memory_allocated() == 4096, "a view keeps its storage"
    del view
    assert torch.cuda.memory_allocated() == 0
    assert torch.cuda.max_memory_allocated() == 4096 + 512


def test_memory_without_a_device_is_that_of_the_current_one(simulation: Simulation) -> None:
    torch.cuda.set_device(1)
    kept = torch.zeros(1000, device="cuda")
    assert kept.get_device() == 1
    assert torch.cuda.memory_allocated() == torch.cuda.memory_allocated(1) == 4096
    with torch.cuda.device(0):
        assert torch.cuda.memory_allocated() == 0
    with torch.cuda.device(-1):
        assert torch.cuda.memory_allocated() == 4096


def test_threads_of_the_script_see_the_device(simulation: Simulation) -> None:
    made: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: made.append(torch.ones(2).cuda()))
    thread.start()
    thread.join()

    assert made[0].is_cuda


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders_pin_their_batches(workers: int, simulation: Simulation) -> None:
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2, pin_memory=True, num_workers=workers)

    assert all(batch.is_pinned() and not batch.is_cuda for (batch,) in loader)


def trained(device: str) -> tuple[list[float], list[torch.Tensor]]:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.ReLU(), nn.Linear(16, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        inputs, targets = torch.randn(6, 8).to(device), torch.randint(4, (6,), device=device)
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, [parameter.detach().cpu() for parameter in model.parameters()]


def test_a_training_learns_what_it_learns_on_a_cpu() -> None:
    losses, parameters = trained("cpu")
    with Simulation():
        simulated_losses, simulated_parameters = trained("cuda")

    assert simulated_losses == losses
    assert all(torch.equal(*pair) for pair in zip(parameters, simulated_parameters, strict=True))


def test_a_read_in_the_backward_pass_names_the_line_of_the_forward_pass(simulation: Simulation) -> None:
    weights = torch.ones(4, device="cuda", requires_grad=True)
    chosen = weights[weights.detach() > 0]
    here = chosen.sum()
    simulation.log.events.clear()
    here.backward()

    (cause,) = simulation.log.events
    assert cause.in_backward
    assert cause.chain[0].path == __file__
    assert cause.forward is not None
    assert cause.forward.line == cause.chain[0].line - 3


def test_lines_of_libraries_are_told_with_the_line_that_calls_them(simulation: Simulation) -> None:
    torch.nn.functional.gaussian_nll_loss(*torch.ones(3, 2, device="cuda"))

    (cause,) = simulation.log.events
    assert cause.chain[0].path == __file__
    assert cause.inside.startswith("torch/nn/functional.py:")


def test_gradients_go_back_where_tensors_came_from(simulation: Simulation) -> None:
    weights = torch.ones(2, requires_grad=True)
    weights.cuda().sum().backward()

    assert weights.grad is not None
    assert not weights.grad.is_cuda
    assert [cause.what.direction for cause in simulation.log.events] == ["host to device", "device to host"]


def test_layers_without_a_shape_yet_move_to_the_device(simulation: Simulation) -> None:
    layer = nn.LazyLinear(2).cuda()

    assert layer(torch.ones(1, 3, device="cuda")).is_cuda
    assert not simulation.log.events, "nothing is copied of what has no elements"


def test_a_module_follows_a_tensor_to_its_device(simulation: Simulation) -> None:
    for where in (nn.Linear(2, 2).to(torch.zeros(1, device="cuda:1")), nn.Linear(2, 2).to(device="cuda:1")):
        assert where.weight.device == torch.device("cuda:1")


def test_what_acts_as_a_tensor_answers_for_itself(simulation: Simulation) -> None:
    class Checked(nn.Module):  # type: ignore[misc] # PyTorch is not read by mypy
        def forward(self, values: torch.Tensor) -> torch.Tensor:
            torch._assert(values.shape[-1] == 2, "two numbers")
            return nn.functional.relu(values)

    traced = torch.fx.symbolic_trace(Checked())

    assert "torch._assert" in traced.code
    assert traced(torch.zeros(2, device="cuda")).is_cuda


@pytest.mark.parametrize(
    ("code", "drawn"),
    [
        ("torch.randn(3).cuda()", [3]),
        ("torch.randn(3, device='cuda')", [-3]),
        ("x.cuda().normal_()", [-2]),
        ("torch.rand_like(x.cuda())", [-2]),
        ("torch.randn(2) + torch.randperm(2, device='cuda').cpu()", [2, -2]),
        ("torch.nn.functional.dropout(x.cuda(), 0.5)", [-2]),
    ],
)
def test_who_draws_random_numbers_is_known(code: str, drawn: list[int], simulation: Simulation) -> None:
    eval(code, {"torch": torch, "x": torch.ones(2)})
    assert [numbers for _, numbers in simulation.operators.draws] == drawn


def test_torch_jit_compiles_functions_of_torch(simulation: Simulation) -> None:
    compiled = torch.jit.script(_product)

    assert compiled(torch.ones(2, 3, device="cuda"), torch.ones(4, 3, device="cuda")).is_cuda


def _product(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return torch.tensordot(first, second, ([1], [1]))


def test_threads_do_not_silence_each_other(simulation: Simulation) -> None:
    made: list[torch.Tensor] = []
    with simulation.operators.uncounted():
        other = threading.Thread(target=lambda: made.append(torch.ones(2, device="cuda")))
        other.start()
        other.join()

    assert [tensor.device.type for tensor in made] == ["cuda"]
