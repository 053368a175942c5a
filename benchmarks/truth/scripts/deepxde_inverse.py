# requires: DeepXDE==1.15.0
# packages: deepxde
# kind: molecules and physics
import os

os.environ["DDE_BACKEND"] = "pytorch"
import deepxde as dde
import numpy as np

diffusion = dde.Variable(2.0)


def equation(x, y):
    dy_t = dde.grad.jacobian(y, x, i=0, j=1)
    dy_xx = dde.grad.hessian(y, x, i=0, j=0)
    return dy_t - diffusion * dy_xx + dde.backend.torch.exp(-x[:, 1:]) * dde.backend.torch.sin(np.pi * x[:, 0:1])


def solution(x):
    return np.sin(np.pi * x[:, 0:1]) * np.exp(-x[:, 1:])


domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 1))
start = dde.icbc.IC(domain, lambda x: np.sin(np.pi * x[:, 0:1]), lambda _, on_initial: on_initial)
points = np.vstack((np.linspace(-1, 1, num=10), np.full((10), 1))).T
observed = dde.icbc.PointSetBC(points, solution(points), component=0)
data = dde.data.TimePDE(domain, equation, [start, observed], num_domain=20, num_initial=10, anchors=points, num_test=20)
model = dde.Model(data, dde.nn.FNN([2, 16, 16, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=0.001, external_trainable_variables=diffusion)
values = dde.callbacks.VariableValue(diffusion, period=1, filename="variables.dat")
resampler = dde.callbacks.PDEPointResampler(period=5)
model.train(iterations=30, callbacks=[values, resampler], display_every=10)
