"""Waits that are due, and things that are only called so."""

import os

import torch

if os.environ.get("DEBUG"):
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"


def offload(model, optimizer, train_loader, host_buffer, device):
    for inputs in train_loader:
        loss = model(inputs.to(device, non_blocking=True)).mean()
        loss.backward()
        host_buffer.copy_(loss.detach(), non_blocking=True)
        torch.cuda.synchronize()
        optimizer.step()
        optimizer.zero_grad()


class Exchange:
    def forward(self, tensor, neighbour):
        requests = torch.distributed.batch_isend_irecv([torch.distributed.P2POp(self.send, tensor, neighbour)])
        for request in requests:
            request.wait()
        torch.cuda.synchronize()
        return tensor

    def release_buffers(self):
        torch.cuda.synchronize()
        self.buffers = None


def train_pipeline(model, exchange, optimizer, train_loader, options):
    for inputs in train_loader:
        outputs = exchange.forward(model(inputs), options.next_rank)
        if options.debug_p2p_sync:
            torch.cuda.synchronize()
        outputs.sum().backward()
        exchange.release_buffers()
        optimizer.step()
        optimizer.zero_grad()
