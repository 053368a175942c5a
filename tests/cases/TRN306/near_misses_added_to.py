"""Gradients that come from other processes are added to what is there."""


class Server:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def receive(self, gradients):
        for parameter, gradient in zip(self.model.parameters(), gradients, strict=True):
            parameter.grad += gradient

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
