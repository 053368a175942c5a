# requires: DeepXDE==1.15.0
# packages: deepxde
# kind: molecules and physics
import os

os.environ["DDE_BACKEND"] = "pytorch"
import deepxde as dde
import numpy as np


def equation(x, y):
    return -dde.grad.hessian(y, x) - np.pi**2 * dde.backend.torch.sin(np.pi * x)


interval = dde.geometry.Interval(-1, 1)
edges = dde.icbc.DirichletBC(interval, lambda x: np.sin(np.pi * x), lambda _, on_edge: on_edge)
data = dde.data.PDE(interval, equation, edges, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=20)
network = dde.nn.FNN([1, 16, 16, 1], "tanh", "Glorot uniform")
model = dde.Model(data, network)
model.compile("adam", lr=0.001, metrics=["l2 relative error"])
model.train(iterations=40, display_every=10)
